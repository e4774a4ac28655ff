/*
 * server: listens, hands connections on, one test at a time.
 *
 * Locking: the acceptor thread alone touches the listener, the pending connections and the session pointer. event_lock
 * lets one event out at a time. `stopping` is atomic and is followed by a write to wake_fd.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <mbedtls/platform_util.h>

#include "base/text.h"
#include "netbench/server.h"
#include "netbench/tcp.h"

#define LOOK_MS               100
#define OUT_OF_DESCRIPTORS_NS (100 * NL_NS_PER_MS)

void nl_nb_server_tell(void *context, const char *peer, const char *text)
{
	struct nl_netbench_server *server = context;
	char clean[512];

	if (!server->event)
		return;
	snprintf(clean, sizeof(clean), "%s", text);
	nl_text_clean(clean); /* it may quote the peer */
	pthread_mutex_lock(&server->event_lock);
	server->event(server->event_context, peer, clean);
	pthread_mutex_unlock(&server->event_lock);
}

void nl_nb_server_reap(struct nl_netbench_server *server)
{
	if (!server->session || !nl_nb_session_is_over(server->session))
		return;
	if (server->one_off && nl_nb_session_ran(server->session))
		atomic_store(&server->stopping, true);
	nl_nb_session_free(server->session);
	server->session = NULL;
}

static void accept_all(struct nl_netbench_server *server)
{
	for (;;) {
		int fd = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd >= 0)
			nl_nb_pending_add(server, fd);
		else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
			break;
		else if (errno == EAGAIN || errno == EWOULDBLOCK)
			return;
		else if (errno != EINTR && errno != ECONNABORTED && errno != EPROTO)
			break;
	}
	server->accept_again_ns = nl_mono_ns() + OUT_OF_DESCRIPTORS_NS;
}

/* Sleeps until something is ready; ready[i] tells for pendings[i]. Returns whether the listener is. */
static bool wait_ready(struct nl_netbench_server *server, bool ready[NL_NB_PENDING_MAX])
{
	struct pollfd fds[NL_NB_PENDING_MAX + 2] = {{.fd = server->wake_fd, .events = POLLIN}};
	bool waiting = false;
	eventfd_t wakes;

	fds[1] =
		(struct pollfd){.fd = nl_mono_ns() < server->accept_again_ns ? -1 : server->listener, .events = POLLIN};
	for (size_t i = 0; i < NL_NB_PENDING_MAX; i++) {
		fds[i + 2] = (struct pollfd){.fd = server->pendings[i].fd, .events = POLLIN};
		waiting = waiting || server->pendings[i].fd >= 0;
	}
	memset(ready, 0, sizeof(bool) * NL_NB_PENDING_MAX);
	/* Without pending deadlines there is nothing to look for until a descriptor tells. */
	if (poll(fds, NL_NB_PENDING_MAX + 2, waiting || fds[1].fd < 0 ? LOOK_MS : -1) < 0)
		return false;
	if (fds[0].revents)
		(void)!eventfd_read(server->wake_fd, &wakes);
	for (size_t i = 0; i < NL_NB_PENDING_MAX; i++)
		ready[i] = fds[i + 2].revents != 0;
	return fds[1].revents != 0;
}

static void serve_pendings(struct nl_netbench_server *server, const bool ready[NL_NB_PENDING_MAX])
{
	for (size_t i = 0; i < NL_NB_PENDING_MAX; i++) {
		struct nl_nb_pending *pending = &server->pendings[i];

		if (pending->fd >= 0 && ready[i])
			nl_nb_pending_progress(server, pending);
		if (pending->fd >= 0 && nl_mono_ns() > pending->deadline_ns)
			nl_nb_pending_close(server, pending, "refused: it did not prove itself in time");
	}
}

static void *acceptor_main(void *context)
{
	struct nl_netbench_server *server = context;
	bool ready[NL_NB_PENDING_MAX];

	while (!atomic_load(&server->stopping)) {
		bool listener = wait_ready(server, ready);

		nl_nb_server_reap(server);
		serve_pendings(server, ready);
		if (listener && !atomic_load(&server->stopping))
			accept_all(server);
	}
	nl_nb_session_free(server->session);
	server->session = NULL;
	for (size_t i = 0; i < NL_NB_PENDING_MAX; i++)
		nl_nb_pending_close(server, &server->pendings[i], NULL);
	close(server->listener);
	server->listener = -1;
	(void)!eventfd_write(server->ended_fd, 1);
	return NULL;
}

static int copy_key(struct nl_netbench_server *server, const struct nl_netbench_server_config *config,
		    struct nl_error *err)
{
	if (!config->key)
		return 0;
	if (config->key_len == 0 || config->key_len > NL_NETBENCH_KEY_MAX) {
		nl_error_set(err, NL_E_CONFIG, "use the key");
		return nl_error_why(err, "it has %zu bytes, allowed are 1 to %d", config->key_len, NL_NETBENCH_KEY_MAX);
	}
	server->key = malloc(config->key_len);
	if (!server->key)
		return nl_error_sys(err, ENOMEM, "keep the key");
	memcpy(server->key, config->key, config->key_len);
	server->key_len = config->key_len;
	return 0;
}

static int set_up(struct nl_netbench_server *server, const struct nl_netbench_server_config *config,
		  struct nl_error *err)
{
	int rc = copy_key(server, config, err);

	if (rc)
		return rc;
	server->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	server->ended_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (server->wake_fd < 0 || server->ended_fd < 0)
		return nl_error_sys(err, errno, "make an event");
	rc = nl_nb_tcp_listen(config->bind, config->port, &server->listener, &server->port, err);
	if (rc)
		return rc;
	rc = pthread_create(&server->thread, NULL, acceptor_main, server);
	if (rc)
		return nl_error_sys(err, rc, "start the server's thread");
	server->threaded = true;
	return 0;
}

int nl_netbench_server_start(const struct nl_netbench_server_config *config, struct nl_netbench_server **server,
			     struct nl_error *err)
{
	struct nl_netbench_server *made = calloc(1, sizeof(*made));
	struct nl_error unwanted = {0};
	int rc;

	err = err ? err : &unwanted;
	*server = NULL;
	if (!made)
		return nl_error_sys(err, ENOMEM, "make room for the server");
	made->listener = made->wake_fd = made->ended_fd = -1;
	for (size_t i = 0; i < NL_NB_PENDING_MAX; i++)
		made->pendings[i].fd = -1;
	pthread_mutex_init(&made->event_lock, NULL);
	made->one_off = config->one_off;
	made->event = config->event;
	made->event_context = config->event_context;
	made->longest_ns = config->max_seconds ? config->max_seconds * NL_NS_PER_S : NL_NETBENCH_DURATION_MAX_NS;
	rc = set_up(made, config, err);
	if (rc) {
		nl_netbench_server_free(made);
		return rc;
	}
	*server = made;
	return 0;
}

uint16_t nl_netbench_server_port(const struct nl_netbench_server *server)
{
	return server->port;
}

void nl_netbench_server_wait(struct nl_netbench_server *server, const atomic_bool *stop)
{
	struct pollfd ended = {.fd = server->ended_fd, .events = POLLIN};

	while (!(stop && atomic_load(stop)) && poll(&ended, 1, LOOK_MS) <= 0)
		;
}

void nl_netbench_server_stop(struct nl_netbench_server *server)
{
	if (!server->threaded)
		return;
	atomic_store(&server->stopping, true);
	(void)!eventfd_write(server->wake_fd, 1);
	pthread_join(server->thread, NULL);
	server->threaded = false;
}

void nl_netbench_server_free(struct nl_netbench_server *server)
{
	if (!server)
		return;
	nl_netbench_server_stop(server);
	if (server->listener >= 0)
		close(server->listener);
	if (server->wake_fd >= 0)
		close(server->wake_fd);
	if (server->ended_fd >= 0)
		close(server->ended_fd);
	if (server->key)
		mbedtls_platform_zeroize(server->key, server->key_len);
	free(server->key);
	pthread_mutex_destroy(&server->event_lock);
	free(server);
}
