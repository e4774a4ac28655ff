/*
 * raw_client: helpers of the server's tests.
 */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "netbench/tcp.h"
#include "raw_client.h"

static void on_event(void *context, const char *peer, const char *text)
{
	struct harness *harness = context;

	(void)peer;
	pthread_mutex_lock(&harness->lock);
	if (harness->event_count < 256)
		snprintf(harness->events[harness->event_count++], 200, "%s", text);
	pthread_cond_broadcast(&harness->changed);
	pthread_mutex_unlock(&harness->lock);
}

void harness_start(struct harness *harness, const char *key, bool one_off, unsigned max_seconds)
{
	struct nl_netbench_server_config config = {
		.bind = "127.0.0.1",
		.key = (const unsigned char *)key,
		.key_len = key ? strlen(key) : 0,
		.one_off = one_off,
		.max_seconds = max_seconds,
		.event = on_event,
		.event_context = harness,
	};

	memset(harness, 0, sizeof(*harness));
	pthread_mutex_init(&harness->lock, NULL);
	pthread_cond_init(&harness->changed, NULL);
	assert_int_equal(nl_netbench_server_start(&config, &harness->server, NULL), 0);
	harness->port = nl_netbench_server_port(harness->server);
}

void harness_end(struct harness *harness)
{
	nl_netbench_server_free(harness->server);
	pthread_cond_destroy(&harness->changed);
	pthread_mutex_destroy(&harness->lock);
}

static size_t count_events(const struct harness *harness, const char *text)
{
	size_t found = 0;

	for (size_t i = 0; i < harness->event_count; i++)
		found += strstr(harness->events[i], text) != NULL;
	return found;
}

bool harness_wait(struct harness *harness, const char *text, size_t count)
{
	struct timespec until;
	bool came;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 5;
	pthread_mutex_lock(&harness->lock);
	while (!(came = count_events(harness, text) >= count))
		if (pthread_cond_timedwait(&harness->changed, &harness->lock, &until))
			break;
	pthread_mutex_unlock(&harness->lock);
	return came;
}

struct nl_netbench_config quick_config(const struct harness *harness, enum nl_netbench_direction direction,
				       unsigned streams, int64_t duration_ns)
{
	struct nl_netbench_config config;

	nl_netbench_config_default(&config);
	config.direction = direction;
	config.streams = streams;
	config.duration_ns = duration_ns;
	config.interval_ns = 50 * NL_NS_PER_MS;
	config.port = harness->port;
	return config;
}

int quick_run(const struct harness *harness, const char *key, struct nl_error *err)
{
	struct nl_netbench_config config = quick_config(harness, NL_NETBENCH_TO_SERVER, 1, 50 * NL_NS_PER_MS);
	struct nl_netbench_result result;
	int rc;

	config.key = (const unsigned char *)key;
	config.key_len = key ? strlen(key) : 0;
	rc = nl_netbench_client_run(&config, "127.0.0.1", &result, NULL, NULL, NULL, err);
	nl_netbench_result_fini(&result);
	return rc;
}

int raw_connect(const struct harness *harness)
{
	struct nl_nb_address address;
	int fd;

	assert_int_equal(nl_nb_tcp_connect_host("127.0.0.1", harness->port, NULL, nl_mono_ns() + 5 * NL_NS_PER_S, NULL,
						&fd, &address, NULL),
			 0);
	return fd;
}

static void expect(struct raw_client *raw, const char *type, json_t **frame)
{
	do {
		json_decref(*frame);
		*frame = NULL;
		assert_int_equal(
			nl_nb_frame_wait(raw->control, &raw->reader, nl_mono_ns() + 5 * NL_NS_PER_S, frame, NULL), 0);
	} while (strcmp(nl_nb_type(*frame), "alive") == 0);
	assert_string_equal(nl_nb_type(*frame), type);
}

static void tell(struct raw_client *raw, json_t *frame)
{
	assert_int_equal(nl_nb_frame_send(raw->control, frame, nl_mono_ns() + NL_NS_PER_S, NULL), 0);
}

void raw_ask(const struct harness *harness, struct raw_client *raw)
{
	struct nl_netbench_config config = quick_config(harness, NL_NETBENCH_TO_SERVER, 1, 60 * NL_NS_PER_S);
	struct nl_nb_auth auth = {.key = NULL};
	struct nl_nb_request request;
	json_t *frame = NULL;

	memset(raw, 0, sizeof(*raw));
	raw->control = raw_connect(harness);
	raw->data = -1;
	nl_nb_reader_init(&raw->reader, NL_NB_FRAME_MAX);
	assert_int_equal(nl_nb_request_from(&config, &request, NULL), 0);
	assert_int_equal(send(raw->control, NL_NB_PREFACE_CONTROL, NL_NB_PREFACE_BYTES, MSG_NOSIGNAL),
			 NL_NB_PREFACE_BYTES);
	tell(raw, nl_nb_hello_pack(&auth));
	expect(raw, "challenge", &frame);
	tell(raw, nl_nb_request_pack(&auth, &request));
	expect(raw, "ready", &frame);
	assert_int_equal(nl_nb_ready_unpack(frame, raw->token, NULL), 0);
	json_decref(frame);
}

void raw_start(const struct harness *harness, struct raw_client *raw)
{
	unsigned char bytes[NL_NB_DATA_HEADER_BYTES + 1] = {0};
	json_t *frame = NULL;

	raw_ask(harness, raw);
	raw->data = raw_connect(harness);
	nl_nb_data_header(bytes, raw->token, NL_NETBENCH_TO_SERVER, 0);
	assert_int_equal(send(raw->data, bytes, sizeof(bytes), MSG_NOSIGNAL), sizeof(bytes));
	expect(raw, "connected", &frame);
	tell(raw, nl_nb_message("start"));
	json_decref(frame);
}

void raw_close(struct raw_client *raw)
{
	if (raw->control >= 0)
		close(raw->control);
	if (raw->data >= 0)
		close(raw->data);
	nl_nb_reader_fini(&raw->reader);
}

bool raw_is_closed_in_silence(int fd, int64_t ns)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	char byte;
	ssize_t n;

	if (poll(&p, 1, (int)(ns / NL_NS_PER_MS)) <= 0)
		return false;
	n = recv(fd, &byte, 1, MSG_DONTWAIT);
	return n == 0 || (n < 0 && errno == ECONNRESET);
}
