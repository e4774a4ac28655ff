/*
 * statement: prepares, binds and steps the store's statements, and turns SQLite's errors into ours.
 */
#include "controller/store/statement.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const statements[] = {
#define NL_X(symbol, sql) [NL_SQL_##symbol] = sql,
	NL_STATEMENTS(NL_X)
#undef NL_X
};

static const struct {
	int rc;
	enum nl_code code;
	const char *why, *todo;
} failures[] = {
	{SQLITE_FULL, NL_E_SPACE, "the file system of the database is full", "make space there"},
	{SQLITE_READONLY, NL_E_ACCESS, "the database may only be read",
	 "check owner and mode of the file and its directory"},
	{SQLITE_PERM, NL_E_ACCESS, "access to the database was denied", "check owner and mode of the file"},
	{SQLITE_IOERR, NL_E_IO, "reading or writing the database failed", "check the disk under it"},
	{SQLITE_CORRUPT, NL_E_STORE, "the database is damaged",
	 "restore it from a copy; 'sqlite3 FILE .recover' may save parts of it"},
	{SQLITE_NOTADB, NL_E_STORE, "the file is not a database", "name another file, or move this one away"},
	{SQLITE_BUSY, NL_E_TIMEOUT, "another process kept the database locked for 10 s", "end the other nasline"},
};

int nl_store_no_memory(struct nl_error *err)
{
	nl_error_set(err, NL_E_SYSTEM, "read the database");
	return nl_error_why(err, "not enough memory");
}

int nl_store_fail(struct nl_store *store, int rc, const char *what, struct nl_error *err)
{
	for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++) {
		if ((rc & 0xff) != failures[i].rc)
			continue;
		nl_error_set(err, failures[i].code, "%s", what);
		nl_error_where(err, "%s", store->path);
		nl_error_todo(err, "%s", failures[i].todo);
		return nl_error_why(err, "%s", failures[i].why);
	}
	nl_error_set(err, NL_E_STORE, "%s", what);
	nl_error_where(err, "%s", store->path);
	return nl_error_why(err, "%s", store->db ? sqlite3_errmsg(store->db) : sqlite3_errstr(rc));
}

static int bind_one(sqlite3_stmt *stmt, int index, const struct nl_bind *bind)
{
	switch (bind->kind) {
	case NL_BIND_TEXT:
		return sqlite3_bind_text(stmt, index, bind->data ? bind->data : "", -1, SQLITE_STATIC);
	case NL_BIND_BLOB:
		if (!bind->data || !bind->len)
			return sqlite3_bind_zeroblob(stmt, index, 0);
		return sqlite3_bind_blob64(stmt, index, bind->data, bind->len, SQLITE_STATIC);
	case NL_BIND_INT:
		break;
	}
	return sqlite3_bind_int64(stmt, index, bind->number);
}

int nl_store_query(struct nl_store *store, enum nl_statement sql, const struct nl_bind *bind, size_t count,
		   sqlite3_stmt **stmt, struct nl_error *err)
{
	int rc = SQLITE_OK;
	if (!store->statement[sql])
		rc = sqlite3_prepare_v3(store->db, statements[sql], -1, SQLITE_PREPARE_PERSISTENT,
					&store->statement[sql], NULL);
	*stmt = store->statement[sql];
	for (size_t i = 0; rc == SQLITE_OK && i < count; i++)
		rc = bind_one(*stmt, (int)i + 1, &bind[i]);
	if (rc != SQLITE_OK)
		return nl_store_fail(store, rc, "prepare a statement", err);
	return 0;
}

void nl_store_done(sqlite3_stmt *stmt)
{
	if (!stmt)
		return;
	sqlite3_reset(stmt);
	sqlite3_clear_bindings(stmt);
}

int nl_store_next(struct nl_store *store, sqlite3_stmt *stmt, bool *row, struct nl_error *err)
{
	int rc = sqlite3_step(stmt);
	*row = rc == SQLITE_ROW;
	if (*row)
		return 0;
	int code = rc == SQLITE_DONE ? 0 : nl_store_fail(store, rc, "use the database", err);
	nl_store_done(stmt);
	return code;
}

int nl_store_exec(struct nl_store *store, enum nl_statement sql, const struct nl_bind *bind, size_t count,
		  struct nl_error *err)
{
	sqlite3_stmt *stmt;
	bool row;
	int code = nl_store_query(store, sql, bind, count, &stmt, err);
	if (code)
		return code;
	code = nl_store_next(store, stmt, &row, err);
	if (row)
		nl_store_done(stmt);
	return code;
}

void nl_store_column_text(sqlite3_stmt *stmt, int column, char *buf, size_t size)
{
	const unsigned char *text = sqlite3_column_text(stmt, column);
	snprintf(buf, size, "%s", text ? (const char *)text : "");
}

bool nl_store_grow(void **array, size_t count, size_t *capacity, size_t element)
{
	if (count < *capacity)
		return true;
	size_t wanted = *capacity ? *capacity * 2 : 16;
	void *grown = reallocarray(*array, wanted, element);
	if (!grown)
		return false;
	*array = grown;
	*capacity = wanted;
	return true;
}

int nl_store_run_key(struct nl_store *store, const char *run_id, int64_t *key, struct nl_error *err)
{
	bool newest = !run_id || !strcmp(run_id, "last");
	sqlite3_stmt *stmt;
	bool row;
	if (!newest && store->run_id[0] && !strcmp(run_id, store->run_id)) {
		*key = store->run_key;
		return 0;
	}
	int code = newest ? nl_store_query(store, NL_SQL_RUN_LAST, NULL, 0, &stmt, err)
			  : NL_QUERY(store, NL_SQL_RUN_KEY, &stmt, err, NL_TEXT(run_id));
	if (!code)
		code = nl_store_next(store, stmt, &row, err);
	if (code)
		return code;
	if (!row) {
		nl_error_set(err, NL_E_NOT_FOUND, "find the run %s", newest ? "last stored" : run_id);
		nl_error_where(err, "%s", store->path);
		nl_error_todo(err, newest ? "measure first: nasline run CAMPAIGN.yaml, or nasline local --pool DIR"
					  : "'nasline runs' lists the runs that are stored");
		nl_error_why(err, newest ? "no run is stored" : "no run of this name is stored");
		return NL_E_NOT_FOUND;
	}
	*key = sqlite3_column_int64(stmt, 0);
	nl_store_done(stmt);
	if (!newest) {
		snprintf(store->run_id, sizeof(store->run_id), "%s", run_id);
		store->run_key = *key;
	}
	return 0;
}
