/*
 * uplink: the thread that sends samples and results, in order, one at a time, each until it is acknowledged.
 */
#ifndef NL_AGENT_UPLINK_H
#define NL_AGENT_UPLINK_H

#include "agent/agent.h"

/* nl_uplink_start runs until agent->session_over; then what could not be sent is dropped. */
int nl_uplink_start(struct nl_agent *agent, pthread_t *thread, struct nl_error *err);

#endif
