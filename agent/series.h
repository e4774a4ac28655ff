/*
 * series: groups samples, which come in the order of their taking, into the wire's series: one per metric and subject,
 * its instants rising.
 */
#ifndef NL_AGENT_SERIES_H
#define NL_AGENT_SERIES_H

#include <stdint.h>

#include "agent/telemetry/telemetry.h"
#include "proto/message.h"

#define NL_SAMPLES_MAX 4096
#define NL_SERIES_MAX  1024

/* The samples of one message and the series made of them, which point into it. Large: on the heap. */
struct nl_series_group {
	struct nl_sample sample[NL_SAMPLES_MAX]; /* filled by the caller */
	unsigned order[NL_SAMPLES_MAX];
	Nl__Series series[NL_SERIES_MAX];
	Nl__Series *pointer[NL_SERIES_MAX];
	int64_t delta_ns[NL_SAMPLES_MAX];
	double value[NL_SAMPLES_MAX];
};

/*
 * nl_series_group makes series of the first `count` samples (at most NL_SAMPLES_MAX) and returns how many;
 * group->pointer holds them, valid until the next call. Samples beyond NL_SERIES_MAX series are left out and added to
 * *lost. A group is used by one thread at a time. Subjects are cleaned (base/text.h).
 */
unsigned nl_series_group(struct nl_series_group *group, unsigned count, uint64_t *lost);

#endif
