/*
 * Tests of proto/message and its limits. Messages are packed by protobuf-c itself where ours would refuse to, so that
 * the decoder sees what a hostile peer may send.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/message.h"
#include "proto/message_limits.h"

static struct nl_error err;

/* Packs without any check and decodes. */
static int pass_request(const Nl__Request *request, Nl__Request **out)
{
	size_t len = nl__request__get_packed_size(request);
	uint8_t *data = malloc(len + 1);
	assert_non_null(data);
	nl__request__pack(request, data);
	int code = nl_request_decode(data, len, out, &err);
	free(data);
	return code;
}

static void expect_refusal(const Nl__Request *request, const char *why)
{
	Nl__Request *out;
	assert_int_equal(pass_request(request, &out), NL_E_PROTOCOL);
	assert_null(out);
	if (!strstr(err.why, why))
		fail_msg("\"%s\" does not say \"%s\"", err.why, why);
}

static Nl__Request a_ping(Nl__Ping *ping)
{
	Nl__Request request = NL__REQUEST__INIT;
	nl__ping__init(ping);
	request.version = NL_PROTOCOL_VERSION;
	request.body_case = NL__REQUEST__BODY_PING;
	request.ping = ping;
	return request;
}

static void a_request_comes_back_as_it_was(void **state)
{
	(void)state;
	Nl__Request request = NL__REQUEST__INIT, *out;
	Nl__Samples samples = NL__SAMPLES__INIT;
	Nl__Series series = NL__SERIES__INIT, *list[] = {&series};
	int64_t deltas[] = {0, 1000};
	double values[] = {1.5, 2.5};
	void *data;
	size_t len;
	series.metric = 10;
	series.subject = "sda";
	series.n_delta_ns = series.n_value = 2;
	series.delta_ns = deltas;
	series.value = values;
	samples.n_series = 1;
	samples.series = list;
	samples.offset_ns = -5;
	request.version = NL_PROTOCOL_VERSION;
	request.seq = 7;
	request.body_case = NL__REQUEST__BODY_SAMPLES;
	request.samples = &samples;
	assert_int_equal(nl_request_encode(&request, &data, &len, &err), 0);
	assert_int_equal(nl_request_decode(data, len, &out, &err), 0);
	assert_int_equal(out->seq, 7);
	assert_int_equal(out->samples->offset_ns, -5);
	assert_string_equal(out->samples->series[0]->subject, "sda");
	assert_true(out->samples->series[0]->value[1] == 2.5);
	nl_request_free(out);
	free(data);
}

static void another_version_is_refused_with_both_versions(void **state)
{
	(void)state;
	Nl__Ping ping;
	Nl__Request request = a_ping(&ping);
	request.version = 9;
	expect_refusal(&request, "version 9");
	assert_non_null(strstr(err.why, "version 1"));
	request.version = 0;
	expect_refusal(&request, "version 0");
	/* Also when nothing behind the version can be understood. */
	Nl__Request *out;
	assert_int_equal(nl_request_decode("\x08\x63\xff\xff\xff", 5, &out, &err), NL_E_PROTOCOL);
	assert_non_null(strstr(err.why, "version 99"));
}

static void garbage_and_empty_messages_are_refused(void **state)
{
	(void)state;
	Nl__Request *request;
	Nl__Reply *reply;
	Nl__Order *order;
	assert_int_equal(nl_request_decode("\xff\xff\xff\xff", 4, &request, &err), NL_E_PROTOCOL);
	assert_int_equal(nl_request_decode("", 0, &request, &err), NL_E_PROTOCOL);
	assert_int_equal(nl_request_decode(NULL, 0, &request, &err), NL_E_PROTOCOL);
	assert_int_equal(nl_request_decode("\x08\x01", 2, &request, &err), NL_E_PROTOCOL);
	assert_non_null(strstr(err.why, "no body"));
	assert_int_equal(nl_reply_decode("\x08\x01", 2, &reply, &err), NL_E_PROTOCOL);
	assert_int_equal(nl_order_decode("\x08\x01", 2, &order, &err), NL_E_PROTOCOL);
	assert_non_null(strstr(err.why, "no task"));
	char *large = calloc(1, NL_MESSAGE_MAX_BYTES + 1);
	assert_non_null(large);
	assert_int_equal(nl_request_decode(large, NL_MESSAGE_MAX_BYTES + 1, &request, &err), NL_E_PROTOCOL);
	free(large);
}

static void unknown_fields_are_refused(void **state)
{
	(void)state;
	/* A ping with a field 9 inside, and a request with a field 99 behind a ping. */
	Nl__Request *out;
	assert_int_equal(nl_request_decode("\x08\x01\x6a\x00", 4, &out, &err), 0);
	nl_request_free(out);
	assert_int_equal(nl_request_decode("\x08\x01\x6a\x02\x48\x05", 6, &out, &err), NL_E_PROTOCOL);
	assert_non_null(strstr(err.why, "Ping holds a field"));
	assert_int_equal(nl_request_decode("\x08\x01\x6a\x00\x98\x06\x05", 7, &out, &err), NL_E_PROTOCOL);
	assert_non_null(strstr(err.why, "Request holds a field"));
}

static void texts_above_their_limit_are_refused(void **state)
{
	(void)state;
	Nl__Request request = NL__REQUEST__INIT, *out;
	Nl__Hello hello = NL__HELLO__INIT;
	char name[66];
	memset(name, 'a', sizeof name);
	name[64] = '\0';
	request.version = NL_PROTOCOL_VERSION;
	request.body_case = NL__REQUEST__BODY_HELLO;
	request.hello = &hello;
	hello.agent_name = name;
	expect_refusal(&request, "Hello.agent_name has 64 bytes, at most 63");
	void *data;
	size_t len;
	assert_int_equal(nl_request_encode(&request, &data, &len, &err), NL_E_PROTOCOL);
	assert_null(data);
	name[63] = '\0';
	assert_int_equal(pass_request(&request, &out), 0);
	nl_request_free(out);
}

static void malformed_texts_are_refused(void **state)
{
	(void)state;
	Nl__Request request = NL__REQUEST__INIT, *out;
	Nl__Hello hello = NL__HELLO__INIT;
	request.version = NL_PROTOCOL_VERSION;
	request.body_case = NL__REQUEST__BODY_HELLO;
	request.hello = &hello;
	hello.host_name = "nas\xff";
	expect_refusal(&request, "Hello.host_name is not UTF-8");
	/* A zero byte cannot be packed from C; field 11 (hello), 5 bytes: field 4 (host_name), 3 bytes "n\0s". */
	assert_int_equal(nl_request_decode("\x08\x01\x5a\x05\x22\x03n\0s", 9, &out, &err), NL_E_PROTOCOL);
	assert_non_null(strstr(err.why, "Hello.host_name holds a zero byte"));
}

static void too_many_elements_are_refused(void **state)
{
	(void)state;
	enum { COUNT = 65 };
	Nl__Request request = NL__REQUEST__INIT;
	Nl__Hello hello = NL__HELLO__INIT;
	char *capabilities[COUNT];
	for (int i = 0; i < COUNT; i++)
		capabilities[i] = "x";
	request.version = NL_PROTOCOL_VERSION;
	request.body_case = NL__REQUEST__BODY_HELLO;
	request.hello = &hello;
	hello.n_capabilities = COUNT;
	hello.capabilities = capabilities;
	expect_refusal(&request, "Hello.capabilities has 65 values, at most 64");
}

static void a_small_message_cannot_become_a_large_one(void **state)
{
	(void)state;
	/* Half a million empty series in a message of the greatest size: each would take more than 80 bytes. */
	enum { COUNT = 500000 };
	size_t inner = COUNT * 2, used = 0;
	uint8_t *data = malloc(inner + 16);
	assert_non_null(data);
	data[used++] = 0x08;
	data[used++] = NL_PROTOCOL_VERSION;
	data[used++] = 15 << 3 | 2;
	for (size_t left = inner; left; left >>= 7)
		data[used++] = (uint8_t)((left & 127) | (left >= 128 ? 128 : 0));
	for (int i = 0; i < COUNT; i++) {
		data[used++] = 4 << 3 | 2;
		data[used++] = 0;
	}
	Nl__Request *out;
	assert_int_equal(nl_request_decode(data, used, &out, &err), NL_E_PROTOCOL);
	assert_null(out);
	assert_non_null(strstr(err.why, "memory"));
	free(data);
}

static Nl__Request a_result(Nl__Result *result)
{
	Nl__Request request = NL__REQUEST__INIT;
	nl__result__init(result);
	request.version = NL_PROTOCOL_VERSION;
	request.body_case = NL__REQUEST__BODY_RESULT;
	request.result = result;
	return request;
}

static void numbers_out_of_range_are_refused(void **state)
{
	(void)state;
	Nl__Result result;
	Nl__Request request = a_result(&result), *out;
	Nl__LoadResult load = NL__LOAD_RESULT__INIT;
	result.started_mono_ns = -1;
	expect_refusal(&request, "Result.started_mono_ns is -1");
	result.started_mono_ns = INT64_MIN;
	expect_refusal(&request, "Result.started_mono_ns");
	result.started_mono_ns = 0;
	result.offset_ns = INT64_MIN; /* an offset may be anything */
	result.load = &load;
	load.cpu_user_s = (double)NAN;
	expect_refusal(&request, "LoadResult.cpu_user_s is not a finite number");
	load.cpu_user_s = (double)INFINITY;
	expect_refusal(&request, "LoadResult.cpu_user_s");
	load.cpu_user_s = 1;
	assert_int_equal(pass_request(&request, &out), 0);
	nl_request_free(out);
}

static void codes_out_of_range_are_refused(void **state)
{
	(void)state;
	static const int32_t bad[] = {0, 1, INT32_MAX, INT32_MIN, -(int32_t)NL_CODE_COUNT};
	Nl__Result result;
	Nl__Request request = a_result(&result), *out;
	Nl__Failure failure = NL__FAILURE__INIT;
	result.failure = &failure;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		failure.code = bad[i];
		expect_refusal(&request, "Failure.code");
	}
	failure.code = NL_E_SPACE;
	assert_int_equal(pass_request(&request, &out), 0);
	nl_request_free(out);
}

static void series_must_agree_with_themselves(void **state)
{
	(void)state;
	Nl__Request request = NL__REQUEST__INIT;
	Nl__Samples samples = NL__SAMPLES__INIT;
	Nl__Series series = NL__SERIES__INIT, *list[] = {&series};
	int64_t deltas[] = {0, INT64_MAX, INT64_MAX};
	double values[] = {1, (double)NAN, 3};
	samples.n_series = 1;
	samples.series = list;
	request.version = NL_PROTOCOL_VERSION;
	request.body_case = NL__REQUEST__BODY_SAMPLES;
	request.samples = &samples;
	series.metric = 10;
	series.delta_ns = deltas;
	series.value = values;
	series.n_delta_ns = 2;
	series.n_value = 1;
	expect_refusal(&request, "another number of instants");
	series.n_value = 2;
	expect_refusal(&request, "Series.value is not a finite number");
	values[1] = 2;
	series.n_delta_ns = series.n_value = 3;
	expect_refusal(&request, "too late");
	deltas[2] = -1;
	expect_refusal(&request, "Series.delta_ns is -1");
	series.n_delta_ns = series.n_value = 1;
	series.metric = 9999;
	expect_refusal(&request, "metric");
	series.metric = 0;
	expect_refusal(&request, "metric");
}

static Nl__Reply an_order(Nl__Order *order, Nl__Load *load)
{
	Nl__Reply reply = NL__REPLY__INIT;
	nl__order__init(order);
	nl__load__init(load);
	reply.version = NL_PROTOCOL_VERSION;
	reply.body_case = NL__REPLY__BODY_ORDER;
	reply.order = order;
	order->task_case = NL__ORDER__TASK_LOAD;
	order->load = load;
	return reply;
}

static void orders_are_checked_like_requests(void **state)
{
	(void)state;
	Nl__Order order;
	Nl__Load load;
	Nl__Reply reply = an_order(&order, &load), *out;
	uint8_t data[200];
	load.engine = (Nl__Engine)77;
	size_t len = nl__reply__pack(&reply, data);
	assert_int_equal(nl_reply_decode(data, len, &out, &err), NL_E_PROTOCOL);
	assert_non_null(strstr(err.why, "Load.engine"));
	load.engine = NL__ENGINE__ENGINE_PSYNC;
	load.read_percent = 101;
	len = nl__reply__pack(&reply, data);
	assert_int_equal(nl_reply_decode(data, len, &out, &err), NL_E_PROTOCOL);
	assert_non_null(strstr(err.why, "Load.read_percent is 101"));
	load.read_percent = 100;
	load.file_bytes = UINT64_MAX;
	len = nl__reply__pack(&reply, data);
	assert_int_equal(nl_reply_decode(data, len, &out, &err), 0);
	assert_true(out->order->load->file_bytes == UINT64_MAX);
	nl_reply_free(out);
	Nl__Order *alone;
	len = nl__order__pack(&order, data);
	assert_int_equal(nl_order_decode(data, len, &alone, &err), 0);
	nl_order_free(alone);
	load.streams = 100000;
	len = nl__order__pack(&order, data);
	assert_int_equal(nl_order_decode(data, len, &alone, &err), NL_E_PROTOCOL);
	assert_null(alone);
}

static void a_message_above_the_limit_is_not_encoded(void **state)
{
	(void)state;
	enum { COUNT = 300 };
	static Nl__Fact facts[COUNT], *list[COUNT];
	static char text[4097];
	Nl__Result result;
	Nl__Request request = a_result(&result);
	void *data;
	size_t len;
	memset(text, 'x', 4096);
	for (int i = 0; i < COUNT; i++) {
		nl__fact__init(&facts[i]);
		facts[i].value = text;
		list[i] = &facts[i];
	}
	result.n_fact = COUNT;
	result.fact = list;
	assert_int_equal(nl_request_encode(&request, &data, &len, &err), NL_E_PROTOCOL);
	assert_null(data);
	result.n_fact = 200;
	assert_int_equal(nl_request_encode(&request, &data, &len, &err), 0);
	assert_true(len <= NL_MESSAGE_MAX_BYTES);
	free(data);
}

static void errors_cross_the_wire(void **state)
{
	(void)state;
	struct nl_error before, after;
	Nl__Failure failure;
	nl_error_sys(&before, 28, "write %s", "\xff");
	nl_error_where(&before, "/tank/x");
	nl_error_todo(&before, "free some space");
	nl_failure_from_error(&failure, &before);
	char why[200];
	assert_true(nl_message_check(&failure.base, why, sizeof why));
	nl_error_from_failure(&after, &failure);
	assert_int_equal(after.code, NL_E_SPACE);
	assert_int_equal(after.sys_errno, 28);
	assert_string_equal(after.what, before.what);
	assert_string_equal(after.where, before.where);
	assert_string_equal(after.why, before.why);
	assert_string_equal(after.todo, before.todo);
	/* An error that was never filled is a fault of ours, not a success. */
	memset(&before, 0, sizeof before);
	nl_failure_from_error(&failure, &before);
	assert_int_equal(failure.code, NL_E_INTERNAL);
}

static void secrets_in_an_order_are_wiped(void **state)
{
	(void)state;
	Nl__Order order;
	Nl__Load load;
	an_order(&order, &load);
	Nl__ShareTarget share = NL__SHARE_TARGET__INIT;
	uint8_t password[] = "hunter2", key[] = "0123456789abcdef";
	load.share = &share;
	share.secret = (ProtobufCBinaryData){sizeof password, password};
	nl_secret_wipe_order(&order);
	for (size_t i = 0; i < sizeof password; i++)
		assert_int_equal(password[i], 0);
	Nl__LineClient client = NL__LINE_CLIENT__INIT;
	client.key = (ProtobufCBinaryData){sizeof key, key};
	order.task_case = NL__ORDER__TASK_LINE_CLIENT;
	order.line_client = &client;
	nl_secret_wipe_order(&order);
	for (size_t i = 0; i < sizeof key; i++)
		assert_int_equal(key[i], 0);
	nl_secret_wipe_order(NULL);
}

static void demand(const ProtobufCMessageDescriptor *message, const ProtobufCFieldDescriptor *field,
		   enum nl_limit_kind kind)
{
	if (!nl_limit_find(field->name, kind))
		fail_msg("%s.%s has no limit of kind %d in proto/message_limits.c", message->short_name, field->name,
			 (int)kind);
}

static bool is_instant(const ProtobufCFieldDescriptor *field)
{
	size_t len = strlen(field->name);
	bool wide = field->type == PROTOBUF_C_TYPE_INT64 || field->type == PROTOBUF_C_TYPE_SINT64;
	return wide && len > 3 && !strcmp(field->name + len - 3, "_ns") && strcmp(field->name, "offset_ns") != 0;
}

/* Walks all message types below one. No type contains itself, or decoding could recurse without end. */
static void demand_limits(const ProtobufCMessageDescriptor *message, int depth)
{
	assert_true(depth < 8);
	for (unsigned i = 0; i < message->n_fields; i++) {
		const ProtobufCFieldDescriptor *field = &message->fields[i];
		if (field->label == PROTOBUF_C_LABEL_REPEATED)
			demand(message, field, NL_LIMIT_COUNT);
		if (field->type == PROTOBUF_C_TYPE_STRING)
			demand(message, field, NL_LIMIT_TEXT);
		if (field->type == PROTOBUF_C_TYPE_BYTES)
			demand(message, field, NL_LIMIT_BYTES);
		if (is_instant(field))
			demand(message, field, NL_LIMIT_NUMBER);
		if (field->type == PROTOBUF_C_TYPE_MESSAGE)
			demand_limits(field->descriptor, depth + 1);
	}
}

static void every_field_has_its_limit(void **state)
{
	(void)state;
	demand_limits(&nl__request__descriptor, 0);
	demand_limits(&nl__reply__descriptor, 0);
}

static void the_table_of_limits_is_sorted(void **state)
{
	(void)state;
	size_t count;
	const struct nl_limit *rows = nl_limit_rows(&count);
	for (size_t i = 0; i < count; i++) {
		assert_ptr_equal(nl_limit_find(rows[i].field, rows[i].kind), &rows[i]);
		assert_true(rows[i].min <= rows[i].max);
		if (i == 0)
			continue;
		int order = strcmp(rows[i - 1].field, rows[i].field);
		assert_true(order < 0 || (order == 0 && rows[i - 1].kind < rows[i].kind));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_request_comes_back_as_it_was),
		cmocka_unit_test(another_version_is_refused_with_both_versions),
		cmocka_unit_test(garbage_and_empty_messages_are_refused),
		cmocka_unit_test(unknown_fields_are_refused),
		cmocka_unit_test(texts_above_their_limit_are_refused),
		cmocka_unit_test(malformed_texts_are_refused),
		cmocka_unit_test(too_many_elements_are_refused),
		cmocka_unit_test(a_small_message_cannot_become_a_large_one),
		cmocka_unit_test(numbers_out_of_range_are_refused),
		cmocka_unit_test(codes_out_of_range_are_refused),
		cmocka_unit_test(series_must_agree_with_themselves),
		cmocka_unit_test(orders_are_checked_like_requests),
		cmocka_unit_test(a_message_above_the_limit_is_not_encoded),
		cmocka_unit_test(errors_cross_the_wire),
		cmocka_unit_test(secrets_in_an_order_are_wiped),
		cmocka_unit_test(every_field_has_its_limit),
		cmocka_unit_test(the_table_of_limits_is_sorted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
