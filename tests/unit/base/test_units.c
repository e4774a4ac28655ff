/*
 * Tests of base/units.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/units.h"

static char buf[32];

static void sizes_are_shown_in_decimal_units(void **state)
{
	(void)state;
	assert_string_equal(nl_units_bytes(0, buf, sizeof buf), "0 B");
	assert_string_equal(nl_units_bytes(999, buf, sizeof buf), "999 B");
	assert_string_equal(nl_units_bytes(1000, buf, sizeof buf), "1.00 kB");
	assert_string_equal(nl_units_bytes(1500000000, buf, sizeof buf), "1.50 GB");
	assert_string_equal(nl_units_bytes(12345678, buf, sizeof buf), "12.3 MB");
	assert_string_equal(nl_units_bytes(123456789, buf, sizeof buf), "123 MB");
	assert_string_equal(nl_units_bytes(UINT64_MAX, buf, sizeof buf), "18.4 EB");
}

static void rounding_goes_on_to_the_next_unit(void **state)
{
	(void)state;
	assert_string_equal(nl_units_bytes(999499, buf, sizeof buf), "999 kB");
	assert_string_equal(nl_units_bytes(999999, buf, sizeof buf), "1.00 MB");
	assert_string_equal(nl_units_bytes(9999, buf, sizeof buf), "10.0 kB");
	assert_string_equal(nl_units_bytes(99999, buf, sizeof buf), "100 kB");
	assert_string_equal(nl_units_ns(999999, buf, sizeof buf), "1.00 ms");
}

static void sizes_are_shown_in_binary_units(void **state)
{
	(void)state;
	assert_string_equal(nl_units_bytes_binary(0, buf, sizeof buf), "0 B");
	assert_string_equal(nl_units_bytes_binary(131072, buf, sizeof buf), "128 KiB");
	assert_string_equal(nl_units_bytes_binary(1048576, buf, sizeof buf), "1 MiB");
	assert_string_equal(nl_units_bytes_binary(1610612736, buf, sizeof buf), "1.50 GiB");
	assert_string_equal(nl_units_bytes_binary(1023, buf, sizeof buf), "1023 B");
	assert_string_equal(nl_units_bytes_binary(1025, buf, sizeof buf), "1.00 KiB");
	assert_string_equal(nl_units_bytes_binary(UINT64_MAX, buf, sizeof buf), "16.0 EiB");
}

static void rates_keep_their_unit(void **state)
{
	(void)state;
	assert_string_equal(nl_units_mbps(117.6e6, buf, sizeof buf), "117.6 MB/s");
	assert_string_equal(nl_units_mbps(1.2345e9, buf, sizeof buf), "1234 MB/s");
	assert_string_equal(nl_units_mbps(42.34e6, buf, sizeof buf), "42.3 MB/s");
	assert_string_equal(nl_units_mbps(1.5e6, buf, sizeof buf), "1.50 MB/s");
	assert_string_equal(nl_units_mbps(12e3, buf, sizeof buf), "0.012 MB/s");
	assert_string_equal(nl_units_mbps(0, buf, sizeof buf), "0.00 MB/s");
	assert_string_equal(nl_units_mibps(117.6e6, buf, sizeof buf), "112.2 MiB/s");
	assert_string_equal(nl_units_bps(941e6, buf, sizeof buf), "941 Mbit/s");
	assert_string_equal(nl_units_bps(9.41e9, buf, sizeof buf), "9.41 Gbit/s");
}

static void what_is_not_a_number_is_called_unknown(void **state)
{
	(void)state;
	assert_string_equal(nl_units_mbps((double)NAN, buf, sizeof buf), "unknown");
	assert_string_equal(nl_units_bps((double)INFINITY, buf, sizeof buf), "unknown");
	assert_string_equal(nl_units_percent((double)NAN, buf, sizeof buf), "unknown");
}

static void durations_are_shown(void **state)
{
	(void)state;
	assert_string_equal(nl_units_ns(850, buf, sizeof buf), "850 ns");
	assert_string_equal(nl_units_ns(12300, buf, sizeof buf), "12.3 us");
	assert_string_equal(nl_units_ns(4560000, buf, sizeof buf), "4.56 ms");
	assert_string_equal(nl_units_ns(1200000000, buf, sizeof buf), "1.20 s");
	assert_string_equal(nl_units_ns(-1200000000, buf, sizeof buf), "-1.20 s");
	assert_true(strlen(nl_units_ns(INT64_MIN, buf, sizeof buf)) > 2);
	assert_string_equal(nl_units_clock(42 * INT64_C(1000000000), buf, sizeof buf), "0:42");
	assert_string_equal(nl_units_clock(3725 * INT64_C(1000000000), buf, sizeof buf), "1:02:05");
	assert_string_equal(nl_units_clock(-INT64_C(1500000000), buf, sizeof buf), "-0:01");
	assert_true(strlen(nl_units_clock(INT64_MIN, buf, sizeof buf)) > 4);
}

static void counts_and_shares_are_shown(void **state)
{
	(void)state;
	assert_string_equal(nl_units_count(0, buf, sizeof buf), "0");
	assert_string_equal(nl_units_count(999, buf, sizeof buf), "999");
	assert_string_equal(nl_units_count(1234567, buf, sizeof buf), "1,234,567");
	assert_string_equal(nl_units_count(UINT64_MAX, buf, sizeof buf), "18,446,744,073,709,551,615");
	assert_string_equal(nl_units_percent(0.123, buf, sizeof buf), "12.3 %");
	assert_string_equal(nl_units_percent(1, buf, sizeof buf), "100.0 %");
}

static void small_buffers_are_terminated(void **state)
{
	(void)state;
	char small[4] = "xxx";
	nl_units_count(1234567, small, sizeof small);
	assert_true(strlen(small) < sizeof small);
	nl_units_bytes(1234567, small, sizeof small);
	assert_true(strlen(small) < sizeof small);
}

static void sizes_are_read(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		uint64_t bytes;
	} rows[] = {
		{"0", 0},        {"512", 512},         {"512B", 512},
		{"4k", 4096},    {"128K", 131072},     {"128 KiB", 131072},
		{"1M", 1048576}, {"1.5G", 1610612736}, {"2T", UINT64_C(2199023255552)},
		{"1kB", 1000},   {"1.5MB", 1500000},   {"1TB", UINT64_C(1000000000000)},
		{"0.5K", 512},   {".5K", 512},         {"18446744073709551615", UINT64_MAX},
	};
	struct nl_error err;
	uint64_t bytes;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		assert_int_equal(nl_units_parse_bytes(rows[i].text, &bytes, &err), 0);
		assert_true(bytes == rows[i].bytes);
	}
}

static void ambiguous_and_wrong_sizes_are_refused(void **state)
{
	(void)state;
	static const char *const texts[] = {"",
					    "K",
					    "-1",
					    "1KB",
					    "1mb",
					    "1Kb",
					    "1.5",
					    "0.3K",
					    "1..5K",
					    "1.",
					    "1 2K",
					    "1K x",
					    "nan",
					    "0x10",
					    "1e3",
					    "99999999999T",
					    "18446744073709551616",
					    "1.1B"};
	struct nl_error err;
	uint64_t bytes = 77;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		assert_int_equal(nl_units_parse_bytes(texts[i], &bytes, &err), NL_E_CONFIG);
		assert_true(strlen(err.why) > 0);
	}
	assert_int_equal(bytes, 77);
	assert_int_equal(nl_units_parse_bytes("1KB", &bytes, NULL), NL_E_CONFIG);
}

static void durations_and_rates_are_read(void **state)
{
	(void)state;
	struct nl_error err;
	int64_t ns;
	uint64_t bps;
	assert_true(!nl_units_parse_ns("10s", &ns, &err) && ns == INT64_C(10000000000));
	assert_true(!nl_units_parse_ns("10", &ns, &err) && ns == INT64_C(10000000000));
	assert_true(!nl_units_parse_ns("500ms", &ns, &err) && ns == 500000000);
	assert_true(!nl_units_parse_ns("2m", &ns, &err) && ns == INT64_C(120000000000));
	assert_true(!nl_units_parse_ns("1h", &ns, &err) && ns == INT64_C(3600000000000));
	assert_true(!nl_units_parse_ns("0.25", &ns, &err) && ns == 250000000);
	assert_int_equal(nl_units_parse_ns("1M", &ns, &err), NL_E_CONFIG);
	assert_int_equal(nl_units_parse_ns("9999999999h", &ns, &err), NL_E_CONFIG);
	assert_int_equal(nl_units_parse_ns("-1s", &ns, &err), NL_E_CONFIG);
	assert_true(!nl_units_parse_bps("1gbit", &bps, &err) && bps == 1000000000);
	assert_true(!nl_units_parse_bps("2.5gbit", &bps, &err) && bps == UINT64_C(2500000000));
	assert_true(!nl_units_parse_bps("100 Mbit/s", &bps, &err) && bps == 100000000);
	assert_int_equal(nl_units_parse_bps("100", &bps, &err), NL_E_CONFIG);
	assert_int_equal(nl_units_parse_bps("100mbps", &bps, &err), NL_E_CONFIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_are_shown_in_decimal_units),
		cmocka_unit_test(rounding_goes_on_to_the_next_unit),
		cmocka_unit_test(sizes_are_shown_in_binary_units),
		cmocka_unit_test(rates_keep_their_unit),
		cmocka_unit_test(what_is_not_a_number_is_called_unknown),
		cmocka_unit_test(durations_are_shown),
		cmocka_unit_test(counts_and_shares_are_shown),
		cmocka_unit_test(small_buffers_are_terminated),
		cmocka_unit_test(sizes_are_read),
		cmocka_unit_test(ambiguous_and_wrong_sizes_are_refused),
		cmocka_unit_test(durations_and_rates_are_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
