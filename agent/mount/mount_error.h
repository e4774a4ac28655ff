/*
 * mount_error: what mount.nfs and mount.cifs complain about, in our codes and in plain words.
 */
#ifndef NL_AGENT_MOUNT_MOUNT_ERROR_H
#define NL_AGENT_MOUNT_MOUNT_ERROR_H

#include <stdbool.h>

#include "base/error.h"

/*
 * nl_mount_error_from fills *err from what the helper wrote (in the C locale) and returns the code. `text` may be
 * anything; its first telling line goes into `why`, cleaned. Any thread.
 */
int nl_mount_error_from(bool smb, const char *source, const char *text, struct nl_error *err);

#endif
