/*
 * netdev: the row of one interface in /proc/net/dev.
 */
#ifndef NL_AGENT_TELEMETRY_NETDEV_H
#define NL_AGENT_TELEMETRY_NETDEV_H

#include <stdbool.h>
#include <stdint.h>

struct nl_netdev {
	uint64_t received_bytes, received_packets, receive_drops;
	uint64_t sent_bytes, sent_packets, send_drops;
};

/* nl_netdev_find fills the counters of the interface `name`. False when it has no row. */
bool nl_netdev_find(const char *text, const char *name, struct nl_netdev *counters);

#endif
