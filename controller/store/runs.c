/*
 * runs: runs and the phases of their plans.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/time.h"
#include "controller/store/statement.h"

static int id_taken(struct nl_store *store, const char *id, bool *taken, struct nl_error *err)
{
	sqlite3_stmt *stmt;
	int code = NL_QUERY(store, NL_SQL_RUN_KEY, &stmt, err, NL_TEXT(id));
	if (!code)
		code = nl_store_next(store, stmt, taken, err);
	if (!code && *taken)
		nl_store_done(stmt);
	return code;
}

int nl_store_run_id(struct nl_store *store, char id[NL_STORE_RUN_ID_MAX], struct nl_error *err)
{
	time_t now = (time_t)(nl_wall_ns() / NL_NS_PER_S);
	struct tm utc;
	char day[20];
	gmtime_r(&now, &utc);
	strftime(day, sizeof(day), "%Y%m%d-%H%M%S", &utc);
	for (int attempt = 0; attempt < 1000; attempt++) {
		uint16_t random;
		bool taken = false;
		sqlite3_randomness(sizeof(random), &random);
		snprintf(id, NL_STORE_RUN_ID_MAX, "%s-%04x", day, random);
		int code = id_taken(store, id, &taken, err);
		if (code || !taken)
			return code;
	}
	nl_error_set(err, NL_E_STORE, "make an id for the run");
	return nl_error_why(err, "every one that was tried is taken");
}

int nl_store_run_add(struct nl_store *store, const struct nl_store_run *run, const char *campaign_yaml,
		     const char *plan_json, struct nl_error *err)
{
	return NL_EXEC(store, NL_SQL_RUN_ADD, err, NL_TEXT(run->id), NL_TEXT(run->title), NL_TEXT(run->version),
		       NL_INT(run->state), NL_INT(run->started_ns), NL_INT(run->ended_ns), NL_TEXT(run->message),
		       NL_TEXT(campaign_yaml), NL_TEXT(plan_json));
}

int nl_store_run_end(struct nl_store *store, const char *run_id, enum nl_run_state state, int64_t ended_ns,
		     const char *message, struct nl_error *err)
{
	int64_t key;
	int code = nl_store_run_key(store, run_id, &key, err);
	return code ? code
		    : NL_EXEC(store, NL_SQL_RUN_END, err, NL_INT(key), NL_INT(state), NL_INT(ended_ns),
			      NL_TEXT(message));
}

/* A state that no version of ours wrote is shown as the last one: interrupted, skipped. */
static int state_of(int64_t stored, int last)
{
	return stored < 0 || stored > last ? last : (int)stored;
}

static void run_from_row(sqlite3_stmt *stmt, struct nl_store_run *run)
{
	*run = (struct nl_store_run){0};
	nl_store_column_text(stmt, 0, run->id, sizeof(run->id));
	nl_store_column_text(stmt, 1, run->title, sizeof(run->title));
	nl_store_column_text(stmt, 2, run->version, sizeof(run->version));
	run->state = (enum nl_run_state)state_of(sqlite3_column_int64(stmt, 3), NL_RUN_INTERRUPTED);
	run->started_ns = sqlite3_column_int64(stmt, 4);
	run->ended_ns = sqlite3_column_int64(stmt, 5);
	nl_store_column_text(stmt, 6, run->message, sizeof(run->message));
}

int nl_store_runs(struct nl_store *store, struct nl_store_run **runs, size_t *count, struct nl_error *err)
{
	sqlite3_stmt *stmt;
	size_t capacity = 0;
	bool row = false;
	*runs = NULL;
	*count = 0;
	int code = nl_store_query(store, NL_SQL_RUNS, NULL, 0, &stmt, err);
	while (!code && !(code = nl_store_next(store, stmt, &row, err)) && row) {
		if (!nl_store_grow((void **)runs, *count, &capacity, sizeof(**runs))) {
			code = nl_store_no_memory(err);
			nl_store_done(stmt);
			break;
		}
		run_from_row(stmt, &(*runs)[(*count)++]);
	}
	if (code) {
		free(*runs);
		*runs = NULL;
		*count = 0;
	}
	return code;
}

static bool text_from_column(sqlite3_stmt *stmt, int column, char **text)
{
	if (!text)
		return true;
	const unsigned char *stored = sqlite3_column_text(stmt, column);
	*text = strdup(stored ? (const char *)stored : "");
	return *text != NULL;
}

int nl_store_run_get(struct nl_store *store, const char *run_id, struct nl_store_run *run, char **campaign_yaml,
		     char **plan_json, struct nl_error *err)
{
	sqlite3_stmt *stmt;
	int64_t key;
	bool row;
	if (campaign_yaml)
		*campaign_yaml = NULL;
	if (plan_json)
		*plan_json = NULL;
	int code = nl_store_run_key(store, run_id, &key, err);
	if (!code)
		code = NL_QUERY(store, NL_SQL_RUN_GET, &stmt, err, NL_INT(key));
	if (!code)
		code = nl_store_next(store, stmt, &row, err);
	if (code)
		return code;
	if (!row) {
		nl_error_set(err, NL_E_NOT_FOUND, "read the run %s", run_id ? run_id : "last");
		return nl_error_why(err, "it was removed meanwhile");
	}
	run_from_row(stmt, run);
	bool ok = text_from_column(stmt, 7, campaign_yaml) && text_from_column(stmt, 8, plan_json);
	nl_store_done(stmt);
	if (ok)
		return 0;
	if (campaign_yaml) {
		free(*campaign_yaml);
		*campaign_yaml = NULL;
	}
	return nl_store_no_memory(err);
}

int nl_store_phase_set(struct nl_store *store, const char *run_id, unsigned phase, enum nl_phase_state state,
		       int64_t start_ns, int64_t end_ns, const char *message, struct nl_error *err)
{
	int64_t key;
	int code = nl_store_run_key(store, run_id, &key, err);
	return code ? code
		    : NL_EXEC(store, NL_SQL_PHASE_SET, err, NL_INT(key), NL_INT(phase), NL_INT(state), NL_INT(start_ns),
			      NL_INT(end_ns), NL_TEXT(message));
}

int nl_store_phase_get(struct nl_store *store, const char *run_id, unsigned phase, enum nl_phase_state *state,
		       int64_t *start_ns, int64_t *end_ns, char message[1024], struct nl_error *err)
{
	sqlite3_stmt *stmt;
	int64_t key;
	bool row;
	*state = NL_PHASE_PENDING;
	*start_ns = *end_ns = 0;
	message[0] = '\0';
	int code = nl_store_run_key(store, run_id, &key, err);
	if (!code)
		code = NL_QUERY(store, NL_SQL_PHASE_GET, &stmt, err, NL_INT(key), NL_INT(phase));
	if (!code)
		code = nl_store_next(store, stmt, &row, err);
	if (code || !row)
		return code;
	*state = (enum nl_phase_state)state_of(sqlite3_column_int64(stmt, 0), NL_PHASE_SKIPPED);
	*start_ns = sqlite3_column_int64(stmt, 1);
	*end_ns = sqlite3_column_int64(stmt, 2);
	nl_store_column_text(stmt, 3, message, 1024);
	nl_store_done(stmt);
	return 0;
}

/* All or nothing, in the caller's transaction when there is one. */
int nl_store_phase_reset(struct nl_store *store, const char *run_id, unsigned phase, struct nl_error *err)
{
	int64_t key;
	bool own = sqlite3_get_autocommit(store->db) != 0;
	int code = nl_store_run_key(store, run_id, &key, err);
	if (!code && own)
		code = nl_store_begin(store, err);
	if (code)
		return code;
	code = NL_EXEC(store, NL_SQL_PHASE_RESULTS_DROP, err, NL_INT(key), NL_INT(phase));
	if (!code)
		code = NL_EXEC(store, NL_SQL_PHASE_FACTS_DROP, err, NL_INT(key), NL_INT(phase));
	if (!code)
		code = NL_EXEC(store, NL_SQL_PHASE_RESET, err, NL_INT(key), NL_INT(phase), NL_INT(NL_PHASE_PENDING));
	if (!code && own)
		code = nl_store_commit(store, err);
	if (code && own)
		nl_store_rollback(store);
	return code;
}
