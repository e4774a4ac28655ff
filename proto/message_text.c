/*
 * message_text: looks for zero bytes inside encoded strings, which the decoded form can no longer show.
 */
#include <stdio.h>
#include <string.h>

#include "proto/message_limits.h"

struct wire {
	const uint8_t *p, *end;
};

static bool get_varint(struct wire *wire, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0; shift < 64 && wire->p < wire->end; shift += 7) {
		uint8_t byte = *wire->p++;
		*value |= (uint64_t)(byte & 127) << shift;
		if (byte < 128)
			return true;
	}
	return false;
}

static bool skip(struct wire *wire, uint64_t bytes)
{
	if (bytes > (uint64_t)(wire->end - wire->p))
		return false;
	wire->p += bytes;
	return true;
}

/* Steps over one field and gives its number and, for a field with a length, its content. False where the bytes are no
 * message. */
static bool next_field(struct wire *wire, uint64_t *number, struct wire *content)
{
	uint64_t tag, value;
	*content = (struct wire){NULL, NULL};
	if (!get_varint(wire, &tag))
		return false;
	*number = tag >> 3;
	switch (tag & 7) {
	case PROTOBUF_C_WIRE_TYPE_VARINT:
		return get_varint(wire, &value);
	case PROTOBUF_C_WIRE_TYPE_64BIT:
		return skip(wire, 8);
	case PROTOBUF_C_WIRE_TYPE_32BIT:
		return skip(wire, 4);
	case PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED:
		if (!get_varint(wire, &value))
			return false;
		content->p = wire->p;
		if (!skip(wire, value))
			return false;
		content->end = wire->p;
		return true;
	default:
		return false;
	}
}

bool nl_message_check_zeros(const ProtobufCMessageDescriptor *descriptor, const uint8_t *data, size_t len, char *why,
			    size_t size)
{
	if (len == 0)
		return true;
	struct wire wire = {data, data + len}, content;
	uint64_t number;
	while (wire.p < wire.end && next_field(&wire, &number, &content)) {
		const ProtobufCFieldDescriptor *field =
			number <= UINT32_MAX && content.p
				? protobuf_c_message_descriptor_get_field(descriptor, (unsigned)number)
				: NULL;
		if (!field)
			continue;
		size_t content_len = (size_t)(content.end - content.p);
		if (field->type == PROTOBUF_C_TYPE_STRING && memchr(content.p, 0, content_len)) {
			snprintf(why, size, "%s.%s holds a zero byte", descriptor->short_name, field->name);
			return false;
		}
		if (field->type == PROTOBUF_C_TYPE_MESSAGE &&
		    !nl_message_check_zeros(field->descriptor, content.p, content_len, why, size))
			return false;
	}
	return true;
}
