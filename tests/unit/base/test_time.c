/*
 * Tests of base/time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/time.h"

static void the_monotonic_clock_does_not_go_back(void **state)
{
	(void)state;
	int64_t before = nl_mono_ns();
	for (int i = 0; i < 1000; i++) {
		int64_t now = nl_mono_ns();
		assert_true(now >= before);
		before = now;
	}
}

static void sleeping_ends_at_the_instant_or_at_once_when_it_is_past(void **state)
{
	(void)state;
	int64_t begun = nl_mono_ns();
	nl_sleep_until_mono(begun + 5 * NL_NS_PER_MS);
	assert_true(nl_mono_ns() >= begun + 5 * NL_NS_PER_MS);
	nl_sleep_until_mono(begun);
	nl_sleep_until_mono(0);
	nl_sleep_until_mono(-5);
	assert_true(nl_mono_ns() < begun + 60 * NL_NS_PER_S);
}

static void the_wall_clock_is_written_in_utc(void **state)
{
	(void)state;
	char buf[24];
	assert_string_equal(nl_wall_text(0, buf, sizeof buf), "1970-01-01T00:00:00Z");
	assert_string_equal(nl_wall_text(INT64_C(1796063964) * NL_NS_PER_S, buf, sizeof buf), "2026-11-30T18:39:24Z");
	assert_string_equal(nl_wall_text(0, buf, 5), "");
	assert_true(nl_wall_ns() > INT64_C(1500000000) * NL_NS_PER_S);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_monotonic_clock_does_not_go_back),
		cmocka_unit_test(sleeping_ends_at_the_instant_or_at_once_when_it_is_past),
		cmocka_unit_test(the_wall_clock_is_written_in_utc),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
