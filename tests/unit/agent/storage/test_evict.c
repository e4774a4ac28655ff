/* evict: pages of real files leave memory, and what stays is told. */
#include "agent/storage/evict.h"
#include "unit/agent/namespace.h"
#include "unit/agent/scratch.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define FILE_BYTES (4u << 20)

static char dir[64];

static int setup(void **context)
{
	(void)context;
	test_scratch_make(dir);
	return 0;
}

static int teardown(void **context)
{
	(void)context;
	test_scratch_remove(dir);
	return 0;
}

static int make_file(const char *in, const char *name)
{
	static char block[1 << 16];
	char path[200];
	snprintf(path, sizeof path, "%s/%s", in, name);
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
	CHECK(fd >= 0);
	memset(block, 'x', sizeof block);
	for (size_t done = 0; done < FILE_BYTES; done += sizeof block)
		CHECK(write(fd, block, sizeof block) == (ssize_t)sizeof block);
	return fd;
}

static uint64_t resident(int fd)
{
	uint64_t pages, stayed;
	struct nl_error err;
	assert_int_equal(nl_evict_resident(fd, "file", &pages, &stayed, &err), 0);
	assert_int_equal(pages, FILE_BYTES / (unsigned)sysconf(_SC_PAGESIZE));
	return stayed;
}

static void dirty_files_of_the_prefix_leave_the_cache_and_others_stay(void **context)
{
	(void)context;
	double share;
	struct nl_error err;
	int ours = make_file(dir, "run-0"), ours2 = make_file(dir, "run-1"), other = make_file(dir, "runs-0");
	assert_true(resident(ours) > 0);
	uint64_t before = resident(other);
	assert_int_equal(nl_evict_files(dir, "run", &share, &err), 0);
	assert_true(share == 0);
	assert_int_equal(resident(ours), 0);
	assert_int_equal(resident(ours2), 0);
	assert_int_equal(resident(other), before);
	close(ours);
	close(ours2);
	close(other);
}

static void pages_that_somebody_maps_stay_and_are_told(void **context)
{
	(void)context;
	double share;
	struct nl_error err;
	int fd = make_file(dir, "run-0");
	volatile char *map = mmap(NULL, FILE_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	assert_true(map != MAP_FAILED);
	for (size_t i = 0; i < FILE_BYTES; i += 4096)
		(void)map[i];
	assert_int_equal(nl_evict_files(dir, "run", &share, &err), 0);
	assert_true(share > 0.9 && share <= 1);
	munmap((void *)(uintptr_t)map, FILE_BYTES);
	assert_int_equal(nl_evict_files(dir, "run", &share, &err), 0);
	assert_true(share == 0);
	close(fd);
}

static void in_tmpfs(void)
{
	double share;
	struct nl_error err;
	CHECK(mount("tmpfs", dir, "tmpfs", 0, "size=16m") == 0);
	close(make_file(dir, "run-0"));
	CHECK(nl_evict_files(dir, "run", &share, &err) == 0);
	CHECK(share == 1);
}

static void a_file_system_that_is_memory_keeps_all(void **context)
{
	(void)context;
	test_in_namespaces(CLONE_NEWNS, in_tmpfs);
}

static void what_is_no_file_is_not_touched(void **context)
{
	(void)context;
	char path[200];
	double share;
	struct nl_error err;
	int target = make_file(dir, "target");
	uint64_t before = resident(target);
	snprintf(path, sizeof path, "%s/run-0", dir);
	assert_int_equal(symlink("target", path), 0);
	snprintf(path, sizeof path, "%s/run-1", dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(nl_evict_files(dir, "run", &share, &err), 0);
	assert_true(share == 0);
	assert_int_equal(resident(target), before);
	close(target);
}

static void a_directory_that_is_not_there_is_an_error_that_names_it(void **context)
{
	(void)context;
	double share;
	struct nl_error err;
	assert_int_equal(nl_evict_files("/nonexistent/x", "run", &share, &err), NL_E_NOT_FOUND);
	assert_string_equal(err.where, "/nonexistent/x");
	assert_true(share == 1);
}

int main(void)
{
#define NL_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		NL_TEST(dirty_files_of_the_prefix_leave_the_cache_and_others_stay),
		NL_TEST(pages_that_somebody_maps_stay_and_are_told),
		NL_TEST(a_file_system_that_is_memory_keeps_all),
		NL_TEST(what_is_no_file_is_not_touched),
		NL_TEST(a_directory_that_is_not_there_is_an_error_that_names_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
