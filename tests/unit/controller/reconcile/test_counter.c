/* Rises of counters in windows whose edges no sample meets. */
#include <math.h>

#include "base/time.h"
#include "controller/reconcile/work.h"
#include "world.h"

#define S NL_NS_PER_S

/* A load of 100 bytes/s from 2.5 s to 6.5 s, sampled each second. */
static int64_t times[] = {0, 1 * S, 2 * S, 3 * S, 4 * S, 5 * S, 6 * S, 7 * S, 8 * S};
static double values[] = {0, 0, 0, 50, 150, 250, 350, 400, 400};
static const struct nl_series series = {.times_ns = times, .values = values, .count = 9};

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-6;
}

static void inside_a_steady_load_interpolation_is_right(void **state)
{
	(void)state;
	assert_true(near(nl_counter_rise(&series, 3 * S + S / 4, 5 * S + S / 2), 225));
}

static void the_bytes_of_a_whole_load_are_taken_from_the_quiet_around_it(void **state)
{
	(void)state;
	const struct nl_window window = {5 * S / 2, 13 * S / 2, NL_INSTANT_MIN, NL_INSTANT_MAX};
	assert_true(near(nl_counter_rise_edges(&series, &window, NL_EDGES_EXACT), 350));
	assert_true(near(nl_counter_rise_edges(&series, &window, NL_EDGES_QUIET), 400));
}

static void a_sample_from_before_the_quiet_is_not_taken(void **state)
{
	(void)state;
	const struct nl_window window = {5 * S / 2, 13 * S / 2, 2 * S + S / 4, 6 * S + 3 * S / 4};
	assert_true(near(nl_counter_rise_edges(&series, &window, NL_EDGES_QUIET), 350));
}

static void inner_and_outer_bound_what_is_not_known(void **state)
{
	(void)state;
	const struct nl_window window = {5 * S / 2, 13 * S / 2, 0, 0};
	assert_true(near(nl_counter_rise_edges(&series, &window, NL_EDGES_INNER), 300));
	assert_true(near(nl_counter_rise_edges(&series, &window, NL_EDGES_OUTER), 400));
}

static void a_counter_that_began_anew_goes_on_counting(void **state)
{
	(void)state;
	int64_t at[] = {0, S, 2 * S, 3 * S};
	double counted[] = {1000, 1100, 30, 130};
	const struct nl_series restarted = {.times_ns = at, .values = counted, .count = 4};
	assert_true(near(nl_counter_rise(&restarted, 0, 3 * S), 230));
}

static void a_load_that_outlives_the_samples_a_little_goes_on_as_it_was(void **state)
{
	(void)state;
	const struct nl_series cut = {.times_ns = times, .values = values, .count = 6};
	assert_true(near(nl_counter_rise(&cut, 3 * S, 6 * S), 300));
	assert_true(nl_counter_rise(&cut, 3 * S, 6 * S + 3 * S / 4) < 0);
}

static void samples_that_do_not_reach_are_said_to_be_unknown(void **state)
{
	(void)state;
	assert_true(nl_counter_rise(&series, 7 * S, 10 * S) < 0);
	assert_true(nl_counter_rise(&series, -2 * S, 3 * S) < 0);
	assert_true(nl_counter_rise(NULL, 0, S) < 0);
	assert_true(nl_counter_rise(&series, 3 * S, 3 * S) < 0);
	assert_true(near(nl_counter_rise(&series, 7 * S, 8 * S + S / 20), 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(inside_a_steady_load_interpolation_is_right),
		cmocka_unit_test(the_bytes_of_a_whole_load_are_taken_from_the_quiet_around_it),
		cmocka_unit_test(a_sample_from_before_the_quiet_is_not_taken),
		cmocka_unit_test(inner_and_outer_bound_what_is_not_known),
		cmocka_unit_test(a_counter_that_began_anew_goes_on_counting),
		cmocka_unit_test(a_load_that_outlives_the_samples_a_little_goes_on_as_it_was),
		cmocka_unit_test(samples_that_do_not_reach_are_said_to_be_unknown),
	};
	return cmocka_run_group_tests_name("reconcile: counters", tests, NULL, NULL);
}
