/*
 * server: what the two files of the server share: its state and the peers that have not proved themselves yet.
 */
#ifndef NL_NETBENCH_SERVER_H
#define NL_NETBENCH_SERVER_H

#include <pthread.h>

#include "netbench/auth.h"
#include "netbench/frame.h"
#include "netbench/message.h"
#include "netbench/session.h"

#define NL_NB_PENDING_MAX 64

/* A connection that is not yet a test's. It is sent nothing until it has proved that it belongs here. */
struct nl_nb_pending {
	int fd; /* -1: free */
	int64_t deadline_ns;
	enum { NL_NB_PENDING_PREFACE, NL_NB_PENDING_DATA, NL_NB_PENDING_HELLO, NL_NB_PENDING_REQUEST } state;
	unsigned char header[NL_NB_DATA_HEADER_BYTES];
	size_t have; /* of header */
	struct nl_nb_reader reader;
	struct nl_nb_auth auth;
	char peer[80];
};

struct nl_netbench_server {
	int listener;
	uint16_t port;
	unsigned char *key;
	size_t key_len;
	bool one_off;
	int64_t longest_ns;
	int wake_fd;  /* eventfd: a session is over, or stopping */
	int ended_fd; /* eventfd: the acceptor has ended */
	atomic_bool stopping;
	bool threaded;
	pthread_t thread;
	pthread_mutex_t event_lock; /* one event at a time */
	nl_netbench_server_event_fn *event;
	void *event_context;
	/* The acceptor's alone: */
	struct nl_nb_session *session;
	struct nl_nb_pending pendings[NL_NB_PENDING_MAX];
	int64_t accept_again_ns; /* no accepting before, when descriptors ran out */
};

/* nl_nb_server_tell passes an event on. Any thread. */
void nl_nb_server_tell(void *server, const char *peer, const char *text);

/* nl_nb_server_reap frees a session that is over. Acceptor. */
void nl_nb_server_reap(struct nl_netbench_server *server);

/* nl_nb_pending_add takes over a fresh connection; the oldest gives way when there is no room. */
void nl_nb_pending_add(struct nl_netbench_server *server, int fd);
/* nl_nb_pending_progress reads what a pending connection (a free place too) has and acts on it; may hand it on or close
 * it. */
void nl_nb_pending_progress(struct nl_netbench_server *server, struct nl_nb_pending *pending);
/* nl_nb_pending_close drops it, telling why (NULL: silently). */
void nl_nb_pending_close(struct nl_netbench_server *server, struct nl_nb_pending *pending, const char *why);

#endif
