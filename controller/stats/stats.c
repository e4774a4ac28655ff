/*
 * stats: means, deviations, quantiles and the interval of the median.
 */
#include "controller/stats/stats.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

void nl_stats_sort(double *values, size_t count)
{
	if (count > 1)
		qsort(values, count, sizeof(*values), compare);
}

double nl_stats_mean(const double *values, size_t count)
{
	double sum = 0, rest = 0;
	if (count == 0)
		return 0;
	for (size_t i = 0; i < count; i++)
		sum += values[i];
	double mean = sum / (double)count;
	for (size_t i = 0; i < count; i++)
		rest += values[i] - mean;
	return mean + rest / (double)count;
}

/* The corrected two-pass algorithm (Chan, Golub and LeVeque, 1983): `rest` takes off what rounding left in the mean. */
double nl_stats_deviation(const double *values, size_t count)
{
	double squares = 0, rest = 0;
	if (count < 2)
		return 0;
	double mean = nl_stats_mean(values, count);
	for (size_t i = 0; i < count; i++) {
		squares += (values[i] - mean) * (values[i] - mean);
		rest += values[i] - mean;
	}
	double variance = (squares - rest * rest / (double)count) / (double)(count - 1);
	return variance > 0 ? sqrt(variance) : 0;
}

double nl_stats_variation(const double *values, size_t count)
{
	double mean = nl_stats_mean(values, count);
	return count < 2 || mean <= 0 ? -1 : nl_stats_deviation(values, count) / mean;
}

double nl_stats_quantile_sorted(const double *sorted, size_t count, double share)
{
	if (count == 0)
		return 0;
	double at = (double)(count - 1) * fmin(fmax(share, 0), 1);
	size_t below = (size_t)at;
	if (below + 1 >= count)
		return sorted[count - 1];
	return sorted[below] + (at - (double)below) * (sorted[below + 1] - sorted[below]);
}

double nl_stats_median_sorted(const double *sorted, size_t count)
{
	return nl_stats_quantile_sorted(sorted, count, 0.5);
}

double nl_stats_spread_sorted(const double *sorted, size_t count)
{
	double median = nl_stats_median_sorted(sorted, count);
	if (count < 2)
		return 0;
	return median > 0 ? (sorted[count - 1] - sorted[0]) / median : -1;
}

/* P(Bin(n, 1/2) = k), by logarithms: no n overflows it. */
static double binomial_half(size_t n, size_t k)
{
	double ways = lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1);
	return exp(ways - (double)n * log(2));
}

struct nl_stats_interval nl_stats_median_interval_sorted(const double *sorted, size_t count, double level)
{
	struct nl_stats_interval interval = {0};
	double tail = 0;
	if (count == 0)
		return interval;
	interval.low = sorted[0];
	interval.high = sorted[count - 1];
	for (size_t k = 1; k <= count / 2; k++) {
		tail += binomial_half(count, k - 1);
		if (1 - 2 * tail < level)
			break;
		interval = (struct nl_stats_interval){sorted[k - 1], sorted[count - k], 1 - 2 * tail};
	}
	return interval;
}
