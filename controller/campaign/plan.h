/*
 * plan: what a campaign will do, phase by phase, with the time and the space it takes. Planning touches nothing.
 */
#ifndef NL_CONTROLLER_CAMPAIGN_PLAN_H
#define NL_CONTROLLER_CAMPAIGN_PLAN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "controller/campaign/campaign.h"

/* What a phase's figure is about; the words are those of report.json. */
enum nl_layer { NL_LAYER_LINE, NL_LAYER_POOL, NL_LAYER_NFS, NL_LAYER_SMB, NL_LAYER_GENERATOR };
enum nl_direction { NL_DIRECTION_TO_NAS, NL_DIRECTION_FROM_NAS, NL_DIRECTION_WRITE, NL_DIRECTION_READ };

enum nl_phase_kind {
	NL_PHASE_INVENTORY, /* describe both ends, audit, clock */
	NL_PHASE_PREPARE,   /* scratch, mounts, probes of every share: all that can fail before a load */
	NL_PHASE_SELF_LOAD, /* null engine */
	NL_PHASE_LINE,
	NL_PHASE_POOL,
	NL_PHASE_SHARE,
	NL_PHASE_CLEANUP, /* and its verification */
};

struct nl_phase {
	unsigned index; /* position in the plan, 0-based; stable for a stored run */
	enum nl_phase_kind kind;
	/*
	 * The figure that this phase is one iteration of: "line to-nas 4 streams", "pool cold-read 1 stream", "nfs
	 * seq-write 4 streams" (share's name first). Phases of one figure are its iterations.
	 */
	char figure[128];
	enum nl_layer layer;
	enum nl_direction direction;
	enum nl_workload workload;
	unsigned streams, iteration; /* iteration from 1 */
	bool optional;               /* above iterations.min: only while the spread is above `until` */
	bool on_nas;                 /* the load runs in the NAS agent: POOL, and SELF_LOAD of the NAS */
	unsigned client;             /* index into campaign.clients, when not on_nas */
	unsigned share;              /* index into campaign.shares, for SHARE */
	/*
	 * Files of the phase: PREFIX-0 ... of "pool-s1", "nfs-s4" (share's name, streams). All iterations and workloads
	 * of a share and number of streams use the same files, so a read finds what the write of the same visit left.
	 * "" without files.
	 */
	char file_prefix[64];
	int64_t duration_ns,
		ramp_ns; /* measured time, and the time before it that is not counted; writes have no ramp */
	uint64_t block_bytes, file_bytes; /* file_bytes of each stream: upper bound for timed writes, what to lay when a
					     read finds nothing */
	unsigned queue_depth;
	int64_t expected_ns; /* with everything around it */
};

struct nl_plan {
	struct nl_phase *phases; /* owned */
	unsigned phase_count;
	uint64_t space_bytes; /* largest need on the NAS at any moment: all files of all prefixes, which stay until
				 cleanup */
	int64_t expected_ns;  /* without optional phases */
};

/* What is known of the machines when planning; zeros when nothing is (nasline plan without agents). */
struct nl_plan_facts {
	unsigned nas_cores;
	uint64_t nas_memory_bytes;
	double assumed_bytes_per_s; /* to size files: 0 takes 1.25 GB/s */
};

/*
 * nl_plan_make orders the phases: inventory, prepare, self-load, line, pool, shares, cleanup.
 *
 * Shares, for each number of streams: in each iteration every share is visited once, and a visit runs all workloads in
 * the order of the enum (write first, so that its reads find files of the same state and age). `abba` turns the order
 * of the visits round in every second iteration: with shares A and B the visits are A1 B1 B2 A2 A3 B3 ..., so a drift
 * of the machine hits both alike. The line alternates its directions in the same way.
 *
 * NL_E_CONFIG when the campaign has nothing to do, lacks the client that a phase needs, or has more than
 * NL_PLAN_PHASES_MAX phases.
 */
#define NL_PLAN_PHASES_MAX 20000
int nl_plan_make(const struct nl_campaign *campaign, const struct nl_plan_facts *facts, struct nl_plan *plan,
		 struct nl_error *err);
void nl_plan_fini(struct nl_plan *plan);
/* nl_plan_print writes the plan for people: a table of phases, space and time. */
void nl_plan_print(const struct nl_plan *plan, const struct nl_campaign *campaign, FILE *out);
/* nl_plan_print_json: the same as one JSON document. */
int nl_plan_print_json(const struct nl_plan *plan, const struct nl_campaign *campaign, FILE *out, struct nl_error *err);
/*
 * nl_plan_from_json reads what nl_plan_print_json wrote, every field of every phase (resume, reports of old runs).
 * Unknown keys are passed over, a missing or impossible one is NL_E_PROTOCOL and names the phase. The caller ends the
 * plan with nl_plan_fini; after an error it is empty.
 */
int nl_plan_from_json(const char *text, struct nl_plan *plan, struct nl_error *err);

const char *nl_phase_kind_name(
	enum nl_phase_kind kind); /* "inventory", "prepare", "self-load", "line", "pool", "share", "cleanup" */
const char *nl_layer_name(enum nl_layer layer);             /* "line", "pool", "nfs", "smb", "generator" */
const char *nl_direction_name(enum nl_direction direction); /* "to-nas", "from-nas", "write", "read" */

#endif
