/*
 * telemetry: samplers that read counters of the machine at a fixed period and keep them in a ring until the agent ships
 * them.
 *
 * One thread samples (absolute deadlines on the monotonic clock, no drift); any one other thread drains. Each collector
 * is a row of a table; a source that is missing is said once, as a fact, and never stops the others; files of /proc are
 * kept open and read with pread. The ring is bounded: when it is full the oldest samples are dropped and counted.
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
	unsigned ring_samples;  /* 0: 131072 */
};

/*
 * Subjects: the disk's name, the interface, "cpu0", "memory", "nfsd", "agent"; of NFS the last component of the mount
 * point, of SMB the share's name (a second one of the same name gets "~2").
 */
struct nl_sample {
	enum nl_metric_id metric;
	char subject[NL_TELEMETRY_SUBJECT_MAX];
	int64_t mono_ns; /* when the source was read */
	double value;
};

struct nl_telemetry;

/*
 * nl_telemetry_start takes a first round at once, then starts the thread. The configuration is copied. Network counters
 * are those of the caller's network namespace. NL_E_CONFIG: period out of range.
 */
int nl_telemetry_start(const struct nl_telemetry_config *config, struct nl_telemetry **telemetry, struct nl_error *err);

/*
 * nl_telemetry_drain moves up to `max` samples, oldest first, and returns how many; *lost (NULL allowed) counts those
 * dropped since the last call. Any thread, one at a time.
 */
unsigned nl_telemetry_drain(struct nl_telemetry *telemetry, struct nl_sample *samples, unsigned max, uint64_t *lost);

/*
 * nl_telemetry_sample_now takes one extra round of samples at once (at a phase's edges), in the caller's thread. Any
 * thread.
 */
void nl_telemetry_sample_now(struct nl_telemetry *telemetry);

/*
 * nl_telemetry_missing: the collectors that found no source at the start, as text "nfsd: no /proc/net/rpc/nfsd; ..."
 * ("" if none); lives as long as the telemetry. A source that appears later is sampled from then on.
 */
const char *nl_telemetry_missing(const struct nl_telemetry *telemetry);

/* nl_telemetry_stop ends the thread and frees; NULL allowed. Nobody may be using it any more. */
void nl_telemetry_stop(struct nl_telemetry *telemetry);

/*
 * nl_host_describe gives facts under "host", "cpu", "memory" and "kernel": names, versions, virtualisation, the
 * settings that matter to a transfer. What a machine does not say is left out, never guessed.
 */
int nl_host_describe(nl_storage_fact_sink *sink, void *context, struct nl_error *err);

/*
 * nl_nic_for_peer writes the name of the interface (32 bytes) that the kernel's routes give for `peer`, a name or an
 * address; "lo" for an address of this machine. Resolving a name may take as long as the resolver does. NL_E_NOT_FOUND:
 * no such name, or no route.
 */
int nl_nic_for_peer(const char *peer, char name[32], struct nl_error *err);

/*
 * nl_nic_describe gives facts under "nic:NAME": speed_bps ("unknown" when the driver does not say), duplex, mtu,
 * carrier, address, driver, kind (ethernet, bridge, bond, vlan, veth, ...), virtual (yes: its speed is no wire's),
 * members, qdisc, shaper and shaper_rate_bps when the root queue limits the rate, qdisc_drops; and the same for the
 * members of a bond or bridge. By ioctl and netlink, which are of the thread's network namespace, as /sys need not be.
 * NL_E_NOT_FOUND: no such interface.
 */
int nl_nic_describe(const char *name, nl_storage_fact_sink *sink, void *context, struct nl_error *err);

#endif
