/*
 * test_outcome: a Result and what it points to.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "agent/outcome.h"
#include "proto/message.h"

static int setup(void **state)
{
	*state = nl_outcome_alloc(42);
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	nl_outcome_free(*state);
	return 0;
}

/* Whether the controller would take it. */
static void assert_travels(struct nl_outcome *outcome)
{
	struct nl_error err;
	Nl__Request request = NL__REQUEST__INIT, *back = NULL;
	void *data = NULL;
	size_t len = 0;
	request.version = NL_PROTOCOL_VERSION;
	request.body_case = NL__REQUEST__BODY_RESULT;
	request.result = nl_outcome_result(outcome);
	assert_int_equal(nl_request_encode(&request, &data, &len, &err), NL_E_OK);
	if (nl_request_decode(data, len, &back, &err) != NL_E_OK)
		fail_msg("%s: %s", err.what, err.why);
	nl_request_free(back);
	free(data);
}

static void an_outcome_begins_empty_and_knows_its_order(void **state)
{
	const Nl__Result *result = nl_outcome_result(*state);
	assert_int_equal(result->order, 42);
	assert_int_equal(result->n_fact, 0);
	assert_null(result->failure);
	assert_travels(*state);
}

static void facts_are_copies(void **state)
{
	char value[] = "12";
	nl_outcome_fact(*state, "cpu", "cores", value);
	value[0] = 'X';
	nl_outcome_factf(*state, "cpu", "speed", "%d MHz", 3000);
	const Nl__Result *result = nl_outcome_result(*state);
	assert_int_equal(result->n_fact, 2);
	assert_string_equal(result->fact[0]->subject, "cpu");
	assert_string_equal(result->fact[0]->key, "cores");
	assert_string_equal(result->fact[0]->value, "12");
	assert_string_equal(result->fact[1]->value, "3000 MHz");
}

static void texts_too_long_are_cut_between_characters(void **state)
{
	assert_string_equal(nl_outcome_text(*state, "abcdef", 3), "abc");
	assert_string_equal(nl_outcome_text(*state, "ab\xc3\xa4z", 3), "ab");
	assert_string_equal(nl_outcome_text(*state, "ab\xc3\xa4z", 4), "ab\xc3\xa4");
	char longer[3000];
	memset(longer, 'x', sizeof longer - 1);
	longer[sizeof longer - 1] = '\0';
	nl_outcome_fact(*state, longer, longer, longer);
	nl_outcome_factf(*state, "a", "b", "%s", longer);
	assert_travels(*state);
}

static void what_is_not_text_does_not_have_the_message_refused(void **state)
{
	nl_outcome_fact(*state, "disk:sda", "model", "WD\x9f\xff\x1b[31m Red");
	const char *value = nl_outcome_result(*state)->fact[0]->value;
	assert_null(strchr(value, '\x1b'));
	assert_travels(*state);
}

static void more_facts_than_there_is_room_for_are_dropped(void **state)
{
	for (int i = 0; i < 2000; i++)
		nl_outcome_factf(*state, "subject", "key", "%d", i);
	assert_int_equal(nl_outcome_result(*state)->n_fact, 1024);
	assert_travels(*state);
}

static void a_failure_outlives_the_error_that_it_tells(void **state)
{
	struct nl_error err;
	nl_error_set(&err, NL_E_SPACE, "make room");
	nl_error_why(&err, "there is none");
	Nl__Failure *failure = nl_outcome_failure(*state, &err);
	nl_error_set(&err, NL_E_IO, "something else");
	assert_int_equal(failure->code, NL_E_SPACE);
	assert_string_equal(failure->what, "make room");
	assert_string_equal(failure->why, "there is none");
	nl_outcome_result(*state)->failure = failure;
	assert_travels(*state);
}

static void kept_memory_is_freed_with_the_outcome(void **state)
{
	for (int i = 0; i < 200; i++) {
		assert_int_equal(nl_outcome_keep(*state, malloc(16)), NL_E_OK);
		const char *zeroed = nl_outcome_memory(*state, 16);
		assert_non_null(zeroed);
		assert_int_equal(zeroed[15], 0);
	}
	assert_non_null(nl_outcome_memory(*state, 0));
	nl_outcome_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(an_outcome_begins_empty_and_knows_its_order, setup, teardown),
		cmocka_unit_test_setup_teardown(facts_are_copies, setup, teardown),
		cmocka_unit_test_setup_teardown(texts_too_long_are_cut_between_characters, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_not_text_does_not_have_the_message_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(more_facts_than_there_is_room_for_are_dropped, setup, teardown),
		cmocka_unit_test_setup_teardown(a_failure_outlives_the_error_that_it_tells, setup, teardown),
		cmocka_unit_test_setup_teardown(kept_memory_is_freed_with_the_outcome, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
