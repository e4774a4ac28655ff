/*
 * layout: makes a stream's file exist with its full size, and reads it once, before the load.
 */
#ifndef NL_AGENT_IO_LAYOUT_H
#define NL_AGENT_IO_LAYOUT_H

#include "agent/io/stream.h"

/*
 * nl_layout_lay: a file of at least file_bytes is used as it is; any other is written whole, with payload, and made
 * durable, so that its writeback does not disturb the load. When the space does not suffice, a local file is cut back
 * to what it was.
 */
int nl_layout_lay(struct nl_stream *stream, struct nl_error *err);
int nl_layout_warm(struct nl_stream *stream, struct nl_error *err);

#endif
