/*
 * cifs: the SMB client's counters (/proc/fs/cifs/Stats) and what it negotiated (/proc/fs/cifs/DebugData), of kernels
 * with and without CONFIG_CIFS_STATS2 and of the styles before and after 6.x.
 */
#ifndef NL_AGENT_TELEMETRY_CIFS_H
#define NL_AGENT_TELEMETRY_CIFS_H

#include <stdbool.h>
#include <stdint.h>

struct nl_cifs_stats {
	char share[256]; /* "\\\\server\\share" (two backslashes, one), cut when longer */
	bool has_bytes;
	uint64_t read_bytes, write_bytes; /* of all channels */
	uint64_t reads, writes;
};

/* nl_cifs_stats_next reads the next share at or behind *cursor and moves behind it. False when there is none. */
bool nl_cifs_stats_next(const char **cursor, struct nl_cifs_stats *row);

struct nl_cifs_debug {
	unsigned dialect; /* 0x311; 0 when not said */
	bool is_signed, encrypted;
	unsigned channels;         /* TCP connections, the first included */
	char security[32];         /* "RawNTLMSSP" */
	uint64_t credits;          /* granted by the server on the first connection */
	uint64_t server_speed_bps; /* the fastest interface that the server advertised; 0: none */
	bool server_rss, server_rdma;
};

/*
 * nl_cifs_debug_find fills *debug from the connection that carries `share` ("\\\\server\\share" in either kind of
 * slash, letter case ignored). False when no connection has it.
 */
bool nl_cifs_debug_find(const char *text, const char *share, struct nl_cifs_debug *debug);

/* nl_cifs_dialect_text: 0x311 -> "3.1.1"; NULL for a number that is no dialect. */
const char *nl_cifs_dialect_text(unsigned dialect);

/* nl_cifs_same_share compares two share names without regard to letter case and to the kind of slash. */
bool nl_cifs_same_share(const char *a, const char *b);

#endif
