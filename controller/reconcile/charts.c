/*
 * charts: the samples as rates on one time axis, at most POINTS_MAX points a series.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "controller/reconcile/work.h"

#define POINTS_MAX    2000
#define PERIOD_MIN_NS (100 * NL_NS_PER_MS)
#define GAP_PERIODS   2 /* a load's counter rests between two loads: what it rose there belongs to the end of the gap */

struct axis {
	int64_t from_ns, step_ns;
	size_t count;
};

static struct axis make_axis(const struct nl_work *work)
{
	struct axis axis = {.from_ns = INT64_MAX};
	int64_t to_ns = INT64_MIN, period = work->campaign.telemetry_period_ns;
	for (size_t i = 0; i < work->series_count; i++) {
		const struct nl_series *series = &work->series[i];
		if (series->times_ns[0] < axis.from_ns)
			axis.from_ns = series->times_ns[0];
		if (series->times_ns[series->count - 1] > to_ns)
			to_ns = series->times_ns[series->count - 1];
	}
	if (to_ns <= axis.from_ns)
		return axis;
	axis.step_ns = period > PERIOD_MIN_NS ? period : PERIOD_MIN_NS;
	/* In unsigned arithmetic: samples of a clock that jumped may be far apart. */
	uint64_t length = (uint64_t)to_ns - (uint64_t)axis.from_ns;
	if (length / (uint64_t)axis.step_ns > POINTS_MAX)
		axis.step_ns = (int64_t)(length / POINTS_MAX) + 1;
	axis.count = (size_t)(length / (uint64_t)axis.step_ns) + 1;
	return axis;
}

/* Adds a counter's rise to the points that it falls on. */
static void spread_counter(const struct axis *axis, const struct nl_series *series, bool gaps, double *bytes)
{
	for (size_t i = 0; i + 1 < series->count; i++) {
		int64_t begin = series->times_ns[i], end = series->times_ns[i + 1];
		double step = series->values[i + 1] - series->values[i];
		if (step < 0)
			step = series->values[i + 1];
		if (gaps && end - begin > GAP_PERIODS * axis->step_ns)
			begin = end - axis->step_ns;
		size_t first = (size_t)((begin - axis->from_ns) / axis->step_ns);
		for (size_t k = first; k < axis->count; k++) {
			int64_t low = axis->from_ns + (int64_t)k * axis->step_ns, high = low + axis->step_ns;
			if (low >= end)
				break;
			int64_t from = begin > low ? begin : low, to = end < high ? end : high;
			bytes[k] += step * ((double)(to - from) / (double)(end - begin));
		}
	}
}

static struct nl_chart_series *chart_add(struct nl_work *work, const struct axis *axis, const char *group,
					 const char *unit)
{
	struct nl_model *model = work->model;
	struct nl_chart_series *chart =
		nl_work_append(work, (void **)&model->charts, &model->chart_count, sizeof(*model->charts));
	if (!chart)
		return NULL;
	chart->times_s = calloc(axis->count, sizeof(double));
	chart->values = calloc(axis->count, sizeof(double));
	if (!chart->times_s || !chart->values) {
		work->no_memory = true;
		return NULL;
	}
	chart->count = axis->count;
	snprintf(chart->group, sizeof(chart->group), "%s", group);
	snprintf(chart->unit, sizeof(chart->unit), "%s", unit);
	for (size_t i = 0; i < axis->count; i++)
		chart->times_s[i] = ((double)(axis->from_ns - work->model->run.started_ns) +
				     ((double)i + 0.5) * (double)axis->step_ns) /
				    (double)NL_NS_PER_S;
	return chart;
}

/* Which series make which line: summed over subjects, one line per agent. */
struct line {
	const char *group, *what;
	uint32_t metric[3];
	enum { OF_STREAMS, OF_NIC, OF_DISKS, OF_CORES } of;
};

static const struct line lines[] = {
	{"streams", "streams", {NL_METRIC_STREAM_BYTES}, OF_STREAMS},
	{"wire", "sent", {NL_METRIC_NIC_SENT_BYTES}, OF_NIC},
	{"wire", "received", {NL_METRIC_NIC_RECEIVED_BYTES}, OF_NIC},
	{"disks", "read", {NL_METRIC_DISK_READ_BYTES}, OF_DISKS},
	{"disks", "written", {NL_METRIC_DISK_WRITE_BYTES}, OF_DISKS},
	{"cpu", "busy", {NL_METRIC_CPU_USER_NS, NL_METRIC_CPU_SYSTEM_NS, NL_METRIC_CPU_SOFTIRQ_NS}, OF_CORES},
};

static bool is_pool_disk(const struct nl_work *work, const struct nl_series *series)
{
	char names[64][64];
	unsigned count = strcmp(series->agent, nl_work_nas(work)) ? 0 : nl_pool_disks(work, names, 64);
	for (unsigned i = 0; i < count; i++)
		if (!strcmp(names[i], series->subject))
			return true;
	return false;
}

static bool belongs(const struct nl_work *work, const struct line *line, const struct nl_series *series)
{
	bool metric = false;
	for (size_t i = 0; i < 3; i++)
		metric = metric || (line->metric[i] && line->metric[i] == series->metric);
	if (!metric || series->count < 2)
		return false;
	if (line->of == OF_NIC)
		return !strcmp(series->subject, nl_nic_name(work, series->agent));
	return line->of != OF_DISKS || is_pool_disk(work, series);
}

static unsigned cores_of(const struct nl_work *work, const char *agent)
{
	unsigned cores = 0;
	for (size_t i = 0; i < work->series_count; i++)
		cores += work->series[i].metric == NL_METRIC_CPU_USER_NS && !strcmp(work->series[i].agent, agent);
	return cores ? cores : 1;
}

static void draw(struct nl_work *work, const struct axis *axis, const struct line *line, const char *agent)
{
	struct nl_chart_series *chart = NULL;
	bool cpu = line->of == OF_CORES;
	for (size_t i = 0; i < work->series_count; i++) {
		const struct nl_series *series = &work->series[i];
		if (strcmp(series->agent, agent) || !belongs(work, line, series))
			continue;
		if (!chart && !(chart = chart_add(work, axis, line->group, cpu ? "%" : "B/s")))
			return;
		spread_counter(axis, series, line->of == OF_STREAMS, chart->values);
	}
	if (!chart)
		return;
	snprintf(chart->name, sizeof(chart->name), "%.63s %s", agent, line->what);
	double scale = cpu ? 100.0 / ((double)axis->step_ns * cores_of(work, agent))
			   : (double)NL_NS_PER_S / (double)axis->step_ns;
	for (size_t i = 0; i < chart->count; i++)
		chart->values[i] *= scale;
}

void nl_charts_make(struct nl_work *work)
{
	struct axis axis = make_axis(work);
	if (axis.count == 0)
		return;
	for (size_t l = 0; l < sizeof(lines) / sizeof(lines[0]); l++) {
		const char *before = "";
		/* Series come sorted by metric and agent, so each agent is met in one piece. */
		for (size_t i = 0; i < work->series_count; i++) {
			const struct nl_series *series = &work->series[i];
			if (series->metric != lines[l].metric[0] || !strcmp(series->agent, before))
				continue;
			before = series->agent;
			draw(work, &axis, &lines[l], series->agent);
		}
	}
}
