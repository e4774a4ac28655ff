/*
 * plan_json: a plan as one JSON document and back. One table of fields serves both ways.
 */
#include <errno.h>
#include <jansson.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "controller/campaign/plan.h"

#define SCHEMA_VERSION 1

enum field_type {
	FIELD_UNSIGNED,
	FIELD_I64,
	FIELD_U64,
	FIELD_BOOL,
	FIELD_TEXT,
	FIELD_KIND,
	FIELD_LAYER,
	FIELD_DIRECTION,
	FIELD_WORKLOAD
};

struct field {
	const char *name;
	enum field_type type;
	size_t offset, size;
	int64_t min, max; /* of numbers */
};

#define PHASE(member) offsetof(struct nl_phase, member), sizeof(((struct nl_phase *)0)->member)
#define DAY_NS        INT64_C(86400000000000)
#define YEAR_NS       (366 * DAY_NS)

static const struct field phase_fields[] = {
	{"index", FIELD_UNSIGNED, PHASE(index), 0, NL_PLAN_PHASES_MAX - 1},
	{"kind", FIELD_KIND, PHASE(kind), 0, 0},
	{"figure", FIELD_TEXT, PHASE(figure), 0, 0},
	{"layer", FIELD_LAYER, PHASE(layer), 0, 0},
	{"direction", FIELD_DIRECTION, PHASE(direction), 0, 0},
	{"workload", FIELD_WORKLOAD, PHASE(workload), 0, 0},
	{"streams", FIELD_UNSIGNED, PHASE(streams), 0, 256},
	{"iteration", FIELD_UNSIGNED, PHASE(iteration), 0, NL_PLAN_PHASES_MAX},
	{"optional", FIELD_BOOL, PHASE(optional), 0, 0},
	{"on_nas", FIELD_BOOL, PHASE(on_nas), 0, 0},
	{"client", FIELD_UNSIGNED, PHASE(client), 0, NL_CAMPAIGN_LIST_MAX - 1},
	{"share", FIELD_UNSIGNED, PHASE(share), 0, NL_CAMPAIGN_LIST_MAX - 1},
	{"file_prefix", FIELD_TEXT, PHASE(file_prefix), 0, 0},
	{"duration_ns", FIELD_I64, PHASE(duration_ns), 0, DAY_NS},
	{"ramp_ns", FIELD_I64, PHASE(ramp_ns), 0, DAY_NS},
	{"block_bytes", FIELD_U64, PHASE(block_bytes), 0, INT64_MAX},
	{"file_bytes", FIELD_U64, PHASE(file_bytes), 0, INT64_MAX},
	{"queue_depth", FIELD_UNSIGNED, PHASE(queue_depth), 0, 1024},
	{"expected_ns", FIELD_I64, PHASE(expected_ns), 0, YEAR_NS},
};
#define PHASE_FIELDS (sizeof phase_fields / sizeof phase_fields[0])

/* The words of the enums; the functions answer "unknown" beyond the last. */
static const char *kind_word(unsigned i)
{
	return nl_phase_kind_name((enum nl_phase_kind)i);
}
static const char *layer_word(unsigned i)
{
	return nl_layer_name((enum nl_layer)i);
}
static const char *direction_word(unsigned i)
{
	return nl_direction_name((enum nl_direction)i);
}
static const char *workload_word(unsigned i)
{
	return nl_workload_name((enum nl_workload)i);
}

static const char *enum_word(enum field_type type, unsigned index)
{
	static const char *(*const words[])(unsigned) = {
		[FIELD_KIND] = kind_word,
		[FIELD_LAYER] = layer_word,
		[FIELD_DIRECTION] = direction_word,
		[FIELD_WORKLOAD] = workload_word,
	};
	return words[type](index);
}

/* --- writing --- */

static json_t *write_field(const struct field *field, const char *base)
{
	const char *at = base + field->offset;
	unsigned narrow;
	int64_t wide;
	switch (field->type) {
	case FIELD_BOOL:
		return json_boolean(*(const bool *)at);
	case FIELD_TEXT:
		return json_string(at);
	case FIELD_I64:
	case FIELD_U64:
		memcpy(&wide, at, sizeof wide);
		return json_integer(wide);
	default:
		memcpy(&narrow, at, sizeof narrow);
		return field->type == FIELD_UNSIGNED ? json_integer(narrow)
						     : json_string(enum_word(field->type, narrow));
	}
}

static json_t *write_phase(const struct nl_phase *phase)
{
	json_t *object = json_object();
	int failed = object ? 0 : -1;
	for (size_t i = 0; i < PHASE_FIELDS && !failed; i++)
		failed = json_object_set_new(object, phase_fields[i].name,
					     write_field(&phase_fields[i], (const char *)phase));
	if (!failed)
		return object;
	json_decref(object);
	return NULL;
}

static json_t *write_plan(const struct nl_plan *plan, const struct nl_campaign *campaign)
{
	json_t *phases = json_array();
	int failed = phases ? 0 : -1;
	for (unsigned i = 0; i < plan->phase_count && !failed; i++)
		failed = json_array_append_new(phases, write_phase(&plan->phases[i]));
	if (failed) {
		json_decref(phases);
		return NULL;
	}
	return json_pack("{s:i, s:s, s:s, s:I, s:I, s:o}", "schema_version", SCHEMA_VERSION, "campaign",
			 campaign->title, "preset", campaign->preset, "space_bytes", (json_int_t)plan->space_bytes,
			 "expected_ns", (json_int_t)plan->expected_ns, "phases", phases);
}

int nl_plan_print_json(const struct nl_plan *plan, const struct nl_campaign *campaign, FILE *out, struct nl_error *err)
{
	json_t *root = write_plan(plan, campaign);
	if (!root)
		return nl_error_set(err, NL_E_SYSTEM, "out of memory while writing the plan");
	errno = 0;
	int failed = json_dumpf(root, out, JSON_INDENT(2)) || fputc('\n', out) == EOF || fflush(out);
	json_decref(root);
	return failed ? nl_error_sys(err, errno ? errno : EIO, "write the plan") : 0;
}

/* --- reading --- */

static int refuse(struct nl_error *err, size_t phase, const char *field, const char *why)
{
	nl_error_set(err, NL_E_PROTOCOL, "a stored plan cannot be read");
	if (phase == SIZE_MAX)
		nl_error_where(err, "\"%s\"", field);
	else
		nl_error_where(err, "phase %zu, \"%s\"", phase, field);
	nl_error_why(err, "%s", why);
	return NL_E_PROTOCOL;
}

static const char *read_text(const json_t *value, const struct field *field, char *at)
{
	const char *text = json_string_value(value);
	if (!text)
		return "it is no text";
	size_t len = json_string_length(value);
	if (len >= field->size || strlen(text) != len)
		return "the text is too long";
	memcpy(at, text, len + 1);
	return NULL;
}

static const char *read_word(const json_t *value, const struct field *field, char *at)
{
	const char *text = json_string_value(value);
	for (unsigned i = 0; text && strcmp(enum_word(field->type, i), "unknown") != 0; i++)
		if (!strcmp(text, enum_word(field->type, i))) {
			memcpy(at, &i, sizeof i);
			return NULL;
		}
	return "the word is not known";
}

static const char *read_number(const json_t *value, const struct field *field, char *at)
{
	if (!json_is_integer(value))
		return "it is no whole number";
	int64_t wide = json_integer_value(value);
	unsigned narrow = (unsigned)wide;
	if (wide < field->min || wide > field->max)
		return "the number is out of range";
	if (field->type == FIELD_UNSIGNED)
		memcpy(at, &narrow, sizeof narrow);
	else
		memcpy(at, &wide, sizeof wide);
	return NULL;
}

/* NULL, or why the value cannot be taken. */
static const char *read_field(const json_t *object, const struct field *field, char *base)
{
	const json_t *value = json_object_get(object, field->name);
	char *at = base + field->offset;
	if (!value)
		return "it is missing";
	switch (field->type) {
	case FIELD_UNSIGNED:
	case FIELD_I64:
	case FIELD_U64:
		return read_number(value, field, at);
	case FIELD_BOOL:
		*(bool *)at = json_is_true(value);
		return json_is_boolean(value) ? NULL : "it is neither true nor false";
	case FIELD_TEXT:
		return read_text(value, field, at);
	default:
		return read_word(value, field, at);
	}
}

static int read_phases(const json_t *array, struct nl_plan *plan, struct nl_error *err)
{
	size_t count = json_array_size(array);
	if (!json_is_array(array) || count > NL_PLAN_PHASES_MAX)
		return refuse(err, SIZE_MAX, "phases", "it is missing, no list, or too long");
	plan->phases = calloc(count ? count : 1, sizeof *plan->phases);
	if (!plan->phases)
		return nl_error_set(err, NL_E_SYSTEM, "out of memory while reading a plan");
	for (size_t i = 0; i < count; i++) {
		const json_t *object = json_array_get(array, i);
		for (size_t f = 0; f < PHASE_FIELDS; f++) {
			const char *why = read_field(object, &phase_fields[f], (char *)&plan->phases[i]);
			if (why)
				return refuse(err, i, phase_fields[f].name, why);
		}
		if (plan->phases[i].index != i)
			return refuse(err, i, "index", "it is not its place in the list");
	}
	plan->phase_count = (unsigned)count;
	return 0;
}

static int read_plan(const json_t *root, struct nl_plan *plan, struct nl_error *err)
{
	static const struct field fields[] = {
		{"space_bytes", FIELD_U64, offsetof(struct nl_plan, space_bytes), sizeof(uint64_t), 0, INT64_MAX},
		{"expected_ns", FIELD_I64, offsetof(struct nl_plan, expected_ns), sizeof(int64_t), 0, INT64_MAX},
	};
	const json_t *version = json_object_get(root, "schema_version");
	if (!json_is_integer(version) || json_integer_value(version) != SCHEMA_VERSION)
		return refuse(err, SIZE_MAX, "schema_version", "this version is not understood");
	for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
		const char *why = read_field(root, &fields[i], (char *)plan);
		if (why)
			return refuse(err, SIZE_MAX, fields[i].name, why);
	}
	return read_phases(json_object_get(root, "phases"), plan, err);
}

int nl_plan_from_json(const char *text, struct nl_plan *plan, struct nl_error *err)
{
	json_error_t reason;
	memset(plan, 0, sizeof *plan);
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &reason);
	if (!root) {
		nl_error_set(err, NL_E_PROTOCOL, "a stored plan cannot be read");
		nl_error_where(err, "line %d, column %d", reason.line, reason.column);
		nl_error_why(err, "%s", reason.text);
		return NL_E_PROTOCOL;
	}
	int code = read_plan(root, plan, err);
	json_decref(root);
	if (code)
		nl_plan_fini(plan);
	return code;
}
