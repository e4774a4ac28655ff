/*
 * test_tree: positions, bounds and refusals of the YAML reader.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/campaign/tree.h"

static struct nl_tree_node *parse(const char *text)
{
	struct nl_tree_node *root;
	struct nl_error err;
	assert_int_equal(nl_tree_parse(text, strlen(text), "f", &root, &err), 0);
	return root;
}

static void refused_len(const char *text, size_t len, const char *where, const char *what)
{
	struct nl_tree_node *root = (void *)1;
	struct nl_error err;
	assert_int_equal(nl_tree_parse(text, len, "f", &root, &err), NL_E_CONFIG);
	assert_null(root);
	assert_string_equal(err.where, where);
	assert_non_null(strstr(err.what, what));
}

static void refused(const char *text, const char *where, const char *what)
{
	refused_len(text, strlen(text), where, what);
}

static void every_value_knows_its_line_and_column(void **state)
{
	struct nl_tree_node *root = parse("a: 1\nbb:\n  - x\n  - { c: \"y\" }\n");
	const struct nl_tree_node *a = nl_tree_get(root, "a"), *b = nl_tree_get(root, "bb");
	const struct nl_tree_node *c = nl_tree_get(b->child->next, "c");
	(void)state;
	assert_int_equal(a->line, 1);
	assert_int_equal(a->column, 4);
	assert_int_equal(b->key_line, 2);
	assert_int_equal(b->key_column, 1);
	assert_int_equal(b->child->line, 3);
	assert_int_equal(b->child->column, 5);
	assert_string_equal(c->text, "y");
	assert_true(c->quoted);
	assert_false(a->quoted);
	assert_int_equal(c->line, 4);
	assert_int_equal(c->column, 10);
	assert_int_equal(c->key_column, 7);
	nl_tree_free(root);
}

static void json_reads_as_yaml_does_even_with_tabs(void **state)
{
	struct nl_tree_node *root = parse("{\n\t\"a\": [1, true,\n\t\tnull],\n\t\"b\": {\"c\": \"d\\\"e\"}\n}\n");
	(void)state;
	assert_int_equal(nl_tree_get(root, "a")->kind, NL_TREE_LIST);
	assert_true(nl_tree_null(nl_tree_get(root, "a")->child->next->next));
	assert_string_equal(nl_tree_get(nl_tree_get(root, "b"), "c")->text, "d\"e");
	nl_tree_free(root);
}

static void a_quoted_null_is_a_text(void **state)
{
	struct nl_tree_node *root = parse("a: null\nb: \"null\"\nc:\n");
	(void)state;
	assert_true(nl_tree_null(nl_tree_get(root, "a")));
	assert_false(nl_tree_null(nl_tree_get(root, "b")));
	assert_true(nl_tree_null(nl_tree_get(root, "c")));
	nl_tree_free(root);
}

static void malformed_text_is_refused_where_it_breaks(void **state)
{
	(void)state;
	refused("a: 1\nb: c: d\n", "f:2:5", "not readable");
	refused("\"abc", "f:1:2", "not readable");
	refused("", "f:1:1", "nothing");
	refused("# only a comment\n", "f:1:1", "nothing");
}

static void what_could_grow_when_read_is_refused(void **state)
{
	(void)state;
	refused("a: &x [1]\nb: 2\n", "f:1:7", "anchors");
	refused("a: 1\nb: *x\n", "f:2:4", "anchors");
	refused("a: !!str x\n", "f:1:10", "anchors");
}

static void a_second_document_is_refused(void **state)
{
	(void)state;
	refused("---\na: 1\n---\nb: 2\n", "f:3:1", "second document");
}

static void a_key_given_twice_is_refused_and_both_places_are_named(void **state)
{
	struct nl_tree_node *root;
	struct nl_error err;
	const char *text = "a: 1\nb: 2\na: 3\n";
	(void)state;
	assert_int_equal(nl_tree_parse(text, strlen(text), "f", &root, &err), NL_E_CONFIG);
	assert_string_equal(err.where, "f:3:1");
	assert_non_null(strstr(err.why, "line 1, column 1"));
}

static void a_key_that_is_no_word_is_refused(void **state)
{
	(void)state;
	refused("? [a, b]\n: x\n", "f:1:3", "not a plain word");
}

static void deep_nesting_is_refused_early(void **state)
{
	char *text = malloc(200001);
	(void)state;
	assert_non_null(text);
	memset(text, '[', 200000);
	text[200000] = '\0';
	refused(text, "f:1:13", "nested too deeply");
	free(text);
}

static void too_many_values_are_refused(void **state)
{
	char *text = malloc(40002);
	(void)state;
	assert_non_null(text);
	text[0] = '[';
	for (int i = 0; i < 20000; i++)
		memcpy(text + 1 + 2 * i, "a,", 2);
	text[40001] = '\0';
	refused(text, "f:1:16384", "too many values");
	free(text);
}

static void bytes_that_are_no_text_are_refused(void **state)
{
	(void)state;
	refused_len("a: b\nc: \0d", 10, "f:2:4", "not text");
	refused("a: \x1b[31m", "f:1:4", "not text");
	refused("a: \xff", "f:1:4", "not text");
	refused("a: \xc0\xaf", "f:1:4", "not text");
	refused("a: \xed\xa0\x80", "f:1:4", "not text");
	refused("a: \xf4\x90\x80\x80", "f:1:4", "not text");
	refused("a: \xe2\x82", "f:1:4", "not text");
}

static void letters_of_every_language_are_text(void **state)
{
	struct nl_tree_node *root = parse("a: gr\xc3\xb6\xc3\x9f\x65 \xe6\x97\xa5 \xf0\x9f\x92\xbe\n");
	(void)state;
	assert_string_equal(nl_tree_get(root, "a")->text, "gr\xc3\xb6\xc3\x9f\x65 \xe6\x97\xa5 \xf0\x9f\x92\xbe");
	nl_tree_free(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_value_knows_its_line_and_column),
		cmocka_unit_test(json_reads_as_yaml_does_even_with_tabs),
		cmocka_unit_test(a_quoted_null_is_a_text),
		cmocka_unit_test(malformed_text_is_refused_where_it_breaks),
		cmocka_unit_test(what_could_grow_when_read_is_refused),
		cmocka_unit_test(a_second_document_is_refused),
		cmocka_unit_test(a_key_given_twice_is_refused_and_both_places_are_named),
		cmocka_unit_test(a_key_that_is_no_word_is_refused),
		cmocka_unit_test(deep_nesting_is_refused_early),
		cmocka_unit_test(too_many_values_are_refused),
		cmocka_unit_test(bytes_that_are_no_text_are_refused),
		cmocka_unit_test(letters_of_every_language_are_text),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
