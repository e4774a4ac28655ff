/* The encoding of samples: exact, small, and safe against any bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/store/chunk.h"

static void round_trip(const int64_t *times, const double *values, size_t count)
{
	uint8_t data[4096];
	int64_t times_back[64];
	double values_back[64];
	assert_true(nl_chunk_bound(count) <= sizeof(data));
	size_t len = nl_chunk_encode(times, values, count, data);
	assert_true(len <= nl_chunk_bound(count));
	assert_true(nl_chunk_decode(data, len, times_back, values_back, count));
	assert_memory_equal(times, times_back, count * sizeof(*times));
	assert_memory_equal(values, values_back, count * sizeof(*values));
}

static void what_goes_in_comes_out_bit_by_bit(void **state)
{
	(void)state;
	const int64_t times[] = {INT64_MIN, -1, 0, 1, 1790000000000000000, INT64_MAX};
	const double counters[] = {0, 1, 9007199254740992.0, -9007199254740992.0, 5, 4};
	const double gauges[] = {0.1, -0.0, 1e308, -5e-324, 9007199254740994.0, 3};
	const double negative_zero[] = {-0.0, 1, 2, 3, 4, 5};
	round_trip(times, counters, 6);
	round_trip(times, gauges, 6);
	round_trip(times, negative_zero, 6);
}

static void a_counter_at_one_hertz_takes_a_few_bytes_per_sample(void **state)
{
	(void)state;
	int64_t times[60];
	double values[60];
	uint8_t data[4096];
	for (int i = 0; i < 60; i++) {
		times[i] = 1790000000000000000 + i * 1000000000L + i % 7 * 13000;
		values[i] = 1e12 + i * 117.6e6;
	}
	size_t len = nl_chunk_encode(times, values, 60, data);
	assert_in_range(len, 60 * 2, 60 * 11);
	round_trip(times, values, 60);
}

static void random_bytes_are_refused_or_decoded_but_never_overrun(void **state)
{
	(void)state;
	int64_t times[16];
	double values[16];
	uint64_t seed = 42;
	for (int round = 0; round < 20000; round++) {
		size_t len = (size_t)round % 200;
		uint8_t *data = malloc(len + 1);
		for (size_t i = 0; i < len; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			data[i] = (uint8_t)(seed >> 56);
		}
		if (len)
			data[0] = (uint8_t)(1 + round % 2);
		nl_chunk_decode(data, len, times, values, (size_t)round % 16);
		free(data);
	}
}

static void a_varint_that_overflows_is_refused(void **state)
{
	(void)state;
	static const uint8_t data[] = {2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02, 0};
	int64_t time;
	double value;
	assert_false(nl_chunk_decode(data, sizeof(data), &time, &value, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_goes_in_comes_out_bit_by_bit),
		cmocka_unit_test(a_counter_at_one_hertz_takes_a_few_bytes_per_sample),
		cmocka_unit_test(random_bytes_are_refused_or_decoded_but_never_overrun),
		cmocka_unit_test(a_varint_that_overflows_is_refused),
	};
	return cmocka_run_group_tests_name("store: chunks", tests, NULL, NULL);
}
