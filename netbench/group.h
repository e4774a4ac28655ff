/*
 * group: the streams of one end of a test: a thread per data connection, their counters, their samples.
 *
 * Life: init, put a descriptor into every stream, prepare (threads wait), start, sample at will, until finished; then
 * join, fill a result, fini. All functions are for the one thread that conducts the test.
 */
#ifndef NL_NETBENCH_GROUP_H
#define NL_NETBENCH_GROUP_H

#include <pthread.h>
#include <stdatomic.h>

#include "netbench/message.h"
#include "netbench/netbench.h"

#define NL_NB_CACHE_LINE 64

struct nl_nb_group;

/* One data connection at this end. What the hot loop writes has a cache line of its own. */
struct nl_nb_stream {
	_Alignas(NL_NB_CACHE_LINE) atomic_uint_least64_t bytes; /* moved so far; written by its thread, relaxed */

	_Alignas(NL_NB_CACHE_LINE) struct nl_nb_group *group;
	int fd; /* -1 until connected; closed by fini */
	unsigned flow, number;
	bool sending, threaded;
	pthread_t thread;
	unsigned char *buffer;
	int failed;                       /* errno that ended it before its time, 0 otherwise; valid once finished */
	struct nl_netbench_stream result; /* valid once finished */
};

/* Sampling of one flow's side at this end. */
struct nl_nb_sampler {
	unsigned index;
	int64_t last_ns;
	uint64_t bytes;
	int64_t retransmits;
};

struct nl_nb_group {
	bool client;
	struct nl_nb_request request;
	struct nl_nb_stream *streams; /* the flows used one after the other, request.streams each */
	unsigned count, per_flow;
	bool used[NL_NETBENCH_FLOWS];
	struct nl_nb_sampler samplers[NL_NETBENCH_FLOWS];
	pthread_mutex_t gate_lock; /* guards `gate` */
	pthread_cond_t gate_changed;
	enum { NL_NB_GATE_SHUT, NL_NB_GATE_OPEN, NL_NB_GATE_CANCELLED } gate;
	int64_t start_ns, omit_end_ns;                          /* written before the gate opens */
	_Alignas(NL_NB_CACHE_LINE) atomic_int_least64_t end_ns; /* when to stop; moved forward by stop */
	_Alignas(NL_NB_CACHE_LINE) atomic_uint finished;
	int finished_fd; /* eventfd: readable when a stream has finished */
	bool stopped;    /* by nl_nb_group_stop, before its time */
};

int nl_nb_group_init(struct nl_nb_group *group, bool client, const struct nl_nb_request *request, struct nl_error *err);
/* nl_nb_group_fini ends what still runs, closes the connections and frees. A zeroed group is fine. */
void nl_nb_group_fini(struct nl_nb_group *group);

/* nl_nb_group_stream is the stream of a flow, NULL when the test has no such flow or stream. */
struct nl_nb_stream *nl_nb_group_stream(struct nl_nb_group *group, unsigned flow, unsigned number);

/* nl_nb_group_prepare sets the sockets up, allocates the buffers and creates the threads, which then wait. */
int nl_nb_group_prepare(struct nl_nb_group *group, struct nl_error *err);
void nl_nb_group_start(struct nl_nb_group *group, int64_t start_ns);
bool nl_nb_group_is_finished(const struct nl_nb_group *group);

/* nl_nb_group_stop ends the test now: senders stop and say so to their receivers. */
void nl_nb_group_stop(struct nl_nb_group *group);
/* nl_nb_group_cut breaks every connection, so that all threads end at once. */
void nl_nb_group_cut(struct nl_nb_group *group);

/* nl_nb_group_sample measures the interval of `flow` since the last sample (or the start). */
void nl_nb_group_sample(struct nl_nb_group *group, unsigned flow, struct nl_netbench_interval *interval);

/*
 * nl_nb_group_join waits for the threads. nl_nb_group_fill then writes this end's side of each flow (not its intervals,
 * not concluded) and the facts of this host, whose control thread used control_user_s and control_system_s.
 */
void nl_nb_group_join(struct nl_nb_group *group);
int nl_nb_group_fill(struct nl_nb_group *group, double control_user_s, double control_system_s,
		     struct nl_netbench_result *result, struct nl_error *err);

/* nl_nb_group_failure is the errno with which a stream ended before its time, 0 when none did. After join. */
int nl_nb_group_failure(const struct nl_nb_group *group);

/* nl_nb_group_side is this end's side of the flow. */
struct nl_netbench_side *nl_nb_group_side(const struct nl_nb_group *group, struct nl_netbench_result *result,
					  unsigned flow);
/* nl_nb_side_append adds an interval to a side's series; refuses more than NL_NETBENCH_INTERVALS_MAX + 1. */
int nl_nb_side_append(struct nl_netbench_side *side, const struct nl_netbench_interval *interval, struct nl_error *err);

/* The body of a stream's thread (stream.c): waits at the gate, moves data, leaves its result. */
void *nl_nb_stream_main(void *stream);

/* nl_nb_group_gate blocks until the group starts; false when it was cancelled. For stream threads. */
bool nl_nb_group_gate(struct nl_nb_group *group);
/* nl_nb_group_leave counts the calling stream as finished. For stream threads. */
void nl_nb_group_leave(struct nl_nb_group *group);

#endif
