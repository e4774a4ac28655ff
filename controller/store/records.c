/*
 * records: what agents answered (results, facts), what happened (events), and which messages were stored already.
 */
#include <stdlib.h>
#include <string.h>

#include "controller/store/statement.h"

int nl_store_seen(struct nl_store *store, const char *agent, uint64_t session, uint64_t seq, bool *fresh,
		  struct nl_error *err)
{
	int code = NL_EXEC(store, NL_SQL_SEEN_ADD, err, NL_TEXT(agent), NL_INT((int64_t)session), NL_INT((int64_t)seq));
	*fresh = !code && sqlite3_changes(store->db) == 1;
	return code;
}

int nl_store_result_add(struct nl_store *store, const char *run_id, unsigned phase, const char *agent, const char *role,
			const void *data, size_t len, struct nl_error *err)
{
	int64_t key;
	int code = nl_store_run_key(store, run_id, &key, err);
	return code ? code
		    : NL_EXEC(store, NL_SQL_RESULT_ADD, err, NL_INT(key), NL_INT(phase), NL_TEXT(agent), NL_TEXT(role),
			      NL_BLOB(data, len));
}

int nl_store_fact_put(struct nl_store *store, const char *run_id, unsigned phase, const char *agent,
		      const char *subject, const char *key, const char *value, struct nl_error *err)
{
	int64_t run;
	int code = nl_store_run_key(store, run_id, &run, err);
	return code ? code
		    : NL_EXEC(store, NL_SQL_FACT_PUT, err, NL_INT(run), NL_INT(phase), NL_TEXT(agent), NL_TEXT(subject),
			      NL_TEXT(key), NL_TEXT(value));
}

int nl_store_event_add(struct nl_store *store, const char *run_id, int64_t at_ns, const char *severity,
		       const char *text, struct nl_error *err)
{
	int64_t run;
	int code = nl_store_run_key(store, run_id, &run, err);
	return code ? code
		    : NL_EXEC(store, NL_SQL_EVENT_ADD, err, NL_INT(run), NL_INT(at_ns), NL_TEXT(severity),
			      NL_TEXT(text));
}

void nl_store_results_free(struct nl_store_result *results, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(results[i].data);
	free(results);
}

static bool result_from_row(sqlite3_stmt *stmt, struct nl_store_result *result)
{
	*result = (struct nl_store_result){.phase = (unsigned)sqlite3_column_int64(stmt, 0)};
	nl_store_column_text(stmt, 1, result->agent, sizeof(result->agent));
	nl_store_column_text(stmt, 2, result->role, sizeof(result->role));
	const void *data = sqlite3_column_blob(stmt, 3);
	result->len = (size_t)sqlite3_column_bytes(stmt, 3);
	result->data = malloc(result->len + 1);
	if (!result->data)
		return false;
	if (data)
		memcpy(result->data, data, result->len);
	return true;
}

static bool fact_from_row(sqlite3_stmt *stmt, struct nl_store_fact *fact)
{
	fact->phase = (unsigned)sqlite3_column_int64(stmt, 0);
	nl_store_column_text(stmt, 1, fact->agent, sizeof(fact->agent));
	nl_store_column_text(stmt, 2, fact->subject, sizeof(fact->subject));
	nl_store_column_text(stmt, 3, fact->key, sizeof(fact->key));
	nl_store_column_text(stmt, 4, fact->value, sizeof(fact->value));
	return true;
}

static bool event_from_row(sqlite3_stmt *stmt, struct nl_store_event *event)
{
	event->at_ns = sqlite3_column_int64(stmt, 0);
	nl_store_column_text(stmt, 1, event->severity, sizeof(event->severity));
	nl_store_column_text(stmt, 2, event->text, sizeof(event->text));
	return true;
}

/* Which list is read: its statement, the size of a row and how a row is made. */
enum list { LIST_RESULTS, LIST_FACTS, LIST_EVENTS };
static const struct {
	enum nl_statement sql;
	size_t size;
} lists[] = {
	[LIST_RESULTS] = {NL_SQL_RESULTS, sizeof(struct nl_store_result)},
	[LIST_FACTS] = {NL_SQL_FACTS, sizeof(struct nl_store_fact)},
	[LIST_EVENTS] = {NL_SQL_EVENTS, sizeof(struct nl_store_event)},
};

static bool row_into(enum list list, sqlite3_stmt *stmt, void *element)
{
	switch (list) {
	case LIST_RESULTS:
		return result_from_row(stmt, element);
	case LIST_FACTS:
		return fact_from_row(stmt, element);
	case LIST_EVENTS:
		break;
	}
	return event_from_row(stmt, element);
}

/* *count counts the rows that were made whole, also when it fails. */
static int read_list(struct nl_store *store, const char *run_id, enum list list, void **array, size_t *count,
		     struct nl_error *err)
{
	sqlite3_stmt *stmt;
	size_t capacity = 0;
	bool row = false;
	int64_t key;
	*array = NULL;
	*count = 0;
	int code = nl_store_run_key(store, run_id, &key, err);
	if (!code)
		code = NL_QUERY(store, lists[list].sql, &stmt, err, NL_INT(key));
	while (!code && !(code = nl_store_next(store, stmt, &row, err)) && row) {
		if (!nl_store_grow(array, *count, &capacity, lists[list].size) ||
		    !row_into(list, stmt, (char *)*array + *count * lists[list].size)) {
			nl_store_done(stmt);
			return nl_store_no_memory(err);
		}
		(*count)++;
	}
	return code;
}

int nl_store_results(struct nl_store *store, const char *run_id, struct nl_store_result **results, size_t *count,
		     struct nl_error *err)
{
	void *array;
	int code = read_list(store, run_id, LIST_RESULTS, &array, count, err);
	*results = array;
	if (code) {
		nl_store_results_free(*results, *count);
		*results = NULL;
		*count = 0;
	}
	return code;
}

static int read_plain(struct nl_store *store, const char *run_id, enum list list, void **array, size_t *count,
		      struct nl_error *err)
{
	int code = read_list(store, run_id, list, array, count, err);
	if (code) {
		free(*array);
		*array = NULL;
		*count = 0;
	}
	return code;
}

int nl_store_facts(struct nl_store *store, const char *run_id, struct nl_store_fact **facts, size_t *count,
		   struct nl_error *err)
{
	void *array;
	int code = read_plain(store, run_id, LIST_FACTS, &array, count, err);
	*facts = array;
	return code;
}

int nl_store_events(struct nl_store *store, const char *run_id, struct nl_store_event **events, size_t *count,
		    struct nl_error *err)
{
	void *array;
	int code = read_plain(store, run_id, LIST_EVENTS, &array, count, err);
	*events = array;
	return code;
}
