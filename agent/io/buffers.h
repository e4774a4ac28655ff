/*
 * buffers: the operations of a stream with their memory, and the free ones in a queue: the one used longest ago comes
 * first, which is what keeps the payload's repeats far apart.
 */
#ifndef NL_AGENT_IO_BUFFERS_H
#define NL_AGENT_IO_BUFFERS_H

#include "agent/io/engine.h"

struct nl_buffers {
	unsigned char *memory; /* page-aligned, one mapping */
	size_t bytes, stride;
	struct nl_op *op;
	struct nl_op **free; /* a ring of count (a power of two at least) places */
	unsigned count, mask, head, tail;
};

/* nl_buffers_init makes at least `depth` buffers of block_bytes, more when ring_bytes allow. The memory is there
 * (touched), not only promised. */
int nl_buffers_init(struct nl_buffers *buffers, uint64_t block_bytes, unsigned depth, uint64_t ring_bytes,
		    struct nl_error *err);
void nl_buffers_fini(struct nl_buffers *buffers);

/* Callers never have more than `count` taken, so neither call can fail. */
static inline struct nl_op *nl_buffers_take(struct nl_buffers *buffers)
{
	return buffers->free[buffers->head++ & buffers->mask];
}

static inline void nl_buffers_give(struct nl_buffers *buffers, struct nl_op *op)
{
	buffers->free[buffers->tail++ & buffers->mask] = op;
}

#endif
