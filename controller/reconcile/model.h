/*
 * model: what a report says, computed once. Reconcile fills it from the store; every renderer prints the same numbers
 * from it.
 */
#ifndef NL_CONTROLLER_RECONCILE_MODEL_H
#define NL_CONTROLLER_RECONCILE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "controller/campaign/plan.h"
#include "controller/store/store.h"

#define NL_SCHEMA_VERSION "1.0" /* of report.json */

/* X(symbol, name, quotable, meaning) */
#define NL_VERDICTS(X)                                                                                                 \
	X(VALID, "valid", true, "enough data, steady, and the ledger confirms where the bytes came from")              \
	X(CLIENT_CACHED, "client-cached", false,                                                                       \
	  "more was read than the wire delivered: the client's cache served it")                                       \
	X(NAS_CACHED, "nas-cached", false, "the NAS's cache served it, not its disks")                                 \
	X(NOT_COLD, "not-cold", false, "meant as a cold read, but the disks did not deliver all of it")                \
	X(NOT_DURABLE, "not-durable", false, "meant as a durable write, but the disks had not taken all of it")        \
	X(UNSTEADY, "unsteady", false, "the rate varied too much, within or between iterations")                       \
	X(TOO_SHORT, "too-short", false, "the measured window was too short")                                          \
	X(SETTINGS_DIFFER, "settings-differ", false, "measures a difference of settings, not of what is compared")     \
	X(NOT_COMPARABLE, "not-comparable", false, "the two sides did not do the same thing")                          \
	X(FAILED, "failed", false, "no iteration succeeded")

enum nl_verdict {
#define NL_X(symbol, name, quotable, meaning) NL_VERDICT_##symbol,
	NL_VERDICTS(NL_X)
#undef NL_X
		NL_VERDICT_COUNT
};

/* X(symbol, name, meaning) */
#define NL_BOTTLENECKS(X)                                                                                              \
	X(WIRE, "wire", "the link carries no more")                                                                    \
	X(DISKS, "disks", "the pool's disks deliver or take no more")                                                  \
	X(NAS_CPU, "nas-cpu", "a core, or all cores, of the NAS are full")                                             \
	X(CLIENT_CPU, "client-cpu", "a core, or all cores, of the client are full")                                    \
	X(LOAD_GENERATOR, "load-generator", "the generator itself is at its limit")                                    \
	X(CLIENT_CACHE, "client-cache", "the client's memory served it")                                               \
	X(UNKNOWN, "unknown", "the evidence does not single one out")

enum nl_bottleneck {
#define NL_X(symbol, name, meaning) NL_BOTTLENECK_##symbol,
	NL_BOTTLENECKS(NL_X)
#undef NL_X
		NL_BOTTLENECK_COUNT
};

struct nl_interval {
	double low, high;
};

struct nl_texts { /* owned array of owned strings */
	char **text;
	size_t count;
};

/* Bytes of one figure at each layer, summed over its good iterations; negative: not known. */
struct nl_ledger {
	double application, client_nic, nas_nic, disks;
};

struct nl_iteration {
	unsigned phase; /* index in the plan */
	double bytes_per_second;
	int64_t start_ns, end_ns; /* measured window, controller's clock */
	struct nl_ledger ledger;
	double variation; /* coefficient of variation of the rate inside the window; negative: not known */
};

struct nl_figure {
	char name[128];
	enum nl_layer layer;
	enum nl_direction direction;
	enum nl_workload workload; /* meaningless for line */
	unsigned streams;
	char agent[64];          /* the client, or the NAS for the pool */
	char share[64];          /* share name, "" for line and pool */
	double bytes_per_second; /* median of the iterations; 0 when failed */
	struct nl_interval interval;
	char interval_method[64];        /* "range of 2 iterations", ... */
	double spread;                   /* (max - min) / median */
	struct nl_iteration *iterations; /* owned; the good ones */
	unsigned iteration_count, failed_count;
	enum nl_verdict verdict;
	struct nl_texts verdict_reasons; /* each with its numbers; never empty */
	enum nl_bottleneck bottleneck;
	struct nl_texts evidence; /* each with its numbers; never empty for a path */
	struct nl_ledger ledger;
	double client_cache_share, nas_cache_share; /* 0..1; negative: not known */
	double client_cpu, nas_cpu; /* busy share of the busiest core during the windows, 0..1; negative: not known */
	double retransmits;         /* line; negative: not known */
	uint64_t latency_p50_ns, latency_p99_ns, latency_p999_ns; /* 0: not known */
};

struct nl_link {
	double speed_bps; /* the slower of both ends, shapers included; 0 unknown */
	unsigned mtu;
	double goodput_bytes_per_second; /* by arithmetic; 0 unknown */
	char client_nic[32], nas_nic[32];
	char explanation[256]; /* "1 Gbit/s by the tbf shaper of ul-nas, MTU 1500, TCP timestamps on" */
};

struct nl_setting { /* one row of the settings table */
	char layer[32], key[64];
	char nas[256], client[256];
};

struct nl_comparison { /* two figures that differ in the share only */
	char a[128], b[128];
	enum nl_direction direction;
	unsigned streams;
	double ratio;                /* b over a */
	enum nl_verdict verdict;     /* valid, settings-differ, not-comparable */
	struct nl_texts differences; /* "encryption: off / required" */
	char sentence[300];
};

struct nl_chart_series {
	char name[96], group[32], unit[8]; /* group: "streams", "wire", "disks", "cpu" */
	double *times_s;                   /* since the run's start */
	double *values;                    /* rates already */
	size_t count;
};

struct nl_model {
	struct nl_store_run run;
	char *campaign_yaml;
	char *summary; /* one paragraph */
	struct nl_link link;
	struct nl_figure *ceilings, *paths; /* owned */
	size_t ceiling_count, path_count;
	struct nl_comparison *comparisons;
	size_t comparison_count;
	struct nl_setting *settings;
	size_t setting_count;
	struct nl_chart_series *charts;
	size_t chart_count;
	struct nl_store_event *events;
	size_t event_count;
	struct nl_texts warnings;     /* audit findings, missing sources, missing phases */
	struct nl_texts reproduction; /* commands */
	double clock_error_ns;        /* the largest of the agents */
};

const char *nl_verdict_name(enum nl_verdict verdict);
bool nl_verdict_quotable(enum nl_verdict verdict);
const char *nl_verdict_meaning(enum nl_verdict verdict);
const char *nl_bottleneck_name(enum nl_bottleneck bottleneck);
const char *nl_bottleneck_meaning(enum nl_bottleneck bottleneck);

/* nl_reconcile derives the whole model of a run from the store. A run cut off anywhere gives a model that says what is
 * missing. */
int nl_reconcile(struct nl_store *store, const char *run_id, struct nl_model *model, struct nl_error *err);
void nl_model_fini(struct nl_model *model);

#endif
