/*
 * Tests of proto/clock and proto/metric.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/time.h"
#include "proto/clock.h"
#include "proto/metric.h"

#define MINUTE_NS (60 * NL_NS_PER_S)

/* An exchange as it happens when the true offset is `offset`, with these times on the way. */
static struct nl_clock_exchange exchange(int64_t sent, int64_t offset, int64_t there, int64_t held, int64_t back)
{
	return (struct nl_clock_exchange){sent, sent + there + offset, sent + there + held + offset,
					  sent + there + held + back};
}

static void an_even_exchange_gives_the_true_offset(void **state)
{
	(void)state;
	struct nl_clock clock = {0};
	struct nl_clock_exchange e = exchange(1000, 5000000, 200, 700, 200);
	assert_true(nl_clock_learn(&clock, &e));
	assert_true(clock.known);
	assert_int_equal(clock.offset_ns, 5000000);
	assert_int_equal(clock.round_trip_ns, 400);
	assert_int_equal(nl_clock_error_ns(&clock), 200);
	assert_int_equal(nl_clock_to_controller(&clock, 123), 5000123);
	assert_int_equal(nl_clock_to_mono(&clock, 5000123), 123);
}

static void an_uneven_exchange_is_off_by_at_most_the_stated_error(void **state)
{
	(void)state;
	static const int64_t ways[][2] = {{0, 1001}, {1001, 0}, {3, 998}, {500, 501}, {0, 0}, {1, 0}};
	static const int64_t offsets[] = {0, 12345, -12345, INT64_C(1796063964000000000)};
	for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
		for (size_t j = 0; j < sizeof offsets / sizeof offsets[0]; j++) {
			struct nl_clock clock = {0};
			struct nl_clock_exchange e = exchange(777, offsets[j], ways[i][0], 50, ways[i][1]);
			assert_true(nl_clock_learn(&clock, &e));
			int64_t off = clock.offset_ns - offsets[j];
			assert_true((off < 0 ? -off : off) <= nl_clock_error_ns(&clock));
		}
}

static void the_exchange_with_the_smallest_round_trip_is_kept(void **state)
{
	(void)state;
	struct nl_clock clock = {0};
	struct nl_clock_exchange slow = exchange(0, 100, 50, 0, 950), fast = exchange(5000, 100, 10, 0, 10),
				 other = exchange(9000, 100, 30, 0, 30);
	assert_true(nl_clock_learn(&clock, &slow));
	assert_int_not_equal(clock.offset_ns, 100);
	assert_true(nl_clock_learn(&clock, &fast));
	assert_int_equal(clock.offset_ns, 100);
	assert_false(nl_clock_learn(&clock, &other));
	assert_int_equal(clock.round_trip_ns, 20);
}

static void after_ten_minutes_a_slower_exchange_is_taken(void **state)
{
	(void)state;
	struct nl_clock clock = {0};
	struct nl_clock_exchange first = exchange(0, 100, 10, 0, 10), soon = exchange(9 * MINUTE_NS, 300, 40, 0, 40),
				 late = exchange(11 * MINUTE_NS, 300, 40, 0, 40);
	assert_true(nl_clock_learn(&clock, &first));
	assert_false(nl_clock_learn(&clock, &soon));
	assert_true(nl_clock_learn(&clock, &late));
	assert_int_equal(clock.offset_ns, 300);
}

static void impossible_exchanges_are_ignored(void **state)
{
	(void)state;
	static const struct nl_clock_exchange rows[] = {
		{100, 0, 0, 50},                              /* returned before it was sent */
		{0, 100, 50, 200},                            /* replied before it was received */
		{0, 0, 1000, 500},                            /* held longer than it was away */
		{INT64_MIN, INT64_MAX, INT64_MAX, INT64_MAX}, /* overflow */
		{INT64_MAX, INT64_MIN, INT64_MIN, INT64_MAX},
		{0, INT64_MIN, INT64_MAX, 10},
		{INT64_MIN, 0, 0, 0},
	};
	struct nl_clock clock = {0};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		assert_false(nl_clock_learn(&clock, &rows[i]));
	assert_false(clock.known);
}

static void conversions_do_not_overflow(void **state)
{
	(void)state;
	struct nl_clock clock = {.offset_ns = INT64_MAX, .known = true};
	assert_true(nl_clock_to_controller(&clock, INT64_MAX) == INT64_MAX);
	assert_true(nl_clock_to_mono(&clock, INT64_MIN) == INT64_MIN);
	clock.offset_ns = INT64_MIN;
	assert_true(nl_clock_to_controller(&clock, INT64_MIN) == INT64_MIN);
	assert_true(nl_clock_to_mono(&clock, 0) == INT64_MAX);
}

static void the_controllers_clock_runs_with_the_monotonic_one(void **state)
{
	(void)state;
	int64_t mono = nl_mono_ns(), wall = nl_wall_ns();
	int64_t mine = nl_clock_controller_from_mono(mono);
	assert_true(mine - wall < NL_NS_PER_S && wall - mine < NL_NS_PER_S);
	assert_int_equal(nl_clock_controller_from_mono(mono + 12345) - mine, 12345);
	int64_t before = nl_clock_controller_ns();
	for (int i = 0; i < 1000; i++) {
		int64_t now = nl_clock_controller_ns();
		assert_true(now >= before);
		before = now;
	}
}

static void every_metric_is_found_by_its_id_and_unique(void **state)
{
	(void)state;
	size_t count;
	const struct nl_metric *rows = nl_metric_rows(&count);
	assert_true(count > 30);
	for (size_t i = 0; i < count; i++) {
		assert_ptr_equal(nl_metric_find(rows[i].id), &rows[i]);
		assert_true(rows[i].id > 0 && rows[i].id <= UINT16_MAX);
		assert_true(strlen(rows[i].name) > 0 && strlen(rows[i].unit) > 0 && strlen(rows[i].meaning) > 0);
		for (size_t j = 0; j < i; j++) {
			assert_string_not_equal(rows[i].name, rows[j].name);
			assert_true(rows[j].id < rows[i].id);
		}
	}
	assert_null(nl_metric_find(0));
	assert_null(nl_metric_find(UINT32_MAX));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_even_exchange_gives_the_true_offset),
		cmocka_unit_test(an_uneven_exchange_is_off_by_at_most_the_stated_error),
		cmocka_unit_test(the_exchange_with_the_smallest_round_trip_is_kept),
		cmocka_unit_test(after_ten_minutes_a_slower_exchange_is_taken),
		cmocka_unit_test(impossible_exchanges_are_ignored),
		cmocka_unit_test(conversions_do_not_overflow),
		cmocka_unit_test(the_controllers_clock_runs_with_the_monotonic_one),
		cmocka_unit_test(every_metric_is_found_by_its_id_and_unique),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
