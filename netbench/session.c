/*
 * session: a test as the server conducts it.
 *
 * Locking: `lock` guards the streams' descriptors and `connected` until all are there, and `over`. `stopping` is
 * atomic. All else belongs to the session's thread once it runs.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/units.h"
#include "netbench/figures.h"
#include "netbench/session.h"
#include "netbench/tcp.h"
#include "netbench/test.h"

struct nl_nb_session {
	struct nl_nb_test test;
	struct nl_nb_reader reader;
	int control;
	unsigned char token[NL_NB_TOKEN_BYTES];
	char peer[80];
	pthread_t thread;
	pthread_mutex_t lock;
	unsigned connected;
	bool over;
	bool ran;
	atomic_bool stopping;
	int changed_fd; /* eventfd: a data connection came, or stopping */
	int wake_fd;    /* the acceptor's */
	nl_nb_session_event_fn *event;
	void *event_context;
};

static bool is_stopping(struct nl_nb_session *session)
{
	return atomic_load(&session->stopping);
}

static int cancelled(struct nl_error *err)
{
	return nl_error_set(err, NL_E_CANCELLED, "run the test");
}

static int send_frame(struct nl_nb_session *session, json_t *frame, struct nl_error *err)
{
	return nl_nb_frame_send(session->control, frame, nl_mono_ns() + NL_NB_SILENCE_NS, err);
}

static int unexpected(const json_t *frame, struct nl_error *err)
{
	nl_error_set(err, NL_E_PROTOCOL, "understand the client");
	return nl_error_why(err, "a message \"%.20s\" has no place here", nl_nb_type(frame));
}

/* Waits once; *type gets the kind of frame that came: "" for none. Silence of the client is an error. */
static int next_event(struct nl_nb_session *session, char type[16], struct nl_error *err)
{
	json_t *frame = NULL;
	eventfd_t changes;
	int rc = nl_nb_test_alive(&session->test, err);

	type[0] = '\0';
	if (rc == 0)
		rc = nl_nb_test_wait(&session->test, session->changed_fd, NL_NB_SILENCE_NS, &frame, err);
	(void)!eventfd_read(session->changed_fd, &changes);
	if (rc == 0 && is_stopping(session))
		rc = cancelled(err);
	if (rc == 0 && frame) {
		snprintf(type, 16, "%s", nl_nb_type(frame));
		if (strcmp(type, "alive") == 0)
			type[0] = '\0';
		else if (strcmp(type, "start") && strcmp(type, "stop") && strcmp(type, "bye"))
			rc = unexpected(frame, err);
	}
	json_decref(frame);
	return rc;
}

static unsigned connected(struct nl_nb_session *session)
{
	unsigned n;

	pthread_mutex_lock(&session->lock);
	n = session->connected;
	pthread_mutex_unlock(&session->lock);
	return n;
}

/* Every data connection must follow the one before within the time a handshake may take. */
static int gather_connections(struct nl_nb_session *session, struct nl_error *err)
{
	int64_t deadline_ns = nl_mono_ns() + NL_NB_HANDSHAKE_NS;
	unsigned have = 0, now_have, want = session->test.group.count;
	char type[16];
	int rc = 0;

	while (rc == 0 && (now_have = connected(session)) < want) {
		if (now_have != have)
			deadline_ns = nl_mono_ns() + NL_NB_HANDSHAKE_NS;
		have = now_have;
		rc = next_event(session, type, err);
		if (rc == 0 && type[0])
			rc = cancelled(err);
		if (rc || nl_mono_ns() < deadline_ns)
			continue;
		nl_error_set(err, NL_E_TIMEOUT, "gather the data connections");
		rc = nl_error_why(err, "only %u of %u data connections arrived", have, want);
	}
	return rc;
}

static int await_start(struct nl_nb_session *session, struct nl_error *err)
{
	char type[16];
	int rc;

	do {
		rc = next_event(session, type, err);
		if (rc == 0 && type[0] && strcmp(type, "start"))
			rc = cancelled(err);
	} while (rc == 0 && !type[0]);
	return rc;
}

static int send_interval(void *context, const struct nl_netbench_interval *interval, struct nl_error *err)
{
	return send_frame(context, nl_nb_interval_pack(interval), err);
}

static int measure(struct nl_nb_session *session, struct nl_error *err)
{
	struct nl_nb_test *test = &session->test;
	char type[16];
	int rc = 0;

	while (rc == 0 && !nl_nb_group_is_finished(&test->group)) {
		rc = next_event(session, type, err);
		if (rc == 0 && type[0])
			nl_nb_group_stop(&test->group);
		if (nl_nb_test_overdue(test))
			nl_nb_group_cut(&test->group);
		if (rc == 0)
			rc = nl_nb_test_take_samples(test, send_interval, session, err);
	}
	nl_nb_group_stop(&test->group);
	if (rc == 0)
		rc = nl_nb_test_take_samples(test, send_interval, session, err);
	return rc;
}

static void tell_result(struct nl_nb_session *session, const struct nl_netbench_result *result)
{
	const struct nl_netbench_flow *flows = result->flows;
	char received[32], sent[32], text[160];
	struct nl_netbench_side in = flows[NL_NETBENCH_TO_SERVER].receiver, out = flows[NL_NETBENCH_FROM_SERVER].sender;

	nl_nb_side_conclude(&in);
	nl_nb_side_conclude(&out);
	snprintf(text, sizeof(text), "test ended: received %s, sent %s", nl_units_bytes(in.bytes, received, 32),
		 nl_units_bytes(out.bytes, sent, 32));
	session->event(session->event_context, session->peer, text);
}

/* The client takes the result in, then says bye; it may also just close. */
static void await_bye(struct nl_nb_session *session)
{
	json_t *frame = NULL;
	int64_t until_ns = nl_mono_ns() + NL_NB_SILENCE_NS;
	bool bye = false;

	while (!bye && nl_nb_frame_wait(session->control, &session->reader, until_ns, &frame, NULL) == 0) {
		bye = strcmp(nl_nb_type(frame), "bye") == 0;
		json_decref(frame);
	}
}

/*
 * A client that is still there learns why there is no test; the reasons of PEER and CANCELLED it knows itself. Closing
 * at once would reset the connection over the client's unread keep-alive and could take the reason with it, so the
 * client closes first.
 */
static void explain_refusal(struct nl_nb_session *session, int rc, const struct nl_error *err)
{
	if (rc == NL_E_PEER || rc == NL_E_CANCELLED)
		return;
	if (send_frame(session, nl_nb_refused_pack(err->code, err->why), NULL) == 0)
		await_bye(session);
}

static int conduct(struct nl_nb_session *session, struct nl_netbench_result *result, struct nl_error *err)
{
	struct nl_nb_test *test = &session->test;
	bool broken;
	int rc = send_frame(session, nl_nb_ready_pack(session->token), err);

	if (rc == 0)
		rc = gather_connections(session, err);
	if (rc == 0)
		rc = nl_nb_group_prepare(&test->group, err);
	if (rc) {
		explain_refusal(session, rc, err);
		return rc;
	}
	rc = send_frame(session, nl_nb_message("connected"), err);
	if (rc == 0)
		rc = await_start(session, err);
	if (rc)
		return rc;
	session->ran = true;
	session->event(session->event_context, session->peer, "test started");
	nl_nb_test_start(test, nl_mono_ns());
	rc = measure(session, err);
	if (rc)
		nl_nb_group_cut(&test->group);
	if (rc == 0 || !is_stopping(session)) {
		int filled = nl_nb_test_fill(test, result, rc ? NULL : err);

		tell_result(session, result);
		rc = rc ? rc : filled;
	}
	if (rc)
		return rc;
	broken = nl_nb_group_failure(&test->group) != 0 && !test->group.stopped;
	return send_frame(session, nl_nb_result_pack(result, broken), err);
}

static void *session_main(void *context)
{
	struct nl_nb_session *session = context;
	struct nl_netbench_result result = {0};
	struct nl_error err = {0};
	char line[512];

	if (conduct(session, &result, &err) == 0)
		await_bye(session);
	else
		session->event(session->event_context, session->peer, nl_error_line(&err, line, sizeof(line)));
	nl_netbench_result_fini(&result);
	nl_nb_group_cut(&session->test.group);
	pthread_mutex_lock(&session->lock);
	session->over = true;
	pthread_mutex_unlock(&session->lock);
	(void)!eventfd_write(session->wake_fd, 1);
	/* Only now the client sees the end: whoever comes next is not told "busy" for this test's sake. */
	shutdown(session->control, SHUT_RDWR);
	return NULL;
}

static void release(struct nl_nb_session *session)
{
	nl_nb_group_fini(&session->test.group);
	nl_nb_reader_fini(&session->reader);
	if (session->changed_fd >= 0)
		close(session->changed_fd);
	close(session->control);
	pthread_mutex_destroy(&session->lock);
	free(session);
}

int nl_nb_session_start(int control, struct nl_nb_reader *reader, const struct nl_nb_request *request, const char *peer,
			int wake_fd, nl_nb_session_event_fn *event, void *event_context, struct nl_nb_session **session,
			struct nl_error *err)
{
	struct nl_nb_session *made = aligned_alloc(NL_NB_CACHE_LINE, sizeof(*made));
	int rc;

	if (!made) {
		close(control);
		nl_nb_reader_fini(reader);
		return nl_error_sys(err, ENOMEM, "make room for a test");
	}
	memset(made, 0, sizeof(*made));
	made->reader = *reader;
	made->reader.max = NL_NB_FRAME_MAX;
	memset(reader, 0, sizeof(*reader));
	made->control = made->test.control = control;
	made->test.reader = &made->reader;
	made->test.next_sample_ns = INT64_MAX;
	made->test.heard_ns = nl_mono_ns();
	made->wake_fd = wake_fd;
	made->event = event;
	made->event_context = event_context;
	snprintf(made->peer, sizeof(made->peer), "%s", peer);
	pthread_mutex_init(&made->lock, NULL);
	made->changed_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	rc = made->changed_fd < 0 ? nl_error_sys(err, errno, "make an event") : 0;
	if (rc == 0)
		rc = nl_nb_random(made->token, sizeof(made->token), err);
	if (rc == 0)
		rc = nl_nb_group_init(&made->test.group, false, request, err);
	if (rc == 0 && (rc = pthread_create(&made->thread, NULL, session_main, made)) != 0)
		rc = nl_error_sys(err, rc, "start the thread of a test");
	if (rc) {
		release(made);
		return rc;
	}
	*session = made;
	return 0;
}

bool nl_nb_session_adopt(struct nl_nb_session *session, int fd, const unsigned char *header)
{
	struct nl_nb_group *group = &session->test.group;
	struct nl_nb_stream *stream = NULL;
	unsigned flow, number;
	bool adopted;

	if (!nl_nb_data_header_read(header, session->token, group->per_flow, &flow, &number) ||
	    nl_nb_tcp_window(fd, group->request.window_bytes, NULL))
		return false;
	pthread_mutex_lock(&session->lock);
	stream = session->over ? NULL : nl_nb_group_stream(group, flow, number);
	adopted = stream && stream->fd < 0;
	if (adopted) {
		stream->fd = fd;
		session->connected++;
	}
	pthread_mutex_unlock(&session->lock);
	if (adopted)
		(void)!eventfd_write(session->changed_fd, 1);
	return adopted;
}

bool nl_nb_session_is_over(struct nl_nb_session *session)
{
	bool over;

	pthread_mutex_lock(&session->lock);
	over = session->over;
	pthread_mutex_unlock(&session->lock);
	return over;
}

bool nl_nb_session_ran(const struct nl_nb_session *session)
{
	return session->ran;
}

void nl_nb_session_free(struct nl_nb_session *session)
{
	if (!session)
		return;
	atomic_store(&session->stopping, true);
	(void)!eventfd_write(session->changed_fd, 1);
	pthread_join(session->thread, NULL);
	release(session);
}
