/*
 * stats: the statistics of nasline, one definition of each. Pure functions on arrays of finite doubles; nothing
 * allocates, any thread.
 *
 * Functions named _sorted want their values in rising order (nl_stats_sort).
 */
#ifndef NL_CONTROLLER_STATS_STATS_H
#define NL_CONTROLLER_STATS_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sorts in place, rising. */
void nl_stats_sort(double *values, size_t count);

/* Arithmetic mean, in two passes so that large offsets cost no digits. 0 of none. */
double nl_stats_mean(const double *values, size_t count);
/* Standard deviation of a sample (divides by n - 1). 0 of fewer than two. */
double nl_stats_deviation(const double *values, size_t count);
/* Coefficient of variation: deviation over mean. Negative when it is not defined: fewer than two values, or a mean that
 * is not above 0. */
double nl_stats_variation(const double *values, size_t count);

/*
 * Quantile at `share` (0..1), interpolated linearly between order statistics: type 7 of Hyndman and Fan, "Sample
 * Quantiles in Statistical Packages", The American Statistician 50 (1996), the default of R and NumPy. 0 of none.
 */
double nl_stats_quantile_sorted(const double *sorted, size_t count, double share);
/* The quantile at one half. */
double nl_stats_median_sorted(const double *sorted, size_t count);
/* (max - min) / median; 0 of fewer than two, negative when the median is not above 0. */
double nl_stats_spread_sorted(const double *sorted, size_t count);

struct nl_stats_interval {
	double low, high;
	double coverage; /* the probability it was made for, 0..1; 0: there is no such interval */
};

/*
 * Confidence interval of the median from order statistics: [x(k), x(n+1-k)] with the largest k whose coverage, 1 - 2
 * P(Bin(n, 1/2) < k), is at least `level`. No assumption on the distribution (David and Nagaraja, Order Statistics, 3rd
 * ed., 7.1). Below 6 values no pair reaches 95 %: coverage is 0 then and the interval is the range.
 */
struct nl_stats_interval nl_stats_median_interval_sorted(const double *sorted, size_t count, double level);

#define NL_STATS_SEED      UINT64_C(20261130) /* fixed, and printed with every interval that it made */
#define NL_STATS_RESAMPLES 2000

/*
 * Interval of the mean of a series whose neighbours depend on each other: moving blocks of `block` values (Kunsch, The
 * jackknife and the bootstrap for general stationary observations, 1989), NL_STATS_RESAMPLES resamples, percentile
 * interval at `level`. The same seed gives the same interval on every machine. block 0: the cube root of count, rounded
 * up. coverage is 0 for fewer than 5 values.
 */
struct nl_stats_interval nl_stats_bootstrap_mean(const double *values, size_t count, size_t block, double level,
						 uint64_t seed);

#endif
