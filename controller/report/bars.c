/*
 * bars: groups, labels and the scale.
 *
 * The scale is chosen for the wire and the figures that may be quoted. A figure from a cache can be fifty times as
 * large; it must not squeeze the rest into a corner, so it runs over the end.
 */
#include "controller/report/bars.h"

#include <math.h>
#include <string.h>

#include "controller/report/document.h"
#include "controller/report/shown.h"

struct group_rule {
	const char *title;
	bool wire, generator; /* otherwise by workload */
	enum nl_workload workload;
};

static const struct group_rule group_rules[] = {
	{"Wire, no storage", true, false, NL_WORKLOAD_COUNT},
	{"Write, durable on the NAS", false, false, NL_WORKLOAD_SEQ_WRITE},
	{"Read, cold", false, false, NL_WORKLOAD_SEQ_READ},
	{"Read, from the NAS's cache", false, false, NL_WORKLOAD_CACHED_READ},
	{"Read, from the client's cache", false, false, NL_WORKLOAD_CLIENT_WARM_READ},
	{"Load generator, no I/O", false, true, NL_WORKLOAD_COUNT},
};
#define GROUP_COUNT (sizeof group_rules / sizeof group_rules[0])

/* The figures of a model in their order: ceilings, then paths. */
static const struct nl_figure *figure_at(const struct nl_model *model, size_t i)
{
	return i < model->ceiling_count ? &model->ceilings[i] : &model->paths[i - model->ceiling_count];
}

static bool belongs(const struct group_rule *rule, const struct nl_figure *figure)
{
	if (figure->layer == NL_LAYER_LINE || figure->layer == NL_LAYER_GENERATOR)
		return figure->layer == NL_LAYER_LINE ? rule->wire : rule->generator;
	return !rule->wire && !rule->generator && rule->workload == figure->workload;
}

static double value_of(const struct nl_figure *figure)
{
	return nl_shown_has_rate(figure) ? figure->bytes_per_second : 0;
}

/* Whether the pool's figure is what it is meant to be. A cached read that the cache served is. */
static bool pool_holds(const struct nl_figure *figure)
{
	return nl_verdict_quotable(figure->verdict) ||
	       (figure->workload == NL_WORKLOAD_CACHED_READ && figure->verdict == NL_VERDICT_NAS_CACHED);
}

static double pool_rate(const struct nl_model *model, const struct group_rule *rule)
{
	double best = 0;
	for (size_t i = 0; i < model->ceiling_count; i++) {
		const struct nl_figure *figure = &model->ceilings[i];
		if (figure->layer == NL_LAYER_POOL && belongs(rule, figure) && pool_holds(figure))
			best = fmax(best, value_of(figure));
	}
	return best;
}

static double known_line(const struct nl_model *model)
{
	double line = model->link.goodput_bytes_per_second;
	return isfinite(line) && line > 0 ? line : 0;
}

static double choose_scale(const struct nl_model *model)
{
	double base = known_line(model), largest = base;
	size_t count = model->ceiling_count + model->path_count;
	for (size_t i = 0; i < count; i++) {
		const struct nl_figure *figure = figure_at(model, i);
		bool path = figure->layer == NL_LAYER_NFS || figure->layer == NL_LAYER_SMB;
		if (figure->layer == NL_LAYER_LINE || (path && nl_verdict_quotable(figure->verdict)))
			base = fmax(base, value_of(figure));
	}
	for (size_t i = 0; i < count; i++) {
		double value = value_of(figure_at(model, i));
		if (base <= 0 || value <= 2 * base)
			largest = fmax(largest, value);
	}
	largest = fmax(largest, base);
	return largest > 0 ? largest * 1.02 : 1;
}

static bool several_agents(const struct nl_figure *figures, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (strcmp(figures[i].agent, figures[0].agent) != 0)
			return true;
	return false;
}

/* "media (smb) from pve1, 4 streams": only what tells this bar from its neighbours. */
static const char *label_of(struct nl_document *document, const struct nl_model *model, const struct nl_figure *figure)
{
	const char *plural = figure->streams == 1 ? "" : "s";
	bool several = several_agents(model->paths, model->path_count);
	switch (figure->layer) {
	case NL_LAYER_LINE:
		return nl_document_text(document, "%s%s%s, %u stream%s",
					figure->direction == NL_DIRECTION_TO_NAS ? "to NAS" : "from NAS",
					several ? ", " : "", several ? figure->agent : "", figure->streams, plural);
	case NL_LAYER_POOL:
		return nl_document_text(document, "pool, %u stream%s", figure->streams, plural);
	case NL_LAYER_GENERATOR:
		return nl_document_text(document, "%s %s, %u stream%s", figure->agent,
					nl_direction_name(figure->direction), figure->streams, plural);
	default:
		break;
	}
	const char *layer = nl_layer_name(figure->layer);
	const char *name = figure->share;
	if (!figure->share[0] || strcmp(figure->share, layer) == 0)
		name = layer;
	else if (!strstr(figure->share, layer))
		name = nl_document_text(document, "%s (%s)", figure->share, layer);
	return nl_document_text(document, "%s%s%s, %u stream%s", name, several ? " from " : "",
				several ? figure->agent : "", figure->streams, plural);
}

static void fill_bar(struct nl_document *document, const struct nl_model *model, const struct nl_figure *figure,
		     struct nl_bar *bar)
{
	char rate[NL_SHOWN_SIZE];
	bar->figure = figure;
	bar->value = value_of(figure);
	bar->label = nl_document_name(document, label_of(document, model, figure));
	bar->rate = nl_document_text(document, "%s", nl_shown_mbps(figure->bytes_per_second, rate, sizeof rate));
	bar->verdict = nl_verdict_quotable(figure->verdict) ? NULL : nl_verdict_name(figure->verdict);
}

static bool fill_group(struct nl_document *document, const struct nl_model *model, const struct group_rule *rule,
		       struct nl_bar_group *group)
{
	char rate[NL_SHOWN_SIZE];
	size_t count = model->ceiling_count + model->path_count;
	group->title = rule->title;
	group->bars = nl_document_alloc(document, count * sizeof *group->bars);
	if (!group->bars)
		return false;
	group->pool = pool_rate(model, rule);
	group->pool_rate = nl_document_text(document, "%s", nl_shown_mbps(group->pool, rate, sizeof rate));
	for (size_t i = 0; i < count; i++)
		if (belongs(rule, figure_at(model, i)))
			fill_bar(document, model, figure_at(model, i), &group->bars[group->count++]);
	return group->count > 0;
}

struct nl_bars *nl_bars_build(struct nl_document *document, const struct nl_model *model)
{
	char rate[NL_SHOWN_SIZE];
	if (model->ceiling_count + model->path_count == 0)
		return NULL;
	struct nl_bars *bars = nl_document_alloc(document, sizeof *bars);
	if (!bars)
		return NULL;
	bars->groups = nl_document_alloc(document, GROUP_COUNT * sizeof *bars->groups);
	if (!bars->groups)
		return NULL;
	bars->line = known_line(model);
	bars->scale = choose_scale(model);
	bars->line_rate = nl_document_text(document, "%s", nl_shown_mbps(bars->line, rate, sizeof rate));
	bars->scale_rate = nl_document_text(document, "%s", nl_shown_mbps(bars->scale, rate, sizeof rate));
	for (size_t i = 0; i < GROUP_COUNT; i++)
		if (fill_group(document, model, &group_rules[i], &bars->groups[bars->group_count]))
			bars->group_count++;
	return bars->group_count ? bars : NULL;
}
