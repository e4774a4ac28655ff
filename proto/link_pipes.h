/*
 * link_pipes: holds a socket, keeps the book of its connections, and stands between us and two faults of NNG 1.5.2.
 * Only for proto/link_*.c.
 *
 * One: NNG loses the end of a TLS connection that breaks in the moment between two receives (a peer that answers and
 * leaves at once). The pipe stays in the socket for ever, requests go into it and nothing comes back. Its TCP
 * connection, however, has no peer any more, and that can be asked: a thread asks every pipe a few times per second and
 * closes the dead ones, whereupon NNG dials again.
 *
 * Two: NNG cannot destroy a pipe that was closed in the middle of sending. Its one thread that destroys pipes then
 * waits for ever, for all sockets of the process, and so does nng_close. Such a socket is wedged: it is left alone and
 * a new one takes its place, which works because making connections does not need that thread.
 */
#ifndef NL_PROTO_LINK_PIPES_H
#define NL_PROTO_LINK_PIPES_H

#include <nng/nng.h>
#include <stdbool.h>

#include "base/error.h"

struct nl_pipes;

/* nl_pipes_start takes over a socket that has no pipe yet. After a failure the socket is closed and *pipes NULL. */
int nl_pipes_start(nng_socket socket, struct nl_pipes **pipes, struct nl_error *err);

/*
 * nl_pipes_close closes the socket, which wakes everybody who waits in it, and waits a few seconds at most.
 * nl_pipes_free, after it, frees what NNG no longer uses: of a wedged socket a few hundred bytes are kept until the
 * process ends. NULL allowed for both.
 */
void nl_pipes_close(struct nl_pipes *pipes);
void nl_pipes_free(struct nl_pipes *pipes);

/* nl_pipes_abandon takes the place of both for a wedged socket in which others may still wait: they do so until their
 * time is over. */
void nl_pipes_abandon(struct nl_pipes *pipes);

/* nl_pipes_count: how many connections are up. Any thread. */
unsigned nl_pipes_count(struct nl_pipes *pipes);
/* nl_pipes_wedged: whether the socket must be replaced. Any thread. */
bool nl_pipes_wedged(struct nl_pipes *pipes);

#endif
