/*
 * local_file: opens the files of a local load, and nothing but them.
 */
#ifndef NL_AGENT_IO_LOCAL_FILE_H
#define NL_AGENT_IO_LOCAL_FILE_H

#include "agent/io/engine.h"

/*
 * The `open`, `flush` and `close` of the local engines. A file that is a symbolic link, no regular file, or has a
 * second name (a hard link may be somebody's data) is refused with NL_E_ACCESS, untouched.
 */
int nl_local_open(struct nl_channel *channel, unsigned index, const struct nl_open_how *how, uint64_t *size,
		  struct nl_error *err);
int nl_local_flush(struct nl_channel *channel);
int nl_local_close(struct nl_channel *channel, struct nl_error *err);

#endif
