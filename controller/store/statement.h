/*
 * statement: the store's own inside: the handle, every SQL statement in one table, and the few calls that run them.
 */
#ifndef NL_CONTROLLER_STORE_STATEMENT_H
#define NL_CONTROLLER_STORE_STATEMENT_H

#include <sqlite3.h>

#include "controller/store/store.h"

/* X(symbol, SQL): prepared at first use and kept until the store is closed. */
#define NL_STATEMENTS(X)                                                                                               \
	X(BEGIN, "BEGIN IMMEDIATE")                                                                                    \
	X(COMMIT, "COMMIT")                                                                                            \
	X(ROLLBACK, "ROLLBACK")                                                                                        \
	X(TOKEN_ADD, "INSERT INTO tokens(hash, agent, expires_ns) VALUES(?1, ?2, ?3)")                                 \
	X(TOKEN_USE, "UPDATE tokens SET used_ns = ?3 WHERE hash = ?1 AND used_ns IS NULL AND expires_ns > ?3"          \
		     " AND agent IN ('', ?2)")                                                                         \
	X(TOKEN_GET, "SELECT agent, expires_ns, used_ns FROM tokens WHERE hash = ?1")                                  \
	X(AGENT_PUT, "INSERT INTO agents(name, certificate, joined_ns) VALUES(?1, ?2, ?3) ON CONFLICT(name)"           \
		     " DO UPDATE SET certificate = excluded.certificate, joined_ns = excluded.joined_ns")              \
	X(AGENT_SEEN, "UPDATE agents SET host = ?2, version = ?3, capabilities = ?4, seen_ns = ?5 WHERE name = ?1")    \
	X(AGENTS, "SELECT name, host, version, capabilities, joined_ns, seen_ns FROM agents ORDER BY name")            \
	X(RUN_ADD, "INSERT INTO runs(id, title, version, state, started_ns, ended_ns, message, campaign, plan)"        \
		   " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")                                                      \
	X(RUN_END, "UPDATE runs SET state = ?2, ended_ns = ?3, message = ?4 WHERE run = ?1")                           \
	X(RUN_KEY, "SELECT run FROM runs WHERE id = ?1")                                                               \
	X(RUN_LAST, "SELECT run FROM runs ORDER BY started_ns DESC, run DESC LIMIT 1")                                 \
	X(RUN_GET, "SELECT id, title, version, state, started_ns, ended_ns, message, campaign, plan FROM runs"         \
		   " WHERE run = ?1")                                                                                  \
	X(RUNS, "SELECT id, title, version, state, started_ns, ended_ns, message FROM runs"                            \
		" ORDER BY started_ns DESC, run DESC")                                                                 \
	X(PHASE_SET, "INSERT INTO phases(run, phase, state, start_ns, end_ns, message) VALUES(?1, ?2, ?3, ?4, ?5, ?6)" \
		     " ON CONFLICT(run, phase) DO UPDATE SET state = excluded.state, start_ns = excluded.start_ns,"    \
		     " end_ns = excluded.end_ns, message = excluded.message")                                          \
	X(PHASE_GET, "SELECT state, start_ns, end_ns, message FROM phases WHERE run = ?1 AND phase = ?2")              \
	X(PHASE_RESET, "UPDATE phases SET state = ?3, start_ns = 0, end_ns = 0, message = ''"                          \
		       " WHERE run = ?1 AND phase = ?2")                                                               \
	X(PHASE_RESULTS_DROP, "DELETE FROM results WHERE run = ?1 AND phase = ?2")                                     \
	X(PHASE_FACTS_DROP, "DELETE FROM facts WHERE run = ?1 AND phase = ?2")                                         \
	X(SEEN_ADD, "INSERT OR IGNORE INTO seen(agent, session, seq) VALUES(?1, ?2, ?3)")                              \
	X(RESULT_ADD, "INSERT INTO results(run, phase, agent, role, data) VALUES(?1, ?2, ?3, ?4, ?5)")                 \
	X(RESULTS, "SELECT phase, agent, role, data FROM results WHERE run = ?1 ORDER BY result")                      \
	X(FACT_PUT, "INSERT INTO facts(run, phase, agent, subject, key, value) VALUES(?1, ?2, ?3, ?4, ?5, ?6)"         \
		    " ON CONFLICT(run, phase, agent, subject, key) DO UPDATE SET value = excluded.value")              \
	X(FACTS, "SELECT phase, agent, subject, key, value FROM facts WHERE run = ?1"                                  \
		 " ORDER BY phase, agent, subject, key")                                                               \
	X(EVENT_ADD, "INSERT INTO events(run, at_ns, severity, text) VALUES(?1, ?2, ?3, ?4)")                          \
	X(EVENTS, "SELECT at_ns, severity, text FROM events WHERE run = ?1 ORDER BY at_ns, event")                     \
	X(SERIES_ADD, "INSERT OR IGNORE INTO series(run, agent, metric, subject) VALUES(?1, ?2, ?3, ?4)")              \
	X(SERIES_KEY, "SELECT series FROM series WHERE run = ?1 AND agent = ?2 AND metric = ?3 AND subject = ?4")      \
	X(SERIES, "SELECT series, agent, metric, subject FROM series WHERE run = ?1 AND (?2 = 0 OR metric = ?2)"       \
		  " ORDER BY metric, agent, subject")                                                                  \
	X(CHUNK_ADD, "INSERT INTO chunks(series, first_ns, last_ns, samples, data) VALUES(?1, ?2, ?3, ?4, ?5)")        \
	X(CHUNKS, "SELECT samples, data FROM chunks WHERE series = ?1 AND last_ns >= ?2 AND first_ns <= ?3"            \
		  " ORDER BY first_ns, chunk")                                                                         \
	X(QUICK_CHECK, "PRAGMA quick_check(1)")

enum nl_statement {
#define NL_X(symbol, sql) NL_SQL_##symbol,
	NL_STATEMENTS(NL_X)
#undef NL_X
		NL_SQL_COUNT
};

struct nl_store {
	sqlite3 *db;
	char path[512];
	sqlite3_stmt *statement[NL_SQL_COUNT];
	/* The run that was looked up last: samples of one run come thousands of times in a row. */
	char run_id[NL_STORE_RUN_ID_MAX];
	int64_t run_key;
};

/* One value to bind, in the statement's order. */
struct nl_bind {
	enum { NL_BIND_TEXT, NL_BIND_INT, NL_BIND_BLOB } kind;
	const void *data;
	size_t len;
	int64_t number;
};
#define NL_TEXT(s)                                                                                                     \
	{                                                                                                              \
		.kind = NL_BIND_TEXT, .data = (s)                                                                      \
	}
#define NL_INT(n)                                                                                                      \
	{                                                                                                              \
		.kind = NL_BIND_INT, .number = (n)                                                                     \
	}
#define NL_BLOB(p, size)                                                                                               \
	{                                                                                                              \
		.kind = NL_BIND_BLOB, .data = (p), .len = (size)                                                       \
	}

/* Runs a statement that gives no rows. Text NULL is bound as ''. */
int nl_store_exec(struct nl_store *store, enum nl_statement sql, const struct nl_bind *bind, size_t count,
		  struct nl_error *err);
/* Starts a query; then nl_store_next until *row is false, or nl_store_done to leave it early. */
int nl_store_query(struct nl_store *store, enum nl_statement sql, const struct nl_bind *bind, size_t count,
		   sqlite3_stmt **stmt, struct nl_error *err);
int nl_store_next(struct nl_store *store, sqlite3_stmt *stmt, bool *row, struct nl_error *err);
void nl_store_done(sqlite3_stmt *stmt);

#define NL_EXEC(store, sql, err, ...)                                                                                  \
	nl_store_exec(store, sql, (const struct nl_bind[]){__VA_ARGS__},                                               \
		      sizeof((const struct nl_bind[]){__VA_ARGS__}) / sizeof(struct nl_bind), err)
#define NL_QUERY(store, sql, stmt, err, ...)                                                                           \
	nl_store_query(store, sql, (const struct nl_bind[]){__VA_ARGS__},                                              \
		       sizeof((const struct nl_bind[]){__VA_ARGS__}) / sizeof(struct nl_bind), stmt, err)

/* Turns SQLite's result code into ours, with the file and SQLite's own words. */
int nl_store_fail(struct nl_store *store, int rc, const char *what, struct nl_error *err);
int nl_store_no_memory(struct nl_error *err);
/* Copies a column into a fixed text, cut at its size. */
void nl_store_column_text(sqlite3_stmt *stmt, int column, char *buf, size_t size);

/* Key of a run by its id ("last" or NULL: the newest); NL_E_NOT_FOUND. */
int nl_store_run_key(struct nl_store *store, const char *run_id, int64_t *key, struct nl_error *err);

/* Grows an array to hold one more; false when there is no memory. */
bool nl_store_grow(void **array, size_t count, size_t *capacity, size_t element);

#endif
