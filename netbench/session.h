/*
 * session: one test at the server, from the accepted request to the result, in a thread of its own.
 */
#ifndef NL_NETBENCH_SESSION_H
#define NL_NETBENCH_SESSION_H

#include <pthread.h>

#include "netbench/auth.h"
#include "netbench/frame.h"
#include "netbench/message.h"

struct nl_nb_session;

/* Where a session tells what happens. Called from its thread. */
typedef void nl_nb_session_event_fn(void *context, const char *peer, const char *text);

/*
 * nl_nb_session_start makes the session and its thread; it takes over `control` and *reader (zeroed then), also on
 * failure. `wake_fd` is an eventfd written when the session is over. Acceptor's thread.
 */
int nl_nb_session_start(int control, struct nl_nb_reader *reader, const struct nl_nb_request *request, const char *peer,
			int wake_fd, nl_nb_session_event_fn *event, void *event_context, struct nl_nb_session **session,
			struct nl_error *err);

/*
 * nl_nb_session_adopt gives a data connection's descriptor to the session when its header is right; false (and the
 * descriptor stays the caller's) when token or numbers are wrong or the place is taken. Acceptor's thread.
 */
bool nl_nb_session_adopt(struct nl_nb_session *session, int fd, const unsigned char *header);

/* nl_nb_session_is_over: the thread has nothing more to do; nl_nb_session_free will not wait. */
bool nl_nb_session_is_over(struct nl_nb_session *session);
/* nl_nb_session_ran: the test was started by its client. After is_over. */
bool nl_nb_session_ran(const struct nl_nb_session *session);

/* nl_nb_session_free ends the test if it runs, joins and frees. NULL allowed. */
void nl_nb_session_free(struct nl_nb_session *session);

#endif
