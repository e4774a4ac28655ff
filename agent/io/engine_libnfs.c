/*
 * engine_libnfs: one stream, one NFS 3 connection, many requests in flight on it.
 *
 * Data read is copied into the operation's buffer, as any program that reads a file does; libnfs's own buffer is only
 * there during the callback.
 */
#include "agent/io/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "agent/io/control.h"
#include "agent/io/nfs.h"
#include "base/time.h"

#define REQUEST_BYTES_MAX (UINT64_C(1) << 20)
#define CONNECT_NS        (10 * NL_NS_PER_S)
#define SILENCE_NS        (30 * NL_NS_PER_S)  /* without any answer, the server counts as gone */
#define SILENCE_STOP_NS   (4 * NL_NS_PER_S)   /* the same once the load is stopped */
#define FLUSH_NS          (300 * NL_NS_PER_S) /* a COMMIT may have gigabytes to write */

struct slot {
	struct nfs_state *state;
	struct nl_op *op;
	uint64_t asked, moved; /* of the present request, of the operation since it was submitted */
};

struct nfs_state {
	struct nl_channel *channel;
	struct nl_nfs *nfs;
	struct nfsfh *file;
	uint64_t read_max, write_max;
	unsigned index, depth, free_count, done_head, done_count;
	struct slot *slot, **free;
	struct nl_op **done;
};

static bool libnfs_probe(char *reason, size_t size)
{
	return nl_nfs_library(reason, size) != NULL;
}

static int libnfs_connect(struct nl_channel *channel, struct nl_error *err)
{
	struct nl_nfs *nfs = calloc(1, sizeof *nfs);
	if (!nfs)
		return nl_error_sys(err, ENOMEM, "reach the NFS export");
	int rc = nl_nfs_connect(nfs, channel->job->share, CONNECT_NS, err);
	if (rc)
		free(nfs);
	else
		channel->connection = nfs;
	return rc;
}

static int refuse(struct nl_channel *channel, const char *path, const char *why, struct nl_error *err)
{
	nl_error_set(err, NL_E_ACCESS, "open a file of the load");
	nl_error_where(err, "%s:%s, %s", channel->job->share->server, channel->job->share->share, path);
	nl_error_why(err, "%s: a load only touches plain files of its own", why);
	nl_error_todo(err, "remove it, or give another directory");
	return NL_E_ACCESS;
}

/* Makes sure that there is a plain file of one name. */
static int settle(struct nl_channel *channel, const char *path, bool create, struct nl_error *err)
{
	struct nl_nfs *nfs = channel->connection;
	struct nfs_stat_64 st;
	struct nfsfh *file = NULL;
	int failed = nl_nfs_lstat(nfs, path, &st);
	if (failed == -ENOENT && create) {
		failed = nl_nfs_create(nfs, path, O_CREAT | O_EXCL | O_RDWR, 0600, &file);
		if (!failed)
			failed = nl_nfs_close(nfs, file, CONNECT_NS);
		return failed ? nl_nfs_failed(nfs, channel->job->share, "create a file of the load", path, failed, err)
			      : 0;
	}
	if (failed)
		return nl_nfs_failed(nfs, channel->job->share, "open a file of the load", path, failed, err);
	if (!S_ISREG(st.nfs_mode))
		return refuse(channel, path,
			      S_ISLNK(st.nfs_mode) ? "it is a symbolic link" : "it is not a regular file", err);
	return st.nfs_nlink > 1 ? refuse(channel, path, "it has a second name (a hard link)", err) : 0;
}

static void path_of(const struct nl_job *job, unsigned index, char *path, size_t size)
{
	const char *directory = job->directory + strspn(job->directory, "/");
	snprintf(path, size, "/%s%s%s-%u", directory, directory[0] ? "/" : "", job->file_prefix, index);
}

static int libnfs_close(struct nl_channel *channel, struct nl_error *err);

static int libnfs_open(struct nl_channel *channel, unsigned index, const struct nl_open_how *how, uint64_t *size,
		       struct nl_error *err)
{
	struct nl_nfs *nfs = channel->connection;
	char path[1300];
	path_of(channel->job, index, path, sizeof path);
	int rc = settle(channel, path, how->create, err);
	if (rc)
		return rc;
	struct nfs_state *state = calloc(1, sizeof *state);
	if (!state)
		return nl_error_sys(err, ENOMEM, "open a file of the load");
	state->channel = channel;
	state->nfs = nfs;
	state->index = index;
	channel->state = state;
	struct nfs_stat_64 st = {.nfs_size = 0};
	int flags = O_NOFOLLOW | (how->write ? O_RDWR : O_RDONLY) | (how->sync ? O_SYNC : 0);
	int failed = nl_nfs_open(nfs, path, flags, &state->file);
	if (!failed && how->truncate)
		failed = nl_nfs_truncate(nfs, state->file, 0);
	if (!failed)
		failed = nl_nfs_fstat(nfs, state->file, &st);
	*size = st.nfs_size;
	if (!failed)
		return 0;
	nl_nfs_failed(nfs, channel->job->share, "open a file of the load", path, failed, err);
	libnfs_close(channel, NULL);
	return err ? (int)err->code : NL_E_IO;
}

static int libnfs_ready(struct nl_channel *channel, const struct nl_buffers *buffers, unsigned depth,
			struct nl_error *err)
{
	struct nfs_state *state = channel->state;
	struct nl_nfs *nfs = channel->connection;
	(void)buffers;
	state->channel = channel;
	state->depth = depth;
	state->slot = calloc(depth, sizeof *state->slot);
	state->free = calloc(depth, sizeof(struct slot *));
	state->done = calloc(depth, sizeof(struct nl_op *));
	if (!state->slot || !state->free || !state->done)
		return nl_error_sys(err, ENOMEM, "allocate the requests of a stream");
	for (unsigned i = 0; i < depth; i++) {
		state->slot[i].state = state;
		state->free[state->free_count++] = &state->slot[i];
	}
	uint64_t read_max = nfs->lib->nfs_get_readmax(nfs->context),
		 write_max = nfs->lib->nfs_get_writemax(nfs->context);
	state->read_max = read_max && read_max < REQUEST_BYTES_MAX ? read_max : REQUEST_BYTES_MAX;
	state->write_max = write_max && write_max < REQUEST_BYTES_MAX ? write_max : REQUEST_BYTES_MAX;
	return 0;
}

static void finish(struct slot *slot, int64_t result)
{
	struct nfs_state *state = slot->state;
	slot->op->result = (int32_t)result;
	state->done[(state->done_head + state->done_count++) % state->depth] = slot->op;
	state->free[state->free_count++] = slot;
}

static void issue(struct slot *slot);

static void on_moved(int error, struct nfs_context *context, void *data, void *private_data)
{
	struct slot *slot = private_data;
	struct nl_op *op = slot->op;
	struct nl_channel *channel = slot->state->channel;
	if (error < 0) {
		const struct nl_nfs *nfs = slot->state->nfs;
		const char *text = nfs->context ? nfs->lib->nfs_get_error(context) : NULL;
		int failed = nl_nfs_errno(error, text);
		/* Other errors say it better by themselves. */
		if (failed == -EIO && text)
			snprintf(channel->detail, sizeof channel->detail, "%s", text);
		finish(slot, failed);
		return;
	}
	/* A server that gives more than was asked for must not write past the buffer. */
	uint64_t moved = (uint64_t)error < slot->asked ? (uint64_t)error : slot->asked;
	if (!op->write && moved)
		memcpy(op->buffer + op->done + slot->moved, data, moved);
	slot->moved += moved;
	/* A block above the server's limit goes on in pieces; a short reply is the caller's to see. */
	if (moved == slot->asked && op->done + slot->moved < op->expect)
		issue(slot);
	else
		finish(slot, (int64_t)slot->moved);
}

static void issue(struct slot *slot)
{
	struct nfs_state *state = slot->state;
	struct nl_op *op = slot->op;
	uint64_t done = op->done + slot->moved, left = op->length - done;
	uint64_t limit = op->write ? state->write_max : state->read_max;
	slot->asked = left < limit ? left : limit;
	int rc = -ENOTCONN;
	if (state->nfs->context)
		rc = op->write ? state->nfs->lib->nfs_pwrite_async(state->nfs->context, state->file, op->offset + done,
								   slot->asked, op->buffer + done, on_moved, slot)
			       : state->nfs->lib->nfs_pread_async(state->nfs->context, state->file, op->offset + done,
								  slot->asked, on_moved, slot);
	if (rc)
		finish(slot, state->nfs->context ? -ENOMEM : -ENOTCONN);
}

static void libnfs_submit(struct nl_channel *channel, struct nl_op *op)
{
	struct nfs_state *state = channel->state;
	struct slot *slot = state->free[--state->free_count];
	slot->op = op;
	slot->moved = 0;
	issue(slot);
}

static int libnfs_reap(struct nl_channel *channel, struct nl_op **done, unsigned max, int64_t until_ns)
{
	struct nfs_state *state = channel->state;
	int64_t began = nl_mono_ns(), stopped = 0;
	while (!state->done_count) {
		int64_t now = nl_mono_ns();
		if (now >= until_ns)
			return 0;
		if (!stopped && nl_control_stopped(channel->control))
			stopped = now;
		if (now - began > SILENCE_NS || (stopped && now - stopped > SILENCE_STOP_NS)) {
			snprintf(channel->detail, sizeof channel->detail, "the server has not answered for %d s",
				 (int)((now - began) / NL_NS_PER_S));
			return -ETIMEDOUT;
		}
		int rc = nl_nfs_service(state->nfs, until_ns < now + NL_NS_PER_S ? until_ns : now + NL_NS_PER_S);
		if (rc) {
			snprintf(channel->detail, sizeof channel->detail, "%s", state->nfs->detail);
			return rc;
		}
	}
	unsigned count = state->done_count < max ? state->done_count : max;
	for (unsigned i = 0; i < count; i++)
		done[i] = state->done[(state->done_head + i) % state->depth];
	state->done_head = (state->done_head + count) % state->depth;
	state->done_count -= count;
	return (int)count;
}

static int libnfs_flush(struct nl_channel *channel)
{
	struct nfs_state *state = channel->state;
	int failed = nl_nfs_fsync(state->nfs, state->file, FLUSH_NS);
	snprintf(channel->detail, sizeof channel->detail, "%s",
		 failed && !state->nfs->context ? state->nfs->detail : "");
	return failed;
}

static int libnfs_close(struct nl_channel *channel, struct nl_error *err)
{
	struct nfs_state *state = channel->state;
	int failed = 0;
	if (!state)
		return 0;
	/* What still is in flight (after a failure) points into the buffers: the connection goes first. */
	if (state->slot && state->free_count < state->depth)
		nl_nfs_kill(state->nfs, "the load was given up");
	else if (state->file && state->nfs->context)
		failed = nl_nfs_close(state->nfs, state->file, FLUSH_NS); /* it commits what is not yet */
	unsigned index = state->index;
	channel->state = NULL;
	snprintf(channel->detail, sizeof channel->detail, "%s",
		 failed && !state->nfs->context ? state->nfs->detail : "");
	free(state->slot);
	free(state->free);
	free(state->done);
	free(state);
	return failed ? nl_channel_error(channel, index, "close a file of the load", failed, err) : 0;
}

static void libnfs_disconnect(struct nl_channel *channel)
{
	if (!channel->connection)
		return;
	nl_nfs_disconnect(channel->connection);
	free(channel->connection);
	channel->connection = NULL;
}

const struct nl_engine nl_engine_libnfs = {
	.id = NL_ENGINE_LIBNFS,
	.name = "libnfs",
	.depth_max = NL_LOAD_QUEUE_DEPTH_MAX,
	.userland = true,
	.layer = &nl_engine_libnfs,
	.probe = libnfs_probe,
	.connect = libnfs_connect,
	.open = libnfs_open,
	.ready = libnfs_ready,
	.submit = libnfs_submit,
	.reap = libnfs_reap,
	.flush = libnfs_flush,
	.close = libnfs_close,
	.disconnect = libnfs_disconnect,
};
