/* meminfo: rows by name, KiB to bytes. */
#include "agent/telemetry/meminfo.h"
#include "unit/agent/fixture.h"

static void rows_are_found_by_name_and_are_bytes(void **context)
{
	(void)context;
	char *text = test_fixture("host/proc_meminfo.txt");
	struct nl_meminfo info;
	assert_true(nl_meminfo_parse(text, &info));
	assert_int_equal(info.total_bytes, 131663916ull * 1024);
	assert_int_equal(info.available_bytes, 50978616ull * 1024);
	assert_int_equal(info.cached_bytes, 3211264ull * 1024);
	assert_int_equal(info.dirty_bytes, 412 * 1024);
	assert_int_equal(info.writeback_bytes, 0);
	free(text);
}

static void a_missing_row_is_not_zero(void **context)
{
	(void)context;
	struct nl_meminfo info;
	assert_true(nl_meminfo_parse("MemTotal: 4 kB\nCached: none\nDirty: 99999999999999999999 kB\n", &info));
	assert_int_equal(info.total_bytes, 4096);
	assert_true(info.available_bytes == UINT64_MAX);
	assert_true(info.cached_bytes == UINT64_MAX);
	assert_true(info.dirty_bytes == UINT64_MAX);
	assert_false(nl_meminfo_parse("", &info));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_found_by_name_and_are_bytes),
		cmocka_unit_test(a_missing_row_is_not_zero),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
