/* The file itself: who may use it, transactions, and that a killed writer leaves nothing half done. */
#include "scratch.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <sqlite3.h>

static void sql(const char *path, const char *text)
{
	sqlite3 *db;
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

static void the_file_is_for_its_owner_alone(void **state)
{
	struct scratch *scratch = *state;
	struct stat st;
	assert_int_equal(stat(scratch->path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
}

static void a_store_is_opened_again_with_what_it_held(void **state)
{
	struct scratch *scratch = *state;
	struct nl_store_run run;
	char *yaml, *plan;
	scratch_run(scratch->store, "r1", 5);
	nl_store_close(scratch->store);
	assert_ok(nl_store_open(scratch->path, &scratch->store, err));
	assert_ok(nl_store_run_get(scratch->store, "r1", &run, &yaml, &plan, err));
	assert_string_equal(run.title, "a run");
	assert_string_equal(yaml, "campaign: a\n");
	assert_string_equal(plan, "{}");
	free(yaml);
	free(plan);
}

static void a_database_of_another_program_is_refused_and_left_as_it_is(void **state)
{
	struct scratch *scratch = *state;
	struct nl_store *other;
	struct nl_error refusal;
	nl_store_close(scratch->store);
	scratch->store = NULL;
	unlink(scratch->path);
	sql(scratch->path, "CREATE TABLE notes(text)");
	assert_int_equal(nl_store_open(scratch->path, &other, &refusal), NL_E_STORE);
	assert_null(other);
	assert_non_null(strstr(refusal.why, "another program"));
	assert_int_equal(nl_store_open_read(scratch->path, &other, &refusal), NL_E_STORE);
	sql(scratch->path, "SELECT text FROM notes");
}

static void a_newer_schema_is_refused(void **state)
{
	struct scratch *scratch = *state;
	struct nl_store *other;
	struct nl_error refusal;
	sql(scratch->path, "PRAGMA user_version = 99");
	assert_int_equal(nl_store_open(scratch->path, &other, &refusal), NL_E_STORE);
	assert_non_null(strstr(refusal.why, "newer"));
	assert_int_equal(nl_store_open_read(scratch->path, &other, &refusal), NL_E_STORE);
}

static void a_file_that_is_no_database_is_refused(void **state)
{
	struct scratch *scratch = *state;
	struct nl_store *other;
	struct nl_error refusal;
	nl_store_close(scratch->store);
	scratch->store = NULL;
	unlink(scratch->path);
	int fd = open(scratch->path, O_WRONLY | O_CREAT, 0600);
	for (int i = 0; i < 100; i++)
		assert_int_equal(write(fd, "these are my notes, not a database\n", 35), 35);
	close(fd);
	assert_int_equal(nl_store_open(scratch->path, &other, &refusal), NL_E_STORE);
	assert_non_null(strstr(refusal.why, "not a database"));
	struct stat st;
	assert_int_equal(stat(scratch->path, &st), 0);
	assert_int_equal(st.st_size, 3500);
}

static void reading_never_makes_a_file(void **state)
{
	struct scratch *scratch = *state;
	struct nl_store *other;
	struct nl_error refusal;
	char path[128];
	snprintf(path, sizeof(path), "%s/none.db", scratch->directory);
	assert_int_equal(nl_store_open_read(path, &other, &refusal), NL_E_NOT_FOUND);
	assert_int_equal(access(path, F_OK), -1);
}

static void a_reader_cannot_write(void **state)
{
	struct scratch *scratch = *state;
	struct nl_store *reader;
	struct nl_error refusal;
	scratch_run(scratch->store, "r1", 5);
	assert_ok(nl_store_open_read(scratch->path, &reader, err));
	assert_int_equal(nl_store_event_add(reader, "r1", 1, "info", "x", &refusal), NL_E_ACCESS);
	nl_store_close(reader);
}

static void a_damaged_database_is_found_by_the_check(void **state)
{
	struct scratch *scratch = *state;
	struct nl_error refusal;
	scratch_run(scratch->store, "r1", 5);
	assert_ok(nl_store_begin(scratch->store, err));
	for (int i = 0; i < 2000; i++)
		assert_ok(nl_store_event_add(scratch->store, "r1", i, "info", "a text that fills the pages of a table",
					     err));
	assert_ok(nl_store_commit(scratch->store, err));
	assert_ok(nl_store_check(scratch->store, err));
	nl_store_close(scratch->store);
	scratch->store = NULL;
	int fd = open(scratch->path, O_WRONLY);
	char garbage[8192];
	memset(garbage, 0x5a, sizeof(garbage));
	assert_int_equal(pwrite(fd, garbage, sizeof(garbage), 16 * 4096), (ssize_t)sizeof(garbage));
	close(fd);
	int code = nl_store_open(scratch->path, &scratch->store, &refusal);
	if (!code)
		code = nl_store_check(scratch->store, &refusal);
	assert_int_equal(code, NL_E_STORE);
}

static void a_rollback_undoes_all_of_a_transaction(void **state)
{
	struct scratch *scratch = *state;
	struct nl_store_run *runs;
	struct nl_error refusal;
	size_t count;
	assert_ok(nl_store_begin(scratch->store, err));
	scratch_run(scratch->store, "r1", 5);
	assert_ok(nl_store_event_add(scratch->store, "r1", 1, "info", "x", err));
	nl_store_rollback(scratch->store);
	assert_ok(nl_store_runs(scratch->store, &runs, &count, err));
	assert_int_equal(count, 0);
	free(runs);
	assert_int_equal(nl_store_event_add(scratch->store, "r1", 1, "info", "x", &refusal), NL_E_NOT_FOUND);
}

/* In a child: writes inside a transaction (committed or not), says so on the pipe, and waits to be killed. */
static void write_and_wait(const char *path, bool commit, int ready)
{
	struct nl_store *store;
	struct nl_store_run run = {.id = "killed", .started_ns = 1};
	bool ok = nl_store_open(path, &store, NULL) == 0 && nl_store_begin(store, NULL) == 0 &&
		  nl_store_run_add(store, &run, "", "", NULL) == 0 &&
		  nl_store_result_add(store, "killed", 0, "nas", "load", "data", 4, NULL) == 0;
	if (commit)
		ok = ok && nl_store_commit(store, NULL) == 0;
	if (write(ready, ok ? "y" : "n", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static size_t runs_after_kill(struct scratch *scratch, bool commit)
{
	struct nl_store_run *runs;
	size_t count;
	int ready[2];
	char answer = 0;
	nl_store_close(scratch->store);
	scratch->store = NULL;
	assert_int_equal(pipe(ready), 0);
	pid_t child = fork();
	if (child == 0)
		write_and_wait(scratch->path, commit, ready[1]);
	assert_int_equal(read(ready[0], &answer, 1), 1);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(ready[0]);
	close(ready[1]);
	assert_int_equal(answer, 'y');
	assert_ok(nl_store_open(scratch->path, &scratch->store, err));
	assert_ok(nl_store_check(scratch->store, err));
	assert_ok(nl_store_runs(scratch->store, &runs, &count, err));
	free(runs);
	return count;
}

static void a_writer_killed_before_commit_leaves_nothing(void **state)
{
	assert_int_equal(runs_after_kill(*state, false), 0);
}

static void what_was_committed_survives_a_kill(void **state)
{
	assert_int_equal(runs_after_kill(*state, true), 1);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_file_is_for_its_owner_alone),
		TEST(a_store_is_opened_again_with_what_it_held),
		TEST(a_database_of_another_program_is_refused_and_left_as_it_is),
		TEST(a_newer_schema_is_refused),
		TEST(a_file_that_is_no_database_is_refused),
		TEST(reading_never_makes_a_file),
		TEST(a_reader_cannot_write),
		TEST(a_damaged_database_is_found_by_the_check),
		TEST(a_rollback_undoes_all_of_a_transaction),
		TEST(a_writer_killed_before_commit_leaves_nothing),
		TEST(what_was_committed_survives_a_kill),
	};
	return cmocka_run_group_tests_name("store: the file", tests, NULL, NULL);
}
