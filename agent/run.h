/*
 * run: an agent's life while it serves.
 */
#ifndef NL_AGENT_RUN_H
#define NL_AGENT_RUN_H

#include "agent/agent.h"

/*
 * nl_agent_run cleans what an earlier process left, checks the identity, then serves sessions until *quit becomes true
 * (polled often) or, with `once`, until the first session that was established has ended. Prints what happens as lines
 * on stderr. Always ends with the load stopped and everything cleaned up; NL_E_LEFTOVER names what could not be.
 */
int nl_agent_run(struct nl_agent *agent, const atomic_bool *quit, bool once, struct nl_error *err);

#endif
