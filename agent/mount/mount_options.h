/*
 * mount_options: checks what an operator asks for, and writes the option text for the helper program.
 */
#ifndef NL_AGENT_MOUNT_MOUNT_OPTIONS_H
#define NL_AGENT_MOUNT_MOUNT_OPTIONS_H

#include <stddef.h>

#include "agent/mount/mount.h"

/*
 * nl_mount_options_check: whether every option of the list is known, harmless, with a value of its form, given once,
 * and not given by a field of the request already. NL_E_CONFIG with the option in `where` and the nearest known one in
 * `todo`. Any thread.
 */
int nl_mount_options_check(const struct nl_mount_request *request, struct nl_error *err);

/* nl_mount_options_write writes the whole option text, ours and the operator's. `credentials` is the path of the file,
 * NULL: none. */
int nl_mount_options_write(const struct nl_mount_request *request, const char *credentials, char *text, size_t size,
			   struct nl_error *err);

/* nl_mount_source_write checks server, share and version and writes "server:/export" or "//server/share". NL_E_CONFIG
 * names the field. */
int nl_mount_source_write(const struct nl_mount_request *request, char *text, size_t size, struct nl_error *err);

#endif
