/*
 * storage: where scratch data lives. A backend describes the storage under a path, makes the run's scratch directory, evicts its files
 * from the cache, flushes it, and removes it. Today: directory (any mounted file system); the table is the seam for zfs and truenas.
 */
#ifndef NL_AGENT_STORAGE_STORAGE_H
#define NL_AGENT_STORAGE_STORAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/journal.h"
#include "base/error.h"

typedef void nl_storage_fact_sink(void *context, const char *subject, const char *key, const char *value);

struct nl_storage_disk {
	char name[32]; /* "sda", "loop3": the row of /proc/diskstats to watch */
	unsigned major, minor;
};

struct nl_storage_backend {
	const char *name;
	/* Whether this backend is the right one for the path. */
	bool (*claims)(const char *path);
	/* Facts: file system type, options, size, free, device, its stack down to physical disks with model, rotational, scheduler, queue. */
	int (*describe)(const char *path, nl_storage_fact_sink *sink, void *context, struct nl_error *err);
	/* The block devices whose counters account for the file system's bytes, each byte once (the device it is mounted from). */
	int (*disks)(const char *path, struct nl_storage_disk *disks, unsigned max, unsigned *count, struct nl_error *err);
	/*
	 * Makes POOL/nasline-RUN (mode 0700 or 1777 when `shared`, so that file servers' users can write) with the marker file .nasline-owner (run id), and a subdirectory pool/ and share/, after checking
	 * free space against need_bytes (plus 5 % and at least 64 MiB kept free). Journalled first. *scratch gets the path (1024 bytes).
	 */
	int (*prepare)(struct nl_journal *journal, const char *pool, const char *run_id, uint64_t need_bytes, char *scratch,
		       struct nl_error *err);
	/* Writes back and drops the cached pages of regular files PREFIX-* in `directory`; *resident_share (0..1) is what stayed. */
	int (*evict)(const char *directory, const char *file_prefix, double *resident_share, struct nl_error *err);
	/* Returns when everything written to the file system is durable (syncfs). */
	int (*flush)(const char *path, struct nl_error *err);
	/*
	 * Removes the scratch directory: only when its marker names this run, never across a mount point, never through a symbolic link (openat,
	 * O_NOFOLLOW, unlinkat), then verifies that it is gone and forgets the journal entry. Missing is fine. NL_E_LEFTOVER names what stays.
	 */
	int (*destroy)(struct nl_journal *journal, const char *scratch, const char *run_id, struct nl_error *err);
};

/* nl_storage_backend_for picks the backend of a path. NL_E_NOT_FOUND when the path does not exist or is no directory. */
int nl_storage_backend_for(const char *path, const struct nl_storage_backend **backend, struct nl_error *err);

#endif
