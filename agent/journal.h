/*
 * journal: what this agent created and must remove, on disk before it exists.
 *
 * One file per entry in STATE/journal/, written and synced before the thing is made and removed after the thing is
 * gone, so that a crash at any moment leaves at worst an entry for something that was never made. One process uses a
 * journal at a time (an flock on STATE/journal/lock). Entries hold no secrets. All functions may be called from any
 * thread.
 */
#ifndef NL_AGENT_JOURNAL_H
#define NL_AGENT_JOURNAL_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum nl_journal_kind {
	NL_JOURNAL_SCRATCH,     /* a scratch directory with its marker file */
	NL_JOURNAL_MOUNT,       /* a mount point that we made, and its mount */
	NL_JOURNAL_SHARE_FILES, /* files in a share, reached by a userland engine or a mount */
};

struct nl_journal_entry {
	enum nl_journal_kind kind;
	char id[40]; /* set by nl_journal_add; never given twice, so a stale id removes nothing */
	char run_id[40];
	char path[1024];   /* directory, mount point, or directory inside the share */
	char detail[1024]; /* the owner's own; SHARE_FILES: files and share; MOUNT: source */
};

struct nl_journal;

/*
 * nl_journal_open opens STATE/journal, making both directories (0700) when they are missing, and holds its lock until
 * nl_journal_close. Refuses a directory that others may write into (NL_E_ACCESS: its entries say what root removes). A
 * journal that another process uses is NL_E_SYSTEM, with EWOULDBLOCK in sys_errno.
 */
int nl_journal_open(const char *state_dir, struct nl_journal **journal, struct nl_error *err);
void nl_journal_close(struct nl_journal *journal); /* NULL allowed; the entries stay */

/* nl_journal_add writes and syncs the entry; entry->id is filled. On failure nothing stays. */
int nl_journal_add(struct nl_journal *journal, struct nl_journal_entry *entry, struct nl_error *err);

/* nl_journal_remove forgets an entry whose thing is gone. Unknown ids are fine. */
int nl_journal_remove(struct nl_journal *journal, const char *id, struct nl_error *err);

/*
 * nl_journal_list gives a fresh array of all entries (free with free; NULL when there are none), newest first (the
 * order of undoing). An unreadable entry is skipped and counted in *damaged.
 */
int nl_journal_list(struct nl_journal *journal, struct nl_journal_entry **entries, size_t *count, size_t *damaged,
		    struct nl_error *err);

#endif
