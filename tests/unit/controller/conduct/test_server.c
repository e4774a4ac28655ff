/*
 * test_server: the controller's end of the wire, with real TLS sockets on loopback and a hand-made agent.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/child.h"
#include "base/time.h"
#include "controller/conduct/server.h"
#include "proto/identity.h"
#include "proto/link.h"
#include "proto/metric.h"

#define CALL_NS  (5 * NL_NS_PER_S)
#define LEASE_NS (2 * NL_NS_PER_S)

struct world {
	char home[64], agent_dir[80], url[64];
	struct nl_store *store;
	struct nl_server *server;
	uint16_t port;
};

/* One request over a dialer, its reply decoded. */
static Nl__Reply *call(struct nl_dialer *dialer, Nl__Request *request)
{
	void *data = NULL, *answer = NULL;
	size_t len = 0, answer_len = 0;
	struct nl_error err;
	Nl__Reply *reply = NULL;
	request->version = NL_PROTOCOL_VERSION;
	request->sent_mono_ns = nl_mono_ns();
	assert_int_equal(nl_request_encode(request, &data, &len, &err), NL_E_OK);
	int rc = nl_dialer_call(dialer, data, len, CALL_NS, &answer, &answer_len, NULL, &err);
	if (rc != NL_E_OK)
		print_error("%s: %s\n", err.what, err.why);
	assert_int_equal(rc, NL_E_OK);
	assert_int_equal(nl_reply_decode(answer, answer_len, &reply, &err), NL_E_OK);
	free(data);
	free(answer);
	return reply;
}

static struct nl_dialer *dial(const struct world *world, const char *dir, const char *ca_pem)
{
	struct nl_dialer *dialer = NULL;
	struct nl_error err;
	assert_int_equal(nl_dialer_start(world->url, dir, ca_pem, &dialer, &err), NL_E_OK);
	return dialer;
}

static Nl__Reply *enrol(const struct world *world, struct nl_dialer *dialer, const char *name,
			const struct nl_token *token)
{
	uint8_t der[NL_IDENTITY_DER_MAX];
	size_t len = 0;
	struct nl_error err;
	Nl__Enrol message = NL__ENROL__INIT;
	Nl__Request request = NL__REQUEST__INIT;
	assert_int_equal(nl_identity_request_create(world->agent_dir, name, der, &len, &err), NL_E_OK);
	message.agent_name = (char *)name;
	message.token_secret.data = (uint8_t *)token->secret;
	message.token_secret.len = sizeof token->secret;
	message.request_der.data = der;
	message.request_der.len = len;
	request.body_case = NL__REQUEST__BODY_ENROL;
	request.enrol = &message;
	return call(dialer, &request);
}

static void make_token(const struct world *world, const char *name, struct nl_token *token)
{
	uint8_t hash[32];
	struct nl_error err;
	assert_int_equal(nl_token_make(world->home, token, &err), NL_E_OK);
	assert_int_equal(nl_token_hash(token->secret, hash, &err), NL_E_OK);
	struct nl_store *store = nl_server_store_lock(world->server);
	assert_int_equal(nl_store_token_add(store, hash, name, nl_wall_ns() + 60 * NL_NS_PER_S, &err), NL_E_OK);
	nl_server_store_unlock(world->server);
}

static void join(struct world *world, const char *name)
{
	struct nl_token token;
	struct nl_error err;
	make_token(world, name, &token);
	struct nl_dialer *dialer = dial(world, NULL, NULL);
	Nl__Reply *reply = enrol(world, dialer, name, &token);
	assert_int_equal(reply->body_case, NL__REPLY__BODY_ENROLLED);
	assert_int_equal(nl_identity_agent_install(world->agent_dir, reply->enrolled->ca_der.data,
						   reply->enrolled->ca_der.len, reply->enrolled->certificate_der.data,
						   reply->enrolled->certificate_der.len, &err),
			 NL_E_OK);
	nl_reply_free(reply);
	nl_dialer_stop(dialer);
}

static Nl__Reply *hello(const struct world *world, struct nl_dialer *dialer, const char *name)
{
	char path[100], *pem = NULL;
	uint8_t der[NL_IDENTITY_DER_MAX];
	size_t len = 0;
	struct nl_error err;
	FILE *file;
	Nl__Hello message = NL__HELLO__INIT;
	Nl__Request request = NL__REQUEST__INIT;
	snprintf(path, sizeof path, "%s/agent.crt", world->agent_dir);
	assert_non_null(file = fopen(path, "r"));
	pem = calloc(1, NL_IDENTITY_PEM_MAX);
	size_t pem_len = fread(pem, 1, NL_IDENTITY_PEM_MAX - 1, file);
	fclose(file);
	assert_int_equal(nl_identity_der(pem, pem_len, der, &len, &err), NL_E_OK);
	free(pem);
	message.agent_name = (char *)name;
	message.certificate_der.data = der;
	message.certificate_der.len = len;
	request.body_case = NL__REQUEST__BODY_HELLO;
	request.hello = &message;
	return call(dialer, &request);
}

static Nl__Reply *prove(const struct world *world, struct nl_dialer *dialer, const char *name, const uint8_t *nonce,
			bool spoil)
{
	uint8_t signature[NL_IDENTITY_SIGNATURE_MAX];
	size_t len = 0;
	struct nl_error err;
	Nl__Proof proof = NL__PROOF__INIT;
	Nl__Request request = NL__REQUEST__INIT;
	assert_int_equal(nl_identity_prove(world->agent_dir, name, nonce, signature, &len, &err), NL_E_OK);
	if (spoil)
		signature[len - 1] ^= 1;
	proof.agent_name = (char *)name;
	proof.nonce.data = (uint8_t *)nonce;
	proof.nonce.len = NL_IDENTITY_NONCE_BYTES;
	proof.signature_der.data = signature;
	proof.signature_der.len = len;
	request.body_case = NL__REQUEST__BODY_PROOF;
	request.proof = &proof;
	return call(dialer, &request);
}

static uint64_t open_session(const struct world *world, struct nl_dialer *dialer, const char *name)
{
	Nl__Reply *challenge = hello(world, dialer, name);
	assert_int_equal(challenge->body_case, NL__REPLY__BODY_CHALLENGE);
	Nl__Reply *welcome = prove(world, dialer, name, challenge->challenge->nonce.data, false);
	assert_int_equal(welcome->body_case, NL__REPLY__BODY_WELCOME);
	uint64_t session = welcome->welcome->session;
	nl_reply_free(challenge);
	nl_reply_free(welcome);
	return session;
}

static void a_token_admits_one_agent_once(void **state)
{
	struct world *world = *state;
	struct nl_token token;
	make_token(world, "nas", &token);
	struct nl_dialer *dialer = dial(world, NULL, NULL);
	Nl__Reply *wrong = enrol(world, dialer, "other", &token);
	assert_int_equal(wrong->body_case, NL__REPLY__BODY_REFUSAL);
	Nl__Reply *reply = enrol(world, dialer, "nas", &token);
	assert_int_equal(reply->body_case, NL__REPLY__BODY_ENROLLED);
	/* Another key under the same token is another machine. */
	char key[100];
	snprintf(key, sizeof key, "%s/agent.key", world->agent_dir);
	unlink(key);
	Nl__Reply *again = enrol(world, dialer, "nas", &token);
	assert_int_equal(again->body_case, NL__REPLY__BODY_REFUSAL);
	assert_int_equal(again->refusal->code, NL_E_IDENTITY);
	nl_reply_free(wrong);
	nl_reply_free(reply);
	nl_reply_free(again);
	nl_dialer_stop(dialer);
}

static void a_repeated_enrolment_gets_the_same_certificate(void **state)
{
	struct world *world = *state;
	struct nl_token token;
	uint8_t der[NL_IDENTITY_DER_MAX];
	size_t len = 0;
	struct nl_error err;
	make_token(world, "nas", &token);
	struct nl_dialer *dialer = dial(world, NULL, NULL);
	assert_int_equal(nl_identity_request_create(world->agent_dir, "nas", der, &len, &err), NL_E_OK);
	Nl__Enrol message = NL__ENROL__INIT;
	Nl__Request request = NL__REQUEST__INIT;
	message.agent_name = (char *)"nas";
	message.token_secret = (ProtobufCBinaryData){sizeof token.secret, token.secret};
	message.request_der = (ProtobufCBinaryData){len, der};
	request.body_case = NL__REQUEST__BODY_ENROL;
	request.enrol = &message;
	Nl__Reply *first = call(dialer, &request), *second = call(dialer, &request);
	assert_int_equal(first->body_case, NL__REPLY__BODY_ENROLLED);
	assert_int_equal(second->body_case, NL__REPLY__BODY_ENROLLED);
	assert_int_equal(first->enrolled->certificate_der.len, second->enrolled->certificate_der.len);
	assert_memory_equal(first->enrolled->certificate_der.data, second->enrolled->certificate_der.data,
			    first->enrolled->certificate_der.len);
	nl_reply_free(first);
	nl_reply_free(second);
	nl_dialer_stop(dialer);
}

static void a_peer_without_a_certificate_may_only_enrol(void **state)
{
	struct world *world = *state;
	Nl__Ping ping = NL__PING__INIT;
	Nl__Request request = NL__REQUEST__INIT;
	join(world, "nas");
	struct nl_dialer *dialer = dial(world, NULL, NULL);
	request.body_case = NL__REQUEST__BODY_PING;
	request.ping = &ping;
	Nl__Reply *reply = call(dialer, &request);
	assert_int_equal(reply->body_case, NL__REPLY__BODY_REFUSAL);
	assert_int_equal(reply->refusal->code, NL_E_IDENTITY);
	nl_reply_free(reply);
	reply = hello(world, dialer, "nas");
	assert_int_equal(reply->body_case, NL__REPLY__BODY_REFUSAL);
	nl_reply_free(reply);
	nl_dialer_stop(dialer);
}

static void a_name_must_be_proved(void **state)
{
	struct world *world = *state;
	join(world, "nas");
	struct nl_dialer *dialer = dial(world, world->agent_dir, NULL);
	Nl__Reply *challenge = hello(world, dialer, "nas");
	assert_int_equal(challenge->body_case, NL__REPLY__BODY_CHALLENGE);
	Nl__Reply *bad = prove(world, dialer, "nas", challenge->challenge->nonce.data, true);
	assert_int_equal(bad->body_case, NL__REPLY__BODY_REFUSAL);
	uint8_t own_nonce[NL_IDENTITY_NONCE_BYTES] = {1};
	Nl__Reply *invented = prove(world, dialer, "nas", own_nonce, false);
	assert_int_equal(invented->body_case, NL__REPLY__BODY_REFUSAL);
	/* A good certificate under another agent's name. */
	Nl__Reply *other = hello(world, dialer, "other");
	if (other->body_case == NL__REPLY__BODY_CHALLENGE) {
		Nl__Reply *proof = prove(world, dialer, "other", other->challenge->nonce.data, false);
		assert_int_equal(proof->body_case, NL__REPLY__BODY_REFUSAL);
		nl_reply_free(proof);
	}
	nl_reply_free(challenge);
	nl_reply_free(bad);
	nl_reply_free(invented);
	nl_reply_free(other);
	nl_dialer_stop(dialer);
}

static void an_unknown_session_is_told_to_say_hello(void **state)
{
	struct world *world = *state;
	Nl__Await await = NL__AWAIT__INIT;
	Nl__Request request = NL__REQUEST__INIT;
	join(world, "nas");
	struct nl_dialer *dialer = dial(world, world->agent_dir, NULL);
	request.body_case = NL__REQUEST__BODY_AWAIT;
	request.await = &await;
	request.session = 12345;
	Nl__Reply *reply = call(dialer, &request);
	assert_int_equal(reply->body_case, NL__REPLY__BODY_REFUSAL);
	assert_true(reply->refusal->session_unknown);
	nl_reply_free(reply);
	nl_dialer_stop(dialer);
}

static Nl__Reply *poll_order(struct nl_dialer *dialer, uint64_t session, uint64_t newest)
{
	Nl__Await await = NL__AWAIT__INIT;
	Nl__Request request = NL__REQUEST__INIT;
	await.longest_ns = 50 * NL_NS_PER_MS;
	await.newest_order = newest;
	request.session = session;
	request.body_case = NL__REQUEST__BODY_AWAIT;
	request.await = &await;
	return call(dialer, &request);
}

static void send_result(struct nl_dialer *dialer, uint64_t session, uint64_t seq, uint64_t order)
{
	Nl__Fact fact = NL__FACT__INIT, *facts[] = {&fact};
	Nl__Result result = NL__RESULT__INIT;
	Nl__Request request = NL__REQUEST__INIT;
	fact.subject = (char *)"share";
	fact.key = (char *)"version";
	fact.value = (char *)"3";
	result.order = order;
	result.n_fact = 1;
	result.fact = facts;
	request.session = session;
	request.seq = seq;
	request.body_case = NL__REQUEST__BODY_RESULT;
	request.result = &result;
	Nl__Reply *reply = call(dialer, &request);
	assert_int_equal(reply->body_case, NL__REPLY__BODY_ACK);
	nl_reply_free(reply);
}

static void an_orders_result_is_stored_once_and_reaches_the_conductor(void **state)
{
	struct world *world = *state;
	struct nl_error err;
	struct nl_store_run run = {.id = "run-1", .title = "t", .version = "0", .started_ns = 1};
	join(world, "nas");
	struct nl_dialer *dialer = dial(world, world->agent_dir, NULL);
	uint64_t session = open_session(world, dialer, "nas"), id = 0;
	struct nl_store *store = nl_server_store_lock(world->server);
	assert_int_equal(nl_store_run_add(store, &run, "", "", &err), NL_E_OK);
	nl_server_store_unlock(world->server);

	Nl__Clock ask = NL__CLOCK__INIT;
	Nl__Order order = NL__ORDER__INIT;
	order.run_id = (char *)"run-1";
	order.task_case = NL__ORDER__TASK_CLOCK;
	order.clock = &ask;
	struct nl_order_keeping keeping = {.run_id = "run-1", .phase = 7, .role = "probe", .label = "smb"};
	assert_int_equal(nl_server_order(world->server, "nas", &order, &keeping, &id, &err), NL_E_OK);
	Nl__Reply *reply = poll_order(dialer, session, 0);
	assert_int_equal(reply->body_case, NL__REPLY__BODY_ORDER);
	assert_int_equal(reply->order->id, id);
	nl_reply_free(reply);
	reply = poll_order(dialer, session, id);
	assert_int_equal(reply->body_case, NL__REPLY__BODY_IDLE);
	nl_reply_free(reply);

	atomic_bool stop = false;
	Nl__Result *result = NULL;
	send_result(dialer, session, 1, id);
	send_result(dialer, session, 1, id);
	assert_int_equal(nl_server_await(world->server, "nas", id, CALL_NS, &stop, &result, &err), NL_E_OK);
	assert_int_equal(result->order, id);
	nl_server_result_free(result);

	struct nl_store_result *results = NULL;
	struct nl_store_fact *facts = NULL;
	size_t count = 0, fact_count = 0;
	store = nl_server_store_lock(world->server);
	assert_int_equal(nl_store_results(store, "run-1", &results, &count, &err), NL_E_OK);
	assert_int_equal(nl_store_facts(store, "run-1", &facts, &fact_count, &err), NL_E_OK);
	nl_server_store_unlock(world->server);
	assert_int_equal(count, 1);
	assert_int_equal(results[0].phase, 7);
	assert_int_equal(fact_count, 1);
	assert_string_equal(facts[0].subject, "share:smb");
	nl_store_results_free(results, count);
	free(facts);
	nl_dialer_stop(dialer);
}

static void samples_arrive_on_the_controllers_clock_and_once(void **state)
{
	struct world *world = *state;
	struct nl_error err;
	struct nl_store_run run = {.id = "run-2", .title = "t", .version = "0", .started_ns = 1};
	join(world, "nas");
	struct nl_dialer *dialer = dial(world, world->agent_dir, NULL);
	uint64_t session = open_session(world, dialer, "nas");
	struct nl_store *store = nl_server_store_lock(world->server);
	assert_int_equal(nl_store_run_add(store, &run, "", "", &err), NL_E_OK);
	nl_server_store_unlock(world->server);
	nl_server_attach(world->server, "run-2");

	int64_t delta[] = {0, 100};
	double value[] = {1, 2};
	Nl__Series series = NL__SERIES__INIT, *list[] = {&series};
	Nl__Samples samples = NL__SAMPLES__INIT;
	Nl__Request request = NL__REQUEST__INIT;
	series.metric = NL_METRIC_DISK_READ_BYTES;
	series.subject = (char *)"sda";
	series.first_mono_ns = 1000;
	series.n_delta_ns = series.n_value = 2;
	series.delta_ns = delta;
	series.value = value;
	samples.offset_ns = 500000;
	samples.n_series = 1;
	samples.series = list;
	request.session = session;
	request.seq = 1;
	request.body_case = NL__REQUEST__BODY_SAMPLES;
	request.samples = &samples;
	for (int i = 0; i < 2; i++) {
		Nl__Reply *reply = call(dialer, &request);
		assert_int_equal(reply->body_case, NL__REPLY__BODY_ACK);
		nl_reply_free(reply);
	}
	struct nl_series *stored = NULL;
	size_t count = 0;
	store = nl_server_store_lock(world->server);
	assert_int_equal(nl_store_series(store, "run-2", 0, 0, INT64_MAX, &stored, &count, &err), NL_E_OK);
	nl_server_store_unlock(world->server);
	assert_int_equal(count, 1);
	assert_int_equal(stored[0].count, 2);
	assert_int_equal(stored[0].times_ns[0], 501000);
	assert_int_equal(stored[0].times_ns[1], 501100);
	nl_store_series_free(stored, count);
	nl_dialer_stop(dialer);
}

static void a_stopped_wait_tells_the_agent_to_abort(void **state)
{
	struct world *world = *state;
	struct nl_error err;
	join(world, "nas");
	struct nl_dialer *dialer = dial(world, world->agent_dir, NULL);
	uint64_t session = open_session(world, dialer, "nas"), id = 0;
	Nl__Clock ask = NL__CLOCK__INIT;
	Nl__Order order = NL__ORDER__INIT;
	order.task_case = NL__ORDER__TASK_CLOCK;
	order.clock = &ask;
	struct nl_order_keeping keeping = {.run_id = "", .role = "", .label = ""};
	assert_int_equal(nl_server_order(world->server, "nas", &order, &keeping, &id, &err), NL_E_OK);
	atomic_bool stop = true;
	Nl__Result *result = NULL;
	assert_int_equal(nl_server_await(world->server, "nas", id, CALL_NS, &stop, &result, &err), NL_E_CANCELLED);
	Nl__Reply *reply = poll_order(dialer, session, 0);
	assert_int_equal(reply->body_case, NL__REPLY__BODY_IDLE);
	assert_int_equal(reply->abort_order, id);
	nl_reply_free(reply);
	nl_dialer_stop(dialer);
}

static void an_agent_that_falls_silent_is_lost(void **state)
{
	struct world *world = *state;
	struct nl_error err;
	join(world, "nas");
	struct nl_dialer *dialer = dial(world, world->agent_dir, NULL);
	open_session(world, dialer, "nas");
	nl_dialer_stop(dialer);
	Nl__Clock ask = NL__CLOCK__INIT;
	Nl__Order order = NL__ORDER__INIT;
	order.task_case = NL__ORDER__TASK_CLOCK;
	order.clock = &ask;
	struct nl_order_keeping keeping = {.run_id = "", .role = "", .label = ""};
	uint64_t id = 0;
	atomic_bool stop = false;
	Nl__Result *result = NULL;
	assert_int_equal(nl_server_order(world->server, "nas", &order, &keeping, &id, &err), NL_E_OK);
	int64_t began = nl_mono_ns();
	assert_int_equal(nl_server_await(world->server, "nas", id, 60 * NL_NS_PER_S, &stop, &result, &err), NL_E_PEER);
	assert_true(nl_mono_ns() - began < LEASE_NS + 3 * NL_NS_PER_S);
	assert_non_null(strstr(err.what, "nas is lost"));
}

static uint64_t give_clock_order(struct world *world, const char *run_id)
{
	Nl__Clock ask = NL__CLOCK__INIT;
	Nl__Order order = NL__ORDER__INIT;
	struct nl_order_keeping keeping = {.run_id = run_id, .phase = 1, .role = "probe", .label = ""};
	struct nl_error err;
	uint64_t id = 0;
	order.task_case = NL__ORDER__TASK_CLOCK;
	order.clock = &ask;
	assert_int_equal(nl_server_order(world->server, "nas", &order, &keeping, &id, &err), NL_E_OK);
	return id;
}

static void a_result_that_cannot_be_stored_fails_its_order_at_once(void **state)
{
	struct world *world = *state;
	struct nl_error err;
	atomic_bool stop = false;
	Nl__Result result = NL__RESULT__INIT, *arrived = NULL;
	Nl__Request request = NL__REQUEST__INIT;
	join(world, "nas");
	struct nl_dialer *dialer = dial(world, world->agent_dir, NULL);
	uint64_t session = open_session(world, dialer, "nas");
	uint64_t id = give_clock_order(world, "a-run-that-is-not-there");
	result.order = id;
	request.session = session;
	request.seq = 1;
	request.body_case = NL__REQUEST__BODY_RESULT;
	request.result = &result;
	Nl__Reply *reply = call(dialer, &request);
	assert_int_equal(reply->body_case, NL__REPLY__BODY_REFUSAL);
	assert_false(reply->refusal->session_unknown);
	nl_reply_free(reply);
	int rc = nl_server_await(world->server, "nas", id, 60 * NL_NS_PER_S, &stop, &arrived, &err);
	assert_int_equal(rc, NL_E_NOT_FOUND);
	assert_null(arrived);
	nl_dialer_stop(dialer);
}

static void an_abort_ends_with_the_result_of_its_order(void **state)
{
	struct world *world = *state;
	struct nl_error err;
	atomic_bool stop = true;
	Nl__Result *result = NULL;
	join(world, "nas");
	struct nl_dialer *dialer = dial(world, world->agent_dir, NULL);
	uint64_t session = open_session(world, dialer, "nas"), id = give_clock_order(world, "");
	assert_int_equal(nl_server_await(world->server, "nas", id, CALL_NS, &stop, &result, &err), NL_E_CANCELLED);
	for (int i = 0; i < 2; i++) {
		Nl__Reply *reply = poll_order(dialer, session, 0);
		assert_int_equal(reply->abort_order, id);
		nl_reply_free(reply);
	}
	send_result(dialer, session, 1, id);
	Nl__Reply *reply = poll_order(dialer, session, 0);
	assert_int_equal(reply->abort_order, 0);
	nl_reply_free(reply);
	nl_dialer_stop(dialer);
}

static void an_agent_that_comes_back_after_it_seemed_lost_is_told_to_abort(void **state)
{
	struct world *world = *state;
	struct nl_error err;
	atomic_bool stop = false;
	Nl__Result *result = NULL;
	join(world, "nas");
	struct nl_dialer *dialer = dial(world, world->agent_dir, NULL);
	uint64_t session = open_session(world, dialer, "nas"), id = give_clock_order(world, "");
	assert_int_equal(nl_server_await(world->server, "nas", id, 60 * NL_NS_PER_S, &stop, &result, &err), NL_E_PEER);
	Nl__Reply *reply = poll_order(dialer, session, 0);
	assert_int_equal(reply->body_case, NL__REPLY__BODY_IDLE);
	assert_int_equal(reply->abort_order, id);
	nl_reply_free(reply);
	nl_dialer_stop(dialer);
}

static void what_a_peer_says_of_itself_is_fit_for_a_terminal(void **state)
{
	struct world *world = *state;
	struct nl_error err;
	struct nl_store_run run = {.id = "run-3", .title = "t", .version = "0", .started_ns = 1};
	struct nl_store_fact *facts = NULL;
	size_t count = 0;
	Nl__Fact fact = NL__FACT__INIT, empty = NL__FACT__INIT, *list[] = {&fact, &empty};
	Nl__Result result = NL__RESULT__INIT;
	Nl__Request request = NL__REQUEST__INIT;
	join(world, "nas");
	struct nl_dialer *dialer = dial(world, world->agent_dir, NULL);
	uint64_t session = open_session(world, dialer, "nas");
	assert_int_equal(nl_store_run_add(nl_server_store_lock(world->server), &run, "", "", &err), NL_E_OK);
	nl_server_store_unlock(world->server);
	fact.subject = (char *)"disk:sda";
	fact.key = (char *)"model";
	fact.value = (char *)"\x1b]0;owned\x07 Red";
	result.order = give_clock_order(world, "run-3");
	result.n_fact = 2;
	result.fact = list;
	request.session = session;
	request.seq = 1;
	request.body_case = NL__REQUEST__BODY_RESULT;
	request.result = &result;
	Nl__Reply *reply = call(dialer, &request);
	assert_int_equal(reply->body_case, NL__REPLY__BODY_ACK);
	nl_reply_free(reply);
	assert_int_equal(nl_store_facts(nl_server_store_lock(world->server), "run-3", &facts, &count, &err), NL_E_OK);
	nl_server_store_unlock(world->server);
	assert_int_equal(count, 2);
	for (size_t i = 0; i < count; i++)
		assert_null(strpbrk(facts[i].value, "\x1b\x07"));
	free(facts);
	nl_dialer_stop(dialer);
}

static int setup(void **state)
{
	struct world *world = calloc(1, sizeof *world);
	struct nl_error err;
	char path[100];
	snprintf(world->home, sizeof world->home, "/tmp/nl-server-XXXXXX");
	if (!world || !mkdtemp(world->home))
		return -1;
	snprintf(world->agent_dir, sizeof world->agent_dir, "%s/agent", world->home);
	mkdir(world->agent_dir, 0700);
	snprintf(path, sizeof path, "%s/test.db", world->home);
	if (nl_identity_ca_create(world->home, &err) != NL_E_OK || nl_store_open(path, &world->store, &err) != NL_E_OK)
		return -1;
	struct nl_server_config config = {
		.state_dir = world->home, .listen = "127.0.0.1:0", .store = world->store, .lease_ns = LEASE_NS};
	if (nl_server_start(&config, &world->server, &world->port, &err) != NL_E_OK)
		return -1;
	snprintf(world->url, sizeof world->url, "tls+tcp://127.0.0.1:%u", world->port);
	*state = world;
	return 0;
}

static int teardown(void **state)
{
	struct world *world = *state;
	struct nl_child_result result;
	struct nl_error err;
	const char *const argv[] = {"rm", "-rf", world->home, NULL};
	nl_server_stop(world->server);
	nl_store_close(world->store);
	int rc = nl_child_run(argv, 10 * NL_NS_PER_S, 1000, &result, &err);
	nl_child_result_fini(&result);
	free(world);
	return rc;
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_token_admits_one_agent_once),
		CASE(a_repeated_enrolment_gets_the_same_certificate),
		CASE(a_peer_without_a_certificate_may_only_enrol),
		CASE(a_name_must_be_proved),
		CASE(an_unknown_session_is_told_to_say_hello),
		CASE(an_orders_result_is_stored_once_and_reaches_the_conductor),
		CASE(samples_arrive_on_the_controllers_clock_and_once),
		CASE(a_stopped_wait_tells_the_agent_to_abort),
		CASE(an_agent_that_falls_silent_is_lost),
		CASE(a_result_that_cannot_be_stored_fails_its_order_at_once),
		CASE(an_abort_ends_with_the_result_of_its_order),
		CASE(an_agent_that_comes_back_after_it_seemed_lost_is_told_to_abort),
		CASE(what_a_peer_says_of_itself_is_fit_for_a_terminal),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
