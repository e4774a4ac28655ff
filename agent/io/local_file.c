/*
 * local_file: open without following or harming anything.
 */
#include "agent/io/local_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static int refuse(const struct stat *st, struct nl_error *err)
{
	const char *why = NULL;
	if (S_ISLNK(st->st_mode))
		why = "it is a symbolic link";
	else if (!S_ISREG(st->st_mode))
		why = "it is not a regular file";
	else if (st->st_nlink > 1)
		why = "it has a second name (a hard link)";
	if (!why)
		return 0;
	nl_error_set(err, NL_E_ACCESS, "open a file of the load");
	nl_error_why(err, "%s: a load only touches plain files of its own", why);
	nl_error_todo(err, "remove it, or give another directory");
	return NL_E_ACCESS;
}

static int flags_of(const struct nl_open_how *how)
{
	int flags = how->read && how->write ? O_RDWR : how->write ? O_WRONLY : O_RDONLY;
	/* O_NONBLOCK: not to hang at a FIFO that somebody put there; taken off again once it proved to be a file. */
	return flags | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (how->create ? O_CREAT : 0) |
	       (how->direct ? O_DIRECT : 0) | (how->sync ? O_SYNC : 0);
}

static int open_failed(int sys_errno, const struct nl_open_how *how, struct nl_error *err)
{
	if (sys_errno == EINVAL && how->direct) {
		nl_error_set(err, NL_E_UNSUPPORTED, "open a file of the load without the cache");
		nl_error_why(err, "the file system does not do O_DIRECT");
		nl_error_todo(err, "use a buffered load");
		return NL_E_UNSUPPORTED;
	}
	int rc = nl_error_sys(err, sys_errno, "open a file of the load");
	if (sys_errno == ENOENT)
		nl_error_todo(err, "a load that reads, or writes in random order, needs laid files");
	return rc;
}

static int settle(int file, const struct nl_open_how *how, uint64_t *size, struct nl_error *err)
{
	struct stat st;
	if (fstat(file, &st))
		return nl_error_sys(err, errno, "look at a file of the load");
	int rc = refuse(&st, err);
	if (rc)
		return rc;
	if (how->truncate && st.st_size && ftruncate(file, 0))
		return nl_error_sys(err, errno, "empty a file of the load");
	int flags = fcntl(file, F_GETFL);
	if (flags < 0 || fcntl(file, F_SETFL, flags & ~O_NONBLOCK) < 0)
		return nl_error_sys(err, errno, "prepare a file of the load");
	*size = how->truncate ? 0 : (uint64_t)st.st_size;
	return 0;
}

int nl_local_open(struct nl_channel *channel, unsigned index, const struct nl_open_how *how, uint64_t *size,
		  struct nl_error *err)
{
	const struct nl_job *job = channel->job;
	char name[256];
	struct stat st;
	int rc = 0;
	snprintf(name, sizeof name, "%s-%u", job->file_prefix, index);
	int directory = open(job->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (directory < 0) {
		nl_error_sys(err, errno, "open the directory of the load");
		nl_error_where(err, "%s", job->directory);
		return err ? err->code : NL_E_SYSTEM;
	}
	/* Looked at before it is opened: opening a device can already do something. */
	if (!fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW))
		rc = refuse(&st, err);
	if (!rc) {
		channel->file = openat(directory, name, flags_of(how), 0600);
		rc = channel->file < 0 ? open_failed(errno, how, err) : settle(channel->file, how, size, err);
	}
	if (rc) {
		nl_error_where(err, "%s/%s", job->directory, name);
		nl_local_close(channel, NULL);
	}
	close(directory);
	return rc;
}

int nl_local_flush(struct nl_channel *channel)
{
	return fsync(channel->file) ? -errno : 0;
}

int nl_local_close(struct nl_channel *channel, struct nl_error *err)
{
	int file = channel->file;
	channel->file = -1;
	if (file >= 0 && close(file))
		return nl_error_sys(err, errno, "close a file of the load");
	return 0;
}
