/*
 * stream: prepares, runs and closes one stream.
 */
#include "agent/io/stream.h"

#include <stdio.h>
#include <string.h>

#include "agent/io/cpu.h"
#include "agent/io/job.h"
#include "agent/io/layout.h"
#include "agent/io/payload.h"
#include "agent/io/work.h"
#include "base/time.h"

#define RUN_SALT 2

void nl_stream_init(struct nl_stream *stream, const struct nl_job *job, const struct nl_engine *engine, unsigned index,
		    uint64_t payload_key, struct nl_control *control)
{
	memset(stream, 0, sizeof *stream);
	stream->job = job;
	stream->index = index;
	stream->payload_key = payload_key;
	stream->control = control;
	stream->depth = job->queue_depth < engine->depth_max ? job->queue_depth : engine->depth_max;
	stream->channel.engine = engine;
	stream->channel.job = job;
	stream->channel.control = control;
	stream->channel.file = -1;
}

static int too_small(const struct nl_stream *stream, uint64_t size, struct nl_error *err)
{
	nl_error_set(err, NL_E_CONFIG, "open a file of the load");
	nl_error_where(err, "%s/%s-%u", stream->job->directory, stream->job->file_prefix, stream->index);
	nl_error_why(err, "it has %llu bytes, less than one block", (unsigned long long)size);
	nl_error_todo(err, "a load that reads, or writes in random order, needs laid files");
	return NL_E_CONFIG;
}

static int open_file(struct nl_stream *stream, struct nl_error *err)
{
	const struct nl_job *job = stream->job;
	bool fresh = nl_job_fresh(job);
	const struct nl_open_how how = {.read = nl_job_may_read(job),
					.write = nl_job_may_write(job),
					.create = fresh,
					.truncate = fresh,
					.direct = job->direct,
					.sync = job->sync_writes};
	uint64_t size = 0;
	int rc = stream->channel.engine->open(&stream->channel, stream->index, &how, &size, err);
	if (rc)
		return rc;
	if (fresh)
		size = job->file_bytes;
	stream->end = size < job->file_bytes ? size : job->file_bytes;
	/* Only a sequential read may end with a part of a block. */
	if (how.write || job->random)
		stream->end -= stream->end % job->block_bytes;
	return stream->end ? 0 : too_small(stream, size, err);
}

static int make_buffers(struct nl_stream *stream, struct nl_error *err)
{
	const struct nl_job *job = stream->job;
	uint64_t ring = nl_job_may_write(job) ? nl_payload_ring_bytes(job->streams) : 0;
	int rc = nl_buffers_init(&stream->buffers, job->block_bytes, stream->depth,
				 ring < stream->end ? ring : stream->end, err);
	if (!rc && nl_job_may_write(job))
		nl_payload_fill(stream->buffers.memory, stream->buffers.bytes, stream->payload_key, stream->index,
				RUN_SALT);
	return rc;
}

int nl_stream_prepare(struct nl_stream *stream, struct nl_error *err)
{
	const struct nl_job *job = stream->job;
	const struct nl_engine *engine = stream->channel.engine;
	nl_histogram_init(&stream->control->stream[stream->index].latency);
	int rc = engine->connect ? engine->connect(&stream->channel, err) : 0;
	if (!rc && job->lay_files && engine->layer)
		rc = nl_layout_lay(stream, err);
	if (!rc && job->warm && engine->layer)
		rc = nl_layout_warm(stream, err);
	if (!rc)
		rc = open_file(stream, err);
	if (!rc)
		rc = make_buffers(stream, err);
	if (!rc)
		rc = engine->ready(&stream->channel, &stream->buffers, stream->depth, err);
	return rc;
}

static void make_work(struct nl_stream *stream, struct nl_work *work)
{
	const struct nl_job *job = stream->job;
	int64_t start = stream->control->start_ns;
	bool timed = nl_job_timed(job);
	*work = (struct nl_work){.channel = &stream->channel,
				 .buffers = &stream->buffers,
				 .control = stream->control,
				 .shared = &stream->control->stream[stream->index],
				 .depth = stream->depth,
				 .stream = stream->index,
				 .payload_key = stream->payload_key,
				 .first_round = 1}; /* round 0 is what was laid */
	work->window_start_ns = start + job->ramp_ns;
	work->end_ns = timed ? start + job->ramp_ns + job->duration_ns : INT64_MAX;
	bool loop = timed && (job->random || (job->loop_files && nl_job_may_read(job)));
	nl_walk_init(&work->walk, job->block_bytes, stream->end, job->random, loop,
		     stream->payload_key + stream->index);
	work->walk.write = job->write;
	work->walk.read_percent = job->read_percent;
	nl_pacing_init(&work->pacing, job->rate_limit_bytes_per_s, job->block_bytes, job->streams, stream->index,
		       start);
}

/* What a failed or early end means for the others. */
static void conclude(struct nl_stream *stream, const struct nl_work *work)
{
	struct nl_stream_shared *shared = &stream->control->stream[stream->index];
	shared->reached_end = work->end == NL_WORK_DONE;
	if (work->end != NL_WORK_TIME)
		nl_control_window_ends(stream->control, shared->last_done_ns ? shared->last_done_ns : nl_mono_ns());
	if (work->end != NL_WORK_FAILED)
		return;
	char what[100] = "keep the load going";
	if (!work->failure_channel)
		snprintf(what, sizeof what, "%s at offset %llu", work->failure_write ? "write" : "read",
			 (unsigned long long)work->failure_offset);
	nl_channel_error(&stream->channel, stream->index, what, work->failure, &shared->failure);
	nl_control_stop(stream->control);
}

static void make_durable(struct nl_stream *stream)
{
	const struct nl_engine *engine = stream->channel.engine;
	struct nl_stream_shared *shared = &stream->control->stream[stream->index];
	if (!stream->job->fsync_end || !nl_job_may_write(stream->job) || !engine->flush || shared->failure.code)
		return;
	int failed = engine->flush(&stream->channel);
	if (!failed) {
		shared->durable_ns = nl_mono_ns();
		return;
	}
	nl_channel_error(&stream->channel, stream->index, "make the written data durable", failed, &shared->failure);
	nl_control_stop(stream->control);
}

void nl_stream_run(struct nl_stream *stream)
{
	struct nl_stream_shared *shared = &stream->control->stream[stream->index];
	bool workers = stream->channel.engine->id == NL_ENGINE_IO_URING;
	struct nl_work work;
	if (!nl_control_wait_go(stream->control))
		return;
	make_work(stream, &work);
	nl_control_sleep_until(stream->control, stream->control->start_ns);
	struct nl_cpu before = nl_cpu_now(stream->whole_process, false);
	nl_work_run(&work);
	conclude(stream, &work);
	make_durable(stream);
	struct nl_cpu after = nl_cpu_now(stream->whole_process, workers);
	shared->cpu_user_s = after.user_s - before.user_s;
	shared->cpu_system_s = after.system_s - before.system_s;
	shared->elapsed_s = (double)(after.mono_ns - before.mono_ns) / 1e9;
	memcpy(shared->note, stream->channel.note, sizeof shared->note);
	/* Closed now: over NFS, a write that found no space may only come out here. */
	if (stream->channel.engine->close(&stream->channel, shared->failure.code ? NULL : &shared->failure))
		nl_control_stop(stream->control);
}

void nl_stream_fini(struct nl_stream *stream)
{
	const struct nl_engine *engine = stream->channel.engine;
	engine->close(&stream->channel, NULL);
	if (engine->disconnect)
		engine->disconnect(&stream->channel);
	nl_buffers_fini(&stream->buffers);
}
