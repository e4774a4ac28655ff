/*
 * nfsd: the counters of the kernel's NFS server in /proc/net/rpc/nfsd.
 */
#ifndef NL_AGENT_TELEMETRY_NFSD_H
#define NL_AGENT_TELEMETRY_NFSD_H

#include <stdbool.h>
#include <stdint.h>

struct nl_nfsd {
	uint64_t read_bytes, write_bytes; /* for clients */
	uint64_t threads;                 /* 0 when not said */
	uint64_t calls;
};

/* nl_nfsd_parse fills *nfsd; false when the text has no "io" line. */
bool nl_nfsd_parse(const char *text, struct nl_nfsd *nfsd);

#endif
