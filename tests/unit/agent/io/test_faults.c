/*
 * test_faults: what a load refuses to touch, and how it fails.
 */
#include "unit/agent/io/loads.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "unit/agent/namespace.h"

static int make_code(const struct nl_job *job, struct nl_error *err)
{
	struct nl_load *load;
	memset(err, 0, sizeof *err);
	int rc = nl_load_make(job, NULL, &load, err);
	if (!rc)
		nl_load_free(load);
	assert_int_equal(rc, err->code);
	return rc;
}

static char *in(const char *directory, const char *name, char path[128])
{
	snprintf(path, 128, "%s/%s", directory, name);
	return path;
}

static void write_text(const char *path, const char *text)
{
	int file = open(path, O_CREAT | O_WRONLY, 0600);
	assert_true(file >= 0);
	assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
	close(file);
}

static void assert_text(const char *path, const char *text)
{
	char found[64] = "";
	int file = open(path, O_RDONLY);
	assert_int_equal(read(file, found, sizeof found - 1), (ssize_t)strlen(text));
	assert_string_equal(found, text);
	close(file);
}

static void links_are_refused_and_what_they_point_to_is_untouched(void **state)
{
	char directory[64], victim[128], place[128];
	struct nl_error err;
	(void)state;
	struct nl_job job = test_job(NL_ENGINE_PSYNC, test_scratch_make(directory));
	write_text(in(directory, "victim", victim), "precious");
	in(directory, "load-1", place);
	for (int hard = 0; hard < 2; hard++)
		for (int lay = 0; lay < 2; lay++) {
			assert_int_equal(hard ? link(victim, place) : symlink(victim, place), 0);
			job.write = true;
			job.lay_files = lay;
			assert_int_equal(make_code(&job, &err), NL_E_ACCESS);
			assert_string_equal(err.where, place);
			assert_non_null(strstr(err.why, hard ? "hard link" : "symbolic link"));
			assert_text(victim, "precious");
			unlink(place);
		}
	test_scratch_remove(directory);
}

static void what_is_no_regular_file_is_refused_without_being_opened(void **state)
{
	char directory[64], place[128];
	struct nl_error err;
	(void)state;
	struct nl_job job = test_job(NL_ENGINE_PSYNC, test_scratch_make(directory));
	job.streams = 1;
	/* Opening a FIFO for writing would hang, were it tried. */
	assert_int_equal(mkfifo(in(directory, "load-0", place), 0600), 0);
	job.write = true;
	assert_int_equal(make_code(&job, &err), NL_E_ACCESS);
	unlink(place);
	assert_int_equal(mkdir(place, 0700), 0);
	assert_int_equal(make_code(&job, &err), NL_E_ACCESS);
	assert_non_null(strstr(err.why, "not a regular file"));
	test_scratch_remove(directory);
}

static void missing_things_are_named(void **state)
{
	char directory[64], path[128];
	struct nl_error err;
	(void)state;
	struct nl_job job = test_job(NL_ENGINE_PSYNC, test_scratch_make(directory));
	assert_int_equal(make_code(&job, &err), NL_E_NOT_FOUND);
	assert_string_equal(err.where, in(directory, "load-0", path));
	write_text(path, "short");
	job.streams = 1;
	job.random = true;
	assert_int_equal(make_code(&job, &err), NL_E_CONFIG);
	assert_non_null(strstr(err.why, "less than one block"));
	job.directory = in(directory, "nowhere", path);
	assert_int_equal(make_code(&job, &err), NL_E_NOT_FOUND);
	assert_string_equal(err.where, path);
	test_scratch_remove(directory);
}

/* In a tmpfs of 4 MiB, seen by this child alone. */
static void on_a_full_disk(void)
{
	struct nl_error err = {.code = NL_E_OK};
	struct nl_load *load;
	struct nl_load_result result;
	struct stat st;
	CHECK(!mount("none", "/mnt", "tmpfs", 0, "size=4m"));
	struct nl_job job = test_job(NL_ENGINE_PSYNC, "/mnt");
	job.file_bytes = 8 * MIB;
	job.lay_files = true;
	CHECK(nl_load_make(&job, NULL, &load, &err) == NL_E_SPACE);
	/* Files that it created stay, but hold no space. */
	CHECK(!stat("/mnt/load-0", &st) && st.st_size == 0);
	job.lay_files = false;
	job.write = true;
	CHECK(!nl_load_make(&job, NULL, &load, &err));
	nl_load_start(load, 0);
	CHECK(!nl_load_wait(load, 30 * NL_NS_PER_S, &err));
	CHECK(!nl_load_read_out(load, &result, &err));
	CHECK(result.stream[0].failure.code == NL_E_SPACE || result.stream[1].failure.code == NL_E_SPACE);
	CHECK(result.stream[0].bytes + result.stream[1].bytes <= 4 * MIB);
	CHECK(!result.stream[0].reached_end && !result.stream[1].reached_end);
	nl_load_result_fini(&result);
	nl_load_free(load);
}

static void a_full_disk_is_said_before_the_load_when_laying_and_ends_a_write(void **state)
{
	(void)state;
	test_in_namespaces(CLONE_NEWNS, on_a_full_disk);
}

/* A limit on file size fails one stream's write in the middle, whoever runs this. */
static void a_stream_that_fails_stops_the_whole_load(void **state)
{
	char directory[64];
	struct rlimit before, limit = {.rlim_cur = 2 * MIB};
	(void)state;
	struct nl_job job = test_job(NL_ENGINE_PSYNC, test_scratch_make(directory));
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit.rlim_max = before.rlim_max;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	job.write = true;
	struct nl_load_result result = test_run(&job);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	signal(SIGXFSZ, SIG_DFL);
	unsigned failed = 0;
	for (unsigned i = 0; i < job.streams; i++) {
		failed += result.stream[i].failure.code == NL_E_SPACE;
		assert_false(result.stream[i].reached_end);
		assert_true(result.stream[i].bytes <= 2 * MIB);
	}
	assert_true(failed > 0);
	nl_load_result_fini(&result);
	test_scratch_remove(directory);
}

static void a_file_that_becomes_shorter_fails_the_read(void **state)
{
	char directory[64], place[128];
	struct nl_load *load;
	struct nl_error err = {.code = NL_E_OK};
	(void)state;
	struct nl_job job = test_job(NL_ENGINE_AUTO, test_scratch_make(directory));
	job.lay_files = true;
	assert_int_equal(nl_load_make(&job, NULL, &load, &err), 0);
	assert_int_equal(truncate(in(directory, "load-1", place), MIB + 512), 0);
	nl_load_start(load, 0);
	struct nl_load_result result = test_finish(load);
	assert_int_equal(result.stream[1].failure.code, NL_E_IO);
	assert_non_null(strstr(result.stream[1].failure.why, "shorter"));
	assert_non_null(strstr(result.stream[1].failure.where, place));
	nl_load_result_fini(&result);
	test_scratch_remove(directory);
}

static void laying_can_be_cancelled(void **state)
{
	char directory[64];
	struct nl_load *load;
	struct nl_error err = {.code = NL_E_OK};
	atomic_bool cancel = true;
	struct stat st;
	char place[128];
	(void)state;
	struct nl_job job = test_job(NL_ENGINE_PSYNC, test_scratch_make(directory));
	job.lay_files = true;
	/* More than any machine writes in the time that it takes to look at `cancel`. */
	job.file_bytes = UINT64_C(8) << 30;
	int64_t began = nl_mono_ns();
	assert_int_equal(nl_load_make(&job, &cancel, &load, &err), NL_E_CANCELLED);
	assert_true(nl_mono_ns() - began < 10 * NL_NS_PER_S);
	/* What was laid is given back. */
	assert_int_equal(stat(in(directory, "load-0", place), &st), 0);
	assert_int_equal(st.st_size, 0);
	test_scratch_remove(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(links_are_refused_and_what_they_point_to_is_untouched),
		cmocka_unit_test(what_is_no_regular_file_is_refused_without_being_opened),
		cmocka_unit_test(missing_things_are_named),
		cmocka_unit_test(a_full_disk_is_said_before_the_load_when_laying_and_ends_a_write),
		cmocka_unit_test(a_stream_that_fails_stops_the_whole_load),
		cmocka_unit_test(a_file_that_becomes_shorter_fails_the_read),
		cmocka_unit_test(laying_can_be_cancelled),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
