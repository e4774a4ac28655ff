/*
 * tree: removes what is in a directory, staying inside it.
 */
#ifndef NL_AGENT_STORAGE_TREE_H
#define NL_AGENT_STORAGE_TREE_H

#include "base/error.h"

/*
 * nl_tree_empty removes everything in the open directory except the entry `keep` (NULL: nothing is kept) of the top
 * level. Never enters a mount point or a symbolic link (links are removed themselves). Goes on after a failure;
 * NL_E_LEFTOVER names the first thing that stays, below `path`, which is for messages only. The directory stays open.
 */
int nl_tree_empty(int directory, const char *path, const char *keep, struct nl_error *err);

/*
 * nl_tree_open opens the subdirectory `name` of an open directory without crossing a mount point or following a link.
 * -1 with errno: EXDEV for a mount point, ELOOP or ENOTDIR for a link.
 */
int nl_tree_open(int parent, const char *name);

#endif
