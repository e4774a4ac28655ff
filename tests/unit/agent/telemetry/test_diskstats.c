/* diskstats: rows of three ages of kernels. */
#include "agent/telemetry/diskstats.h"
#include "unit/agent/fixture.h"

static void rows_of_kernels_from_5_5_have_flushes(void **context)
{
	(void)context;
	char *text = test_fixture("host/proc_diskstats_k5.5plus_20fields.txt");
	const char *cursor = text;
	struct nl_diskstats row;
	assert_true(nl_diskstats_next(&cursor, &row));
	assert_string_equal(row.name, "sda");
	assert_int_equal(row.major, 8);
	assert_int_equal(row.minor, 0);
	assert_int_equal(row.reads, 1284310);
	assert_int_equal(row.read_bytes, 1721161265ull * 512);
	assert_int_equal(row.writes, 902211);
	assert_int_equal(row.write_bytes, 785387776ull * 512);
	assert_int_equal(row.busy_ms, 4120011);
	assert_int_equal(row.queue_ms, 14712400);
	assert_true(row.has_flushes);
	assert_int_equal(row.flushes, 88120);
	unsigned rows = 1;
	while (nl_diskstats_next(&cursor, &row))
		rows++;
	assert_int_equal(rows, 8);
	assert_string_equal(row.name, "loop0");
	free(text);
}

static void rows_of_kernels_before_4_18_have_none(void **context)
{
	(void)context;
	char *text = test_fixture("host/proc_diskstats_k4.18_14fields.txt");
	const char *cursor = text;
	struct nl_diskstats row;
	assert_true(nl_diskstats_next(&cursor, &row));
	assert_int_equal(row.queue_ms, 14236600);
	assert_false(row.has_flushes);
	assert_true(nl_diskstats_next(&cursor, &row));
	assert_true(nl_diskstats_next(&cursor, &row));
	assert_string_equal(row.name, "nvme0n1");
	assert_int_equal(row.major, 259);
	assert_false(nl_diskstats_next(&cursor, &row));
	free(text);
}

static void rows_of_kernels_from_4_18_to_5_4_have_discards_and_no_flushes(void **context)
{
	(void)context;
	const char *cursor = "8 0 sda 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15\n";
	struct nl_diskstats row;
	assert_true(nl_diskstats_next(&cursor, &row));
	assert_int_equal(row.busy_ms, 10);
	assert_false(row.has_flushes);
}

static void columns_of_kernels_to_come_are_ignored(void **context)
{
	(void)context;
	const char *cursor =
		"8 0 sda 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 new\n8 16 sdb 9 2 3 4 5 6 7 8 9 10 11";
	struct nl_diskstats row;
	assert_true(nl_diskstats_next(&cursor, &row));
	assert_int_equal(row.flushes, 16);
	assert_true(nl_diskstats_next(&cursor, &row));
	assert_string_equal(row.name, "sdb");
	assert_int_equal(row.reads, 9);
}

static void a_short_row_does_not_borrow_from_the_next(void **context)
{
	(void)context;
	const char *cursor = "8 0 sda 1 2 3\n4 5 6 7 8 9 10 11 12 13 14\ngarbage\n8 16 sdb 9 2 3 4 5 6 7 8 9 10 11\n";
	struct nl_diskstats row;
	assert_true(nl_diskstats_next(&cursor, &row));
	assert_string_equal(row.name, "sdb");
	assert_false(nl_diskstats_next(&cursor, &row));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_of_kernels_from_5_5_have_flushes),
		cmocka_unit_test(rows_of_kernels_before_4_18_have_none),
		cmocka_unit_test(rows_of_kernels_from_4_18_to_5_4_have_discards_and_no_flushes),
		cmocka_unit_test(columns_of_kernels_to_come_are_ignored),
		cmocka_unit_test(a_short_row_does_not_borrow_from_the_next),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
