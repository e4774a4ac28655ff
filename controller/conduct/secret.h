/*
 * secret: reads a share's password from the file that a campaign names.
 */
#ifndef NL_CONTROLLER_CONDUCT_SECRET_H
#define NL_CONTROLLER_CONDUCT_SECRET_H

#include <stddef.h>

#include "base/error.h"

/*
 * nl_secret_read reads the password in `path` into secret (size bytes, zero-terminated; the caller wipes it). The file
 * holds the password alone, or lines as mount.cifs has them, of which "password=" counts. A file that its group or
 * others may read is refused.
 */
int nl_secret_read(const char *path, char *secret, size_t size, struct nl_error *err);

#endif
