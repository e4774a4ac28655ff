/*
 * link_pipes: keeps the book of a socket's connections and closes those that NNG forgot. Only for proto/link_*.c.
 *
 * NNG 1.5.2 loses the end of a TLS connection that breaks in the moment between two receives (a peer that answers and
 * leaves at once): the pipe stays in the socket for ever, requests go into it and nothing comes back. Its TCP
 * connection, however, has no peer any more, and that can be asked. A thread asks every pipe a few times per second and
 * closes the dead ones, whereupon NNG dials again.
 */
#ifndef NL_PROTO_LINK_PIPES_H
#define NL_PROTO_LINK_PIPES_H

#include <nng/nng.h>

#include "base/error.h"

struct nl_pipes;

/*
 * nl_pipes_start takes over a socket that has no pipe yet and watches all that it gets. After a failure *pipes is NULL
 * and the socket closed, or *pipes must be closed and freed as after success.
 */
int nl_pipes_start(nng_socket socket, struct nl_pipes **pipes, struct nl_error *err);
/*
 * nl_pipes_close closes the socket and ends the watching; nl_pipes_free frees the rest (NULL allowed for both).
 */
void nl_pipes_close(struct nl_pipes *pipes);
void nl_pipes_free(struct nl_pipes *pipes);

/* nl_pipes_count: how many connections are up. Any thread. */
unsigned nl_pipes_count(struct nl_pipes *pipes);

#endif
