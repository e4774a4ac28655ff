/*
 * test_plan_json: a plan written and read again, and stored plans that must not be believed.
 */
#include "unit/controller/campaign/campaign_fixture.h"

#include <stdio.h>

#include "controller/campaign/plan.h"

static char *json_of(struct nl_plan *plan)
{
	struct nl_campaign *c = campaign_of(ONE_CLIENT "iterations: { min: 1, until: 2%, max: 2 }\nshares:\n" NFS SMB);
	struct nl_error err;
	char *text = NULL;
	size_t len = 0;
	assert_int_equal(nl_plan_make(c, NULL, plan, &err), 0);
	FILE *out = open_memstream(&text, &len);
	assert_non_null(out);
	assert_int_equal(nl_plan_print_json(plan, c, out, &err), 0);
	fclose(out);
	free(c);
	return text;
}

static void a_plan_written_reads_back_the_same(void **state)
{
	struct nl_plan plan, again;
	struct nl_error err;
	char *text = json_of(&plan);
	(void)state;
	assert_int_equal(nl_plan_from_json(text, &again, &err), 0);
	assert_int_equal(again.phase_count, plan.phase_count);
	assert_int_equal(again.space_bytes, plan.space_bytes);
	assert_int_equal(again.expected_ns, plan.expected_ns);
	assert_memory_equal(again.phases, plan.phases, plan.phase_count * sizeof *plan.phases);
	free(text);
	nl_plan_fini(&plan);
	nl_plan_fini(&again);
}

/* The text with the first `from` replaced by `to`. */
static char *replaced(const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);
	size_t size = strlen(text) + strlen(to) + 1;
	char *fresh = malloc(size);
	assert_non_null(at);
	assert_non_null(fresh);
	snprintf(fresh, size, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
	return fresh;
}

static void unknown_keys_are_passed_over(void **state)
{
	struct nl_plan plan, again;
	struct nl_error err;
	char *text = json_of(&plan);
	char *more = replaced(text, "\"index\": 0,", "\"index\": 0, \"colour\": [1, {}],");
	(void)state;
	assert_int_equal(nl_plan_from_json(more, &again, &err), 0);
	assert_int_equal(again.phase_count, plan.phase_count);
	nl_plan_fini(&again);
	nl_plan_fini(&plan);
	free(more);
	free(text);
}

static void what_is_missing_or_impossible_is_refused_by_name(void **state)
{
	static const struct {
		const char *from, *to, *says;
	} rows[] = {
		{"\"schema_version\": 1", "\"schema_version\": 2", "schema_version"},
		{"\"space_bytes\"", "\"space\"", "space_bytes"},
		{"\"phases\"", "\"stages\"", "phases"},
		{"\"figure\"", "\"name\"", "phase 0, \"figure\""},
		{"\"kind\": \"prepare\"", "\"kind\": \"unknown\"", "phase 1, \"kind\""},
		{"\"direction\": \"read\"", "\"direction\": 3", "\"direction\""},
		{"\"streams\": 4", "\"streams\": 257", "\"streams\""},
		{"\"streams\": 4", "\"streams\": -1", "\"streams\""},
		{"\"streams\": 4", "\"streams\": 4.0", "\"streams\""},
		{"\"optional\": true", "\"optional\": 1", "\"optional\""},
		{"\"client\": 0", "\"client\": 99", "\"client\""},
		{"\"index\": 3", "\"index\": 4", "phase 3, \"index\""},
		{"\"duration_ns\": 2000000000", "\"duration_ns\": 9223372036854775807", "\"duration_ns\""},
		{"\"file_prefix\": \"pool-s1\"",
		 "\"file_prefix\": \"0123456789012345678901234567890123456789012345678901234567890123\"",
		 "\"file_prefix\""},
		{"\"file_prefix\": \"pool-s1\"", "\"file_prefix\": null", "\"file_prefix\""},
	};
	struct nl_plan plan, again;
	struct nl_error err;
	char *text = json_of(&plan);
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		char *wrong = replaced(text, rows[i].from, rows[i].to);
		assert_int_equal(nl_plan_from_json(wrong, &again, &err), NL_E_PROTOCOL);
		assert_non_null(strstr(err.where, rows[i].says));
		assert_null(again.phases);
		free(wrong);
	}
	nl_plan_fini(&plan);
	free(text);
}

static void text_that_is_no_plan_is_refused(void **state)
{
	static const char *const texts[] = {"", "{", "[]", "null", "{\"schema_version\": 1}", "\"plan\""};
	struct nl_plan plan;
	struct nl_error err;
	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		assert_int_equal(nl_plan_from_json(texts[i], &plan, &err), NL_E_PROTOCOL);
		assert_null(plan.phases);
	}
}

static void an_output_that_is_full_is_an_error(void **state)
{
	struct nl_plan plan;
	struct nl_error err;
	char *text = json_of(&plan);
	struct nl_campaign *c = campaign_of(ONE_CLIENT);
	FILE *full = fopen("/dev/full", "w");
	(void)state;
	assert_non_null(full);
	assert_int_equal(nl_plan_print_json(&plan, c, full, &err), NL_E_SPACE);
	fclose(full);
	free(c);
	free(text);
	nl_plan_fini(&plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plan_written_reads_back_the_same),
		cmocka_unit_test(unknown_keys_are_passed_over),
		cmocka_unit_test(what_is_missing_or_impossible_is_refused_by_name),
		cmocka_unit_test(text_that_is_no_plan_is_refused),
		cmocka_unit_test(an_output_that_is_full_is_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
