/*
 * schema: one row per version, each the SQL that leads there from the version before.
 */
#include "controller/store/schema.h"

#include <stdio.h>

static const char *const migrations[] = {
	/* 1 */
	"CREATE TABLE runs("
	"  run INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, title TEXT NOT NULL, version TEXT NOT NULL, state INTEGER "
	"NOT NULL,"
	"  started_ns INTEGER NOT NULL, ended_ns INTEGER NOT NULL, message TEXT NOT NULL, campaign TEXT NOT NULL,"
	"  plan TEXT NOT NULL) STRICT;"
	"CREATE TABLE phases("
	"  run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE, phase INTEGER NOT NULL, state INTEGER NOT NULL,"
	"  start_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL, message TEXT NOT NULL, PRIMARY KEY(run, phase)) STRICT, "
	"WITHOUT ROWID;"
	"CREATE TABLE results("
	"  result INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE, phase INTEGER NOT NULL,"
	"  agent TEXT NOT NULL, role TEXT NOT NULL, data BLOB NOT NULL) STRICT;"
	"CREATE INDEX results_of_run ON results(run, phase);"
	"CREATE TABLE facts("
	"  run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE, phase INTEGER NOT NULL, agent TEXT NOT NULL,"
	"  subject TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,"
	"  PRIMARY KEY(run, phase, agent, subject, key)) STRICT, WITHOUT ROWID;"
	"CREATE TABLE events("
	"  event INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE, at_ns INTEGER NOT NULL,"
	"  severity TEXT NOT NULL, text TEXT NOT NULL) STRICT;"
	"CREATE INDEX events_of_run ON events(run);"
	"CREATE TABLE series("
	"  series INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE, agent TEXT NOT NULL,"
	"  metric INTEGER NOT NULL, subject TEXT NOT NULL, UNIQUE(run, agent, metric, subject)) STRICT;"
	"CREATE TABLE chunks("
	"  chunk INTEGER PRIMARY KEY, series INTEGER NOT NULL REFERENCES series ON DELETE CASCADE, first_ns INTEGER "
	"NOT NULL,"
	"  last_ns INTEGER NOT NULL, samples INTEGER NOT NULL, data BLOB NOT NULL) STRICT;"
	"CREATE INDEX chunks_of_series ON chunks(series, first_ns);"
	"CREATE TABLE agents("
	"  name TEXT PRIMARY KEY, certificate BLOB NOT NULL, joined_ns INTEGER NOT NULL, host TEXT NOT NULL DEFAULT '',"
	"  version TEXT NOT NULL DEFAULT '', capabilities TEXT NOT NULL DEFAULT '', seen_ns INTEGER NOT NULL DEFAULT 0)"
	"  STRICT, WITHOUT ROWID;"
	"CREATE TABLE tokens("
	"  hash BLOB PRIMARY KEY, agent TEXT NOT NULL, expires_ns INTEGER NOT NULL, used_ns INTEGER) STRICT, WITHOUT "
	"ROWID;"
	"CREATE TABLE seen("
	"  agent TEXT NOT NULL, session INTEGER NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY(agent, session, seq))"
	"  STRICT, WITHOUT ROWID;",
};

#define VERSIONS ((int)(sizeof(migrations) / sizeof(migrations[0])))

int nl_schema_current(void)
{
	return VERSIONS;
}

static int number_of(struct nl_store *store, const char *sql, int64_t *value, struct nl_error *err)
{
	sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(store->db, sql, -1, &stmt, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	if (rc == SQLITE_ROW)
		*value = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return rc == SQLITE_ROW ? 0 : nl_store_fail(store, rc, "read the database", err);
}

static int refuse(struct nl_store *store, struct nl_error *err, const char *why, const char *todo)
{
	nl_error_set(err, NL_E_STORE, "use the database");
	nl_error_where(err, "%s", store->path);
	nl_error_todo(err, "%s", todo);
	return nl_error_why(err, "%s", why);
}

/* The version of a file that is ours, 0 of one that is empty; everything else is refused. */
static int version_of(struct nl_store *store, int64_t *version, struct nl_error *err)
{
	int64_t application = 0, tables = 0;
	int code = number_of(store, "PRAGMA application_id", &application, err);
	if (!code)
		code = number_of(store, "PRAGMA user_version", version, err);
	if (!code)
		code = number_of(store, "SELECT count(*) FROM sqlite_master", &tables, err);
	if (code)
		return code;
	bool empty = application == 0 && *version == 0 && tables == 0;
	if (!empty && (application != NL_SCHEMA_APPLICATION_ID || *version < 1))
		return refuse(store, err, "it is a database of another program", "name another file");
	if (*version > VERSIONS)
		return refuse(store, err, "a newer nasline wrote it", "use that version, or a newer one");
	return 0;
}

static int migrate(struct nl_store *store, struct nl_error *err)
{
	int64_t version = 0;
	char pragma[96];
	int code = nl_store_begin(store, err);
	if (code)
		return code;
	/* Asked again inside the transaction: another process may have just done it. */
	code = version_of(store, &version, err);
	for (int i = (int)version; !code && i < VERSIONS; i++) {
		int rc = sqlite3_exec(store->db, migrations[i], NULL, NULL, NULL);
		if (rc != SQLITE_OK)
			code = nl_store_fail(store, rc, "bring the database to the present schema", err);
	}
	snprintf(pragma, sizeof(pragma), "PRAGMA application_id = %d; PRAGMA user_version = %d",
		 NL_SCHEMA_APPLICATION_ID, VERSIONS);
	if (!code && sqlite3_exec(store->db, pragma, NULL, NULL, NULL) != SQLITE_OK)
		code = nl_store_fail(store, sqlite3_errcode(store->db), "mark the database", err);
	if (!code)
		code = nl_store_commit(store, err);
	if (code)
		nl_store_rollback(store);
	return code;
}

int nl_schema_ready(struct nl_store *store, bool writable, struct nl_error *err)
{
	int64_t version = 0;
	int code = version_of(store, &version, err);
	if (code || version == VERSIONS)
		return code;
	if (writable)
		return migrate(store, err);
	if (version == 0)
		return refuse(store, err, "it is empty", "name the database of a controller that has run");
	return refuse(store, err, "an older nasline wrote it",
		      "open it once with a command that may write, such as 'nasline agents'");
}
