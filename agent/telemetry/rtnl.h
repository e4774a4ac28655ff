/*
 * rtnl: asks the kernel about links, queues and routes by rtnetlink, in the network namespace of the calling thread.
 *
 * Parsers take a received message and trust nothing in it: lengths are checked against the buffer.
 */
#ifndef NL_AGENT_TELEMETRY_RTNL_H
#define NL_AGENT_TELEMETRY_RTNL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct nl_rtnl_link {
	int index;
	char name[32];
	char kind[32]; /* "veth", "bridge", "bond", "vlan", ...; "" for hardware and loopback */
	unsigned mtu;
	int master; /* index of the bond or bridge it is a member of, 0: none */
	int lower;  /* index of the link it stands on (vlan, macvlan), 0: none */
	bool up, carrier, loopback;
	char address[24];   /* "02:00:00:00:00:01" */
	unsigned bond_mode; /* of a bond: 0..6, 4 is 802.3ad */
	unsigned bond_hash; /* transmit hash policy: 0 layer2, 1 layer3+4, ... */
};

struct nl_rtnl_qdisc {
	int link;
	uint32_t handle, parent;
	char kind[32];
	uint64_t rate_bps; /* bits per second that it lets through; 0: does not limit, or not known here */
	uint64_t drops;
};

/* Each reads one message of `len` bytes (header included); false when it is none of its kind or malformed. Any thread.
 */
bool nl_rtnl_parse_link(const void *message, size_t len, struct nl_rtnl_link *link);
bool nl_rtnl_parse_qdisc(const void *message, size_t len, struct nl_rtnl_qdisc *qdisc);
/* A traffic class, of which only htb's are known: rate_bps is its ceiling. */
bool nl_rtnl_parse_class(const void *message, size_t len, struct nl_rtnl_qdisc *class);
/* The outgoing interface of a route. */
bool nl_rtnl_parse_route(const void *message, size_t len, int *link);

/*
 * Dumps, into arrays of `max`; *count is how many there are room for. Bounded in time (2 s).
 */
int nl_rtnl_links(struct nl_rtnl_link *links, unsigned max, unsigned *count, struct nl_error *err);
int nl_rtnl_qdiscs(int link, struct nl_rtnl_qdisc *qdiscs, unsigned max, unsigned *count, struct nl_error *err);
int nl_rtnl_classes(int link, struct nl_rtnl_qdisc *classes, unsigned max, unsigned *count, struct nl_error *err);
/* nl_rtnl_route asks which interface leads to an address (family AF_INET or AF_INET6, 4 or 16 bytes). */
int nl_rtnl_route(int family, const void *address, int *link, struct nl_error *err);

#endif
