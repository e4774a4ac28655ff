/*
 * control: the memory that a load and its streams share, be they threads or processes (a memfd mapped by both).
 *
 * Rule: the load writes go, stop and start; a stream writes its own nl_stream_shared, and lowers window_end. Everything
 * else in nl_stream_shared than `bytes` and `operations` is read by the load only after the stream has ended.
 */
#ifndef NL_AGENT_IO_CONTROL_H
#define NL_AGENT_IO_CONTROL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "proto/histogram.h"

struct nl_stream_shared {
	/* Read while the stream runs; on a line of its own. */
	_Alignas(64) _Atomic uint64_t bytes;
	_Atomic uint64_t operations;
	/* The result. */
	_Alignas(64) uint64_t window_bytes;
	uint64_t short_operations;
	int64_t first_done_ns, last_done_ns, durable_ns;
	double cpu_user_s, cpu_system_s, elapsed_s;
	bool reached_end;
	char note[160];
	struct nl_histogram latency;
	struct nl_error failure;
};

struct nl_control {
	_Alignas(64) _Atomic uint32_t stop; /* futex word */
	_Alignas(64) _Atomic uint32_t go;   /* futex word */
	_Atomic int64_t start_ns;
	_Alignas(64) _Atomic int64_t window_end_ns;
	struct nl_stream_shared stream[];
};

size_t nl_control_size(unsigned streams);
/* nl_control_go lets the streams go at start_ns. nl_control_stop ends them, also while they are being made ready. */
void nl_control_go(struct nl_control *control, int64_t start_ns);
void nl_control_stop(struct nl_control *control);
static inline bool nl_control_stopped(struct nl_control *control)
{
	return atomic_load_explicit(&control->stop, memory_order_relaxed) != 0;
}
/* nl_control_wait_go returns true when the load was started, false when it was stopped before. */
bool nl_control_wait_go(struct nl_control *control);
/* nl_control_sleep_until sleeps until the monotonic instant or until the load is stopped (then false). */
bool nl_control_sleep_until(struct nl_control *control, int64_t mono_ns);
/* nl_control_window_ends lowers the end of the measured window. */
void nl_control_window_ends(struct nl_control *control, int64_t mono_ns);

/* A futex of shared memory: wait while *word == expected, at most until the monotonic instant (INT64_MAX: for ever). */
void nl_futex_wait(_Atomic uint32_t *word, uint32_t expected, int64_t until_mono_ns);
void nl_futex_wake(_Atomic uint32_t *word);

#endif
