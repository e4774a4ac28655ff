/*
 * cpu: what a stream costs.
 */
#ifndef NL_AGENT_IO_CPU_H
#define NL_AGENT_IO_CPU_H

#include <stdbool.h>
#include <stdint.h>

struct nl_cpu {
	double user_s, system_s;
	int64_t mono_ns;
};

/*
 * nl_cpu_now reads the CPU time of the calling thread, or of the process. For a thread that uses io_uring, with_workers
 * adds the kernel's worker threads that serve it, to the clock tick (10 ms); inside a PID namespace they cannot be told
 * apart and are left out.
 */
struct nl_cpu nl_cpu_now(bool whole_process, bool with_workers);

#endif
