/*
 * campaign: a campaign file (YAML or JSON) read, validated and completed from its preset.
 *
 * Every error names file, line and column; an unknown key is refused with the nearest known one. The keys, their types,
 * limits, defaults and meanings are one table, from which the parser and docs/campaign.md are made.
 */
#ifndef NL_CONTROLLER_CAMPAIGN_CAMPAIGN_H
#define NL_CONTROLLER_CAMPAIGN_CAMPAIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define NL_CAMPAIGN_LIST_MAX          16
#define NL_CAMPAIGN_FILE_MAX          ((size_t)1024 * 1024)
#define NL_CAMPAIGN_STREAMS_ALL_CORES 0u /* in pool.streams: the word `max`, one stream for each core of the NAS */

enum nl_workload {
	NL_WORKLOAD_SEQ_WRITE,   /* "seq-write" on shares, "durable-write" on the pool: rate until it was durable on the
				    NAS */
	NL_WORKLOAD_SEQ_READ,    /* "seq-read", "cold-read": caches of both ends dropped before, proved by the disks */
	NL_WORKLOAD_CACHED_READ, /* "cached-read": the NAS's cache was warmed before; the client's is dropped */
	NL_WORKLOAD_CLIENT_WARM_READ, /* "client-warm-read": read once through the same mount before, kept in the
					 client's cache */
	NL_WORKLOAD_COUNT,
};

struct nl_count_list {
	unsigned value[NL_CAMPAIGN_LIST_MAX];
	unsigned count;
};
struct nl_workload_list {
	enum nl_workload value[NL_WORKLOAD_COUNT];
	unsigned count;
};

enum nl_access { NL_ACCESS_USERLAND, NL_ACCESS_MOUNT, NL_ACCESS_PATH };

struct nl_campaign_share {
	char name[64];
	char protocol[8]; /* "nfs" or "smb" */
	char version[16]; /* "3", "4.1", "4.2"; "3.1.1", ... */
	char server[256];
	char share[256];       /* export path or share name */
	char directory[512];   /* inside the share: where nas.pool is seen; "" is its top */
	char path[1024];       /* access PATH: an existing mount */
	enum nl_access access; /* "userland", "mount"; given by `path` otherwise */
	char client[64];       /* agent; "" is the first client */
	char user[64];
	char password_file[1024]; /* on the controller; mode checked when it is read; "" none */
	char options[512];        /* further mount options */
	unsigned port, nconnect;
	uint32_t rsize_bytes, wsize_bytes;
	bool encrypt;
};

struct nl_campaign {
	char title[128]; /* key `campaign` */
	char preset[32];
	char nas_agent[64], nas_pool[1024], nas_address[256]; /* address: how clients reach the NAS for the line test;
								 default: first share's server */
	char clients[NL_CAMPAIGN_LIST_MAX][64];
	unsigned client_count;
	struct {
		bool enabled;
		struct nl_count_list streams;
		bool to_nas, from_nas; /* `directions: [to-nas, from-nas]` */
		int64_t duration_ns, omit_ns;
	} line;
	struct {
		bool enabled;
		struct nl_count_list streams; /* "max" is resolved by the plan from the NAS's cores */
		struct nl_workload_list modes;
		uint64_t block_bytes, file_bytes; /* file_bytes per stream; 0: auto */
		unsigned queue_depth;
		int64_t duration_ns, ramp_ns; /* ramp: of reads only, a durable rate counts from the first byte */
	} pool;
	struct nl_campaign_share shares[NL_CAMPAIGN_LIST_MAX];
	unsigned share_count;
	struct {
		struct nl_workload_list workloads;
		struct nl_count_list streams;
		bool abba;                        /* order: abba (default) or sequential */
		uint64_t block_bytes, file_bytes; /* 0: auto */
		unsigned queue_depth;
		int64_t duration_ns, ramp_ns; /* as in pool */
	} streams;
	struct {
		unsigned min, max;
		double until; /* stop when the spread ((max-min)/median) is within this share; 0: always `min` */
	} iterations;
	int64_t telemetry_period_ns; /* 1 s default */
	int64_t lease_ns;            /* 10 s default */
	int64_t agents_wait_ns;      /* how long `run` waits for its agents, 60 s default */
	bool self_load;              /* measure the load generator's own limit (null engine) on NAS and clients */
};

/* nl_campaign_load reads the file at `path` (max 1 MiB). The result is owned by the caller; it has no pointers. */
int nl_campaign_load(const char *path, struct nl_campaign *campaign, struct nl_error *err);
/* nl_campaign_parse does the same from text; `name` stands for the file in errors. */
int nl_campaign_parse(const char *text, size_t len, const char *name, struct nl_campaign *campaign,
		      struct nl_error *err);
/* nl_campaign_preset fills a campaign from a preset alone (no agents). NL_E_NOT_FOUND names the nearest. */
int nl_campaign_preset(const char *preset, struct nl_campaign *campaign, struct nl_error *err);
/* nl_campaign_to_yaml writes the resolved campaign, without secrets, as a file that loads to the same campaign. Fresh
 * text, caller frees. */
int nl_campaign_to_yaml(const struct nl_campaign *campaign, char **text, struct nl_error *err);
/* nl_campaign_reference writes the key reference (Markdown) of docs/campaign.md from the table. A test keeps the file
 * equal to it. */
int nl_campaign_reference(char **text, struct nl_error *err);

const char *nl_workload_name(enum nl_workload workload); /* "seq-write", ... */

#endif
