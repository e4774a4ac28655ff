/*
 * keys: the table itself. A key is added here and nowhere else; keys of one map stand together, in the order of the
 * reference.
 */
#include <string.h>

#include "controller/campaign/campaign.h"
#include "controller/campaign/key.h"

#define KIB UINT64_C(1024)
#define MIB (KIB * KIB)
#define TIB (MIB * MIB)
#define MS  UINT64_C(1000000)
#define S   (1000 * MS)
#define H   (3600 * S)

#define FIELD(member) offsetof(struct nl_campaign, member), sizeof(((struct nl_campaign *)0)->member)
#define SHARE(member) offsetof(struct nl_campaign_share, member), sizeof(((struct nl_campaign_share *)0)->member)

_Static_assert(offsetof(struct nl_campaign, line.from_nas) == offsetof(struct nl_campaign, line.to_nas) + 1,
	       "the directions are read as an array of bool");

static const char *const words_direction[] = {"to-nas", "from-nas", NULL};
static const char *const words_max[] = {"max", NULL};
static const char *const words_auto[] = {"auto", NULL};
static const char *const words_mode[] = {"durable-write", "cold-read", "cached-read", NULL};
static const char *const words_workload[] = {"seq-write", "seq-read", "cached-read", "client-warm-read", NULL};
static const char *const words_order[] = {"sequential", "abba", NULL};
static const char *const words_protocol[] = {"nfs", "smb", NULL};
static const char *const words_access[] = {"userland", "mount", "path", NULL};

/* One row, one look. */
/* clang-format off */
const struct nl_key nl_keys[] = {
	{.path = "campaign", .type = &nl_type_text, FIELD(title), .required = true,
	 .meaning = "The title; it heads the report."},
	{.path = "preset", .type = &nl_type_text, FIELD(preset), .initial = "quick",
	 .meaning = "What this file begins from: it sets only what differs. One of the presets below."},

	{.path = "nas", .type = &nl_type_section, .required = true,
	 .meaning = "The NAS."},
	{.path = "nas.agent", .type = &nl_type_name, FIELD(nas_agent), .required = true,
	 .meaning = "Name of the agent that runs on the NAS."},
	{.path = "nas.pool", .type = &nl_type_text, FIELD(nas_pool),
	 .meaning = "Directory (or pool) on the NAS that is measured; scratch data is made under it. Needed unless "
		    "only the line is measured."},
	{.path = "nas.address", .type = &nl_type_text, FIELD(nas_address),
	 .meaning = "How clients reach the NAS. Without it: the server of the first share that names one."},

	{.path = "clients[]", .type = &nl_type_list, .offset = offsetof(struct nl_campaign, clients),
	 .size = sizeof(((struct nl_campaign *)0)->clients[0]), .count_offset = offsetof(struct nl_campaign, client_count), .max = NL_CAMPAIGN_LIST_MAX,
	 .meaning = "The clients. Needed for the line and for shares."},
	{.path = "clients[].agent", .type = &nl_type_name, .offset = 0,
	 .size = sizeof(((struct nl_campaign *)0)->clients[0]), .required = true,
	 .meaning = "Name of the agent that runs on the client."},

	{.path = "line", .type = &nl_type_section, FIELD(line.enabled),
	 .meaning = "Raw TCP between client and NAS, without storage. `line: off` leaves it out."},
	{.path = "line.streams", .type = &nl_type_counts, FIELD(line.streams), .min = 1, .max = 128,
	 .initial = "[1, 4]",
	 .meaning = "Numbers of parallel connections, each measured by itself."},
	{.path = "line.directions", .type = &nl_type_flags, .offset = offsetof(struct nl_campaign, line.to_nas),
	 .size = 2, .words = words_direction, .initial = "[to-nas, from-nas]",
	 .meaning = "Which ways."},
	{.path = "line.duration", .type = &nl_type_duration, FIELD(line.duration_ns), .min = 500 * MS, .max = H,
	 .initial = "10s",
	 .meaning = "Measured time of each phase."},
	{.path = "line.omit", .type = &nl_type_duration, FIELD(line.omit_ns), .max = 60 * S, .initial = "1s",
	 .meaning = "Time before it that is not counted (slow start)."},

	{.path = "pool", .type = &nl_type_section, FIELD(pool.enabled),
	 .meaning = "What the pool does locally, on the NAS itself. `pool: off` leaves it out."},
	{.path = "pool.streams", .type = &nl_type_counts, FIELD(pool.streams), .min = 1, .max = 256,
	 .words = words_max, .initial = "[1, max]",
	 .meaning = "Numbers of parallel files; `max` is one for each core of the NAS."},
	{.path = "pool.modes", .type = &nl_type_words, FIELD(pool.modes), .words = words_mode,
	 .initial = "[durable-write, cold-read, cached-read]",
	 .meaning = "What is measured: writes until they are durable; reads with the NAS's cache dropped; reads "
		    "with it warm."},
	{.path = "pool.size", .type = &nl_type_bytes, FIELD(pool.file_bytes), .min = MIB, .max = 16 * TIB,
	 .words = words_auto, .initial = "auto",
	 .meaning = "Size of each file; `auto` is enough for the duration."},
	{.path = "pool.block_size", .type = &nl_type_bytes, FIELD(pool.block_bytes), .min = 4 * KIB, .max = 64 * MIB,
	 .initial = "1M",
	 .meaning = "Bytes of each operation; a multiple of 4 KiB."},
	{.path = "pool.queue_depth", .type = &nl_type_uint, FIELD(pool.queue_depth), .min = 1, .max = 1024,
	 .initial = "8",
	 .meaning = "Operations in flight for each file."},
	{.path = "pool.duration", .type = &nl_type_duration, FIELD(pool.duration_ns), .min = 500 * MS, .max = H,
	 .initial = "10s",
	 .meaning = "Measured time of each phase."},
	{.path = "pool.ramp", .type = &nl_type_duration, FIELD(pool.ramp_ns), .max = 60 * S, .initial = "1s",
	 .meaning = "Time before a read that is not counted. Writes have none: a durable rate counts from the first "
		    "byte."},

	{.path = "shares[]", .type = &nl_type_list, .offset = offsetof(struct nl_campaign, shares),
	 .size = sizeof(struct nl_campaign_share), .count_offset = offsetof(struct nl_campaign, share_count), .max = NL_CAMPAIGN_LIST_MAX,
	 .meaning = "The shares that are measured and compared. All of them should lead to the same directory on "
		    "the NAS."},
	{.path = "shares[].name", .type = &nl_type_name, SHARE(name), .required = true, .max = 48,
	 .meaning = "Its name in the report, in file names and mount points; not `line`, `pool` or `generator`."},
	{.path = "shares[].protocol", .type = &nl_type_word_text, SHARE(protocol), .required = true,
	 .words = words_protocol,
	 .meaning = "The protocol."},
	{.path = "shares[].version", .type = &nl_type_text, SHARE(version),
	 .meaning = "NFS: 3 (default of userland access), 4.0, 4.1, 4.2 (default of a mount); only a mount can do "
		    "4.x. SMB: 3.0, 3.0.2, 3.1.1 (default), and 2.1 with a mount."},
	{.path = "shares[].server", .type = &nl_type_text, SHARE(server),
	 .meaning = "Host name or address. Default: `nas.address`."},
	{.path = "shares[].share", .type = &nl_type_text, SHARE(share),
	 .meaning = "The export's path (NFS) or the share's name (SMB). Needed unless `path` is given."},
	{.path = "shares[].export", .type = &nl_type_text, SHARE(share), .alias_of = "shares[].share",
	 .meaning = "The same as `share`."},
	{.path = "shares[].directory", .type = &nl_type_text, SHARE(directory), .initial = "\"\"",
	 .meaning = "Where in the share the directory `nas.pool` is seen; empty is its top."},
	{.path = "shares[].path", .type = &nl_type_text, SHARE(path),
	 .meaning = "An existing mount on the client that is used as it is, absolute. It replaces `share` and its "
		    "settings."},
	{.path = "shares[].access", .type = &nl_type_word, SHARE(access), .words = words_access,
	 .meaning = "`userland`: libnfs or libsmbclient, no root, no client cache. `mount`: a kernel mount made and "
		    "undone by the agent. `path`: follows from `path`. Default: `mount` for NFS 4.x, else "
		    "`userland`."},
	{.path = "shares[].client", .type = &nl_type_name, SHARE(client),
	 .meaning = "Agent of the client that uses it. Default: the first client."},
	{.path = "shares[].user", .type = &nl_type_text, SHARE(user),
	 .meaning = "SMB: the user. Without one: guest."},
	{.path = "shares[].password", .type = &nl_type_section,
	 .meaning = "SMB: the user's password, never in this file."},
	{.path = "shares[].password.file", .type = &nl_type_text, SHARE(password_file), .required = true,
	 .meaning = "File on the controller whose first line is the password; readable by its owner only."},
	{.path = "shares[].options", .type = &nl_type_text, SHARE(options),
	 .meaning = "Mount: further mount options, comma separated. No passwords or credentials."},
	{.path = "shares[].port", .type = &nl_type_uint, SHARE(port), .min = 1, .max = 65535,
	 .meaning = "Port, where it is not the protocol's own."},
	{.path = "shares[].nconnect", .type = &nl_type_variants, SHARE(nconnect), .min = 1, .max = 16,
	 .meaning = "NFS mount: TCP connections. A list such as [1, 4] stands for one share for each number, "
		    "NAME-nconnect1 and NAME-nconnect4."},
	{.path = "shares[].rsize", .type = &nl_type_bytes, SHARE(rsize_bytes), .min = 4 * KIB, .max = 16 * MIB,
	 .meaning = "Mount: largest read request. Default: what client and server agree on."},
	{.path = "shares[].wsize", .type = &nl_type_bytes, SHARE(wsize_bytes), .min = 4 * KIB, .max = 16 * MIB,
	 .meaning = "Mount: largest write request. Default: what client and server agree on."},
	{.path = "shares[].encrypt", .type = &nl_type_flag, SHARE(encrypt), .initial = "false",
	 .meaning = "SMB: encryption is required."},

	{.path = "streams", .type = &nl_type_section,
	 .meaning = "What is done on every share."},
	{.path = "streams.workloads", .type = &nl_type_words, FIELD(streams.workloads), .words = words_workload,
	 .initial = "[seq-write, seq-read]",
	 .meaning = "seq-write: until durable on the NAS. seq-read: caches of both ends dropped before. "
		    "cached-read: the NAS's cache warm, the client's dropped. client-warm-read: the client's cache "
		    "warm (mount or path only). They run in this order."},
	{.path = "streams.streams", .type = &nl_type_counts, FIELD(streams.streams), .min = 1, .max = 256,
	 .initial = "[1, 4]",
	 .meaning = "Numbers of parallel files, one stream each."},
	{.path = "streams.order", .type = &nl_type_word, FIELD(streams.abba), .words = words_order, .initial = "abba",
	 .meaning = "abba: A B, B A, A B ... over the iterations, so that drift hits all shares alike. sequential: "
		    "A B in each iteration."},
	{.path = "streams.block_size", .type = &nl_type_bytes, FIELD(streams.block_bytes), .min = 4 * KIB,
	 .max = 64 * MIB, .initial = "1M",
	 .meaning = "Bytes of each operation; a multiple of 4 KiB."},
	{.path = "streams.size", .type = &nl_type_bytes, FIELD(streams.file_bytes), .min = MIB, .max = 16 * TIB,
	 .words = words_auto, .initial = "auto",
	 .meaning = "Size of each file; `auto` is enough for the duration."},
	{.path = "streams.queue_depth", .type = &nl_type_uint, FIELD(streams.queue_depth), .min = 1, .max = 1024,
	 .initial = "8",
	 .meaning = "Operations in flight for each stream (libsmbclient does one)."},
	{.path = "streams.duration", .type = &nl_type_duration, FIELD(streams.duration_ns), .min = 500 * MS, .max = H,
	 .initial = "10s",
	 .meaning = "Measured time of each phase."},
	{.path = "streams.ramp", .type = &nl_type_duration, FIELD(streams.ramp_ns), .max = 60 * S, .initial = "1s",
	 .meaning = "Time before a read that is not counted. Writes have none: a durable rate counts from the first "
		    "byte."},

	{.path = "iterations", .type = &nl_type_section,
	 .meaning = "How often each figure is measured."},
	{.path = "iterations.min", .type = &nl_type_uint, FIELD(iterations.min), .min = 1, .max = 100, .initial = "3",
	 .meaning = "At least."},
	{.path = "iterations.until", .type = &nl_type_percent, FIELD(iterations.until), .initial = "2%",
	 .meaning = "Go on above `min` while the spread, (largest - smallest) / median, is above this; `off` stops "
		    "at `min`."},
	{.path = "iterations.max", .type = &nl_type_uint, FIELD(iterations.max), .min = 1, .max = 100, .initial = "10",
	 .meaning = "At most. When the file gives only one of `min` and `max`, the other follows it where it must."},

	{.path = "telemetry", .type = &nl_type_section,
	 .meaning = "The samplers on every machine."},
	{.path = "telemetry.period", .type = &nl_type_duration, FIELD(telemetry_period_ns), .min = 100 * MS,
	 .max = 60 * S, .initial = "1s",
	 .meaning = "Time between two samples."},
	{.path = "lease", .type = &nl_type_duration, FIELD(lease_ns), .min = 2 * S, .max = H, .initial = "10s",
	 .meaning = "An agent that has not reached the controller for so long stops its load and cleans up."},
	{.path = "agents_wait", .type = &nl_type_duration, FIELD(agents_wait_ns), .min = S, .max = 24 * H,
	 .initial = "60s",
	 .meaning = "How long a run waits for its agents at the start."},
	{.path = "self_load", .type = &nl_type_flag, FIELD(self_load), .initial = "true",
	 .meaning = "Measure first what the load generator itself can do, without any I/O."},
};
/* clang-format on */
const size_t nl_key_count = sizeof nl_keys / sizeof nl_keys[0];

const struct nl_key *nl_key_find(const char *path)
{
	for (size_t i = 0; i < nl_key_count; i++)
		if (!strcmp(nl_keys[i].path, path))
			return &nl_keys[i];
	return NULL;
}

const char *nl_key_leaf(const struct nl_key *key, char buf[64])
{
	const char *dot = strrchr(key->path, '.');
	snprintf(buf, 64, "%s", dot ? dot + 1 : key->path);
	size_t len = strlen(buf);
	if (len > 2 && !strcmp(buf + len - 2, "[]"))
		buf[len - 2] = '\0';
	return buf;
}

bool nl_key_in(const struct nl_key *key, const char *prefix)
{
	size_t len = strlen(prefix);
	return !strncmp(key->path, prefix, len) && key->path[len] && !strchr(key->path + len, '.');
}
