/*
 * payload: what is written. Incompressible, and no two blocks are equal, at less cost than a copy.
 *
 * Buffers are filled once with random bytes and used again and again; before each write, the first eight bytes of every
 * 4 KiB (and of every block) get a stamp that no other place, round or stream of the load has. A single buffer used
 * again and again would be different in its stamps only, which a compressor that sees two blocks in one record squeezes
 * to nothing: therefore a stream has a ring of buffers, longer than a compressor looks back (see
 * nl_payload_ring_bytes).
 */
#ifndef NL_AGENT_IO_PAYLOAD_H
#define NL_AGENT_IO_PAYLOAD_H

#include <stddef.h>
#include <stdint.h>

#include "agent/io/walk.h"

#define NL_PAYLOAD_PAGE_BYTES 4096u

/* nl_payload_key makes the key of a load from its seed (0: a random one is drawn) and its file prefix. */
uint64_t nl_payload_key(uint64_t seed, const char *file_prefix);

/* nl_payload_ring_bytes: how long a writing stream's ring of buffers should be at least: 16 MiB, less with more than 16
 * streams, never under 2 MiB. */
size_t nl_payload_ring_bytes(unsigned streams);

/* nl_payload_fill fills a stream's ring with random bytes that depend on key, stream and salt. */
void nl_payload_fill(void *ring, size_t bytes, uint64_t key, unsigned stream, uint64_t salt);

/* The stamp of a place: unique within a load, as all three are packed into one number (8, 8 and 48 bits) before it is
 * mixed. */
static inline uint64_t nl_payload_stamp(uint64_t key, unsigned stream, uint64_t round, uint64_t offset)
{
	return nl_mix64(key ^ ((uint64_t)(stream & 0xff) << 56 | (round & 0xff) << 48 | offset >> 9));
}

/* nl_payload_stamp_block writes the stamps of the block at `offset`. The buffer is aligned to eight bytes. */
static inline void nl_payload_stamp_block(unsigned char *buffer, uint64_t bytes, uint64_t key, unsigned stream,
					  uint64_t round, uint64_t offset)
{
	for (uint64_t at = 0; at < bytes; at += NL_PAYLOAD_PAGE_BYTES) {
		uint64_t stamp = nl_payload_stamp(key, stream, round, offset + at);
		__builtin_memcpy(buffer + at, &stamp, sizeof stamp);
	}
}

#endif
