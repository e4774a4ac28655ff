/*
 * plan_text: the words of a plan, and the plan for people.
 */
#include <string.h>

#include "base/units.h"
#include "controller/campaign/plan.h"

static const char *word(const char *const *words, size_t count, unsigned index)
{
	return index < count ? words[index] : "unknown";
}

const char *nl_phase_kind_name(enum nl_phase_kind kind)
{
	static const char *const words[] = {"inventory", "prepare", "self-load", "line", "pool", "share", "cleanup"};
	return word(words, sizeof words / sizeof words[0], kind);
}

const char *nl_layer_name(enum nl_layer layer)
{
	static const char *const words[] = {"line", "pool", "nfs", "smb", "generator"};
	return word(words, sizeof words / sizeof words[0], layer);
}

const char *nl_direction_name(enum nl_direction direction)
{
	static const char *const words[] = {"to-nas", "from-nas", "write", "read"};
	return word(words, sizeof words / sizeof words[0], direction);
}

static const char *agent_of(const struct nl_phase *phase, const struct nl_campaign *campaign)
{
	if (phase->kind == NL_PHASE_INVENTORY || phase->kind == NL_PHASE_PREPARE || phase->kind == NL_PHASE_CLEANUP)
		return "all";
	if (phase->on_nas)
		return campaign->nas_agent;
	return phase->client < campaign->client_count ? campaign->clients[phase->client] : "";
}

static void print_phase(const struct nl_phase *phase, const struct nl_campaign *campaign, FILE *out)
{
	char iteration[32] = "-", size[32] = "-", time[32];
	if (phase->iteration)
		snprintf(iteration, sizeof iteration, "%u%s", phase->iteration, phase->optional ? "?" : "");
	if (*phase->file_prefix)
		snprintf(size, sizeof size, "%u x ", phase->streams);
	if (*phase->file_prefix)
		nl_units_bytes_binary(phase->file_bytes, size + strlen(size), sizeof size - strlen(size));
	fprintf(out, "%5u  %-44.60s %4s  %-14.20s %-16s %8s\n", phase->index, phase->figure, iteration,
		agent_of(phase, campaign), size, nl_units_ns(phase->expected_ns, time, sizeof time));
}

void nl_plan_print(const struct nl_plan *plan, const struct nl_campaign *campaign, FILE *out)
{
	char bytes[32], time[32], longest[32];
	int64_t all_ns = plan->expected_ns;
	unsigned optional = 0;
	fprintf(out, "%s (preset %s)\n\n", campaign->title, campaign->preset);
	fprintf(out, "%5s  %-44s %4s  %-14s %-16s %8s\n", "phase", "figure", "iter", "agent", "files, at most",
		"expected");
	for (unsigned i = 0; i < plan->phase_count; i++) {
		const struct nl_phase *phase = &plan->phases[i];
		print_phase(phase, campaign, out);
		optional += phase->optional;
		all_ns += phase->optional ? phase->expected_ns : 0;
	}
	fprintf(out, "\nphases: %u", plan->phase_count);
	if (optional)
		fprintf(out, ", of which %u (marked ?) only while the spread is above %.3g %%", optional,
			campaign->iterations.until * 100);
	fprintf(out, "\nspace on the NAS, at most: %s\n",
		nl_units_bytes_binary(plan->space_bytes, bytes, sizeof bytes));
	fprintf(out, "time, about: %s", nl_units_clock(plan->expected_ns, time, sizeof time));
	if (optional)
		fprintf(out, " to %s", nl_units_clock(all_ns, longest, sizeof longest));
	fputs(" (and what writes take to become durable)\n", out);
}
