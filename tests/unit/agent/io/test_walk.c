/*
 * test_walk: which blocks are visited, and in which order.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "agent/io/walk.h"

#define BLOCK UINT64_C(4096)

static void a_sequential_walk_visits_the_file_in_order_and_ends(void **state)
{
	(void)state;
	struct nl_walk walk;
	uint64_t offset = 0;
	nl_walk_init(&walk, BLOCK, 3 * BLOCK + 100, false, false, 1);
	for (uint64_t i = 0; i < 4; i++) {
		assert_true(nl_walk_next(&walk, &offset));
		assert_int_equal(offset, i * BLOCK);
	}
	assert_false(nl_walk_next(&walk, &offset));
}

static void a_looping_walk_begins_again(void **state)
{
	(void)state;
	struct nl_walk walk;
	uint64_t offset = 0;
	nl_walk_init(&walk, BLOCK, 2 * BLOCK, false, true, 1);
	for (uint64_t i = 0; i < 7; i++) {
		assert_true(nl_walk_next(&walk, &offset));
		assert_int_equal(offset, i % 2 * BLOCK);
	}
	assert_int_equal(walk.round, 3);
}

static void visit_round(struct nl_walk *walk, uint64_t blocks, uint64_t *order)
{
	unsigned char *seen = calloc(blocks, 1);
	for (uint64_t i = 0; i < blocks; i++) {
		uint64_t offset = 0;
		assert_true(nl_walk_next(walk, &offset));
		assert_int_equal(offset % BLOCK, 0);
		assert_true(offset / BLOCK < blocks);
		assert_int_equal(seen[offset / BLOCK]++, 0);
		order[i] = offset / BLOCK;
	}
	free(seen);
}

static void a_random_round_visits_every_block_once(void **state)
{
	static const uint64_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 100, 1023, 1024, 1025, 65537};
	(void)state;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		for (uint64_t seed = 0; seed < 4; seed++) {
			struct nl_walk walk;
			uint64_t offset = 0, *order = calloc(sizes[i], sizeof *order);
			nl_walk_init(&walk, BLOCK, sizes[i] * BLOCK + 17, true, false, seed);
			visit_round(&walk, sizes[i], order);
			assert_false(nl_walk_next(&walk, &offset));
			free(order);
		}
}

static void random_rounds_and_seeds_have_orders_of_their_own(void **state)
{
	enum { BLOCKS = 1000 };
	uint64_t first[BLOCKS], second[BLOCKS], other[BLOCKS];
	struct nl_walk walk;
	(void)state;
	nl_walk_init(&walk, BLOCK, BLOCKS * BLOCK, true, true, 5);
	visit_round(&walk, BLOCKS, first);
	visit_round(&walk, BLOCKS, second);
	nl_walk_init(&walk, BLOCK, BLOCKS * BLOCK, true, true, 6);
	visit_round(&walk, BLOCKS, other);
	assert_memory_not_equal(first, second, sizeof first);
	assert_memory_not_equal(first, other, sizeof first);
}

/* A drive that reads ahead, or a cache, must find no pattern: neighbours in time are far apart in the file. */
static void random_order_has_no_visible_pattern(void **state)
{
	enum { BLOCKS = 65536 };
	static uint64_t order[BLOCKS];
	struct nl_walk walk;
	uint64_t near = 0, up = 0;
	double distance = 0;
	(void)state;
	nl_walk_init(&walk, BLOCK, BLOCKS * BLOCK, true, false, 11);
	visit_round(&walk, BLOCKS, order);
	for (size_t i = 1; i < BLOCKS; i++) {
		uint64_t a = order[i - 1], b = order[i], gap = a < b ? b - a : a - b;
		near += gap < 16;
		up += b > a;
		distance += (double)gap;
	}
	/* Of two random places, one in BLOCKS/32 pairs is that near, half go up, and the mean distance is a third. */
	assert_in_range(near, 0, 120);
	assert_in_range(up, BLOCKS * 48 / 100, BLOCKS * 52 / 100);
	assert_in_range((uint64_t)(distance / BLOCKS), BLOCKS * 31 / 100, BLOCKS * 36 / 100);
}

static void a_mix_keeps_its_share(void **state)
{
	(void)state;
	for (unsigned percent = 1; percent <= 99; percent += 14) {
		struct nl_walk walk;
		unsigned reads = 0;
		nl_walk_init(&walk, BLOCK, BLOCK, true, true, percent);
		walk.read_percent = percent;
		for (int i = 0; i < 100000; i++)
			reads += !nl_walk_writes(&walk);
		assert_in_range(reads, percent * 1000 - 700, percent * 1000 + 700);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sequential_walk_visits_the_file_in_order_and_ends),
		cmocka_unit_test(a_looping_walk_begins_again),
		cmocka_unit_test(a_random_round_visits_every_block_once),
		cmocka_unit_test(random_rounds_and_seeds_have_orders_of_their_own),
		cmocka_unit_test(random_order_has_no_visible_pattern),
		cmocka_unit_test(a_mix_keeps_its_share),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
