/*
 * client: one test from the client's end, in the caller's thread.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "netbench/figures.h"
#include "netbench/tcp.h"
#include "netbench/test.h"

#define CONNECT_NS  (5 * NL_NS_PER_S)
#define FAREWELL_NS NL_NS_PER_S

struct client {
	const struct nl_netbench_config *config;
	struct nl_netbench_result *result;
	nl_netbench_interval_fn *interval;
	void *interval_context;
	const atomic_bool *stop;
	struct nl_nb_request request;
	struct nl_nb_auth auth;
	struct nl_nb_reader reader;
	struct nl_nb_test test;
	struct nl_nb_address server;
	int control;
	unsigned char token[NL_NB_TOKEN_BYTES];
	bool accepted, started, asked_to_stop, has_result, broken;
};

void nl_netbench_config_default(struct nl_netbench_config *config)
{
	*config = (struct nl_netbench_config){
		.direction = NL_NETBENCH_TO_SERVER,
		.streams = 1,
		.duration_ns = 10 * NL_NS_PER_S,
		.interval_ns = NL_NS_PER_S,
		.block_bytes = NL_NETBENCH_BLOCK_DEFAULT,
		.port = NL_NETBENCH_PORT_DEFAULT,
	};
}

void nl_netbench_result_fini(struct nl_netbench_result *result)
{
	for (int i = 0; i < NL_NETBENCH_FLOWS; i++) {
		struct nl_netbench_side *sides[] = {&result->flows[i].sender, &result->flows[i].receiver};

		for (size_t j = 0; j < 2; j++) {
			free(sides[j]->streams);
			free(sides[j]->intervals);
			memset(sides[j], 0, sizeof(*sides[j]));
		}
	}
}

static bool is_stopped(const struct client *client)
{
	return client->stop && atomic_load_explicit(client->stop, memory_order_relaxed);
}

static int send_frame(struct client *client, json_t *frame, struct nl_error *err)
{
	return nl_nb_frame_send(client->control, frame, nl_mono_ns() + NL_NB_LOST_NS, err);
}

/* ---- Getting in ---- */

/* The server says nothing to a client it does not know, so the reason must be told from here. */
static int explain_silence(const struct client *client, int rc, struct nl_error *err)
{
	if (rc == NL_E_PROTOCOL) {
		nl_error_set(err, NL_E_PROTOCOL, "talk to the server");
		return nl_error_why(err, "what answers there is no netbench server");
	}
	if (rc == NL_E_TIMEOUT) {
		nl_error_set(err, NL_E_TIMEOUT, "talk to the server");
		nl_error_why(err, "something accepts connections there, but it does not answer");
		return nl_error_todo(err, "check that it is a netbench server, and its port");
	}
	if (rc != NL_E_PEER)
		return rc;
	nl_error_set(err, NL_E_ACCESS, "be let in by the server");
	nl_error_why(err, client->auth.key ? "it closed the connection without a word: its key is another one"
					   : "it closed the connection without a word: it wants a key");
	return nl_error_todo(err,
			     client->auth.key
				     ? "give both ends the same key file, and check that it is a netbench server"
				     : "give the server's key with --key-file, and check that it is a netbench server");
}

static int send_preface(struct client *client, struct nl_error *err)
{
	ssize_t n = send(client->control, NL_NB_PREFACE_CONTROL, NL_NB_PREFACE_BYTES, MSG_NOSIGNAL);

	if (n == NL_NB_PREFACE_BYTES)
		return 0;
	return nl_error_set(err, NL_E_PEER, "write to the server");
}

static int shake_hands(struct client *client, struct nl_error *err)
{
	int64_t until_ns = nl_mono_ns() + NL_NB_LOST_NS;
	json_t *frame = NULL;
	int rc = nl_nb_random(client->auth.client_nonce, NL_NB_NONCE_BYTES, err);

	if (rc == 0)
		rc = send_preface(client, err);
	if (rc == 0)
		rc = send_frame(client, nl_nb_hello_pack(&client->auth), err);
	if (rc == 0)
		rc = nl_nb_frame_wait(client->control, &client->reader, until_ns, &frame, err);
	if (rc)
		return explain_silence(client, rc, err);
	rc = nl_nb_challenge_check(&client->auth, frame, err);
	json_decref(frame);
	return rc;
}

static int ask(struct client *client, struct nl_error *err)
{
	int64_t until_ns = nl_mono_ns() + NL_NB_LOST_NS;
	json_t *frame = NULL;
	int rc = send_frame(client, nl_nb_request_pack(&client->auth, &client->request), err);

	if (rc == 0)
		rc = nl_nb_frame_wait(client->control, &client->reader, until_ns, &frame, err);
	if (rc)
		return rc;
	if (strcmp(nl_nb_type(frame), "refused") == 0)
		rc = nl_nb_refused_unpack(frame, err);
	else
		rc = nl_nb_ready_unpack(frame, client->token, err);
	client->accepted = rc == 0;
	json_decref(frame);
	return rc;
}

static int connect_stream(struct client *client, struct nl_nb_stream *stream, struct nl_error *err)
{
	unsigned char header[NL_NB_DATA_HEADER_BYTES];
	int rc = nl_nb_tcp_connect(&client->server, client->config->bind, client->request.window_bytes,
				   nl_mono_ns() + CONNECT_NS, client->stop, &stream->fd, err);

	if (rc)
		return rc;
	nl_nb_data_header(header, client->token, stream->flow, stream->number);
	if (send(stream->fd, header, sizeof(header), MSG_NOSIGNAL) == (ssize_t)sizeof(header))
		return 0;
	return nl_error_set(err, NL_E_PEER, "write to a data connection");
}

/* One wait on the control connection before the start; *type gets what came, "" for nothing. */
static int next_event(struct client *client, char type[16], struct nl_error *err)
{
	json_t *frame = NULL;
	int rc = nl_nb_test_alive(&client->test, err);

	type[0] = '\0';
	if (rc == 0 && is_stopped(client))
		rc = nl_error_set(err, NL_E_CANCELLED, "run the test");
	if (rc == 0)
		rc = nl_nb_test_wait(&client->test, -1, NL_NB_LOST_NS, &frame, err);
	if (rc == 0 && frame) {
		strncpy(type, nl_nb_type(frame), 15);
		type[15] = '\0';
		if (strcmp(type, "refused") == 0)
			rc = nl_nb_refused_unpack(frame, err);
		else if (strcmp(type, "alive") && strcmp(type, "connected"))
			rc = nl_error_set(err, NL_E_PROTOCOL, "understand the server");
	}
	json_decref(frame);
	return rc;
}

static int connect_streams(struct client *client, struct nl_error *err)
{
	struct nl_nb_group *group = &client->test.group;
	char type[16] = "";
	int rc = nl_nb_group_init(group, true, &client->request, err);

	for (unsigned i = 0; i < group->count && rc == 0; i++)
		rc = connect_stream(client, &group->streams[i], err);
	if (rc == 0)
		rc = nl_nb_group_prepare(group, err);
	client->test.heard_ns = nl_mono_ns();
	while (rc == 0 && strcmp(type, "connected"))
		rc = next_event(client, type, err);
	return rc;
}

/* The wait for the agreed instant is the wait for the next sample: exact to what poll gives. */
static int start(struct client *client, struct nl_error *err)
{
	char type[16];
	int rc = 0;

	client->test.next_sample_ns = client->config->start_mono_ns;
	while (rc == 0 && nl_mono_ns() < client->config->start_mono_ns)
		rc = next_event(client, type, err);
	if (rc == 0)
		rc = send_frame(client, nl_nb_message("start"), err);
	if (rc)
		return rc;
	client->result->start_mono_ns = nl_mono_ns();
	client->result->start_wall_ns = nl_wall_ns();
	client->started = true;
	nl_nb_test_start(&client->test, client->result->start_mono_ns);
	return 0;
}

/* ---- Measuring ---- */

static int keep_own(void *context, const struct nl_netbench_interval *interval, struct nl_error *err)
{
	struct client *client = context;
	struct nl_netbench_side *side = nl_nb_group_side(&client->test.group, client->result, interval->direction);
	int rc = nl_nb_side_append(side, interval, err);

	if (rc == 0 && client->interval)
		client->interval(client->interval_context, interval);
	return rc;
}

static int keep_servers(struct client *client, const json_t *frame, struct nl_error *err)
{
	struct nl_netbench_interval interval;
	struct nl_netbench_flow *flow;
	int rc = nl_nb_interval_unpack(frame, &interval, err);

	if (rc)
		return rc;
	flow = &client->result->flows[interval.direction];
	if (!flow->used || interval.receiver != (interval.direction == NL_NETBENCH_TO_SERVER)) {
		nl_error_set(err, NL_E_PROTOCOL, "understand the server");
		return nl_error_why(err, "it sent an interval of a side that is not its own");
	}
	rc = nl_nb_side_append(interval.receiver ? &flow->receiver : &flow->sender, &interval, err);
	if (rc == 0 && client->interval)
		client->interval(client->interval_context, &interval);
	return rc;
}

static int take_frame(struct client *client, const json_t *frame, struct nl_error *err)
{
	const char *type = nl_nb_type(frame);

	if (strcmp(type, "alive") == 0)
		return 0;
	if (strcmp(type, "interval") == 0)
		return keep_servers(client, frame, err);
	if (strcmp(type, "result") == 0 && !client->has_result) {
		client->has_result = true;
		return nl_nb_result_unpack(frame, client->request.streams, client->result, &client->broken, err);
	}
	return nl_error_set(err, NL_E_PROTOCOL, "understand the server");
}

static int heed_stop(struct client *client, struct nl_error *err)
{
	if (client->asked_to_stop || !is_stopped(client) || nl_mono_ns() >= atomic_load(&client->test.group.end_ns))
		return 0;
	client->asked_to_stop = true;
	nl_nb_group_stop(&client->test.group);
	return send_frame(client, nl_nb_message("stop"), err);
}

static int heed_end(struct client *client, struct nl_error *err)
{
	if (!nl_nb_test_overdue(&client->test))
		return 0;
	nl_nb_group_cut(&client->test.group);
	if (nl_mono_ns() < atomic_load(&client->test.group.end_ns) + NL_NB_DRAIN_NS + NL_NB_LOST_NS)
		return 0;
	nl_error_set(err, NL_E_TIMEOUT, "get the server's result");
	return nl_error_why(err, "it did not send it after the end of the test");
}

static int measure(struct client *client, struct nl_error *err)
{
	struct nl_nb_test *test = &client->test;
	json_t *frame;
	int rc = 0;

	while (rc == 0 && !(client->has_result && nl_nb_group_is_finished(&test->group))) {
		rc = heed_stop(client, err);
		if (rc == 0)
			rc = nl_nb_test_take_samples(test, keep_own, client, err);
		if (rc == 0)
			rc = nl_nb_test_alive(test, err);
		if (rc == 0)
			rc = heed_end(client, err);
		frame = NULL;
		if (rc == 0)
			rc = nl_nb_test_wait(test, -1, NL_NB_LOST_NS, &frame, err);
		if (rc == 0 && frame)
			rc = take_frame(client, frame, err);
		json_decref(frame);
	}
	/* Ended before its time, by whatever: what is measured so far is a last, shorter interval. */
	nl_nb_group_stop(&test->group);
	if (rc == 0)
		return nl_nb_test_take_samples(test, keep_own, client, err);
	nl_nb_test_take_samples(test, keep_own, client, NULL);
	return rc;
}

/* Waits for the server to close, so that the next test does not find it still busy with this one. */
static void say_farewell(struct client *client)
{
	int64_t until_ns = nl_mono_ns() + FAREWELL_NS;
	json_t *frame = NULL;

	if (send_frame(client, nl_nb_message("bye"), NULL))
		return;
	while (nl_nb_frame_wait(client->control, &client->reader, until_ns, &frame, NULL) == 0)
		json_decref(frame);
}

static int finish(struct client *client, int rc, struct nl_error *err)
{
	struct nl_nb_group *group = &client->test.group;
	int failure, filled;

	if (rc)
		nl_nb_group_cut(group);
	else
		say_farewell(client);
	filled = nl_nb_test_fill(&client->test, client->result, rc ? NULL : err);
	for (int i = 0; i < NL_NETBENCH_FLOWS; i++) {
		nl_nb_side_conclude(&client->result->flows[i].sender);
		nl_nb_side_conclude(&client->result->flows[i].receiver);
	}
	nl_nb_result_conclude(client->result);
	client->result->partial = rc || filled || group->stopped;
	failure = nl_nb_group_failure(group);
	if (rc == 0 && filled)
		return filled;
	if (rc == 0 && !client->asked_to_stop && (failure || client->broken)) {
		client->result->partial = true;
		nl_error_set(err, NL_E_PEER, "finish the test");
		return nl_error_why(err, "a data connection broke in mid-test: %s",
				    failure ? strerror(failure) : "the server saw it");
	}
	return rc;
}

static int run(struct client *client, const char *host, struct nl_error *err)
{
	const struct nl_netbench_config *config = client->config;
	int rc = nl_nb_request_from(config, &client->request, err);

	if (rc == 0 && config->key && (config->key_len == 0 || config->key_len > NL_NETBENCH_KEY_MAX))
		rc = nl_error_set(err, NL_E_CONFIG, "use a key of %zu bytes", config->key_len);
	if (rc == 0)
		rc = nl_nb_tcp_connect_host(host, config->port, config->bind, nl_mono_ns() + CONNECT_NS, client->stop,
					    &client->control, &client->server, err);
	client->test.control = client->control;
	if (rc == 0)
		rc = shake_hands(client, err);
	if (rc == 0)
		rc = ask(client, err);
	if (rc == 0)
		rc = connect_streams(client, err);
	if (rc == 0)
		rc = start(client, err);
	return rc;
}

static void init_result(struct client *client)
{
	const struct nl_netbench_config *config = client->config;
	struct nl_netbench_result *result = client->result;

	memset(result, 0, sizeof(*result));
	result->block_bytes = config->block_bytes;
	result->window_bytes = config->window_bytes;
	result->goodput_bytes_per_second = -1;
	result->client.link.speed_bps = result->client.link.mtu_bytes = result->client.mss_bytes = -1;
	result->server.link.speed_bps = result->server.link.mtu_bytes = result->server.mss_bytes = -1;
	result->flows[NL_NETBENCH_TO_SERVER].used = config->direction != NL_NETBENCH_FROM_SERVER;
	result->flows[NL_NETBENCH_FROM_SERVER].used = config->direction != NL_NETBENCH_TO_SERVER;
}

int nl_netbench_client_run(const struct nl_netbench_config *config, const char *host, struct nl_netbench_result *result,
			   nl_netbench_interval_fn *interval, void *interval_context, const atomic_bool *stop,
			   struct nl_error *err)
{
	struct client *client = aligned_alloc(NL_NB_CACHE_LINE, sizeof(*client));
	struct nl_error unwanted = {0};
	char where[80];
	int rc;

	err = err ? err : &unwanted; /* without one, the codes would be lost on their way up */
	if (!client) {
		memset(result, 0, sizeof(*result));
		return nl_error_sys(err, ENOMEM, "make room for a test");
	}
	memset(client, 0, sizeof(*client));
	client->config = config;
	client->result = result;
	client->interval = interval;
	client->interval_context = interval_context;
	client->stop = stop;
	client->control = -1;
	client->auth.key = config->key;
	client->auth.key_len = config->key_len;
	nl_nb_reader_init(&client->reader, NL_NB_FRAME_MAX);
	client->test.reader = &client->reader;
	client->test.next_sample_ns = INT64_MAX;
	init_result(client);
	rc = run(client, host, err);
	if (client->started)
		rc = finish(client, measure(client, err), err);
	else if (client->accepted)
		say_farewell(client);
	if (rc && !err->where[0] && client->control >= 0) {
		nl_nb_tcp_text(&client->server, true, where, sizeof(where));
		nl_error_where(err, "%s", where);
	}
	nl_nb_group_fini(&client->test.group);
	nl_nb_reader_fini(&client->reader);
	if (client->control >= 0)
		close(client->control);
	free(client);
	return rc;
}
