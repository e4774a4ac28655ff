/*
 * tables: the report's tables of settings, ceilings, paths, bytes, limits and comparisons.
 */
#include "controller/report/sections.h"

#include <math.h>
#include <string.h>

#include "controller/report/shown.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Formats with one of shown.h's functions and keeps the text. */
#define SHOW(document, formatter, value)                                                                               \
	nl_document_text(document, "%s", formatter(value, (char[NL_SHOWN_SIZE]){0}, NL_SHOWN_SIZE))

static const char *keep(struct nl_document *document, const char *text)
{
	return nl_document_name(document, text);
}

static const char *lines(struct nl_document *document, const struct nl_texts *texts)
{
	return nl_document_join(document, texts->text, texts->count, "\n");
}

static bool marked(const struct nl_figure *figure)
{
	return !nl_verdict_quotable(figure->verdict);
}

/* A figure that was not measured is limited by nothing. */
static const char *limit_of(const struct nl_figure *figure)
{
	return nl_shown_has_rate(figure) ? nl_bottleneck_name(figure->bottleneck) : NL_NOT_KNOWN;
}

void nl_section_settings(struct nl_document *document, const struct nl_model *model)
{
	static const struct nl_column columns[] = {{"Layer", NL_COLUMN_TEXT, 0},
						   {"Setting", NL_COLUMN_TEXT, 0},
						   {"NAS", NL_COLUMN_ELASTIC, 0},
						   {"Client", NL_COLUMN_ELASTIC, 0}};
	if (!model->setting_count)
		return;
	nl_document_heading(document, "Hardware and settings", "settings");
	struct nl_table *table =
		nl_document_add_table(document, "Hardware and settings of both ends", columns, COUNT(columns));
	for (size_t i = 0; i < model->setting_count; i++) {
		const struct nl_setting *setting = &model->settings[i];
		bool same = i > 0 && strcmp(setting->layer, model->settings[i - 1].layer) == 0;
		const char *cells[] = {same ? "" : keep(document, setting->layer), keep(document, setting->key),
				       keep(document, setting->nas), keep(document, setting->client)};
		nl_table_add(document, table, false, cells);
	}
}

/* "Intervals: range of 2 iterations; bootstrap." Each method once. */
static void note_intervals(struct nl_document *document, const struct nl_figure *figures, size_t count)
{
	const char *text = "";
	for (size_t i = 0; i < count; i++) {
		bool seen = !figures[i].interval_method[0];
		for (size_t j = 0; j < i && !seen; j++)
			seen = strcmp(figures[i].interval_method, figures[j].interval_method) == 0;
		if (!seen)
			text = nl_document_text(document, "%s%s%s", text, text[0] ? "; " : "",
						figures[i].interval_method);
	}
	if (text[0])
		nl_document_add_text(document, NL_BLOCK_NOTE, nl_document_text(document, "Interval: %s.", text));
}

static void add_arithmetic(struct nl_document *document, const struct nl_model *model, struct nl_table *table)
{
	const struct nl_link *link = &model->link;
	if (!(isfinite(link->goodput_bytes_per_second) && link->goodput_bytes_per_second > 0))
		return;
	const char *speed = SHOW(document, nl_shown_wire, link->speed_bps);
	const char *cells[] = {nl_document_text(document, "line by arithmetic, %s, MTU %u", speed, link->mtu),
			       SHOW(document, nl_shown_mbps, link->goodput_bytes_per_second),
			       SHOW(document, nl_shown_mibps, link->goodput_bytes_per_second),
			       "",
			       "",
			       "",
			       "",
			       "computed"};
	nl_table_add(document, table, false, cells);
}

void nl_section_ceilings(struct nl_document *document, const struct nl_model *model)
{
	static const struct nl_column columns[] = {
		{"Ceiling", NL_COLUMN_TEXT, 0},    {"MB/s", NL_COLUMN_NUMBER, 0},     {"MiB/s", NL_COLUMN_NUMBER, 7},
		{"Interval", NL_COLUMN_NUMBER, 1}, {"Runs", NL_COLUMN_NUMBER, 2},     {"Spread", NL_COLUMN_NUMBER, 3},
		{"Resent", NL_COLUMN_NUMBER, 4},   {"Verdict", NL_COLUMN_VERDICT, 0},
	};
	if (!model->ceiling_count)
		return;
	nl_document_heading(document, "Ceilings", "ceilings");
	struct nl_table *table =
		nl_document_add_table(document, "What each layer can do alone", columns, COUNT(columns));
	add_arithmetic(document, model, table);
	for (size_t i = 0; i < model->ceiling_count; i++) {
		const struct nl_figure *figure = &model->ceilings[i];
		const char *cells[] = {
			keep(document, figure->name),
			SHOW(document, nl_shown_mbps, figure->bytes_per_second),
			SHOW(document, nl_shown_mibps, figure->bytes_per_second),
			SHOW(document, nl_shown_interval, figure),
			SHOW(document, nl_shown_runs, figure),
			SHOW(document, nl_shown_share, figure->spread),
			figure->layer == NL_LAYER_LINE ? SHOW(document, nl_shown_count, figure->retransmits) : "",
			nl_verdict_name(figure->verdict)};
		nl_table_add(document, table, marked(figure), cells);
	}
	note_intervals(document, model->ceilings, model->ceiling_count);
}

void nl_section_paths(struct nl_document *document, const struct nl_model *model)
{
	static const struct nl_column columns[] = {
		{"Path", NL_COLUMN_TEXT, 0},          {"MB/s", NL_COLUMN_NUMBER, 0},
		{"MiB/s", NL_COLUMN_NUMBER, 7},       {"Interval", NL_COLUMN_NUMBER, 1},
		{"Runs", NL_COLUMN_NUMBER, 2},        {"Spread", NL_COLUMN_NUMBER, 3},
		{"p50", NL_COLUMN_NUMBER, 6},         {"p99", NL_COLUMN_NUMBER, 4},
		{"p99.9", NL_COLUMN_NUMBER, 6},       {"NAS core", NL_COLUMN_NUMBER, 5},
		{"Client core", NL_COLUMN_NUMBER, 5}, {"Limited by", NL_COLUMN_TEXT, 0},
		{"Verdict", NL_COLUMN_VERDICT, 0},
	};
	if (!model->path_count)
		return;
	nl_document_heading(document, "Paths", "paths");
	struct nl_table *table =
		nl_document_add_table(document, "What a client gets, by share and work", columns, COUNT(columns));
	for (size_t i = 0; i < model->path_count; i++) {
		const struct nl_figure *figure = &model->paths[i];
		const char *cells[] = {keep(document, figure->name),
				       SHOW(document, nl_shown_mbps, figure->bytes_per_second),
				       SHOW(document, nl_shown_mibps, figure->bytes_per_second),
				       SHOW(document, nl_shown_interval, figure),
				       SHOW(document, nl_shown_runs, figure),
				       SHOW(document, nl_shown_share, figure->spread),
				       SHOW(document, nl_shown_latency, figure->latency_p50_ns),
				       SHOW(document, nl_shown_latency, figure->latency_p99_ns),
				       SHOW(document, nl_shown_latency, figure->latency_p999_ns),
				       SHOW(document, nl_shown_share, figure->nas_cpu),
				       SHOW(document, nl_shown_share, figure->client_cpu),
				       limit_of(figure),
				       nl_verdict_name(figure->verdict)};
		nl_table_add(document, table, marked(figure), cells);
	}
	note_intervals(document, model->paths, model->path_count);
}

static bool has_ledger(const struct nl_figure *figure)
{
	const struct nl_ledger *ledger = &figure->ledger;
	return ledger->application > 0 || ledger->client_nic > 0 || ledger->nas_nic > 0 || ledger->disks > 0;
}

static void add_ledger(struct nl_document *document, struct nl_table *table, const struct nl_figure *figures,
		       size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct nl_figure *figure = &figures[i];
		if (!has_ledger(figure))
			continue;
		const char *cells[] = {keep(document, figure->name),
				       SHOW(document, nl_shown_bytes, figure->ledger.application),
				       SHOW(document, nl_shown_bytes, figure->ledger.client_nic),
				       SHOW(document, nl_shown_bytes, figure->ledger.nas_nic),
				       SHOW(document, nl_shown_bytes, figure->ledger.disks),
				       SHOW(document, nl_shown_share, figure->client_cache_share),
				       SHOW(document, nl_shown_share, figure->nas_cache_share)};
		nl_table_add(document, table, marked(figure), cells);
	}
}

void nl_section_ledger(struct nl_document *document, const struct nl_model *model)
{
	static const struct nl_column columns[] = {
		{"Figure", NL_COLUMN_TEXT, 0},       {"Program", NL_COLUMN_NUMBER, 0},
		{"Client NIC", NL_COLUMN_NUMBER, 0}, {"NAS NIC", NL_COLUMN_NUMBER, 0},
		{"Disks", NL_COLUMN_NUMBER, 0},      {"Client cache", NL_COLUMN_NUMBER, 2},
		{"NAS cache", NL_COLUMN_NUMBER, 1},
	};
	bool any = false;
	for (size_t i = 0; i < model->ceiling_count; i++)
		any = any || has_ledger(&model->ceilings[i]);
	for (size_t i = 0; i < model->path_count; i++)
		any = any || has_ledger(&model->paths[i]);
	if (!any)
		return;
	nl_document_heading(document, "Byte ledger", "ledger");
	struct nl_table *table =
		nl_document_add_table(document, "Bytes that passed each layer, and the share that each cache served",
				      columns, COUNT(columns));
	add_ledger(document, table, model->ceilings, model->ceiling_count);
	add_ledger(document, table, model->paths, model->path_count);
	nl_document_add_text(
		document, NL_BLOCK_NOTE,
		"Sums over the good iterations. NICs count frames with their headers, disks what their "
		"counters say; the cache columns are the share of the program's bytes that a cache served.");
}

void nl_section_limits(struct nl_document *document, const struct nl_model *model)
{
	static const struct nl_column columns[] = {{"Path", NL_COLUMN_TEXT, 0},
						   {"MB/s", NL_COLUMN_NUMBER, 0},
						   {"Limited by", NL_COLUMN_TEXT, 0},
						   {"Evidence", NL_COLUMN_ELASTIC, 0}};
	if (!model->path_count)
		return;
	nl_document_heading(document, "What limits each path", "limits");
	struct nl_table *table =
		nl_document_add_table(document, "What limits each path, and what says so", columns, COUNT(columns));
	for (size_t i = 0; i < model->path_count; i++) {
		const struct nl_figure *figure = &model->paths[i];
		const char *cells[] = {keep(document, figure->name),
				       SHOW(document, nl_shown_mbps, figure->bytes_per_second), limit_of(figure),
				       lines(document, &figure->evidence)};
		nl_table_add(document, table, marked(figure), cells);
	}
}

static const char *finding(struct nl_document *document, const struct nl_comparison *comparison)
{
	const char *differences = lines(document, &comparison->differences);
	const char *sentence = keep(document, comparison->sentence);
	return nl_document_text(document, "%s%s%s%s", sentence, sentence[0] && differences[0] ? "\n" : "",
				differences[0] ? "differs in " : "",
				nl_document_join(document, comparison->differences.text, comparison->differences.count,
						 "\ndiffers in "));
}

void nl_section_comparisons(struct nl_document *document, const struct nl_model *model)
{
	static const struct nl_column columns[] = {{"A, B", NL_COLUMN_TEXT, 0},
						   {"B/A", NL_COLUMN_NUMBER, 0},
						   {"Finding", NL_COLUMN_ELASTIC, 0},
						   {"Verdict", NL_COLUMN_VERDICT, 0}};
	if (!model->comparison_count)
		return;
	nl_document_heading(document, "Comparisons", "comparisons");
	struct nl_table *table =
		nl_document_add_table(document, "Paths that differ in the share only", columns, COUNT(columns));
	for (size_t i = 0; i < model->comparison_count; i++) {
		const struct nl_comparison *comparison = &model->comparisons[i];
		bool known = isfinite(comparison->ratio) && comparison->ratio > 0;
		const char *cells[] = {nl_document_text(document, "%s\n%s", keep(document, comparison->a),
							keep(document, comparison->b)),
				       known ? nl_document_text(document, "%.2f", comparison->ratio) : NL_NOT_KNOWN,
				       finding(document, comparison), nl_verdict_name(comparison->verdict)};
		nl_table_add(document, table, !nl_verdict_quotable(comparison->verdict), cells);
	}
}

static void add_unquotable(struct nl_document *document, struct nl_table *table, const struct nl_figure *figures,
			   size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct nl_figure *figure = &figures[i];
		if (!marked(figure))
			continue;
		const char *why = lines(document, &figure->verdict_reasons);
		const char *cells[] = {
			keep(document, figure->name), SHOW(document, nl_shown_mbps, figure->bytes_per_second),
			nl_verdict_name(figure->verdict), why[0] ? why : nl_verdict_meaning(figure->verdict)};
		nl_table_add(document, table, true, cells);
	}
}

/* What each verdict means that some figure of the run has. */
static void list_meanings(struct nl_document *document, const struct nl_model *model)
{
	bool seen[NL_VERDICT_COUNT] = {false};
	for (size_t i = 0; i < model->ceiling_count; i++)
		seen[model->ceilings[i].verdict] = true;
	for (size_t i = 0; i < model->path_count; i++)
		seen[model->paths[i].verdict] = true;
	const char **items = nl_document_alloc(document, NL_VERDICT_COUNT * sizeof *items);
	size_t count = 0;
	for (int i = 0; items && i < NL_VERDICT_COUNT; i++)
		if (seen[i] && !nl_verdict_quotable((enum nl_verdict)i))
			items[count++] = nl_document_text(document, "%s: %s.", nl_verdict_name((enum nl_verdict)i),
							  nl_verdict_meaning((enum nl_verdict)i));
	if (count)
		nl_document_add_list(document, items, count);
}

void nl_section_unquotable(struct nl_document *document, const struct nl_model *model)
{
	static const struct nl_column columns[] = {{"Figure", NL_COLUMN_TEXT, 0},
						   {"MB/s", NL_COLUMN_NUMBER, 0},
						   {"Verdict", NL_COLUMN_VERDICT, 0},
						   {"Why", NL_COLUMN_ELASTIC, 0}};
	bool any = false;
	for (size_t i = 0; i < model->ceiling_count; i++)
		any = any || marked(&model->ceilings[i]);
	for (size_t i = 0; i < model->path_count; i++)
		any = any || marked(&model->paths[i]);
	if (model->ceiling_count + model->path_count == 0)
		return;
	nl_document_heading(document, "Not to be quoted", "not-quoted");
	if (!any) {
		nl_document_add_text(document, NL_BLOCK_PARAGRAPH, "Every figure of this run may be quoted.");
		return;
	}
	struct nl_table *table =
		nl_document_add_table(document, "Figures that must not be quoted, and why", columns, COUNT(columns));
	add_unquotable(document, table, model->ceilings, model->ceiling_count);
	add_unquotable(document, table, model->paths, model->path_count);
	list_meanings(document, model);
}
