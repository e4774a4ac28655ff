/*
 * intake: what agents send is stored before it is acknowledged, once, on the controller's clock.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "controller/conduct/server_private.h"
#include "proto/clock.h"
#include "proto/metric.h"

static void acknowledge(struct nl_answer *answer)
{
	nl__ack__init(&answer->body.ack);
	answer->reply.body_case = NL__REPLY__BODY_ACK;
	answer->reply.ack = &answer->body.ack;
}

static int store_series(struct nl_store *store, const char *run_id, const char *agent, const Nl__Series *series,
			const struct nl_clock *clock, struct nl_error *err)
{
	int64_t *times = malloc(series->n_value * sizeof *times);
	if (!times)
		return nl_error_sys(err, ENOMEM, "store samples");
	int64_t mono = series->first_mono_ns;
	for (size_t i = 0; i < series->n_value; i++) {
		mono += series->delta_ns[i]; /* the decoder has seen that no sum is too large */
		times[i] = nl_clock_to_controller(clock, mono);
	}
	int rc = series->n_value == 0 ? NL_E_OK
				      : nl_store_samples_add(store, run_id, agent, series->metric, series->subject,
							     times, series->value, series->n_value, err);
	free(times);
	return rc;
}

static void update_live(struct nl_server *server, const char *agent, const Nl__Samples *samples)
{
	const struct nl_clock clock = {.offset_ns = samples->offset_ns, .known = true};
	double bytes = 0;
	int64_t at = 0;
	for (size_t i = 0; i < samples->n_series; i++) {
		const Nl__Series *series = samples->series[i];
		if (series->n_value == 0 ||
		    (series->metric != NL_METRIC_STREAM_BYTES && series->metric != NL_METRIC_LINE_BYTES))
			continue;
		int64_t instant = series->first_mono_ns;
		for (size_t k = 0; k < series->n_delta_ns; k++)
			instant += series->delta_ns[k];
		instant = nl_clock_to_controller(&clock, instant);
		bytes += series->value[series->n_value - 1];
		at = instant > at ? instant : at;
	}
	if (at == 0)
		return;
	pthread_mutex_lock(&server->lock);
	struct nl_peer *peer = nl_peers_find(&server->peers, agent);
	if (peer) {
		peer->live_bytes = bytes;
		peer->live_at_ns = at;
	}
	pthread_mutex_unlock(&server->lock);
}

/*
 * What belongs to an order's figure could not be kept: the order fails, for a figure without its evidence is none.
 * order 0: whichever the agent has in hand.
 */
static void fail_order(struct nl_server *server, const char *agent, uint64_t order, const struct nl_error *why)
{
	pthread_mutex_lock(&server->lock);
	struct nl_peer *peer = nl_peers_find(&server->peers, agent);
	if (peer && peer->order.id && (order == 0 || peer->order.id == order) && !peer->order.result) {
		peer->order.lost = *why;
		pthread_cond_broadcast(&server->changed);
	}
	pthread_mutex_unlock(&server->lock);
}

/* Samples that the agent had no room for are missing in the figures that come of them: it is said. */
static int store_lost(struct nl_store *store, const char *run_id, const char *agent, uint64_t lost,
		      struct nl_error *err)
{
	char text[200];
	if (lost == 0)
		return NL_E_OK;
	snprintf(text, sizeof text, "agent %s lost %llu samples of its telemetry", agent, (unsigned long long)lost);
	return nl_store_event_add(store, run_id, nl_clock_controller_ns(), "warning", text, err);
}

void nl_server_samples(struct nl_server *server, const Nl__Request *request, const char *agent,
		       struct nl_answer *answer)
{
	const Nl__Samples *samples = request->samples;
	const struct nl_clock clock = {.offset_ns = samples->offset_ns, .known = true};
	char run_id[64];
	bool fresh = false;
	pthread_mutex_lock(&server->lock);
	snprintf(run_id, sizeof run_id, "%s", server->run_id);
	pthread_mutex_unlock(&server->lock);
	update_live(server, agent, samples);
	acknowledge(answer);
	if (run_id[0] == '\0' || (samples->n_series == 0 && samples->lost == 0))
		return;
	struct nl_store *store = nl_server_store_lock(server);
	int rc = nl_store_begin(store, &answer->error);
	if (rc == NL_E_OK) {
		rc = nl_store_seen(store, agent, request->session, request->seq, &fresh, &answer->error);
		for (size_t i = 0; rc == NL_E_OK && fresh && i < samples->n_series; i++)
			rc = store_series(store, run_id, agent, samples->series[i], &clock, &answer->error);
		if (rc == NL_E_OK && fresh)
			rc = store_lost(store, run_id, agent, samples->lost, &answer->error);
		if (rc == NL_E_OK)
			rc = nl_store_commit(store, &answer->error);
		if (rc != NL_E_OK)
			nl_store_rollback(store);
	}
	nl_server_store_unlock(server);
	if (rc != NL_E_OK) {
		fail_order(server, agent, 0, &answer->error);
		nl_answer_refuse(answer, false);
	}
}

/* An empty string of a decoded message lies in memory that nobody may write. */
static void clean_text(char *text)
{
	if (text[0])
		nl_text_clean(text);
}

/* What an agent says of its machine ends on terminals and in reports. */
static void clean_facts(Nl__Fact **facts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		clean_text(facts[i]->subject);
		clean_text(facts[i]->key);
		clean_text(facts[i]->value);
	}
}

/* Facts about a share carry its name, which only the controller knows. */
static int store_facts(struct nl_store *store, const struct nl_peer_order *order, const char *agent,
		       const Nl__Result *result, struct nl_error *err)
{
	int rc = NL_E_OK;
	for (size_t i = 0; rc == NL_E_OK && i < result->n_fact; i++) {
		const Nl__Fact *fact = result->fact[i];
		char subject[200];
		bool labelled = order->label[0] && !strchr(fact->subject, ':');
		snprintf(subject, sizeof subject, "%s%s%s", fact->subject, labelled ? ":" : "",
			 labelled ? order->label : "");
		rc = nl_store_fact_put(store, order->run_id, order->phase, agent, subject, fact->key, fact->value, err);
	}
	return rc;
}

static int store_result(struct nl_server *server, const Nl__Request *request, const char *agent,
			const struct nl_peer_order *order, bool *fresh, struct nl_error *err)
{
	const Nl__Result *result = request->result;
	size_t len = nl__result__get_packed_size(result);
	uint8_t *data = malloc(len ? len : 1);
	if (!data)
		return nl_error_sys(err, ENOMEM, "store a result");
	nl__result__pack(result, data);
	struct nl_store *store = nl_server_store_lock(server);
	int rc = nl_store_begin(store, err);
	if (rc == NL_E_OK) {
		rc = nl_store_seen(store, agent, request->session, request->seq, fresh, err);
		if (rc == NL_E_OK && *fresh && order->role[0])
			rc = nl_store_result_add(store, order->run_id, order->phase, agent, order->role, data, len,
						 err);
		if (rc == NL_E_OK && *fresh)
			rc = store_facts(store, order, agent, result, err);
		if (rc == NL_E_OK)
			rc = nl_store_commit(store, err);
		if (rc != NL_E_OK)
			nl_store_rollback(store);
	}
	nl_server_store_unlock(server);
	free(data);
	return rc;
}

static Nl__Result *copy_result(const Nl__Result *result)
{
	size_t len = nl__result__get_packed_size(result);
	uint8_t *data = malloc(len ? len : 1);
	if (!data)
		return NULL;
	nl__result__pack(result, data);
	Nl__Result *copy = nl__result__unpack(NULL, len, data);
	free(data);
	return copy;
}

void nl_server_result(struct nl_server *server, const Nl__Request *request, const char *agent, struct nl_answer *answer)
{
	struct nl_peer_order order = {0};
	bool fresh = false;
	pthread_mutex_lock(&server->lock);
	struct nl_peer *peer = nl_peers_find(&server->peers, agent);
	if (peer && peer->order.id == request->result->order)
		order = peer->order; /* plain fields only are used below */
	if (peer && peer->abort_order == request->result->order)
		peer->abort_order = 0;
	pthread_mutex_unlock(&server->lock);
	acknowledge(answer);
	if (order.id == 0)
		return; /* an order that was given up: its result no longer matters */
	clean_facts(request->result->fact, request->result->n_fact);
	if (request->result->line)
		clean_facts(request->result->line->fact, request->result->line->n_fact);
	int rc = order.run_id[0] ? store_result(server, request, agent, &order, &fresh, &answer->error) : NL_E_OK;
	Nl__Result *copy = rc == NL_E_OK ? copy_result(request->result) : NULL;
	if (!copy) {
		if (rc == NL_E_OK)
			nl_error_sys(&answer->error, ENOMEM, "take a result");
		fail_order(server, agent, order.id, &answer->error);
		nl_answer_refuse(answer, false);
		return;
	}
	pthread_mutex_lock(&server->lock);
	peer = nl_peers_find(&server->peers, agent);
	if (peer && peer->order.id == order.id && !peer->order.result) {
		peer->order.result = copy;
		copy = NULL;
		pthread_cond_broadcast(&server->changed);
	}
	pthread_mutex_unlock(&server->lock);
	if (copy)
		nl__result__free_unpacked(copy, NULL);
}
