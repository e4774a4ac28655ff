/*
 * directory: the backend for a directory of any mounted file system.
 */
#ifndef NL_AGENT_STORAGE_DIRECTORY_H
#define NL_AGENT_STORAGE_DIRECTORY_H

#include "agent/storage/storage.h"

extern const struct nl_storage_backend nl_storage_directory;

#endif
