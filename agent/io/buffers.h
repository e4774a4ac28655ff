/*
 * buffers: the operations of a stream with their memory.
 *
 * A stream that writes takes the buffer that belongs to the block's place in the file, so that any stretch of the file
 * shorter than the ring is made of different buffers, in whatever order it was written; that is what keeps a compressor
 * from finding repeats. One that only reads takes the buffer that has been free longest.
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
	bool by_place;
};

/* nl_buffers_init makes at least `depth` buffers of block_bytes, more when ring_bytes allow. The memory is there
 * (touched), not only promised. */
int nl_buffers_init(struct nl_buffers *buffers, uint64_t block_bytes, unsigned depth, uint64_t ring_bytes,
		    struct nl_error *err);
void nl_buffers_fini(struct nl_buffers *buffers);

/* Callers never have more than `count` taken, so neither call can fail. `block` is the number of the block in the file.
 */
static inline struct nl_op *nl_buffers_take(struct nl_buffers *buffers, uint64_t block)
{
	if (!buffers->by_place)
		return buffers->free[buffers->head++ & buffers->mask];
	unsigned place = (unsigned)(block % buffers->count);
	/* Still in flight, for a block a whole ring away: the next will do. */
	while (buffers->op[place].taken)
		place = place + 1 < buffers->count ? place + 1 : 0;
	buffers->op[place].taken = true;
	return &buffers->op[place];
}

static inline void nl_buffers_give(struct nl_buffers *buffers, struct nl_op *op)
{
	op->taken = false;
	if (!buffers->by_place)
		buffers->free[buffers->tail++ & buffers->mask] = op;
}

#endif
