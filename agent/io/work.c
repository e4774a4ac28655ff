/*
 * work: the hot loop.
 *
 * The clock is read once per batch of completions; that instant also is the submission of the operations that follow at
 * once. An operation that needs a stamp first is submitted at an instant of its own.
 */
#include "agent/io/work.h"

#include <errno.h>

#include "agent/io/payload.h"
#include "base/time.h"

#define BATCH 64

static bool ended(struct nl_work *work, int64_t now)
{
	if (work->end != NL_WORK_GOES_ON)
		return true;
	if (nl_control_stopped(work->control))
		work->end = NL_WORK_STOPPED;
	else if (now >= work->end_ns)
		work->end = NL_WORK_TIME;
	return work->end != NL_WORK_GOES_ON;
}

static inline bool submit_next(struct nl_work *work, int64_t now)
{
	uint64_t offset;
	if (!nl_walk_next(&work->walk, &offset)) {
		work->end = NL_WORK_DONE;
		return false;
	}
	struct nl_op *op = nl_buffers_take(work->buffers, offset / work->walk.block_bytes);
	uint64_t left = work->walk.end - offset;
	op->offset = offset;
	op->length = (uint32_t)work->walk.block_bytes;
	op->expect = left < op->length ? (uint32_t)left : op->length;
	op->done = 0;
	op->write = nl_walk_writes(&work->walk);
	if (op->write) {
		op->length = op->expect;
		nl_payload_stamp_block(op->buffer, op->length, work->payload_key, work->stream,
				       work->first_round + work->walk.round, offset);
		now = nl_mono_ns();
	}
	op->submit_ns = now;
	work->in_flight++;
	work->channel->engine->submit(work->channel, op);
	return true;
}

/* Fills the queue; returns until when the loop may wait for completions. */
static int64_t fill(struct nl_work *work, int64_t now)
{
	while (work->in_flight < work->depth && !ended(work, now)) {
		if (work->pacing.active) {
			if (work->pacing.due_ns > now)
				return work->pacing.due_ns < work->end_ns ? work->pacing.due_ns : work->end_ns;
			nl_pacing_taken(&work->pacing);
		}
		if (!submit_next(work, now))
			break;
	}
	return INT64_MAX;
}

static void fail(struct nl_work *work, int negative_errno, const struct nl_op *op)
{
	if (work->end == NL_WORK_FAILED)
		return;
	work->end = NL_WORK_FAILED;
	work->failure = negative_errno;
	work->failure_offset = op ? op->offset + op->done : 0;
	work->failure_write = op && op->write;
	work->failure_channel = !op;
}

/* The operation did not move all it should: asks for the rest, or gives up. False when the operation is over. */
static bool went_on(struct nl_work *work, struct nl_op *op)
{
	if (op->result <= 0) {
		/* Nothing where there should be something: the file became shorter, which ENODATA stands for. */
		fail(work, op->result ? op->result : op->write ? -EIO : -ENODATA, op);
		nl_buffers_give(work->buffers, op);
		return false;
	}
	if (work->end == NL_WORK_FAILED) {
		nl_buffers_give(work->buffers, op);
		return false;
	}
	if (work->shared)
		work->shared->short_operations++;
	work->in_flight++;
	work->channel->engine->submit(work->channel, op);
	return true;
}

static inline void record(struct nl_work *work, const struct nl_op *op, int64_t now, bool in_window)
{
	struct nl_stream_shared *shared = work->shared;
	work->bytes += op->expect;
	work->operations++;
	if (!shared)
		return;
	if (op->expect < op->length)
		shared->short_operations++;
	if (in_window) {
		shared->window_bytes += op->expect;
		nl_histogram_record(&shared->latency, (uint64_t)(now - op->submit_ns));
	}
}

static void account(struct nl_work *work, struct nl_op **done, unsigned count, int64_t now)
{
	struct nl_stream_shared *shared = work->shared;
	bool in_window = shared && now >= work->window_start_ns &&
			 now <= atomic_load_explicit(&work->control->window_end_ns, memory_order_relaxed);
	uint64_t before = work->operations;
	work->in_flight -= count;
	for (unsigned i = 0; i < count; i++) {
		struct nl_op *op = done[i];
		if (op->result > 0)
			op->done += (uint32_t)op->result;
		if (op->result <= 0 || op->done < op->expect) {
			went_on(work, op);
			continue;
		}
		record(work, op, now, in_window);
		nl_buffers_give(work->buffers, op);
	}
	if (!shared || work->operations == before)
		return;
	if (!shared->first_done_ns)
		shared->first_done_ns = now;
	shared->last_done_ns = now;
	atomic_store_explicit(&shared->bytes, work->bytes, memory_order_relaxed);
	atomic_store_explicit(&shared->operations, work->operations, memory_order_relaxed);
}

enum nl_work_end nl_work_run(struct nl_work *work)
{
	const struct nl_engine *engine = work->channel->engine;
	struct nl_op *done[BATCH];
	int64_t now = nl_mono_ns();
	for (;;) {
		int64_t until = fill(work, now);
		if (!work->in_flight) {
			if (work->end != NL_WORK_GOES_ON)
				return work->end;
			nl_control_sleep_until(work->control, until);
			now = nl_mono_ns();
			continue;
		}
		int count = engine->reap(work->channel, done, BATCH, until);
		if (count < 0) {
			fail(work, count, NULL);
			return work->end;
		}
		now = nl_mono_ns();
		account(work, done, (unsigned)count, now);
	}
}
