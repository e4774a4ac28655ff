/*
 * series: sorts by metric, subject and instant, and cuts where metric or subject change.
 */
#include "agent/series.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static int compare_samples(const void *a, const void *b, void *context)
{
	const struct nl_sample *sample = context;
	const struct nl_sample *x = &sample[*(const unsigned *)a], *y = &sample[*(const unsigned *)b];
	if (x->metric != y->metric)
		return x->metric < y->metric ? -1 : 1;
	int by_subject = strcmp(x->subject, y->subject);
	if (by_subject)
		return by_subject;
	return x->mono_ns < y->mono_ns ? -1 : x->mono_ns > y->mono_ns;
}

static void begin_series(struct nl_series_group *group, unsigned index, struct nl_sample *sample, unsigned at)
{
	Nl__Series *series = &group->series[index];
	nl__series__init(series);
	series->metric = sample->metric;
	series->subject = sample->subject;
	series->first_mono_ns = sample->mono_ns;
	series->delta_ns = &group->delta_ns[at];
	series->value = &group->value[at];
	group->pointer[index] = series;
}

unsigned nl_series_group(struct nl_series_group *group, unsigned count, uint64_t *lost)
{
	unsigned series_count = 0;
	const struct nl_sample *last = NULL;
	for (unsigned i = 0; i < count; i++) {
		group->order[i] = i;
		/* A share's name, cut to fit, may end inside a character: the whole message would be refused. */
		nl_text_clean(group->sample[i].subject);
	}
	qsort_r(group->order, count, sizeof *group->order, compare_samples, group->sample);
	for (unsigned i = 0; i < count; i++) {
		struct nl_sample *sample = &group->sample[group->order[i]];
		bool same = last && last->metric == sample->metric && strcmp(last->subject, sample->subject) == 0;
		if (!same && series_count == NL_SERIES_MAX) {
			*lost += count - i;
			break;
		}
		if (!same)
			begin_series(group, series_count++, sample, i);
		group->delta_ns[i] = same ? sample->mono_ns - last->mono_ns : 0;
		group->value[i] = sample->value;
		group->series[series_count - 1].n_delta_ns++;
		group->series[series_count - 1].n_value++;
		last = sample;
	}
	return series_count;
}
