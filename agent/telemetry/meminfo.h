/*
 * meminfo: what matters of /proc/meminfo, in bytes.
 */
#ifndef NL_AGENT_TELEMETRY_MEMINFO_H
#define NL_AGENT_TELEMETRY_MEMINFO_H

#include <stdbool.h>
#include <stdint.h>

/* A row that the kernel does not give is UINT64_MAX. */
struct nl_meminfo {
	uint64_t total_bytes, available_bytes, cached_bytes, dirty_bytes, writeback_bytes;
};

/* nl_meminfo_parse fills *info; false when not one row was found. */
bool nl_meminfo_parse(const char *text, struct nl_meminfo *info);

#endif
