/*
 * diskstats: rows of /proc/diskstats. Kernels give 11 (up to 4.17), 15 (4.18) or 17 (5.5) numbers after the name; more
 * may come.
 */
#ifndef NL_AGENT_TELEMETRY_DISKSTATS_H
#define NL_AGENT_TELEMETRY_DISKSTATS_H

#include <stdbool.h>
#include <stdint.h>

struct nl_diskstats {
	uint64_t major, minor;
	char name[32];
	uint64_t reads, read_bytes, writes, write_bytes;
	uint64_t busy_ms, queue_ms; /* time with requests in flight; their times summed */
	bool has_flushes;
	uint64_t flushes;
};

/*
 * nl_diskstats_next reads the row at *cursor (skipping lines that are none) and moves behind it. False at the end of
 * the text. Any thread.
 */
bool nl_diskstats_next(const char **cursor, struct nl_diskstats *row);

#endif
