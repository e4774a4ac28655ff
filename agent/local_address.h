/*
 * local_address: this host's own address on the way to another one.
 */
#ifndef NL_AGENT_LOCAL_ADDRESS_H
#define NL_AGENT_LOCAL_ADDRESS_H

#include <stddef.h>

#include "base/error.h"

/*
 * nl_local_address writes the numeric source address that the routing table chooses towards `peer` (name or address)
 * into address (64 bytes suffice), by connecting a UDP socket, which sends nothing.
 */
int nl_local_address(const char *peer, char *address, size_t size, struct nl_error *err);

#endif
