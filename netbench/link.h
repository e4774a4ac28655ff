/*
 * link: by which interface a peer is reached, how fast it is, and how large its packets are.
 */
#ifndef NL_NETBENCH_LINK_H
#define NL_NETBENCH_LINK_H

#include "netbench/netbench.h"
#include "netbench/tcp.h"

/*
 * nl_nb_link_facts fills *link for the route from `local` to `peer`. What cannot be found out stays unknown; there is
 * no error. Asks the kernel of the calling thread's network namespace.
 */
void nl_nb_link_facts(const struct nl_nb_address *local, const struct nl_nb_address *peer,
		      struct nl_netbench_link *link);

/*
 * nl_nb_link_route parses the kernel's answer to a route request: the outgoing interface's index, 0 when it names none.
 * Any bytes are safe.
 */
int nl_nb_link_route(const void *answer, size_t len);

#endif
