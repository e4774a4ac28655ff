/*
 * store: what was measured, in one SQLite database (WAL): runs, phases, results, samples, facts, events, agents and
 * join tokens.
 *
 * Everything raw is kept, so that reports are derived again and again. Samples are kept as chunks (one row per series
 * and message), on the controller's clock. A store is used by one thread at a time unless said otherwise; open it once
 * per thread. The schema has a version and migrations; a newer schema than ours is refused, a file that is no nasline
 * database too. Secrets never reach it.
 */
#ifndef NL_CONTROLLER_STORE_STORE_H
#define NL_CONTROLLER_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define NL_STORE_RUN_ID_MAX 40

struct nl_store;

/* nl_store_open opens or creates (mode 0600) the database; busy timeout 10 s; synchronous=FULL (an acknowledged message
 * must survive a kill). */
int nl_store_open(const char *path, struct nl_store **store, struct nl_error *err);
/* nl_store_open_read opens an existing one for reports only; never creates. */
int nl_store_open_read(const char *path, struct nl_store **store, struct nl_error *err);
void nl_store_close(struct nl_store *store);
/* nl_store_check reads the whole database and refuses a damaged one (NL_E_STORE). Takes time: on demand only. */
int nl_store_check(struct nl_store *store, struct nl_error *err);

/* One transaction around several writes; nl_store_rollback after a failure. */
int nl_store_begin(struct nl_store *store, struct nl_error *err);
int nl_store_commit(struct nl_store *store, struct nl_error *err);
void nl_store_rollback(struct nl_store *store);

/* --- agents and tokens --- */
int nl_store_token_add(struct nl_store *store, const uint8_t hash[32], const char *agent_name, int64_t expires_wall_ns,
		       struct nl_error *err);
/* Uses the token up, atomically. NL_E_IDENTITY: unknown, already used (when), expired (when), or for another name. */
int nl_store_token_use(struct nl_store *store, const uint8_t hash[32], const char *agent_name, int64_t now_wall_ns,
		       struct nl_error *err);
/* Whether the token was used; NL_E_NOT_FOUND when there is none. */
int nl_store_token_used(struct nl_store *store, const uint8_t hash[32], bool *used, struct nl_error *err);
int nl_store_agent_put(struct nl_store *store, const char *name, const void *certificate_der, size_t len,
		       int64_t joined_wall_ns, struct nl_error *err);
int nl_store_agent_seen(struct nl_store *store, const char *name, const char *host, const char *version,
			const char *capabilities, int64_t wall_ns, struct nl_error *err);
struct nl_store_agent {
	char name[64], host[256], version[64], capabilities[1024];
	int64_t joined_wall_ns, seen_wall_ns; /* seen 0: never */
};
int nl_store_agents(struct nl_store *store, struct nl_store_agent **agents, size_t *count, struct nl_error *err);

/* --- runs and phases --- */
enum nl_run_state { NL_RUN_RUNNING, NL_RUN_DONE, NL_RUN_FAILED, NL_RUN_INTERRUPTED };
enum nl_phase_state { NL_PHASE_PENDING, NL_PHASE_RUNNING, NL_PHASE_DONE, NL_PHASE_FAILED, NL_PHASE_SKIPPED };

struct nl_store_run {
	char id[NL_STORE_RUN_ID_MAX];
	char title[128], version[64];
	enum nl_run_state state;
	int64_t started_ns, ended_ns; /* controller's clock; ended 0 while running */
	char message[1024];           /* why it failed */
};
/* nl_store_run_id makes a fresh id: "20261130-184512-7f3a", unique in this store. */
int nl_store_run_id(struct nl_store *store, char id[NL_STORE_RUN_ID_MAX], struct nl_error *err);
/* campaign_yaml: the resolved campaign without secrets; plan_json: as of nl_plan_print_json. */
int nl_store_run_add(struct nl_store *store, const struct nl_store_run *run, const char *campaign_yaml,
		     const char *plan_json, struct nl_error *err);
int nl_store_run_end(struct nl_store *store, const char *run_id, enum nl_run_state state, int64_t ended_ns,
		     const char *message, struct nl_error *err);
/* Newest first. */
int nl_store_runs(struct nl_store *store, struct nl_store_run **runs, size_t *count, struct nl_error *err);
/* run_id NULL or "last": the newest. Texts are fresh, caller frees; each may be NULL to leave it out. */
int nl_store_run_get(struct nl_store *store, const char *run_id, struct nl_store_run *run, char **campaign_yaml,
		     char **plan_json, struct nl_error *err);

/*
 * A phase is tried one or more times (resume); the newest attempt counts. nl_store_phase_set inserts or updates (run,
 * phase). start/end are the instants on the controller's clock of the window in which the phase's load ran, 0 when not
 * known yet.
 */
int nl_store_phase_set(struct nl_store *store, const char *run_id, unsigned phase, enum nl_phase_state state,
		       int64_t start_ns, int64_t end_ns, const char *message, struct nl_error *err);
/* A phase of the run that was never set is PENDING, 0, 0, "". */
int nl_store_phase_get(struct nl_store *store, const char *run_id, unsigned phase, enum nl_phase_state *state,
		       int64_t *start_ns, int64_t *end_ns, char message[1024], struct nl_error *err);
/* Forgets results and facts of a phase that will be measured again; it is PENDING then. */
int nl_store_phase_reset(struct nl_store *store, const char *run_id, unsigned phase, struct nl_error *err);

/* --- what agents sent --- */
/*
 * nl_store_seen checks and remembers a sequence number of an agent's session, inside the caller's transaction: *fresh
 * is false when it was stored before (answer, but store nothing).
 */
int nl_store_seen(struct nl_store *store, const char *agent, uint64_t session, uint64_t seq, bool *fresh,
		  struct nl_error *err);
/* role: what the order was for in the phase: "load", "line", "flush", "evict", "inventory", "prepare", "probe",
 * "mount", "cleanup", "self-load". data: a packed nl.Result. */
int nl_store_result_add(struct nl_store *store, const char *run_id, unsigned phase, const char *agent, const char *role,
			const void *data, size_t len, struct nl_error *err);
/*
 * Instants must be on the controller's clock already; times and values have `count` entries. Times should rise;
 * nl_store_series gives them back sorted, of two at one instant the later stored.
 */
int nl_store_samples_add(struct nl_store *store, const char *run_id, const char *agent, uint32_t metric,
			 const char *subject, const int64_t *times_ns, const double *values, size_t count,
			 struct nl_error *err);
/* A fact of a phase (settings as negotiated, hardware). A later one of the same phase, agent, subject and key replaces
 * it. */
int nl_store_fact_put(struct nl_store *store, const char *run_id, unsigned phase, const char *agent,
		      const char *subject, const char *key, const char *value, struct nl_error *err);
/* What happened, for the report's log: agent lost, resumed, fault. */
int nl_store_event_add(struct nl_store *store, const char *run_id, int64_t at_ns, const char *severity,
		       const char *text, struct nl_error *err);

/* --- reading back, for stats, reconcile and report --- */
struct nl_store_result {
	unsigned phase;
	char agent[64], role[16];
	void *data;
	size_t len;
};
int nl_store_results(struct nl_store *store, const char *run_id, struct nl_store_result **results, size_t *count,
		     struct nl_error *err);
void nl_store_results_free(struct nl_store_result *results, size_t count);
struct nl_store_fact {
	unsigned phase;
	char agent[64], subject[128], key[64], value[512];
};
int nl_store_facts(struct nl_store *store, const char *run_id, struct nl_store_fact **facts, size_t *count,
		   struct nl_error *err);
struct nl_store_event {
	int64_t at_ns;
	char severity[16], text[1024];
};
int nl_store_events(struct nl_store *store, const char *run_id, struct nl_store_event **events, size_t *count,
		    struct nl_error *err);
struct nl_series {
	char agent[64], subject[64];
	uint32_t metric;
	int64_t *times_ns; /* rising */
	double *values;
	size_t count;
};
/* Every series of a run, whole, in [from_ns, to_ns] (0, INT64_MAX for all), optionally of one metric (0: all). */
int nl_store_series(struct nl_store *store, const char *run_id, uint32_t metric, int64_t from_ns, int64_t to_ns,
		    struct nl_series **series, size_t *count, struct nl_error *err);
void nl_store_series_free(struct nl_series *series, size_t count);

#endif
