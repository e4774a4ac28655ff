/* The journal survives what a crash, a second process and damaged files do to it. */
#include "agent/journal.h"
#include "unit/agent/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/wait.h>

static char state[64];

static int setup(void **context)
{
	(void)context;
	test_scratch_make(state);
	return 0;
}

static int teardown(void **context)
{
	(void)context;
	test_scratch_remove(state);
	return 0;
}

static struct nl_journal *open_it(void)
{
	struct nl_journal *journal;
	struct nl_error err;
	assert_int_equal(nl_journal_open(state, &journal, &err), 0);
	return journal;
}

static struct nl_journal_entry add(struct nl_journal *journal, enum nl_journal_kind kind, const char *path)
{
	struct nl_error err;
	struct nl_journal_entry entry = {.kind = kind, .run_id = "run-1", .detail = "the detail"};
	snprintf(entry.path, sizeof entry.path, "%s", path);
	assert_int_equal(nl_journal_add(journal, &entry, &err), 0);
	assert_true(entry.id[0]);
	return entry;
}

static struct nl_journal_entry *list(struct nl_journal *journal, size_t expected, size_t damaged_expected)
{
	struct nl_journal_entry *entries;
	size_t count, damaged;
	struct nl_error err;
	assert_int_equal(nl_journal_list(journal, &entries, &count, &damaged, &err), 0);
	assert_int_equal(count, expected);
	assert_int_equal(damaged, damaged_expected);
	return entries;
}

static void write_file(const char *name, const char *text)
{
	char path[200];
	snprintf(path, sizeof path, "%s/journal/%s", state, name);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void entries_come_back_newest_first_after_a_restart(void **context)
{
	(void)context;
	struct nl_journal *journal = open_it();
	add(journal, NL_JOURNAL_SCRATCH, "/pool/a");
	add(journal, NL_JOURNAL_MOUNT, "/state/mnt/b");
	nl_journal_close(journal);
	journal = open_it();
	add(journal, NL_JOURNAL_SHARE_FILES, "c");
	struct nl_journal_entry *entries = list(journal, 3, 0);
	assert_string_equal(entries[0].path, "c");
	assert_string_equal(entries[1].path, "/state/mnt/b");
	assert_string_equal(entries[2].path, "/pool/a");
	assert_int_equal(entries[1].kind, NL_JOURNAL_MOUNT);
	assert_string_equal(entries[2].run_id, "run-1");
	assert_string_equal(entries[2].detail, "the detail");
	free(entries);
	nl_journal_close(journal);
}

static void any_byte_of_a_path_survives(void **context)
{
	(void)context;
	char path[256];
	for (int i = 1; i < 256; i++)
		path[i - 1] = (char)i;
	path[255] = '\0';
	struct nl_journal *journal = open_it();
	add(journal, NL_JOURNAL_SCRATCH, path);
	struct nl_journal_entry *entries = list(journal, 1, 0);
	assert_string_equal(entries[0].path, path);
	free(entries);
	nl_journal_close(journal);
}

static void the_longest_path_and_detail_survive(void **context)
{
	(void)context;
	struct nl_journal *journal = open_it();
	struct nl_journal_entry entry = {.kind = NL_JOURNAL_MOUNT};
	struct nl_error err;
	memset(entry.path, '\n', sizeof entry.path - 1);
	memset(entry.detail, '\\', sizeof entry.detail - 1);
	assert_int_equal(nl_journal_add(journal, &entry, &err), 0);
	struct nl_journal_entry *entries = list(journal, 1, 0);
	assert_string_equal(entries[0].path, entry.path);
	assert_string_equal(entries[0].detail, entry.detail);
	free(entries);
	nl_journal_close(journal);
}

static void a_removed_entry_is_gone_and_an_unknown_id_is_fine(void **context)
{
	(void)context;
	struct nl_error err;
	struct nl_journal *journal = open_it();
	struct nl_journal_entry a = add(journal, NL_JOURNAL_SCRATCH, "/a");
	add(journal, NL_JOURNAL_SCRATCH, "/b");
	assert_int_equal(nl_journal_remove(journal, a.id, &err), 0);
	assert_int_equal(nl_journal_remove(journal, a.id, &err), 0);
	assert_int_equal(nl_journal_remove(journal, "../lock", &err), 0);
	assert_int_equal(nl_journal_remove(journal, "", &err), 0);
	struct nl_journal_entry *entries = list(journal, 1, 0);
	assert_string_equal(entries[0].path, "/b");
	free(entries);
	nl_journal_close(journal);
}

static void an_id_is_never_given_twice(void **context)
{
	(void)context;
	struct nl_error err;
	struct nl_journal *journal = open_it();
	struct nl_journal_entry first = add(journal, NL_JOURNAL_SCRATCH, "/a");
	assert_int_equal(nl_journal_remove(journal, first.id, &err), 0);
	nl_journal_close(journal);
	journal = open_it();
	struct nl_journal_entry second = add(journal, NL_JOURNAL_SCRATCH, "/b");
	assert_string_not_equal(first.id, second.id);
	nl_journal_close(journal);
}

static void a_damaged_entry_is_counted_and_the_others_are_read(void **context)
{
	(void)context;
	struct nl_journal *journal = open_it();
	add(journal, NL_JOURNAL_SCRATCH, "/a");
	write_file("000000000900-00000000.entry", "");
	write_file("000000000901-00000000.entry", "nasline-journal 1\nkind scratch\nrun r\npath /x\ndetail d\n");
	write_file("000000000902-00000000.entry", "nasline-journal 1\nkind scratch\npath /y\npath /x\ndetail d\nend\n");
	write_file("000000000903-00000000.entry", "nasline-journal 1\nkind what\nrun r\npath /x\ndetail d\nend\n");
	write_file("000000000904-00000000.entry", "nasline-journal 1\nkind mount\nrun r\npath \\047\ndetail d\nend\n");
	write_file("notes.txt", "not an entry");
	struct nl_journal_entry *entries = list(journal, 1, 5);
	assert_string_equal(entries[0].path, "/a");
	free(entries);
	nl_journal_close(journal);
}

static void remains_of_a_crash_are_removed_at_the_next_start(void **context)
{
	(void)context;
	nl_journal_close(open_it());
	write_file("000000000007-00c0ffee.entry.Ab3dEf", "half an ent");
	nl_journal_close(open_it());
	char path[200];
	snprintf(path, sizeof path, "%s/journal/000000000007-00c0ffee.entry.Ab3dEf", state);
	assert_int_equal(access(path, F_OK), -1);
}

static void a_second_process_is_refused_and_told_why(void **context)
{
	(void)context;
	struct nl_journal *journal = open_it();
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		struct nl_journal *second;
		struct nl_error err;
		int code = nl_journal_open(state, &second, &err);
		bool good =
			code == NL_E_SYSTEM && err.sys_errno == EWOULDBLOCK && strstr(err.why, "another nasline-agent");
		_exit(good && !second ? 0 : 1);
	}
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	nl_journal_close(journal);
}

static void a_directory_that_others_may_write_is_refused(void **context)
{
	(void)context;
	char path[200];
	struct nl_journal *journal;
	struct nl_error err;
	snprintf(path, sizeof path, "%s/journal", state);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(chmod(path, 0777), 0);
	assert_int_equal(nl_journal_open(state, &journal, &err), NL_E_ACCESS);
	assert_null(journal);
}

static void a_symbolic_link_in_the_place_of_the_journal_is_refused(void **context)
{
	(void)context;
	char path[200];
	struct nl_journal *journal;
	struct nl_error err;
	snprintf(path, sizeof path, "%s/journal", state);
	assert_int_equal(symlink("/tmp", path), 0);
	assert_int_not_equal(nl_journal_open(state, &journal, &err), 0);
	assert_string_equal(err.where, path);
}

static void *add_fifty(void *journal)
{
	for (int i = 0; i < 50; i++) {
		struct nl_error err;
		struct nl_journal_entry entry = {.kind = NL_JOURNAL_SCRATCH, .path = "/p"};
		if (nl_journal_add(journal, &entry, &err) != 0 ||
		    (i % 2 && nl_journal_remove(journal, entry.id, &err) != 0))
			return journal;
	}
	return NULL;
}

static void threads_may_add_remove_and_list_at_once(void **context)
{
	(void)context;
	struct nl_journal *journal = open_it();
	pthread_t threads[3];
	for (int i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, add_fifty, journal), 0);
	for (int i = 0; i < 20; i++) {
		struct nl_journal_entry *entries;
		size_t count, damaged;
		struct nl_error err;
		assert_int_equal(nl_journal_list(journal, &entries, &count, &damaged, &err), 0);
		assert_int_equal(damaged, 0);
		free(entries);
	}
	for (int i = 0; i < 3; i++) {
		void *failed;
		pthread_join(threads[i], &failed);
		assert_null(failed);
	}
	free(list(journal, 75, 0));
	nl_journal_close(journal);
}

int main(void)
{
#define NL_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		NL_TEST(entries_come_back_newest_first_after_a_restart),
		NL_TEST(any_byte_of_a_path_survives),
		NL_TEST(the_longest_path_and_detail_survive),
		NL_TEST(a_removed_entry_is_gone_and_an_unknown_id_is_fine),
		NL_TEST(an_id_is_never_given_twice),
		NL_TEST(a_damaged_entry_is_counted_and_the_others_are_read),
		NL_TEST(remains_of_a_crash_are_removed_at_the_next_start),
		NL_TEST(a_second_process_is_refused_and_told_why),
		NL_TEST(a_directory_that_others_may_write_is_refused),
		NL_TEST(a_symbolic_link_in_the_place_of_the_journal_is_refused),
		NL_TEST(threads_may_add_remove_and_list_at_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
