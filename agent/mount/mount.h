/*
 * mount: the agent's own kernel mounts of NFS and SMB shares: make, read what was negotiated, undo.
 *
 * Through mount.nfs and mount.cifs by argument vector; credentials in a file of mode 0600 that exists only while mounting. Options come from a list of
 * known harmless ones. Every mount is journalled before it is made and sits on a directory of our own under STATE/mnt.
 */
#ifndef NL_AGENT_MOUNT_MOUNT_H
#define NL_AGENT_MOUNT_MOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/journal.h"
#include "base/error.h"

struct nl_mount_request {
	const char *protocol; /* "nfs" or "smb" */
	const char *server, *share, *version, *user, *password;
	const char *name;    /* of the mount point: [a-z0-9-] */
	const char *options; /* further ones, comma separated; checked */
	uint16_t port;
	unsigned nconnect;   /* NFS; 0: not asked */
	uint32_t rsize_bytes, wsize_bytes;
	bool encrypt;	     /* SMB seal */
};

typedef void nl_mount_fact_sink(void *context, const char *key, const char *value);

/*
 * nl_mount_make mounts and returns the mount point in path (1024 bytes). Bounded by timeout_ns; on any failure nothing is left. NL_E_NOT_FOUND: no such
 * export/share or no helper program (said which package); NL_E_ACCESS: refused or wrong password; NL_E_TIMEOUT; NL_E_CONFIG: bad option.
 */
int nl_mount_make(struct nl_journal *journal, const char *state_dir, const char *run_id,
		  const struct nl_mount_request *request, int64_t timeout_ns, char *path, struct nl_error *err);
/* nl_mount_facts reads what was negotiated for the mount that holds `path` (any NFS or CIFS mount, ours or not): fstype, source, vers, rsize, wsize,
   nconnect (connections seen), proto, sec, hard/soft, ac options, cache mode, dialect, signing, encryption, channels, read_ahead_kb. */
int nl_mount_facts(const char *path, nl_mount_fact_sink *sink, void *context, struct nl_error *err);
/* nl_mount_undo unmounts (then lazily, as the last resort), removes the mount point, verifies, forgets the entry. Bounded in time even on a dead hard mount. */
int nl_mount_undo(struct nl_journal *journal, const struct nl_journal_entry *entry, struct nl_error *err);

#endif
