/*
 * sections: the report from its first line to its last. The tables of figures are in tables.c.
 */
#include "controller/report/sections.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/time.h"
#include "base/units.h"
#include "controller/report/shown.h"

static const char *or_default(const char *text, const char *otherwise)
{
	return text && text[0] ? text : otherwise;
}

static const char *wall_minutes(int64_t ns, char *buf, size_t size)
{
	nl_wall_text(ns, buf, size);
	if (strlen(buf) == strlen("2026-11-30T18:39:24Z")) {
		buf[10] = ' ';
		buf[16] = '\0';
	}
	return buf;
}

static const char *alarm_of(struct nl_document *document, const struct nl_store_run *run, bool empty)
{
	static const char *const states[] = {[NL_RUN_RUNNING] = "is still running",
					     [NL_RUN_DONE] = "is done",
					     [NL_RUN_FAILED] = "failed",
					     [NL_RUN_INTERRUPTED] = "was interrupted"};
	const char *state = (size_t)run->state < sizeof states / sizeof states[0] ? states[run->state] : "has no state";
	const char *rest = empty ? "" : "; what follows was measured before";
	return nl_document_text(document, "This run %s%s.%s%s", state, rest, run->message[0] ? " " : "", run->message);
}

static void build_head(struct nl_document *document, const struct nl_model *model)
{
	const struct nl_store_run *run = &model->run;
	char started[32] = "", took[32] = "";
	document->title = nl_document_name(document, or_default(run->title, "nasline report"));
	if (run->started_ns > 0)
		wall_minutes(run->started_ns, started, sizeof started);
	if (run->started_ns > 0 && run->ended_ns > run->started_ns)
		nl_units_clock(run->ended_ns - run->started_ns, took, sizeof took);
	const char *meta =
		nl_document_text(document, "run %s%s%s%s%s%s, %s%s%s", or_default(run->id, "without an id"),
				 started[0] ? ", " : "", started, started[0] ? " UTC" : "", took[0] ? ", took " : "",
				 took, nl_shown_state(run->state), run->version[0] ? ", nasline " : "", run->version);
	document->meta = nl_document_name(document, meta);
	bool empty = model->ceiling_count + model->path_count == 0;
	if (run->state != NL_RUN_DONE)
		document->alarm = nl_document_name(document, alarm_of(document, run, empty));
	document->summary = nl_document_text(
		document, "%s",
		or_default(model->summary, empty ? "No figure was measured in this run."
						 : "No summary could be made of this run; the figures are below."));
}

/* What the line rate is made of, in brackets; "" when nothing is known. */
static const char *link_words(struct nl_document *document, const struct nl_model *model)
{
	char speed[NL_SHOWN_SIZE];
	const struct nl_link *link = &model->link;
	if (link->explanation[0])
		return nl_document_text(document, " (%s)", link->explanation);
	if (!(isfinite(link->speed_bps) && link->speed_bps > 0))
		return "";
	return nl_document_text(document, " (%s, MTU %u)", nl_shown_wire(link->speed_bps, speed, sizeof speed),
				link->mtu);
}

static void section_bars(struct nl_document *document, const struct nl_model *model)
{
	struct nl_bars *bars = nl_bars_build(document, model);
	if (!bars)
		return;
	bool pool = false;
	for (size_t i = 0; i < bars->group_count; i++)
		pool = pool || bars->groups[i].pool > 0;
	const char *line = "L: the line rate is not known.";
	if (bars->line > 0)
		line = nl_document_text(document, "L: line rate by arithmetic, %s MB/s%s.", bars->line_rate,
					link_words(document, model));
	nl_document_heading(document, "Rates in MB/s", "rates");
	nl_document_add_bars(document, bars);
	nl_document_add_text(document, NL_BLOCK_NOTE,
			     nl_document_text(document, "%s%s", line,
					      pool ? " P: what the pool does locally for the same work." : ""));
}

static void section_charts(struct nl_document *document, const struct nl_model *model)
{
	if (!model->chart_count)
		return;
	nl_document_heading(document, "Over time", "time");
	nl_document_add_text(document, NL_BLOCK_CHARTS, "");
}

static void section_texts(struct nl_document *document, const struct nl_texts *texts, const char *heading,
			  const char *anchor)
{
	size_t count = 0;
	const char **items = texts->count ? nl_document_alloc(document, texts->count * sizeof *items) : NULL;
	for (size_t i = 0; items && i < texts->count; i++)
		if (texts->text[i])
			items[count++] = nl_document_text(document, "%s", texts->text[i]);
	if (!count)
		return;
	nl_document_heading(document, heading, anchor);
	nl_document_add_list(document, items, count);
}

static void section_events(struct nl_document *document, const struct nl_model *model)
{
	static const struct nl_column columns[] = {
		{"After", NL_COLUMN_NUMBER, 0}, {"Kind", NL_COLUMN_TEXT, 0}, {"Event", NL_COLUMN_ELASTIC, 0}};
	if (!model->event_count)
		return;
	nl_document_heading(document, "Events", "events");
	struct nl_table *table = nl_document_add_table(document, "What happened during the run", columns, 3);
	for (size_t i = 0; i < model->event_count; i++) {
		const struct nl_store_event *event = &model->events[i];
		char after[32];
		nl_units_clock(event->at_ns - model->run.started_ns, after, sizeof after);
		const char *cells[] = {nl_document_text(document, "%s", after),
				       nl_document_text(document, "%s", event->severity),
				       nl_document_text(document, "%s", event->text)};
		nl_table_add(document, table, false, cells);
	}
}

static void section_reproduction(struct nl_document *document, const struct nl_model *model)
{
	const char *commands = nl_document_join(document, model->reproduction.text, model->reproduction.count, "\n");
	bool campaign = model->campaign_yaml && model->campaign_yaml[0];
	if (!commands[0] && !campaign)
		return;
	nl_document_heading(document, "How to reproduce", "reproduce");
	if (commands[0])
		nl_document_add_text(document, NL_BLOCK_CODE, commands);
	if (!campaign)
		return;
	nl_document_add_file(document, "The campaign as it was run, its preset filled in:",
			     nl_document_text(document, "%s", model->campaign_yaml));
}

static void section_method(struct nl_document *document, const struct nl_model *model)
{
	char error[NL_SHOWN_SIZE] = "";
	bool clocks = isfinite(model->clock_error_ns) && model->clock_error_ns > 0 && model->clock_error_ns < 1e18;
	if (clocks)
		nl_units_ns((int64_t)model->clock_error_ns, error, sizeof error);
	nl_document_heading(document, "How to read this", "method");
	nl_document_add_text(
		document, NL_BLOCK_PARAGRAPH,
		nl_document_text(
			document,
			"MB/s are 10^6 bytes per second of file or payload data; Gbit/s are 10^9 bits per second. A "
			"rate is the median of its iterations, reads and the line over their measured window, writes "
			"from their start until all was durable on the NAS. %s stands for "
			"not known.%s%s%s",
			NL_NOT_KNOWN, clocks ? " The clocks of all agents agree within ±" : "", error,
			clocks ? "." : ""));
}

int nl_document_build(const struct nl_model *model, struct nl_document *document, struct nl_error *err)
{
	*document = (struct nl_document){0};
	build_head(document, model);
	section_bars(document, model);
	section_charts(document, model);
	nl_section_settings(document, model);
	nl_section_ceilings(document, model);
	nl_section_paths(document, model);
	nl_section_ledger(document, model);
	nl_section_limits(document, model);
	nl_section_comparisons(document, model);
	nl_section_unquotable(document, model);
	section_texts(document, &model->warnings, "Warnings", "warnings");
	section_events(document, model);
	section_reproduction(document, model);
	section_method(document, model);
	if (!document->failed)
		return 0;
	nl_error_set(err, NL_E_SYSTEM, "build the report");
	nl_error_why(err, "memory is short");
	return NL_E_SYSTEM;
}
