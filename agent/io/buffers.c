/*
 * buffers: memory of a stream's operations.
 */
#include "agent/io/buffers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE_BYTES 4096u

int nl_buffers_init(struct nl_buffers *buffers, uint64_t block_bytes, unsigned depth, uint64_t ring_bytes,
		    struct nl_error *err)
{
	memset(buffers, 0, sizeof *buffers);
	buffers->stride = (size_t)(block_bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
	uint64_t count = ring_bytes / buffers->stride;
	buffers->count = count > depth ? (unsigned)count : depth;
	buffers->bytes = buffers->stride * buffers->count;
	buffers->by_place = ring_bytes > 0;
	unsigned places = 1;
	while (places < buffers->count)
		places *= 2;
	buffers->mask = places - 1;
	buffers->memory =
		mmap(NULL, buffers->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (buffers->memory == MAP_FAILED)
		buffers->memory = NULL;
	buffers->op = calloc(buffers->count, sizeof *buffers->op);
	buffers->free = calloc(places, sizeof(struct nl_op *));
	if (!buffers->memory || !buffers->op || !buffers->free) {
		nl_buffers_fini(buffers);
		return nl_error_sys(err, ENOMEM, "allocate the buffers of a stream");
	}
	for (unsigned i = 0; i < buffers->count; i++) {
		buffers->op[i].buffer = buffers->memory + i * buffers->stride;
		nl_buffers_give(buffers, &buffers->op[i]);
	}
	return 0;
}

void nl_buffers_fini(struct nl_buffers *buffers)
{
	if (buffers->memory)
		munmap(buffers->memory, buffers->bytes);
	free(buffers->op);
	free(buffers->free);
	memset(buffers, 0, sizeof *buffers);
}
