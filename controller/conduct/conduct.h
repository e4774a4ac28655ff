/*
 * conduct: runs a campaign's plan: agents, scratch, mounts, every load at its instant, cleanup, and what becomes of it
 * all when something fails.
 */
#ifndef NL_CONTROLLER_CONDUCT_CONDUCT_H
#define NL_CONTROLLER_CONDUCT_CONDUCT_H

#include <stdatomic.h>
#include <stdio.h>

#include "base/error.h"
#include "controller/campaign/campaign.h"
#include "controller/conduct/server.h"
#include "controller/store/store.h"

struct nl_conduct_request {
	struct nl_server *server;
	const struct nl_campaign *campaign;
	const char *resume_run_id; /* NULL: a new run */
	const atomic_bool *stop;   /* Ctrl-C: ends the load, cleans up, leaves the run to be resumed */
	FILE *progress;            /* stderr */
};

/*
 * nl_conduct runs the campaign. run_id (NL_STORE_RUN_ID_MAX bytes) is set as soon as there is a run ("" before).
 * Whatever happens, what was made is removed as far as the agents can be reached, and the run's state in the store is
 * true: done, failed (nothing measured, or a setup that cannot work) or interrupted (`nasline resume` goes on; phases
 * measured before are kept). Blocks; one campaign at a time per server.
 */
int nl_conduct(const struct nl_conduct_request *request, char *run_id, struct nl_error *err);

#endif
