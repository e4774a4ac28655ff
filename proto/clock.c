/*
 * clock: the controller's clock, and an agent's knowledge of it. Instants come from the other side, so every sum is
 * checked.
 */
#include "proto/clock.h"

#include <pthread.h>

#include "base/time.h"

#define KEEP_NS (600 * NL_NS_PER_S)

static pthread_once_t epoch_once = PTHREAD_ONCE_INIT;
static int64_t epoch_ns; /* wall clock minus monotonic clock when the process began to ask */

/* The wall clock is read between two readings of the monotonic clock; the narrowest of a few pairs is the truest. */
static void set_epoch(void)
{
	int64_t narrowest_ns = INT64_MAX;
	for (int i = 0; i < 5; i++) {
		int64_t before = nl_mono_ns(), wall = nl_wall_ns(), after = nl_mono_ns();
		if (after - before >= narrowest_ns)
			continue;
		narrowest_ns = after - before;
		epoch_ns = wall - (before + narrowest_ns / 2);
	}
}

static int64_t add_saturated(int64_t a, int64_t b)
{
	int64_t sum;
	if (!__builtin_add_overflow(a, b, &sum))
		return sum;
	return b > 0 ? INT64_MAX : INT64_MIN;
}

int64_t nl_clock_controller_from_mono(int64_t mono_ns)
{
	pthread_once(&epoch_once, set_epoch);
	return add_saturated(epoch_ns, mono_ns);
}

int64_t nl_clock_controller_ns(void)
{
	return nl_clock_controller_from_mono(nl_mono_ns());
}

bool nl_clock_learn(struct nl_clock *clock, const struct nl_clock_exchange *exchange)
{
	int64_t there, back, away, held, round_trip;
	if (__builtin_sub_overflow(exchange->received_ns, exchange->sent_mono_ns, &there) ||
	    __builtin_sub_overflow(exchange->replied_ns, exchange->returned_mono_ns, &back) ||
	    __builtin_sub_overflow(exchange->returned_mono_ns, exchange->sent_mono_ns, &away) ||
	    __builtin_sub_overflow(exchange->replied_ns, exchange->received_ns, &held) ||
	    __builtin_sub_overflow(away, held, &round_trip))
		return false;
	if (away < 0 || held < 0 || round_trip < 0)
		return false;
	/* there = offset + travel, back = offset - travel: back + (there - back) / 2 is their mean without overflow. */
	int64_t between;
	if (__builtin_sub_overflow(there, back, &between))
		return false;
	bool old = clock->known && exchange->returned_mono_ns - clock->taken_mono_ns > KEEP_NS;
	if (clock->known && !old && round_trip >= clock->round_trip_ns)
		return false;
	*clock = (struct nl_clock){back + between / 2, round_trip, exchange->returned_mono_ns, true};
	return true;
}

int64_t nl_clock_error_ns(const struct nl_clock *clock)
{
	return clock->round_trip_ns / 2 + clock->round_trip_ns % 2;
}

int64_t nl_clock_to_controller(const struct nl_clock *clock, int64_t mono_ns)
{
	return add_saturated(mono_ns, clock->offset_ns);
}

int64_t nl_clock_to_mono(const struct nl_clock *clock, int64_t controller_ns)
{
	return clock->offset_ns == INT64_MIN ? INT64_MAX : add_saturated(controller_ns, -clock->offset_ns);
}
