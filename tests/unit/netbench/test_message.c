/*
 * Control messages: round trips, every field's range, the proofs of the key.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "netbench/message.h"

/* The functions give the code that the error holds, so they need one. */
static struct nl_error ignored;

static const unsigned char key[] = "a secret of both ends", other_key[] = "another secret";

static struct nl_nb_auth auth_with(const unsigned char *secret)
{
	struct nl_nb_auth auth = {.key = secret, .key_len = secret ? strlen((const char *)secret) : 0};

	assert_int_equal(nl_nb_random(auth.client_nonce, NL_NB_NONCE_BYTES, &ignored), 0);
	assert_int_equal(nl_nb_random(auth.server_nonce, NL_NB_NONCE_BYTES, &ignored), 0);
	return auth;
}

static int hello(const unsigned char *client_key, const unsigned char *server_key)
{
	struct nl_nb_auth client = auth_with(client_key), server = auth_with(server_key);
	json_t *frame = nl_nb_hello_pack(&client);
	int rc = nl_nb_hello_check(&server, frame, &ignored);

	json_decref(frame);
	return rc;
}

static void only_a_client_with_the_servers_key_is_answered(void **state)
{
	(void)state;
	assert_int_equal(hello(key, key), 0);
	assert_int_equal(hello(other_key, key), NL_E_ACCESS);
	assert_int_equal(hello(NULL, key), NL_E_ACCESS);
	assert_int_equal(hello(NULL, NULL), 0);
	assert_int_equal(hello(key, NULL), 0); /* the client itself refuses such a server, below */
}

static int challenge(const unsigned char *client_key, const unsigned char *server_key)
{
	struct nl_nb_auth client = auth_with(client_key), server = auth_with(server_key);
	json_t *frame;
	int rc;

	memcpy(server.client_nonce, client.client_nonce, NL_NB_NONCE_BYTES);
	frame = nl_nb_challenge_pack(&server);
	rc = nl_nb_challenge_check(&client, frame, &ignored);
	json_decref(frame);
	return rc;
}

static void a_client_with_a_key_refuses_a_server_that_cannot_prove_it(void **state)
{
	(void)state;
	assert_int_equal(challenge(key, key), 0);
	assert_int_equal(challenge(key, other_key), NL_E_ACCESS);
	assert_int_equal(challenge(key, NULL), NL_E_ACCESS);
	assert_int_equal(challenge(NULL, NULL), 0);
}

static void a_proof_is_good_for_its_nonces_and_its_prover_only(void **state)
{
	struct nl_nb_auth auth = auth_with(key);
	unsigned char proof[NL_NB_PROOF_BYTES];

	(void)state;
	assert_int_equal(nl_nb_proof(&auth, NL_NB_PROOF_SERVER, proof, &ignored), 0);
	assert_true(nl_nb_proof_check(&auth, NL_NB_PROOF_SERVER, proof));
	assert_false(nl_nb_proof_check(&auth, NL_NB_PROOF_CLIENT, proof));
	proof[31] ^= 1;
	assert_false(nl_nb_proof_check(&auth, NL_NB_PROOF_SERVER, proof));
	proof[31] ^= 1;
	auth.server_nonce[0] ^= 1;
	assert_false(nl_nb_proof_check(&auth, NL_NB_PROOF_SERVER, proof));
}

static void the_hmac_is_that_of_the_standard(void **state)
{
	/* Made with another implementation: HMAC-SHA256("key", "netbench 1 hello\0" and 32 zero bytes). */
	struct nl_nb_auth auth = {.key = (const unsigned char *)"key", .key_len = 3};
	unsigned char proof[NL_NB_PROOF_BYTES];
	char text[2 * NL_NB_PROOF_BYTES + 1];

	(void)state;
	assert_int_equal(nl_nb_proof(&auth, NL_NB_PROOF_HELLO, proof, &ignored), 0);
	nl_nb_hex(proof, sizeof(proof), text);
	assert_string_equal(text, "05eb010c19c294f0d7005cb865b8a484d314e631dfa6fddf6baf2858cf544e41");
}

static void another_protocol_version_is_refused(void **state)
{
	struct nl_nb_auth auth = auth_with(NULL);
	json_t *frame = nl_nb_challenge_pack(&auth);

	(void)state;
	json_object_set_new(frame, "version", json_integer(NL_NB_VERSION + 1));
	assert_int_equal(nl_nb_challenge_check(&auth, frame, &ignored), NL_E_UNSUPPORTED);
	json_decref(frame);
}

static void a_request_round_trips_and_its_bounds_hold(void **state)
{
	static const struct {
		const char *field;
		json_int_t low, high; /* the first values that are refused */
	} bounds[] = {
		{"direction", -1, 3},
		{"streams", 0, NL_NETBENCH_STREAMS_MAX + 1},
		{"duration_ns", NL_NS_PER_MS - 1, NL_NETBENCH_DURATION_MAX_NS + 1},
		{"omit_ns", -1, NL_NETBENCH_OMIT_MAX_NS + 1},
		{"interval_ns", NL_NETBENCH_INTERVAL_MIN_NS - 1, NL_NETBENCH_DURATION_MAX_NS + 1},
		{"block_bytes", NL_NETBENCH_BLOCK_MIN - 1, NL_NETBENCH_BLOCK_MAX + 1},
		{"window_bytes", -1, (json_int_t)NL_NETBENCH_WINDOW_MAX + 1},
	};
	struct nl_netbench_config config;
	struct nl_nb_request request, back = {0};
	struct nl_nb_auth auth = auth_with(key);
	json_t *frame;

	(void)state;
	nl_netbench_config_default(&config);
	config.congestion = "cubic";
	assert_int_equal(nl_nb_request_from(&config, &request, &ignored), 0);
	frame = nl_nb_request_pack(&auth, &request);
	assert_int_equal(nl_nb_request_check(&auth, frame, &ignored), 0);
	assert_int_equal(nl_nb_request_unpack(frame, &back, &ignored), 0);
	assert_memory_equal(&request, &back, sizeof(back));
	for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++) {
		json_t *right = json_incref(json_object_get(frame, bounds[i].field));

		assert_non_null(right);
		json_object_set_new(frame, bounds[i].field, json_integer(bounds[i].low));
		assert_int_equal(nl_nb_request_unpack(frame, &back, &ignored), NL_E_PROTOCOL);
		json_object_set_new(frame, bounds[i].field, json_integer(bounds[i].high));
		assert_int_equal(nl_nb_request_unpack(frame, &back, &ignored), NL_E_PROTOCOL);
		json_object_set_new(frame, bounds[i].field, json_string("1"));
		assert_int_equal(nl_nb_request_unpack(frame, &back, &ignored), NL_E_PROTOCOL);
		json_object_del(frame, bounds[i].field);
		assert_int_equal(nl_nb_request_unpack(frame, &back, &ignored), NL_E_PROTOCOL);
		json_object_set_new(frame, bounds[i].field, right);
		assert_int_equal(nl_nb_request_unpack(frame, &back, &ignored), 0);
	}
	json_object_set_new(frame, "congestion", json_string("a name that is too long"));
	assert_int_equal(nl_nb_request_unpack(frame, &back, &ignored), NL_E_PROTOCOL);
	json_object_set_new(frame, "congestion", json_string("esc\033[31m"));
	assert_int_equal(nl_nb_request_unpack(frame, &back, &ignored), NL_E_PROTOCOL);
	json_decref(frame);
}

static void a_configuration_out_of_range_is_refused_before_connecting(void **state)
{
	struct nl_netbench_config config;
	struct nl_nb_request request;

	(void)state;
	nl_netbench_config_default(&config);
	config.streams = 0;
	assert_int_equal(nl_nb_request_from(&config, &request, &ignored), NL_E_CONFIG);
	nl_netbench_config_default(&config);
	config.duration_ns = NL_NETBENCH_DURATION_MAX_NS;
	config.interval_ns = NL_NETBENCH_INTERVAL_MIN_NS;
	assert_int_equal(nl_nb_request_from(&config, &request, &ignored), NL_E_CONFIG);
}

static void a_result_round_trips_and_a_wrong_number_of_streams_is_refused(void **state)
{
	struct nl_netbench_stream streams[2] = {
		{.bytes = 10, .window_bytes = 8, .first_ns = 1, .last_ns = 5, .tcp = {.rtt_ns = 7, .timestamps = true}},
		{.bytes = 20, .first_ns = -1, .last_ns = -1, .tcp = {.retransmits = -1}},
	};
	struct nl_netbench_result result = {0}, back = {0};
	bool broken;
	json_t *frame;

	(void)state;
	result.flows[NL_NETBENCH_FROM_SERVER].used = back.flows[NL_NETBENCH_FROM_SERVER].used = true;
	result.flows[NL_NETBENCH_FROM_SERVER].sender.streams = streams;
	result.flows[NL_NETBENCH_FROM_SERVER].sender.stream_count = 2;
	strcpy(result.server.name, "nas");
	result.server.link.mtu_bytes = 9000;
	frame = nl_nb_result_pack(&result, true);
	assert_non_null(frame);
	assert_int_equal(nl_nb_result_unpack(frame, 2, &back, &broken, &ignored), 0);
	assert_true(broken);
	assert_memory_equal(back.flows[NL_NETBENCH_FROM_SERVER].sender.streams, streams, sizeof(streams));
	assert_string_equal(back.server.name, "nas");
	assert_int_equal(back.server.link.mtu_bytes, 9000);
	assert_int_equal(nl_nb_result_unpack(frame, 3, &back, &broken, &ignored), NL_E_PROTOCOL);
	json_decref(frame);
	nl_netbench_result_fini(&back);
}

static void a_refusal_carries_its_reason(void **state)
{
	struct nl_error err = {0};
	json_t *frame = nl_nb_refused_pack(NL_E_UNSUPPORTED, "busy");

	(void)state;
	assert_int_equal(nl_nb_refused_unpack(frame, &err), NL_E_UNSUPPORTED);
	assert_string_equal(err.why, "busy");
	json_object_set_new(frame, "code", json_integer(0));
	assert_int_equal(nl_nb_refused_unpack(frame, &err), NL_E_PROTOCOL);
	json_decref(frame);
}

static void a_data_header_needs_the_token_and_a_stream_of_the_test(void **state)
{
	unsigned char token[NL_NB_TOKEN_BYTES] = "0123456789abcde", header[NL_NB_DATA_HEADER_BYTES];
	unsigned flow, stream;

	(void)state;
	nl_nb_data_header(header, token, 1, 3);
	assert_true(nl_nb_data_header_read(header, token, 4, &flow, &stream));
	assert_int_equal(flow, 1);
	assert_int_equal(stream, 3);
	assert_false(nl_nb_data_header_read(header, token, 3, &flow, &stream));
	for (size_t i = 0; i < NL_NB_DATA_HEADER_BYTES - 1; i++) {
		header[i] ^= 4;
		assert_false(nl_nb_data_header_read(header, token, 4, &flow, &stream));
		header[i] ^= 4;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_a_client_with_the_servers_key_is_answered),
		cmocka_unit_test(a_client_with_a_key_refuses_a_server_that_cannot_prove_it),
		cmocka_unit_test(a_proof_is_good_for_its_nonces_and_its_prover_only),
		cmocka_unit_test(the_hmac_is_that_of_the_standard),
		cmocka_unit_test(another_protocol_version_is_refused),
		cmocka_unit_test(a_request_round_trips_and_its_bounds_hold),
		cmocka_unit_test(a_configuration_out_of_range_is_refused_before_connecting),
		cmocka_unit_test(a_result_round_trips_and_a_wrong_number_of_streams_is_refused),
		cmocka_unit_test(a_refusal_carries_its_reason),
		cmocka_unit_test(a_data_header_needs_the_token_and_a_stream_of_the_test),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
