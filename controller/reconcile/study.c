/*
 * study: gathers the phases of each figure and makes its numbers: median, interval, spread, ledger, shares, latencies.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/reconcile/work.h"
#include "controller/stats/stats.h"
#include "proto/histogram.h"

#define LEVEL          0.95
#define ITERATIONS_MAX 256
#define NAS_SENT_MINIMUM                                                                                               \
	0.01 /* of the application's bytes: below, what share of it the disks delivered means nothing */

void nl_study_fini(struct nl_study *study)
{
	free(study->measure);
	free(study->figure.iterations);
	nl_texts_fini(&study->figure.verdict_reasons);
	nl_texts_fini(&study->figure.evidence);
	nl_texts_fini(&study->failures);
}

static bool is_measured(const struct nl_phase *phase)
{
	return phase->kind == NL_PHASE_LINE || phase->kind == NL_PHASE_POOL || phase->kind == NL_PHASE_SHARE ||
	       phase->kind == NL_PHASE_SELF_LOAD;
}

static struct nl_study *study_of(struct nl_work *work, const struct nl_phase *phase)
{
	for (size_t i = 0; i < work->study_count; i++)
		if (work->studies[i].kind == phase->kind && !strcmp(work->studies[i].figure.name, phase->figure))
			return &work->studies[i];
	struct nl_study *study =
		nl_work_append(work, (void **)&work->studies, &work->study_count, sizeof(*work->studies));
	if (!study)
		return NULL;
	const struct nl_campaign_share *share = nl_work_share(work, phase);
	struct nl_figure *figure = &study->figure;
	study->kind = phase->kind;
	study->plan = phase;
	memcpy(figure->name, phase->figure, sizeof(figure->name));
	figure->layer = phase->layer;
	figure->direction = phase->direction;
	figure->workload = phase->workload;
	figure->streams = phase->streams;
	figure->bottleneck = NL_BOTTLENECK_UNKNOWN;
	snprintf(figure->agent, sizeof(figure->agent), "%s", nl_work_client(work, phase));
	if (phase->kind == NL_PHASE_SHARE && share)
		snprintf(figure->share, sizeof(figure->share), "%s", share->name);
	return study;
}

static void keep_measure(struct nl_work *work, struct nl_study *study, const struct nl_measure *measure)
{
	struct nl_figure *figure = &study->figure;
	size_t count = figure->iteration_count, iterations = count;
	struct nl_measure *kept = nl_work_append(work, (void **)&study->measure, &count, sizeof(*kept));
	struct nl_iteration *iteration =
		kept ? nl_work_append(work, (void **)&figure->iterations, &iterations, sizeof(*iteration)) : NULL;
	if (!iteration)
		return;
	*kept = *measure;
	*iteration = (struct nl_iteration){.phase = measure->phase,
					   .bytes_per_second = measure->bytes_per_second,
					   .start_ns = measure->window_start_ns,
					   .end_ns = measure->window_end_ns,
					   .ledger = measure->ledger,
					   .variation = measure->variation};
	figure->iteration_count++;
	if (!figure->agent[0])
		snprintf(figure->agent, sizeof(figure->agent), "%s", measure->answer->agent);
}

static void study_phase(struct nl_work *work, const struct nl_phase_view *view)
{
	struct nl_measure measure;
	char why[700];
	if (!is_measured(view->plan) || view->state == NL_PHASE_PENDING || view->state == NL_PHASE_SKIPPED)
		return;
	struct nl_study *study = study_of(work, view->plan);
	if (!study || study->figure.iteration_count >= ITERATIONS_MAX)
		return;
	if (nl_measure_phase(work, view, &measure, why, sizeof(why))) {
		keep_measure(work, study, &measure);
		return;
	}
	study->figure.failed_count++;
	nl_say(work, &study->failures, "iteration %u: %s", view->plan->iteration, why);
}

/* --- the numbers --- */

/* A single iteration: its own seconds, when there are enough of them. The interval is widened to hold the figure
 * itself. */
static struct nl_interval interval_of_one(struct nl_figure *figure, const struct nl_measure *measure)
{
	double rate = measure->bytes_per_second;
	struct nl_stats_interval made =
		nl_stats_bootstrap_mean(measure->blocks, measure->block_count, 0, LEVEL, NL_STATS_SEED);
	if (made.coverage <= 0) {
		snprintf(figure->interval_method, sizeof(figure->interval_method), "one iteration, no interval");
		return (struct nl_interval){rate, rate};
	}
	snprintf(figure->interval_method, sizeof(figure->interval_method),
		 "95 %% by block bootstrap of %u s, seed %llu", measure->block_count,
		 (unsigned long long)NL_STATS_SEED);
	return (struct nl_interval){made.low < rate ? made.low : rate, made.high > rate ? made.high : rate};
}

/* How an interval is made depends on how many iterations there are; docs/method.md says why. */
static void make_interval(struct nl_study *study, const double *sorted, unsigned count)
{
	struct nl_figure *figure = &study->figure;
	if (count == 1) {
		figure->interval = interval_of_one(figure, &study->measure[0]);
		return;
	}
	struct nl_stats_interval made = nl_stats_median_interval_sorted(sorted, count, LEVEL);
	figure->interval = (struct nl_interval){made.low, made.high};
	if (made.coverage > 0)
		snprintf(figure->interval_method, sizeof(figure->interval_method),
			 "%.1f %% of the median, order statistics of %u", made.coverage * 100, count);
	else
		snprintf(figure->interval_method, sizeof(figure->interval_method), "range of %u iterations", count);
}

static void add_ledger(double *sum, double bytes)
{
	*sum = *sum < 0 || bytes < 0 ? NL_UNKNOWN : *sum + bytes;
}

static double clamp_share(double share)
{
	return share < 0 ? 0 : share > 1 ? 1 : share;
}

/* Which share of what was read came from the caches; only for reads, and only where both sides are known. */
static void make_shares(struct nl_study *study)
{
	struct nl_figure *figure = &study->figure;
	double client = 0, nas = 0;
	figure->client_cache_share = figure->nas_cache_share = NL_UNKNOWN;
	if (figure->direction != NL_DIRECTION_READ || figure->iteration_count == 0)
		return;
	for (unsigned i = 0; i < figure->iteration_count; i++) {
		add_ledger(&client, study->measure[i].client_payload);
		add_ledger(&nas, study->measure[i].nas_payload);
	}
	double arrived = client >= 0 ? client : nas;
	if (study->kind == NL_PHASE_SHARE && arrived >= 0)
		figure->client_cache_share = clamp_share(1 - arrived / figure->ledger.application);
	/* What left the NAS: all that the application read, but what the client's cache served. */
	double left =
		figure->ledger.application * (figure->client_cache_share > 0 ? 1 - figure->client_cache_share : 1);
	if (figure->ledger.disks >= 0 && left >= figure->ledger.application * NAS_SENT_MINIMUM)
		figure->nas_cache_share = clamp_share(1 - figure->ledger.disks / left);
}

static void make_latencies(struct nl_study *study)
{
	struct nl_histogram *all = malloc(2 * sizeof(*all));
	if (!all)
		return;
	nl_histogram_init(&all[0]);
	for (unsigned i = 0; i < study->figure.iteration_count; i++) {
		const Nl__LoadResult *load = study->measure[i].answer->result->load;
		for (size_t s = 0; load && s < load->n_stream; s++)
			if (nl_histogram_decode(load->stream[s]->latency.data, load->stream[s]->latency.len, &all[1],
						NULL) == 0)
				nl_histogram_merge(&all[0], &all[1]);
	}
	study->figure.latency_p50_ns = nl_histogram_percentile(&all[0], 50);
	study->figure.latency_p99_ns = nl_histogram_percentile(&all[0], 99);
	study->figure.latency_p999_ns = nl_histogram_percentile(&all[0], 99.9);
	free(all);
}

/* Median over the iterations of one quantity of theirs, found by its place in the struct; unknown when any is. */
static double median_of(const struct nl_study *study, size_t offset)
{
	double values[ITERATIONS_MAX];
	unsigned count = study->figure.iteration_count;
	for (unsigned i = 0; i < count; i++) {
		values[i] = *(const double *)((const char *)&study->measure[i] + offset);
		if (values[i] < 0)
			return NL_UNKNOWN;
	}
	nl_stats_sort(values, count);
	return count ? nl_stats_median_sorted(values, count) : NL_UNKNOWN;
}
#define MEDIAN(study, field) median_of(study, offsetof(struct nl_measure, field))

static void make_use(struct nl_study *study)
{
	struct nl_figure *figure = &study->figure;
	study->disk_busy = MEDIAN(study, disk_busy);
	study->thread_share = MEDIAN(study, thread_share);
	study->client_cpu = (struct nl_cpu_use){MEDIAN(study, client_cpu.core), MEDIAN(study, client_cpu.all),
						MEDIAN(study, client_cpu.steal)};
	study->nas_cpu = (struct nl_cpu_use){MEDIAN(study, nas_cpu.core), MEDIAN(study, nas_cpu.all),
					     MEDIAN(study, nas_cpu.steal)};
	study->wire_rate = MEDIAN(study, wire_rate);
	study->wire_sending_rate = MEDIAN(study, wire_sending_rate);
	study->disk_rate = MEDIAN(study, disk_rate);
	figure->client_cpu = study->client_cpu.core;
	figure->nas_cpu = study->nas_cpu.core;
	figure->retransmits = MEDIAN(study, retransmits);
}

static void conclude(struct nl_study *study)
{
	struct nl_figure *figure = &study->figure;
	double rates[ITERATIONS_MAX];
	make_use(study);
	for (unsigned i = 0; i < figure->iteration_count; i++) {
		rates[i] = figure->iterations[i].bytes_per_second;
		add_ledger(&figure->ledger.application, figure->iterations[i].ledger.application);
		add_ledger(&figure->ledger.client_nic, figure->iterations[i].ledger.client_nic);
		add_ledger(&figure->ledger.nas_nic, figure->iterations[i].ledger.nas_nic);
		add_ledger(&figure->ledger.disks, figure->iterations[i].ledger.disks);
	}
	make_shares(study);
	if (figure->iteration_count == 0) {
		snprintf(figure->interval_method, sizeof(figure->interval_method), "no iteration");
		figure->ledger = (struct nl_ledger){NL_UNKNOWN, NL_UNKNOWN, NL_UNKNOWN, NL_UNKNOWN};
		return;
	}
	nl_stats_sort(rates, figure->iteration_count);
	figure->bytes_per_second = nl_stats_median_sorted(rates, figure->iteration_count);
	figure->spread = nl_stats_spread_sorted(rates, figure->iteration_count);
	make_interval(study, rates, figure->iteration_count);
	make_latencies(study);
}

void nl_studies_make(struct nl_work *work)
{
	for (unsigned i = 0; i < work->plan.phase_count; i++)
		study_phase(work, &work->phases[i]);
	for (size_t i = 0; i < work->study_count; i++)
		conclude(&work->studies[i]);
}
