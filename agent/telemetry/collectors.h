/*
 * collectors: one round of sampling: each row of the table is a file of /proc and what is taken from it.
 *
 * A round belongs to one thread at a time; telemetry.c sees to that.
 */
#ifndef NL_AGENT_TELEMETRY_COLLECTORS_H
#define NL_AGENT_TELEMETRY_COLLECTORS_H

#include <stdbool.h>
#include <stddef.h>

#include "agent/telemetry/telemetry.h"

/* Takes the samples of a round in batches. */
typedef void nl_sample_sink(void *context, const struct nl_sample *samples, unsigned count);

struct nl_collectors;

/*
 * nl_collectors_alloc copies the configuration and opens the sources; those are of the caller's network and mount
 * namespace for as long as they are open. A source that is missing is tried again in every round, since a module may
 * come later.
 */
int nl_collectors_alloc(const struct nl_telemetry_config *config, struct nl_collectors **collectors,
			struct nl_error *err);
void nl_collectors_free(struct nl_collectors *collectors); /* NULL allowed */

/* nl_collectors_round reads every source once and hands the samples to the sink. */
void nl_collectors_round(struct nl_collectors *collectors, nl_sample_sink *sink, void *context);

/* nl_collectors_missing writes what the last round did not find: "nfsd: no /proc/net/rpc/nfsd; ..." */
void nl_collectors_missing(const struct nl_collectors *collectors, char *text, size_t size);

#endif
