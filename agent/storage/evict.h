/*
 * evict: drops pages of files from the page cache, and asks the kernel what stayed.
 */
#ifndef NL_AGENT_STORAGE_EVICT_H
#define NL_AGENT_STORAGE_EVICT_H

#include <stdint.h>

#include "base/error.h"

/*
 * nl_evict_file writes an open regular file back and drops its pages, a few times if need be, and adds its pages and
 * those that stayed to *pages and *resident. `path` is for messages.
 */
int nl_evict_file(int fd, const char *path, uint64_t *pages, uint64_t *resident, struct nl_error *err);

/* nl_evict_resident counts the pages of an open regular file that are in memory: cachestat where the kernel has it
 * (6.5), else mincore. */
int nl_evict_resident(int fd, const char *path, uint64_t *pages, uint64_t *resident, struct nl_error *err);

/* nl_evict_files is `evict` of storage.h. */
int nl_evict_files(const char *directory, const char *file_prefix, double *resident_share, struct nl_error *err);

#endif
