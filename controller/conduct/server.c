/*
 * server: serving threads, the order of each agent, and waiting for results.
 */
#include "controller/conduct/server.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "base/time.h"
#include "controller/conduct/server_private.h"
#include "proto/clock.h"

#define RECEIVE_STEP_NS (200 * NL_NS_PER_MS)
#define WAIT_STEP_NS    (100 * NL_NS_PER_MS)

void nl_server_event(struct nl_server *server, const char *format, ...)
{
	char text[1500];
	va_list args;
	if (!server->config.event)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	nl_text_clean(text);
	pthread_mutex_lock(&server->event_lock);
	if (server->divert)
		server->divert(server->divert_context, text);
	else
		server->config.event(server->config.event_context, text);
	pthread_mutex_unlock(&server->event_lock);
}

void nl_server_divert(struct nl_server *server, void (*event)(void *context, const char *text), void *context)
{
	pthread_mutex_lock(&server->event_lock);
	server->divert = event;
	server->divert_context = context;
	pthread_mutex_unlock(&server->event_lock);
}

void nl_answer_refuse(struct nl_answer *answer, bool session_unknown)
{
	Nl__Refusal *refusal = &answer->body.refusal;
	nl__refusal__init(refusal);
	refusal->code = answer->error.code;
	refusal->what = answer->error.what;
	refusal->why = answer->error.why;
	refusal->todo = answer->error.todo;
	refusal->session_unknown = session_unknown;
	answer->reply.body_case = NL__REPLY__BODY_REFUSAL;
	answer->reply.refusal = refusal;
}

struct nl_store *nl_server_store_lock(struct nl_server *server)
{
	pthread_mutex_lock(&server->store_lock);
	return server->config.store;
}

void nl_server_store_unlock(struct nl_server *server)
{
	pthread_mutex_unlock(&server->store_lock);
}

/* Waits for a change at most until `until`; the lock is held. */
static void wait_change(struct nl_server *server, int64_t until_mono_ns)
{
	int64_t step = nl_mono_ns() + WAIT_STEP_NS;
	int64_t at = until_mono_ns < step ? until_mono_ns : step;
	struct timespec until = {.tv_sec = at / NL_NS_PER_S, .tv_nsec = at % NL_NS_PER_S};
	pthread_cond_timedwait(&server->changed, &server->lock, &until);
}

/* --- requests --- */

static bool wanted(const struct nl_peer *peer, uint64_t newest_order)
{
	return peer->order.id > newest_order && !peer->order.result;
}

static void answer_await(struct nl_server *server, const Nl__Await *await, const char *agent, struct nl_answer *answer)
{
	int64_t longest = await->longest_ns < NL_LINK_LONG_POLL_NS ? await->longest_ns : NL_LINK_LONG_POLL_NS;
	int64_t until = nl_mono_ns() + longest;
	pthread_mutex_lock(&server->lock);
	struct nl_peer *peer = nl_peers_find(&server->peers, agent);
	uint64_t session = peer ? peer->session : 0;
	while (peer && peer->session == session && !atomic_load(&server->over) && nl_mono_ns() < until) {
		if (wanted(peer, await->newest_order) || (peer->abort_order && !peer->abort_told))
			break;
		wait_change(server, until);
	}
	if (peer && peer->session == session && wanted(peer, await->newest_order))
		nl_order_decode(peer->order.data, peer->order.len, &answer->order, &answer->error);
	pthread_mutex_unlock(&server->lock);
	if (answer->order) {
		answer->reply.body_case = NL__REPLY__BODY_ORDER;
		answer->reply.order = answer->order;
		return;
	}
	nl__idle__init(&answer->body.idle);
	answer->reply.body_case = NL__REPLY__BODY_IDLE;
	answer->reply.idle = &answer->body.idle;
}

/* The name behind the session, marked as heard of; false when there is none. */
static bool session_agent(struct nl_server *server, uint64_t session, char name[64], uint64_t *abort_order)
{
	pthread_mutex_lock(&server->lock);
	struct nl_peer *peer = nl_peers_by_session(&server->peers, session);
	if (peer) {
		peer->seen_mono_ns = nl_mono_ns();
		snprintf(name, 64, "%s", peer->name);
		*abort_order = peer->abort_order;
		peer->abort_told = peer->abort_order != 0;
	}
	pthread_mutex_unlock(&server->lock);
	return peer != NULL;
}

static void answer_in_session(struct nl_server *server, const Nl__Request *request, struct nl_answer *answer)
{
	char agent[64];
	if (!session_agent(server, request->session, agent, &answer->reply.abort_order)) {
		nl_error_set(&answer->error, NL_E_PEER, "this controller does not know the session");
		nl_error_why(&answer->error, "it was started again, or the agent was away for too long");
		nl_answer_refuse(answer, true);
		return;
	}
	switch (request->body_case) {
	case NL__REQUEST__BODY_PING:
		nl__pong__init(&answer->body.pong);
		answer->reply.body_case = NL__REPLY__BODY_PONG;
		answer->reply.pong = &answer->body.pong;
		break;
	case NL__REQUEST__BODY_AWAIT:
		answer_await(server, request->await, agent, answer);
		break;
	case NL__REQUEST__BODY_SAMPLES:
		nl_server_samples(server, request, agent, answer);
		break;
	case NL__REQUEST__BODY_RESULT:
		nl_server_result(server, request, agent, answer);
		break;
	default:
		nl_error_set(&answer->error, NL_E_PROTOCOL, "an unknown kind of request");
		nl_answer_refuse(answer, false);
	}
	session_agent(server, request->session, agent, &answer->reply.abort_order);
}

static void answer_request(struct nl_server *server, const Nl__Request *request, const struct nl_received *received,
			   struct nl_answer *answer)
{
	if (request->body_case == NL__REQUEST__BODY_ENROL)
		nl_server_enrol(server, request->enrol, received->peer, answer);
	else if (request->body_case == NL__REQUEST__BODY_HELLO)
		nl_server_hello(server, request->hello, received->verified, received->peer, answer);
	else if (!received->verified) {
		nl_error_set(&answer->error, NL_E_IDENTITY,
			     "the connection showed no valid certificate of this controller");
		nl_answer_refuse(answer, false);
	} else if (request->body_case == NL__REQUEST__BODY_PROOF)
		nl_server_proof(server, request->proof, answer);
	else
		answer_in_session(server, request, answer);
}

static void serve_one(struct nl_server *server, struct nl_serving *serving, const struct nl_received *received)
{
	struct nl_answer answer;
	Nl__Request *request = NULL;
	void *data = NULL;
	size_t len = 0;
	int64_t arrived = nl_clock_controller_ns();
	memset(&answer, 0, sizeof answer);
	nl__reply__init(&answer.reply);
	answer.reply.version = NL_PROTOCOL_VERSION;
	answer.reply.received_ns = arrived;
	if (nl_request_decode(received->data, received->len, &request, &answer.error) == NL_E_OK) {
		answer.reply.seq = request->seq;
		answer_request(server, request, received, &answer);
	} else {
		char line[1200];
		nl_server_event(server, "a message from %s is refused: %s", received->peer,
				nl_error_line(&answer.error, line, sizeof line));
		nl_answer_refuse(&answer, false);
	}
	nl_request_free(request);
	answer.reply.sent_ns = nl_clock_controller_ns();
	if (nl_reply_encode(&answer.reply, &data, &len, &answer.error) == NL_E_OK)
		nl_serving_reply(serving, data, len, NULL);
	if (data)
		explicit_bzero(data, len);
	free(data);
	if (answer.order) {
		nl_secret_wipe_order(answer.order);
		nl_order_free(answer.order);
	}
}

struct serving_thread {
	struct nl_server *server;
	struct nl_serving *serving;
};

static void *serving_main(void *context)
{
	struct serving_thread *thread = context;
	struct nl_received received;
	struct nl_error err;
	while (!atomic_load(&thread->server->over)) {
		int rc = nl_serving_receive(thread->serving, RECEIVE_STEP_NS, &received, &err);
		if (rc == NL_E_OK)
			serve_one(thread->server, thread->serving, &received);
		else if (rc == NL_E_CANCELLED)
			break;
	}
	free(thread);
	return NULL;
}

/* --- life --- */

static int start_threads(struct nl_server *server, struct nl_error *err)
{
	while (server->thread_count < NL_SERVER_THREADS) {
		struct serving_thread *thread = calloc(1, sizeof *thread);
		unsigned i = server->thread_count;
		if (!thread)
			return nl_error_sys(err, ENOMEM, "start the server");
		int rc = nl_serving_alloc(server->listener, &server->serving[i], err);
		if (rc != NL_E_OK) {
			free(thread);
			return rc;
		}
		thread->server = server;
		thread->serving = server->serving[i];
		rc = pthread_create(&server->thread[i], NULL, serving_main, thread);
		if (rc != 0) {
			nl_serving_free(server->serving[i]);
			free(thread);
			return nl_error_sys(err, rc, "start a serving thread");
		}
		server->thread_count++;
	}
	return NL_E_OK;
}

int nl_server_start(const struct nl_server_config *config, struct nl_server **out, uint16_t *port, struct nl_error *err)
{
	pthread_condattr_t monotonic;
	struct nl_server *server = calloc(1, sizeof *server);
	if (!server)
		return nl_error_sys(err, ENOMEM, "start the server");
	server->config = *config;
	snprintf(server->state_dir, sizeof server->state_dir, "%s", config->state_dir);
	pthread_mutex_init(&server->lock, NULL);
	pthread_mutex_init(&server->store_lock, NULL);
	pthread_mutex_init(&server->event_lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&server->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
	int rc = nl_listener_start(config->state_dir, config->listen, &server->listener, port, err);
	if (rc == NL_E_OK)
		rc = start_threads(server, err);
	if (rc != NL_E_OK) {
		nl_server_stop(server);
		return rc;
	}
	*out = server;
	return NL_E_OK;
}

void nl_server_stop(struct nl_server *server)
{
	if (!server)
		return;
	atomic_store(&server->over, true);
	pthread_mutex_lock(&server->lock);
	pthread_cond_broadcast(&server->changed);
	pthread_mutex_unlock(&server->lock);
	for (unsigned i = 0; i < server->thread_count; i++) {
		pthread_join(server->thread[i], NULL);
		nl_serving_free(server->serving[i]);
	}
	nl_listener_stop(server->listener);
	for (unsigned i = 0; i < server->peers.count; i++)
		nl_peer_order_forget(&server->peers.peer[i]);
	pthread_cond_destroy(&server->changed);
	pthread_mutex_destroy(&server->event_lock);
	pthread_mutex_destroy(&server->store_lock);
	pthread_mutex_destroy(&server->lock);
	free(server);
}

void nl_server_attach(struct nl_server *server, const char *run_id)
{
	pthread_mutex_lock(&server->lock);
	snprintf(server->run_id, sizeof server->run_id, "%s", run_id);
	pthread_mutex_unlock(&server->lock);
}

/* --- agents and orders --- */

static bool alive(const struct nl_server *server, const struct nl_peer *peer)
{
	return peer && peer->session && nl_mono_ns() - peer->seen_mono_ns < server->config.lease_ns;
}

bool nl_server_agent_alive(struct nl_server *server, const char *agent)
{
	pthread_mutex_lock(&server->lock);
	bool is = alive(server, nl_peers_find(&server->peers, agent));
	pthread_mutex_unlock(&server->lock);
	return is;
}

int nl_server_wait_agent(struct nl_server *server, const char *agent, int64_t timeout_ns, const atomic_bool *stop,
			 struct nl_error *err)
{
	int64_t until = nl_mono_ns() + timeout_ns;
	bool here = false;
	pthread_mutex_lock(&server->lock);
	while (!(here = alive(server, nl_peers_find(&server->peers, agent))) && nl_mono_ns() < until &&
	       !atomic_load(stop))
		wait_change(server, until);
	pthread_mutex_unlock(&server->lock);
	if (here)
		return NL_E_OK;
	if (atomic_load(stop))
		return nl_error_set(err, NL_E_CANCELLED, "stopped while waiting for agent %s", agent);
	nl_error_set(err, NL_E_TIMEOUT, "agent %s is not here", agent);
	nl_error_why(err, "it did not say hello within %.0f s", (double)timeout_ns / 1e9);
	nl_error_todo(err,
		      "start it there with `nasline-agent run`; see which agents have joined with `nasline agents`");
	return NL_E_TIMEOUT;
}

bool nl_server_has_capability(struct nl_server *server, const char *agent, const char *capability)
{
	char padded[1100], wanted[100];
	pthread_mutex_lock(&server->lock);
	const struct nl_peer *peer = nl_peers_find(&server->peers, agent);
	snprintf(padded, sizeof padded, " %s ", peer ? peer->capabilities : "");
	pthread_mutex_unlock(&server->lock);
	snprintf(wanted, sizeof wanted, " %s ", capability);
	return strstr(padded, wanted) != NULL;
}

static int lost(const char *agent, struct nl_error *err)
{
	nl_error_set(err, NL_E_PEER, "agent %s is lost", agent);
	nl_error_why(err, "it was not heard of within its lease, or was started again");
	nl_error_todo(err, "see whether nasline-agent runs there; `nasline resume` finishes the campaign");
	return NL_E_PEER;
}

static void *pack_order(const Nl__Order *order, size_t *len)
{
	*len = nl__order__get_packed_size(order);
	uint8_t *data = malloc(*len ? *len : 1);
	if (data)
		nl__order__pack(order, data);
	return data;
}

int nl_server_order(struct nl_server *server, const char *agent, Nl__Order *order,
		    const struct nl_order_keeping *keeping, uint64_t *id, struct nl_error *err)
{
	int rc = NL_E_OK;
	pthread_mutex_lock(&server->lock);
	struct nl_peer *peer = nl_peers_find(&server->peers, agent);
	if (!alive(server, peer)) {
		rc = lost(agent, err);
	} else {
		nl_peer_order_forget(peer);
		order->id = ++server->peers.next_order;
		peer->order.data = pack_order(order, &peer->order.len);
		if (!peer->order.data) {
			rc = nl_error_sys(err, ENOMEM, "give an order");
		} else {
			*id = peer->order.id = order->id;
			peer->order.phase = keeping->phase;
			snprintf(peer->order.run_id, sizeof peer->order.run_id, "%s", keeping->run_id);
			snprintf(peer->order.role, sizeof peer->order.role, "%s", keeping->role);
			snprintf(peer->order.label, sizeof peer->order.label, "%s", keeping->label);
			/* An abort that the agent was not told yet goes with this order's reply. */
			if (peer->abort_told)
				peer->abort_order = 0;
			peer->live_at_ns = 0;
			peer->live_bytes = 0;
			pthread_cond_broadcast(&server->changed);
		}
	}
	pthread_mutex_unlock(&server->lock);
	return rc;
}

/* The lock is held. Also of an agent that seems lost: it may be heard of again, still at work. */
static void give_up(struct nl_server *server, struct nl_peer *peer)
{
	peer->abort_order = peer->order.id;
	peer->abort_told = false;
	nl_peer_order_forget(peer);
	pthread_cond_broadcast(&server->changed);
}

static int copy_error(struct nl_error *err, const struct nl_error *from)
{
	if (err)
		*err = *from;
	return from->code;
}

int nl_server_await(struct nl_server *server, const char *agent, uint64_t id, int64_t timeout_ns,
		    const atomic_bool *stop, Nl__Result **result, struct nl_error *err)
{
	int64_t until = nl_mono_ns() + timeout_ns;
	int rc = NL_E_OK;
	*result = NULL;
	pthread_mutex_lock(&server->lock);
	struct nl_peer *peer = nl_peers_find(&server->peers, agent);
	while (peer && peer->order.id == id && !peer->order.result && peer->order.lost.code == NL_E_OK &&
	       alive(server, peer) && nl_mono_ns() < until && !atomic_load(stop))
		wait_change(server, until);
	if (!peer || peer->order.id != id) {
		rc = lost(agent, err);
	} else if (peer->order.result) {
		*result = peer->order.result;
		peer->order.result = NULL;
		nl_peer_order_forget(peer);
	} else {
		if (peer->order.lost.code != NL_E_OK)
			rc = copy_error(err, &peer->order.lost);
		else if (!alive(server, peer))
			rc = lost(agent, err);
		else if (atomic_load(stop))
			rc = nl_error_set(err, NL_E_CANCELLED, "stopped on request");
		else
			rc = nl_error_set(err, NL_E_TIMEOUT, "agent %s did not finish its task within %.0f s", agent,
					  (double)timeout_ns / 1e9);
		give_up(server, peer);
	}
	pthread_mutex_unlock(&server->lock);
	if (*result && (*result)->failure) {
		nl_error_from_failure(err, (*result)->failure);
		rc = nl_code_valid((*result)->failure->code) ? (*result)->failure->code : NL_E_INTERNAL;
		if (rc == NL_E_OK)
			rc = nl_error_set(err, NL_E_PEER, "agent %s failed without a reason", agent);
	}
	return rc;
}

void nl_server_result_free(Nl__Result *result)
{
	if (result)
		nl__result__free_unpacked(result, NULL);
}

void nl_server_live(struct nl_server *server, const char *agent, double *bytes, int64_t *at_ns)
{
	pthread_mutex_lock(&server->lock);
	const struct nl_peer *peer = nl_peers_find(&server->peers, agent);
	*bytes = peer ? peer->live_bytes : 0;
	*at_ns = peer ? peer->live_at_ns : 0;
	pthread_mutex_unlock(&server->lock);
}
