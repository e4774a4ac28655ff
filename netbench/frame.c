/*
 * frame: reading and writing control messages with bounds and deadlines.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/time.h"
#include "netbench/frame.h"

#define LENGTH_BYTES 4

void nl_nb_reader_init(struct nl_nb_reader *reader, size_t max)
{
	memset(reader, 0, sizeof(*reader));
	reader->max = max;
}

void nl_nb_reader_fini(struct nl_nb_reader *reader)
{
	free(reader->buf);
	memset(reader, 0, sizeof(*reader));
}

static size_t frame_length(const struct nl_nb_reader *reader)
{
	const unsigned char *b = reader->buf;

	return (size_t)b[0] << 24 | (size_t)b[1] << 16 | (size_t)b[2] << 8 | (size_t)b[3];
}

/* How many bytes the frame at hand still misses; 0 when it is whole. Makes room for them. */
static int missing(struct nl_nb_reader *reader, size_t *bytes, struct nl_error *err)
{
	size_t want = LENGTH_BYTES;

	if (reader->have >= LENGTH_BYTES) {
		size_t length = frame_length(reader);

		if (length == 0 || length > reader->max) {
			nl_error_set(err, NL_E_PROTOCOL, "read a control message");
			return nl_error_why(err, "its length is %zu bytes, allowed are 1 to %zu", length, reader->max);
		}
		want += length;
	}
	if (want > reader->size) {
		unsigned char *grown = realloc(reader->buf, want);

		if (!grown)
			return nl_error_sys(err, ENOMEM, "make room for a control message");
		reader->buf = grown;
		reader->size = want;
	}
	*bytes = want - reader->have;
	return 0;
}

int nl_nb_reader_feed(struct nl_nb_reader *reader, const void *bytes, size_t len, size_t *taken, struct nl_error *err)
{
	const unsigned char *at = bytes;
	size_t want;
	int rc;

	*taken = 0;
	while ((rc = missing(reader, &want, err)) == 0 && want > 0 && len > 0) {
		size_t n = want < len ? want : len;

		memcpy(reader->buf + reader->have, at, n);
		reader->have += n;
		at += n;
		len -= n;
		*taken += n;
	}
	return rc;
}

int nl_nb_reader_fill(struct nl_nb_reader *reader, int fd, struct nl_error *err)
{
	size_t want;
	ssize_t n;
	int rc;

	while ((rc = missing(reader, &want, err)) == 0 && want > 0) {
		n = recv(fd, reader->buf + reader->have, want, MSG_DONTWAIT);
		if (n > 0) {
			reader->have += (size_t)n;
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return 0;
		nl_error_set(err, NL_E_PEER, "read from the control connection");
		return nl_error_why(err, "%s", n == 0 ? "the other end closed it" : strerror(errno));
	}
	return rc;
}

int nl_nb_reader_next(struct nl_nb_reader *reader, json_t **frame, struct nl_error *err)
{
	json_error_t json_err;
	size_t length;

	*frame = NULL;
	if (reader->have < LENGTH_BYTES || reader->have - LENGTH_BYTES < (length = frame_length(reader)))
		return 0;
	reader->have = 0;
	*frame = json_loadb((const char *)reader->buf + LENGTH_BYTES, length, JSON_REJECT_DUPLICATES, &json_err);
	if (json_is_object(*frame))
		return 0;
	json_decref(*frame);
	*frame = NULL;
	nl_error_set(err, NL_E_PROTOCOL, "read a control message");
	return nl_error_why(err, "it is not a JSON object");
}

static int wait_for(int fd, short events, int64_t deadline_ns, struct nl_error *err)
{
	for (;;) {
		struct pollfd p = {.fd = fd, .events = events};
		int64_t left_ns = deadline_ns - nl_mono_ns();
		int n;

		if (left_ns <= 0) {
			nl_error_set(err, NL_E_TIMEOUT, "wait for the control connection");
			return nl_error_why(err, "the other end did not answer in time");
		}
		n = poll(&p, 1, (int)(left_ns / NL_NS_PER_MS) + 1);
		if (n > 0)
			return 0;
		if (n < 0 && errno != EINTR)
			return nl_error_sys(err, errno, "wait for the control connection");
	}
}

static int send_all(int fd, const unsigned char *at, size_t len, int64_t deadline_ns, struct nl_error *err)
{
	while (len > 0) {
		ssize_t n = send(fd, at, len, MSG_NOSIGNAL | MSG_DONTWAIT);
		int rc;

		if (n > 0) {
			at += n;
			len -= (size_t)n;
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK) {
			nl_error_set(err, NL_E_PEER, "write to the control connection");
			return nl_error_why(err, "%s", strerror(errno));
		}
		rc = wait_for(fd, POLLOUT, deadline_ns, err);
		if (rc)
			return rc;
	}
	return 0;
}

int nl_nb_frame_send(int fd, json_t *frame, int64_t deadline_mono_ns, struct nl_error *err)
{
	char *text = frame ? json_dumps(frame, JSON_COMPACT) : NULL;
	size_t length = text ? strlen(text) : 0;
	unsigned char *bytes = text ? malloc(LENGTH_BYTES + length) : NULL;
	int rc;

	json_decref(frame);
	if (!bytes || length > NL_NB_FRAME_MAX) {
		rc = nl_error_set(err, NL_E_INTERNAL, "make a control message of %zu bytes", length);
	} else {
		for (int i = 0; i < LENGTH_BYTES; i++)
			bytes[i] = (unsigned char)(length >> (24 - 8 * i));
		memcpy(bytes + LENGTH_BYTES, text, length);
		rc = send_all(fd, bytes, LENGTH_BYTES + length, deadline_mono_ns, err);
	}
	free(bytes);
	free(text);
	return rc;
}

int nl_nb_frame_wait(int fd, struct nl_nb_reader *reader, int64_t deadline_mono_ns, json_t **frame,
		     struct nl_error *err)
{
	for (;;) {
		int rc = nl_nb_reader_fill(reader, fd, err);

		if (rc == 0)
			rc = nl_nb_reader_next(reader, frame, err);
		if (rc || *frame)
			return rc;
		rc = wait_for(fd, POLLIN, deadline_mono_ns, err);
		if (rc)
			return rc;
	}
}
