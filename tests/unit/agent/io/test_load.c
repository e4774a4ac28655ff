/*
 * test_load: loads of every kind by every local engine move the bytes they say.
 */
#include "unit/agent/io/loads.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>

#include "agent/io/payload.h"

static const enum nl_engine_id engines[] = {NL_ENGINE_PSYNC, NL_ENGINE_IO_URING, NL_ENGINE_AUTO};

#define FOR_EACH_ENGINE(directory)                                                                                     \
	char directory[64];                                                                                            \
	(void)state;                                                                                                   \
	for (size_t e = 0; e < sizeof engines / sizeof *engines; e++, test_scratch_remove(directory))                  \
		if (test_engine_works(engines[e], test_scratch_make(directory)))

static uint64_t size_of(const char *directory, unsigned index)
{
	char path[128];
	struct stat st;
	snprintf(path, sizeof path, "%s/load-%u", directory, index);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	return (uint64_t)st.st_size;
}

static void assert_all_done(const struct nl_load_result *result, const struct nl_job *job)
{
	test_no_failure(result);
	assert_int_equal(result->stream_count, job->streams);
	for (unsigned i = 0; i < job->streams; i++) {
		const struct nl_stream_result *stream = &result->stream[i];
		assert_int_equal(stream->bytes, job->file_bytes);
		assert_int_equal(stream->operations, job->file_bytes / job->block_bytes);
		assert_int_equal(stream->short_operations, 0);
		assert_true(stream->reached_end);
		assert_true(stream->first_done_mono_ns >= result->start_mono_ns);
		assert_true(stream->last_done_mono_ns >= stream->first_done_mono_ns);
	}
}

static void a_sized_write_writes_exactly_the_files_and_makes_them_durable(void **state)
{
	FOR_EACH_ENGINE(directory)
	{
		struct nl_job job = test_job(engines[e], directory);
		job.write = job.fsync_end = true;
		struct nl_load_result result = test_run(&job);
		assert_all_done(&result, &job);
		assert_int_not_equal(result.engine, NL_ENGINE_AUTO);
		for (unsigned i = 0; i < job.streams; i++) {
			assert_int_equal(size_of(directory, i), job.file_bytes);
			assert_true(result.stream[i].durable_mono_ns >= result.stream[i].last_done_mono_ns);
		}
		nl_load_result_fini(&result);
	}
}

static void a_sized_read_reads_laid_files_in_full(void **state)
{
	FOR_EACH_ENGINE(directory)
	{
		struct nl_job job = test_job(engines[e], directory);
		job.lay_files = job.warm = true;
		struct nl_load_result result = test_run(&job);
		assert_all_done(&result, &job);
		assert_int_equal(result.stream[0].durable_mono_ns, 0);
		assert_false(result.payload_stamped);
		nl_load_result_fini(&result);
	}
}

static void a_sized_random_load_visits_every_block(void **state)
{
	FOR_EACH_ENGINE(directory)
	{
		struct nl_job job = test_job(engines[e], directory);
		job.lay_files = job.random = job.write = true;
		struct nl_load_result result = test_run(&job);
		assert_all_done(&result, &job);
		nl_load_result_fini(&result);
		/* Each page now has the stamp of the first round, none that of the laying. */
		char path[128];
		uint64_t stamp, key = nl_payload_key(job.payload_seed, job.file_prefix);
		snprintf(path, sizeof path, "%s/load-1", directory);
		int file = open(path, O_RDONLY);
		for (uint64_t at = 0; at < job.file_bytes; at += 4096) {
			assert_int_equal(pread(file, &stamp, sizeof stamp, (off_t)at), sizeof stamp);
			assert_true(stamp == nl_payload_stamp(key, 1, 1, at));
		}
		close(file);
	}
}

static void a_mix_reads_and_writes(void **state)
{
	FOR_EACH_ENGINE(directory)
	{
		struct nl_job job = test_job(engines[e], directory);
		uint64_t stamp, written = 0, pages = job.file_bytes / job.block_bytes;
		job.lay_files = job.random = true;
		job.read_percent = 50;
		job.streams = 1;
		struct nl_load_result result = test_run(&job);
		assert_all_done(&result, &job);
		nl_load_result_fini(&result);
		char path[128];
		snprintf(path, sizeof path, "%s/load-0", directory);
		int file = open(path, O_RDONLY);
		uint64_t key = nl_payload_key(job.payload_seed, job.file_prefix);
		for (uint64_t at = 0; at < job.file_bytes; at += job.block_bytes) {
			assert_int_equal(pread(file, &stamp, sizeof stamp, (off_t)at), sizeof stamp);
			written += stamp == nl_payload_stamp(key, 0, 1, at);
		}
		close(file);
		assert_in_range(written, pages * 20 / 100, pages * 80 / 100);
	}
}

static void synchronous_and_direct_writes_work_or_say_why_not(void **state)
{
	FOR_EACH_ENGINE(directory)
	{
		struct nl_job job = test_job(engines[e], directory);
		struct nl_load *load;
		struct nl_error err = {.code = NL_E_OK};
		job.write = job.sync_writes = job.direct = true;
		job.file_bytes = MIB;
		int rc = nl_load_make(&job, NULL, &load, &err);
		if (rc == NL_E_UNSUPPORTED) {
			assert_non_null(strstr(err.why, "O_DIRECT"));
			continue;
		}
		assert_int_equal(rc, 0);
		nl_load_start(load, 0);
		struct nl_load_result result = test_finish(load);
		assert_all_done(&result, &job);
		nl_load_result_fini(&result);
	}
}

static void a_read_of_a_shorter_file_ends_at_its_end(void **state)
{
	FOR_EACH_ENGINE(directory)
	{
		struct nl_job job = test_job(engines[e], directory);
		char path[128];
		job.streams = 1;
		snprintf(path, sizeof path, "%s/load-0", directory);
		int file = open(path, O_CREAT | O_WRONLY, 0600);
		assert_int_equal(ftruncate(file, 3 * 64 * 1024 + 1000), 0);
		close(file);
		struct nl_load_result result = test_run(&job);
		test_no_failure(&result);
		assert_int_equal(result.stream[0].bytes, 3 * 64 * 1024 + 1000);
		assert_int_equal(result.stream[0].operations, 4);
		assert_int_equal(result.stream[0].short_operations, 1);
		assert_true(result.stream[0].reached_end);
		nl_load_result_fini(&result);
	}
}

static void a_fresh_write_empties_the_file_and_a_laid_one_keeps_its_size(void **state)
{
	FOR_EACH_ENGINE(directory)
	{
		struct nl_job job = test_job(engines[e], directory);
		job.write = job.lay_files = true;
		job.streams = 1;
		struct nl_load_result result = test_run(&job);
		nl_load_result_fini(&result);
		job.file_bytes = MIB;
		result = test_run(&job);
		nl_load_result_fini(&result);
		assert_int_equal(size_of(directory, 0), 4 * MIB);
		job.lay_files = false;
		result = test_run(&job);
		nl_load_result_fini(&result);
		assert_int_equal(size_of(directory, 0), MIB);
	}
}

static void laying_takes_a_file_that_is_long_enough_as_it_is(void **state)
{
	char directory[64], path[128], byte = 'x', found;
	(void)state;
	struct nl_job job = test_job(NL_ENGINE_PSYNC, test_scratch_make(directory));
	job.streams = 1;
	job.lay_files = true;
	snprintf(path, sizeof path, "%s/load-0", directory);
	int file = open(path, O_CREAT | O_RDWR, 0600);
	/* Long enough: the byte stays. Too short: it is overwritten. */
	for (int shorter = 0; shorter < 2; shorter++) {
		assert_int_equal(ftruncate(file, (off_t)job.file_bytes - shorter), 0);
		assert_int_equal(pwrite(file, &byte, 1, 0), 1);
		struct nl_load_result result = test_run(&job);
		nl_load_result_fini(&result);
		assert_int_equal(pread(file, &found, 1, 0), 1);
		uint64_t stamp = nl_payload_stamp(nl_payload_key(7, "load"), 0, 0, 0);
		assert_int_equal(found, shorter ? *(char *)&stamp : 'x');
	}
	close(file);
	test_scratch_remove(directory);
}

static void depth_is_what_the_engine_has_and_says(void **state)
{
	char directory[64];
	(void)state;
	struct nl_job job = test_job(NL_ENGINE_PSYNC, test_scratch_make(directory));
	job.write = true;
	struct nl_load_result result = test_run(&job);
	assert_int_equal(result.queue_depth, 1);
	nl_load_result_fini(&result);
	job.engine = NL_ENGINE_NULL;
	result = test_run(&job);
	assert_int_equal(result.queue_depth, 4);
	nl_load_result_fini(&result);
	job.engine = NL_ENGINE_AUTO;
	job.queue_depth = 1;
	result = test_run(&job);
	assert_int_equal(result.engine, NL_ENGINE_PSYNC);
	nl_load_result_fini(&result);
	test_scratch_remove(directory);
}

struct watcher {
	struct nl_load *load;
	atomic_bool over;
	uint64_t highest, calls;
};

static void *watch(void *argument)
{
	struct watcher *watcher = argument;
	struct nl_stream_progress progress[2];
	while (!atomic_load(&watcher->over)) {
		nl_load_progress(watcher->load, progress, 2);
		uint64_t bytes = progress[0].bytes + progress[1].bytes;
		/* Counters only grow; a failed check here would be in the wrong thread. */
		if (bytes < watcher->highest)
			abort();
		watcher->highest = bytes;
		watcher->calls++;
	}
	return NULL;
}

static void progress_can_be_watched_from_another_thread(void **state)
{
	char directory[64];
	struct nl_error err = {.code = NL_E_OK};
	(void)state;
	struct nl_job job = test_job(NL_ENGINE_AUTO, test_scratch_make(directory));
	struct watcher watcher = {.load = NULL};
	pthread_t thread;
	job.write = true;
	job.file_bytes = 32 * MIB;
	assert_int_equal(nl_load_make(&job, NULL, &watcher.load, &err), 0);
	assert_int_equal(pthread_create(&thread, NULL, watch, &watcher), 0);
	nl_load_start(watcher.load, 0);
	while (nl_load_wait(watcher.load, NL_NS_PER_MS, &err) == NL_E_TIMEOUT)
		;
	atomic_store(&watcher.over, true);
	pthread_join(thread, NULL);
	struct nl_load_result result = test_finish(watcher.load);
	assert_all_done(&result, &job);
	assert_true(watcher.highest <= 64 * MIB);
	assert_true(watcher.calls > 0);
	nl_load_result_fini(&result);
	test_scratch_remove(directory);
}

static void a_load_that_never_starts_leaves_quietly(void **state)
{
	char directory[64];
	struct nl_load *load;
	struct nl_load_result result;
	struct nl_error err = {.code = NL_E_OK};
	(void)state;
	struct nl_job job = test_job(NL_ENGINE_AUTO, test_scratch_make(directory));
	job.write = true;
	assert_int_equal(nl_load_make(&job, NULL, &load, &err), 0);
	assert_int_equal(nl_load_wait(load, 0, &err), NL_E_TIMEOUT);
	assert_int_equal(nl_load_read_out(load, &result, &err), NL_E_INTERNAL);
	nl_load_free(load);
	nl_load_free(NULL);
	assert_int_equal(size_of(directory, 0), 0);
	test_scratch_remove(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sized_write_writes_exactly_the_files_and_makes_them_durable),
		cmocka_unit_test(a_sized_read_reads_laid_files_in_full),
		cmocka_unit_test(a_sized_random_load_visits_every_block),
		cmocka_unit_test(a_mix_reads_and_writes),
		cmocka_unit_test(synchronous_and_direct_writes_work_or_say_why_not),
		cmocka_unit_test(a_read_of_a_shorter_file_ends_at_its_end),
		cmocka_unit_test(a_fresh_write_empties_the_file_and_a_laid_one_keeps_its_size),
		cmocka_unit_test(laying_takes_a_file_that_is_long_enough_as_it_is),
		cmocka_unit_test(depth_is_what_the_engine_has_and_says),
		cmocka_unit_test(progress_can_be_watched_from_another_thread),
		cmocka_unit_test(a_load_that_never_starts_leaves_quietly),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
