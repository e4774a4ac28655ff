/*
 * undo: removes what the journal says this agent made.
 */
#ifndef NL_AGENT_UNDO_H
#define NL_AGENT_UNDO_H

#include "agent/agent.h"

/* What to undo: everything (run_id NULL) or one run's; the scratch directory is kept back when `keep_scratch`. */
struct nl_undo_scope {
	const char *run_id;
	bool keep_scratch;
};

/*
 * nl_undo removes, newest first: files in shares, mounts, scratch directories; each removal is verified before its
 * entry is forgotten. Goes on after a failure; then NL_E_LEFTOVER names the first thing that stays. *undone (NULL
 * allowed) counts what was removed. No load may run.
 */
int nl_undo(struct nl_agent *agent, const struct nl_undo_scope *scope, unsigned *undone, struct nl_error *err);

/* nl_undo_files removes the regular files DIRECTORY/PREFIX-0.. of a local directory or mount (openat, no links
 * followed); missing ones are fine. */
int nl_undo_files(const char *directory, const char *prefix, unsigned count, struct nl_error *err);

/*
 * nl_undo_inside_scratch: whether `directory` lies in the scratch directory of this run by its name
 * (".../nasline-RUN/..."), be it in a pool, below a mount or inside a share, and does not climb out of it: the only
 * place where an order may write, whoever sends it. NL_E_ACCESS otherwise.
 */
int nl_undo_inside_scratch(const char *directory, const char *run_id, struct nl_error *err);

/* The detail of a SHARE_FILES entry: "PREFIX\tCOUNT\tLABEL"; the label is empty for files in a local directory or
 * mount. */
void nl_undo_detail(char *buf, size_t size, const char *prefix, unsigned count, const char *label);

#endif
