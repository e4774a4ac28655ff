/*
 * mountstats: the blocks of NFS mounts in /proc/self/mountstats (statistics version 1.0 of kernels before 5.3,
 * and 1.1).
 *
 * Two mounts of one export share a block's counters: equal figures under two paths are one traffic, not two.
 */
#ifndef NL_AGENT_TELEMETRY_MOUNTSTATS_H
#define NL_AGENT_TELEMETRY_MOUNTSTATS_H

#include <stdbool.h>
#include <stdint.h>

struct nl_mountstats {
	char source[256]; /* "192.0.2.10:/mnt/tank/bench", cut when longer */
	char path[1024];
	char fstype[8];       /* "nfs" or "nfs4" */
	char options[1024];   /* all in force, defaults included; cut when longer */
	char transport[8];    /* of the first connection: "tcp", "rdma", ... */
	unsigned connections; /* what nconnect came to */
	bool has_bytes, has_operations;
	uint64_t read_bytes, write_bytes; /* payload that crossed the wire */
	uint64_t reads, writes;           /* calls completed; reads include READ_PLUS, which 4.2 uses instead of READ */
	uint64_t rtt_ms, queue_ms;        /* of both, summed */
	uint64_t retransmits;             /* of all operations */
};

/* nl_mountstats_next reads the next NFS block at or behind *cursor and moves behind it. False when there is none. */
bool nl_mountstats_next(const char **cursor, struct nl_mountstats *block);

#endif
