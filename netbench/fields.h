/*
 * fields: structures to and from JSON objects by a table, each value checked against its range.
 */
#ifndef NL_NETBENCH_FIELDS_H
#define NL_NETBENCH_FIELDS_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum nl_nb_field_type {
	NL_NB_BOOL,
	NL_NB_UINT, /* unsigned */
	NL_NB_INT64,
	NL_NB_UINT64, /* up to INT64_MAX, all that JSON carries here */
	NL_NB_DOUBLE, /* min and max as whole numbers */
	NL_NB_TEXT,   /* char array; printable ASCII that fits with its zero */
};

struct nl_nb_field {
	const char *name;
	enum nl_nb_field_type type;
	size_t offset, size;
	int64_t min, max;
};

#define NL_NB_FIELD(structure, member, type, min, max)                                                                 \
	{                                                                                                              \
#member, type, offsetof(structure, member), sizeof(((structure *)0)->member), min, max                 \
	}

/* nl_nb_fields_pack sets every field of the table in `object`; negative without memory. */
int nl_nb_fields_pack(json_t *object, const struct nl_nb_field *fields, size_t count, const void *structure);

/* nl_nb_fields_unpack requires every field, of its type and in range; others are ignored. NL_E_PROTOCOL names the
 * field. */
int nl_nb_fields_unpack(const json_t *object, const struct nl_nb_field *fields, size_t count, void *structure,
			struct nl_error *err);

#endif
