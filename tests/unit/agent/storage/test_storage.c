/* storage: the scratch directory is made, found and removed, and nothing else ever is. */
#include "agent/storage/storage.h"
#include "agent/storage/scratch.h"
#include "unit/agent/facts.h"
#include "unit/agent/namespace.h"
#include "unit/agent/scratch.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "agent/storage/directory.h"
#include "base/parse.h"

#define RUN "20261130-1a2b"

static const struct nl_storage_backend *const backend = &nl_storage_directory;
static char base[64], pool[80], state[80], scratch[1024];
static struct nl_journal *journal;
static struct nl_error err;

static int setup(void **context)
{
	(void)context;
	test_scratch_make(base);
	snprintf(pool, sizeof pool, "%s/pool", base);
	snprintf(state, sizeof state, "%s/state", base);
	assert_int_equal(mkdir(pool, 0755), 0);
	assert_int_equal(nl_journal_open(state, &journal, &err), 0);
	snprintf(scratch, sizeof scratch, "%s/nasline-%s", pool, RUN);
	return 0;
}

static int teardown(void **context)
{
	(void)context;
	nl_journal_close(journal);
	test_scratch_remove(base);
	return 0;
}

static unsigned entries(void)
{
	struct nl_journal_entry *list;
	size_t count, damaged;
	CHECK(nl_journal_list(journal, &list, &count, &damaged, &err) == 0);
	free(list);
	return (unsigned)count;
}

static int prepare(uint64_t need)
{
	char path[1024];
	int code = backend->prepare(journal, pool, RUN, need, path, &err);
	CHECK(code || strcmp(path, scratch) == 0);
	return code;
}

static int destroy(void)
{
	memset(&err, 0, sizeof err);
	return backend->destroy(journal, scratch, RUN, &err);
}

/* Paths in the scratch directory, and beside it in the pool; the last four stay good. */
static const char *path_in(const char *directory, const char *name)
{
	static char path[4][1200];
	static unsigned next;
	next = (next + 1) % 4;
	snprintf(path[next], sizeof path[next], "%s/%s", directory, name);
	return path[next];
}

static const char *below(const char *name)
{
	return path_in(scratch, name);
}

static const char *beside(const char *name)
{
	return path_in(pool, name);
}

static void touch(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0644);
	CHECK(fd >= 0);
	close(fd);
}

static bool exists(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0;
}

static mode_t mode_of(const char *path)
{
	struct stat st;
	CHECK(lstat(path, &st) == 0);
	return st.st_mode & 07777;
}

/* --- making ---------------------------------------------------------------------------------------------------- */

static void servers_users_can_write_into_share_and_nobody_into_pool(void **context)
{
	(void)context;
	mode_t mask = umask(077);
	assert_int_equal(prepare(1 << 20), 0);
	umask(mask);
	assert_int_equal(mode_of(scratch), 0711);
	assert_int_equal(mode_of(below("share")), 01777);
	assert_int_equal(mode_of(below("pool")), 0700);
	assert_int_equal(mode_of(below(NL_SCRATCH_MARKER)), 0600);
	assert_int_equal(entries(), 1);
	assert_int_equal(destroy(), 0);
	assert_false(exists(scratch));
	assert_int_equal(entries(), 0);
}

static void preparing_twice_gives_the_same_directory_and_one_entry(void **context)
{
	(void)context;
	assert_int_equal(prepare(0), 0);
	touch(below("share/kept"));
	assert_int_equal(prepare(0), 0);
	assert_true(exists(below("share/kept")));
	assert_int_equal(entries(), 1);
	assert_int_equal(destroy(), 0);
}

static void a_name_that_is_taken_is_refused_and_left_alone(void **context)
{
	(void)context;
	assert_int_equal(mkdir(scratch, 0755), 0);
	touch(below("precious"));
	assert_int_equal(prepare(0), NL_E_LEFTOVER);
	assert_string_equal(err.where, scratch);
	assert_true(exists(below("precious")));
	assert_int_equal(entries(), 0);
}

static void a_run_name_that_leads_elsewhere_is_refused(void **context)
{
	(void)context;
	static const char *const bad[] = {"",   ".",       "..",  "../x", "a/b",
					  "-r", ".hidden", "a b", "a\n",  "0123456789012345678901234567890123456789"};
	char path[1024];
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		assert_int_equal(backend->prepare(journal, pool, bad[i], 0, path, &err), NL_E_CONFIG);
	assert_int_equal(entries(), 0);
}

static void a_missing_pool_is_not_found(void **context)
{
	(void)context;
	char path[1024];
	assert_int_equal(backend->prepare(journal, "/nonexistent/pool", RUN, 0, path, &err), NL_E_NOT_FOUND);
	assert_string_equal(err.where, "/nonexistent/pool");
	assert_int_equal(entries(), 0);
}

static void in_small_tmpfs(void)
{
	CHECK(mount("tmpfs", pool, "tmpfs", 0, "size=128m") == 0);
	CHECK(prepare(70u << 20) == NL_E_SPACE);
	CHECK(strstr(err.why, "73.4 MB") && strstr(err.why, "67.1 MB"));
	CHECK(!exists(scratch) && entries() == 0);
	CHECK(prepare(UINT64_MAX) == NL_E_SPACE);
	CHECK(prepare(60u << 20) == 0);
	CHECK(destroy() == 0);
}

static void a_pool_too_small_is_refused_before_anything_is_made(void **context)
{
	(void)context;
	test_in_namespaces(CLONE_NEWNS, in_small_tmpfs);
}

static void in_few_inodes(void)
{
	CHECK(mount("tmpfs", pool, "tmpfs", 0, "size=256m,nr_inodes=100") == 0);
	CHECK(prepare(0) == NL_E_SPACE);
	CHECK(strstr(err.what, "inodes"));
}

static void a_pool_without_inodes_is_refused(void **context)
{
	(void)context;
	test_in_namespaces(CLONE_NEWNS, in_few_inodes);
}

static void in_read_only(void)
{
	CHECK(mount("tmpfs", pool, "tmpfs", MS_RDONLY, "size=256m") == 0);
	CHECK(prepare(0) == NL_E_ACCESS);
	CHECK(err.sys_errno == EROFS);
	CHECK(entries() == 0);
}

static void a_pool_that_cannot_be_written_is_refused_and_nothing_is_journalled(void **context)
{
	(void)context;
	test_in_namespaces(CLONE_NEWNS, in_read_only);
}

/* --- removing -------------------------------------------------------------------------------------------------- */

static void everything_inside_goes_whatever_its_name(void **context)
{
	(void)context;
	assert_int_equal(prepare(0), 0);
	touch(below("pool/a\nb"));
	touch(below("share/-rf"));
	assert_int_equal(mkdir(below("share/d"), 0), 0);
	assert_int_equal(mkdir(below("share/e"), 0700), 0);
	assert_int_equal(mkdir(below("share/e/f"), 0700), 0);
	touch(below("share/e/f/g"));
	assert_int_equal(mkfifo(below("share/pipe"), 0600), 0);
	assert_int_equal(destroy(), 0);
	assert_false(exists(scratch));
	assert_int_equal(entries(), 0);
}

static void a_missing_directory_is_fine_and_forgotten(void **context)
{
	(void)context;
	struct nl_journal_entry entry = {.kind = NL_JOURNAL_SCRATCH, .run_id = RUN};
	snprintf(entry.path, sizeof entry.path, "%s", scratch);
	assert_int_equal(nl_journal_add(journal, &entry, &err), 0);
	assert_int_equal(destroy(), 0);
	assert_int_equal(entries(), 0);
}

static void a_directory_without_marker_stays(void **context)
{
	(void)context;
	assert_int_equal(prepare(0), 0);
	touch(below("pool/data"));
	assert_int_equal(unlink(below(NL_SCRATCH_MARKER)), 0);
	assert_int_equal(destroy(), NL_E_LEFTOVER);
	assert_string_equal(err.where, scratch);
	assert_non_null(strstr(err.why, "no marker"));
	assert_true(exists(below("pool/data")));
	assert_int_equal(entries(), 1);
}

static void a_directory_of_another_run_stays(void **context)
{
	(void)context;
	assert_int_equal(prepare(0), 0);
	FILE *f = fopen(below(NL_SCRATCH_MARKER), "w");
	assert_non_null(f);
	fputs("nasline scratch 1\nrun other\n", f);
	fclose(f);
	touch(below("pool/data"));
	assert_int_equal(destroy(), NL_E_LEFTOVER);
	assert_non_null(strstr(err.why, "another run"));
	assert_true(exists(below("pool/data")));
}

static void a_marker_that_is_a_link_or_a_pipe_or_garbage_does_not_count(void **context)
{
	(void)context;
	assert_int_equal(prepare(0), 0);
	touch(below("pool/data"));
	assert_int_equal(rename(below(NL_SCRATCH_MARKER), beside("marker")), 0);
	assert_int_equal(symlink("../marker", below(NL_SCRATCH_MARKER)), 0);
	assert_int_equal(destroy(), NL_E_LEFTOVER);
	assert_int_equal(unlink(below(NL_SCRATCH_MARKER)), 0);
	assert_int_equal(mkfifo(below(NL_SCRATCH_MARKER), 0600), 0);
	assert_int_equal(destroy(), NL_E_LEFTOVER);
	assert_int_equal(unlink(below(NL_SCRATCH_MARKER)), 0);
	static const char *const bad[] = {"", "nasline scratch 1\nrun " RUN, "nasline scratch 1\nrun " RUN "x\n",
					  "nasline scratch 2\nrun " RUN "\n", "nasline scratch 1\nrun " RUN "\nmore\n"};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		FILE *f = fopen(below(NL_SCRATCH_MARKER), "w");
		fputs(bad[i], f);
		fclose(f);
		assert_int_equal(destroy(), NL_E_LEFTOVER);
	}
	assert_true(exists(below("pool/data")));
}

static void a_marker_of_another_user_does_not_count(void **context)
{
	(void)context;
	assert_int_equal(prepare(0), 0);
	assert_int_equal(chown(below(NL_SCRATCH_MARKER), 65534, 65534), 0);
	assert_int_equal(destroy(), NL_E_LEFTOVER);
	assert_true(exists(below("share")));
}

static void a_path_that_is_not_of_the_run_is_refused(void **context)
{
	(void)context;
	static const char *const bad[] = {"/",
					  "/tmp",
					  "",
					  "relative/nasline-" RUN,
					  "/nasline-",
					  "/tmp/nasline-" RUN "/pool",
					  "/tmp/nasline-" RUN "/"};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		assert_int_equal(backend->destroy(journal, bad[i], RUN, &err), NL_E_LEFTOVER);
	assert_int_equal(prepare(0), 0);
	assert_int_equal(backend->destroy(journal, scratch, "other", &err), NL_E_LEFTOVER);
	assert_int_equal(backend->destroy(journal, scratch, "", &err), NL_E_LEFTOVER);
	assert_true(exists(scratch));
}

static void links_inside_are_removed_and_what_they_point_at_stays(void **context)
{
	(void)context;
	assert_int_equal(prepare(0), 0);
	assert_int_equal(mkdir(beside("outside"), 0755), 0);
	touch(beside("outside/precious"));
	assert_int_equal(symlink("../../outside", below("pool/sub")), 0);
	assert_int_equal(symlink(beside("outside/precious"), below("share/file")), 0);
	assert_int_equal(destroy(), 0);
	assert_false(exists(scratch));
	assert_true(exists(beside("outside/precious")));
}

static void a_scratch_directory_replaced_by_a_link_is_not_followed(void **context)
{
	(void)context;
	assert_int_equal(prepare(0), 0);
	assert_int_equal(rename(scratch, beside("moved")), 0);
	assert_int_equal(symlink("moved", scratch), 0);
	assert_int_equal(destroy(), NL_E_LEFTOVER);
	assert_true(exists(beside("moved/share")));
	assert_true(exists(scratch));
	assert_int_equal(entries(), 1);
}

static void a_crash_between_making_and_marking_leaves_nothing(void **context)
{
	(void)context;
	assert_int_equal(prepare(0), 0);
	assert_int_equal(rmdir(below("pool")), 0);
	assert_int_equal(rmdir(below("share")), 0);
	assert_int_equal(unlink(below(NL_SCRATCH_MARKER)), 0);
	assert_int_equal(destroy(), 0);
	assert_false(exists(scratch));
	assert_int_equal(entries(), 0);
}

static void in_mounted_inside(void)
{
	CHECK(prepare(0) == 0);
	CHECK(mkdir(below("pool/m"), 0755) == 0);
	CHECK(mount("tmpfs", below("pool/m"), "tmpfs", 0, "size=1m") == 0);
	touch(below("pool/m/precious"));
	touch(below("share/ours"));
	CHECK(destroy() == NL_E_LEFTOVER);
	CHECK(strcmp(err.where, below("pool/m")) == 0);
	CHECK(exists(below("pool/m/precious")));
	CHECK(entries() == 1);
	CHECK(umount(below("pool/m")) == 0);
	CHECK(destroy() == 0);
}

static void a_mount_inside_stops_the_removal(void **context)
{
	(void)context;
	test_in_namespaces(CLONE_NEWNS, in_mounted_inside);
}

static void in_bound_inside(void)
{
	char outside[200];
	snprintf(outside, sizeof outside, "%s/outside", base);
	CHECK(prepare(0) == 0);
	CHECK(mkdir(outside, 0755) == 0 && mkdir(below("pool/m"), 0755) == 0);
	CHECK(mount(outside, below("pool/m"), NULL, MS_BIND, NULL) == 0);
	touch(below("pool/m/precious"));
	CHECK(destroy() == NL_E_LEFTOVER);
	CHECK(strcmp(err.where, below("pool/m")) == 0);
	CHECK(exists(below("pool/m/precious")));
	CHECK(umount(below("pool/m")) == 0);
	CHECK(destroy() == 0);
	snprintf(outside, sizeof outside, "%s/outside/precious", base);
	CHECK(exists(outside));
}

static void a_bind_mount_of_the_same_file_system_stops_it_too(void **context)
{
	(void)context;
	test_in_namespaces(CLONE_NEWNS, in_bound_inside);
}

static void in_mounted_over(void)
{
	CHECK(prepare(0) == 0);
	CHECK(mount("tmpfs", scratch, "tmpfs", 0, "size=1m") == 0);
	CHECK(destroy() == NL_E_LEFTOVER);
	CHECK(strcmp(err.where, scratch) == 0);
	CHECK(umount(scratch) == 0);
	CHECK(destroy() == 0);
}

static void a_mount_over_the_scratch_directory_stops_it_too(void **context)
{
	(void)context;
	test_in_namespaces(CLONE_NEWNS, in_mounted_over);
}

static void in_pool_gone(void)
{
	CHECK(mount("nasline-pool", pool, "tmpfs", 0, "size=256m") == 0);
	CHECK(prepare(0) == 0);
	CHECK(umount2(pool, MNT_DETACH) == 0);
	CHECK(destroy() == NL_E_LEFTOVER);
	CHECK(strstr(err.why, "not mounted now") && strstr(err.todo, "tmpfs nasline-pool"));
	CHECK(entries() == 1);
	CHECK(rmdir(pool) == 0);
	CHECK(destroy() == NL_E_LEFTOVER);
	CHECK(entries() == 1);
	CHECK(mkdir(pool, 0755) == 0);
}

static void a_pool_that_is_not_mounted_is_not_taken_for_clean(void **context)
{
	(void)context;
	test_in_namespaces(CLONE_NEWNS, in_pool_gone);
}

static bool set_immutable(const char *path, bool on)
{
	int flags, fd = open(path, O_RDONLY);
	CHECK(fd >= 0);
	bool good = ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0;
	flags = on ? flags | FS_IMMUTABLE_FL : flags & ~FS_IMMUTABLE_FL;
	good = good && ioctl(fd, FS_IOC_SETFLAGS, &flags) == 0;
	close(fd);
	return good;
}

static void an_immutable_file_is_named_and_the_rest_goes(void **context)
{
	(void)context;
	assert_int_equal(prepare(0), 0);
	touch(below("pool/stuck"));
	touch(below("pool/z"));
	touch(below("share/y"));
	assert_true(set_immutable(below("pool/stuck"), true));
	int code = destroy();
	bool still = exists(below("pool/stuck")), others = exists(below("pool/z")) || exists(below("share/y"));
	assert_true(set_immutable(below("pool/stuck"), false));
	assert_int_equal(code, NL_E_LEFTOVER);
	assert_string_equal(err.where, below("pool/stuck"));
	assert_non_null(strstr(err.todo, "immutable"));
	assert_true(still);
	assert_false(others);
	assert_true(exists(below(NL_SCRATCH_MARKER)));
	assert_int_equal(entries(), 1);
	assert_int_equal(destroy(), 0);
	assert_int_equal(entries(), 0);
}

static void a_tree_too_deep_to_be_ours_is_named(void **context)
{
	(void)context;
	assert_int_equal(prepare(0), 0);
	int fd = open(below("pool"), O_RDONLY | O_DIRECTORY);
	for (int i = 0; i < 70; i++) {
		assert_int_equal(mkdirat(fd, "d", 0755), 0);
		int next = openat(fd, "d", O_RDONLY | O_DIRECTORY);
		close(fd);
		fd = next;
	}
	close(fd);
	assert_int_equal(destroy(), NL_E_LEFTOVER);
	assert_non_null(strstr(err.why, "too deep"));
}

/* --- the rest -------------------------------------------------------------------------------------------------- */

static unsigned stale_count;
static char stale_path[1024], stale_run[40];

static void stale_sink(void *context, const char *path, const char *run_id, int64_t age_s)
{
	(void)context;
	stale_count++;
	assert_true(age_s >= 0 && age_s < 600);
	snprintf(stale_path, sizeof stale_path, "%s", path);
	snprintf(stale_run, sizeof stale_run, "%s", run_id);
}

static void what_other_runs_left_is_found_by_its_marker(void **context)
{
	(void)context;
	char path[1024];
	assert_int_equal(prepare(0), 0);
	assert_int_equal(backend->prepare(journal, pool, "older", 0, path, &err), 0);
	assert_int_equal(mkdir(beside("nasline-notours"), 0755), 0);
	assert_int_equal(symlink("nasline-older", beside("nasline-link")), 0);
	/* A copy under another name is not what its marker says. */
	assert_int_equal(backend->prepare(journal, pool, "moved", 0, path, &err), 0);
	assert_int_equal(rename(beside("nasline-moved"), beside("nasline-copy")), 0);
	stale_count = 0;
	assert_int_equal(nl_storage_stale(pool, RUN, stale_sink, NULL, &err), 0);
	assert_int_equal(stale_count, 1);
	assert_string_equal(stale_run, "older");
	assert_int_equal(backend->destroy(journal, stale_path, stale_run, &err), 0);
	stale_count = 0;
	assert_int_equal(nl_storage_stale(pool, NULL, stale_sink, NULL, &err), 0);
	assert_int_equal(stale_count, 1);
	assert_string_equal(stale_run, RUN);
	assert_int_equal(nl_storage_stale("/nonexistent", NULL, stale_sink, NULL, &err), NL_E_NOT_FOUND);
}

static void the_storage_of_a_directory_is_described(void **context)
{
	(void)context;
	static struct test_facts facts;
	struct nl_storage_disk disks[8];
	const struct nl_storage_backend *found;
	unsigned count = 99;
	assert_int_equal(nl_storage_backend_for(pool, &found, &err), 0);
	assert_string_equal(found->name, "directory");
	assert_int_equal(found->describe(pool, test_facts_sink, &facts, &err), 0);
	assert_non_null(test_facts_get(&facts, "storage", "fstype"));
	assert_non_null(test_facts_get(&facts, "storage", "fs_options"));
	uint64_t size, available;
	assert_true(nl_parse_u64(test_facts_get(&facts, "storage", "size_bytes"), &size));
	assert_true(nl_parse_u64(test_facts_get(&facts, "storage", "available_bytes"), &available));
	assert_true(size >= available && available > 0);
	assert_int_equal(found->disks(pool, disks, 8, &count, &err), 0);
	const char *named = test_facts_get(&facts, "storage", "disks");
	if (count)
		assert_true(strncmp(named, disks[0].name, strlen(disks[0].name)) == 0);
	else
		assert_string_equal(named, "none");
	assert_int_equal(found->flush(pool, &err), 0);
}

static void in_tmpfs(void)
{
	struct nl_storage_disk disks[8];
	unsigned count = 99;
	CHECK(mount("tmpfs", pool, "tmpfs", 0, "size=1m") == 0);
	CHECK(backend->disks(pool, disks, 8, &count, &err) == 0);
	CHECK(count == 0);
}

static void a_file_system_without_a_disk_has_none(void **context)
{
	(void)context;
	test_in_namespaces(CLONE_NEWNS, in_tmpfs);
}

static void a_file_has_no_storage(void **context)
{
	(void)context;
	const struct nl_storage_backend *found;
	assert_int_equal(nl_storage_backend_for("/proc/self/status", &found, &err), NL_E_NOT_FOUND);
	assert_string_equal(err.why, "it is not a directory");
	assert_int_equal(nl_storage_backend_for("/nonexistent", &found, &err), NL_E_NOT_FOUND);
	assert_null(found);
	assert_int_equal(backend->flush("/nonexistent", &err), NL_E_NOT_FOUND);
}

int main(void)
{
#define NL_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		NL_TEST(servers_users_can_write_into_share_and_nobody_into_pool),
		NL_TEST(preparing_twice_gives_the_same_directory_and_one_entry),
		NL_TEST(a_name_that_is_taken_is_refused_and_left_alone),
		NL_TEST(a_run_name_that_leads_elsewhere_is_refused),
		NL_TEST(a_missing_pool_is_not_found),
		NL_TEST(a_pool_too_small_is_refused_before_anything_is_made),
		NL_TEST(a_pool_without_inodes_is_refused),
		NL_TEST(a_pool_that_cannot_be_written_is_refused_and_nothing_is_journalled),
		NL_TEST(everything_inside_goes_whatever_its_name),
		NL_TEST(a_missing_directory_is_fine_and_forgotten),
		NL_TEST(a_directory_without_marker_stays),
		NL_TEST(a_directory_of_another_run_stays),
		NL_TEST(a_marker_that_is_a_link_or_a_pipe_or_garbage_does_not_count),
		NL_TEST(a_marker_of_another_user_does_not_count),
		NL_TEST(a_path_that_is_not_of_the_run_is_refused),
		NL_TEST(links_inside_are_removed_and_what_they_point_at_stays),
		NL_TEST(a_scratch_directory_replaced_by_a_link_is_not_followed),
		NL_TEST(a_crash_between_making_and_marking_leaves_nothing),
		NL_TEST(a_mount_inside_stops_the_removal),
		NL_TEST(a_bind_mount_of_the_same_file_system_stops_it_too),
		NL_TEST(a_mount_over_the_scratch_directory_stops_it_too),
		NL_TEST(a_pool_that_is_not_mounted_is_not_taken_for_clean),
		NL_TEST(an_immutable_file_is_named_and_the_rest_goes),
		NL_TEST(a_tree_too_deep_to_be_ours_is_named),
		NL_TEST(what_other_runs_left_is_found_by_its_marker),
		NL_TEST(the_storage_of_a_directory_is_described),
		NL_TEST(a_file_system_without_a_disk_has_none),
		NL_TEST(a_file_has_no_storage),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
