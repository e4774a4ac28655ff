/*
 * session: hello, proof of the name, clock, then orders until the controller is gone or says that it does not know us.
 */
#ifndef NL_AGENT_SESSION_H
#define NL_AGENT_SESSION_H

#include "agent/agent.h"

/* nl_session_open proves the agent's name and learns session, lease and clock. Waits at most timeout_ns for the
 * controller. */
int nl_session_open(struct nl_agent *agent, int64_t timeout_ns, struct nl_error *err);

/*
 * nl_session_serve takes orders until the session is over: *quit, the lease ran out, or the controller does not know
 * the session. On return worker and uplink have ended, no load runs, telemetry and line server are stopped. err says
 * why it ended (NL_E_CANCELLED for *quit).
 */
int nl_session_serve(struct nl_agent *agent, const atomic_bool *quit, struct nl_error *err);

#endif
