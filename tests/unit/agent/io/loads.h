/*
 * loads: what the tests of loads share: a job of moderate size in a scratch directory, and running it to its end.
 */
#ifndef NL_TESTS_UNIT_AGENT_IO_LOADS_H
#define NL_TESTS_UNIT_AGENT_IO_LOADS_H

#include "unit/agent/scratch.h"

#include "agent/io/load.h"
#include "base/time.h"

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)

static inline struct nl_job test_job(enum nl_engine_id engine, const char *directory)
{
	return (struct nl_job){.engine = engine,
			       .directory = directory,
			       .file_prefix = "load",
			       .block_bytes = 64 * KIB,
			       .queue_depth = 4,
			       .streams = 2,
			       .file_bytes = 4 * MIB,
			       .payload_seed = 7};
}

static inline void test_fail_with(const struct nl_error *err)
{
	char line[1400];
	fail_msg("%s", nl_error_line(err, line, sizeof line));
}

/* Waits for a started load and reads it out. */
static inline struct nl_load_result test_finish(struct nl_load *load)
{
	struct nl_load_result result = {.stream_count = 0};
	struct nl_error err = {.code = NL_E_OK};
	if (nl_load_wait(load, 60 * NL_NS_PER_S, &err) || nl_load_read_out(load, &result, &err))
		test_fail_with(&err);
	nl_load_free(load);
	return result;
}

static inline struct nl_load_result test_run(const struct nl_job *job)
{
	struct nl_load *load;
	struct nl_error err = {.code = NL_E_OK};
	if (nl_load_make(job, NULL, &load, &err))
		test_fail_with(&err);
	nl_load_start(load, 0);
	return test_finish(load);
}

static inline void test_no_failure(const struct nl_load_result *result)
{
	for (unsigned i = 0; i < result->stream_count; i++)
		if (result->stream[i].failure.code)
			test_fail_with(&result->stream[i].failure);
}

/* Whether this engine works on this machine. One that does not must say why when a load asks for it. */
static inline bool test_engine_works(enum nl_engine_id engine, const char *directory)
{
	char reason[200];
	struct nl_load *load;
	struct nl_error err = {.code = NL_E_OK};
	struct nl_job job = test_job(engine, directory);
	job.write = true;
	if (nl_engine_probe(engine, reason, sizeof reason))
		return true;
	assert_int_not_equal(reason[0], 0);
	assert_int_equal(nl_load_make(&job, NULL, &load, &err), NL_E_UNSUPPORTED);
	assert_string_equal(err.why, reason);
	print_message("%s does not work here (%s); its refusal was tested instead\n", nl_engine_name(engine), reason);
	return false;
}

#endif
