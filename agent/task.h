/*
 * task: what an order makes an agent do. One row per kind of task.
 */
#ifndef NL_AGENT_TASK_H
#define NL_AGENT_TASK_H

#include "agent/agent.h"

/* nl_task_run runs the order's task in the worker's thread and fills the outcome; on failure err says why. */
int nl_task_run(struct nl_agent *agent, const Nl__Order *order, struct nl_outcome *outcome, struct nl_error *err);
/* nl_task_name: "load", "evict", ... Never NULL. */
const char *nl_task_name(const Nl__Order *order);

typedef int nl_task_fn(struct nl_agent *agent, const Nl__Order *order, struct nl_outcome *outcome,
		       struct nl_error *err);

/* agent/bench/load_task.c */
nl_task_fn nl_task_load, nl_task_go;
/* agent/bench/line_task.c */
nl_task_fn nl_task_line_server, nl_task_line_client;
/* agent/setup_tasks.c */
nl_task_fn nl_task_inventory, nl_task_watch, nl_task_prepare, nl_task_mount, nl_task_unmount, nl_task_probe,
	nl_task_cleanup, nl_task_clock, nl_task_evict, nl_task_flush;

#endif
