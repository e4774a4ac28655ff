/*
 * local: agents as child processes of the controller, over the same sockets as agents elsewhere.
 */
#ifndef NL_CONTROLLER_CONDUCT_LOCAL_H
#define NL_CONTROLLER_CONDUCT_LOCAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "controller/conduct/server.h"
#include "controller/store/store.h"

#define NL_LOCAL_AGENT "local"

struct nl_local_agent {
	pid_t pid; /* 0: none */
	char dir[1100];
	bool cleaned_after; /* it was killed, and what it left was removed */
};

/*
 * nl_local_start gives the agent "local" an identity under HOME/local, signed by the CA in `home`, and starts
 * nasline-agent (beside this program, in the build's tree, or in PATH) dialling 127.0.0.1:port. It ends when this
 * process ends, however that happens.
 */
int nl_local_start(struct nl_local_agent *agent, const char *home, struct nl_store *store, uint16_t port,
		   struct nl_error *err);
/*
 * nl_local_wait waits until the agent is there. An agent that ended instead (it has said why on stderr) is NL_E_PEER;
 * no word from it in 60 s NL_E_TIMEOUT; *stop NL_E_CANCELLED.
 */
int nl_local_wait(struct nl_local_agent *agent, struct nl_server *server, const atomic_bool *stop,
		  struct nl_error *err);
/*
 * nl_local_stop asks the agent to end (it cleans up first) and waits; after 20 s it is killed. What an agent that was
 * killed, by whomever, could not clean up is removed by a fresh one. NL_E_LEFTOVER: something stays.
 */
int nl_local_stop(struct nl_local_agent *agent, struct nl_error *err);

#endif
