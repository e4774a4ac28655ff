/*
 * Tests of base/parse.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/parse.h"

static char directory[200];

static int make_directory(void **state)
{
	(void)state;
	const char *base = getenv("TMPDIR");
	snprintf(directory, sizeof directory, "%s/nasline-test-XXXXXX", base && *base ? base : "/tmp");
	return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
	(void)state;
	return rmdir(directory);
}

static const char *in_directory(const char *name)
{
	static char path[300];
	snprintf(path, sizeof path, "%s/%s", directory, name);
	return path;
}

static unsigned files_in_directory(void)
{
	unsigned n = 0;
	DIR *dir = opendir(directory);
	assert_non_null(dir);
	for (struct dirent *e; (e = readdir(dir));)
		n += e->d_name[0] != '.';
	closedir(dir);
	return n;
}

static void whole_numbers_are_read(void **state)
{
	(void)state;
	uint64_t u;
	int64_t i;
	assert_true(nl_parse_u64("0", &u) && u == 0);
	assert_true(nl_parse_u64("18446744073709551615", &u) && u == UINT64_MAX);
	assert_true(nl_parse_u64(" 42\n", &u) && u == 42);
	assert_true(nl_parse_u64("007", &u) && u == 7);
	assert_true(nl_parse_i64("-9223372036854775808", &i) && i == INT64_MIN);
	assert_true(nl_parse_i64("9223372036854775807", &i) && i == INT64_MAX);
	assert_true(nl_parse_i64("-1", &i) && i == -1);
}

static void what_is_no_whole_number_is_refused_and_leaves_the_value(void **state)
{
	(void)state;
	static const char *const texts[] = {"",
					    " ",
					    "x",
					    "1x",
					    "1 2",
					    "+1",
					    "-1",
					    "0x10",
					    "1.0",
					    "1e3",
					    "--1",
					    "1\n\n",
					    "\n1",
					    "18446744073709551616",
					    "99999999999999999999999"};
	uint64_t u = 5;
	int64_t i = 5;
	for (size_t n = 0; n < sizeof texts / sizeof texts[0]; n++)
		assert_false(nl_parse_u64(texts[n], &u));
	assert_int_equal(u, 5);
	assert_false(nl_parse_i64("9223372036854775808", &i));
	assert_false(nl_parse_i64("-9223372036854775809", &i));
	assert_false(nl_parse_i64("- 1", &i));
	assert_false(nl_parse_i64("-", &i));
	assert_int_equal(i, 5);
}

static void decimal_numbers_are_read_strictly(void **state)
{
	(void)state;
	static const char *const bad[] = {"",      "nan",   "inf", "-inf", "0x1p3", "1,5",
					  "1.2.3", "1e999", "e5",  "1 2",  "1.5x",  "+-1"};
	double d = 7;
	assert_true(nl_parse_double("1.5", &d) && d == 1.5);
	assert_true(nl_parse_double(" -2e3\n", &d) && d == -2000);
	assert_true(nl_parse_double("0", &d) && d == 0);
	d = 7;
	for (size_t n = 0; n < sizeof bad / sizeof bad[0]; n++)
		assert_false(nl_parse_double(bad[n], &d));
	assert_true(d == 7);
}

static void a_file_is_written_whole_with_its_mode_and_nothing_beside_it(void **state)
{
	(void)state;
	struct nl_error err;
	struct stat st;
	char *text;
	size_t len;
	const char *path = in_directory("key");
	assert_int_equal(nl_file_write_atomic(path, "one", 3, 0600, &err), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(nl_file_write_atomic(path, "second", 6, 0644, &err), 0);
	assert_int_equal(nl_file_read(path, 100, &text, &len, &err), 0);
	assert_int_equal(len, 6);
	assert_string_equal(text, "second");
	free(text);
	assert_int_equal(files_in_directory(), 1);
	assert_int_equal(unlink(path), 0);
}

static void a_failed_write_leaves_nothing(void **state)
{
	(void)state;
	struct nl_error err;
	assert_int_equal(nl_file_write_atomic(in_directory("no/such/place"), "x", 1, 0600, &err), NL_E_NOT_FOUND);
	assert_non_null(strstr(err.where, "no/such/place"));
	/* The rename fails: a directory stands in the way. */
	assert_int_equal(mkdir(in_directory("taken"), 0700), 0);
	assert_true(nl_file_write_atomic(in_directory("taken"), "x", 1, 0600, &err) < 0);
	assert_int_equal(files_in_directory(), 1);
	assert_int_equal(rmdir(in_directory("taken")), 0);
}

static void a_file_larger_than_allowed_is_refused(void **state)
{
	(void)state;
	struct nl_error err;
	char *text, data[10000];
	size_t len;
	memset(data, 'a', sizeof data);
	const char *path = in_directory("large");
	assert_int_equal(nl_file_write_atomic(path, data, sizeof data, 0600, &err), 0);
	assert_int_equal(nl_file_read(path, sizeof data, &text, &len, &err), 0);
	assert_int_equal(len, sizeof data);
	free(text);
	assert_int_equal(nl_file_read(path, sizeof data - 1, &text, &len, &err), NL_E_PROTOCOL);
	assert_non_null(strstr(err.where, "large"));
	assert_int_equal(unlink(path), 0);
}

static void files_without_a_size_and_missing_files_are_handled(void **state)
{
	(void)state;
	struct nl_error err;
	char *text;
	uint64_t value;
	assert_int_equal(nl_file_read("/proc/self/stat", 1 << 16, &text, NULL, &err), 0);
	assert_true(strlen(text) > 10);
	free(text);
	assert_int_equal(nl_file_read(in_directory("none"), 10, &text, NULL, &err), NL_E_NOT_FOUND);
	assert_true(nl_file_read(directory, 10, &text, NULL, &err) < 0);
	assert_int_equal(nl_file_read_u64("/proc/sys/kernel/pid_max", &value, &err), 0);
	assert_true(value > 100);
	assert_int_equal(nl_file_read_u64("/proc/sys/kernel/ostype", &value, &err), NL_E_PROTOCOL);
}

static void lines_are_walked_in_place(void **state)
{
	(void)state;
	char text[] = "one\n\nthree";
	char *cursor = text;
	assert_string_equal(nl_line_next(&cursor), "one");
	assert_string_equal(nl_line_next(&cursor), "");
	assert_string_equal(nl_line_next(&cursor), "three");
	assert_null(nl_line_next(&cursor));
	char ended[] = "a\n";
	cursor = ended;
	assert_string_equal(nl_line_next(&cursor), "a");
	assert_null(nl_line_next(&cursor));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_numbers_are_read),
		cmocka_unit_test(what_is_no_whole_number_is_refused_and_leaves_the_value),
		cmocka_unit_test(decimal_numbers_are_read_strictly),
		cmocka_unit_test(a_file_is_written_whole_with_its_mode_and_nothing_beside_it),
		cmocka_unit_test(a_failed_write_leaves_nothing),
		cmocka_unit_test(a_file_larger_than_allowed_is_refused),
		cmocka_unit_test(files_without_a_size_and_missing_files_are_handled),
		cmocka_unit_test(lines_are_walked_in_place),
	};
	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
