/*
 * clock: one clock for all. The controller's clock is nanoseconds since 1970, set once from the wall clock when the
 * process starts and run by the monotonic clock from then on, so that it never jumps. An agent learns the offset of its
 * own monotonic clock from exchanges of four timestamps and keeps that with the smallest round trip (as NTP's clock
 * filter, RFC 5905 section 10).
 */
#ifndef NL_PROTO_CLOCK_H
#define NL_PROTO_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* nl_clock_controller_ns: the controller's clock, in the controller's process. Any thread. */
int64_t nl_clock_controller_ns(void);
/* nl_clock_controller_from_mono turns a monotonic instant of this process into the controller's clock. */
int64_t nl_clock_controller_from_mono(int64_t mono_ns);

struct nl_clock_exchange {
	int64_t sent_mono_ns;     /* t1, agent */
	int64_t received_ns;      /* t2, controller */
	int64_t replied_ns;       /* t3, controller */
	int64_t returned_mono_ns; /* t4, agent */
};

struct nl_clock {
	int64_t offset_ns;     /* controller's clock minus this monotonic clock */
	int64_t round_trip_ns; /* of the exchange that gave it */
	int64_t taken_mono_ns; /* when */
	bool known;
};

/*
 * nl_clock_learn takes one exchange: offset ((t2-t1)+(t3-t4))/2, round trip (t4-t1)-(t3-t2). It is kept when its round
 * trip is smaller than the kept one's, or when the kept one is older than 10 minutes (drift). An exchange with negative
 * round trip or overflow is ignored. Returns whether it was kept.
 */
bool nl_clock_learn(struct nl_clock *clock, const struct nl_clock_exchange *exchange);
/* The true offset lies within +- this of offset_ns: half the round trip. */
int64_t nl_clock_error_ns(const struct nl_clock *clock);
int64_t nl_clock_to_controller(const struct nl_clock *clock, int64_t mono_ns);
int64_t nl_clock_to_mono(const struct nl_clock *clock, int64_t controller_ns);

#endif
