/*
 * test_pacing: the schedule of a rate limit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent/io/load.h"
#include "agent/io/pacing.h"

static void no_limit_is_no_schedule(void **state)
{
	struct nl_pacing pacing;
	(void)state;
	nl_pacing_init(&pacing, 0, 4096, 1, 0, 100);
	assert_false(pacing.active);
}

/* 7 bytes per second of three streams with 512-byte blocks: 512 * 3 / 7 s each, which is no whole number of
 * nanoseconds. */
static void a_schedule_does_not_drift(void **state)
{
	struct nl_pacing pacing;
	(void)state;
	nl_pacing_init(&pacing, 7, 512, 3, 0, 1000);
	for (uint64_t i = 0; i < 7 * 1000; i++) {
		uint64_t exact = 1000 + i * 512 * 3 * UINT64_C(1000000000) / 7;
		assert_int_equal((uint64_t)pacing.due_ns, exact);
		nl_pacing_taken(&pacing);
	}
}

static void streams_are_spread_over_the_interval(void **state)
{
	struct nl_pacing first, second;
	(void)state;
	nl_pacing_init(&first, 4096, 4096, 2, 0, 0);
	nl_pacing_init(&second, 4096, 4096, 2, 1, 0);
	assert_int_equal(first.due_ns, 0);
	assert_int_equal(second.due_ns, 1000000000);
	nl_pacing_taken(&first);
	assert_int_equal(first.due_ns, 2000000000);
}

static void the_largest_step_does_not_overflow(void **state)
{
	struct nl_pacing pacing;
	(void)state;
	nl_pacing_init(&pacing, UINT64_C(1) << 40, NL_LOAD_BLOCK_BYTES_MAX, NL_LOAD_STREAMS_MAX, 0, 0);
	nl_pacing_taken(&pacing);
	/* 2^26 * 2^8 / 2^40 s */
	assert_int_equal(pacing.due_ns, 1000000000 / 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_limit_is_no_schedule),
		cmocka_unit_test(a_schedule_does_not_drift),
		cmocka_unit_test(streams_are_spread_over_the_interval),
		cmocka_unit_test(the_largest_step_does_not_overflow),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
