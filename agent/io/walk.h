/*
 * walk: which block of the file comes next, and whether it is read or written.
 *
 * Random order is a keyed permutation of the blocks, computed, not stored: each round of the file visits every block
 * once, in an order of its own, so that a random read never finds in a cache what it has itself just read.
 */
#ifndef NL_AGENT_IO_WALK_H
#define NL_AGENT_IO_WALK_H

#include <stdbool.h>
#include <stdint.h>

struct nl_walk {
	uint64_t block_bytes, end; /* the file's bytes that take part */
	bool random, loop, write;
	unsigned read_percent; /* 0: as `write` says */
	uint64_t blocks, next; /* blocks in a round, position in it */
	uint64_t round;        /* complete rounds so far */
	uint64_t mask, seed, key[3], dice;
	unsigned shift;
};

/* nl_mix64 is a bijection of 64-bit numbers without visible structure (the finaliser of splitmix64). */
static inline uint64_t nl_mix64(uint64_t x)
{
	x ^= x >> 30;
	x *= UINT64_C(0xbf58476d1ce4e5b9);
	x ^= x >> 27;
	x *= UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

/* nl_walk_init: `end` above 0. A random walk uses whole blocks only, so it needs at least block_bytes. */
void nl_walk_init(struct nl_walk *walk, uint64_t block_bytes, uint64_t end, bool random, bool loop, uint64_t seed);

/* The keys of the present round. */
void nl_walk_new_round(struct nl_walk *walk);

static inline uint64_t nl_walk_permute(const struct nl_walk *walk, uint64_t x)
{
	/* Each step is a bijection on the numbers up to mask; those outside the file are walked on. */
	do {
		for (int i = 0; i < 3; i++) {
			x = (x * (walk->key[i] | 1) + (walk->key[i] >> 32)) & walk->mask;
			x ^= x >> walk->shift;
		}
	} while (x >= walk->blocks);
	return x;
}

/* nl_walk_next gives the next offset; false at the end of a walk that does not loop. */
static inline bool nl_walk_next(struct nl_walk *walk, uint64_t *offset)
{
	if (walk->next == walk->blocks) {
		if (!walk->loop)
			return false;
		walk->next = 0;
		walk->round++;
		if (walk->random)
			nl_walk_new_round(walk);
	}
	uint64_t block = walk->next++;
	*offset = (walk->random ? nl_walk_permute(walk, block) : block) * walk->block_bytes;
	return true;
}

/* nl_walk_writes says whether the operation just given is a write. */
static inline bool nl_walk_writes(struct nl_walk *walk)
{
	if (!walk->read_percent)
		return walk->write;
	walk->dice += UINT64_C(0x9e3779b97f4a7c15);
	return (nl_mix64(walk->dice) >> 32) * 100 >> 32 >= walk->read_percent;
}

#endif
