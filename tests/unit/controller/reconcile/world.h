/*
 * world: a made-up campaign for the tests of reconcile: a NAS, a client, a wire and disks that do exactly what a test
 * says, written into a store as agents and conductor would have.
 */
#ifndef NL_TESTS_RECONCILE_WORLD_H
#define NL_TESTS_RECONCILE_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/reconcile/model.h"
#include "proto/metric.h"

#define WORLD_START_NS INT64_C(1796000000000000000)
#define MB             1e6
/* What 1 Gbit/s and 200 Mbit/s carry through a tbf shaper at MTU 1500. */
#define GIGABIT       119.55e6
#define FIFTH_GIGABIT 23.91e6

struct flow {
	char agent[16], subject[16];
	uint32_t metric;
	int64_t from_ns, to_ns;
	double amount;
};

struct world {
	char directory[64], path[96];
	struct nl_store *store;
	struct nl_campaign campaign;
	struct nl_plan plan;
	int64_t now_ns, period_ns;
	double link_bps;
	struct flow *flows;
	size_t flow_count;
	struct {
		char agent[16];
		int64_t ns;
	} edges[4096];
	size_t edge_count;
	bool no_disks, no_nics, no_samples; /* what is not watched */
};

/* What one phase does. Shares are of the application's bytes. */
struct load {
	double rate, seconds; /* of the application: bytes/s, while it moved them */
	double flush_s;       /* writes: until all was durable, after the last byte */
	double wire, disks;   /* share that passed the wire, the disks */
	double disk_busy, client_core, nas_core, thread;
	double dip;     /* every second second runs at this share of the rate; 0: steady */
	double fsync_s; /* writes through a mount: bytes wait in the client's memory and are sent until this long after
			   the last write */
	bool failed, no_flush, cut_off;
	double lay;          /* reads: bytes that the client lays in files before the caches are dropped */
	double foreign_wire; /* bytes that others moved meanwhile */
};
/* What a test names replaces the usual. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Winitializer-overrides"
#else
#pragma GCC diagnostic ignored "-Woverride-init"
#endif
#define LOAD(...)                                                                                                      \
	(&(const struct load){.rate = 40 * MB,                                                                         \
			      .seconds = 5,                                                                            \
			      .wire = 1,                                                                               \
			      .disks = 1,                                                                              \
			      .disk_busy = 0.3,                                                                        \
			      .client_core = 0.2,                                                                      \
			      .nas_core = 0.3,                                                                         \
			      .thread = 0.2,                                                                           \
			      __VA_ARGS__})

int world_setup(void **state);
int world_teardown(void **state);

/* Phases are declared first; each returns its index. Several of one figure are its iterations. */
unsigned world_line(struct world *world, bool to_nas, unsigned streams);
unsigned world_self_load(struct world *world, bool on_nas, bool write);
unsigned world_pool(struct world *world, enum nl_workload workload, unsigned streams);
unsigned world_share(struct world *world, unsigned share, enum nl_workload workload, unsigned streams);
void world_begin(struct world *world); /* stores run, campaign, plan and the facts of both ends */

void world_does(struct world *world, unsigned phase, const struct load *load);
void world_fact(struct world *world, const char *agent, const char *subject, const char *key, const char *value);
void world_end(struct world *world, enum nl_run_state state, struct nl_model *model);

const struct nl_figure *world_figure(const struct nl_model *model, const char *name);
bool world_says(const struct nl_texts *texts, const char *part);
void world_is(const struct nl_model *model, const char *name, enum nl_verdict verdict, enum nl_bottleneck bottleneck);

#define WORLD_TEST(f) cmocka_unit_test_setup_teardown(f, world_setup, world_teardown)

#endif
