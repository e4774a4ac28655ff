/*
 * Tests of base/error.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

static void an_error_tells_what_where_why_and_what_to_do(void **state)
{
	(void)state;
	struct nl_error err;
	char line[1400], *printed = NULL;
	size_t len = 0;
	assert_int_equal(nl_error_set(&err, NL_E_CONFIG, "read %s", "a.yaml"), NL_E_CONFIG);
	assert_int_equal(nl_error_where(&err, "a.yaml:%d:%d", 3, 7), NL_E_CONFIG);
	nl_error_why(&err, "no such key");
	nl_error_todo(&err, "did you mean pool?");
	assert_string_equal(nl_error_line(&err, line, sizeof line),
			    "read a.yaml: a.yaml:3:7: no such key; did you mean pool?");
	FILE *out = open_memstream(&printed, &len);
	assert_non_null(out);
	nl_error_print(&err, "nasline", out);
	fclose(out);
	assert_string_equal(printed, "nasline: read a.yaml: a.yaml:3:7: no such key\n  did you mean pool?\n");
	free(printed);
}

static void an_error_of_the_system_is_classified(void **state)
{
	(void)state;
	static const struct {
		int number;
		enum nl_code code;
	} rows[] = {
		{ENOSPC, NL_E_SPACE},      {EDQUOT, NL_E_SPACE},     {EACCES, NL_E_ACCESS},
		{EROFS, NL_E_ACCESS},      {ENOENT, NL_E_NOT_FOUND}, {EIO, NL_E_IO},
		{ETIMEDOUT, NL_E_TIMEOUT}, {EINVAL, NL_E_SYSTEM},    {ECANCELED, NL_E_CANCELLED},
	};
	struct nl_error err;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		assert_int_equal(nl_error_sys(&err, rows[i].number, "open"), rows[i].code);
		assert_int_equal(err.sys_errno, rows[i].number);
		assert_true(strlen(err.why) > 0);
		assert_int_equal(nl_error_sys(NULL, rows[i].number, "open"), rows[i].code);
	}
	assert_int_equal(nl_error_sys(&err, 99999, "open"), NL_E_SYSTEM);
	assert_true(strlen(err.why) > 0);
}

static void codes_have_names_texts_and_exit_statuses(void **state)
{
	(void)state;
	assert_string_equal(nl_code_name(NL_E_SPACE), "SPACE");
	assert_int_equal(nl_code_exit_status(NL_E_USAGE), 2);
	assert_int_equal(nl_code_exit_status((enum nl_code) - 99), 70);
	assert_true(nl_code_valid(0));
	assert_true(nl_code_valid(NL_E_INTERNAL));
	assert_false(nl_code_valid(1));
	assert_false(nl_code_valid(-(int)NL_CODE_COUNT));
	assert_false(nl_code_valid(INT32_MIN));
	for (int i = 0; i < (int)NL_CODE_COUNT; i++)
		assert_true(strlen(nl_code_text((enum nl_code) - i)) > 0);
}

static void what_others_wrote_cannot_steer_a_terminal(void **state)
{
	(void)state;
	struct nl_error err;
	nl_error_set(&err, NL_E_PEER, "hear from %s", "\x1b[2Jnas\r\n\xff");
	assert_string_equal(err.what, "hear from ?[2Jnas  ?");
}

static void a_text_that_is_cut_stays_utf8(void **state)
{
	(void)state;
	struct nl_error err;
	char text[400];
	for (size_t i = 0; i + 2 < sizeof text; i += 2)
		memcpy(text + i, "\xc3\xa9", 3);
	nl_error_set(&err, NL_E_IO, "x%s", text);
	assert_true(nl_text_valid(err.what, strlen(err.what)));
	nl_error_set(&err, NL_E_IO, "%s", text);
	assert_true(nl_text_valid(err.what, strlen(err.what)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_error_tells_what_where_why_and_what_to_do),
		cmocka_unit_test(an_error_of_the_system_is_classified),
		cmocka_unit_test(codes_have_names_texts_and_exit_statuses),
		cmocka_unit_test(what_others_wrote_cannot_steer_a_terminal),
		cmocka_unit_test(a_text_that_is_cut_stays_utf8),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
