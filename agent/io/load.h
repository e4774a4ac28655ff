/*
 * load: the load generator. A job describes the load; a load is a job made ready (files open, laid, connected, buffers filled), then
 * started at an instant, watched while it runs, stopped or waited for, and read out.
 *
 * Threads: the caller's thread makes, starts, watches, stops and frees a load; each stream runs in a thread (or, for libsmbclient, a process) of its
 * own. Counters of a stream live on cache lines of their own, written by the stream alone and read by nl_load_progress.
 */
#ifndef NL_AGENT_IO_LOAD_H
#define NL_AGENT_IO_LOAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "proto/histogram.h"

#define NL_LOAD_STREAMS_MAX 256
#define NL_LOAD_QUEUE_DEPTH_MAX 1024
#define NL_LOAD_BLOCK_BYTES_MAX (64u * 1024u * 1024u)

enum nl_engine_id {
	NL_ENGINE_AUTO,	       /* local: io_uring where a probe says it works, else psync */
	NL_ENGINE_IO_URING,
	NL_ENGINE_PSYNC,
	NL_ENGINE_LIBNFS,      /* NFS 3 only */
	NL_ENGINE_LIBSMBCLIENT, /* SMB 3; one process per stream */
	NL_ENGINE_NULL,	       /* no I/O: what the generator itself can do */
};

/* A share reached without a mount. Strings are owned by the caller and must live until nl_load_free. */
struct nl_share_target {
	const char *server, *share;  /* export path "/export" or share name "bench" */
	const char *version;	     /* "3"; "2.1", "3.0", "3.1.1" */
	const char *user, *password; /* SMB only; never logged */
	uint16_t port;		     /* 0: the protocol's own */
	bool encrypt;		     /* SMB: required */
};

struct nl_job {
	enum nl_engine_id engine;
	const char *directory;	 /* where the files are; inside the share for userland engines */
	const char *file_prefix; /* PREFIX-0, PREFIX-1, ... */
	const struct nl_share_target *share;
	bool write;		   /* sequential or random writes; false: reads */
	unsigned read_percent;	   /* 1..99: mixed; else follows `write` */
	bool random;		   /* uniformly random, block-aligned offsets; else sequential */
	uint64_t block_bytes;
	unsigned queue_depth;	   /* in flight per stream; psync and libsmbclient take 1 */
	unsigned streams;	   /* one file each */
	uint64_t file_bytes;	   /* multiple of block_bytes; upper bound of a timed sequential write */
	int64_t duration_ns;	   /* measured time after the ramp; 0: until file_bytes are done */
	int64_t ramp_ns;	   /* not counted */
	bool direct;		   /* O_DIRECT */
	bool fsync_end;		   /* fsync, COMMIT at the end of each stream */
	bool sync_writes;	   /* O_SYNC */
	bool lay_files;		   /* make files exist with file_bytes before the start */
	bool warm;		   /* read the files once before the start */
	bool loop_files;	   /* a timed read goes round */
	uint64_t rate_limit_bytes_per_s; /* of all streams together; 0: none */
	uint64_t payload_seed;
};

struct nl_stream_progress {
	uint64_t bytes, operations;
	int64_t read_mono_ns; /* when the two were read */
};

struct nl_stream_result {
	uint64_t bytes, operations, short_operations;
	uint64_t window_bytes;	    /* completed in the measured window */
	int64_t first_done_mono_ns, last_done_mono_ns;
	int64_t durable_mono_ns;    /* 0, or when fsync/COMMIT returned */
	bool reached_end;
	struct nl_histogram latency; /* of operations completed in the window */
	struct nl_error failure;    /* code NL_E_OK when none */
};

struct nl_load_result {
	enum nl_engine_id engine;
	int64_t start_mono_ns, window_start_mono_ns, window_end_mono_ns;
	double cpu_user_s, cpu_system_s, busiest_thread_share;
	unsigned stream_count;
	struct nl_stream_result *stream; /* stream_count of them, owned by the result */
};

struct nl_load;

/* nl_job_check says whether the job makes sense, without touching anything. NL_E_CONFIG with the field in `where`. */
int nl_job_check(const struct nl_job *job, struct nl_error *err);

/*
 * nl_load_make makes the job ready: connects, opens or creates the files (never follows a symbolic link, never truncates a file that is not a regular
 * file), lays and warms them when asked, allocates buffers, starts the streams, which wait. Everything that can fail before the load
 * fails here: no space, access denied, missing share, wrong password. The job must live until nl_load_free. `cancel` (NULL allowed) is read
 * now and then while laying: true ends with NL_E_CANCELLED. Files that it created stay (removing them is the journal's).
 */
int nl_load_make(const struct nl_job *job, const atomic_bool *cancel, struct nl_load **load, struct nl_error *err);
/* nl_load_start lets the streams go at the monotonic instant (0 or past: now). Returns at once. */
void nl_load_start(struct nl_load *load, int64_t start_mono_ns);
/* nl_load_progress fills `count` (the job's streams) entries. Lock-free; may be called at 10 Hz and more. */
void nl_load_progress(const struct nl_load *load, struct nl_stream_progress *progress, unsigned count);
/* nl_load_stop asks all streams to end after the operations in flight. Returns at once. Async-signal-safe is not needed. */
void nl_load_stop(struct nl_load *load);
/* nl_load_wait waits at most timeout_ns for all streams to end: NL_E_TIMEOUT when they did not (ask again). */
int nl_load_wait(struct nl_load *load, int64_t timeout_ns, struct nl_error *err);
/* nl_load_read_out gives the result, once, after a successful wait. A failed stream is in its `failure`, not an error here. */
int nl_load_read_out(struct nl_load *load, struct nl_load_result *result, struct nl_error *err);
void nl_load_result_fini(struct nl_load_result *result);
/*
 * nl_load_free stops what still runs, waits for it at most 10 s (a stream stuck in the kernel is then abandoned with its memory: safer than
 * freeing under it), closes and frees.
 */
void nl_load_free(struct nl_load *load);

/*
 * nl_engine_probe says whether an engine can work here (kernel, library); `reason` (size bytes) gets why not. For capabilities in hello.
 */
bool nl_engine_probe(enum nl_engine_id engine, char *reason, size_t size);
const char *nl_engine_name(enum nl_engine_id engine);

/*
 * Files on a share, by the userland engines. nl_share_check connects, checks that `directory` exists in the share and is
 * writable (a marked file made and removed), within timeout_ns; facts: negotiated settings (version, dialect, rsize, wsize, signing, encryption)
 * through the callback. nl_share_remove removes `count` files DIRECTORY/PREFIX-i; missing ones are fine. nl_share_make_directory makes one level.
 */
typedef void nl_fact_sink(void *context, const char *key, const char *value);
int nl_share_check(enum nl_engine_id engine, const struct nl_share_target *share, const char *directory,
		   int64_t timeout_ns, nl_fact_sink *sink, void *context, struct nl_error *err);
int nl_share_remove(enum nl_engine_id engine, const struct nl_share_target *share, const char *directory,
		    const char *file_prefix, unsigned count, int64_t timeout_ns, struct nl_error *err);

#endif
