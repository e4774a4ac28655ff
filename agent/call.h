/*
 * call: one request of an agent to the controller and its reply, with refusals turned into errors and every reply taken
 * as a sign of life.
 */
#ifndef NL_AGENT_CALL_H
#define NL_AGENT_CALL_H

#include "agent/agent.h"
#include "proto/message.h"

/*
 * nl_call sends `request` (version, session and sending instant are filled here) and waits at most timeout_ns. On
 * success *reply is the caller's, to be freed by nl_reply_free; a Refusal is returned as its error, and when it says
 * that the session is unknown, agent->session_over is set. *returned_mono_ns (NULL allowed) is when the reply came. Any
 * thread.
 */
int nl_call(struct nl_agent *agent, Nl__Request *request, int64_t timeout_ns, Nl__Reply **reply,
	    int64_t *returned_mono_ns, struct nl_error *err);

/* nl_call_ping makes one clock exchange and learns from it. */
int nl_call_ping(struct nl_agent *agent, int64_t timeout_ns, struct nl_error *err);

#endif
