/*
 * payload: keys and random buffers.
 */
#include "agent/io/payload.h"

#include <string.h>
#include <sys/random.h>

#include "base/time.h"

#define MIB (UINT64_C(1) << 20)

uint64_t nl_payload_key(uint64_t seed, const char *file_prefix)
{
	if (!seed && getrandom(&seed, sizeof seed, GRND_NONBLOCK) != sizeof seed)
		seed = (uint64_t)nl_mono_ns() ^ (uint64_t)nl_wall_ns() << 20;
	uint64_t key = nl_mix64(seed + UINT64_C(0x9e3779b97f4a7c15));
	for (const char *p = file_prefix ? file_prefix : ""; *p; p++)
		key = nl_mix64(key ^ (unsigned char)*p);
	return key;
}

size_t nl_payload_ring_bytes(unsigned streams)
{
	uint64_t bytes = streams > 16 ? 256 * MIB / streams : 16 * MIB;
	return bytes < 2 * MIB ? 2 * MIB : bytes;
}

void nl_payload_fill(void *ring, size_t bytes, uint64_t key, unsigned stream, uint64_t salt)
{
	uint64_t counter = nl_mix64(key ^ nl_mix64(((uint64_t)stream << 32) + salt + 1));
	unsigned char *out = ring;
	for (size_t at = 0; at + 8 <= bytes; at += 8) {
		counter += UINT64_C(0x9e3779b97f4a7c15);
		uint64_t word = nl_mix64(counter);
		memcpy(out + at, &word, sizeof word);
	}
}
