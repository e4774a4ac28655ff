/*
 * walk: sets a walk up and draws the keys of its rounds.
 */
#include "agent/io/walk.h"

#include <string.h>

void nl_walk_new_round(struct nl_walk *walk)
{
	for (uint64_t i = 0; i < 3; i++)
		walk->key[i] = nl_mix64(walk->seed ^ nl_mix64(walk->round * 3 + i + 1));
}

void nl_walk_init(struct nl_walk *walk, uint64_t block_bytes, uint64_t end, bool random, bool loop, uint64_t seed)
{
	memset(walk, 0, sizeof *walk);
	walk->block_bytes = block_bytes;
	walk->end = end;
	walk->random = random;
	walk->loop = loop;
	walk->seed = walk->dice = nl_mix64(seed + 1);
	/* Sequential: a last block that is not whole takes part, too. */
	walk->blocks = random ? end / block_bytes : (end + block_bytes - 1) / block_bytes;
	unsigned bits = walk->blocks > 2 ? 64u - (unsigned)__builtin_clzll(walk->blocks - 1) : 1;
	walk->mask = (UINT64_C(1) << bits) - 1;
	walk->shift = bits / 2 ? bits / 2 : 1;
	nl_walk_new_round(walk);
}
