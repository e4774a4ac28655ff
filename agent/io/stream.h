/*
 * stream: one stream's life: connect, lay, warm, open, wait for the start, run, make durable, close. It is the same in
 * a thread of the agent and in a helper process; all calls of a stream come from one thread.
 */
#ifndef NL_AGENT_IO_STREAM_H
#define NL_AGENT_IO_STREAM_H

#include "agent/io/buffers.h"
#include "agent/io/control.h"
#include "agent/io/engine.h"

struct nl_stream {
	const struct nl_job *job;
	unsigned index, depth;
	uint64_t payload_key;
	struct nl_control *control;
	struct nl_channel channel;
	struct nl_buffers buffers;
	uint64_t end;       /* the bytes of the file that take part */
	bool whole_process; /* CPU time is the process's, not the thread's */
};

void nl_stream_init(struct nl_stream *stream, const struct nl_job *job, const struct nl_engine *engine, unsigned index,
		    uint64_t payload_key, struct nl_control *control);
/* nl_stream_prepare does everything that can fail before the load. */
int nl_stream_prepare(struct nl_stream *stream, struct nl_error *err);
/* nl_stream_run waits for the start and runs; the result is in control->stream[index], a failure stops the load.
 * Nothing happens when it was stopped before. */
void nl_stream_run(struct nl_stream *stream);
void nl_stream_fini(struct nl_stream *stream);

#endif
