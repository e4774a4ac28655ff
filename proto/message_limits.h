/*
 * message_limits: what a message may hold, checked by the descriptors that protobuf-c generates. Only for
 * proto/message.c and its tests.
 */
#ifndef NL_PROTO_MESSAGE_LIMITS_H
#define NL_PROTO_MESSAGE_LIMITS_H

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum nl_limit_kind {
	NL_LIMIT_TEXT,   /* bytes of a string, without the zero at its end */
	NL_LIMIT_BYTES,  /* length of a bytes field */
	NL_LIMIT_COUNT,  /* elements of a repeated field */
	NL_LIMIT_NUMBER, /* value of an integer */
};

/* One row of the table: fields of one name and kind have one limit in all messages. */
struct nl_limit {
	const char *field;
	enum nl_limit_kind kind;
	int64_t min, max;
};

/* nl_limit_find: the row of a field, NULL when there is none. nl_limit_rows: the whole table, sorted by field and kind.
 */
const struct nl_limit *nl_limit_find(const char *field, enum nl_limit_kind kind);
const struct nl_limit *nl_limit_rows(size_t *count);

/*
 * nl_message_check walks a message and everything below it. True when all is within the limits; else the field and the
 * reason are written into why.
 */
bool nl_message_check(const ProtobufCMessage *message, char *why, size_t size);

/*
 * nl_message_check_zeros walks the encoded form and refuses strings that hold a zero byte: protobuf-c would silently
 * cut them there. Bytes that are no message are left to protobuf-c to refuse.
 */
bool nl_message_check_zeros(const ProtobufCMessageDescriptor *descriptor, const uint8_t *data, size_t len, char *why,
			    size_t size);

#endif
