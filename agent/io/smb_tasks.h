/*
 * smb_tasks: what the functions of a share do, inside a helper process. Each connects, acts and disconnects.
 */
#ifndef NL_AGENT_IO_SMB_TASKS_H
#define NL_AGENT_IO_SMB_TASKS_H

#include "agent/io/load.h"

int nl_smb_check(const struct nl_share_target *share, const char *directory, nl_fact_sink *sink, void *context,
		 struct nl_error *err);
int nl_smb_remove(const struct nl_share_target *share, const char *directory, const char *file_prefix, unsigned count,
		  struct nl_error *err);
int nl_smb_make_directory(const struct nl_share_target *share, const char *directory, struct nl_error *err);
int nl_smb_remove_directory(const struct nl_share_target *share, const char *directory, struct nl_error *err);

#endif
