/*
 * engine_null: every operation is complete as soon as it is submitted. What is left is the cost of the generator
 * itself.
 */
#include "agent/io/engine.h"

#include <stdlib.h>

#include "base/error.h"

struct null_state {
	unsigned first, count;
	struct nl_op *queue[NL_LOAD_QUEUE_DEPTH_MAX];
};

static int null_open(struct nl_channel *channel, unsigned index, const struct nl_open_how *how, uint64_t *size,
		     struct nl_error *err)
{
	(void)index, (void)how, (void)err;
	*size = channel->job->file_bytes;
	return 0;
}

static int null_ready(struct nl_channel *channel, const struct nl_buffers *buffers, unsigned depth,
		      struct nl_error *err)
{
	(void)buffers, (void)depth;
	channel->state = calloc(1, sizeof(struct null_state));
	return channel->state ? 0 : nl_error_set(err, NL_E_SYSTEM, "allocate the null engine");
}

static void null_submit(struct nl_channel *channel, struct nl_op *op)
{
	struct null_state *state = channel->state;
	op->result = (int32_t)op->expect;
	state->queue[(state->first + state->count++) % NL_LOAD_QUEUE_DEPTH_MAX] = op;
}

static int null_reap(struct nl_channel *channel, struct nl_op **done, unsigned max, int64_t until_ns)
{
	struct null_state *state = channel->state;
	unsigned count = state->count < max ? state->count : max;
	(void)until_ns;
	for (unsigned i = 0; i < count; i++)
		done[i] = state->queue[state->first++ % NL_LOAD_QUEUE_DEPTH_MAX];
	state->count -= count;
	return (int)count;
}

static int null_close(struct nl_channel *channel, struct nl_error *err)
{
	(void)err;
	free(channel->state);
	channel->state = NULL;
	return 0;
}

const struct nl_engine nl_engine_null = {
	.id = NL_ENGINE_NULL,
	.name = "null",
	.depth_max = NL_LOAD_QUEUE_DEPTH_MAX,
	.open = null_open,
	.ready = null_ready,
	.submit = null_submit,
	.reap = null_reap,
	.close = null_close,
};
