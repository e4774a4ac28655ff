/*
 * engine_io_uring: many operations in flight from one thread.
 *
 * Submission and waiting are one system call: submit only writes the queue entry, reap enters the kernel. The file and
 * the buffers are registered where the kernel lets us; without that the load is the same at a little more CPU, which
 * the channel's note says.
 */
#include "agent/io/engine.h"

#include <errno.h>
#include <liburing.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/io/buffers.h"
#include "agent/io/local_file.h"
#include "base/time.h"

struct ring_state {
	struct io_uring ring;
	bool fixed_buffers, fixed_file;
	unsigned in_flight;
};

/* From the best setup down to the one every kernel with io_uring has. */
static const unsigned setup_flags[] = {
	IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN,
	IORING_SETUP_COOP_TASKRUN,
	0,
};

static int ring_init(struct io_uring *ring, unsigned entries)
{
	int rc = -EINVAL;
	for (size_t i = 0; i < sizeof setup_flags / sizeof *setup_flags && rc == -EINVAL; i++)
		rc = io_uring_queue_init(entries, ring, setup_flags[i]);
	return rc;
}

static const char *why_refused(int rc)
{
	switch (-rc) {
	case ENOSYS:
		return "the kernel has no io_uring";
	case EPERM:
	case EACCES:
		return "io_uring is switched off here (kernel.io_uring_disabled, or the container's seccomp filter)";
	case ENOMEM:
		return "not enough lockable memory for io_uring (ulimit -l)";
	default:
		return strerror(-rc);
	}
}

static bool ring_probe(char *reason, size_t size)
{
	struct io_uring ring;
	int rc = ring_init(&ring, 4);
	if (rc < 0) {
		snprintf(reason, size, "%s", why_refused(rc));
		return false;
	}
	struct io_uring_probe *probe = io_uring_get_probe_ring(&ring);
	bool works = probe && io_uring_opcode_supported(probe, IORING_OP_READ) &&
		     io_uring_opcode_supported(probe, IORING_OP_WRITE);
	if (!works)
		snprintf(reason, size, "the kernel's io_uring is too old: no plain read and write");
	io_uring_free_probe(probe);
	io_uring_queue_exit(&ring);
	return works;
}

static void register_things(struct nl_channel *channel, struct ring_state *state, const struct nl_buffers *buffers)
{
	struct iovec memory = {.iov_base = buffers->memory, .iov_len = buffers->bytes};
	int rc_buffers = io_uring_register_buffers(&state->ring, &memory, 1);
	int rc_file = io_uring_register_files(&state->ring, &channel->file, 1);
	state->fixed_buffers = rc_buffers == 0;
	state->fixed_file = rc_file == 0;
	io_uring_register_ring_fd(&state->ring);
	if (rc_buffers || rc_file)
		snprintf(channel->note, sizeof channel->note, "io_uring without registered %s: %s",
			 rc_buffers && rc_file ? "buffers and files"
			 : rc_buffers          ? "buffers"
					       : "files",
			 strerror(-(rc_buffers ? rc_buffers : rc_file)));
}

static int ring_ready(struct nl_channel *channel, const struct nl_buffers *buffers, unsigned depth,
		      struct nl_error *err)
{
	struct ring_state *state = calloc(1, sizeof *state);
	if (!state)
		return nl_error_sys(err, ENOMEM, "allocate a ring");
	int rc = ring_init(&state->ring, depth);
	if (rc < 0) {
		free(state);
		nl_error_set(err, NL_E_UNSUPPORTED, "set up io_uring");
		nl_error_why(err, "%s", why_refused(rc));
		nl_error_todo(err, "use the psync engine");
		return NL_E_UNSUPPORTED;
	}
	register_things(channel, state, buffers);
	channel->state = state;
	return 0;
}

static void ring_submit(struct nl_channel *channel, struct nl_op *op)
{
	struct ring_state *state = channel->state;
	/* Never NULL: the ring has a place for each of the `depth` operations. */
	struct io_uring_sqe *entry = io_uring_get_sqe(&state->ring);
	int file = state->fixed_file ? 0 : channel->file;
	unsigned char *at = op->buffer + op->done;
	unsigned left = op->length - op->done;
	uint64_t offset = op->offset + op->done;
	if (state->fixed_buffers && op->write)
		io_uring_prep_write_fixed(entry, file, at, left, offset, 0);
	else if (state->fixed_buffers)
		io_uring_prep_read_fixed(entry, file, at, left, offset, 0);
	else if (op->write)
		io_uring_prep_write(entry, file, at, left, offset);
	else
		io_uring_prep_read(entry, file, at, left, offset);
	if (state->fixed_file)
		entry->flags |= IOSQE_FIXED_FILE;
	io_uring_sqe_set_data(entry, op);
	state->in_flight++;
}

/* Enters the kernel: submits what is queued, waits for one completion, or until the instant. */
static int enter(struct ring_state *state, int64_t until_ns)
{
	struct io_uring_cqe *first;
	if (until_ns == INT64_MAX)
		return io_uring_submit_and_wait(&state->ring, 1);
	int64_t left = until_ns - nl_mono_ns();
	left = left > 0 ? left : 0;
	struct __kernel_timespec timeout = {.tv_sec = left / NL_NS_PER_S, .tv_nsec = left % NL_NS_PER_S};
	return io_uring_submit_and_wait_timeout(&state->ring, &first, 1, &timeout, NULL);
}

static unsigned collect(struct ring_state *state, struct nl_op **done, unsigned max)
{
	struct io_uring_cqe *completion;
	unsigned head, seen = 0, count = 0;
	io_uring_for_each_cqe(&state->ring, head, completion)
	{
		if (count == max)
			break;
		seen++;
		/* On kernels before 5.11 the library's own time-out shows up here. */
		if (completion->user_data == LIBURING_UDATA_TIMEOUT)
			continue;
		struct nl_op *op = io_uring_cqe_get_data(completion);
		op->result = completion->res == -EAGAIN || completion->res == -EINTR ? -EIO : completion->res;
		done[count++] = op;
	}
	io_uring_cq_advance(&state->ring, seen);
	state->in_flight -= count;
	return count;
}

static int ring_reap(struct nl_channel *channel, struct nl_op **done, unsigned max, int64_t until_ns)
{
	struct ring_state *state = channel->state;
	for (;;) {
		/* Without this, what completed in the last call would wait for one more to complete. */
		if (!io_uring_sq_ready(&state->ring) && io_uring_cq_ready(&state->ring))
			return (int)collect(state, done, max);
		int rc = enter(state, until_ns);
		unsigned count = collect(state, done, max);
		if (count || rc == -ETIME)
			return (int)count;
		if (rc < 0 && rc != -EINTR && rc != -EAGAIN && rc != -EBUSY)
			return rc;
	}
}

static int ring_close(struct nl_channel *channel, struct nl_error *err)
{
	struct ring_state *state = channel->state;
	struct nl_op *done[64];
	if (!state)
		return nl_local_close(channel, err);
	/* The kernel writes into the buffers until the last one is back, so none may be freed before. */
	while (state->in_flight && ring_reap(channel, done, 64, INT64_MAX) > 0)
		;
	io_uring_queue_exit(&state->ring);
	free(state);
	channel->state = NULL;
	return nl_local_close(channel, err);
}

const struct nl_engine nl_engine_io_uring = {
	.id = NL_ENGINE_IO_URING,
	.name = "io_uring",
	.depth_max = NL_LOAD_QUEUE_DEPTH_MAX,
	.layer = &nl_engine_psync,
	.probe = ring_probe,
	.open = nl_local_open,
	.ready = ring_ready,
	.submit = ring_submit,
	.reap = ring_reap,
	.flush = nl_local_flush,
	.close = ring_close,
};
