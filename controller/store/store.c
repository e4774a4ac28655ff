/*
 * store: opens, checks and closes the database; transactions.
 *
 * A store belongs to one thread at a time. Several stores, in several threads or processes, may be open on one file:
 * SQLite's WAL lets readers go on while one writes, and writers wait for each other up to the busy timeout.
 */
#include "controller/store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "controller/store/schema.h"
#include "controller/store/statement.h"

#define BUSY_TIMEOUT_MS 10000

/* The file is made by us first, so that it never exists with a mode that others may read. */
static int create_file(const char *path, struct nl_error *err)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0) {
		int code = nl_error_sys(err, errno, "open the database");
		nl_error_where(err, "%s", path);
		return code;
	}
	close(fd);
	return 0;
}

static int require_file(const char *path, struct nl_error *err)
{
	struct stat st;
	if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
		return 0;
	nl_error_set(err, NL_E_NOT_FOUND, "open the database");
	nl_error_where(err, "%s", path);
	nl_error_todo(err, "'nasline init' makes one; 'nasline run' and 'nasline local' fill it");
	return nl_error_why(err, "there is no such file");
}

static int configure(struct nl_store *store, bool writable, struct nl_error *err)
{
	static const char common[] =
		"PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;";
	static const char writer[] = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;";
	sqlite3_busy_timeout(store->db, BUSY_TIMEOUT_MS);
	sqlite3_extended_result_codes(store->db, 1);
	sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	int rc = sqlite3_exec(store->db, common, NULL, NULL, NULL);
	if (rc != SQLITE_OK)
		return nl_store_fail(store, rc, "open the database", err);
	int code = nl_schema_ready(store, false, NULL);
	/* A foreign file must be refused before journal_mode would write to it. */
	if (code && writable) {
		code = nl_schema_ready(store, true, err);
		if (code)
			return code;
	}
	if (!writable)
		return nl_schema_ready(store, false, err);
	rc = sqlite3_exec(store->db, writer, NULL, NULL, NULL);
	return rc == SQLITE_OK ? 0 : nl_store_fail(store, rc, "open the database", err);
}

static int open_with(const char *name, const char *path, int flags, struct nl_store **store, struct nl_error *err)
{
	struct nl_store *fresh = calloc(1, sizeof(*fresh));
	*store = NULL;
	if (!fresh)
		return nl_store_no_memory(err);
	snprintf(fresh->path, sizeof(fresh->path), "%s", path);
	int rc = sqlite3_open_v2(name, &fresh->db, flags | SQLITE_OPEN_NOMUTEX, NULL);
	int code = rc == SQLITE_OK ? configure(fresh, (flags & SQLITE_OPEN_READWRITE) != 0, err)
				   : nl_store_fail(fresh, rc, "open the database", err);
	if (code) {
		nl_store_close(fresh);
		return code;
	}
	*store = fresh;
	return 0;
}

int nl_store_open(const char *path, struct nl_store **store, struct nl_error *err)
{
	*store = NULL;
	int code = create_file(path, err);
	return code ? code : open_with(path, path, SQLITE_OPEN_READWRITE, store, err);
}

/* In a directory that may not be written, SQLite cannot make the WAL's index; without a WAL the file alone is the whole
 * truth. */
static bool may_be_immutable(const char *path)
{
	char wal[4200];
	struct stat st;
	snprintf(wal, sizeof(wal), "%s-wal", path);
	return stat(wal, &st) != 0 || st.st_size == 0;
}

/* A path as a URI: what has a meaning in URIs is written as %XX. */
static bool immutable_uri(const char *path, char *uri, size_t size)
{
	size_t used = (size_t)snprintf(uri, size, "file:");
	for (const unsigned char *c = (const unsigned char *)path; *c; c++) {
		if (used + 4 >= size)
			return false;
		bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
			     strchr("/._-", *c);
		used += (size_t)snprintf(uri + used, size - used, plain ? "%c" : "%%%02x", *c);
	}
	return (size_t)snprintf(uri + used, size - used, "?immutable=1") < size - used;
}

int nl_store_open_read(const char *path, struct nl_store **store, struct nl_error *err)
{
	char uri[4200];
	*store = NULL;
	int code = require_file(path, err);
	if (code)
		return code;
	code = open_with(path, path, SQLITE_OPEN_READONLY, store, err);
	if (code != NL_E_STORE || !may_be_immutable(path) || access(path, R_OK) != 0 ||
	    !immutable_uri(path, uri, sizeof(uri)))
		return code;
	struct nl_error second;
	if (open_with(uri, path, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, store, &second) == 0)
		return 0;
	return code;
}

void nl_store_close(struct nl_store *store)
{
	if (!store)
		return;
	for (size_t i = 0; i < NL_SQL_COUNT; i++)
		sqlite3_finalize(store->statement[i]);
	sqlite3_close(store->db);
	free(store);
}

int nl_store_check(struct nl_store *store, struct nl_error *err)
{
	sqlite3_stmt *stmt;
	bool row;
	int code = nl_store_query(store, NL_SQL_QUICK_CHECK, NULL, 0, &stmt, err);
	if (!code)
		code = nl_store_next(store, stmt, &row, err);
	if (code || !row)
		return code;
	char text[300];
	nl_store_column_text(stmt, 0, text, sizeof(text));
	nl_store_done(stmt);
	if (!strcmp(text, "ok"))
		return 0;
	nl_error_set(err, NL_E_STORE, "check the database");
	nl_error_where(err, "%s", store->path);
	nl_error_todo(err, "restore it from a copy; 'sqlite3 FILE .recover' may save parts of it");
	return nl_error_why(err, "%s", text);
}

int nl_store_begin(struct nl_store *store, struct nl_error *err)
{
	return nl_store_exec(store, NL_SQL_BEGIN, NULL, 0, err);
}

int nl_store_commit(struct nl_store *store, struct nl_error *err)
{
	return nl_store_exec(store, NL_SQL_COMMIT, NULL, 0, err);
}

void nl_store_rollback(struct nl_store *store)
{
	/* The run that was looked up may be one that this transaction made. */
	store->run_id[0] = '\0';
	if (!sqlite3_get_autocommit(store->db))
		nl_store_exec(store, NL_SQL_ROLLBACK, NULL, 0, NULL);
}
