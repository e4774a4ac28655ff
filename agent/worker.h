/*
 * worker: the thread that runs orders, one at a time.
 */
#ifndef NL_AGENT_WORKER_H
#define NL_AGENT_WORKER_H

#include "agent/agent.h"

/* nl_worker_start runs until agent->session_over, then returns when the order in hand has ended. */
int nl_worker_start(struct nl_agent *agent, pthread_t *thread, struct nl_error *err);

/* nl_worker_take queues a reply that holds an order (and owns it); an order taken before is ignored. Session thread. */
void nl_worker_take(struct nl_agent *agent, Nl__Reply *reply);

#endif
