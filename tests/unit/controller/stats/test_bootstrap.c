/* The bootstrap: the same for the same seed, as wide as theory says, and wider where neighbours depend on each other.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "controller/stats/stats.h"

/* Sum of twelve uniform numbers less six: near enough to a standard normal one. */
static double normal(uint64_t *state)
{
	double sum = -6;
	for (int i = 0; i < 12; i++) {
		*state = *state * 6364136223846793005u + 1442695040888963407u;
		sum += (double)(*state >> 11) / 9007199254740992.0;
	}
	return sum;
}

static void the_same_seed_gives_the_same_interval(void **state)
{
	(void)state;
	const double values[] = {100, 104, 98, 101, 97, 103, 99, 100};
	struct nl_stats_interval a = nl_stats_bootstrap_mean(values, 8, 0, 0.95, NL_STATS_SEED);
	struct nl_stats_interval b = nl_stats_bootstrap_mean(values, 8, 0, 0.95, NL_STATS_SEED);
	assert_true(a.low == b.low && a.high == b.high && a.coverage == 0.95);
	assert_true(a.low < 100.25 && a.high > 100.25);
	assert_true(a.low >= 97 && a.high <= 104);
}

static void independent_values_give_the_width_of_theory(void **state)
{
	(void)state;
	double values[400];
	uint64_t seed = 7;
	for (size_t i = 0; i < 400; i++)
		values[i] = 100 + 10 * normal(&seed);
	struct nl_stats_interval interval = nl_stats_bootstrap_mean(values, 400, 1, 0.95, NL_STATS_SEED);
	double width = interval.high - interval.low, theory = 2 * 1.96 * nl_stats_deviation(values, 400) / sqrt(400);
	assert_true(fabs(width / theory - 1) < 0.1);
}

static void blocks_see_the_dependence_that_single_values_hide(void **state)
{
	(void)state;
	double values[400], before = 0;
	uint64_t seed = 11;
	for (size_t i = 0; i < 400; i++) {
		before = 0.8 * before + normal(&seed);
		values[i] = 100 + before;
	}
	struct nl_stats_interval single = nl_stats_bootstrap_mean(values, 400, 1, 0.95, NL_STATS_SEED);
	struct nl_stats_interval blocks = nl_stats_bootstrap_mean(values, 400, 20, 0.95, NL_STATS_SEED);
	assert_true(blocks.high - blocks.low > 1.5 * (single.high - single.low));
}

static void too_few_values_have_no_interval(void **state)
{
	(void)state;
	const double values[] = {1, 2, 3, 4};
	struct nl_stats_interval interval = nl_stats_bootstrap_mean(values, 4, 0, 0.95, NL_STATS_SEED);
	assert_true(interval.coverage == 0 && interval.low == 2.5 && interval.high == 2.5);
	assert_true(nl_stats_bootstrap_mean(values, 0, 0, 0.95, NL_STATS_SEED).coverage == 0);
}

static void a_block_longer_than_the_series_is_the_series(void **state)
{
	(void)state;
	const double values[] = {1, 2, 3, 4, 5};
	struct nl_stats_interval interval = nl_stats_bootstrap_mean(values, 5, 50, 0.95, NL_STATS_SEED);
	assert_true(interval.low == 3 && interval.high == 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_seed_gives_the_same_interval),
		cmocka_unit_test(independent_values_give_the_width_of_theory),
		cmocka_unit_test(blocks_see_the_dependence_that_single_values_hide),
		cmocka_unit_test(too_few_values_have_no_interval),
		cmocka_unit_test(a_block_longer_than_the_series_is_the_series),
	};
	return cmocka_run_group_tests_name("stats: bootstrap", tests, NULL, NULL);
}
