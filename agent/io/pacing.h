/*
 * pacing: when the next operation of a rate-limited stream is due.
 *
 * An absolute schedule in whole nanoseconds with the remainder carried on, so it does not drift. A stream that fell
 * behind catches up. The streams' operations are spread evenly over the interval.
 */
#ifndef NL_AGENT_IO_PACING_H
#define NL_AGENT_IO_PACING_H

#include <stdbool.h>
#include <stdint.h>

struct nl_pacing {
	bool active;
	int64_t due_ns; /* of the next operation */
	uint64_t step_ns, step_rest, rest, rate;
};

/* nl_pacing_init: rate is bytes per second of all streams together, 0 for no limit. */
void nl_pacing_init(struct nl_pacing *pacing, uint64_t rate, uint64_t block_bytes, unsigned streams, unsigned stream,
		    int64_t start_ns);

/* nl_pacing_taken moves on to the next operation's instant. */
static inline void nl_pacing_taken(struct nl_pacing *pacing)
{
	pacing->due_ns += (int64_t)pacing->step_ns;
	pacing->rest += pacing->step_rest;
	if (pacing->rest >= pacing->rate) {
		pacing->rest -= pacing->rate;
		pacing->due_ns++;
	}
}

#endif
