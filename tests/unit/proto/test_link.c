/*
 * Tests of proto/link: who counts as verified, what is told when a connection fails, and what the controller's end
 * survives. One server thread answers every request with a byte that says whether the peer was verified, and the
 * request behind it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <arpa/inet.h>
#include <nng/nng.h>
#include <nng/protocol/reqrep0/req.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/parse.h"
#include "base/time.h"
#include "peers.h"
#include "proto/link.h"
#include "proto/link_common.h"
#include "proto/link_pipes.h"
#include "proto/message.h"

#define LONG_NS  (20 * NL_NS_PER_S)
#define SHORT_NS (NL_NS_PER_S / 2)

struct server {
	struct peers peers;
	struct nl_listener *listener;
	struct nl_serving *serving;
	char url[64];
	uint16_t port;
	pthread_t thread;
	atomic_uint served, verified;
};

static struct server server;

static void *serve(void *arg)
{
	struct server *s = arg;
	struct nl_received received;
	struct nl_error err;
	int code;
	while ((code = nl_serving_receive(s->serving, LONG_NS, &received, &err)) != NL_E_CANCELLED) {
		if (code)
			continue;
		uint8_t *reply = malloc(received.len + 1);
		if (!reply)
			return NULL;
		reply[0] = received.verified;
		memcpy(reply + 1, received.data, received.len);
		atomic_fetch_add(&s->served, 1);
		atomic_fetch_add(&s->verified, received.verified);
		size_t len = received.len < NL_MESSAGE_MAX_BYTES ? received.len + 1 : received.len;
		nl_serving_reply(s->serving, reply, len, &err);
		free(reply);
	}
	return NULL;
}

static void start_server(uint16_t port)
{
	char address[32];
	struct nl_error err;
	snprintf(address, sizeof address, "127.0.0.1:%u", port);
	assert_int_equal(nl_listener_start(server.peers.controller, address, &server.listener, &server.port, &err), 0);
	assert_int_equal(nl_serving_alloc(server.listener, &server.serving, &err), 0);
	snprintf(server.url, sizeof server.url, "127.0.0.1:%u", server.port);
	assert_int_equal(pthread_create(&server.thread, NULL, serve, &server), 0);
}

/* Returns only when the serving thread was woken and ended. */
static void stop_server(void)
{
	nl_listener_stop(server.listener);
	pthread_join(server.thread, NULL);
	nl_serving_free(server.serving);
}

static int set_up(void **state)
{
	(void)state;
	peers_init(&server.peers);
	start_server(0);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	stop_server();
	peers_fini(&server.peers);
	return 0;
}

static struct nl_dialer *dial(const char *dir, const char *ca_pem)
{
	struct nl_dialer *dialer;
	struct nl_error err;
	int code = nl_dialer_start(server.url, dir, ca_pem, &dialer, &err);
	if (code)
		nl_error_print(&err, "dial", stderr);
	assert_int_equal(code, 0);
	return dialer;
}

/* Asks once and returns what the server saw: 1 verified, 0 not, or a negative code. */
static int ask(struct nl_dialer *dialer, int64_t timeout_ns, struct nl_error *err)
{
	void *reply;
	size_t len;
	int64_t at_ns;
	int code = nl_dialer_call(dialer, "hello", 5, timeout_ns, &reply, &len, &at_ns, err);
	if (code)
		return code;
	assert_int_equal(len, 6);
	assert_memory_equal((char *)reply + 1, "hello", 5);
	assert_true(at_ns <= nl_mono_ns());
	code = *(uint8_t *)reply;
	free(reply);
	return code;
}

static int ask_once(const char *dir, const char *ca_pem, int64_t timeout_ns, struct nl_error *err)
{
	struct nl_dialer *dialer = dial(dir, ca_pem);
	int seen = ask(dialer, timeout_ns, err);
	nl_dialer_stop(dialer);
	return seen;
}

static void an_agent_with_our_certificate_is_verified(void **state)
{
	(void)state;
	char dir[PEERS_PATH];
	struct nl_error err;
	peers_agent(&server.peers, server.peers.controller, "good", 30, dir);
	assert_int_equal(ask_once(dir, NULL, LONG_NS, &err), 1);
}

static void a_peer_without_a_certificate_is_unverified(void **state)
{
	(void)state;
	char path[PEERS_PATH + 16], *pem;
	struct nl_error err;
	assert_int_equal(ask_once(NULL, NULL, LONG_NS, &err), 0);
	snprintf(path, sizeof path, "%s/ca.crt", server.peers.controller);
	assert_int_equal(nl_file_read(path, 4096, &pem, NULL, &err), 0);
	assert_int_equal(ask_once(NULL, pem, LONG_NS, &err), 0);
	free(pem);
}

static void a_certificate_of_another_ca_is_unverified(void **state)
{
	(void)state;
	char dir[PEERS_PATH];
	struct nl_error err;
	peers_agent(&server.peers, server.peers.other, "stranger", 30, dir);
	peers_copy(server.peers.controller, dir, "ca.crt");
	assert_int_equal(ask_once(dir, NULL, LONG_NS, &err), 0);
}

static void an_expired_certificate_is_unverified(void **state)
{
	(void)state;
	char dir[PEERS_PATH];
	struct nl_error err;
	peers_agent(&server.peers, server.peers.controller, "expired", -1, dir);
	assert_int_equal(ask_once(dir, NULL, LONG_NS, &err), 0);
}

static void a_certificate_of_the_server_kind_is_unverified(void **state)
{
	(void)state;
	char dir[PEERS_PATH], from[PEERS_PATH + 32], to[PEERS_PATH + 32];
	struct nl_error err;
	peers_agent(&server.peers, server.peers.controller, "disguised", 30, dir);
	static const char *const suffixes[] = {"crt", "key"};
	for (size_t i = 0; i < 2; i++) {
		char *text;
		size_t len;
		snprintf(from, sizeof from, "%s/controller.%s", server.peers.controller, suffixes[i]);
		snprintf(to, sizeof to, "%s/agent.%s", dir, suffixes[i]);
		assert_int_equal(nl_file_read(from, 4096, &text, &len, &err), 0);
		assert_int_equal(nl_file_write_atomic(to, text, len, 0600, &err), 0);
		free(text);
	}
	assert_int_equal(ask_once(dir, NULL, LONG_NS, &err), 0);
}

static void a_stolen_certificate_without_its_key_gets_nowhere(void **state)
{
	(void)state;
	char victim[PEERS_PATH], thief[PEERS_PATH];
	struct nl_error err;
	peers_agent(&server.peers, server.peers.controller, "victim", 30, victim);
	peers_agent(&server.peers, server.peers.controller, "thief", 30, thief);
	peers_copy(victim, thief, "agent.crt");
	unsigned served = atomic_load(&server.served);
	assert_int_equal(ask_once(thief, NULL, 2 * NL_NS_PER_S, &err), NL_E_TIMEOUT);
	assert_int_equal(atomic_load(&server.served), served);
	assert_non_null(strstr(err.why, "private key"));
}

static void a_controller_of_another_ca_is_refused_and_the_reason_says_so(void **state)
{
	(void)state;
	char dir[PEERS_PATH], reason[300];
	struct nl_error err;
	peers_agent(&server.peers, server.peers.other, "lost", 30, dir);
	struct nl_dialer *dialer = dial(dir, NULL);
	assert_int_equal(ask(dialer, NL_NS_PER_S, &err), NL_E_TIMEOUT);
	assert_non_null(strstr(err.why, "another CA"));
	assert_false(nl_dialer_connected(dialer));
	assert_non_null(strstr(nl_dialer_reason(dialer, reason, sizeof reason), "another CA"));
	nl_dialer_stop(dialer);
}

/* A port on which nobody listens: bound once, then let go. */
static uint16_t free_port(int *fd)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof address;
	*fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(*fd >= 0);
	assert_int_equal(bind(*fd, (struct sockaddr *)&address, sizeof address), 0);
	assert_int_equal(getsockname(*fd, (struct sockaddr *)&address, &len), 0);
	return ntohs(address.sin_port);
}

static int ask_port(uint16_t port, int64_t timeout_ns, struct nl_error *err)
{
	char url[64];
	struct nl_dialer *dialer;
	snprintf(url, sizeof url, "127.0.0.1:%u", port);
	assert_int_equal(nl_dialer_start(url, NULL, NULL, &dialer, err), 0);
	int code = ask(dialer, timeout_ns, err);
	nl_dialer_stop(dialer);
	return code;
}

static void a_refused_connection_is_told_from_a_silent_service(void **state)
{
	(void)state;
	int fd;
	struct nl_error err;
	/* Bound but not listening: refused, and nobody else can take the port meanwhile. */
	uint16_t port = free_port(&fd);
	assert_int_equal(ask_port(port, SHORT_NS, &err), NL_E_TIMEOUT);
	assert_non_null(strstr(err.why, "refused"));
	/* Listening, but never answering. */
	assert_int_equal(listen(fd, 16), 0);
	assert_int_equal(ask_port(port, SHORT_NS, &err), NL_E_TIMEOUT);
	assert_non_null(strstr(err.why, "does not speak TLS"));
	close(fd);
}

static void an_unknown_host_is_named_in_the_reason(void **state)
{
	(void)state;
	char why[300];
	nl_link_probe("tls+tcp://no-such-host.invalid:7443", NULL, why, sizeof why);
	assert_non_null(strstr(why, "no-such-host.invalid"));
}

static void a_dialer_connects_by_itself_when_the_controller_comes_back(void **state)
{
	(void)state;
	char dir[PEERS_PATH];
	struct nl_error err;
	peers_agent(&server.peers, server.peers.controller, "patient", 30, dir);
	struct nl_dialer *dialer = dial(dir, NULL);
	assert_int_equal(ask(dialer, LONG_NS, &err), 1);
	assert_true(nl_dialer_connected(dialer));
	uint16_t port = server.port;
	stop_server();
	assert_int_equal(ask(dialer, SHORT_NS, &err), NL_E_TIMEOUT);
	start_server(port);
	assert_int_equal(ask(dialer, LONG_NS, &err), 1);
	nl_dialer_stop(dialer);
}

static void the_greatest_message_passes_and_a_greater_one_is_not_sent(void **state)
{
	(void)state;
	char dir[PEERS_PATH];
	struct nl_error err;
	peers_agent(&server.peers, server.peers.controller, "big", 30, dir);
	struct nl_dialer *dialer = dial(dir, NULL);
	char *data = calloc(1, NL_MESSAGE_MAX_BYTES + 1);
	void *reply;
	size_t len;
	assert_non_null(data);
	assert_int_equal(nl_dialer_call(dialer, data, NL_MESSAGE_MAX_BYTES, LONG_NS, &reply, &len, NULL, &err), 0);
	assert_int_equal(len, NL_MESSAGE_MAX_BYTES);
	free(reply);
	unsigned served = atomic_load(&server.served);
	assert_int_equal(nl_dialer_call(dialer, data, NL_MESSAGE_MAX_BYTES + 1, LONG_NS, &reply, &len, NULL, &err),
			 NL_E_PROTOCOL);
	assert_null(reply);
	assert_int_equal(atomic_load(&server.served), served);
	assert_int_equal(ask(dialer, LONG_NS, &err), 1);
	free(data);
	nl_dialer_stop(dialer);
}

/* A peer that is not us and does not check: its message must not reach the controller, and the controller must go on.
 */
static void a_message_above_the_limit_drops_its_connection_only(void **state)
{
	(void)state;
	char dir[PEERS_PATH], url[80];
	struct nl_error err;
	nng_socket rude;
	nng_dialer end;
	nng_tls_config *tls;
	peers_agent(&server.peers, server.peers.controller, "polite", 30, dir);
	struct nl_dialer *dialer = dial(dir, NULL);
	assert_int_equal(ask(dialer, LONG_NS, &err), 1);
	unsigned served = atomic_load(&server.served);

	/* Closing this socket is just what NNG may hang in; nl_pipes_close does not. */
	struct nl_pipes *pipes;
	assert_int_equal(nng_req0_open(&rude), 0);
	assert_int_equal(nl_pipes_start(rude, &pipes, &err), 0);
	assert_int_equal(nng_tls_config_alloc(&tls, NNG_TLS_MODE_CLIENT), 0);
	assert_int_equal(nng_tls_config_auth_mode(tls, NNG_TLS_AUTH_MODE_NONE), 0);
	snprintf(url, sizeof url, "tls+tcp://%s", server.url);
	assert_int_equal(nng_dialer_create(&end, rude, url), 0);
	assert_int_equal(nng_dialer_set_ptr(end, NNG_OPT_TLS_CONFIG, tls), 0);
	assert_int_equal(nng_dialer_start(end, 0), 0);
	char *data = calloc(1, NL_MESSAGE_MAX_BYTES + 1000);
	assert_non_null(data);
	assert_int_equal(nng_socket_set_ms(rude, NNG_OPT_RECVTIMEO, 500), 0);
	assert_int_equal(nng_send(rude, data, NL_MESSAGE_MAX_BYTES + 1000, 0), 0);
	void *reply = NULL;
	size_t len;
	assert_int_equal(nng_recv(rude, &reply, &len, NNG_FLAG_ALLOC), NNG_ETIMEDOUT);
	assert_int_equal(atomic_load(&server.served), served);
	assert_int_equal(ask(dialer, LONG_NS, &err), 1);
	nl_pipes_close(pipes);
	nl_pipes_free(pipes);
	nng_tls_config_free(tls);
	free(data);
	nl_dialer_stop(dialer);
}

static int connect_raw(uint16_t port)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons(port)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(fd >= 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
	return fd;
}

static void half_open_connections_do_not_keep_an_agent_out(void **state)
{
	(void)state;
	enum { COUNT = 200 };
	char dir[PEERS_PATH];
	int fds[COUNT];
	struct nl_error err;
	peers_agent(&server.peers, server.peers.controller, "late", 30, dir);
	for (int i = 0; i < COUNT; i++)
		fds[i] = connect_raw(server.port);
	assert_int_equal(ask_once(dir, NULL, LONG_NS, &err), 1);
	for (int i = 0; i < COUNT; i++)
		close(fds[i]);
}

static void garbage_on_the_port_is_survived(void **state)
{
	(void)state;
	char dir[PEERS_PATH];
	uint8_t garbage[4096];
	struct nl_error err;
	peers_agent(&server.peers, server.peers.controller, "after", 30, dir);
	for (int i = 0; i < 20; i++) {
		assert_int_equal(nl_identity_random(garbage, sizeof garbage, &err), 0);
		if (i % 2)
			memcpy(garbage, "\x16\x03\x01\x02\x00\x01", 6);
		int fd = connect_raw(server.port);
		/* The server may have closed it in the middle; that is its right. */
		(void)!send(fd, garbage, sizeof garbage, MSG_NOSIGNAL);
		close(fd);
	}
	assert_int_equal(ask_once(dir, NULL, LONG_NS, &err), 1);
}

enum { CALLERS = 8, CALLS = 50 };

static void *call_often(void *arg)
{
	struct nl_dialer *dialer = arg;
	uintptr_t good = 0;
	struct nl_error err;
	for (int i = 0; i < CALLS; i++)
		good += ask(dialer, LONG_NS, &err) == 1;
	return (void *)good;
}

static void several_threads_call_on_one_dialer(void **state)
{
	(void)state;
	char dir[PEERS_PATH];
	pthread_t threads[CALLERS];
	peers_agent(&server.peers, server.peers.controller, "busy", 30, dir);
	struct nl_dialer *dialer = dial(dir, NULL);
	for (int i = 0; i < CALLERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, call_often, dialer), 0);
	for (int i = 0; i < CALLERS; i++) {
		void *good;
		pthread_join(threads[i], &good);
		assert_int_equal((uintptr_t)good, CALLS);
	}
	nl_dialer_stop(dialer);
}

static void *call_until_stopped(void *arg)
{
	struct nl_error err;
	intptr_t code = ask(arg, LONG_NS, &err);
	return (void *)code;
}

static void stopping_a_dialer_wakes_its_calls(void **state)
{
	(void)state;
	int fd;
	char url[64];
	struct nl_dialer *dialer;
	struct nl_error err;
	pthread_t thread;
	uint16_t port = free_port(&fd);
	snprintf(url, sizeof url, "127.0.0.1:%u", port);
	assert_int_equal(nl_dialer_start(url, NULL, NULL, &dialer, &err), 0);
	assert_int_equal(pthread_create(&thread, NULL, call_until_stopped, dialer), 0);
	while (nl_dialer_calls(dialer) == 0)
		sched_yield();
	int64_t begun_ns = nl_mono_ns();
	nl_dialer_stop(dialer);
	void *code;
	pthread_join(thread, &code);
	assert_int_equal((intptr_t)code, NL_E_CANCELLED);
	assert_true(nl_mono_ns() - begun_ns < LONG_NS / 2);
	close(fd);
}

static void a_receive_without_requests_ends_in_time(void **state)
{
	(void)state;
	struct nl_serving *serving;
	struct nl_received received;
	struct nl_error err;
	struct nl_listener *listener;
	uint16_t port;
	assert_int_equal(nl_listener_start(server.peers.controller, "127.0.0.1:0", &listener, &port, &err), 0);
	assert_int_not_equal(port, 0);
	assert_int_equal(nl_serving_alloc(listener, &serving, &err), 0);
	assert_int_equal(nl_serving_receive(serving, 10 * NL_NS_PER_MS, &received, &err), NL_E_TIMEOUT);
	assert_int_equal(nl_serving_reply(serving, "x", 1, &err), NL_E_INTERNAL);
	nl_listener_stop(listener);
	assert_int_equal(nl_serving_receive(serving, LONG_NS, &received, &err), NL_E_CANCELLED);
	nl_serving_free(serving);
}

static void a_port_in_use_is_refused_with_advice(void **state)
{
	(void)state;
	struct nl_listener *listener;
	struct nl_error err;
	uint16_t port;
	assert_int_equal(nl_listener_start(server.peers.controller, server.url, &listener, &port, &err), NL_E_SYSTEM);
	assert_null(listener);
	assert_non_null(strstr(err.todo, "another port"));
}

struct url_row {
	const char *text, *url; /* NULL: refused */
};

static void addresses_become_urls(void **state)
{
	(void)state;
	static const struct url_row rows[] = {
		{"nas", "tls+tcp://nas:7443"},
		{"nas:1", "tls+tcp://nas:1"},
		{"10.0.0.1:7000", "tls+tcp://10.0.0.1:7000"},
		{"tls+tcp://nas.example.org:7443/", "tls+tcp://nas.example.org:7443"},
		{"[::1]:80", "tls+tcp://[::1]:80"},
		{"[fe80::1]", "tls+tcp://[fe80::1]:7443"},
		{"::1", "tls+tcp://[::1]:7443"},
		{"127.0.0.1:0", "tls+tcp://127.0.0.1:0"},
		{"", NULL},
		{":7443", NULL},
		{"nas:", NULL},
		{"nas:70000", NULL},
		{"nas:7443x", NULL},
		{"nas: 7443", NULL},
		{"http://nas", NULL},
		{"na s", NULL},
		{"[::1", NULL},
		{"[::1]x", NULL},
		{"nas/path", NULL},
		{"user@nas", NULL},
	};
	char url[300];
	struct nl_error err;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		int code = nl_link_url(rows[i].text, url, sizeof url, &err);
		if (!rows[i].url) {
			assert_int_equal(code, NL_E_USAGE);
			continue;
		}
		assert_int_equal(code, 0);
		assert_string_equal(url, rows[i].url);
	}
	assert_int_equal(nl_link_url("nas", url, 10, &err), NL_E_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_agent_with_our_certificate_is_verified),
		cmocka_unit_test(a_peer_without_a_certificate_is_unverified),
		cmocka_unit_test(a_certificate_of_another_ca_is_unverified),
		cmocka_unit_test(an_expired_certificate_is_unverified),
		cmocka_unit_test(a_certificate_of_the_server_kind_is_unverified),
		cmocka_unit_test(a_stolen_certificate_without_its_key_gets_nowhere),
		cmocka_unit_test(a_controller_of_another_ca_is_refused_and_the_reason_says_so),
		cmocka_unit_test(a_refused_connection_is_told_from_a_silent_service),
		cmocka_unit_test(an_unknown_host_is_named_in_the_reason),
		cmocka_unit_test(a_dialer_connects_by_itself_when_the_controller_comes_back),
		cmocka_unit_test(the_greatest_message_passes_and_a_greater_one_is_not_sent),
		cmocka_unit_test(a_message_above_the_limit_drops_its_connection_only),
		cmocka_unit_test(half_open_connections_do_not_keep_an_agent_out),
		cmocka_unit_test(garbage_on_the_port_is_survived),
		cmocka_unit_test(several_threads_call_on_one_dialer),
		cmocka_unit_test(stopping_a_dialer_wakes_its_calls),
		cmocka_unit_test(a_receive_without_requests_ends_in_time),
		cmocka_unit_test(a_port_in_use_is_refused_with_advice),
		cmocka_unit_test(addresses_become_urls),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
