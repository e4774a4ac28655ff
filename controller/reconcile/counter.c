/*
 * counter: how much a counter rose in a window, from samples that were not taken at its edges.
 *
 * Between two samples the rise is spread evenly. That is right inside a steady load and wrong at its edges, where the
 * rate jumps: so the bytes of a whole load are taken from samples in the quiet before and after it, when there are
 * some.
 */
#include <string.h>

#include "base/time.h"
#include "controller/reconcile/work.h"

#define EDGE_SLACK_NS  (100 * NL_NS_PER_MS)  /* how far the samples may end short of a window */
#define SHORT_NS       (3 * NL_NS_PER_S / 2) /* one sample at 1 Hz that is missing */
#define CLOCK_SLACK_NS (20 * NL_NS_PER_MS)   /* an edge sample is taken just before an agent says that it is done */

const struct nl_series *nl_series_find(const struct nl_work *work, const char *agent, uint32_t metric,
				       const char *subject)
{
	for (size_t i = 0; i < work->series_count; i++) {
		const struct nl_series *series = &work->series[i];
		if (series->metric == metric && !strcmp(series->agent, agent) && !strcmp(series->subject, subject))
			return series;
	}
	return NULL;
}

/* Index of the first sample at or after an instant; count when there is none. */
static size_t first_from(const struct nl_series *series, int64_t ns)
{
	size_t low = 0, high = series->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (series->times_ns[middle] < ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static double covered_rise(const struct nl_series *series, int64_t from_ns, int64_t to_ns)
{
	double rise = 0;
	size_t i = first_from(series, from_ns);
	for (i = i ? i - 1 : 0; i + 1 < series->count && series->times_ns[i] < to_ns; i++) {
		int64_t begin = series->times_ns[i], end = series->times_ns[i + 1];
		int64_t from = begin > from_ns ? begin : from_ns, to = end < to_ns ? end : to_ns;
		double step = series->values[i + 1] - series->values[i];
		/* A counter that fell began anew from 0. */
		if (step < 0)
			step = series->values[i + 1];
		if (to > from)
			rise += step * ((double)(to - from) / (double)(end - begin));
	}
	return rise;
}

/*
 * The last samples of a run may end within its last load. When they cover more than half of the window and end less
 * than SHORT_NS before it, the rest is taken to have gone on as the part that is known.
 */
double nl_counter_rise(const struct nl_series *series, int64_t from_ns, int64_t to_ns)
{
	if (!series || series->count < 2 || to_ns <= from_ns || series->times_ns[0] > from_ns + EDGE_SLACK_NS)
		return NL_UNKNOWN;
	int64_t last_ns = series->times_ns[series->count - 1];
	if (last_ns >= to_ns - EDGE_SLACK_NS)
		return covered_rise(series, from_ns, to_ns);
	int64_t known_ns = last_ns - from_ns;
	if (to_ns - last_ns > SHORT_NS || known_ns < (to_ns - from_ns) / 2)
		return NL_UNKNOWN;
	return covered_rise(series, from_ns, last_ns) * ((double)(to_ns - from_ns) / (double)known_ns);
}

/* Edges moved to samples; those that have none stay. */
static void move_edges(const struct nl_series *series, const struct nl_window *window, enum nl_edges edges,
		       int64_t *from_ns, int64_t *to_ns)
{
	size_t after = first_from(series, *from_ns + 1), end = first_from(series, *to_ns);
	bool before_fits = after > 0 && (edges == NL_EDGES_OUTER ||
					 series->times_ns[after - 1] >= window->quiet_from_ns - CLOCK_SLACK_NS);
	bool end_fits = end < series->count &&
			(edges == NL_EDGES_OUTER || series->times_ns[end] <= window->quiet_to_ns + CLOCK_SLACK_NS);
	if (before_fits)
		*from_ns = series->times_ns[after - 1];
	if (end_fits)
		*to_ns = series->times_ns[end];
}

static double inner_rise(const struct nl_series *series, int64_t from_ns, int64_t to_ns)
{
	size_t first = first_from(series, from_ns), end = first_from(series, to_ns + 1);
	if (first + 1 >= end)
		return 0;
	return nl_counter_rise(series, series->times_ns[first], series->times_ns[end - 1]);
}

double nl_counter_rise_edges(const struct nl_series *series, const struct nl_window *window, enum nl_edges edges)
{
	int64_t from_ns = window->from_ns, to_ns = window->to_ns;
	if (!series || series->count < 2)
		return NL_UNKNOWN;
	if (edges == NL_EDGES_INNER)
		return inner_rise(series, from_ns, to_ns);
	if (edges != NL_EDGES_EXACT)
		move_edges(series, window, edges, &from_ns, &to_ns);
	return nl_counter_rise(series, from_ns, to_ns);
}

void nl_window_between_samples(const struct nl_series *series, int64_t *from_ns, int64_t *to_ns)
{
	if (!series)
		return;
	size_t first = first_from(series, *from_ns), end = first_from(series, *to_ns + 1);
	if (first + 1 >= end || series->times_ns[end - 1] - series->times_ns[first] < (*to_ns - *from_ns) / 2)
		return;
	*from_ns = series->times_ns[first];
	*to_ns = series->times_ns[end - 1];
}
