/*
 * test_payload: what is written cannot be compressed or deduplicated, at any record size, and costs less than a copy.
 *
 * The files are written by the real load generator, then looked at as a storage system would.
 */
#include "unit/agent/io/loads.h"

#include <fcntl.h>
#include <math.h>

#include "agent/io/payload.h"

static unsigned char *read_files(const char *directory, unsigned count, uint64_t each)
{
	unsigned char *all = malloc(count * each);
	char path[128];
	for (unsigned i = 0; i < count; i++) {
		snprintf(path, sizeof path, "%s/load-%u", directory, i);
		int file = open(path, O_RDONLY);
		assert_true(file >= 0);
		for (uint64_t at = 0; at < each;) {
			ssize_t got = pread(file, all + i * each + at, each - at, (off_t)at);
			assert_true(got > 0);
			at += (uint64_t)got;
		}
		close(file);
	}
	return all;
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

static uint64_t hash_of(const unsigned char *data, size_t len)
{
	uint64_t hash = len;
	for (size_t at = 0; at < len; at += 8) {
		uint64_t word;
		memcpy(&word, data + at, sizeof word);
		hash = nl_mix64(hash ^ word) + UINT64_C(0x9e3779b97f4a7c15);
	}
	return hash;
}

static void assert_no_two_equal(const unsigned char *data, uint64_t bytes, uint64_t record)
{
	uint64_t count = bytes / record, *hash = calloc(count, sizeof *hash);
	for (uint64_t i = 0; i < count; i++)
		hash[i] = hash_of(data + i * record, record);
	qsort(hash, count, sizeof *hash, compare_u64);
	for (uint64_t i = 1; i < count; i++)
		assert_true(hash[i] != hash[i - 1]);
	free(hash);
}

static double bits_per_byte(const unsigned char *data, uint64_t bytes)
{
	uint64_t count[256] = {0};
	double entropy = 0;
	for (uint64_t i = 0; i < bytes; i++)
		count[data[i]]++;
	for (int i = 0; i < 256; i++)
		if (count[i])
			entropy -= (double)count[i] / (double)bytes * log2((double)count[i] / (double)bytes);
	return entropy;
}

#define SAMPLE 16 /* words: a repeat that is worth anything to a compressor is longer than 128 bytes */

/*
 * What a Lempel-Ziv compressor lives on: the share of (sampled) words that occurred before within its window, which is
 * the record. Random words practically never repeat.
 */
static double repeated_share(const unsigned char *record, uint64_t bytes)
{
	uint64_t count = bytes / 8 / SAMPLE, repeats = 0, *word = malloc(count * sizeof *word);
	for (uint64_t i = 0; i < count; i++)
		memcpy(&word[i], record + (i * SAMPLE + 1) * 8, sizeof *word);
	qsort(word, count, sizeof *word, compare_u64);
	for (uint64_t i = 1; i < count; i++)
		repeats += word[i] == word[i - 1];
	free(word);
	return (double)repeats / (double)count;
}

static void write_and_judge(uint64_t block, unsigned depth, bool random)
{
	char directory[64];
	struct nl_job job = test_job(NL_ENGINE_PSYNC, test_scratch_make(directory));
	job.write = true;
	job.random = job.lay_files = random;
	job.block_bytes = block;
	job.queue_depth = depth;
	job.file_bytes = 20 * MIB;
	struct nl_load_result result = test_run(&job);
	test_no_failure(&result);
	nl_load_result_fini(&result);
	uint64_t bytes = 2 * job.file_bytes;
	unsigned char *all = read_files(directory, 2, job.file_bytes);
	for (uint64_t record = 4 * KIB; record <= MIB; record *= 4)
		assert_no_two_equal(all, bytes, record);
	for (uint64_t at = 0; at < bytes; at += MIB)
		assert_true(repeated_share(all + at, MIB) < 0.001);
	assert_true(repeated_share(all, 16 * MIB) < 0.001);
	assert_true(bits_per_byte(all, bytes) > 7.999);
	free(all);
	test_scratch_remove(directory);
}

static void small_blocks_written_one_by_one_cannot_be_compressed_or_deduplicated(void **state)
{
	(void)state;
	write_and_judge(4 * KIB, 1, false);
}

static void large_blocks_cannot_be_compressed_or_deduplicated(void **state)
{
	(void)state;
	write_and_judge(MIB, 4, false);
}

static void random_overwriting_cannot_be_compressed_or_deduplicated(void **state)
{
	(void)state;
	write_and_judge(16 * KIB, 1, true);
}

static void every_page_on_disk_carries_the_stamp_of_its_place(void **state)
{
	char directory[64];
	(void)state;
	struct nl_job job = test_job(NL_ENGINE_PSYNC, test_scratch_make(directory));
	job.write = true;
	struct nl_load_result result = test_run(&job);
	test_no_failure(&result);
	nl_load_result_fini(&result);
	unsigned char *all = read_files(directory, 2, job.file_bytes);
	uint64_t key = nl_payload_key(job.payload_seed, job.file_prefix);
	for (unsigned stream = 0; stream < 2; stream++)
		for (uint64_t at = 0; at < job.file_bytes; at += NL_PAYLOAD_PAGE_BYTES) {
			uint64_t found, stamp = nl_payload_stamp(key, stream, 1, at);
			memcpy(&found, all + stream * job.file_bytes + at, sizeof found);
			assert_true(found == stamp);
		}
	free(all);
	test_scratch_remove(directory);
}

static void seeds_and_prefixes_give_keys_of_their_own(void **state)
{
	(void)state;
	assert_true(nl_payload_key(1, "a") == nl_payload_key(1, "a"));
	assert_true(nl_payload_key(1, "a") != nl_payload_key(2, "a"));
	assert_true(nl_payload_key(1, "a") != nl_payload_key(1, "b"));
	assert_true(nl_payload_key(0, "a") != nl_payload_key(0, "a"));
}

/* Best of several, so that a busy machine does not decide. */
static int64_t best_of(void (*work)(unsigned char *to, const unsigned char *from), unsigned char *to,
		       const unsigned char *from)
{
	int64_t best = INT64_MAX;
	for (int i = 0; i < 30; i++) {
		int64_t began = nl_mono_ns();
		work(to, from);
		int64_t took = nl_mono_ns() - began;
		best = took < best ? took : best;
	}
	return best;
}

static void stamp_megabytes(unsigned char *to, const unsigned char *from)
{
	(void)from;
	nl_payload_stamp_block(to, 8 * MIB, 1, 2, 3, 0);
}

static void copy_megabytes(unsigned char *to, const unsigned char *from)
{
	memcpy(to, from, 8 * MIB);
	__asm__ volatile("" : : "r"(to) : "memory");
}

static void stamping_costs_less_than_a_copy(void **state)
{
	(void)state;
	unsigned char *to = calloc(8, MIB), *from = calloc(8, MIB);
	memset(to, 1, 8 * MIB);
	memset(from, 2, 8 * MIB);
	int64_t stamp = best_of(stamp_megabytes, to, from), copy = best_of(copy_megabytes, to, from);
	print_message("8 MiB: stamping %lld us, copying %lld us\n", (long long)stamp / 1000, (long long)copy / 1000);
	assert_true(stamp * 2 < copy);
	free(to);
	free(from);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_blocks_written_one_by_one_cannot_be_compressed_or_deduplicated),
		cmocka_unit_test(large_blocks_cannot_be_compressed_or_deduplicated),
		cmocka_unit_test(random_overwriting_cannot_be_compressed_or_deduplicated),
		cmocka_unit_test(every_page_on_disk_carries_the_stamp_of_its_place),
		cmocka_unit_test(seeds_and_prefixes_give_keys_of_their_own),
		cmocka_unit_test(stamping_costs_less_than_a_copy),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
