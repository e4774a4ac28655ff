/*
 * Tests of base/text.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

static void well_formed_utf8_is_valid(void **state)
{
	(void)state;
	static const char *const texts[] = {"",
					    "plain",
					    "\xc3\xa9",
					    "\xe2\x82\xac",
					    "\xf0\x9f\x98\x80",
					    "\xed\x9f\xbf",
					    "\xee\x80\x80",
					    "\xf4\x8f\xbf\xbf"};
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		assert_true(nl_text_valid(texts[i], strlen(texts[i])));
}

static void malformed_utf8_is_not_valid(void **state)
{
	(void)state;
	/* Lone continuation, long forms, surrogate, above U+10FFFF, cut in the middle, bytes that never occur. */
	static const char *const texts[] = {"\x80",         "\xc0\xaf",         "\xc1\xbf",         "\xe0\x9f\xbf",
					    "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80",
					    "\xc3",         "\xe2\x82",         "\xf0\x9f\x98",     "\xff",
					    "a\xe2\x28\xa1"};
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		assert_false(nl_text_valid(texts[i], strlen(texts[i])));
	assert_false(nl_text_valid("a\0b", 3));
}

static void cleaning_replaces_what_a_terminal_would_obey(void **state)
{
	(void)state;
	static const struct {
		const char *in, *out;
	} rows[] = {
		{"plain", "plain"},
		{"a\nb\tc", "a b c"},
		{"\x1b[31m", "?[31m"},
		{"\x7f", "?"},
		{"\xc2\x9b"
		 "31m",
		 "?31m"},
		{"\xc3\xa9", "\xc3\xa9"},
		{"\xff\xc3", "??"},
		{"", ""},
		{"\xc2\xa0x", "\xc2\xa0x"},
	};
	char buf[64];
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		snprintf(buf, sizeof buf, "%s", rows[i].in);
		assert_string_equal(nl_text_clean(buf), rows[i].out);
		assert_true(nl_text_valid(buf, strlen(buf)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(well_formed_utf8_is_valid),
		cmocka_unit_test(malformed_utf8_is_not_valid),
		cmocka_unit_test(cleaning_replaces_what_a_terminal_would_obey),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
