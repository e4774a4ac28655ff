/*
 * host: the facts of a machine whose /proc, /sys and /etc hang below another directory; for tests.
 */
#ifndef NL_AGENT_TELEMETRY_HOST_H
#define NL_AGENT_TELEMETRY_HOST_H

#include "agent/telemetry/telemetry.h"

/* nl_host_describe_below is nl_host_describe of the machine below `root` ("" is this machine). */
int nl_host_describe_below(const char *root, nl_storage_fact_sink *sink, void *context, struct nl_error *err);

#endif
