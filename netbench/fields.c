/*
 * fields: table-driven JSON.
 */
#include <string.h>

#include "netbench/fields.h"

static json_t *field_pack(const struct nl_nb_field *field, const void *at)
{
	switch (field->type) {
	case NL_NB_BOOL:
		return json_boolean(*(const bool *)at);
	case NL_NB_UINT:
		return json_integer(*(const unsigned *)at);
	case NL_NB_INT64:
		return json_integer(*(const int64_t *)at);
	case NL_NB_UINT64:
		return json_integer((json_int_t) * (const uint64_t *)at);
	case NL_NB_DOUBLE:
		return json_real(*(const double *)at);
	case NL_NB_TEXT:
		return json_string(at);
	}
	return NULL;
}

int nl_nb_fields_pack(json_t *object, const struct nl_nb_field *fields, size_t count, const void *structure)
{
	for (size_t i = 0; i < count; i++) {
		json_t *value = field_pack(&fields[i], (const char *)structure + fields[i].offset);

		if (json_object_set_new(object, fields[i].name, value))
			return NL_E_INTERNAL;
	}
	return 0;
}

static bool text_unpack(const struct nl_nb_field *field, const json_t *value, char *at)
{
	const char *text = json_string_value(value);
	size_t length = json_string_length(value);

	/* These texts end on terminals: no control characters, whoever sent them. */
	if (!text || length >= field->size || strlen(text) != length)
		return false;
	for (size_t i = 0; i < length; i++)
		if (text[i] < 0x20 || text[i] > 0x7e)
			return false;
	memcpy(at, text, length + 1);
	return true;
}

static bool number_unpack(const struct nl_nb_field *field, const json_t *value, void *at)
{
	json_int_t number = json_integer_value(value);

	if (!json_is_integer(value) || number < field->min || number > field->max)
		return false;
	if (field->type == NL_NB_UINT)
		*(unsigned *)at = (unsigned)number;
	else if (field->type == NL_NB_INT64)
		*(int64_t *)at = number;
	else
		*(uint64_t *)at = (uint64_t)number;
	return true;
}

static bool field_unpack(const struct nl_nb_field *field, const json_t *value, void *at)
{
	switch (field->type) {
	case NL_NB_BOOL:
		if (!json_is_boolean(value))
			return false;
		*(bool *)at = json_is_true(value);
		return true;
	case NL_NB_DOUBLE:
		if (!json_is_number(value) || !(json_number_value(value) >= (double)field->min) ||
		    !(json_number_value(value) <= (double)field->max))
			return false;
		*(double *)at = json_number_value(value);
		return true;
	case NL_NB_TEXT:
		return text_unpack(field, value, at);
	case NL_NB_UINT:
	case NL_NB_INT64:
	case NL_NB_UINT64:
		return number_unpack(field, value, at);
	}
	return false;
}

int nl_nb_fields_unpack(const json_t *object, const struct nl_nb_field *fields, size_t count, void *structure,
			struct nl_error *err)
{
	for (size_t i = 0; i < count; i++) {
		const json_t *value = json_object_get(object, fields[i].name);

		if (value && field_unpack(&fields[i], value, (char *)structure + fields[i].offset))
			continue;
		nl_error_set(err, NL_E_PROTOCOL, "read a control message");
		return nl_error_why(err, "its field %s is %s", fields[i].name, value ? "out of range" : "missing");
	}
	return 0;
}
