/*
 * pending: the server's side of a connection until it belongs to a test. Runs in the acceptor only and never blocks.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "netbench/server.h"
#include "netbench/tcp.h"

void nl_nb_pending_close(struct nl_netbench_server *server, struct nl_nb_pending *pending, const char *why)
{
	if (pending->fd < 0)
		return;
	close(pending->fd);
	pending->fd = -1;
	nl_nb_reader_fini(&pending->reader);
	if (why)
		nl_nb_server_tell(server, pending->peer, why);
}

/* A free place, or NULL. */
static struct nl_nb_pending *free_place(struct nl_netbench_server *server)
{
	for (size_t i = 0; i < NL_NB_PENDING_MAX; i++)
		if (server->pendings[i].fd < 0)
			return &server->pendings[i];
	return NULL;
}

/* Makes room: first by serving those who have already sent what they must, then at the cost of the oldest. */
static struct nl_nb_pending *make_place(struct nl_netbench_server *server)
{
	struct nl_nb_pending *oldest = &server->pendings[0];

	for (size_t i = 0; i < NL_NB_PENDING_MAX; i++)
		nl_nb_pending_progress(server, &server->pendings[i]);
	for (size_t i = 0; i < NL_NB_PENDING_MAX; i++) {
		if (server->pendings[i].fd < 0)
			return &server->pendings[i];
		if (server->pendings[i].deadline_ns < oldest->deadline_ns)
			oldest = &server->pendings[i];
	}
	nl_nb_pending_close(server, oldest, "refused: too many connections that do not prove themselves");
	return oldest;
}

void nl_nb_pending_add(struct nl_netbench_server *server, int fd)
{
	struct nl_nb_pending *place = free_place(server);
	struct nl_nb_address peer;

	if (!place)
		place = make_place(server);
	memset(place, 0, sizeof(*place));
	place->fd = fd;
	place->deadline_ns = nl_mono_ns() + NL_NB_HANDSHAKE_NS;
	place->auth.key = server->key;
	place->auth.key_len = server->key_len;
	nl_nb_reader_init(&place->reader, NL_NB_FRAME_MAX_EARLY);
	nl_nb_tcp_peer(fd, &peer);
	nl_nb_tcp_text(&peer, true, place->peer, sizeof(place->peer));
}

/* Reads up to `want` bytes of the header; true when they are there. Closes a broken connection. */
static bool read_header(struct nl_netbench_server *server, struct nl_nb_pending *pending, size_t want)
{
	while (pending->have < want) {
		ssize_t n = recv(pending->fd, pending->header + pending->have, want - pending->have, MSG_DONTWAIT);

		if (n > 0) {
			pending->have += (size_t)n;
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK))
			nl_nb_pending_close(server, pending, "refused: it closed before it had said who it is");
		return false;
	}
	return true;
}

static void read_preface(struct nl_netbench_server *server, struct nl_nb_pending *pending)
{
	if (!read_header(server, pending, NL_NB_PREFACE_BYTES))
		return;
	if (memcmp(pending->header, NL_NB_PREFACE_DATA, NL_NB_PREFACE_BYTES) == 0)
		pending->state = NL_NB_PENDING_DATA;
	else if (memcmp(pending->header, NL_NB_PREFACE_CONTROL, NL_NB_PREFACE_BYTES) == 0)
		pending->state = NL_NB_PENDING_HELLO;
	else
		nl_nb_pending_close(server, pending, "refused: it does not speak netbench");
}

static void read_data(struct nl_netbench_server *server, struct nl_nb_pending *pending)
{
	if (!read_header(server, pending, NL_NB_DATA_HEADER_BYTES))
		return;
	if (server->session && nl_nb_session_adopt(server->session, pending->fd, pending->header))
		pending->fd = -1;
	else
		nl_nb_pending_close(server, pending, "refused: a data connection without the token of a test");
}

/* To a peer that was proved: why it cannot have its test. The few bytes fit the empty socket buffer. */
static void refuse(struct nl_netbench_server *server, struct nl_nb_pending *pending, enum nl_code code, const char *why)
{
	char text[400];

	nl_nb_frame_send(pending->fd, nl_nb_refused_pack(code, why), nl_mono_ns(), NULL);
	snprintf(text, sizeof(text), "refused: %s", why);
	nl_nb_pending_close(server, pending, text);
}

static int take_hello(struct nl_nb_pending *pending, const json_t *frame, struct nl_error *err)
{
	int rc = nl_nb_hello_check(&pending->auth, frame, err);

	if (rc == 0)
		rc = nl_nb_random(pending->auth.server_nonce, NL_NB_NONCE_BYTES, err);
	if (rc == 0)
		rc = nl_nb_frame_send(pending->fd, nl_nb_challenge_pack(&pending->auth), nl_mono_ns(), err);
	if (rc == 0)
		pending->state = NL_NB_PENDING_REQUEST;
	return rc;
}

static int take_request(struct nl_netbench_server *server, struct nl_nb_pending *pending, const json_t *frame,
			struct nl_error *err)
{
	struct nl_nb_request request;
	char why[120];
	int fd = pending->fd;
	int rc = nl_nb_request_check(&pending->auth, frame, err);

	if (rc)
		return rc;
	nl_nb_server_reap(server);
	if (server->session) {
		refuse(server, pending, NL_E_UNSUPPORTED, "the server is busy with another client's test");
	} else if (nl_nb_request_unpack(frame, &request, err)) {
		refuse(server, pending, NL_E_PROTOCOL, err->why);
	} else if (request.omit_ns + request.duration_ns > server->longest_ns) {
		snprintf(why, sizeof(why), "this server allows tests of at most %lld s",
			 (long long)(server->longest_ns / NL_NS_PER_S));
		refuse(server, pending, NL_E_UNSUPPORTED, why);
	} else {
		pending->fd = -1;
		return nl_nb_session_start(fd, &pending->reader, &request, pending->peer, server->wake_fd,
					   nl_nb_server_tell, server, &server->session, err);
	}
	return 0;
}

static void read_frame(struct nl_netbench_server *server, struct nl_nb_pending *pending)
{
	struct nl_error err = {0};
	char text[450];
	json_t *frame = NULL;
	int rc = nl_nb_reader_fill(&pending->reader, pending->fd, &err);

	if (rc == 0)
		rc = nl_nb_reader_next(&pending->reader, &frame, &err);
	if (rc == 0 && frame)
		rc = pending->state == NL_NB_PENDING_HELLO ? take_hello(pending, frame, &err)
							   : take_request(server, pending, frame, &err);
	json_decref(frame);
	if (rc == 0)
		return;
	snprintf(text, sizeof(text), "refused: %s", err.why[0] ? err.why : err.what);
	nl_nb_pending_close(server, pending, text);
}

void nl_nb_pending_progress(struct nl_netbench_server *server, struct nl_nb_pending *pending)
{
	if (pending->fd >= 0 && pending->state == NL_NB_PENDING_PREFACE)
		read_preface(server, pending);
	if (pending->fd >= 0 && pending->state == NL_NB_PENDING_DATA)
		read_data(server, pending);
	else if (pending->fd >= 0 && pending->state != NL_NB_PENDING_PREFACE)
		read_frame(server, pending);
}
