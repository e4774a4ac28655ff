/*
 * engine_psync: pread and pwrite, one at a time.
 */
#include "agent/io/engine.h"

#include <errno.h>
#include <unistd.h>

#include "agent/io/local_file.h"

static int psync_ready(struct nl_channel *channel, const struct nl_buffers *buffers, unsigned depth,
		       struct nl_error *err)
{
	(void)channel, (void)buffers, (void)depth, (void)err;
	return 0;
}

static void psync_submit(struct nl_channel *channel, struct nl_op *op)
{
	size_t left = op->length - op->done;
	off_t offset = (off_t)(op->offset + op->done);
	ssize_t moved;
	do
		moved = op->write ? pwrite(channel->file, op->buffer + op->done, left, offset)
				  : pread(channel->file, op->buffer + op->done, left, offset);
	while (moved < 0 && errno == EINTR);
	op->result = moved < 0 ? -errno : (int32_t)moved;
	channel->state = op;
}

static int psync_reap(struct nl_channel *channel, struct nl_op **done, unsigned max, int64_t until_ns)
{
	(void)max, (void)until_ns;
	if (!channel->state)
		return 0;
	done[0] = channel->state;
	channel->state = NULL;
	return 1;
}

const struct nl_engine nl_engine_psync = {
	.id = NL_ENGINE_PSYNC,
	.name = "psync",
	.depth_max = 1,
	.layer = &nl_engine_psync,
	.open = nl_local_open,
	.ready = psync_ready,
	.submit = psync_submit,
	.reap = psync_reap,
	.flush = nl_local_flush,
	.close = nl_local_close,
};
