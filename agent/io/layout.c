/*
 * layout: laying and warming run the hot loop, uncounted, with large blocks, through the engine that suits.
 */
#include "agent/io/layout.h"

#include <unistd.h>

#include "agent/io/payload.h"
#include "agent/io/work.h"

#define LAY_BLOCK_BYTES (UINT64_C(1) << 20)
#define LAY_DEPTH       8u
#define LAY_SALT        1 /* keeps laid bytes different from those that the load itself writes */

/* One pass over a file. */
struct pass {
	struct nl_stream *stream;
	struct nl_channel channel;
	struct nl_buffers buffers;
	struct nl_work work;
	bool write;
};

static void pass_init(struct pass *pass, struct nl_stream *stream, bool write)
{
	*pass = (struct pass){.stream = stream, .channel = stream->channel, .write = write};
	pass->channel.engine = stream->channel.engine->layer;
	pass->work.channel = &pass->channel;
	pass->work.buffers = &pass->buffers;
	pass->work.control = stream->control;
	pass->work.stream = stream->index;
	pass->work.payload_key = stream->payload_key;
	pass->work.end_ns = INT64_MAX;
	unsigned limit = pass->channel.engine->depth_max;
	pass->work.depth = limit < LAY_DEPTH ? limit : LAY_DEPTH;
}

static int pass_ready(struct pass *pass, uint64_t end, struct nl_error *err)
{
	struct nl_stream *stream = pass->stream;
	uint64_t ring = pass->write ? nl_payload_ring_bytes(stream->job->streams) : 0;
	int rc = nl_buffers_init(&pass->buffers, LAY_BLOCK_BYTES, pass->work.depth, ring, err);
	if (rc)
		return rc;
	if (pass->write)
		nl_payload_fill(pass->buffers.memory, pass->buffers.bytes, stream->payload_key, stream->index,
				LAY_SALT);
	nl_walk_init(&pass->work.walk, LAY_BLOCK_BYTES, end, false, false, 0);
	pass->work.walk.write = pass->write;
	return pass->channel.engine->ready(&pass->channel, &pass->buffers, pass->work.depth, err);
}

static int pass_run(struct pass *pass, struct nl_error *err)
{
	const char *what = pass->write ? "lay a file of the load" : "warm a file of the load";
	enum nl_work_end end = nl_work_run(&pass->work);
	if (end == NL_WORK_STOPPED)
		return nl_error_set(err, NL_E_CANCELLED, "%s", what);
	int failed = end == NL_WORK_FAILED ? pass->work.failure : 0;
	if (!failed && pass->write && pass->channel.engine->flush)
		failed = pass->channel.engine->flush(&pass->channel);
	return failed ? nl_channel_error(&pass->channel, pass->stream->index, what, failed, err) : 0;
}

static int pass_over(struct pass *pass, uint64_t end, struct nl_error *err)
{
	int rc = pass_ready(pass, end, err);
	return rc ? rc : pass_run(pass, err);
}

/* Closes before the buffers go: on a dead channel, what is in flight still points into them. */
static int pass_fini(struct pass *pass, int rc, struct nl_error *err)
{
	int closed = pass->channel.engine->close(&pass->channel, rc ? NULL : err);
	nl_buffers_fini(&pass->buffers);
	return rc ? rc : closed;
}

int nl_layout_lay(struct nl_stream *stream, struct nl_error *err)
{
	static const struct nl_open_how how = {.write = true, .create = true};
	struct pass pass;
	uint64_t size = 0, end = stream->job->file_bytes;
	pass_init(&pass, stream, true);
	int rc = pass.channel.engine->open(&pass.channel, stream->index, &how, &size, err);
	if (rc)
		return rc;
	if (size < end)
		rc = pass_over(&pass, end, err);
	/* Gives the space back; should even that fail, the first error is still the one to report. */
	if (rc && pass.channel.file >= 0 && ftruncate(pass.channel.file, (off_t)size))
		nl_error_todo(err, "remove the file: it could not be cut back to what it was");
	return pass_fini(&pass, rc, err);
}

int nl_layout_warm(struct nl_stream *stream, struct nl_error *err)
{
	static const struct nl_open_how how = {.read = true};
	struct pass pass;
	uint64_t size = 0;
	pass_init(&pass, stream, false);
	int rc = pass.channel.engine->open(&pass.channel, stream->index, &how, &size, err);
	if (rc)
		return rc;
	uint64_t end = size < stream->job->file_bytes ? size : stream->job->file_bytes;
	if (end)
		rc = pass_over(&pass, end, err);
	return pass_fini(&pass, rc, err);
}
