/*
 * keyfile: the pre-shared key of netbench's control connection, from a file that only its owner can read.
 */
#ifndef NL_NETBENCH_KEYFILE_H
#define NL_NETBENCH_KEYFILE_H

#include <stddef.h>

#include "base/error.h"

/*
 * nl_netbench_key_read reads the key in `path`: its bytes without the line ends that close it, 1 to NL_NETBENCH_KEY_MAX
 * of them. A file that group or others may read or write is NL_E_ACCESS. *key is freed with nl_netbench_key_free. Any
 * thread.
 */
int nl_netbench_key_read(const char *path, unsigned char **key, size_t *key_len, struct nl_error *err);

/* nl_netbench_key_free wipes and frees. NULL allowed. */
void nl_netbench_key_free(unsigned char *key, size_t key_len);

#endif
