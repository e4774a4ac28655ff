/*
 * pacing: the schedule of a rate limit.
 */
#include "agent/io/pacing.h"

#include <string.h>

#include "agent/io/load.h"
#include "base/time.h"

/* One second's worth of the largest step must fit in 64 bits. */
_Static_assert(UINT64_MAX / NL_LOAD_BLOCK_BYTES_MAX / NL_LOAD_STREAMS_MAX >= (uint64_t)NL_NS_PER_S,
	       "the step of a rate limit would overflow");

void nl_pacing_init(struct nl_pacing *pacing, uint64_t rate, uint64_t block_bytes, unsigned streams, unsigned stream,
		    int64_t start_ns)
{
	memset(pacing, 0, sizeof *pacing);
	if (!rate)
		return;
	uint64_t step = block_bytes * streams * (uint64_t)NL_NS_PER_S;
	pacing->active = true;
	pacing->rate = rate;
	pacing->step_ns = step / rate;
	pacing->step_rest = step % rate;
	pacing->due_ns = start_ns + (int64_t)(pacing->step_ns / streams * stream);
}
