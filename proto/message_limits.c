/*
 * message_limits: the table of limits, and the walk that holds every message against it. The walk knows no message by
 * name: it goes by the generated descriptors, so that a new field cannot be forgotten (a unit test demands its row).
 */
#include "proto/message_limits.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "proto/identity.h"
#include "proto/message.h"
#include "proto/metric.h"

#define PATH_BYTES 4095
#define HOST_BYTES 253
#define STREAMS    256
#define TIME_ROW(field)                                                                                                \
	{                                                                                                              \
		field, NL_LIMIT_NUMBER, 0, INT64_MAX                                                                   \
	}
#define TEXT_ROW(field, max)                                                                                           \
	{                                                                                                              \
		field, NL_LIMIT_TEXT, 0, max                                                                           \
	}
#define BYTES_ROW(field, max)                                                                                          \
	{                                                                                                              \
		field, NL_LIMIT_BYTES, 0, max                                                                          \
	}
#define COUNT_ROW(field, max)                                                                                          \
	{                                                                                                              \
		field, NL_LIMIT_COUNT, 0, max                                                                          \
	}

/* Sorted by field name, then kind, for bsearch. The texts of failures are as long as those of struct nl_error. */
static const struct nl_limit rows[] = {
	TEXT_ROW("agent_name", NL_IDENTITY_NAME_MAX),
	TEXT_ROW("bind", HOST_BYTES),
	{"block_bytes", NL_LIMIT_NUMBER, 0, INT64_C(1) << 30},
	TIME_ROW("busy_ns"),
	BYTES_ROW("ca_der", NL_IDENTITY_DER_MAX),
	TEXT_ROW("capabilities", 64),
	COUNT_ROW("capabilities", 64),
	BYTES_ROW("certificate_der", NL_IDENTITY_DER_MAX),
	{"code", NL_LIMIT_NUMBER, 1 - (int64_t)NL_CODE_COUNT, -1},
	TEXT_ROW("controller_version", 64),
	TIME_ROW("deadline_ns"),
	COUNT_ROW("delta_ns", 65536),
	TIME_ROW("delta_ns"),
	TEXT_ROW("directory", PATH_BYTES),
	TIME_ROW("durable_mono_ns"),
	TIME_ROW("duration_ns"),
	TIME_ROW("ended_mono_ns"),
	TEXT_ROW("engine", 32),
	{"exchanges", NL_LIMIT_NUMBER, 0, 1000},
	COUNT_ROW("fact", 8192),
	TEXT_ROW("file_prefix", 128),
	COUNT_ROW("file_prefix", 256),
	TIME_ROW("first_done_mono_ns"),
	TIME_ROW("first_mono_ns"),
	TEXT_ROW("host", HOST_BYTES),
	TEXT_ROW("host_name", HOST_BYTES),
	COUNT_ROW("interval_bytes_per_s", 65536),
	TIME_ROW("interval_ns"),
	TEXT_ROW("key", 64),
	BYTES_ROW("key", 256),
	TIME_ROW("last_done_mono_ns"),
	BYTES_ROW("latency", 32768),
	TIME_ROW("lease_ns"),
	TIME_ROW("longest_ns"),
	{"metric", NL_LIMIT_NUMBER, 1, UINT16_MAX},
	TEXT_ROW("name", 128),
	{"nconnect", NL_LIMIT_NUMBER, 0, 16},
	BYTES_ROW("nonce", NL_IDENTITY_NONCE_BYTES),
	{"offset_error_ns", NL_LIMIT_NUMBER, 0, INT64_MAX},
	TIME_ROW("omit_ns"),
	TEXT_ROW("options", 1024),
	TEXT_ROW("path", PATH_BYTES),
	TEXT_ROW("peer", HOST_BYTES),
	TIME_ROW("period_ns"),
	TEXT_ROW("pool", PATH_BYTES),
	{"port", NL_LIMIT_NUMBER, 0, UINT16_MAX},
	TEXT_ROW("program_version", 64),
	TEXT_ROW("protocol", 16),
	{"queue_depth", NL_LIMIT_NUMBER, 0, 4096},
	TIME_ROW("ramp_ns"),
	{"read_percent", NL_LIMIT_NUMBER, 0, 100},
	TIME_ROW("receive_window_limited_ns"),
	TIME_ROW("received_ns"),
	TIME_ROW("report_ns"),
	BYTES_ROW("request_der", NL_IDENTITY_DER_MAX),
	TIME_ROW("rtt_min_ns"),
	TIME_ROW("rtt_ns"),
	TEXT_ROW("run_id", 64),
	BYTES_ROW("secret", 512),
	TIME_ROW("send_buffer_limited_ns"),
	TIME_ROW("sent_mono_ns"),
	TIME_ROW("sent_ns"),
	COUNT_ROW("series", 4096),
	TEXT_ROW("server", HOST_BYTES),
	TEXT_ROW("share", 1024),
	BYTES_ROW("signature_der", NL_IDENTITY_SIGNATURE_MAX),
	TIME_ROW("start_mono_ns"),
	TIME_ROW("start_ns"),
	TIME_ROW("started_mono_ns"),
	COUNT_ROW("stream", STREAMS),
	{"streams", NL_LIMIT_NUMBER, 0, STREAMS},
	TEXT_ROW("subject", 256),
	{"sys_errno", NL_LIMIT_NUMBER, 0, 4095},
	TEXT_ROW("todo", sizeof((struct nl_error *)0)->todo - 1),
	BYTES_ROW("token_secret", NL_IDENTITY_SECRET_BYTES),
	TEXT_ROW("user", 256),
	TEXT_ROW("value", 4096),
	COUNT_ROW("value", 65536),
	TEXT_ROW("version", 16),
	{"version", NL_LIMIT_NUMBER, 0, UINT32_MAX},
	TEXT_ROW("what", sizeof((struct nl_error *)0)->what - 1),
	TEXT_ROW("where", sizeof((struct nl_error *)0)->where - 1),
	TEXT_ROW("why", sizeof((struct nl_error *)0)->why - 1),
	TIME_ROW("window_end_mono_ns"),
	TIME_ROW("window_start_mono_ns"),
};

/* What holds for a field that has no row. */
static const struct nl_limit default_rows[] = {
	[NL_LIMIT_TEXT] = TEXT_ROW("", 1024),
	[NL_LIMIT_BYTES] = BYTES_ROW("", 1024),
	[NL_LIMIT_COUNT] = COUNT_ROW("", 256),
	[NL_LIMIT_NUMBER] = {"", NL_LIMIT_NUMBER, INT64_MIN, INT64_MAX},
};

/* Where the walk is and what it found. */
struct walk {
	const ProtobufCMessageDescriptor *descriptor;
	const ProtobufCFieldDescriptor *field;
	char *why;
	size_t size;
};

static int compare(const void *a, const void *b)
{
	const struct nl_limit *x = a, *y = b;
	int order = strcmp(x->field, y->field);
	return order ? order : (int)x->kind - (int)y->kind;
}

const struct nl_limit *nl_limit_rows(size_t *count)
{
	*count = sizeof rows / sizeof rows[0];
	return rows;
}

const struct nl_limit *nl_limit_find(const char *field, enum nl_limit_kind kind)
{
	struct nl_limit key = {field, kind, 0, 0};
	return bsearch(&key, rows, sizeof rows / sizeof rows[0], sizeof rows[0], compare);
}

static const struct nl_limit *limit_of(const struct walk *walk, enum nl_limit_kind kind)
{
	const struct nl_limit *row = nl_limit_find(walk->field->name, kind);
	return row ? row : &default_rows[kind];
}

static bool refuse(const struct walk *walk, const char *reason)
{
	snprintf(walk->why, walk->size, "%s.%s %s", walk->descriptor->short_name, walk->field->name, reason);
	return false;
}

static bool check_length(const struct walk *walk, enum nl_limit_kind kind, size_t length)
{
	static const char *const nouns[] = {
		[NL_LIMIT_TEXT] = "bytes", [NL_LIMIT_BYTES] = "bytes", [NL_LIMIT_COUNT] = "values"};
	const struct nl_limit *row = limit_of(walk, kind);
	if (length <= (uint64_t)row->max)
		return true;
	char reason[100];
	snprintf(reason, sizeof reason, "has %zu %s, at most %" PRId64 " are allowed", length, nouns[kind], row->max);
	return refuse(walk, reason);
}

static bool check_text(const struct walk *walk, const char *text)
{
	if (!text)
		return true;
	size_t len = strlen(text);
	return check_length(walk, NL_LIMIT_TEXT, len) && (nl_text_valid(text, len) || refuse(walk, "is not UTF-8"));
}

static bool check_signed(const struct walk *walk, const struct nl_limit *row, int64_t value)
{
	if (value >= row->min && value <= row->max)
		return true;
	char reason[120];
	snprintf(reason, sizeof reason, "is %" PRId64 ", outside %" PRId64 " to %" PRId64, value, row->min, row->max);
	return refuse(walk, reason);
}

static bool check_unsigned(const struct walk *walk, const struct nl_limit *row, uint64_t value)
{
	/* Fields without a row are counters of the whole 64 bits. */
	if (row->field[0] == '\0')
		return true;
	return check_signed(walk, row, value > INT64_MAX ? INT64_MAX : (int64_t)value) &&
	       (value <= INT64_MAX || row->max == INT64_MAX || refuse(walk, "is too large"));
}

static bool check_enum(const struct walk *walk, int value)
{
	if (protobuf_c_enum_descriptor_get_value(walk->field->descriptor, value))
		return true;
	return refuse(walk, "has a value that is not known");
}

static size_t size_of(ProtobufCType type)
{
	switch (type) {
	case PROTOBUF_C_TYPE_INT32:
	case PROTOBUF_C_TYPE_SINT32:
	case PROTOBUF_C_TYPE_SFIXED32:
	case PROTOBUF_C_TYPE_UINT32:
	case PROTOBUF_C_TYPE_FIXED32:
	case PROTOBUF_C_TYPE_FLOAT:
	case PROTOBUF_C_TYPE_ENUM:
		return 4;
	case PROTOBUF_C_TYPE_BOOL:
		return sizeof(protobuf_c_boolean);
	case PROTOBUF_C_TYPE_BYTES:
		return sizeof(ProtobufCBinaryData);
	case PROTOBUF_C_TYPE_STRING:
	case PROTOBUF_C_TYPE_MESSAGE:
		return sizeof(void *);
	default:
		return 8;
	}
}

/* One value, which lies at `at` in memory. */
static bool check_value(const struct walk *walk, const void *at)
{
	const struct nl_limit *number = limit_of(walk, NL_LIMIT_NUMBER);
	switch (walk->field->type) {
	case PROTOBUF_C_TYPE_STRING:
		return check_text(walk, *(char *const *)at);
	case PROTOBUF_C_TYPE_BYTES:
		return check_length(walk, NL_LIMIT_BYTES, ((const ProtobufCBinaryData *)at)->len);
	case PROTOBUF_C_TYPE_MESSAGE:
		return !*(ProtobufCMessage *const *)at ||
		       nl_message_check(*(ProtobufCMessage *const *)at, walk->why, walk->size);
	case PROTOBUF_C_TYPE_ENUM:
		return check_enum(walk, *(const int *)at);
	case PROTOBUF_C_TYPE_INT32:
	case PROTOBUF_C_TYPE_SINT32:
	case PROTOBUF_C_TYPE_SFIXED32:
		return check_signed(walk, number, *(const int32_t *)at);
	case PROTOBUF_C_TYPE_INT64:
	case PROTOBUF_C_TYPE_SINT64:
	case PROTOBUF_C_TYPE_SFIXED64:
		return check_signed(walk, number, *(const int64_t *)at);
	case PROTOBUF_C_TYPE_UINT32:
	case PROTOBUF_C_TYPE_FIXED32:
		return check_unsigned(walk, number, *(const uint32_t *)at);
	case PROTOBUF_C_TYPE_UINT64:
	case PROTOBUF_C_TYPE_FIXED64:
		return check_unsigned(walk, number, *(const uint64_t *)at);
	case PROTOBUF_C_TYPE_FLOAT:
		return isfinite(*(const float *)at) || refuse(walk, "is not a finite number");
	case PROTOBUF_C_TYPE_DOUBLE:
		return isfinite(*(const double *)at) || refuse(walk, "is not a finite number");
	default:
		return true;
	}
}

static bool check_repeated(const struct walk *walk, size_t count, const void *at)
{
	if (!check_length(walk, NL_LIMIT_COUNT, count))
		return false;
	const char *element = *(const char *const *)at;
	size_t size = size_of(walk->field->type);
	for (size_t i = 0; i < count; i++)
		if (!check_value(walk, element + i * size))
			return false;
	return true;
}

/* What no table can say about a message: relations between its fields. */
static bool check_relations(const ProtobufCMessage *message, const struct walk *walk)
{
	if (message->descriptor != &nl__series__descriptor)
		return true;
	const Nl__Series *series = (const Nl__Series *)message;
	const char *reason = NULL;
	int64_t instant = series->first_mono_ns;
	if (!nl_metric_find(series->metric))
		reason = "names a metric that is not known";
	else if (series->n_delta_ns != series->n_value)
		reason = "has another number of instants than of values";
	for (size_t i = 0; !reason && i < series->n_delta_ns; i++)
		if (__builtin_add_overflow(instant, series->delta_ns[i], &instant))
			reason = "has an instant that is too late";
	if (reason)
		snprintf(walk->why, walk->size, "Series %s", reason);
	return !reason;
}

bool nl_message_check(const ProtobufCMessage *message, char *why, size_t size)
{
	struct walk walk = {message->descriptor, NULL, why, size};
	const char *base = (const char *)message;
	/* Both sides speak one version and so know the same fields. What else comes was not made by a nasline. */
	if (message->n_unknown_fields > 0) {
		snprintf(why, size, "%s holds a field that it does not have", message->descriptor->short_name);
		return false;
	}
	for (unsigned i = 0; i < message->descriptor->n_fields; i++) {
		walk.field = &message->descriptor->fields[i];
		const void *at = base + walk.field->offset, *quantifier = base + walk.field->quantifier_offset;
		bool good = true;
		if (walk.field->label == PROTOBUF_C_LABEL_REPEATED)
			good = check_repeated(&walk, *(const size_t *)quantifier, at);
		else if (!(walk.field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) ||
			 *(const uint32_t *)quantifier == walk.field->id)
			good = check_value(&walk, at);
		if (!good)
			return false;
	}
	return check_relations(message, &walk);
}
