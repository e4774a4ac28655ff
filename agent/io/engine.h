/*
 * engine: the operations table behind which each way of moving bytes stands.
 *
 * A channel is one engine at work on one file for one stream. All calls on a channel come from one thread. The order is
 * connect, then any number of (open, ready, submit and reap ..., flush, close), then disconnect; close and disconnect
 * are fine at any moment, and twice.
 */
#ifndef NL_AGENT_IO_ENGINE_H
#define NL_AGENT_IO_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/io/load.h"

/* One operation. The buffer belongs to the engine from submit until reap gives the operation back. */
struct nl_op {
	unsigned char *buffer;
	uint64_t offset;
	int64_t submit_ns;
	uint32_t length; /* asked for in all */
	uint32_t expect; /* what the file can give: less than length only at its end */
	uint32_t done;   /* moved so far: the engine goes on at buffer + done, offset + done */
	int32_t result;  /* set by the engine: bytes moved now, or -errno */
	bool write;
	bool taken; /* by the loop */
};

struct nl_buffers;
struct nl_control;
struct nl_engine;

struct nl_channel {
	const struct nl_engine *engine;
	const struct nl_job *job;
	struct nl_control *control; /* userland engines stop waiting for a silent server soon after a stop */
	int file;                   /* local engines: the open file, else -1 */
	void *connection;           /* userland engines */
	void *state;                /* from ready to close */
	char detail[256];           /* the engine's own words for the last failed operation; "" for none */
	char note[160];             /* what the engine had to do without */
};

struct nl_open_how {
	bool read, write, create, truncate, direct, sync;
};

struct nl_engine {
	enum nl_engine_id id;
	const char *name;
	unsigned depth_max;
	bool userland; /* works on a share, not on a local directory */
	/* The engine that lays and warms files, with purposes other than the load's. NULL: no files at all. */
	const struct nl_engine *layer;
	/* Whether it can work here; `reason` gets why not. */
	bool (*probe)(char *reason, size_t size);
	int (*connect)(struct nl_channel *channel, struct nl_error *err);
	/* Opens file number `index` of the job; *size is its size after that. */
	int (*open)(struct nl_channel *channel, unsigned index, const struct nl_open_how *how, uint64_t *size,
		    struct nl_error *err);
	int (*ready)(struct nl_channel *channel, const struct nl_buffers *buffers, unsigned depth,
		     struct nl_error *err);
	/* Hands an operation over; it may already be done when this returns. What goes wrong is in op->result when
	 * reaped. */
	void (*submit)(struct nl_channel *channel, struct nl_op *op);
	/*
	 * Gives back at most `max` operations, waiting for the first until the monotonic instant (INT64_MAX: as long as
	 * it takes). 0: none by then. Negative -errno: the channel is dead, `detail` says why, and what was in flight
	 * ends with close.
	 */
	int (*reap)(struct nl_channel *channel, struct nl_op **done, unsigned max, int64_t until_ns);
	/* Makes what was written durable: 0, or -errno with `detail`. NULL: the engine cannot. */
	int (*flush)(struct nl_channel *channel);
	int (*close)(struct nl_channel *channel, struct nl_error *err);
	void (*disconnect)(struct nl_channel *channel);
};

extern const struct nl_engine nl_engine_io_uring, nl_engine_psync, nl_engine_libnfs, nl_engine_libsmbclient,
	nl_engine_null;

/* nl_engine_of gives the table of an id, NULL for AUTO and for a number that is none. */
const struct nl_engine *nl_engine_of(enum nl_engine_id id);

/* nl_channel_error turns a failed operation (-errno and channel->detail) into an error about file `index`. */
int nl_channel_error(const struct nl_channel *channel, unsigned index, const char *what, int negative_errno,
		     struct nl_error *err);

#endif
