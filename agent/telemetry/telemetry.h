/*
 * telemetry: samplers that read counters of the machine at a fixed period and keep them in a ring until the agent ships
 * them.
 *
 * One thread samples (absolute deadlines on the monotonic clock, no drift); any one other thread drains. Each collector
 * is a row of a table (open, sample, close); a source that is missing is said once, as a fact, and never stops the
 * others; files of /proc are kept open and read with pread. The ring is bounded: when it is full the oldest samples are
 * dropped and counted.
 */
#ifndef NL_AGENT_TELEMETRY_TELEMETRY_H
#define NL_AGENT_TELEMETRY_TELEMETRY_H

#include <stdint.h>

#include "agent/storage/storage.h"
#include "base/error.h"
#include "proto/metric.h"

#define NL_TELEMETRY_SUBJECT_MAX 32

struct nl_telemetry_config {
	int64_t period_ns; /* 100 ms .. 60 s */
	const struct nl_storage_disk *disks;
	unsigned disk_count;
	const char *nic;        /* interface name, NULL or "": none */
	const char *mount_path; /* an NFS or SMB mount whose client counters are wanted; NULL: all of them */
};

struct nl_sample {
	enum nl_metric_id metric;
	char subject[NL_TELEMETRY_SUBJECT_MAX];
	int64_t mono_ns; /* when the source was read */
	double value;
};

struct nl_telemetry;

int nl_telemetry_start(const struct nl_telemetry_config *config, struct nl_telemetry **telemetry, struct nl_error *err);
/* nl_telemetry_drain moves up to `max` samples, oldest first, and returns how many; *lost counts those dropped since
 * the last call. */
unsigned nl_telemetry_drain(struct nl_telemetry *telemetry, struct nl_sample *samples, unsigned max, uint64_t *lost);
/* nl_telemetry_sample_now takes one extra round of samples at once (at a phase's edges), in the caller's thread. */
void nl_telemetry_sample_now(struct nl_telemetry *telemetry);
/* nl_telemetry_missing: the collectors that found no source, as text "nfsd: no /proc/net/rpc/nfsd; ..." ("" if none).
 */
const char *nl_telemetry_missing(const struct nl_telemetry *telemetry);
void nl_telemetry_stop(struct nl_telemetry *telemetry); /* ends the thread and frees; NULL allowed */

/*
 * nl_host_describe gives facts of host, cpu, memory, kernel settings that matter (congestion control, tcp_rmem/wmem,
 * dirty ratios, virtualisation) with subject/key/value; nl_nic_for_peer finds the interface that leads to `peer` (name
 * or address; route lookup by a connected UDP socket) into name (32 bytes); nl_nic_describe its facts: speed_bps
 * ("unknown" when the driver does not say), duplex, mtu, driver, bridge/bond/veth, qdisc shaping rate when one is set
 * (by netlink), carrier, address.
 */
int nl_host_describe(nl_storage_fact_sink *sink, void *context, struct nl_error *err);
int nl_nic_for_peer(const char *peer, char name[32], struct nl_error *err);
int nl_nic_describe(const char *name, nl_storage_fact_sink *sink, void *context, struct nl_error *err);

#endif
