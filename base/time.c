/*
 * time: reads the clocks.
 */
#include "base/time.h"

#include <errno.h>
#include <time.h>

static int64_t read_ns(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * NL_NS_PER_S + t.tv_nsec;
}

int64_t nl_mono_ns(void)
{
	return read_ns(CLOCK_MONOTONIC);
}

int64_t nl_wall_ns(void)
{
	return read_ns(CLOCK_REALTIME);
}

void nl_sleep_until_mono(int64_t mono_ns)
{
	if (mono_ns <= 0)
		return;
	struct timespec t = {.tv_sec = mono_ns / NL_NS_PER_S, .tv_nsec = mono_ns % NL_NS_PER_S};
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

char *nl_wall_text(int64_t wall_ns, char *buf, size_t size)
{
	time_t seconds = (time_t)(wall_ns / NL_NS_PER_S);
	struct tm tm;
	gmtime_r(&seconds, &tm);
	if (strftime(buf, size, "%Y-%m-%dT%H:%M:%SZ", &tm) == 0 && size > 0)
		buf[0] = '\0';
	return buf;
}
