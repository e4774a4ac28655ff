/*
 * samples: telemetry in and out. One chunk per series and message; reading joins the chunks of a series into one rising
 * sequence.
 */
#include <stdlib.h>
#include <string.h>

#include "controller/store/chunk.h"
#include "controller/store/statement.h"

static int series_key(struct nl_store *store, int64_t run, const char *agent, uint32_t metric, const char *subject,
		      int64_t *key, struct nl_error *err)
{
	sqlite3_stmt *stmt;
	bool row = false;
	for (int attempt = 0; attempt < 2; attempt++) {
		int code = NL_QUERY(store, NL_SQL_SERIES_KEY, &stmt, err, NL_INT(run), NL_TEXT(agent), NL_INT(metric),
				    NL_TEXT(subject));
		if (!code)
			code = nl_store_next(store, stmt, &row, err);
		if (!code && row) {
			*key = sqlite3_column_int64(stmt, 0);
			nl_store_done(stmt);
			return 0;
		}
		if (!code)
			code = NL_EXEC(store, NL_SQL_SERIES_ADD, err, NL_INT(run), NL_TEXT(agent), NL_INT(metric),
				       NL_TEXT(subject));
		if (code)
			return code;
	}
	nl_error_set(err, NL_E_INTERNAL, "store samples");
	return nl_error_why(err, "a series was added and is not there");
}

static void range_of(const int64_t *times_ns, size_t count, int64_t *first_ns, int64_t *last_ns)
{
	*first_ns = *last_ns = times_ns[0];
	for (size_t i = 1; i < count; i++) {
		if (times_ns[i] < *first_ns)
			*first_ns = times_ns[i];
		if (times_ns[i] > *last_ns)
			*last_ns = times_ns[i];
	}
}

int nl_store_samples_add(struct nl_store *store, const char *run_id, const char *agent, uint32_t metric,
			 const char *subject, const int64_t *times_ns, const double *values, size_t count,
			 struct nl_error *err)
{
	int64_t run, series = 0, first_ns, last_ns;
	if (count == 0)
		return 0;
	int code = nl_store_run_key(store, run_id, &run, err);
	if (!code)
		code = series_key(store, run, agent, metric, subject, &series, err);
	if (code)
		return code;
	uint8_t *data = malloc(nl_chunk_bound(count));
	if (!data)
		return nl_store_no_memory(err);
	size_t len = nl_chunk_encode(times_ns, values, count, data);
	range_of(times_ns, count, &first_ns, &last_ns);
	code = NL_EXEC(store, NL_SQL_CHUNK_ADD, err, NL_INT(series), NL_INT(first_ns), NL_INT(last_ns),
		       NL_INT((int64_t)count), NL_BLOB(data, len));
	free(data);
	return code;
}

/* --- reading --- */

struct sample {
	int64_t time_ns;
	size_t order;
	double value;
};

static int compare_samples(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;
	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* An agent that learned its clock's offset anew may step back a little; the later of two samples of one instant counts.
 */
static bool make_rising(struct nl_series *series)
{
	size_t i, kept = 0;
	for (i = 1; i < series->count && series->times_ns[i] > series->times_ns[i - 1]; i++)
		;
	if (i >= series->count)
		return true;
	struct sample *samples = calloc(series->count, sizeof(*samples));
	if (!samples)
		return false;
	for (i = 0; i < series->count; i++)
		samples[i] = (struct sample){series->times_ns[i], i, series->values[i]};
	qsort(samples, series->count, sizeof(*samples), compare_samples);
	for (i = 0; i < series->count; i++) {
		if (i + 1 < series->count && samples[i + 1].time_ns == samples[i].time_ns)
			continue;
		series->times_ns[kept] = samples[i].time_ns;
		series->values[kept++] = samples[i].value;
	}
	series->count = kept;
	free(samples);
	return true;
}

static void keep_range(struct nl_series *series, int64_t from_ns, int64_t to_ns)
{
	size_t kept = 0;
	for (size_t i = 0; i < series->count; i++) {
		if (series->times_ns[i] < from_ns || series->times_ns[i] > to_ns)
			continue;
		series->times_ns[kept] = series->times_ns[i];
		series->values[kept++] = series->values[i];
	}
	series->count = kept;
}

static int damaged(struct nl_store *store, const struct nl_series *series, struct nl_error *err)
{
	nl_error_set(err, NL_E_STORE, "read samples of %s of agent %s", series->subject, series->agent);
	nl_error_where(err, "%s", store->path);
	return nl_error_why(err, "stored samples are damaged");
}

/* Appends one stored chunk. A sample takes at least two bytes, which bounds what a damaged count can ask for. */
static int append_chunk(struct nl_store *store, sqlite3_stmt *stmt, struct nl_series *series, size_t *capacity,
			struct nl_error *err)
{
	int64_t samples = sqlite3_column_int64(stmt, 0);
	const void *data = sqlite3_column_blob(stmt, 1);
	size_t len = (size_t)sqlite3_column_bytes(stmt, 1);
	if (samples < 1 || !data || (uint64_t)samples > len)
		return damaged(store, series, err);
	size_t need = series->count + (size_t)samples;
	if (need > *capacity) {
		size_t wanted = need * 2;
		int64_t *times = reallocarray(series->times_ns, wanted, sizeof(*times));
		if (times)
			series->times_ns = times;
		double *values = times ? reallocarray(series->values, wanted, sizeof(*values)) : NULL;
		if (!values)
			return nl_store_no_memory(err);
		series->values = values;
		*capacity = wanted;
	}
	if (!nl_chunk_decode(data, len, series->times_ns + series->count, series->values + series->count,
			     (size_t)samples))
		return damaged(store, series, err);
	series->count = need;
	return 0;
}

static int read_chunks(struct nl_store *store, int64_t key, int64_t from_ns, int64_t to_ns, struct nl_series *series,
		       struct nl_error *err)
{
	sqlite3_stmt *stmt;
	size_t capacity = 0;
	bool row = false;
	int code = NL_QUERY(store, NL_SQL_CHUNKS, &stmt, err, NL_INT(key), NL_INT(from_ns), NL_INT(to_ns));
	while (!code && !(code = nl_store_next(store, stmt, &row, err)) && row) {
		code = append_chunk(store, stmt, series, &capacity, err);
		if (code)
			nl_store_done(stmt);
	}
	if (!code && !make_rising(series))
		code = nl_store_no_memory(err);
	if (!code)
		keep_range(series, from_ns, to_ns);
	return code;
}

static void series_fini(struct nl_series *series)
{
	free(series->times_ns);
	free(series->values);
}

void nl_store_series_free(struct nl_series *series, size_t count)
{
	for (size_t i = 0; i < count; i++)
		series_fini(&series[i]);
	free(series);
}

int nl_store_series(struct nl_store *store, const char *run_id, uint32_t metric, int64_t from_ns, int64_t to_ns,
		    struct nl_series **series, size_t *count, struct nl_error *err)
{
	sqlite3_stmt *stmt;
	size_t capacity = 0;
	bool row = false;
	int64_t run;
	*series = NULL;
	*count = 0;
	int code = nl_store_run_key(store, run_id, &run, err);
	if (!code)
		code = NL_QUERY(store, NL_SQL_SERIES, &stmt, err, NL_INT(run), NL_INT(metric));
	while (!code && !(code = nl_store_next(store, stmt, &row, err)) && row) {
		struct nl_series one = {.metric = (uint32_t)sqlite3_column_int64(stmt, 2)};
		nl_store_column_text(stmt, 1, one.agent, sizeof(one.agent));
		nl_store_column_text(stmt, 3, one.subject, sizeof(one.subject));
		code = read_chunks(store, sqlite3_column_int64(stmt, 0), from_ns, to_ns, &one, err);
		if (!code && one.count && !nl_store_grow((void **)series, *count, &capacity, sizeof(one)))
			code = nl_store_no_memory(err);
		if (code || !one.count)
			series_fini(&one);
		else
			(*series)[(*count)++] = one;
		if (code)
			nl_store_done(stmt);
	}
	if (code) {
		nl_store_series_free(*series, *count);
		*series = NULL;
		*count = 0;
	}
	return code;
}
