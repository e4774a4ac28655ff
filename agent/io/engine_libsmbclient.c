/*
 * engine_libsmbclient: one operation at a time over SMB. The table works inside a helper process only; the agent's side
 * of it is `remote`.
 *
 * There is no flush in the library, and closing a file does not commit it: a durable rate must be proved at the
 * server's disks.
 */
#include "agent/io/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/io/remote.h"
#include "agent/io/smb.h"

struct smb_connection {
	struct nl_smb smb;
	SMBCFILE *file;
	unsigned index;
	uint64_t position; /* of the file, as the library has it */
	struct nl_op *done;
};

static bool libsmbclient_probe(char *reason, size_t size)
{
	struct nl_helper_request request = {.task = NL_HELPER_PROBE, .timeout_ns = INT64_C(10000000000)};
	struct nl_error err = {.code = NL_E_OK};
	/* In a helper as well: loaded into the agent, its hundred libraries would stay. */
	if (!nl_remote_task(&request, NULL, NULL, &err))
		return true;
	snprintf(reason, size, "%s", err.why[0] ? err.why : err.what);
	return false;
}

static int libsmbclient_connect(struct nl_channel *channel, struct nl_error *err)
{
	struct smb_connection *connection = calloc(1, sizeof *connection);
	if (!connection)
		return nl_error_sys(err, ENOMEM, "reach the SMB share");
	channel->connection = connection;
	return nl_smb_connect(&connection->smb, channel->job->share, channel->job->directory, err);
}

/*
 * A file to be written anew is made anew: SMB does not show whether it has a second name (a hard link), through which
 * somebody's data would be overwritten.
 */
static int clear_the_place(struct nl_channel *channel, const char *url, const struct nl_open_how *how, int *flags)
{
	struct nl_smb *smb = &((struct smb_connection *)channel->connection)->smb;
	struct stat st;
	if (!how->create)
		return 0;
	bool there = !smb->smbc_getFunctionStat(smb->context)(smb->context, url, &st);
	if (there && !how->truncate && S_ISREG(st.st_mode) && (uint64_t)st.st_size >= channel->job->file_bytes)
		return 0;
	*flags |= O_CREAT | O_EXCL;
	return there ? smb->smbc_getFunctionUnlink(smb->context)(smb->context, url) : 0;
}

static int libsmbclient_open(struct nl_channel *channel, unsigned index, const struct nl_open_how *how, uint64_t *size,
			     struct nl_error *err)
{
	struct smb_connection *connection = channel->connection;
	struct nl_smb *smb = &connection->smb;
	char name[256], url[8192];
	struct stat st;
	int flags = how->write ? O_RDWR : O_RDONLY;
	snprintf(name, sizeof name, "%s-%u", channel->job->file_prefix, index);
	if (!nl_smb_url(channel->job->share, channel->job->directory, name, url, sizeof url))
		return nl_error_set(err, NL_E_CONFIG, "the directory's name is too long");
	errno = 0;
	if (!clear_the_place(channel, url, how, &flags))
		connection->file = smb->smbc_getFunctionOpen(smb->context)(smb->context, url, flags, 0600);
	if (!connection->file || smb->smbc_getFunctionFstat(smb->context)(smb->context, connection->file, &st))
		return nl_smb_failed(smb, "open a file of the load", name, errno, err);
	connection->index = index;
	connection->position = 0;
	*size = (uint64_t)st.st_size;
	return 0;
}

static int libsmbclient_ready(struct nl_channel *channel, const struct nl_buffers *buffers, unsigned depth,
			      struct nl_error *err)
{
	(void)channel, (void)buffers, (void)depth, (void)err;
	return 0;
}

static int64_t move(struct smb_connection *connection, struct nl_op *op)
{
	struct nl_smb *smb = &connection->smb;
	uint64_t offset = op->offset + op->done;
	size_t left = op->length - op->done;
	errno = 0;
	/* Seeking is local to the library, but not free. */
	if (connection->position != offset &&
	    smb->smbc_getFunctionLseek(smb->context)(smb->context, connection->file, (off_t)offset, SEEK_SET) < 0)
		return errno ? -errno : -EIO;
	ssize_t moved = op->write ? smb->smbc_getFunctionWrite(smb->context)(smb->context, connection->file,
									     op->buffer + op->done, left)
				  : smb->smbc_getFunctionRead(smb->context)(smb->context, connection->file,
									    op->buffer + op->done, left);
	if (moved < 0)
		return errno ? -errno : -EIO;
	connection->position = offset + (uint64_t)moved;
	return moved;
}

static void libsmbclient_submit(struct nl_channel *channel, struct nl_op *op)
{
	struct smb_connection *connection = channel->connection;
	op->result = (int32_t)move(connection, op);
	connection->done = op;
}

static int libsmbclient_reap(struct nl_channel *channel, struct nl_op **done, unsigned max, int64_t until_ns)
{
	struct smb_connection *connection = channel->connection;
	(void)max, (void)until_ns;
	if (!connection->done)
		return 0;
	done[0] = connection->done;
	connection->done = NULL;
	return 1;
}

static int libsmbclient_close(struct nl_channel *channel, struct nl_error *err)
{
	struct smb_connection *connection = channel->connection;
	if (!connection || !connection->file)
		return 0;
	struct nl_smb *smb = &connection->smb;
	SMBCFILE *file = connection->file;
	connection->file = NULL;
	errno = 0;
	if (!smb->smbc_getFunctionClose(smb->context)(smb->context, file))
		return 0;
	return nl_channel_error(channel, connection->index, "close a file of the load", errno ? -errno : -EIO, err);
}

static void libsmbclient_disconnect(struct nl_channel *channel)
{
	struct smb_connection *connection = channel->connection;
	if (!connection)
		return;
	nl_smb_disconnect(&connection->smb);
	free(connection);
	channel->connection = NULL;
}

const struct nl_engine nl_engine_libsmbclient = {
	.id = NL_ENGINE_LIBSMBCLIENT,
	.name = "libsmbclient",
	.depth_max = 1,
	.userland = true,
	.layer = &nl_engine_libsmbclient,
	.probe = libsmbclient_probe,
	.connect = libsmbclient_connect,
	.open = libsmbclient_open,
	.ready = libsmbclient_ready,
	.submit = libsmbclient_submit,
	.reap = libsmbclient_reap,
	.close = libsmbclient_close,
	.disconnect = libsmbclient_disconnect,
};
