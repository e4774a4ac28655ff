/* Against NIST's reference data sets, R's documented results, and tables of order-statistic intervals. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "controller/stats/stats.h"

#define assert_near(a, b, relative) assert_true(fabs((double)(a) - (double)(b)) <= fabs((double)(b)) * (relative))

/* NIST StRD, univariate summary statistics: NumAcc1 to NumAcc4, of which only NumAcc4 is hard. Certified mean and
 * deviation are exact. */
static void nists_numerical_accuracy_sets_come_out_as_certified(void **state)
{
	(void)state;
	double values[1001] = {10000001, 10000003, 10000002};
	assert_near(nl_stats_mean(values, 3), 10000002, 1e-15);
	assert_near(nl_stats_deviation(values, 3), 1, 1e-15);
	static const struct {
		double centre;
		double digits;
	} sets[] = {{1.2, 1e-13}, {1000000.2, 1e-9}, {10000000.2, 1e-7}};
	for (size_t s = 0; s < 3; s++) {
		values[0] = sets[s].centre;
		for (int i = 1; i < 1001; i++)
			values[i] = sets[s].centre + (i % 2 ? -0.1 : 0.1);
		assert_near(nl_stats_mean(values, 1001), sets[s].centre, 1e-15);
		assert_near(nl_stats_deviation(values, 1001), 0.1, sets[s].digits);
	}
}

static void quantiles_are_those_of_r_type_7(void **state)
{
	(void)state;
	/* quantile(1:10) in R, and numpy.percentile([15, 20, 35, 40, 50], 40) = 29. */
	const double ten[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, five[] = {15, 20, 35, 40, 50};
	assert_near(nl_stats_quantile_sorted(ten, 10, 0.25), 3.25, 1e-15);
	assert_near(nl_stats_quantile_sorted(ten, 10, 0.75), 7.75, 1e-15);
	assert_near(nl_stats_quantile_sorted(ten, 10, 0.9), 9.1, 1e-15);
	assert_near(nl_stats_quantile_sorted(five, 5, 0.4), 29, 1e-15);
	assert_near(nl_stats_median_sorted(ten, 10), 5.5, 1e-15);
	assert_near(nl_stats_median_sorted(five, 5), 35, 1e-15);
	assert_near(nl_stats_quantile_sorted(ten, 10, 0), 1, 1e-15);
	assert_near(nl_stats_quantile_sorted(ten, 10, 1), 10, 1e-15);
	assert_near(nl_stats_quantile_sorted(ten, 10, 7), 10, 1e-15);
}

static void the_interval_of_the_median_takes_the_tabulated_ranks(void **state)
{
	(void)state;
	/* n, lower rank, coverage in percent: the ranks of the sign test at 95 % (for example Hahn and Meeker,
	 * Statistical Intervals). */
	static const struct {
		size_t n, rank;
		double percent;
	} table[] = {{6, 1, 96.88},  {7, 1, 98.44},  {8, 1, 99.22},  {9, 2, 96.09},  {10, 2, 97.85}, {11, 2, 98.83},
		     {12, 3, 96.14}, {15, 4, 96.48}, {20, 6, 95.86}, {25, 8, 95.67}, {30, 10, 95.72}};
	double values[30];
	for (size_t i = 0; i < 30; i++)
		values[i] = (double)(i + 1);
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct nl_stats_interval interval = nl_stats_median_interval_sorted(values, table[i].n, 0.95);
		assert_true(interval.low == (double)table[i].rank);
		assert_true(interval.high == (double)(table[i].n + 1 - table[i].rank));
		assert_true(fabs(interval.coverage * 100 - table[i].percent) < 0.006);
	}
}

static void five_values_have_no_95_percent_interval_of_the_median(void **state)
{
	(void)state;
	const double values[] = {1, 2, 3, 4, 5};
	struct nl_stats_interval interval = nl_stats_median_interval_sorted(values, 5, 0.95);
	assert_true(interval.coverage == 0);
	assert_true(interval.low == 1 && interval.high == 5);
	assert_true(nl_stats_median_interval_sorted(values, 0, 0.95).coverage == 0);
}

static void spread_and_variation_are_shares_of_median_and_mean(void **state)
{
	(void)state;
	double values[] = {110, 90, 100};
	assert_near(nl_stats_variation(values, 3), 0.1, 1e-12);
	nl_stats_sort(values, 3);
	assert_near(nl_stats_spread_sorted(values, 3), 0.2, 1e-12);
	assert_true(nl_stats_spread_sorted(values, 1) == 0);
	assert_true(nl_stats_variation(values, 1) < 0);
	const double zeros[] = {0, 0};
	assert_true(nl_stats_variation(zeros, 2) < 0);
	assert_true(nl_stats_spread_sorted(zeros, 2) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nists_numerical_accuracy_sets_come_out_as_certified),
		cmocka_unit_test(quantiles_are_those_of_r_type_7),
		cmocka_unit_test(the_interval_of_the_median_takes_the_tabulated_ranks),
		cmocka_unit_test(five_values_have_no_95_percent_interval_of_the_median),
		cmocka_unit_test(spread_and_variation_are_shares_of_median_and_mean),
	};
	return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
