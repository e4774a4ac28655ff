/*
 * time: the clocks. Monotonic for every duration and sample; wall clock for labels only.
 */
#ifndef NL_BASE_TIME_H
#define NL_BASE_TIME_H

#include <stddef.h>
#include <stdint.h>

#define NL_NS_PER_S INT64_C(1000000000)
#define NL_NS_PER_MS INT64_C(1000000)

/* nl_mono_ns is CLOCK_MONOTONIC in nanoseconds. Any thread. */
int64_t nl_mono_ns(void);

/* nl_wall_ns is CLOCK_REALTIME in nanoseconds since 1970. Only for labels; it may jump. */
int64_t nl_wall_ns(void);

/* nl_sleep_until_mono sleeps until the monotonic instant, absolute, resuming after signals. Returns at once when it is past. */
void nl_sleep_until_mono(int64_t mono_ns);

/* nl_wall_text writes wall_ns as "2026-11-30T18:39:24Z" (UTC) into buf (24 bytes suffice) and returns buf. */
char *nl_wall_text(int64_t wall_ns, char *buf, size_t size);

#endif
