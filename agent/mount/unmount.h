/*
 * unmount: takes a mount away within a bounded time, even from a server that does not answer.
 */
#ifndef NL_AGENT_MOUNT_UNMOUNT_H
#define NL_AGENT_MOUNT_UNMOUNT_H

#include "base/error.h"

/*
 * nl_unmount_bounded unmounts everything mounted at exactly `path`: asks nicely (a child process, so that a dead server
 * holds only that), again for a while when it is in use, then by force and lazily. Nothing mounted is fine.
 * NL_E_LEFTOVER when the table of mounts still has it.
 */
int nl_unmount_bounded(const char *path, struct nl_error *err);

#endif
