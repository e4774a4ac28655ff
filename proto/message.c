/*
 * message: encoding and decoding with a budget. protobuf-c finds the shape of the bytes, message_limits judges what
 * they hold.
 */
#include "proto/message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "proto/message_limits.h"

/* What decoding one message may allocate in all: eight times the greatest message holds every honest one. */
#define DECODE_BUDGET_BYTES (8u * NL_MESSAGE_MAX_BYTES)

struct budget {
	size_t left;
	bool exceeded;
};

static void *budget_alloc(void *data, size_t size)
{
	struct budget *budget = data;
	if (size > budget->left) {
		budget->exceeded = true;
		return NULL;
	}
	budget->left -= size;
	return malloc(size ? size : 1);
}

/* Freed memory does not return to the budget: what counts is how much a message makes us allocate. */
static void budget_free(void *data, void *pointer)
{
	(void)data;
	free(pointer);
}

static int refuse(const ProtobufCMessageDescriptor *descriptor, const char *why, struct nl_error *err)
{
	nl_error_set(err, NL_E_PROTOCOL, "understand a %s", descriptor->short_name);
	nl_error_why(err, "%s", why);
	return NL_E_PROTOCOL;
}

static int decode(const ProtobufCMessageDescriptor *descriptor, const void *data, size_t len,
		  ProtobufCMessage **message, struct nl_error *err)
{
	char why[300] = "";
	*message = NULL;
	if (len > NL_MESSAGE_MAX_BYTES)
		return refuse(descriptor, "it is larger than any message may be", err);
	if (!nl_message_check_zeros(descriptor, data, len, why, sizeof why))
		return refuse(descriptor, why, err);
	struct budget budget = {DECODE_BUDGET_BYTES, false};
	ProtobufCAllocator allocator = {budget_alloc, budget_free, &budget};
	*message = protobuf_c_message_unpack(descriptor, &allocator, len, data);
	if (!*message)
		return refuse(descriptor,
			      budget.exceeded ? "it would take too much memory" : "the bytes are no such message", err);
	if (nl_message_check(*message, why, sizeof why))
		return 0;
	protobuf_c_message_free_unpacked(*message, NULL);
	*message = NULL;
	return refuse(descriptor, why, err);
}

/*
 * The version, field 1, stands first in what every nasline sends. It is looked at before anything else, because another
 * version's message need not be understandable. 0 when it does not stand there.
 */
static uint32_t peek_version(const uint8_t *data, size_t len)
{
	uint32_t version = 0;
	if (len < 2 || data[0] != (1 << 3 | PROTOBUF_C_WIRE_TYPE_VARINT))
		return 0;
	for (size_t i = 1; i < len && i <= 5; i++) {
		version |= (uint32_t)(data[i] & 127) << (7 * (i - 1));
		if (data[i] < 128)
			return version;
	}
	return 0;
}

static int check_version(const ProtobufCMessageDescriptor *descriptor, uint32_t version, struct nl_error *err)
{
	if (version == NL_PROTOCOL_VERSION)
		return 0;
	nl_error_set(err, NL_E_PROTOCOL, "understand a %s", descriptor->short_name);
	nl_error_why(err, "the other side speaks protocol version %u, this program version %u", version,
		     NL_PROTOCOL_VERSION);
	nl_error_todo(err, "install the same nasline on both sides");
	return NL_E_PROTOCOL;
}

static int decode_versioned(const ProtobufCMessageDescriptor *descriptor, const void *data, size_t len,
			    ProtobufCMessage **message, struct nl_error *err)
{
	*message = NULL;
	uint32_t version = peek_version(data, len);
	int code = version ? check_version(descriptor, version, err) : 0;
	return code ? code : decode(descriptor, data, len, message, err);
}

int nl_request_decode(const void *data, size_t len, Nl__Request **request, struct nl_error *err)
{
	ProtobufCMessage *message;
	const ProtobufCMessageDescriptor *descriptor = &nl__request__descriptor;
	int code = decode_versioned(descriptor, data, len, &message, err);
	*request = (Nl__Request *)message;
	if (code)
		return code;
	code = check_version(descriptor, (*request)->version, err);
	if (!code && (*request)->body_case == NL__REQUEST__BODY__NOT_SET)
		code = refuse(descriptor, "it has no body", err);
	if (code) {
		nl_request_free(*request);
		*request = NULL;
	}
	return code;
}

int nl_reply_decode(const void *data, size_t len, Nl__Reply **reply, struct nl_error *err)
{
	ProtobufCMessage *message;
	const ProtobufCMessageDescriptor *descriptor = &nl__reply__descriptor;
	int code = decode_versioned(descriptor, data, len, &message, err);
	*reply = (Nl__Reply *)message;
	if (code)
		return code;
	code = check_version(descriptor, (*reply)->version, err);
	if (!code && (*reply)->body_case == NL__REPLY__BODY__NOT_SET)
		code = refuse(descriptor, "it has no body", err);
	if (code) {
		nl_reply_free(*reply);
		*reply = NULL;
	}
	return code;
}

int nl_order_decode(const void *data, size_t len, Nl__Order **order, struct nl_error *err)
{
	ProtobufCMessage *message;
	int code = decode(&nl__order__descriptor, data, len, &message, err);
	*order = (Nl__Order *)message;
	if (code || (*order)->task_case != NL__ORDER__TASK__NOT_SET)
		return code;
	nl_order_free(*order);
	*order = NULL;
	return refuse(&nl__order__descriptor, "it has no task", err);
}

void nl_request_free(Nl__Request *request)
{
	if (request)
		protobuf_c_message_free_unpacked(&request->base, NULL);
}

void nl_reply_free(Nl__Reply *reply)
{
	if (reply)
		protobuf_c_message_free_unpacked(&reply->base, NULL);
}

void nl_order_free(Nl__Order *order)
{
	if (order)
		protobuf_c_message_free_unpacked(&order->base, NULL);
}

/* A message that the receiver would refuse is refused here, where the fault is, and not sent again for ever. */
static int encode(const ProtobufCMessage *message, void **data, size_t *len, struct nl_error *err)
{
	char why[300] = "";
	*data = NULL;
	if (!nl_message_check(message, why, sizeof why)) {
		nl_error_set(err, NL_E_PROTOCOL, "make a %s", message->descriptor->short_name);
		nl_error_why(err, "%s", why);
		return NL_E_PROTOCOL;
	}
	size_t size = protobuf_c_message_get_packed_size(message);
	if (size > NL_MESSAGE_MAX_BYTES) {
		nl_error_set(err, NL_E_PROTOCOL, "make a %s", message->descriptor->short_name);
		nl_error_why(err, "it has %zu bytes, at most %u are allowed", size, NL_MESSAGE_MAX_BYTES);
		return NL_E_PROTOCOL;
	}
	*data = malloc(size ? size : 1);
	if (!*data)
		return nl_error_sys(err, ENOMEM, "make a %s", message->descriptor->short_name);
	*len = protobuf_c_message_pack(message, *data);
	return 0;
}

int nl_request_encode(const Nl__Request *request, void **data, size_t *len, struct nl_error *err)
{
	return encode(&request->base, data, len, err);
}

int nl_reply_encode(const Nl__Reply *reply, void **data, size_t *len, struct nl_error *err)
{
	return encode(&reply->base, data, len, err);
}

/* protobuf-c declares strings that it only reads as char *. */
static char *borrow(const char *text)
{
	union {
		const char *in;
		char *out;
	} view = {text};
	return view.out;
}

void nl_failure_from_error(Nl__Failure *failure, const struct nl_error *err)
{
	nl__failure__init(failure);
	failure->code = err->code != NL_E_OK && nl_code_valid(err->code) ? (int32_t)err->code : (int32_t)NL_E_INTERNAL;
	failure->sys_errno = err->sys_errno;
	failure->what = borrow(err->what);
	failure->where = borrow(err->where);
	failure->why = borrow(err->why);
	failure->todo = borrow(err->todo);
}

void nl_error_from_failure(struct nl_error *err, const Nl__Failure *failure)
{
	nl_error_set(err, nl_code_valid(failure->code) ? (enum nl_code)failure->code : NL_E_INTERNAL, "%s",
		     failure->what);
	if (!err)
		return;
	err->sys_errno = failure->sys_errno;
	nl_error_where(err, "%s", failure->where);
	nl_error_why(err, "%s", failure->why);
	nl_error_todo(err, "%s", failure->todo);
}

static void wipe(ProtobufCBinaryData *secret)
{
	if (secret->data)
		explicit_bzero(secret->data, secret->len);
}

/* Wipes every field named "secret" or "key" below a message: a new order with a password cannot be forgotten here. */
static void wipe_below(ProtobufCMessage *message)
{
	char *base = (char *)message;
	for (unsigned i = 0; i < message->descriptor->n_fields; i++) {
		const ProtobufCFieldDescriptor *field = &message->descriptor->fields[i];
		bool absent = (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) &&
			      *(uint32_t *)(base + field->quantifier_offset) != field->id;
		if (absent || field->label == PROTOBUF_C_LABEL_REPEATED)
			continue;
		if (field->type == PROTOBUF_C_TYPE_BYTES &&
		    (!strcmp(field->name, "secret") || !strcmp(field->name, "key")))
			wipe((ProtobufCBinaryData *)(base + field->offset));
		else if (field->type == PROTOBUF_C_TYPE_MESSAGE && *(ProtobufCMessage **)(base + field->offset))
			wipe_below(*(ProtobufCMessage **)(base + field->offset));
	}
}

void nl_secret_wipe_order(Nl__Order *order)
{
	if (order)
		wipe_below(&order->base);
}
