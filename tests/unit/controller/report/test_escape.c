/*
 * Tests of escape: what other machines send cannot control a terminal, a page or a table.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/report/escape.h"

enum how { CLEAN, ASCII, HTML, MARKDOWN };

static void expect(enum how how, const char *text, const char *expected)
{
	char *written = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&written, &len);
	assert_non_null(out);
	if (how == CLEAN)
		nl_escape_clean(text, out);
	else if (how == ASCII)
		nl_escape_ascii(text, out);
	else if (how == HTML)
		nl_escape_html(text, out);
	else
		nl_escape_markdown(text, "<br>", out);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(written, expected);
	free(written);
}

static void control_characters_lose_their_power(void **state)
{
	(void)state;
	expect(CLEAN, "a\tb\nc", "a b\nc");
	expect(CLEAN, "\x1b[2J", "\uFFFD[2J");
	expect(CLEAN, "\x7f\r\b", "\uFFFD\uFFFD\uFFFD");
	expect(CLEAN, "\xc2\x9b", "\uFFFD"); /* CSI as one character */
	expect(CLEAN, "evil\u202Egnp.exe", "evil\uFFFDgnp.exe");
	expect(CLEAN, "zero\u200Bwidth", "zero\uFFFDwidth");
	expect(CLEAN, NULL, "");
}

static void broken_utf8_becomes_valid(void **state)
{
	(void)state;
	expect(CLEAN, "\xff", "\uFFFD");
	expect(CLEAN, "\xc3", "\uFFFD");
	expect(CLEAN, "\xc0\xaf", "\uFFFD\uFFFD");           /* overlong */
	expect(CLEAN, "\xe0\x80\xaf", "\uFFFD\uFFFD\uFFFD"); /* overlong */
	expect(CLEAN, "\xed\xa0\x80", "\uFFFD\uFFFD\uFFFD"); /* surrogate */
	expect(CLEAN, "\xf5\x80\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD");
	expect(CLEAN, "\xf0\x9f\x98\x80 \xc3\xa4 \xe2\x82\xac", "\U0001F600 ä €");
}

static void every_byte_string_is_survived(void **state)
{
	(void)state;
	unsigned seed = 1;
	for (int round = 0; round < 2000; round++) {
		char text[24] = "";
		for (size_t i = 0; i + 1 < sizeof text; i++) {
			seed = seed * 1103515245u + 12345u;
			text[i] = (char)(seed >> 16);
		}
		const char *at = text;
		while (*at) {
			uint32_t character;
			size_t len = nl_escape_next(at, &character);
			assert_in_range(len, 1, 4);
			assert_true(character <= 0x10FFFF);
			at += len;
		}
		assert_ptr_equal(at, text + strlen(text));
		assert_true(nl_escape_width(text) <= 2 * strlen(text));
	}
}

static void widths_are_those_of_a_terminal(void **state)
{
	(void)state;
	assert_int_equal(nl_escape_width(""), 0);
	assert_int_equal(nl_escape_width("abc"), 3);
	assert_int_equal(nl_escape_width("äöü–"), 4);
	assert_int_equal(nl_escape_width("日本"), 4);
	assert_int_equal(nl_escape_width("e\u0301"), 1);
}

static void ascii_keeps_the_sense(void **state)
{
	(void)state;
	expect(ASCII, "1–2 ±3 ×4 µs …", "1-2 +-3 x4 us ...");
	expect(ASCII, "日", "?");
}

static void html_escapes_what_opens_or_closes(void **state)
{
	(void)state;
	expect(HTML, "<a href=\"x\" b='y'>&amp;</a>", "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;");
}

static void markdown_escapes_only_what_has_a_meaning(void **state)
{
	(void)state;
	expect(MARKDOWN, "a|b `c` *d* <e> [f] ~g~ \\", "a\\|b \\`c\\` \\*d\\* \\<e\\> \\[f\\] \\~g\\~ \\\\");
	expect(MARKDOWN, "snake_case but _this_", "snake_case but \\_this\\_");
	expect(MARKDOWN, "R&D and &lt; and &#60;", "R\\&D and \\&lt; and \\&#60;");
	expect(MARKDOWN, "# a\n- b\n+ c", "\\# a<br>\\- b<br>\\+ c");
	expect(MARKDOWN, "1. one", "1\\. one");
	expect(MARKDOWN, "1.25 GB - no list", "1.25 GB - no list");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(control_characters_lose_their_power),
		cmocka_unit_test(broken_utf8_becomes_valid),
		cmocka_unit_test(every_byte_string_is_survived),
		cmocka_unit_test(widths_are_those_of_a_terminal),
		cmocka_unit_test(ascii_keeps_the_sense),
		cmocka_unit_test(html_escapes_what_opens_or_closes),
		cmocka_unit_test(markdown_escapes_only_what_has_a_meaning),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
