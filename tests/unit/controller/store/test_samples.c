/* Samples in and out, through the database. */
#include "scratch.h"

#include <sqlite3.h>

static void add(struct nl_store *store, const char *agent, uint32_t metric, const char *subject, int64_t t0, int count)
{
	int64_t times[64];
	double values[64];
	for (int i = 0; i < count; i++) {
		times[i] = t0 + i * 1000;
		values[i] = (double)(t0 + i);
	}
	assert_ok(nl_store_samples_add(store, "r", agent, metric, subject, times, values, (size_t)count, err));
}

static void chunks_of_a_series_are_joined(void **state)
{
	struct scratch *scratch = *state;
	struct nl_series *series;
	size_t count;
	scratch_run(scratch->store, "r", 1);
	add(scratch->store, "nas", 10, "sda", 1000000, 10);
	add(scratch->store, "nas", 10, "sdb", 1000000, 10);
	add(scratch->store, "nas", 10, "sda", 2000000, 5);
	add(scratch->store, "nas", 20, "eth0", 1000000, 3);
	assert_ok(nl_store_series(scratch->store, "r", 0, 0, INT64_MAX, &series, &count, err));
	assert_int_equal(count, 3);
	assert_string_equal(series[0].subject, "sda");
	assert_int_equal(series[0].count, 15);
	assert_int_equal(series[0].times_ns[10], 2000000);
	assert_true(series[0].values[14] == 2000004);
	nl_store_series_free(series, count);
	assert_ok(nl_store_series(scratch->store, "r", 20, 0, INT64_MAX, &series, &count, err));
	assert_int_equal(count, 1);
	assert_int_equal(series[0].metric, 20);
	nl_store_series_free(series, count);
}

static void a_range_cuts_inside_chunks(void **state)
{
	struct scratch *scratch = *state;
	struct nl_series *series;
	size_t count;
	scratch_run(scratch->store, "r", 1);
	add(scratch->store, "nas", 10, "sda", 1000000, 10);
	add(scratch->store, "nas", 10, "sda", 2000000, 10);
	assert_ok(nl_store_series(scratch->store, "r", 0, 1008000, 2001000, &series, &count, err));
	assert_int_equal(count, 1);
	assert_int_equal(series[0].count, 4);
	assert_int_equal(series[0].times_ns[0], 1008000);
	assert_int_equal(series[0].times_ns[3], 2001000);
	nl_store_series_free(series, count);
	assert_ok(nl_store_series(scratch->store, "r", 0, 5000000, INT64_MAX, &series, &count, err));
	assert_int_equal(count, 0);
	nl_store_series_free(series, count);
}

static void samples_that_step_back_are_sorted_and_the_later_stored_counts(void **state)
{
	struct scratch *scratch = *state;
	struct nl_series *series;
	size_t count;
	int64_t first[] = {10, 20, 30}, second[] = {25, 30, 40};
	double values[] = {1, 2, 3}, later[] = {2.5, 3.5, 4};
	scratch_run(scratch->store, "r", 1);
	assert_ok(nl_store_samples_add(scratch->store, "r", "nas", 10, "sda", first, values, 3, err));
	assert_ok(nl_store_samples_add(scratch->store, "r", "nas", 10, "sda", second, later, 3, err));
	assert_ok(nl_store_series(scratch->store, "r", 0, 0, INT64_MAX, &series, &count, err));
	assert_int_equal(series[0].count, 5);
	assert_int_equal(series[0].times_ns[2], 25);
	assert_true(series[0].values[3] == 3.5);
	nl_store_series_free(series, count);
}

static void nothing_is_stored_for_a_run_that_is_not_there(void **state)
{
	struct scratch *scratch = *state;
	struct nl_error refusal;
	int64_t time = 1;
	double value = 1;
	assert_int_equal(nl_store_samples_add(scratch->store, "none", "nas", 10, "sda", &time, &value, 1, &refusal),
			 NL_E_NOT_FOUND);
}

static void a_damaged_chunk_is_an_error_and_no_crash(void **state)
{
	static const char *const damages[] = {
		"UPDATE chunks SET data = x'07'",
		"UPDATE chunks SET data = x''",
		"UPDATE chunks SET samples = 1000000000000",
		"UPDATE chunks SET samples = -1",
		"UPDATE chunks SET data = CAST(substr(data, 1, 9) AS BLOB) WHERE length(data) > 9",
		"UPDATE chunks SET data = CAST(data || '0' AS BLOB)",
	};
	struct scratch *scratch = *state;
	struct nl_error refusal;
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		struct nl_series *series;
		size_t count;
		sqlite3 *db;
		char id[8];
		snprintf(id, sizeof(id), "r%zu", i);
		scratch_run(scratch->store, id, 1);
		int64_t times[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
		double values[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
		assert_ok(nl_store_samples_add(scratch->store, id, "nas", 10, "sda", times, values, 10, err));
		assert_int_equal(sqlite3_open(scratch->path, &db), SQLITE_OK);
		assert_int_equal(sqlite3_exec(db, damages[i], NULL, NULL, NULL), SQLITE_OK);
		sqlite3_close(db);
		assert_int_equal(nl_store_series(scratch->store, id, 0, 0, INT64_MAX, &series, &count, &refusal),
				 NL_E_STORE);
		assert_null(series);
	}
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(chunks_of_a_series_are_joined),
		TEST(a_range_cuts_inside_chunks),
		TEST(samples_that_step_back_are_sorted_and_the_later_stored_counts),
		TEST(nothing_is_stored_for_a_run_that_is_not_there),
		TEST(a_damaged_chunk_is_an_error_and_no_crash),
	};
	return cmocka_run_group_tests_name("store: samples", tests, NULL, NULL);
}
