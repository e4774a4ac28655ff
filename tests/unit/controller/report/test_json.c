/*
 * Tests of report.json against docs/report.schema.json: every field is documented, every documented field is there and
 * is of the documented type. The part of JSON Schema that the document uses is checked here: type, enum, properties,
 * required, additionalProperties, items, $ref.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <jansson.h>

#include "rendered.h"
#include "sample.h"

static json_t *schema_root;

static bool is_type(const json_t *value, const char *type)
{
	if (strcmp(type, "integer") == 0)
		return json_is_integer(value);
	if (strcmp(type, "number") == 0)
		return json_is_number(value);
	if (strcmp(type, "string") == 0)
		return json_is_string(value);
	if (strcmp(type, "boolean") == 0)
		return json_is_boolean(value);
	if (strcmp(type, "array") == 0)
		return json_is_array(value);
	if (strcmp(type, "object") == 0)
		return json_is_object(value);
	return strcmp(type, "null") == 0 && json_is_null(value);
}

static bool matches_type(const json_t *value, const json_t *types)
{
	if (json_is_string(types))
		return is_type(value, json_string_value(types));
	for (size_t i = 0; i < json_array_size(types); i++)
		if (is_type(value, json_string_value(json_array_get(types, i))))
			return true;
	return false;
}

static bool in_enum(const json_t *value, const json_t *list)
{
	for (size_t i = 0; i < json_array_size(list); i++)
		if (json_equal(value, json_array_get(list, i)))
			return true;
	return false;
}

static const json_t *resolve(const json_t *schema)
{
	const char *reference = json_string_value(json_object_get(schema, "$ref"));
	if (!reference)
		return schema;
	assert_int_equal(strncmp(reference, "#/$defs/", 8), 0);
	const json_t *target = json_object_get(json_object_get(schema_root, "$defs"), reference + 8);
	assert_non_null(target);
	return target;
}

static unsigned check(const json_t *value, const json_t *schema, const char *where);

static unsigned check_object(const json_t *value, const json_t *schema, const char *where)
{
	unsigned faults = 0;
	const json_t *properties = json_object_get(schema, "properties"),
		     *required = json_object_get(schema, "required");
	assert_true(json_is_false(json_object_get(schema, "additionalProperties")));
	assert_int_equal(json_object_size(properties), json_array_size(required));
	for (size_t i = 0; i < json_array_size(required); i++) {
		const char *key = json_string_value(json_array_get(required, i));
		const json_t *member = json_object_get(value, key), *member_schema = json_object_get(properties, key);
		assert_non_null(member_schema);
		if (!member) {
			print_error("%s.%s is missing\n", where, key);
			faults++;
			continue;
		}
		char path[512];
		snprintf(path, sizeof path, "%s.%s", where, key);
		faults += check(member, member_schema, path);
	}
	if (json_object_size(value) != json_object_size(properties)) {
		print_error("%s has fields that the schema does not know\n", where);
		faults++;
	}
	return faults;
}

static unsigned check(const json_t *value, const json_t *unresolved, const char *where)
{
	unsigned faults = 0;
	const json_t *schema = resolve(unresolved);
	const json_t *allowed = json_object_get(schema, "enum");
	if (!matches_type(value, json_object_get(schema, "type"))) {
		print_error("%s is of the wrong type\n", where);
		return 1;
	}
	if (allowed && !in_enum(value, allowed)) {
		print_error("%s is none of the values listed\n", where);
		faults++;
	}
	if (json_is_object(value))
		faults += check_object(value, schema, where);
	for (size_t i = 0; json_is_array(value) && i < json_array_size(value); i++)
		faults += check(json_array_get(value, i), json_object_get(schema, "items"), where);
	return faults;
}

static json_t *load(struct nl_model *model)
{
	char *text = nl_rendered_json(model);
	json_t *object = json_loads(text, 0, NULL);
	assert_non_null(object);
	free(text);
	nl_sample_free(model);
	return object;
}

static void every_field_is_as_the_published_schema_says(void **state)
{
	(void)state;
	struct nl_model *(*const samples[])(void) = {nl_sample_run, nl_sample_hostile, nl_sample_failed,
						     nl_sample_broken};
	schema_root = json_load_file(NL_SCHEMA, 0, NULL);
	assert_non_null(schema_root);
	for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
		json_t *object = load(samples[i]());
		assert_int_equal(check(object, schema_root, "report"), 0);
		json_decref(object);
	}
	json_decref(schema_root);
}

static void every_verdict_and_bottleneck_is_in_the_schema(void **state)
{
	(void)state;
	schema_root = json_load_file(NL_SCHEMA, 0, NULL);
	assert_non_null(schema_root);
	json_t *definitions = json_object_get(schema_root, "$defs");
	json_t *verdicts = json_object_get(json_object_get(definitions, "verdict"), "enum");
	json_t *figure = json_object_get(json_object_get(definitions, "figure"), "properties");
	json_t *bottlenecks = json_object_get(json_object_get(figure, "bottleneck"), "enum");
	assert_int_equal(json_array_size(verdicts), NL_VERDICT_COUNT);
	for (int i = 0; i < NL_VERDICT_COUNT; i++)
		assert_string_equal(json_string_value(json_array_get(verdicts, (size_t)i)),
				    nl_verdict_name((enum nl_verdict)i));
	assert_int_equal(json_array_size(bottlenecks), NL_BOTTLENECK_COUNT);
	for (int i = 0; i < NL_BOTTLENECK_COUNT; i++)
		assert_string_equal(json_string_value(json_array_get(bottlenecks, (size_t)i)),
				    nl_bottleneck_name((enum nl_bottleneck)i));
	json_decref(schema_root);
}

static void what_is_not_known_is_null_and_never_zero(void **state)
{
	(void)state;
	json_t *object = load(nl_sample_run());
	json_t *failed = json_array_get(json_object_get(object, "paths"), 7);
	assert_string_equal(json_string_value(json_object_get(failed, "verdict")), "failed");
	assert_true(json_is_null(json_object_get(failed, "bytes_per_second")));
	assert_true(json_is_null(json_object_get(json_object_get(failed, "ledger"), "disks")));
	assert_true(json_is_null(json_object_get(json_object_get(failed, "latency_ns"), "p99")));
	assert_int_equal(json_integer_value(json_object_get(failed, "iterations")), 0);
	assert_int_equal(json_integer_value(json_object_get(failed, "failed_iterations")), 2);
	json_t *cached = json_array_get(json_object_get(object, "paths"), 6);
	assert_int_equal(json_integer_value(json_object_get(json_object_get(cached, "ledger"), "disks")), 0);
	assert_false(json_is_null(json_object_get(json_object_get(cached, "ledger"), "disks")));
	assert_true(json_is_false(json_object_get(cached, "quotable")));
	json_decref(object);
}

static void hostile_texts_come_back_as_they_were_but_for_what_controls(void **state)
{
	(void)state;
	json_t *object = load(nl_sample_hostile());
	assert_string_equal(json_string_value(json_object_get(object, "summary")),
			    "</script><script>alert(\"1\")</script>|`*_x_*`'&amp;\uFFFD[31m\uFFFD\n# no heading");
	json_decref(object);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field_is_as_the_published_schema_says),
		cmocka_unit_test(every_verdict_and_bottleneck_is_in_the_schema),
		cmocka_unit_test(what_is_not_known_is_null_and_never_zero),
		cmocka_unit_test(hostile_texts_come_back_as_they_were_but_for_what_controls),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
