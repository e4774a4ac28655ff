/*
 * verdict: whether a figure may be quoted. Every rule that holds gives its reason with its numbers; the first in the
 * order of the table gives the verdict. A figure that none holds for is valid, and its reasons are what confirmed it.
 */
#include "controller/reconcile/verdict.h"

#include <stdio.h>

#include "base/time.h"
#include "controller/reconcile/rules.h"
#include "controller/reconcile/work.h"

static bool is_share_read(const struct nl_study *study)
{
	return study->kind == NL_PHASE_SHARE && study->figure.direction == NL_DIRECTION_READ;
}

static bool is_read(const struct nl_study *study)
{
	return study->figure.direction == NL_DIRECTION_READ && study->kind != NL_PHASE_SELF_LOAD;
}

static bool is_cold_read(const struct nl_study *study)
{
	return is_read(study) && study->figure.workload == NL_WORKLOAD_SEQ_READ;
}

static bool is_warmed_read(const struct nl_study *study)
{
	return is_read(study) && (study->figure.workload == NL_WORKLOAD_CACHED_READ ||
				  study->figure.workload == NL_WORKLOAD_CLIENT_WARM_READ);
}

static bool is_durable_write(const struct nl_study *study)
{
	return study->figure.direction == NL_DIRECTION_WRITE && study->kind != NL_PHASE_SELF_LOAD;
}

/* With no storage behind it there is nothing to settle: half a second says what it can do. */
static bool is_no_generator(const struct nl_study *study)
{
	return study->kind != NL_PHASE_SELF_LOAD;
}

static bool is_any(const struct nl_study *study)
{
	(void)study;
	return true;
}

/* --- the rules: whether each holds, saying why --- */

typedef bool rule_fn(struct nl_work *work, const struct nl_study *study, struct nl_texts *why);

static bool has_failed(struct nl_work *work, const struct nl_study *study, struct nl_texts *why)
{
	if (study->figure.iteration_count)
		return false;
	for (size_t i = 0; i < study->failures.count; i++)
		nl_say(work, why, "%s", study->failures.text[i]);
	if (study->failures.count == 0)
		nl_say(work, why, "no iteration was measured");
	return true;
}

static bool is_client_cached(struct nl_work *work, const struct nl_study *study, struct nl_texts *why)
{
	const struct nl_figure *figure = &study->figure;
	if (figure->client_cache_share <= nl_rule(NL_RULE_CLIENT_CACHED))
		return false;
	double arrived = figure->ledger.application * (1 - figure->client_cache_share);
	nl_say(work, why, "%s of the bytes came from the client's own memory: %s were read, %s came over the wire",
	       nl_show_share(figure->client_cache_share).text, nl_show_bytes(figure->ledger.application).text,
	       nl_show_bytes(arrived).text);
	return true;
}

static bool is_nas_cached(struct nl_work *work, const struct nl_study *study, struct nl_texts *why)
{
	const struct nl_figure *figure = &study->figure;
	if (figure->nas_cache_share <= nl_rule(NL_RULE_NAS_CACHED))
		return false;
	nl_say(work, why, "the NAS's cache delivered %s: the disks read %s for %s of the application",
	       nl_show_share(figure->nas_cache_share).text, nl_show_bytes(figure->ledger.disks).text,
	       nl_show_bytes(figure->ledger.application).text);
	return true;
}

static bool is_not_cold(struct nl_work *work, const struct nl_study *study, struct nl_texts *why)
{
	const struct nl_figure *figure = &study->figure;
	if (figure->ledger.disks < 0) {
		nl_say(work, why, "that it was cold cannot be proved: the disks of the pool were not watched");
		return true;
	}
	if (figure->nas_cache_share <= nl_rule(NL_RULE_NOT_COLD))
		return false;
	nl_say(work, why, "%s did not come from the disks: they read %s for %s of the application",
	       nl_show_share(figure->nas_cache_share).text, nl_show_bytes(figure->ledger.disks).text,
	       nl_show_bytes(figure->ledger.application).text);
	for (unsigned i = 0; i < figure->iteration_count; i++)
		if (study->measure[i].resident_share > nl_rule(NL_RULE_NOT_COLD))
			nl_say(work, why, "in phase %u the eviction left %s of the files in the NAS's cache",
			       study->measure[i].phase, nl_show_share(study->measure[i].resident_share).text);
	return true;
}

static bool is_not_durable(struct nl_work *work, const struct nl_study *study, struct nl_texts *why)
{
	const struct nl_figure *figure = &study->figure;
	bool holds = false;
	for (unsigned i = 0; i < figure->iteration_count && !holds; i++)
		holds = study->measure[i].flush_missing;
	if (holds)
		nl_say(work, why, "nothing says when the data was durable: the NAS gave no answer to the flush");
	if (figure->ledger.disks < 0) {
		nl_say(work, why, "that it reached the disks cannot be proved: the disks of the pool were not watched");
		return true;
	}
	if (figure->ledger.disks >= figure->ledger.application * nl_rule(NL_RULE_DURABLE))
		return holds;
	nl_say(work, why, "when all was said to be durable the disks had written %s of %s",
	       nl_show_bytes(figure->ledger.disks).text, nl_show_bytes(figure->ledger.application).text);
	return true;
}

static bool is_not_as_meant(struct nl_work *work, const struct nl_study *study, struct nl_texts *why)
{
	const struct nl_figure *figure = &study->figure;
	bool client = figure->workload == NL_WORKLOAD_CLIENT_WARM_READ;
	double share = client ? figure->client_cache_share : figure->nas_cache_share;
	double least = nl_rule(client ? NL_RULE_CLIENT_CACHED : NL_RULE_NAS_CACHED);
	if (share > least)
		return false;
	if (share < 0)
		nl_say(work, why, "whether the %s cache served it is not known: its counters were not watched",
		       client ? "client's" : "NAS's");
	else
		nl_say(work, why, "meant to come from the %s cache, which served %s of it",
		       client ? "client's" : "NAS's", nl_show_share(share).text);
	return true;
}

static bool is_too_short(struct nl_work *work, const struct nl_study *study, struct nl_texts *why)
{
	double shortest = -1;
	for (unsigned i = 0; i < study->figure.iteration_count; i++) {
		double length = (double)(study->measure[i].window_end_ns - study->measure[i].window_start_ns) /
				(double)NL_NS_PER_S;
		if (shortest < 0 || length < shortest)
			shortest = length;
	}
	if (shortest < 0 || shortest >= nl_rule(NL_RULE_TOO_SHORT))
		return false;
	nl_say(work, why, "the measured window was %s long, %s are the least", nl_show_seconds(shortest).text,
	       nl_show_seconds(nl_rule(NL_RULE_TOO_SHORT)).text);
	return true;
}

static bool is_unsteady(struct nl_work *work, const struct nl_study *study, struct nl_texts *why)
{
	const struct nl_figure *figure = &study->figure;
	bool holds = figure->iteration_count > 1 && figure->spread > nl_rule(NL_RULE_SPREAD);
	if (holds)
		nl_say(work, why, "the %u iterations are %s of their median apart", figure->iteration_count,
		       nl_show_share(figure->spread).text);
	for (unsigned i = 0; i < figure->iteration_count; i++) {
		if (study->measure[i].variation <= nl_rule(NL_RULE_VARIATION))
			continue;
		nl_say(work, why, "in phase %u the rate of single seconds varied by %s (coefficient of variation)",
		       study->measure[i].phase, nl_show_share(study->measure[i].variation).text);
		holds = true;
	}
	return holds;
}

static const struct {
	enum nl_verdict verdict;
	const char *applies_text;
	bool (*applies)(const struct nl_study *study);
	rule_fn *holds;
} rules[] = {
	{NL_VERDICT_FAILED, "every figure", is_any, has_failed},
	{NL_VERDICT_CLIENT_CACHED, "reads of a share", is_share_read, is_client_cached},
	{NL_VERDICT_NAS_CACHED, "reads of pool and shares", is_read, is_nas_cached},
	{NL_VERDICT_NOT_COLD, "cold reads", is_cold_read, is_not_cold},
	{NL_VERDICT_NOT_DURABLE, "writes of pool and shares", is_durable_write, is_not_durable},
	{NL_VERDICT_NOT_COMPARABLE, "reads meant to come from a cache, which did not", is_warmed_read, is_not_as_meant},
	{NL_VERDICT_TOO_SHORT, "every figure but the load generator's own", is_no_generator, is_too_short},
	{NL_VERDICT_UNSTEADY, "every figure", is_any, is_unsteady},
	{NL_VERDICT_VALID, "every figure that no other rule holds for", is_any, NULL},
};

#define RULES (sizeof(rules) / sizeof(rules[0]))

bool nl_verdict_rule(unsigned place, enum nl_verdict *verdict, const char **applies)
{
	if (place >= RULES)
		return false;
	*verdict = rules[place].verdict;
	*applies = rules[place].applies_text;
	return true;
}

/* --- what confirmed it, and what should be known besides --- */

static void say_iterations(struct nl_work *work, struct nl_study *study)
{
	struct nl_figure *figure = &study->figure;
	if (figure->iteration_count > 1)
		nl_say(work, &figure->verdict_reasons, "%u iterations, %s apart", figure->iteration_count,
		       nl_show_share(figure->spread).text);
	else
		nl_say(work, &figure->verdict_reasons, "a single iteration: how far others would differ is not known");
}

static void say_confirmed(struct nl_work *work, struct nl_study *study)
{
	struct nl_figure *figure = &study->figure;
	double application = figure->ledger.application;
	say_iterations(work, study);
	if (is_durable_write(study))
		nl_say(work, &figure->verdict_reasons,
		       "the disks had written %s for %s of the application when all was durable",
		       nl_show_bytes(figure->ledger.disks).text, nl_show_bytes(application).text);
	if (is_cold_read(study))
		nl_say(work, &figure->verdict_reasons, "the disks read %s for %s of the application",
		       nl_show_bytes(figure->ledger.disks).text, nl_show_bytes(application).text);
	if (is_share_read(study) && figure->client_cache_share >= 0)
		nl_say(work, &figure->verdict_reasons, "the client's cache served %s",
		       nl_show_share(figure->client_cache_share).text);
	if (is_share_read(study) && figure->client_cache_share < 0)
		nl_say(work, &figure->verdict_reasons,
		       "no interface was watched: what the client's cache served is not known");
}

static void say_besides(struct nl_work *work, struct nl_study *study)
{
	struct nl_figure *figure = &study->figure;
	double limit = figure->ledger.application * nl_rule(NL_RULE_FOREIGN);
	if (figure->failed_count && figure->iteration_count)
		nl_say(work, &figure->verdict_reasons, "%u more failed: %s", figure->failed_count,
		       study->failures.count ? study->failures.text[0] : "");
	if (study->kind == NL_PHASE_SHARE && figure->ledger.client_nic > limit)
		nl_say(work, &figure->verdict_reasons,
		       "other traffic: %s passed the client's interface for %s of the application",
		       nl_show_bytes(figure->ledger.client_nic).text, nl_show_bytes(figure->ledger.application).text);
	if (study->kind == NL_PHASE_SHARE && figure->ledger.nas_nic > limit)
		nl_say(work, &figure->verdict_reasons,
		       "other traffic: %s passed the NAS's interface for %s of the application",
		       nl_show_bytes(figure->ledger.nas_nic).text, nl_show_bytes(figure->ledger.application).text);
}

/*
 * A mount whose reads nobody counted on the way may have been served by the client's memory; a userland engine has no
 * cache there. So the absence of counters is said in the first case by the verdict.
 */
static bool is_blind_mount(const struct nl_work *work, const struct nl_study *study)
{
	const struct nl_campaign_share *share = nl_work_share(work, study->plan);
	return is_share_read(study) && study->figure.iteration_count && study->figure.client_cache_share < 0 &&
	       (!share || share->access != NL_ACCESS_USERLAND);
}

void nl_verdict_decide(struct nl_work *work, struct nl_study *study)
{
	struct nl_figure *figure = &study->figure;
	figure->verdict = NL_VERDICT_VALID;
	for (size_t i = 0; i + 1 < RULES; i++) {
		bool holds = rules[i].applies(study) && rules[i].holds(work, study, &figure->verdict_reasons);
		if (holds && figure->verdict == NL_VERDICT_VALID)
			figure->verdict = rules[i].verdict;
		if (figure->verdict == NL_VERDICT_FAILED)
			return;
	}
	if (figure->verdict == NL_VERDICT_VALID && is_blind_mount(work, study)) {
		figure->verdict = NL_VERDICT_NOT_COMPARABLE;
		nl_say(work, &figure->verdict_reasons,
		       "no interface was watched, so the client's cache may have served this mount");
	} else if (figure->verdict == NL_VERDICT_VALID) {
		say_confirmed(work, study);
	}
	say_besides(work, study);
}
