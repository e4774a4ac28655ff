/*
 * server_private: the server's inside, shared by server.c (threads, orders) and the files that answer each kind of
 * request.
 */
#ifndef NL_CONTROLLER_CONDUCT_SERVER_PRIVATE_H
#define NL_CONTROLLER_CONDUCT_SERVER_PRIVATE_H

#include <pthread.h>

#include "controller/conduct/peers.h"
#include "controller/conduct/server.h"
#include "proto/link.h"

#define NL_SERVER_THREADS 32
#define NL_ENROLMENTS_MAX 8

/* A finished enrolment, so that a repeated request gets the same certificate though its token is used up. */
struct nl_enrolment {
	uint8_t token_hash[32];
	uint8_t request[NL_IDENTITY_DER_MAX], certificate[NL_IDENTITY_DER_MAX];
	size_t request_len, certificate_len;
};

struct nl_server {
	struct nl_server_config config;
	void (*divert)(void *context,
		       const char *text); /* under event_lock; NULL: events go to the config's receiver */
	void *divert_context;
	char state_dir[1024], run_id[64];
	struct nl_listener *listener;
	atomic_bool over;
	pthread_t thread[NL_SERVER_THREADS];
	struct nl_serving *serving[NL_SERVER_THREADS];
	unsigned thread_count;
	pthread_mutex_t lock, store_lock, event_lock;
	pthread_cond_t changed; /* monotonic */
	struct nl_peers peers;
	struct nl_enrolment enrolment[NL_ENROLMENTS_MAX];
	unsigned next_enrolment;
};

/* A reply while it is made: what its body points to lives here. */
struct nl_answer {
	Nl__Reply reply;
	union {
		Nl__Enrolled enrolled;
		Nl__Challenge challenge;
		Nl__Welcome welcome;
		Nl__Pong pong;
		Nl__Idle idle;
		Nl__Ack ack;
		Nl__Refusal refusal;
	} body;
	uint8_t bytes_a[NL_IDENTITY_DER_MAX], bytes_b[NL_IDENTITY_DER_MAX];
	Nl__Order *order; /* freed after sending */
	struct nl_error error;
};

void nl_server_event(struct nl_server *server, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* nl_answer_refuse makes the answer a refusal of its `error`. */
void nl_answer_refuse(struct nl_answer *answer, bool session_unknown);

/* enrol.c */
void nl_server_enrol(struct nl_server *server, const Nl__Enrol *enrol, const char *where, struct nl_answer *answer);
void nl_server_hello(struct nl_server *server, const Nl__Hello *hello, bool verified, const char *where,
		     struct nl_answer *answer);
void nl_server_proof(struct nl_server *server, const Nl__Proof *proof, struct nl_answer *answer);
/* intake.c */
void nl_server_samples(struct nl_server *server, const Nl__Request *request, const char *agent,
		       struct nl_answer *answer);
void nl_server_result(struct nl_server *server, const Nl__Request *request, const char *agent,
		      struct nl_answer *answer);

#endif
