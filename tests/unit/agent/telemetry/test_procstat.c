/* procstat: rows of single cores. */
#include "agent/telemetry/procstat.h"
#include "unit/agent/fixture.h"

static void a_core_is_summed_up_by_what_matters(void **context)
{
	(void)context;
	char *text = test_fixture("host/proc_stat.txt");
	const char *cursor = text;
	struct nl_procstat_cpu row;
	assert_true(nl_procstat_next(&cursor, &row));
	assert_int_equal(row.cpu, 0);
	assert_int_equal(row.user, 1393280 + 32966);
	assert_int_equal(row.system, 572056);
	assert_int_equal(row.idle, 13343292 + 6130);
	assert_int_equal(row.softirq, 0 + 17875);
	assert_int_equal(row.steal, 0);
	assert_true(nl_procstat_next(&cursor, &row));
	assert_int_equal(row.cpu, 1);
	assert_false(nl_procstat_next(&cursor, &row));
	free(text);
}

static void steal_and_missing_columns_are_told_apart(void **context)
{
	(void)context;
	const char *cursor = "cpu 9 9 9 9\ncpu12 1 2 3 4 5 6 7 8 9 10\ncpu13 1 2 3 4\ncpu14 1 2 3\nintr 5\n";
	struct nl_procstat_cpu row;
	assert_true(nl_procstat_next(&cursor, &row));
	assert_int_equal(row.cpu, 12);
	assert_int_equal(row.idle, 9);
	assert_int_equal(row.softirq, 13);
	assert_int_equal(row.steal, 8);
	assert_true(nl_procstat_next(&cursor, &row));
	assert_int_equal(row.cpu, 13);
	assert_int_equal(row.idle, 4);
	assert_int_equal(row.steal, 0);
	assert_false(nl_procstat_next(&cursor, &row));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_core_is_summed_up_by_what_matters),
		cmocka_unit_test(steal_and_missing_columns_are_told_apart),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
