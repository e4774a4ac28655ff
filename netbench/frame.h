/*
 * frame: the control connection's messages: a length (4 bytes, big endian) and that many bytes of one JSON object.
 *
 * An nl_error must be given wherever the returned code matters.
 */
#ifndef NL_NETBENCH_FRAME_H
#define NL_NETBENCH_FRAME_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define NL_NB_FRAME_MAX       (1u << 20) /* of a frame of an accepted peer */
#define NL_NB_FRAME_MAX_EARLY 4096       /* of one that has not proved anything yet */

/* Collects bytes until frames are whole. One thread at a time. */
struct nl_nb_reader {
	unsigned char *buf; /* grows to what the frame at hand needs */
	size_t size, have;
	size_t max; /* largest frame accepted; may be raised between frames */
};

void nl_nb_reader_init(struct nl_nb_reader *reader, size_t max);
void nl_nb_reader_fini(struct nl_nb_reader *reader);

/*
 * nl_nb_reader_fill takes what `fd` (non-blocking) has, at most what is missing of the frame at hand. 0 also when there
 * was nothing; NL_E_PEER when the connection was closed or broke; NL_E_PROTOCOL for a frame above max.
 */
int nl_nb_reader_fill(struct nl_nb_reader *reader, int fd, struct nl_error *err);

/* nl_nb_reader_feed is the same from memory: *taken says how many of the len bytes it used. */
int nl_nb_reader_feed(struct nl_nb_reader *reader, const void *bytes, size_t len, size_t *taken, struct nl_error *err);

/* nl_nb_reader_next gives the whole frame as an object the caller decrefs, or *frame NULL when it is not whole yet. */
int nl_nb_reader_next(struct nl_nb_reader *reader, json_t **frame, struct nl_error *err);

/*
 * nl_nb_frame_send writes one frame to a non-blocking socket, waiting until deadline_mono_ns at the latest
 * (NL_E_TIMEOUT); NL_E_PEER when the connection is gone. Takes over (decrefs) `frame`, NULL included (then
 * NL_E_INTERNAL).
 */
int nl_nb_frame_send(int fd, json_t *frame, int64_t deadline_mono_ns, struct nl_error *err);

/*
 * nl_nb_frame_wait returns the next frame of `fd`, reading as needed until the deadline. *frame is the caller's.
 */
int nl_nb_frame_wait(int fd, struct nl_nb_reader *reader, int64_t deadline_mono_ns, json_t **frame,
		     struct nl_error *err);

#endif
