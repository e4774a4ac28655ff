/*
 * test_job: jobs that make no sense are refused, with the field named.
 */
#include "unit/agent/io/loads.h"

#include "agent/io/job.h"

static const struct nl_share_target nfs = {.server = "nas", .share = "/export", .version = "3"};
static const struct nl_share_target smb = {
	.server = "nas", .share = "bench", .version = "3.1.1", .user = "u", .password = "p"};

static void refused(const struct nl_job *job, const char *field)
{
	struct nl_error err = {.code = NL_E_OK};
	assert_int_equal(nl_job_check(job, &err), NL_E_CONFIG);
	assert_string_equal(err.where, field);
	assert_int_not_equal(err.why[0], 0);
}

static void accepted(const struct nl_job *job)
{
	struct nl_error err = {.code = NL_E_OK};
	if (nl_job_check(job, &err))
		test_fail_with(&err);
}

static void a_sensible_job_is_accepted(void **state)
{
	(void)state;
	struct nl_job job = test_job(NL_ENGINE_AUTO, "/tmp");
	accepted(&job);
	job.engine = NL_ENGINE_NULL;
	job.directory = job.file_prefix = NULL;
	accepted(&job);
	job = test_job(NL_ENGINE_LIBNFS, "");
	job.share = &nfs;
	accepted(&job);
	job.engine = NL_ENGINE_LIBSMBCLIENT;
	job.share = &smb;
	accepted(&job);
}

static void a_number_out_of_range_is_refused_with_its_field(void **state)
{
	(void)state;
#define REFUSED(field, number)                                                                                         \
	do {                                                                                                           \
		struct nl_job job = test_job(NL_ENGINE_PSYNC, "/tmp");                                                 \
		job.field = (number);                                                                                  \
		refused(&job, #field);                                                                                 \
	} while (0)
	REFUSED(block_bytes, 0);
	REFUSED(block_bytes, 1000);
	REFUSED(block_bytes, 128 * MIB);
	REFUSED(streams, 0);
	REFUSED(streams, 257);
	REFUSED(queue_depth, 0);
	REFUSED(queue_depth, 1025);
	REFUSED(file_bytes, 0);
	REFUSED(file_bytes, 64 * KIB + 512);
	REFUSED(file_bytes, UINT64_C(1) << 60);
	REFUSED(read_percent, 100);
	REFUSED(duration_ns, -1);
	REFUSED(ramp_ns, INT64_MAX);
	REFUSED(engine, (enum nl_engine_id)99);
	REFUSED(directory, NULL);
	REFUSED(directory, "");
	REFUSED(file_prefix, "");
	REFUSED(file_prefix, "../escape");
#undef REFUSED
}

static void buffers_beyond_the_limits_are_refused(void **state)
{
	(void)state;
	struct nl_job job = test_job(NL_ENGINE_IO_URING, "/tmp");
	job.block_bytes = job.file_bytes = 64 * MIB;
	job.queue_depth = 17;
	refused(&job, "queue_depth");
	job.queue_depth = 16;
	job.streams = 4;
	accepted(&job);
	job.streams = 5;
	refused(&job, "queue_depth");
}

static void share_refused(enum nl_engine_id engine, struct nl_share_target share, const char *field)
{
	struct nl_job job = test_job(engine, "");
	job.share = &share;
	refused(&job, field);
}

static void a_target_that_cannot_work_is_refused_with_its_field(void **state)
{
	(void)state;
	struct nl_job job = test_job(NL_ENGINE_LIBNFS, "");
	refused(&job, "share");
	struct nl_share_target share = nfs;
	share.version = "4.2";
	share_refused(NL_ENGINE_LIBNFS, share, "share.version");
	share = nfs;
	share.share = "export";
	share_refused(NL_ENGINE_LIBNFS, share, "share.share");
	share = smb;
	share.version = "1";
	share_refused(NL_ENGINE_LIBSMBCLIENT, share, "share.version");
	share = smb;
	share.share = "a/b";
	share_refused(NL_ENGINE_LIBSMBCLIENT, share, "share.share");
	share = smb;
	share.server = "";
	share_refused(NL_ENGINE_LIBSMBCLIENT, share, "share.server");
	job = test_job(NL_ENGINE_LIBSMBCLIENT, "");
	job.share = &smb;
	job.sync_writes = true;
	refused(&job, "sync_writes");
}

static void a_copy_stands_on_its_own_and_forgets_its_password(void **state)
{
	(void)state;
	char user[] = "someone", password[] = "secret";
	struct nl_share_target share = {.server = "nas", .share = "bench", .user = user, .password = password};
	struct nl_job job = test_job(NL_ENGINE_LIBSMBCLIENT, "dir");
	struct nl_job_copy copy, moved;
	job.share = &share;
	nl_job_copy_init(&copy, &job);
	memset(user, 'x', sizeof user - 1);
	memset(password, 'x', sizeof password - 1);
	moved = copy;
	nl_job_copy_bind(&moved);
	assert_string_equal(moved.job.share->user, "someone");
	assert_string_equal(moved.job.share->password, "secret");
	assert_string_equal(moved.job.share->version, "3.1.1");
	assert_ptr_equal(moved.job.share, &moved.share);
	nl_job_copy_wipe(&moved);
	for (size_t i = 0; i < sizeof moved.password; i++)
		assert_int_equal(moved.password[i], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sensible_job_is_accepted),
		cmocka_unit_test(a_number_out_of_range_is_refused_with_its_field),
		cmocka_unit_test(buffers_beyond_the_limits_are_refused),
		cmocka_unit_test(a_target_that_cannot_work_is_refused_with_its_field),
		cmocka_unit_test(a_copy_stands_on_its_own_and_forgets_its_password),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
