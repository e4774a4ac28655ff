/*
 * work: the hot loop. Keeps a channel supplied with operations until the walk, the time or a stop ends it, and accounts
 * for each completion. Allocates nothing, locks nothing, formats nothing.
 */
#ifndef NL_AGENT_IO_WORK_H
#define NL_AGENT_IO_WORK_H

#include "agent/io/buffers.h"
#include "agent/io/control.h"
#include "agent/io/engine.h"
#include "agent/io/pacing.h"
#include "agent/io/walk.h"

enum nl_work_end {
	NL_WORK_GOES_ON,
	NL_WORK_TIME,    /* end_ns */
	NL_WORK_DONE,    /* the walk's end */
	NL_WORK_STOPPED, /* on request */
	NL_WORK_FAILED,
};

struct nl_work {
	/* Given. */
	struct nl_channel *channel;
	struct nl_buffers *buffers;
	struct nl_control *control;
	struct nl_stream_shared *shared; /* where it counts; NULL while laying and warming */
	struct nl_walk walk;
	struct nl_pacing pacing;
	unsigned depth, stream;
	uint64_t payload_key, first_round;
	int64_t window_start_ns, end_ns; /* end_ns INT64_MAX: not by time */
	/* Of the loop. */
	unsigned in_flight;
	uint64_t bytes, operations;
	enum nl_work_end end;
	int failure; /* -errno of the first failed operation */
	uint64_t failure_offset;
	bool failure_write, failure_channel; /* the whole channel failed, not one operation */
};

/*
 * nl_work_run runs until the end, all operations in flight waited for (unless the channel is dead), and says how it
 * ended. With NL_WORK_FAILED, `failure` has the reason.
 */
enum nl_work_end nl_work_run(struct nl_work *work);

#endif
