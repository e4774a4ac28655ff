/*
 * control: go, stop and the window's end, over futexes that work between threads and between processes.
 */
#include "agent/io/control.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/time.h"

void nl_futex_wait(_Atomic uint32_t *word, uint32_t expected, int64_t until_mono_ns)
{
	struct timespec until = {.tv_sec = until_mono_ns / NL_NS_PER_S, .tv_nsec = until_mono_ns % NL_NS_PER_S};
	/* FUTEX_WAIT_BITSET takes an absolute instant, so that a wake-up in between costs no accuracy. */
	syscall(SYS_futex, word, FUTEX_WAIT_BITSET, expected, until_mono_ns == INT64_MAX ? NULL : &until, NULL,
		FUTEX_BITSET_MATCH_ANY);
}

void nl_futex_wake(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

size_t nl_control_size(unsigned streams)
{
	return sizeof(struct nl_control) + streams * sizeof(struct nl_stream_shared);
}

void nl_control_go(struct nl_control *control, int64_t start_ns)
{
	atomic_store(&control->start_ns, start_ns);
	atomic_store(&control->go, 1);
	nl_futex_wake(&control->go);
}

void nl_control_stop(struct nl_control *control)
{
	atomic_store(&control->stop, 1);
	nl_futex_wake(&control->stop);
	/* Those that wait for the start look at `stop` when `go` changes. */
	uint32_t none = 0;
	atomic_compare_exchange_strong(&control->go, &none, 2);
	nl_futex_wake(&control->go);
}

bool nl_control_wait_go(struct nl_control *control)
{
	uint32_t go;
	while ((go = atomic_load(&control->go)) == 0)
		nl_futex_wait(&control->go, 0, INT64_MAX);
	return go == 1;
}

bool nl_control_sleep_until(struct nl_control *control, int64_t mono_ns)
{
	while (!nl_control_stopped(control)) {
		if (nl_mono_ns() >= mono_ns)
			return true;
		nl_futex_wait(&control->stop, 0, mono_ns);
	}
	return false;
}

void nl_control_window_ends(struct nl_control *control, int64_t mono_ns)
{
	int64_t end = atomic_load(&control->window_end_ns);
	while (mono_ns < end && !atomic_compare_exchange_weak(&control->window_end_ns, &end, mono_ns))
		;
}
