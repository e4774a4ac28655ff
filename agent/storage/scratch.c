/*
 * scratch: made and removed so that a crash at any instruction leaves what the next start can tell as ours.
 *
 * Order of making: journal entry, directory, marker, the rest. Order of removing: the rest, marker, directory, journal
 * entry. So a directory of ours without a marker is empty, and only an empty one is removed without.
 */
#include "agent/storage/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "agent/storage/mountinfo.h"
#include "agent/storage/tree.h"
#include "base/units.h"

#define MARKER_HEAD     "nasline scratch 1\nrun "
#define MARKER_MAX      128
#define RESERVE_BYTES   (UINT64_C(64) * 1024 * 1024)
#define RESERVE_PERCENT 5
#define INODES_MIN      1024
#define DIRECTORY_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* A scratch directory by its parts. */
struct place {
	char pool[1024];
	char name[64];
	char path[1024];
};

bool nl_scratch_run_valid(const char *run_id)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
	size_t len = strlen(run_id);
	return len >= 1 && len < 40 && strspn(run_id, allowed) == len && run_id[0] != '.' && run_id[0] != '-';
}

static int fail_at(const char *path, int sys_errno, const char *what, struct nl_error *err)
{
	int code = nl_error_sys(err, sys_errno, "%s", what);
	nl_error_where(err, "%s", path);
	return code;
}

/* --- the marker ------------------------------------------------------------------------------------------------ */

bool nl_scratch_marker_read(int directory, char run_id[40])
{
	char text[MARKER_MAX];
	struct stat st;
	ssize_t n = -1;
	/* Non-blocking, so that a pipe under this name cannot hold us. */
	int fd = openat(directory, NL_SCRATCH_MARKER, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid())
		n = read(fd, text, sizeof text - 1);
	close(fd);
	if (n <= (ssize_t)strlen(MARKER_HEAD) || (size_t)n >= sizeof text - 1 || text[n - 1] != '\n')
		return false;
	text[n - 1] = '\0';
	const char *run = text + strlen(MARKER_HEAD);
	if (strncmp(text, MARKER_HEAD, strlen(MARKER_HEAD)) != 0 || !nl_scratch_run_valid(run))
		return false;
	memcpy(run_id, run, strlen(run) + 1); /* a valid one fits */
	return true;
}

static int marker_write(int directory, const struct place *place, const char *run_id, struct nl_error *err)
{
	char text[MARKER_MAX];
	int len = snprintf(text, sizeof text, "%s%s\n", MARKER_HEAD, run_id);
	int fd = openat(directory, NL_SCRATCH_MARKER, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return fail_at(place->path, errno, "mark the scratch directory as ours", err);
	errno = EIO; /* of a short write */
	int failed = write(fd, text, (size_t)len) == len && fsync(fd) == 0 ? 0 : errno;
	close(fd);
	if (!failed && fsync(directory) < 0 && errno != EINVAL)
		failed = errno;
	return failed ? fail_at(place->path, failed, "mark the scratch directory as ours", err) : 0;
}

/* --- making ---------------------------------------------------------------------------------------------------- */

static int place_for(const char *pool, const char *run_id, struct place *place, struct nl_error *err)
{
	if (!nl_scratch_run_valid(run_id)) {
		nl_error_set(err, NL_E_CONFIG, "the run's name cannot be part of a file name");
		return nl_error_where(err, "%s", run_id);
	}
	char *real = realpath(pool, NULL);
	if (!real)
		return fail_at(pool, errno, "find the pool's directory", err);
	int n = snprintf(place->pool, sizeof place->pool, "%s", real);
	free(real);
	snprintf(place->name, sizeof place->name, "%s%s", NL_SCRATCH_PREFIX, run_id);
	const char *slash = strcmp(place->pool, "/") == 0 ? "" : "/";
	int m = snprintf(place->path, sizeof place->path, "%s%s%s", place->pool, slash, place->name);
	if (n < 0 || (size_t)n >= sizeof place->pool || m < 0 || (size_t)m >= sizeof place->path)
		return fail_at(pool, ENAMETOOLONG, "name the scratch directory", err);
	return 0;
}

static int no_space(const char *pool, uint64_t need_bytes, uint64_t reserve, uint64_t available, struct nl_error *err)
{
	char need[32], kept[32], have[32];
	nl_error_set(err, NL_E_SPACE, "the pool has too little free space");
	nl_error_where(err, "%s", pool);
	nl_error_why(err, "the run needs %s, and %s must stay free; %s are available",
		     nl_units_bytes(need_bytes, need, sizeof need), nl_units_bytes(reserve, kept, sizeof kept),
		     nl_units_bytes(available, have, sizeof have));
	nl_error_todo(err, "free some space, or choose smaller files in the campaign");
	return NL_E_SPACE;
}

static int check_space(int pool_fd, const char *pool, uint64_t need_bytes, struct nl_error *err)
{
	struct statvfs fs;
	uint64_t available, wanted, reserve = need_bytes / 100 * RESERVE_PERCENT;
	if (reserve < RESERVE_BYTES)
		reserve = RESERVE_BYTES;
	if (fstatvfs(pool_fd, &fs) < 0)
		return fail_at(pool, errno, "ask for the pool's free space", err);
	if (__builtin_mul_overflow((uint64_t)fs.f_bavail, (uint64_t)fs.f_frsize, &available))
		available = UINT64_MAX;
	if (__builtin_add_overflow(need_bytes, reserve, &wanted) || wanted > available)
		return no_space(pool, need_bytes, reserve, available, err);
	/* File systems without a fixed number of inodes say 0 of 0. */
	if (fs.f_files == 0 || fs.f_favail >= INODES_MIN)
		return 0;
	nl_error_set(err, NL_E_SPACE, "the pool has too few free inodes");
	nl_error_where(err, "%s", pool);
	nl_error_why(err, "%" PRIu64 " are free, %d are needed", (uint64_t)fs.f_favail, INODES_MIN);
	return NL_E_SPACE;
}

static int make_subdirectory(int directory, const struct place *place, const char *name, mode_t mode,
			     struct nl_error *err)
{
	/* The umask has no say in the mode that servers' users need. */
	if (mkdirat(directory, name, 0700) < 0 || fchmodat(directory, name, mode, 0) < 0)
		return fail_at(place->path, errno, "make a directory in the scratch directory", err);
	return 0;
}

static int fill(int pool_fd, const struct place *place, const char *run_id, struct nl_error *err)
{
	int directory = openat(pool_fd, place->name, DIRECTORY_FLAGS);
	if (directory < 0)
		return fail_at(place->path, errno, "open the scratch directory", err);
	int code = marker_write(directory, place, run_id, err);
	if (!code)
		code = make_subdirectory(directory, place, "pool", 0700, err);
	if (!code)
		code = make_subdirectory(directory, place, "share", 01777, err);
	if (!code && fchmod(directory, 0711) < 0)
		code = fail_at(place->path, errno, "set the mode of the scratch directory", err);
	if (!code && ((fsync(directory) < 0 && errno != EINVAL) || (fsync(pool_fd) < 0 && errno != EINVAL)))
		code = fail_at(place->path, errno, "sync the scratch directory", err);
	close(directory);
	return code;
}

/* Whether the name is taken by this very run's directory, whole. */
static bool is_there_already(int pool_fd, const struct place *place, const char *run_id)
{
	char marked[40];
	struct stat st;
	int directory = nl_tree_open(pool_fd, place->name);
	if (directory < 0)
		return false;
	bool ours = nl_scratch_marker_read(directory, marked) && strcmp(marked, run_id) == 0 &&
		    fstatat(directory, "share", &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode) &&
		    fstatat(directory, "pool", &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
	close(directory);
	return ours;
}

static bool journalled(struct nl_journal *journal, const struct place *place, struct nl_journal_entry *found)
{
	struct nl_journal_entry *entries;
	size_t count, damaged;
	bool is = false;
	if (nl_journal_list(journal, &entries, &count, &damaged, NULL) != 0)
		return false;
	for (size_t i = 0; i < count && !is; i++) {
		is = entries[i].kind == NL_JOURNAL_SCRATCH && strcmp(entries[i].path, place->path) == 0;
		if (is)
			*found = entries[i];
	}
	free(entries);
	return is;
}

/* What is mounted at the pool, so that an empty mount point is not taken for a pool that was cleaned. */
static void identify_pool(const char *pool, char *detail, size_t size)
{
	struct nl_mountinfo mount;
	detail[0] = '\0';
	if (nl_mountinfo_of(pool, &mount, NULL) == 0)
		snprintf(detail, size, "%s %.900s", mount.fstype, mount.source);
}

static int make(struct nl_journal *journal, int pool_fd, const struct place *place, const char *run_id,
		struct nl_error *err)
{
	struct nl_journal_entry entry = {.kind = NL_JOURNAL_SCRATCH};
	snprintf(entry.run_id, sizeof entry.run_id, "%s", run_id);
	memcpy(entry.path, place->path, sizeof entry.path);
	identify_pool(place->pool, entry.detail, sizeof entry.detail);
	int code = nl_journal_add(journal, &entry, err);
	if (code)
		return code;
	if (mkdirat(pool_fd, place->name, 0700) < 0) {
		int failed = errno;
		(void)nl_journal_remove(journal, entry.id, NULL);
		if (failed != EEXIST)
			return fail_at(place->path, failed, "make the scratch directory", err);
		nl_error_set(err, NL_E_LEFTOVER, "the scratch directory's name is taken");
		nl_error_where(err, "%s", place->path);
		nl_error_why(err, "there is something of this name that is not this run's");
		nl_error_todo(err, "look at it and remove it, or run: nasline-agent cleanup");
		return NL_E_LEFTOVER;
	}
	code = fill(pool_fd, place, run_id, err);
	if (code)
		(void)nl_scratch_destroy(journal, place->path, run_id, NULL);
	return code;
}

int nl_scratch_prepare(struct nl_journal *journal, const char *pool, const char *run_id, uint64_t need_bytes,
		       char *scratch, struct nl_error *err)
{
	struct place place;
	struct nl_journal_entry entry;
	int code = place_for(pool, run_id, &place, err);
	if (code)
		return code;
	int pool_fd = open(place.pool, DIRECTORY_FLAGS);
	if (pool_fd < 0)
		return fail_at(place.pool, errno, "open the pool's directory", err);
	if (!is_there_already(pool_fd, &place, run_id) || !journalled(journal, &place, &entry)) {
		code = check_space(pool_fd, place.pool, need_bytes, err);
		if (!code)
			code = make(journal, pool_fd, &place, run_id, err);
	}
	close(pool_fd);
	if (!code)
		memcpy(scratch, place.path, sizeof place.path);
	return code;
}

/* --- removing -------------------------------------------------------------------------------------------------- */

static int leftover(const struct place *place, const char *why, struct nl_error *err)
{
	nl_error_set(err, NL_E_LEFTOVER, "the scratch directory is not removed");
	nl_error_where(err, "%s", place->path);
	nl_error_why(err, "%s", why);
	nl_error_todo(err, "look at it and remove it by hand if it is nasline's");
	return NL_E_LEFTOVER;
}

/* Takes POOL/nasline-RUN apart and refuses every other form, wherever it came from. */
static int split(const char *scratch, const char *run_id, struct place *place, struct nl_error *err)
{
	*place = (struct place){0};
	int n = snprintf(place->path, sizeof place->path, "%s", scratch);
	char *slash = n > 0 && (size_t)n < sizeof place->path ? strrchr(place->path, '/') : NULL;
	char expected[64];
	snprintf(expected, sizeof expected, "%s%.40s", NL_SCRATCH_PREFIX, run_id);
	if (!slash || place->path[0] != '/' || !nl_scratch_run_valid(run_id) || strcmp(slash + 1, expected) != 0)
		return leftover(place, "its name is not that of a scratch directory of this run", err);
	memcpy(place->name, expected, sizeof expected);
	size_t len = slash == place->path ? 1 : (size_t)(slash - place->path);
	memcpy(place->pool, place->path, len);
	return 0;
}

/* Nothing mounted may be below: a bind mount has the device number of the rest. */
static int check_no_mounts(const struct place *place, struct nl_error *err)
{
	char mount_point[1024];
	bool found;
	int code = nl_mountinfo_first_below(place->path, mount_point, sizeof mount_point, &found, err);
	if (code || !found)
		return code;
	code = leftover(place, "something is mounted in it", err);
	nl_error_where(err, "%s", mount_point);
	nl_error_todo(err, "unmount it, then run: nasline-agent cleanup");
	return code;
}

/* With the directory open: may it be removed? */
static int check_ours(int directory, const struct place *place, const char *run_id, struct nl_error *err)
{
	char marked[40];
	struct stat st;
	if (fstat(directory, &st) < 0)
		return fail_at(place->path, errno, "look at the scratch directory", err);
	if (st.st_uid != geteuid())
		return leftover(place, "it belongs to another user", err);
	if (nl_scratch_marker_read(directory, marked)) {
		if (strcmp(marked, run_id) == 0)
			return 0;
		return leftover(place, "its marker " NL_SCRATCH_MARKER " names another run", err);
	}
	return leftover(place, "it has no marker " NL_SCRATCH_MARKER " of nasline's", err);
}

/* A crash between making and marking, or between the last two steps of removing, leaves an empty directory. */
static bool removed_as_empty(int pool_fd, int directory, const struct place *place)
{
	struct stat st;
	return fstat(directory, &st) == 0 && st.st_uid == geteuid() &&
	       unlinkat(pool_fd, place->name, AT_REMOVEDIR) == 0;
}

static int remove_open(int pool_fd, int directory, const struct place *place, const char *run_id, struct nl_error *err)
{
	struct nl_error ours;
	int code = check_ours(directory, place, run_id, &ours);
	if (code && removed_as_empty(pool_fd, directory, place))
		return 0;
	if (code) {
		if (err)
			*err = ours;
		return code;
	}
	code = nl_tree_empty(directory, place->path, NL_SCRATCH_MARKER, err);
	if (code)
		return code;
	if (unlinkat(directory, NL_SCRATCH_MARKER, 0) < 0 || unlinkat(pool_fd, place->name, AT_REMOVEDIR) < 0) {
		const char *why = strerror(errno);
		return leftover(place, why, err);
	}
	(void)fsync(pool_fd);
	return 0;
}

static int remove_it(int pool_fd, const struct place *place, const char *run_id, struct nl_error *err)
{
	struct stat st;
	int code = check_no_mounts(place, err);
	if (code)
		return code;
	int directory = nl_tree_open(pool_fd, place->name);
	if (directory < 0) {
		bool mounted = errno == EXDEV, missing = errno == ENOENT;
		return missing ? 0
			       : leftover(place,
					  mounted ? "it is a mount point" : "it is no directory, but perhaps a link",
					  err);
	}
	code = remove_open(pool_fd, directory, place, run_id, err);
	close(directory);
	if (!code && fstatat(pool_fd, place->name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		code = leftover(place, "it is still there after its removal", err);
	return code;
}

/* A pool that is not mounted shows an empty mount point; its scratch directory is not gone then. */
static int check_pool_is_here(int pool_fd, const struct place *place, const struct nl_journal_entry *entry,
			      struct nl_error *err)
{
	char detail[sizeof entry->detail];
	struct stat st;
	if (fstatat(pool_fd, place->name, &st, AT_SYMLINK_NOFOLLOW) == 0 || entry->detail[0] == '\0')
		return 0;
	identify_pool(place->pool, detail, sizeof detail);
	if (strcmp(detail, entry->detail) == 0)
		return 0;
	leftover(place, "the pool that it is in is not mounted now", err);
	nl_error_todo(err, "mount %.250s there, then run: nasline-agent cleanup", entry->detail);
	return NL_E_LEFTOVER;
}

static int forget(struct nl_journal *journal, const struct place *place, struct nl_error *err)
{
	struct nl_journal_entry entry;
	int code = 0;
	while (!code && journalled(journal, place, &entry))
		code = nl_journal_remove(journal, entry.id, err);
	return code;
}

int nl_scratch_destroy(struct nl_journal *journal, const char *scratch, const char *run_id, struct nl_error *err)
{
	struct place place;
	struct nl_journal_entry entry;
	int code = split(scratch, run_id, &place, err);
	if (code)
		return code;
	int pool_fd = open(place.pool, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (pool_fd < 0) {
		const char *why = strerror(errno);
		return leftover(&place, why, err);
	}
	if (journalled(journal, &place, &entry))
		code = check_pool_is_here(pool_fd, &place, &entry, err);
	if (!code)
		code = remove_it(pool_fd, &place, run_id, err);
	close(pool_fd);
	return code ? code : forget(journal, &place, err);
}
