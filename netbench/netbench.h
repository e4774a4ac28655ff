/*
 * netbench: the raw TCP ceiling between two hosts, with no storage in the path.
 *
 * A server waits; a client runs one test of so many streams for so long, one way or both ways. The figure is counted at
 * the receiver between the end of the omitted start and the end of the test, from the instants of the reads themselves.
 * A test has one control connection (authenticated when there is a key) and one data connection per stream and
 * direction, each of which must show the test's random token. Both ends keep a series per interval and the TCP_INFO of
 * their streams; the server's part reaches the client over the control connection, interval by interval and at the end.
 *
 * Terms: a *flow* is one direction (all its streams); each flow has a sending and a receiving *side*; the *host* facts
 * are those of one machine. Instants in results are nanoseconds since the test's start on the clock of that side.
 */
#ifndef NL_NETBENCH_NETBENCH_H
#define NL_NETBENCH_NETBENCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/time.h"

#define NL_NETBENCH_PORT_DEFAULT    7445
#define NL_NETBENCH_STREAMS_MAX     128
#define NL_NETBENCH_DURATION_MAX_NS (INT64_C(86400) * NL_NS_PER_S)
#define NL_NETBENCH_OMIT_MAX_NS     (INT64_C(3600) * NL_NS_PER_S)
#define NL_NETBENCH_INTERVAL_MIN_NS (INT64_C(10) * NL_NS_PER_MS)
#define NL_NETBENCH_INTERVALS_MAX   100000 /* (omit + duration) / interval */
#define NL_NETBENCH_BLOCK_MIN       1024
#define NL_NETBENCH_BLOCK_MAX       (4u << 20)
#define NL_NETBENCH_BLOCK_DEFAULT   (512u << 10) /* least CPU per byte over loopback and veth, 1 and 4 streams */
#define NL_NETBENCH_WINDOW_MAX      (1u << 30)
#define NL_NETBENCH_KEY_MAX         4096

/* Which way the bytes go, seen from the client. In a both-way test each direction has its own `streams` connections. */
enum nl_netbench_direction {
	NL_NETBENCH_TO_SERVER,
	NL_NETBENCH_FROM_SERVER,
	NL_NETBENCH_BOTH,
};
#define NL_NETBENCH_FLOWS 2 /* results are indexed by TO_SERVER and FROM_SERVER */

/* nl_netbench_direction_text: "to-server", "from-server", "both". Never NULL. */
const char *nl_netbench_direction_text(enum nl_netbench_direction direction);

/* ---- Server -------------------------------------------------------------------------------------------------------
 */

/*
 * Told what the server does: a test began or ended, a peer was refused and why. `peer` is "ADDRESS:PORT". Called from
 * the server's threads, one call at a time; must not call the server's functions.
 */
typedef void nl_netbench_server_event_fn(void *context, const char *peer, const char *text);

struct nl_netbench_server_config {
	const char *bind;                   /* local address or name; NULL: every address, IPv6 and IPv4 */
	uint16_t port;                      /* 0: the system picks one, see nl_netbench_server_port */
	const unsigned char *key;           /* pre-shared secret, copied; NULL: any client may measure */
	size_t key_len;                     /* 1..NL_NETBENCH_KEY_MAX when there is a key */
	bool one_off;                       /* end by itself after the first test that ran */
	unsigned max_seconds;               /* longest test (omit + duration) a client may ask for; 0: one day */
	nl_netbench_server_event_fn *event; /* may be NULL */
	void *event_context;
};

struct nl_netbench_server;

/*
 * nl_netbench_server_start binds, listens and serves in a thread of its own; *server is freed by
 * nl_netbench_server_free. One test at a time; a second client is told "busy". A peer that is not authenticated within
 * 2 s is closed without a byte having been sent to it; at most 64 such peers are held at once, the oldest gives way. A
 * test ends when its control connection drops or is silent for 2 s. `config` need not live on.
 */
int nl_netbench_server_start(const struct nl_netbench_server_config *config, struct nl_netbench_server **server,
			     struct nl_error *err);

/* nl_netbench_server_port is the port that is listened on. Any thread. */
uint16_t nl_netbench_server_port(const struct nl_netbench_server *server);

/*
 * nl_netbench_server_wait returns when the server has ended by itself (one_off), or when *stop becomes true (looked at
 * ten times a second, NULL allowed). Any thread.
 */
void nl_netbench_server_wait(struct nl_netbench_server *server, const atomic_bool *stop);

/* nl_netbench_server_stop ends a running test, closes every connection and joins the threads. May be repeated. */
void nl_netbench_server_stop(struct nl_netbench_server *server);

/* nl_netbench_server_free stops if need be and frees. NULL allowed. */
void nl_netbench_server_free(struct nl_netbench_server *server);

/* ---- Client -------------------------------------------------------------------------------------------------------
 */

struct nl_netbench_config {
	enum nl_netbench_direction direction;
	unsigned streams;         /* per direction, 1..NL_NETBENCH_STREAMS_MAX */
	int64_t duration_ns;      /* measured time after the omitted start, 1 ms..1 day */
	int64_t omit_ns;          /* discarded at the start (slow start), 0..1 h */
	int64_t interval_ns;      /* of the series, 10 ms..; at most NL_NETBENCH_INTERVALS_MAX of them */
	uint32_t block_bytes;     /* per send and receive call */
	uint32_t window_bytes;    /* socket buffers; 0: the kernel tunes them */
	const char *congestion;   /* congestion control of the senders; NULL: each host's default */
	const char *bind;         /* local address of the client's connections; NULL: by route */
	uint16_t port;            /* the server's */
	const unsigned char *key; /* pre-shared secret; NULL: none. Both ends have the same one or none */
	size_t key_len;
	int64_t start_mono_ns; /* this host's CLOCK_MONOTONIC instant at which to start; 0 or past: at once */
};

/* nl_netbench_config_default fills in: to the server, 1 stream, 10 s, no omit, 1 s intervals, default block and port.
 */
void nl_netbench_config_default(struct nl_netbench_config *config);

/* TCP_INFO of a stream, or of a flow's streams taken together (see nl_netbench_interval). -1: this kernel does not
 * tell. */
struct nl_netbench_tcp {
	int64_t retransmits;        /* segments, since the stream began */
	int64_t rtt_ns, min_rtt_ns; /* smoothed and smallest round trip; min -1 until there was one */
	int64_t cwnd_bytes;         /* congestion window */
	int64_t mss_bytes;          /* what a full segment carries (timestamps already taken off) */
	int64_t delivered_bytes;    /* acknowledged by the peer */
	int64_t busy_ns;            /* had something to send */
	int64_t rwnd_limited_ns;    /* of it: held back by the receiver's window */
	int64_t sndbuf_limited_ns;  /* of it: held back by the send buffer */
	bool timestamps;            /* the TCP timestamp option is in use */
};

/* One interval of one side of one flow, all streams together. */
struct nl_netbench_interval {
	enum nl_netbench_direction direction; /* TO_SERVER or FROM_SERVER */
	bool receiver;                        /* counted at the receiving side, otherwise at the sending side */
	bool omitted;                         /* began within the omitted start */
	unsigned index;                       /* 0.. within its side's series */
	int64_t start_ns, end_ns;             /* since the test's start, as the sampler really ran */
	uint64_t bytes;                       /* payload in it */
	int64_t retransmits;                  /* in it; sending side, otherwise 0 */
	int64_t rtt_ns, min_rtt_ns;           /* mean over the streams, smallest of them; sending side, otherwise -1 */
	int64_t cwnd_bytes;                   /* sum over the streams; sending side, otherwise -1 */
};

/* One stream of one side. */
struct nl_netbench_stream {
	uint64_t bytes;        /* payload, from the first to the last */
	uint64_t window_bytes; /* those after first_ns, up to last_ns */
	int64_t first_ns,
		last_ns; /* first call that returned after the omitted start, last one before the end; -1: none */
	int64_t cpu_user_ns, cpu_system_ns, wall_ns; /* of its thread */
	struct nl_netbench_tcp tcp;                  /* at the end of the stream */
};

/* One side of one flow. */
struct nl_netbench_side {
	uint64_t bytes;                     /* sum over the streams, omitted start and drained tail included */
	uint64_t window_bytes;              /* measured bytes */
	int64_t first_ns, last_ns;          /* earliest first and latest last over the streams; -1: none */
	double bytes_per_second;            /* window_bytes / (last_ns - first_ns); 0 when nothing was measured */
	double cpu_user_s, cpu_system_s;    /* the side's threads and its share of the control thread, whole test */
	double busiest_thread;              /* highest CPU share of a thread, 0..1 */
	struct nl_netbench_stream *streams; /* stream_count; owned by the result */
	unsigned stream_count;
	struct nl_netbench_interval *intervals; /* interval_count; owned by the result */
	size_t interval_count;
};

enum nl_netbench_verdict {
	NL_NETBENCH_VALID,
	NL_NETBENCH_TOO_SHORT, /* under 1 s measured (0.95 s between first and last byte) */
	NL_NETBENCH_UNSTEADY,  /* coefficient of variation over 10 % in at least 5 intervals */
};
/* nl_netbench_verdict_text: "valid", "too-short", "unsteady". Never NULL. */
const char *nl_netbench_verdict_text(enum nl_netbench_verdict verdict);

struct nl_netbench_flow {
	bool used; /* the test had this direction */
	struct nl_netbench_side sender, receiver;
	int64_t retransmits;        /* of all streams, whole test; -1 unknown */
	int64_t rtt_ns, min_rtt_ns; /* mean and smallest over the streams at the end; -1 unknown */
	double variation;           /* coefficient of variation of the receiver's full measured intervals; -1 under 2 */
	enum nl_netbench_verdict verdict;
	bool cpu_bound; /* a thread of either side used over 95 % of a CPU */
};

/* How a host reaches the other one. */
struct nl_netbench_link {
	char interface[32]; /* "" unknown */
	int64_t speed_bps;  /* -1: unknown or meaningless (loopback, veth, tun); a bridge gives its fastest real port */
	int64_t mtu_bytes;  /* of the interface; -1 unknown */
	bool vlan;          /* the interface is a VLAN: 4 bytes more per frame */
	bool ipv6;          /* the test runs over IPv6 (not IPv4 mapped into it) */
};

struct nl_netbench_host {
	char name[65];                   /* host name */
	char address[64];                /* its end of the control connection */
	char congestion[16];             /* congestion control of its data connections */
	int64_t mss_bytes;               /* of its data connections, -1 unknown */
	bool timestamps;                 /* in use on its data connections */
	int64_t wall_ns;                 /* start to end of its streams */
	double cpu_user_s, cpu_system_s; /* of the test: stream threads and control thread */
	struct nl_netbench_link link;
};

struct nl_netbench_result {
	int64_t start_mono_ns; /* the client's start instant; instants of the client's sides are since it */
	int64_t start_wall_ns;
	bool partial; /* ended before its time: stopped, or the other end was lost */
	uint32_t block_bytes, window_bytes;
	struct nl_netbench_flow flows[NL_NETBENCH_FLOWS];
	struct nl_netbench_host client, server;
	enum nl_netbench_verdict verdict; /* the worst of the flows used */
	bool cpu_bound;                   /* of any flow used */
	/* The ceiling of the slower link by nl_netbench_goodput_bytes_per_s; -1 when no end knows its speed. */
	double goodput_bytes_per_second;
};

/* Called from nl_netbench_client_run's thread for every interval of every side as it becomes known. Must be quick. */
typedef void nl_netbench_interval_fn(void *context, const struct nl_netbench_interval *interval);

/*
 * nl_netbench_client_run runs one test against `host` and blocks until it is over. `interval` may be NULL. When *stop
 * (NULL allowed) becomes true the test ends within 0.1 s.
 *
 * Returns 0 with the result filled; stopped while measuring is 0 with result->partial. Stopped before is
 * NL_E_CANCELLED. NL_E_ACCESS: key missing, wrong, or on one side only; NL_E_TIMEOUT / NL_E_PEER: server not there or
 * lost in mid-test (then partial, with what this end knows); NL_E_UNSUPPORTED: the server is busy or cannot do what was
 * asked; NL_E_CONFIG: a value out of range; NL_E_PROTOCOL: it is no netbench server. *result is always initialised and
 * must be given to nl_netbench_result_fini. Any thread; several clients may run in one process.
 */
int nl_netbench_client_run(const struct nl_netbench_config *config, const char *host, struct nl_netbench_result *result,
			   nl_netbench_interval_fn *interval, void *interval_context, const atomic_bool *stop,
			   struct nl_error *err);

/* nl_netbench_result_fini frees what a result owns. A zeroed or finished one is fine. */
void nl_netbench_result_fini(struct nl_netbench_result *result);

/* ---- Figures ------------------------------------------------------------------------------------------------------
 */

/*
 * nl_netbench_goodput_bytes_per_s is the TCP payload rate of a full Ethernet link. Each packet carries MTU - IP header
 * (20, IPv6 40) - TCP header (20, with timestamps 32) of payload and takes MTU + 14 (Ethernet header) + 4 (FCS) + 8
 * (preamble and SFD) + 12 (gap) [+ 4 VLAN tag] byte times on the wire:
 *     speed_bps / 8 * (mtu - ip - tcp) / (mtu + 38 [+ 4])
 * 1 Gbit/s at MTU 1500 with timestamps: 1448 / 1538 = 941.48 Mbit/s. Returns -1 for an unknown speed or MTU.
 */
double nl_netbench_goodput_bytes_per_s(int64_t speed_bps, int64_t mtu_bytes, bool ipv6, bool timestamps, bool vlan);

#endif
