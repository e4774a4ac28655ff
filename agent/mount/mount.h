/*
 * mount: the agent's own kernel mounts of NFS and SMB shares: make, read what was negotiated, undo.
 *
 * Through mount.nfs and mount.cifs by argument vector; credentials in a file of mode 0600 that exists only while
 * mounting. Options come from a list of known harmless ones. Every mount is journalled before it is made and sits on a
 * directory of our own under STATE/mnt.
 *
 * Our mounts share neither super block nor session with the operator's of the same share (nosharecache, nosharesock),
 * run no programs (nosuid, nodev, noexec), and lock locally with NFS 3 (nolock: else mount.nfs would start a daemon
 * that stays).
 */
#ifndef NL_AGENT_MOUNT_MOUNT_H
#define NL_AGENT_MOUNT_MOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/journal.h"
#include "base/error.h"

/* Strings may be NULL or "" where nothing is asked; none is kept. */
struct nl_mount_request {
	const char *protocol;        /* "nfs" or "smb" */
	const char *server, *share;  /* export path "/export", or share name "bench" */
	const char *version;         /* "3", "4.0", "4.1", "4.2"; "2.1", "3.0", "3.0.2", "3.1.1" */
	const char *user, *password; /* SMB; no user is a guest */
	const char *name;            /* of the mount point: [a-z0-9-], at most 31 */
	const char *options;         /* further ones, comma separated; checked */
	uint16_t port;
	unsigned nconnect; /* NFS; 0: not asked */
	uint32_t rsize_bytes, wsize_bytes;
	bool encrypt; /* SMB seal */
};

typedef void nl_mount_fact_sink(void *context, const char *key, const char *value);

/*
 * nl_mount_make mounts and returns the mount point STATE/mnt/NAME in path (1024 bytes). Bounded by timeout_ns; on any
 * failure nothing is left. NL_E_NOT_FOUND: no such server, export or share, or no helper program (said which package);
 * NL_E_ACCESS: refused or wrong password; NL_E_TIMEOUT; NL_E_PEER: nobody answers there; NL_E_UNSUPPORTED: version, or
 * no such client in this kernel; NL_E_CONFIG: bad option or name (the nearest known one is named); NL_E_LEFTOVER: the
 * mount point is taken.
 */
int nl_mount_make(struct nl_journal *journal, const char *state_dir, const char *run_id,
		  const struct nl_mount_request *request, int64_t timeout_ns, char *path, struct nl_error *err);

/*
 * nl_mount_facts reads what was negotiated for the mount that holds `path` (any NFS or CIFS mount, ours or not):
 * fstype, source, mount_point, vers, rsize, wsize, nconnect (connections seen), nconnect_asked, proto, sec, recovery
 * (hard, soft, softerr), cache options, dialect, signing, encryption, channels, read_ahead_kb, options. Of another file
 * system the first three and options alone. The path is looked up, so a dead server may hold the caller.
 */
int nl_mount_facts(const char *path, nl_mount_fact_sink *sink, void *context, struct nl_error *err);

/*
 * nl_mount_undo unmounts (waiting a little for files in use to be closed; then by force and lazily, as the last
 * resort), removes the mount point, verifies, forgets the entry. At most some 10 s, even on a dead hard mount. A mount
 * or directory that is gone is fine. NL_E_LEFTOVER names what stays, and the entry stays too.
 */
int nl_mount_undo(struct nl_journal *journal, const struct nl_journal_entry *entry, struct nl_error *err);

#endif
