/*
 * summary: the findings in one paragraph. Numbers and names only, no praise and no blame.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/reconcile/work.h"

static const char *const limited_by[] = {
	[NL_BOTTLENECK_WIRE] = "limited by the wire",
	[NL_BOTTLENECK_DISKS] = "limited by the disks",
	[NL_BOTTLENECK_NAS_CPU] = "limited by the NAS's processors",
	[NL_BOTTLENECK_CLIENT_CPU] = "limited by the client's processors",
	[NL_BOTTLENECK_LOAD_GENERATOR] = "limited by the load generator",
	[NL_BOTTLENECK_CLIENT_CACHE] = "served by the client's own memory",
	[NL_BOTTLENECK_UNKNOWN] = "limited by nothing that was watched",
};

static const struct {
	enum nl_workload workload;
	const char *verb;
} told[] = {
	{NL_WORKLOAD_SEQ_WRITE, "writes durably"},
	{NL_WORKLOAD_SEQ_READ, "reads cold"},
	{NL_WORKLOAD_CACHED_READ, "reads from the NAS's cache"},
	{NL_WORKLOAD_CLIENT_WARM_READ, "reads files that the client had read before"},
};

static void tell_wire(const struct nl_work *work, FILE *out)
{
	const struct nl_study *to = nl_study_best(work, NL_LAYER_LINE, NL_DIRECTION_TO_NAS, -1);
	const struct nl_study *from = nl_study_best(work, NL_LAYER_LINE, NL_DIRECTION_FROM_NAS, -1);
	const struct nl_link *link = &work->model->link;
	if (to || from) {
		fputs("TCP alone carries ", out);
		if (to)
			fprintf(out, "%s to the NAS", nl_show_rate(to->figure.bytes_per_second).text);
		if (from)
			fprintf(out, "%s%s from it", to ? " and " : "",
				nl_show_rate(from->figure.bytes_per_second).text);
	} else if (link->goodput_bytes_per_second > 0) {
		fputs("The wire was not measured", out);
	} else {
		return;
	}
	if (link->goodput_bytes_per_second > 0)
		fprintf(out, "; the link allows %s (%s)", nl_show_rate(link->goodput_bytes_per_second).text,
			link->explanation);
	fputs(". ", out);
}

/* Of several numbers of streams the one that may be quoted is told, and of those the fastest. */
static const struct nl_study *best_of(const struct nl_work *work, enum nl_phase_kind kind, const char *share,
				      enum nl_workload workload)
{
	const struct nl_study *best = NULL;
	for (size_t i = 0; i < work->study_count; i++) {
		const struct nl_study *study = &work->studies[i];
		if (study->kind != kind || study->figure.workload != workload || strcmp(study->figure.share, share) ||
		    study->figure.iteration_count == 0)
			continue;
		bool quotable = nl_verdict_quotable(study->figure.verdict);
		bool best_quotable = best && nl_verdict_quotable(best->figure.verdict);
		if (!best || (quotable && !best_quotable) ||
		    (quotable == best_quotable && study->figure.bytes_per_second > best->figure.bytes_per_second))
			best = study;
	}
	return best;
}

static void tell_kind(const struct nl_work *work, enum nl_phase_kind kind, const char *share, const char *subject,
		      FILE *out)
{
	const char *separator = "";
	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		const struct nl_study *study = best_of(work, kind, share, told[i].workload);
		if (!study)
			continue;
		const struct nl_figure *figure = &study->figure;
		fprintf(out, "%s %s at %s with %u stream%s, %s", separator[0] ? separator : subject, told[i].verb,
			nl_show_rate(figure->bytes_per_second).text, figure->streams, figure->streams == 1 ? "" : "s",
			limited_by[figure->bottleneck]);
		if (!nl_verdict_quotable(figure->verdict))
			fprintf(out, " (%s)", nl_verdict_name(figure->verdict));
		separator = "; it";
	}
	if (separator[0])
		fputs(". ", out);
}

static void tell_paths(const struct nl_work *work, FILE *out)
{
	for (unsigned i = 0; i < work->campaign.share_count; i++) {
		char subject[96];
		snprintf(subject, sizeof(subject), "A client of share %s", work->campaign.shares[i].name);
		tell_kind(work, NL_PHASE_SHARE, work->campaign.shares[i].name, subject, out);
	}
}

static void tell_comparisons(const struct nl_work *work, FILE *out)
{
	unsigned differing = 0;
	const struct nl_comparison *first = NULL;
	for (size_t i = 0; i < work->model->comparison_count; i++) {
		const struct nl_comparison *comparison = &work->model->comparisons[i];
		if (comparison->verdict != NL_VERDICT_SETTINGS_DIFFER)
			continue;
		first = first ? first : comparison;
		differing++;
	}
	if (differing)
		fprintf(out,
			"%u of %zu comparisons measure%s a difference of settings, the first of them %s (%s against "
			"%s). ",
			differing, work->model->comparison_count, differing == 1 ? "s" : "", first->differences.text[0],
			first->a, first->b);
}

static void tell_verdicts(const struct nl_work *work, FILE *out)
{
	unsigned counts[NL_VERDICT_COUNT] = {0}, all = 0, bad = 0;
	const char *separator = ": ";
	for (size_t i = 0; i < work->study_count; i++) {
		counts[work->studies[i].figure.verdict]++;
		all++;
		bad += !nl_verdict_quotable(work->studies[i].figure.verdict);
	}
	if (all == 0) {
		fputs("Nothing was measured. ", out);
		return;
	}
	if (bad == 0) {
		fprintf(out, "All %u figures may be quoted. ", all);
		return;
	}
	fprintf(out, "%u of %u figures may not be quoted", bad, all);
	for (size_t i = 0; i < NL_VERDICT_COUNT; i++) {
		if (counts[i] == 0 || nl_verdict_quotable((enum nl_verdict)i))
			continue;
		fprintf(out, "%s%u %s", separator, counts[i], nl_verdict_name((enum nl_verdict)i));
		separator = ", ";
	}
	fputs(". ", out);
}

static void tell_state(const struct nl_work *work, FILE *out)
{
	static const char *const states[] = {
		[NL_RUN_RUNNING] = "The run has not ended. ",
		[NL_RUN_DONE] = "",
		[NL_RUN_FAILED] = "The run failed; what was measured before is shown. ",
		[NL_RUN_INTERRUPTED] = "The run was interrupted; what was measured before is shown. ",
	};
	fputs(states[work->model->run.state], out);
}

void nl_summary_make(struct nl_work *work)
{
	size_t len;
	FILE *out = open_memstream(&work->model->summary, &len);
	if (!out) {
		work->no_memory = true;
		return;
	}
	tell_state(work, out);
	tell_paths(work, out);
	tell_kind(work, NL_PHASE_POOL, "", "On the NAS itself the pool", out);
	tell_wire(work, out);
	tell_comparisons(work, out);
	tell_verdicts(work, out);
	if (fclose(out) != 0) {
		work->no_memory = true;
		return;
	}
	while (len && work->model->summary[len - 1] == ' ')
		work->model->summary[--len] = '\0';
}
