/*
 * tree: openat and unlinkat only, so that a renamed or replaced directory on the way leads nowhere else.
 */
#include "agent/storage/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DEPTH_MAX   64 /* each level holds a descriptor; what we make has two */
#define PATH_LENGTH 1400

#define OPEN_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NOATIME)

/* The walk so far: where we are for messages, and how many things stay; the first of them is in err. */
struct walk {
	char path[PATH_LENGTH];
	unsigned depth;
	struct nl_error *err;
	unsigned long staying;
};

static void empty(struct walk *walk, int directory, const char *keep);

/* O_NOATIME is only for the owner and root. */
static int open_plain(int parent, const char *name)
{
	int fd = openat(parent, name, OPEN_FLAGS);
	return fd < 0 && errno == EPERM ? openat(parent, name, OPEN_FLAGS & ~O_NOATIME) : fd;
}

/* Kernels before 5.6 have no openat2; there the device number tells, except of a bind mount of the same file system. */
static int open_same_device(int parent, const char *name)
{
	struct stat above, st;
	int fd = open_plain(parent, name);
	if (fd < 0)
		return -1;
	if (fstat(parent, &above) == 0 && fstat(fd, &st) == 0 && above.st_dev == st.st_dev)
		return fd;
	close(fd);
	errno = EXDEV;
	return -1;
}

int nl_tree_open(int parent, const char *name)
{
	struct open_how how = {.flags = OPEN_FLAGS & ~O_NOATIME,
			       .resolve = RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH};
	int fd = (int)syscall(SYS_openat2, parent, name, &how, sizeof how);
	if (fd < 0 && (errno == ENOSYS || errno == EPERM || errno == EAGAIN))
		return open_same_device(parent, name);
	return fd;
}

static void stays(struct walk *walk, const char *name, const char *why, int sys_errno)
{
	if (walk->staying++)
		return;
	(void)nl_error_set(walk->err, NL_E_LEFTOVER, "something in the scratch directory could not be removed");
	nl_error_where(walk->err, "%s/%s", walk->path, name);
	nl_error_why(walk->err, "%s", why ? why : strerror(sys_errno));
	if (sys_errno == EPERM)
		nl_error_todo(walk->err, "it may be immutable (lsattr): clear that, then run: nasline-agent cleanup");
	else
		nl_error_todo(walk->err, "look at it, then run: nasline-agent cleanup");
	if (walk->err)
		walk->err->sys_errno = sys_errno;
}

static void remove_directory(struct walk *walk, int parent, const char *name)
{
	size_t len = strlen(walk->path);
	int fd = walk->depth < DEPTH_MAX ? nl_tree_open(parent, name) : -1;
	if (fd < 0) {
		if (walk->depth >= DEPTH_MAX)
			stays(walk, name, "it is nested too deep to be ours", 0);
		else
			stays(walk, name, errno == EXDEV ? "another file system is mounted there" : NULL, errno);
		return;
	}
	/* The text may be cut; the descriptors are what counts. */
	snprintf(walk->path + len, sizeof walk->path - len, "/%s", name);
	unsigned long before = walk->staying;
	walk->depth++;
	empty(walk, fd, NULL);
	walk->depth--;
	walk->path[len] = '\0';
	close(fd);
	if (walk->staying == before && unlinkat(parent, name, AT_REMOVEDIR) < 0 && errno != ENOENT)
		stays(walk, name, NULL, errno);
}

static void remove_entry(struct walk *walk, int parent, const char *name)
{
	struct stat st;
	if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		if (errno != ENOENT)
			stays(walk, name, NULL, errno);
		return;
	}
	if (S_ISDIR(st.st_mode))
		remove_directory(walk, parent, name);
	else if (unlinkat(parent, name, 0) < 0 && errno != ENOENT)
		stays(walk, name, NULL, errno);
}

static void empty(struct walk *walk, int directory, const char *keep)
{
	/* A descriptor of its own, so that reading does not move the caller's position. */
	int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		stays(walk, ".", NULL, errno);
		if (fd >= 0)
			close(fd);
		return;
	}
	for (struct dirent *d; (d = readdir(dir));) {
		if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0)
			continue;
		if (!keep || strcmp(d->d_name, keep) != 0)
			remove_entry(walk, directory, d->d_name);
	}
	closedir(dir);
}

int nl_tree_empty(int directory, const char *path, const char *keep, struct nl_error *err)
{
	struct walk walk = {.err = err};
	snprintf(walk.path, sizeof walk.path, "%s", path);
	empty(&walk, directory, keep);
	return walk.staying ? NL_E_LEFTOVER : 0;
}
