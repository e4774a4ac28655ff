/*
 * Tests of proto/histogram: the error bound over every bucket edge and random values, merging, percentiles, and the
 * wire form.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "proto/histogram.h"

#define RANGE_END (UINT64_C(1) << NL_HISTOGRAM_MAX_BITS)

static uint64_t seed;

/* splitmix64 */
static uint64_t next_random(void)
{
	uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* A value whose magnitude, not only its value, is random. */
static uint64_t random_latency(void)
{
	return next_random() >> (24 + next_random() % 40);
}

static struct nl_histogram *fresh(void)
{
	struct nl_histogram *h = malloc(sizeof *h);
	assert_non_null(h);
	nl_histogram_init(h);
	return h;
}

static void check_bound(uint64_t value)
{
	uint64_t low, high;
	nl_histogram_bounds(nl_histogram_index(value), &low, &high);
	assert_true(low <= value && value < high);
	uint64_t middle = low + (high - low) / 2;
	uint64_t off = middle > value ? middle - value : value - middle;
	/* off / value <= 1/128 without division; off is 0 below 128, where each value has its own bucket. */
	assert_true(off * 128 <= value);
}

static void every_bucket_edge_is_within_one_part_in_128(void **state)
{
	(void)state;
	uint64_t expected = 0;
	for (unsigned i = 0; i < NL_HISTOGRAM_BUCKETS; i++) {
		uint64_t low, high;
		nl_histogram_bounds(i, &low, &high);
		/* The buckets follow each other without gap or overlap. */
		assert_true(low == expected && high > low);
		assert_int_equal(nl_histogram_index(low), i);
		assert_int_equal(nl_histogram_index(high - 1), i);
		check_bound(low);
		check_bound(high - 1);
		expected = high;
	}
	assert_true(expected == RANGE_END);
}

static void random_values_are_within_one_part_in_128(void **state)
{
	(void)state;
	for (int i = 0; i < 1000000; i++)
		check_bound(random_latency() % RANGE_END);
}

static void values_above_the_range_are_counted_as_clipped(void **state)
{
	(void)state;
	struct nl_histogram *h = fresh();
	nl_histogram_record(h, RANGE_END - 1);
	assert_int_equal(h->clipped, 0);
	nl_histogram_record(h, RANGE_END);
	nl_histogram_record(h, UINT64_MAX);
	assert_int_equal(h->clipped, 2);
	assert_int_equal(h->bucket[NL_HISTOGRAM_BUCKETS - 1], 3);
	assert_true(h->max_ns == UINT64_MAX);
	assert_true(nl_histogram_percentile(h, 100) == UINT64_MAX);
	assert_true(nl_histogram_percentile(h, 1) < RANGE_END);
	free(h);
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

static void percentiles_are_the_sorted_values_within_the_bound(void **state)
{
	(void)state;
	enum { COUNT = 20000 };
	static const double percents[] = {0, 0.01, 1, 25, 50, 90, 95, 99, 99.9, 99.99, 100};
	uint64_t *values = malloc(COUNT * sizeof *values);
	struct nl_histogram *h = fresh();
	assert_non_null(values);
	double sum = 0;
	for (int i = 0; i < COUNT; i++) {
		values[i] = random_latency() % RANGE_END;
		nl_histogram_record(h, values[i]);
		sum += (double)values[i];
	}
	qsort(values, COUNT, sizeof *values, by_value);
	for (size_t i = 0; i < sizeof percents / sizeof percents[0]; i++) {
		size_t rank = (size_t)ceil(percents[i] * COUNT / 100 - 1e-6);
		uint64_t exact = values[rank ? rank - 1 : 0], got = nl_histogram_percentile(h, percents[i]);
		uint64_t off = got > exact ? got - exact : exact - got;
		/* The value found lies in the same bucket as the exact one: at most a bucket's width away. */
		assert_true(off * 128 <= exact || nl_histogram_index(got) == nl_histogram_index(exact));
	}
	assert_true(fabs(nl_histogram_mean_ns(h) - sum / COUNT) <= sum / COUNT * 1e-9);
	assert_true(h->min_ns == values[0] && h->max_ns == values[COUNT - 1]);
	free(h);
	free(values);
}

static void a_percentile_is_exact_where_the_count_is_whole(void **state)
{
	(void)state;
	struct nl_histogram *h = fresh();
	for (uint64_t v = 1; v <= 100; v++)
		nl_histogram_record(h, v);
	for (int p = 1; p <= 100; p++)
		assert_int_equal(nl_histogram_percentile(h, p), p);
	assert_int_equal(nl_histogram_percentile(h, 0), 1);
	assert_int_equal(nl_histogram_percentile(h, 50.5), 51);
	free(h);
}

static void an_empty_histogram_gives_zero(void **state)
{
	(void)state;
	struct nl_histogram *h = fresh();
	assert_int_equal(nl_histogram_percentile(h, 50), 0);
	assert_true(nl_histogram_mean_ns(h) == 0);
	free(h);
}

static void merging_is_the_same_as_recording_everything_in_one(void **state)
{
	(void)state;
	struct nl_histogram *a = fresh(), *b = fresh(), *all = fresh(), *empty = fresh();
	for (int i = 0; i < 20000; i++) {
		uint64_t v = random_latency();
		nl_histogram_record(i % 3 ? a : b, v);
		nl_histogram_record(all, v);
	}
	nl_histogram_merge(a, b);
	nl_histogram_merge(a, empty);
	nl_histogram_merge(empty, a);
	/* The sums were added in another order. */
	assert_true(fabs(a->sum_ns - all->sum_ns) <= all->sum_ns * 1e-9);
	a->sum_ns = empty->sum_ns = all->sum_ns;
	assert_memory_equal(a, all, sizeof *a);
	assert_memory_equal(empty, all, sizeof *a);
	free(a);
	free(b);
	free(all);
	free(empty);
}

static void check_round_trip(const struct nl_histogram *h)
{
	void *data;
	size_t len;
	struct nl_error err;
	struct nl_histogram *back = fresh();
	assert_int_equal(nl_histogram_encode(h, &data, &len, &err), 0);
	int code = nl_histogram_decode(data, len, back, &err);
	if (code)
		nl_error_print(&err, "decode", stderr);
	assert_int_equal(code, 0);
	assert_memory_equal(h, back, sizeof *back);
	/* Every cut is noticed. */
	for (size_t cut = 0; cut < len; cut++)
		assert_int_equal(nl_histogram_decode(data, cut, back, &err), NL_E_PROTOCOL);
	assert_int_equal(back->count, 0);
	free(data);
	free(back);
}

static void encoding_and_decoding_gives_the_same(void **state)
{
	(void)state;
	struct nl_histogram *h = fresh();
	check_round_trip(h);
	nl_histogram_record(h, 0);
	check_round_trip(h);
	nl_histogram_record(h, UINT64_MAX);
	check_round_trip(h);
	for (int i = 0; i < 3000; i++)
		nl_histogram_record(h, random_latency());
	check_round_trip(h);
	nl_histogram_init(h);
	for (unsigned i = 0; i < NL_HISTOGRAM_BUCKETS; i++) {
		uint64_t low, high;
		nl_histogram_bounds(i, &low, &high);
		nl_histogram_record(h, low);
	}
	check_round_trip(h);
	free(h);
}

struct bad_row {
	const char *why; /* a part of the reason */
	uint8_t len, bytes[40];
};

/* version, count, min, max, sum (8), clipped, (gap, count)... */
static void each_malformed_form_is_refused_with_its_reason(void **state)
{
	(void)state;
	static const struct bad_row rows[] = {
		{"version", 0, {0}},
		{"version", 14, {2, 1, 5, 5, 0, 0, 0, 0, 0, 0, 0x14, 0x40, 0, 5}},
		{"middle of a number", 2, {1, 0x80}},
		{"middle of a number", 6, {1, 1, 5, 5, 0, 0}},
		{"shortest form", 4, {1, 0x81, 0x00, 5}},
		{"too large", 12, {1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02, 5}},
		{"too large", 13, {1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 5}},
		{"add up", 13, {1, 1, 5, 5, 0, 0, 0, 0, 0, 0, 0x14, 0x40, 0}},
		{"add up", 15, {1, 2, 5, 5, 0, 0, 0, 0, 0, 0, 0x14, 0x40, 0, 5, 1}},
		{"is empty", 15, {1, 1, 5, 5, 0, 0, 0, 0, 0, 0, 0x14, 0x40, 0, 5, 0}},
		{"out of range", 16, {1, 1, 5, 5, 0, 0, 0, 0, 0, 0, 0x14, 0x40, 0, 0xff, 0x7f, 1}},
		{"middle of a number", 16, {1, 1, 5, 5, 0, 0, 0, 0, 0, 0, 0x14, 0x40, 0, 5, 1, 7}},
		{"too large", 26, {1, 1,    5,    5,    0,    0,    0,    0,    0,    0,    0x14, 0x40, 0,
				   5, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1,    0,    0}},
		{"no bucket", 15, {1, 1, 4, 5, 0, 0, 0, 0, 0, 0, 0x14, 0x40, 0, 5, 1}},
		{"no bucket", 15, {1, 1, 5, 6, 0, 0, 0, 0, 0, 0, 0x14, 0x40, 0, 5, 1}},
		{"above the greatest", 15, {1, 1, 6, 5, 0, 0, 0, 0, 0, 0, 0x14, 0x40, 0, 5, 1}},
		{"clipped", 15, {1, 1, 5, 5, 0, 0, 0, 0, 0, 0, 0x14, 0x40, 1, 5, 1}},
		{"sum", 15, {1, 1, 5, 5, 0, 0, 0, 0, 0, 0, 0x24, 0x40, 0, 5, 1}},
		{"sum", 15, {1, 1, 5, 5, 0, 0, 0, 0, 0, 0, 0xf0, 0x7f, 0, 5, 1}},
		{"yet has values", 13, {1, 0, 5, 5, 0, 0, 0, 0, 0, 0, 0x14, 0x40, 0}},
	};
	static const uint8_t good[] = {1, 1, 5, 5, 0, 0, 0, 0, 0, 0, 0x14, 0x40, 0, 5, 1};
	struct nl_histogram *h = fresh();
	struct nl_error err;
	assert_int_equal(nl_histogram_decode(good, sizeof good, h, &err), 0);
	assert_int_equal(nl_histogram_percentile(h, 50), 5);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		assert_int_equal(nl_histogram_decode(rows[i].bytes, rows[i].len, h, &err), NL_E_PROTOCOL);
		if (!strstr(err.why, rows[i].why))
			fail_msg("row %zu: \"%s\" does not say \"%s\"", i, err.why, rows[i].why);
	}
	free(h);
}

static void a_clipped_count_that_disagrees_is_refused(void **state)
{
	(void)state;
	struct nl_histogram *h = fresh(), *back = fresh();
	struct nl_error err;
	void *data;
	size_t len;
	nl_histogram_record(h, RANGE_END + 5);
	h->clipped = 0;
	assert_int_equal(nl_histogram_encode(h, &data, &len, &err), 0);
	assert_int_equal(nl_histogram_decode(data, len, back, &err), NL_E_PROTOCOL);
	free(data);
	h->clipped = 2;
	assert_int_equal(nl_histogram_encode(h, &data, &len, &err), 0);
	assert_int_equal(nl_histogram_decode(data, len, back, &err), NL_E_PROTOCOL);
	free(data);
	free(h);
	free(back);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_bucket_edge_is_within_one_part_in_128),
		cmocka_unit_test(random_values_are_within_one_part_in_128),
		cmocka_unit_test(values_above_the_range_are_counted_as_clipped),
		cmocka_unit_test(percentiles_are_the_sorted_values_within_the_bound),
		cmocka_unit_test(a_percentile_is_exact_where_the_count_is_whole),
		cmocka_unit_test(an_empty_histogram_gives_zero),
		cmocka_unit_test(merging_is_the_same_as_recording_everything_in_one),
		cmocka_unit_test(encoding_and_decoding_gives_the_same),
		cmocka_unit_test(each_malformed_form_is_refused_with_its_reason),
		cmocka_unit_test(a_clipped_count_that_disagrees_is_refused),
	};
	const char *given = getenv("NL_TEST_SEED");
	seed = given ? strtoull(given, NULL, 0) : (uint64_t)nl_wall_ns();
	printf("NL_TEST_SEED=%" PRIu64 "\n", seed);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
