/*
 * load_task: the tasks `load` (make ready) and `go` (run), and what the uplink reads of a running load.
 */
#ifndef NL_AGENT_BENCH_LOAD_TASK_H
#define NL_AGENT_BENCH_LOAD_TASK_H

#include "agent/agent.h"

/* nl_ready_load_samples writes the streams' counters as samples (at most max) and returns how many. The caller holds
 * agent->lock. */
unsigned nl_ready_load_samples(const struct nl_ready_load *ready, struct nl_sample *samples, unsigned max);

/* nl_ready_load_drop stops and frees the load that is ready or running, if there is one. Worker thread, or alone. */
void nl_ready_load_drop(struct nl_agent *agent);

#endif
