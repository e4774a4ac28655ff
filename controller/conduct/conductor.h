/*
 * conductor: the state of a running campaign, shared by conduct.c (the order of things), setup.c, phases.c and
 * orders.c. Private to conduct.
 */
#ifndef NL_CONTROLLER_CONDUCT_CONDUCTOR_H
#define NL_CONTROLLER_CONDUCT_CONDUCTOR_H

#include "controller/campaign/plan.h"
#include "controller/conduct/conduct.h"
#include "controller/conduct/progress.h"

#define NL_LINE_KEY_BYTES 32
#define NL_FILE_SETS_MAX  128
#define NL_RATES_MAX      64

struct nl_conduct_share {
	char directory[1100]; /* where the files are: inside the share, or below the mount */
	char password[256];
	bool local; /* through a mount of the client: the load generator's own engines */
};

/* What a write left: the size that every one of the files has at least. */
struct nl_file_set {
	char prefix[64];
	uint64_t bytes;
};

/* Rates of a figure's iterations so far, for the stop rule and for sizing; the report computes its own. */
struct nl_rates {
	char figure[128];
	double low, high, last;
	unsigned count;
};

struct nl_conductor {
	struct nl_server *server;
	const struct nl_campaign *campaign;
	const atomic_bool *stop;
	struct nl_progress *progress;
	struct nl_plan plan;
	char run_id[NL_STORE_RUN_ID_MAX];
	/*
	 * What agents know the run by: the run's id, and after a resume a suffix of its own, so that its scratch
	 * directory has a name that no file server has cached from the attempt before.
	 */
	char tag[NL_STORE_RUN_ID_MAX];
	bool resumed;
	char scratch[1024], scratch_name[128];
	_Atomic(const char *) live_agent; /* whose load is running, for the progress thread; points into the campaign */
	unsigned line_port;
	uint8_t line_key[NL_LINE_KEY_BYTES];
	struct nl_conduct_share share[NL_CAMPAIGN_LIST_MAX];
	struct nl_file_set files[NL_FILE_SETS_MAX];
	unsigned file_set_count;
	struct nl_rates rates[NL_RATES_MAX];
	unsigned rates_count;
	struct nl_plan_facts facts;
};

/* --- orders.c: one order, from giving it to its result --- */
struct nl_order_call {
	const char *agent;
	unsigned phase;
	const char *role, *label; /* as nl_order_keeping */
	int64_t timeout_ns;
	const atomic_bool *stop; /* NULL: the conductor's */
};
/* nl_conduct_order gives the order and waits. *result (NULL allowed) is freed by nl_server_result_free. */
int nl_conduct_order(struct nl_conductor *conductor, const struct nl_order_call *call, Nl__Order *order,
		     Nl__Result **result, struct nl_error *err);
/* nl_conduct_fact: a fact's value in a result, NULL when it is not there. */
const char *nl_conduct_fact(const Nl__Result *result, const char *subject, const char *key);
/* nl_conduct_share_target fills the wire's description of a share; it points into the campaign and the conductor. */
void nl_conduct_share_target(struct nl_conductor *conductor, unsigned share, Nl__ShareTarget *target);
/* nl_conduct_client: the agent that reaches this share. */
const char *nl_conduct_client(const struct nl_conductor *conductor, unsigned share);
/* nl_conduct_event writes an event into the store and shows it. */
void nl_conduct_event(struct nl_conductor *conductor, const char *severity, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* --- setup.c --- */
/* nl_setup_look asks both ends what the plan needs to know; stores nothing. */
int nl_setup_look(struct nl_conductor *conductor, struct nl_error *err);
/* nl_setup_inventory: facts of both ends, clocks, telemetry on. */
int nl_setup_inventory(struct nl_conductor *conductor, unsigned phase, struct nl_error *err);
/* nl_setup_prepare: scratch, mounts, probes, line server. */
int nl_setup_prepare(struct nl_conductor *conductor, unsigned phase, struct nl_error *err);
/* nl_setup_secrets reads the password files. */
int nl_setup_secrets(struct nl_conductor *conductor, struct nl_error *err);
/* nl_setup_cleanup removes everything, as far as agents can be reached. Ignores the stop flag. */
int nl_setup_cleanup(struct nl_conductor *conductor, unsigned phase, struct nl_error *err);

/* --- phases.c --- */
/* nl_phase_measure runs one measured phase; *rate is what it gave, for the progress line. *start_ns, *end_ns: its
 * instants. */
int nl_phase_measure(struct nl_conductor *conductor, const struct nl_phase *phase, double *rate, int64_t *start_ns,
		     int64_t *end_ns, struct nl_error *err);
/* nl_phase_wanted: false for an optional iteration whose figure is steady enough already. */
bool nl_phase_wanted(const struct nl_conductor *conductor, const struct nl_phase *phase);
/* nl_phases_recall learns from the store what the phases measured before a resume gave, for sizes and the stop rule. */
int nl_phases_recall(struct nl_conductor *conductor, struct nl_error *err);

#endif
