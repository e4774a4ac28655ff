/*
 * storage: where scratch data lives. A backend describes the storage under a path, makes the run's scratch directory,
 * evicts its files from the cache, flushes it, and removes it. Today: directory (any mounted file system); the table is
 * the seam for zfs and truenas.
 *
 * Threads: all functions may be called from any thread; one run's scratch directory by one thread at a time.
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

	/*
	 * Facts: under "storage" file system type, source, options, size_bytes, free_bytes, available_bytes, the device
	 * and its stack; under "disk:NAME" each device of the stack, down to the physical disks: model, size_bytes,
	 * rotational, scheduler, queue, read_ahead_kb.
	 */
	int (*describe)(const char *path, nl_storage_fact_sink *sink, void *context, struct nl_error *err);

	/*
	 * The block devices whose counters account for the file system's bytes, each byte once (the device it is
	 * mounted from). None, without an error, for a file system that has no block device (tmpfs, overlay, network,
	 * zfs).
	 */
	int (*disks)(const char *path, struct nl_storage_disk *disks, unsigned max, unsigned *count,
		     struct nl_error *err);

	/*
	 * Makes POOL/nasline-RUN (0711) with the marker file .nasline-owner (0600) and in it share/ (1777: for what
	 * file servers' users write) and pool/ (0700), after checking that need_bytes fit and that 5 % of them, and at
	 * least 64 MiB, stay free. Journalled first; on failure nothing stays. *scratch gets the path (1024 bytes). A
	 * scratch directory of this very run that is there already is taken as it is. NL_E_SPACE, NL_E_ACCESS;
	 * NL_E_LEFTOVER: the name is taken by something that is not this run's.
	 */
	int (*prepare)(struct nl_journal *journal, const char *pool, const char *run_id, uint64_t need_bytes,
		       char *scratch, struct nl_error *err);

	/*
	 * Writes back and drops the cached pages of regular files PREFIX-* in `directory`; *resident_share (0..1) is
	 * the part of their bytes that stayed in memory, as the kernel tells afterwards. 1 where the kernel cannot tell
	 * (zfs has a cache of its own). Files of other processes' making are fine; pages that they map or write at the
	 * moment stay.
	 */
	int (*evict)(const char *directory, const char *file_prefix, double *resident_share, struct nl_error *err);

	/* Returns when everything written to the file system is durable (syncfs). */
	int (*flush)(const char *path, struct nl_error *err);

	/*
	 * Removes the scratch directory: only when its name and its marker are this run's, never across a mount point,
	 * never through a symbolic link (openat, O_NOFOLLOW, unlinkat), then verifies that it is gone and forgets the
	 * journal's entries. Missing is fine, unless the pool that the journal knows is not the one that is mounted
	 * now. NL_E_LEFTOVER names the first thing that stays, and the entry stays too.
	 */
	int (*destroy)(struct nl_journal *journal, const char *scratch, const char *run_id, struct nl_error *err);
};

/* nl_storage_backend_for picks the backend of a path. NL_E_NOT_FOUND when the path does not exist or is no directory.
 */
int nl_storage_backend_for(const char *path, const struct nl_storage_backend **backend, struct nl_error *err);

/*
 * nl_storage_stale tells of each scratch directory in `pool` that is marked as ours and is not of `run_id` (NULL: of
 * any run), for `nasline-agent cleanup`; each can be handed to destroy. It may be another agent's that is measuring
 * now: age_s, seconds since the directory changed, is for the user to judge. The sink must not remove while it is told.
 */
typedef void nl_storage_stale_sink(void *context, const char *scratch, const char *run_id, int64_t age_s);
int nl_storage_stale(const char *pool, const char *run_id, nl_storage_stale_sink *sink, void *context,
		     struct nl_error *err);

#endif
