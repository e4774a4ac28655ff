/*
 * test_window: what counts as measured: ramp, duration, common window, rate limit, stop.
 */
#include "unit/agent/io/loads.h"

static void a_timed_load_counts_its_window_and_not_the_ramp(void **state)
{
	char directory[64];
	(void)state;
	struct nl_job job = test_job(NL_ENGINE_AUTO, test_scratch_make(directory));
	job.lay_files = job.loop_files = true;
	job.ramp_ns = 100 * NL_NS_PER_MS;
	job.duration_ns = 200 * NL_NS_PER_MS;
	struct nl_load_result result = test_run(&job);
	test_no_failure(&result);
	assert_int_equal(result.window_start_mono_ns - result.start_mono_ns, job.ramp_ns);
	assert_int_equal(result.window_end_mono_ns - result.window_start_mono_ns, job.duration_ns);
	for (unsigned i = 0; i < job.streams; i++) {
		const struct nl_stream_result *stream = &result.stream[i];
		assert_true(stream->window_bytes > 0);
		assert_true(stream->bytes > stream->window_bytes);
		assert_int_equal(stream->latency.count * job.block_bytes, stream->window_bytes);
		assert_true(stream->first_done_mono_ns < result.window_start_mono_ns);
		assert_true(stream->last_done_mono_ns > result.window_start_mono_ns);
		assert_false(stream->reached_end);
		assert_true(stream->latency.max_ns < 10 * NL_NS_PER_S);
	}
	assert_true(result.cpu_user_s + result.cpu_system_s > 0);
	assert_true(result.busiest_thread_share > 0);
	nl_load_result_fini(&result);
	test_scratch_remove(directory);
}

/* Stream 1's file is a tenth of stream 0's, so stream 1 is first to end, and stream 0 counts only until then. */
static void a_sized_load_ends_its_window_with_the_first_stream_to_finish(void **state)
{
	char directory[64], path[128];
	(void)state;
	struct nl_job job = test_job(NL_ENGINE_PSYNC, test_scratch_make(directory));
	job.block_bytes = 4 * KIB;
	job.lay_files = true;
	struct nl_load_result result = test_run(&job);
	nl_load_result_fini(&result);
	snprintf(path, sizeof path, "%s/load-1", directory);
	assert_int_equal(truncate(path, (off_t)job.file_bytes / 10), 0);
	job.lay_files = false;
	job.rate_limit_bytes_per_s = 8 * MIB; /* 4 MiB/s each: 100 ms against 1 s */
	result = test_run(&job);
	test_no_failure(&result);
	assert_int_equal(result.window_end_mono_ns, result.stream[1].last_done_mono_ns);
	assert_int_equal(result.stream[1].window_bytes, result.stream[1].bytes);
	assert_int_equal(result.stream[0].bytes, job.file_bytes);
	assert_true(result.stream[0].window_bytes < job.file_bytes * 9 / 10);
	assert_true(result.stream[0].last_done_mono_ns > result.window_end_mono_ns);
	assert_int_equal(result.stream[0].latency.count * job.block_bytes, result.stream[0].window_bytes);
	nl_load_result_fini(&result);
	test_scratch_remove(directory);
}

static void a_timed_write_that_fills_its_file_says_so(void **state)
{
	char directory[64];
	(void)state;
	struct nl_job job = test_job(NL_ENGINE_AUTO, test_scratch_make(directory));
	job.write = true;
	job.streams = 1;
	job.duration_ns = 3600 * NL_NS_PER_S;
	struct nl_load_result result = test_run(&job);
	test_no_failure(&result);
	assert_true(result.stream[0].reached_end);
	assert_int_equal(result.stream[0].window_bytes, job.file_bytes);
	assert_int_equal(result.window_end_mono_ns, result.stream[0].last_done_mono_ns);
	nl_load_result_fini(&result);
	test_scratch_remove(directory);
}

static void a_rate_limit_is_kept(void **state)
{
	static const enum nl_engine_id engines[] = {NL_ENGINE_NULL, NL_ENGINE_PSYNC, NL_ENGINE_AUTO};
	char directory[64];
	(void)state;
	test_scratch_make(directory);
	for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
		struct nl_job job = test_job(engines[i], directory);
		job.lay_files = job.loop_files = true;
		job.duration_ns = 500 * NL_NS_PER_MS;
		job.rate_limit_bytes_per_s = 32 * MIB;
		struct nl_load_result result = test_run(&job);
		test_no_failure(&result);
		uint64_t bytes = result.stream[0].window_bytes + result.stream[1].window_bytes;
		/* 16 MiB in half a second: never more than a block per stream above; less only as the machine stalls at
		 * the end. */
		assert_in_range(bytes, 12 * MIB, 16 * MIB + 2 * job.block_bytes);
		assert_in_range(result.stream[0].window_bytes, 6 * MIB, 8 * MIB + job.block_bytes);
		nl_load_result_fini(&result);
	}
	test_scratch_remove(directory);
}

static void a_load_starts_at_its_instant(void **state)
{
	struct nl_job job = test_job(NL_ENGINE_NULL, NULL);
	struct nl_load *load;
	struct nl_error err = {.code = NL_E_OK};
	(void)state;
	assert_int_equal(nl_load_make(&job, NULL, &load, &err), 0);
	int64_t start = nl_mono_ns() + 100 * NL_NS_PER_MS;
	nl_load_start(load, start);
	struct nl_load_result result = test_finish(load);
	assert_int_equal(result.start_mono_ns, start);
	for (unsigned i = 0; i < job.streams; i++)
		assert_true(result.stream[i].first_done_mono_ns >= start);
	nl_load_result_fini(&result);
}

static void a_stop_ends_a_load_soon(void **state)
{
	struct nl_job job = test_job(NL_ENGINE_NULL, NULL);
	struct nl_load *load;
	struct nl_error err = {.code = NL_E_OK};
	struct nl_stream_progress progress = {.bytes = 0};
	(void)state;
	job.random = true;
	job.duration_ns = 3600 * NL_NS_PER_S;
	assert_int_equal(nl_load_make(&job, NULL, &load, &err), 0);
	nl_load_start(load, 0);
	while (!progress.bytes)
		nl_load_progress(load, &progress, 1);
	nl_load_stop(load);
	assert_int_equal(nl_load_wait(load, 5 * NL_NS_PER_S, &err), 0);
	struct nl_load_result result = test_finish(load);
	test_no_failure(&result);
	assert_false(result.stream[0].reached_end);
	assert_true(result.window_end_mono_ns < result.start_mono_ns + 100 * NL_NS_PER_S);
	assert_true(result.stream[0].window_bytes > 0);
	nl_load_result_fini(&result);
}

static void a_stop_wakes_a_load_that_waits_for_its_rate(void **state)
{
	struct nl_job job = test_job(NL_ENGINE_NULL, NULL);
	struct nl_load *load;
	struct nl_error err = {.code = NL_E_OK};
	(void)state;
	job.rate_limit_bytes_per_s = 1;
	assert_int_equal(nl_load_make(&job, NULL, &load, &err), 0);
	nl_load_start(load, 0);
	nl_load_stop(load);
	assert_int_equal(nl_load_wait(load, 5 * NL_NS_PER_S, &err), 0);
	nl_load_free(load);
}

static void a_stop_within_the_ramp_leaves_an_empty_window(void **state)
{
	struct nl_job job = test_job(NL_ENGINE_NULL, NULL);
	struct nl_load *load;
	struct nl_error err = {.code = NL_E_OK};
	(void)state;
	job.random = true;
	job.ramp_ns = job.duration_ns = 3600 * NL_NS_PER_S;
	assert_int_equal(nl_load_make(&job, NULL, &load, &err), 0);
	nl_load_start(load, 0);
	nl_load_stop(load);
	struct nl_load_result result = test_finish(load);
	assert_int_equal(result.window_end_mono_ns, result.window_start_mono_ns);
	assert_int_equal(result.stream[0].window_bytes, 0);
	assert_int_equal(result.stream[0].latency.count, 0);
	nl_load_result_fini(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_timed_load_counts_its_window_and_not_the_ramp),
		cmocka_unit_test(a_sized_load_ends_its_window_with_the_first_stream_to_finish),
		cmocka_unit_test(a_timed_write_that_fills_its_file_says_so),
		cmocka_unit_test(a_rate_limit_is_kept),
		cmocka_unit_test(a_load_starts_at_its_instant),
		cmocka_unit_test(a_stop_ends_a_load_soon),
		cmocka_unit_test(a_stop_wakes_a_load_that_waits_for_its_rate),
		cmocka_unit_test(a_stop_within_the_ramp_leaves_an_empty_window),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
