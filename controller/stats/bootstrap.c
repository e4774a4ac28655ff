/*
 * bootstrap: the interval of a mean by resampling blocks. The generator is our own, so that a report says the same on
 * every machine.
 */
#include "controller/stats/stats.h"

#include <math.h>

/* SplitMix64 (Steele, Lea and Flood, 2014). */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* Mean of one resample: blocks at random places until there are as many values as in the original. */
static double resample_mean(const double *values, size_t count, size_t block, uint64_t *state)
{
	double sum = 0;
	size_t taken = 0;
	while (taken < count) {
		size_t at = (size_t)(next_random(state) % (count - block + 1));
		for (size_t i = 0; i < block && taken < count; i++, taken++)
			sum += values[at + i];
	}
	return sum / (double)count;
}

struct nl_stats_interval nl_stats_bootstrap_mean(const double *values, size_t count, size_t block, double level,
						 uint64_t seed)
{
	double means[NL_STATS_RESAMPLES];
	struct nl_stats_interval interval = {0};
	if (count == 0)
		return interval;
	interval.low = interval.high = nl_stats_mean(values, count);
	if (count < 5)
		return interval;
	if (block == 0)
		block = (size_t)ceil(cbrt((double)count));
	if (block > count)
		block = count;
	for (size_t i = 0; i < NL_STATS_RESAMPLES; i++)
		means[i] = resample_mean(values, count, block, &seed);
	nl_stats_sort(means, NL_STATS_RESAMPLES);
	interval.low = nl_stats_quantile_sorted(means, NL_STATS_RESAMPLES, (1 - level) / 2);
	interval.high = nl_stats_quantile_sorted(means, NL_STATS_RESAMPLES, (1 + level) / 2);
	interval.coverage = level;
	return interval;
}
