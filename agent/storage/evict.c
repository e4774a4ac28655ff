/*
 * evict: posix_fadvise(DONTNEED) is advice; what it came to is measured.
 *
 * Clean pages alone can be dropped, so each file is synced first. Pages that another process maps, writes or has under
 * way to the disk at that moment stay; a few rounds with a short pause take those that were on their way.
 */
#include "agent/storage/evict.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/time.h"

#define ROUNDS       6
#define PAUSE_NS     (20 * NL_NS_PER_MS)
#define WINDOW_BYTES (UINT64_C(1) << 30) /* mapped at a time for mincore */
#define NR_CACHESTAT 451                 /* the same on all architectures */
#define ZFS_MAGIC    0x2fc12fc1L

struct cachestat_range {
	uint64_t off, len;
};

struct cachestat_answer {
	uint64_t cached, dirty, writeback, evicted, recently_evicted;
};

static int fail(const char *path, int sys_errno, const char *what, struct nl_error *err)
{
	int code = nl_error_sys(err, sys_errno, "%s", what);
	nl_error_where(err, "%s", path);
	return code;
}

static bool by_cachestat(int fd, uint64_t *resident)
{
	struct cachestat_range whole = {0, 0};
	struct cachestat_answer answer = {0};
	if (syscall(NR_CACHESTAT, fd, &whole, &answer, 0) != 0)
		return false;
	*resident = answer.cached;
	return true;
}

/* Counts what is resident of one window; -1 with errno. */
static int64_t count_window(int fd, uint64_t offset, size_t len, size_t page, unsigned char *vector)
{
	int64_t resident = 0;
	void *map = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, (off_t)offset);
	if (map == MAP_FAILED)
		return -1;
	if (mincore(map, len, vector) != 0) {
		int failed = errno;
		munmap(map, len);
		errno = failed;
		return -1;
	}
	for (size_t i = 0; i < (len + page - 1) / page; i++)
		resident += vector[i] & 1;
	munmap(map, len);
	return resident;
}

static int by_mincore(int fd, uint64_t size, size_t page, uint64_t *resident)
{
	unsigned char *vector = malloc(WINDOW_BYTES / page);
	if (!vector)
		return ENOMEM;
	*resident = 0;
	for (uint64_t offset = 0; offset < size; offset += WINDOW_BYTES) {
		uint64_t left = size - offset;
		int64_t n = count_window(fd, offset, (size_t)(left < WINDOW_BYTES ? left : WINDOW_BYTES), page, vector);
		if (n < 0) {
			int failed = errno;
			free(vector);
			return failed;
		}
		*resident += (uint64_t)n;
	}
	free(vector);
	return 0;
}

int nl_evict_resident(int fd, const char *path, uint64_t *pages, uint64_t *resident, struct nl_error *err)
{
	struct stat st;
	long page = sysconf(_SC_PAGESIZE);
	*pages = *resident = 0;
	if (fstat(fd, &st) < 0)
		return fail(path, errno, "look at a file", err);
	if (page <= 0 || st.st_size <= 0)
		return 0;
	*pages = ((uint64_t)st.st_size + (uint64_t)page - 1) / (uint64_t)page;
	int failed = by_cachestat(fd, resident) ? 0 : by_mincore(fd, (uint64_t)st.st_size, (size_t)page, resident);
	/* Read-ahead beyond the end of the file may count too. */
	if (*resident > *pages)
		*resident = *pages;
	return failed ? fail(path, failed, "ask what of a file is in memory", err) : 0;
}

int nl_evict_file(int fd, const char *path, uint64_t *pages, uint64_t *resident, struct nl_error *err)
{
	uint64_t all = 0, stayed = 0;
	for (unsigned round = 0; round < ROUNDS; round++) {
		if (round)
			nl_sleep_until_mono(nl_mono_ns() + PAUSE_NS);
		if (fsync(fd) < 0)
			return fail(path, errno, "write a file back", err);
		int failed = posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
		if (failed)
			return fail(path, failed, "drop a file from the page cache", err);
		int code = nl_evict_resident(fd, path, &all, &stayed, err);
		if (code)
			return code;
		if (stayed == 0)
			break;
	}
	*pages += all;
	*resident += stayed;
	return 0;
}

/* --- the files of a run ---------------------------------------------------------------------------------------- */

struct eviction {
	const char *directory, *prefix;
	uint64_t pages, resident;
	bool untold; /* the page cache is not where this file system keeps data */
};

static bool fits(const char *name, const char *prefix)
{
	size_t len = strlen(prefix);
	return strncmp(name, prefix, len) == 0 && name[len] == '-';
}

static int evict_entry(struct eviction *e, int directory, const char *name, struct nl_error *err)
{
	char path[1400];
	struct stat st;
	struct statfs fs;
	snprintf(path, sizeof path, "%s/%s", e->directory, name);
	/* Looked at before it is opened: opening a device or a pipe could do something. */
	if (fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : fail(path, errno, "look at a file", err);
	if (!S_ISREG(st.st_mode))
		return 0;
	int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0 : fail(path, errno, "open a file to evict it", err);
	if (fstatfs(fd, &fs) == 0 && fs.f_type == ZFS_MAGIC)
		e->untold = true;
	int code = nl_evict_file(fd, path, &e->pages, &e->resident, err);
	close(fd);
	return code;
}

int nl_evict_files(const char *directory, const char *file_prefix, double *resident_share, struct nl_error *err)
{
	struct eviction e = {.directory = directory, .prefix = file_prefix};
	int code = 0;
	*resident_share = 1;
	DIR *dir = opendir(directory);
	if (!dir)
		return fail(directory, errno, "open the directory whose files are to leave the cache", err);
	for (struct dirent *d; !code && (d = readdir(dir));)
		if (fits(d->d_name, file_prefix))
			code = evict_entry(&e, dirfd(dir), d->d_name, err);
	closedir(dir);
	if (code)
		return code;
	*resident_share = e.pages ? (double)e.resident / (double)e.pages : 0;
	if (e.untold && e.pages)
		*resident_share = 1;
	return 0;
}
