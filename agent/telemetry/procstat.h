/*
 * procstat: the rows of single cores in /proc/stat.
 */
#ifndef NL_AGENT_TELEMETRY_PROCSTAT_H
#define NL_AGENT_TELEMETRY_PROCSTAT_H

#include <stdbool.h>
#include <stdint.h>

/* Ticks of sysconf(_SC_CLK_TCK) since boot. */
struct nl_procstat_cpu {
	unsigned cpu;
	uint64_t user;    /* nice and guests included */
	uint64_t system;  /* interrupts not included */
	uint64_t idle;    /* waiting for I/O included */
	uint64_t softirq; /* interrupts, hard and soft */
	uint64_t steal;
};

/* nl_procstat_next reads the next "cpuN" row at or behind *cursor and moves behind it. False when there is none. */
bool nl_procstat_next(const char **cursor, struct nl_procstat_cpu *row);

#endif
