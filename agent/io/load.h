/*
 * load: the load generator. A job describes the load; a load is a job made ready (files open, laid, connected, buffers
 * filled), then started at an instant, watched while it runs, stopped or waited for, and read out.
 *
 * Threads: the caller's thread makes, starts, watches, stops and frees a load; each stream runs in a thread (or, for
 * libsmbclient, a process) of its own. Counters of a stream live on cache lines of their own, written by the stream
 * alone and read by nl_load_progress.
 *
 * The measured window. It opens at start + ramp_ns. With a duration it closes at start + ramp_ns + duration_ns; without
 * one, and whenever a stream ends earlier than that (end of its file, stop, failure), it closes at the last completion
 * of the first stream to end, so that within the window all streams were at work ("first-done"). Streams publish that
 * instant at once; an operation that another stream completed after it, but before it saw it (well below a
 * millisecond), is still counted. Operations in flight when a timed load ends are waited for and not counted.
 */
#ifndef NL_AGENT_IO_LOAD_H
#define NL_AGENT_IO_LOAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "proto/histogram.h"

#define NL_LOAD_STREAMS_MAX     256
#define NL_LOAD_QUEUE_DEPTH_MAX 1024
#define NL_LOAD_BLOCK_BYTES_MAX (64u * 1024u * 1024u)

enum nl_engine_id {
	NL_ENGINE_AUTO, /* local: io_uring where a probe says it works and queue_depth is above 1, else psync */
	NL_ENGINE_IO_URING,
	NL_ENGINE_PSYNC,
	NL_ENGINE_LIBNFS,       /* NFS 3 only */
	NL_ENGINE_LIBSMBCLIENT, /* SMB 3; one process per stream */
	NL_ENGINE_NULL,         /* no I/O, no files: what the generator itself can do */
};

/* A share reached without a mount. Strings are owned by the caller and must live until nl_load_free. */
struct nl_share_target {
	const char *server, *share;  /* export path "/export" or share name "bench" */
	const char *version;         /* "3"; "2.1", "3.0", "3.0.2", "3.1.1" (NULL: 3, 3.1.1) */
	const char *user, *password; /* SMB only; never logged */
	uint16_t port;               /* 0: the protocol's own (NFS: as the server's portmapper says) */
	bool encrypt;                /* SMB: required */
};

struct nl_job {
	enum nl_engine_id engine;
	const char *directory;   /* where the files are; inside the share for userland engines ("" or "/": its root) */
	const char *file_prefix; /* PREFIX-0, PREFIX-1, ... */
	const struct nl_share_target *share;
	bool write;            /* sequential or random writes; false: reads */
	unsigned read_percent; /* 1..99: mixed; 0: follows `write` */
	bool random; /* uniformly random, block-aligned offsets, each block once per round of the file; else sequential
		      */
	uint64_t block_bytes; /* multiple of 512 */
	unsigned
		queue_depth; /* in flight per stream; psync and libsmbclient have 1 whatever is asked: see the result */
	unsigned streams;    /* one file each */
	uint64_t file_bytes; /* multiple of block_bytes; upper bound of a timed sequential write */
	int64_t duration_ns; /* measured time after the ramp; 0: until file_bytes are done */
	int64_t ramp_ns;     /* not counted */
	bool direct;         /* O_DIRECT; no effect for userland engines, which have no cache here */
	bool fsync_end; /* fsync, COMMIT at the end of each writing stream; libsmbclient has none: durable_mono_ns stays
			   0 */
	bool sync_writes; /* O_SYNC; NFS: FILE_SYNC; refused for libsmbclient */
	bool lay_files;   /* make files exist with file_bytes before the start; one that is long enough is used as it is
			   */
	bool warm;        /* read the files once before the start */
	bool loop_files;  /* a timed sequential read (or mix) goes round; random ones always do; pure writes never */
	uint64_t rate_limit_bytes_per_s; /* of all streams together, an absolute schedule (a late stream catches up); 0:
					    none */
	uint64_t payload_seed; /* two loads with the same seed and prefix write the same stamps; 0: a random one */
};

struct nl_stream_progress {
	uint64_t bytes, operations;
	int64_t read_mono_ns; /* when the two were read */
};

struct nl_stream_result {
	uint64_t bytes, operations; /* all that completed, ramp included */
	uint64_t short_operations;  /* the server or kernel did less than asked; the rest was asked for again, except at
				       the end of the file */
	uint64_t window_bytes;      /* completed in the measured window */
	int64_t first_done_mono_ns, last_done_mono_ns; /* first and last completion of all; 0 when there was none */
	int64_t durable_mono_ns;                       /* 0, or when fsync/COMMIT returned */
	bool reached_end;                              /* ended because file_bytes, or what the file has, were done */
	struct nl_histogram latency; /* submission to completion, of operations completed in the window */
	struct nl_error failure;     /* code NL_E_OK when none */
};

struct nl_load_result {
	enum nl_engine_id engine; /* the one that ran: never AUTO */
	unsigned queue_depth;     /* in force per stream */
	bool payload_stamped;     /* the load wrote, incompressible and without two equal blocks */
	char note[160];           /* what the engine had to do without (fixed buffers, ...); "" for nothing */
	int64_t start_mono_ns, window_start_mono_ns;
	int64_t window_end_mono_ns;      /* not before window_start: equal when the load ended within the ramp */
	double cpu_user_s, cpu_system_s; /* of all streams from start to end, fsync included; kernel workers of io_uring
					    included */
	double busiest_thread_share; /* highest CPU time over elapsed time of a stream, 0..1 (more with kernel workers)
				      */
	unsigned stream_count;
	struct nl_stream_result *stream; /* stream_count of them, owned by the result */
};

struct nl_load;

/* nl_job_check says whether the job makes sense, without touching anything. NL_E_CONFIG with the field in `where`. Any
 * thread. */
int nl_job_check(const struct nl_job *job, struct nl_error *err);

/*
 * nl_load_make makes the job ready: connects, opens or creates the files (mode 0600; never follows a symbolic link,
 * never touches what is not a regular file with one name), lays and warms them when asked, allocates buffers, starts
 * the streams, which wait. Everything that can fail before the load fails here: no space, access denied, missing share,
 * wrong password. Reads and random loads work within what the files have, at most file_bytes; a sequential write
 * without lay_files starts from an empty file. The job must live until nl_load_free. `cancel` (NULL allowed) is read
 * now and then while laying: true ends with NL_E_CANCELLED. Files that it created stay (removing them is the
 * journal's).
 */
int nl_load_make(const struct nl_job *job, const atomic_bool *cancel, struct nl_load **load, struct nl_error *err);
/* nl_load_start lets the streams go at the monotonic instant (0 or past: now). Returns at once. Once per load. */
void nl_load_start(struct nl_load *load, int64_t start_mono_ns);
/* nl_load_progress fills `count` (the job's streams) entries, zero before the start. Lock-free; any thread; may be
 * called at 10 Hz and more. */
void nl_load_progress(const struct nl_load *load, struct nl_stream_progress *progress, unsigned count);
/* nl_load_stop asks all streams to end after the operations in flight. Returns at once. Any thread. Async-signal-safe
 * is not needed. */
void nl_load_stop(struct nl_load *load);
/* nl_load_wait waits at most timeout_ns for all streams to end: NL_E_TIMEOUT when they did not (ask again). */
int nl_load_wait(struct nl_load *load, int64_t timeout_ns, struct nl_error *err);
/*
 * nl_load_read_out gives the result, once, after a successful wait (NL_E_INTERNAL otherwise). A failed stream is in its
 * `failure`, not an error here; it stopped the others, whose figures then count for nothing.
 */
int nl_load_read_out(struct nl_load *load, struct nl_load_result *result, struct nl_error *err);
void nl_load_result_fini(struct nl_load_result *result);
/*
 * nl_load_free stops what still runs, waits for it at most 10 s (a stream stuck in the kernel is then abandoned with
 * its memory: safer than freeing under it), closes and frees. NULL is fine.
 */
void nl_load_free(struct nl_load *load);

/*
 * nl_engine_probe says whether an engine can work here (kernel, library); `reason` (size bytes) gets why not. For
 * capabilities in hello.
 */
bool nl_engine_probe(enum nl_engine_id engine, char *reason, size_t size);
const char *nl_engine_name(enum nl_engine_id engine); /* "io_uring"; "unknown" for a number that is none. Never NULL. */

/*
 * nl_io_helper_main must be the first call of every program's main that uses libsmbclient: the engine runs each stream
 * in a fresh process of the same program, and this is where that process comes in. *is_helper false: go on with main.
 * True: return its value from main at once.
 */
int nl_io_helper_main(int argc, char **argv, bool *is_helper);

/*
 * Files on a share, by the userland engines. nl_share_check connects, checks that `directory` exists in the share and
 * is writable (a marked file made and removed), within timeout_ns; facts: negotiated settings (version, dialect, rsize,
 * wsize, signing, encryption) through the callback, on the caller's thread. nl_share_remove removes `count` files
 * DIRECTORY/PREFIX-i; missing ones are fine. nl_share_make_directory makes one level; one that exists is fine.
 * nl_share_remove_directory removes an empty one; a missing one is fine.
 */
typedef void nl_fact_sink(void *context, const char *key, const char *value);
int nl_share_check(enum nl_engine_id engine, const struct nl_share_target *share, const char *directory,
		   int64_t timeout_ns, nl_fact_sink *sink, void *context, struct nl_error *err);
int nl_share_remove(enum nl_engine_id engine, const struct nl_share_target *share, const char *directory,
		    const char *file_prefix, unsigned count, int64_t timeout_ns, struct nl_error *err);
int nl_share_make_directory(enum nl_engine_id engine, const struct nl_share_target *share, const char *directory,
			    int64_t timeout_ns, struct nl_error *err);
int nl_share_remove_directory(enum nl_engine_id engine, const struct nl_share_target *share, const char *directory,
			      int64_t timeout_ns, struct nl_error *err);

#endif
