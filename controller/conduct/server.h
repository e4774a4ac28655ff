/*
 * server: the controller's end of the wire: enrols agents, proves their names, stores what they send, and gives each of
 * them one order at a time.
 *
 * Threads: a fixed set of serving threads, each with a context of the listener; the conductor calls from its own
 * thread. Locking: one lock guards the peers and their orders; the store has a lock of its own (nl_server_store_lock),
 * taken after the other one is released, never the other way round.
 */
#ifndef NL_CONTROLLER_CONDUCT_SERVER_H
#define NL_CONTROLLER_CONDUCT_SERVER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "controller/store/store.h"
#include "proto/message.h"

struct nl_server;

struct nl_server_config {
	const char *state_dir;  /* CA, controller's certificate */
	const char *listen;     /* "0.0.0.0:7443" */
	struct nl_store *store; /* used by the server's threads under its store lock */
	int64_t lease_ns;
	/*
	 * Told of joins, hellos, refusals: one line, fit for a terminal whoever sent its parts. Called from serving
	 * threads, one call at a time. May be NULL.
	 */
	void (*event)(void *context, const char *text);
	void *event_context;
};

/* nl_server_divert sends events, if they have a receiver at all, to `event` from now on; NULL: to that of the config.
 */
void nl_server_divert(struct nl_server *server, void (*event)(void *context, const char *text), void *context);

int nl_server_start(const struct nl_server_config *config, struct nl_server **server, uint16_t *port,
		    struct nl_error *err);
void nl_server_stop(struct nl_server *server); /* NULL allowed */

/* The store, for the conductor, between lock and unlock. */
struct nl_store *nl_server_store_lock(struct nl_server *server);
void nl_server_store_unlock(struct nl_server *server);

/* nl_server_attach makes samples and results that arrive from now on belong to this run ("" for none: samples are
 * dropped). */
void nl_server_attach(struct nl_server *server, const char *run_id);

/* nl_server_wait_agent waits for the agent to be there with a proven session. NL_E_TIMEOUT; NL_E_CANCELLED when *stop.
 */
int nl_server_wait_agent(struct nl_server *server, const char *agent, int64_t timeout_ns, const atomic_bool *stop,
			 struct nl_error *err);
/* nl_server_has_capability: of the agent's last hello. */
bool nl_server_has_capability(struct nl_server *server, const char *agent, const char *capability);
/* nl_server_agent_alive: has a session and was heard of within the lease. */
bool nl_server_agent_alive(struct nl_server *server, const char *agent);

/* How an order's result is kept. */
struct nl_order_keeping {
	const char *run_id; /* "" stores nothing */
	unsigned phase;
	const char *role;  /* "load", "line", ... of nl_store_result_add; "" stores facts only */
	const char *label; /* "" or the share's name: facts of subject "share" become "share:NAME" and so on */
};

/*
 * nl_server_order gives the agent an order; `order` (its id is filled in here, and returned in *id) is packed, not
 * kept. An order that it had before is forgotten, its result with it. NL_E_PEER when the agent is not there.
 */
int nl_server_order(struct nl_server *server, const char *agent, Nl__Order *order,
		    const struct nl_order_keeping *keeping, uint64_t *id, struct nl_error *err);

/*
 * nl_server_await waits for the order's result, at most timeout_ns. On success *result is a copy of the caller's
 * (nl_server_result_free), also when it holds a failure: then the failure is the error returned and *result is set.
 * NL_E_PEER: the agent is lost (lease, or it began a new session); NL_E_STORE and others: what it sent for the order
 * could not be stored; NL_E_TIMEOUT; NL_E_CANCELLED (*stop). In all these cases the agent is told to abort the order,
 * which is forgotten.
 */
int nl_server_await(struct nl_server *server, const char *agent, uint64_t id, int64_t timeout_ns,
		    const atomic_bool *stop, Nl__Result **result, struct nl_error *err);
void nl_server_result_free(Nl__Result *result);

/* nl_server_live: bytes that the running load's streams of an agent have moved, and when that was known (controller's
 * clock; 0: nothing yet). */
void nl_server_live(struct nl_server *server, const char *agent, double *bytes, int64_t *at_ns);

#endif
