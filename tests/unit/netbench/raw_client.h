/*
 * raw_client: a server under test with its events, and a client of our own making that can misbehave at every step.
 */
#ifndef NL_TEST_NETBENCH_RAW_CLIENT_H
#define NL_TEST_NETBENCH_RAW_CLIENT_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "netbench/message.h"
#include "netbench/frame.h"
#include "netbench/netbench.h"

/* The server, and what it told: waited for, never slept for. */
struct harness {
	struct nl_netbench_server *server;
	uint16_t port;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	char events[256][200];
	size_t event_count;
};

/* harness_start starts a server on a free port of 127.0.0.1. */
void harness_start(struct harness *harness, const char *key, bool one_off, unsigned max_seconds);
void harness_end(struct harness *harness);
/* harness_wait waits at most 5 s for `count` events that contain `text`; whether they came. */
bool harness_wait(struct harness *harness, const char *text, size_t count);

/* A short test against the harness's server. */
struct nl_netbench_config quick_config(const struct harness *harness, enum nl_netbench_direction direction,
				       unsigned streams, int64_t duration_ns);
/* quick_run runs it without callbacks and forgets the result; the return value of the run. */
int quick_run(const struct harness *harness, const char *key, struct nl_error *err);

struct raw_client {
	int control, data;
	struct nl_nb_reader reader;
	unsigned char token[NL_NB_TOKEN_BYTES];
};

/* raw_connect gives a non-blocking connection to the server. */
int raw_connect(const struct harness *harness);
/* raw_ask goes through the handshake without a key and asks for a test; leaves it at "ready". */
void raw_ask(const struct harness *harness, struct raw_client *raw);
/* raw_start goes on to the running test: to the server, one stream, 60 s, and sends one byte. */
void raw_start(const struct harness *harness, struct raw_client *raw);
void raw_close(struct raw_client *raw);
/* raw_is_closed_in_silence waits at most `ns` for the end of `fd`: true when it came without any byte before it. */
bool raw_is_closed_in_silence(int fd, int64_t ns);

#endif
