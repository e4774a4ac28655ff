/*
 * mount_facts: what was negotiated, not what was asked: the kernel's own words, and connections counted.
 */
#include "agent/mount/mount_facts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/telemetry/cifs.h"
#include "agent/telemetry/mountstats.h"
#include "base/parse.h"

#define TEXT_MAX_BYTES (8u * 1024 * 1024)

struct telling {
	nl_mount_fact_sink *sink;
	void *context;
};

static void fact(const struct telling *t, const char *key, const char *value)
{
	if (value[0])
		t->sink(t->context, key, value);
}

static void fact_u64(const struct telling *t, const char *key, uint64_t value)
{
	char text[24];
	snprintf(text, sizeof text, "%" PRIu64, value);
	fact(t, key, text);
}

/* Options told under their own names where the kernel shows them. */
static const char *const told[] = {
	"vers",     "rsize",       "wsize",    "bsize",    "proto",   "port",         "timeo",         "retrans",
	"acregmin", "acregmax",    "acdirmin", "acdirmax", "actimeo", "closetimeo",   "lookupcache",   "local_lock",
	"xprtsec",  "max_connect", "cache",    "rasize",   "esize",   "max_channels", "echo_interval", "write",
};

/* Bare words worth telling when they are there. */
static const char *const flags[] = {
	"noac", "nocto",        "nosharecache", "nordirplus",   "fsc",
	"sync", "multichannel", "nosharesock",  "nostrictsync", "rdma",
};

static void option_facts(const struct telling *t, const char *options)
{
	char value[128];
	for (size_t i = 0; i < sizeof told / sizeof told[0]; i++)
		if (nl_mountinfo_option(options, told[i], value, sizeof value))
			fact(t, told[i], value);
	for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
		if (nl_mountinfo_option(options, flags[i], value, sizeof value))
			fact(t, flags[i], "yes");
}

static void recovery_fact(const struct telling *t, const char *options)
{
	static const char *const ways[] = {"softerr", "soft", "hard"};
	char value[8];
	for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
		if (nl_mountinfo_option(options, ways[i], value, sizeof value)) {
			fact(t, "recovery", ways[i]);
			return;
		}
}

/* --- NFS ------------------------------------------------------------------------------------------------------- */

/* Of several mounts on one path the last is the one that is seen. */
static bool find_block(const char *mountstats, const char *path, struct nl_mountstats *found)
{
	struct nl_mountstats block;
	bool is = false;
	while (mountstats && nl_mountstats_next(&mountstats, &block))
		if (strcmp(block.path, path) == 0) {
			*found = block;
			is = true;
		}
	return is;
}

static void nfs_facts(const struct telling *t, const struct nl_mountinfo *mount, const struct nl_mount_texts *texts)
{
	struct nl_mountstats block;
	char value[64];
	bool counted = find_block(texts->mountstats, mount->path, &block);
	/* mountstats shows every option in force, mountinfo those that differ from the defaults. */
	const char *options = counted && block.options[0] ? block.options : mount->super_options;
	option_facts(t, options);
	recovery_fact(t, options);
	if (nl_mountinfo_option(options, "sec", value, sizeof value))
		fact(t, "sec", value);
	if (nl_mountinfo_option(options, "nconnect", value, sizeof value))
		fact(t, "nconnect_asked", value);
	if (counted && block.connections)
		fact_u64(t, "nconnect", block.connections);
}

/* --- SMB ------------------------------------------------------------------------------------------------------- */

/* "//server/share/below" is mounted from "//server/share". */
static void share_of(const char *source, char *share, size_t size)
{
	snprintf(share, size, "%s", source);
	char *slash = strlen(share) > 2 ? strchr(share + 2, '/') : NULL;
	slash = slash ? strchr(slash + 1, '/') : NULL;
	if (slash)
		*slash = '\0';
}

static void debug_facts(const struct telling *t, const struct nl_cifs_debug *debug)
{
	const char *dialect = nl_cifs_dialect_text(debug->dialect);
	if (dialect)
		fact(t, "dialect", dialect);
	fact_u64(t, "channels", debug->channels);
	fact(t, "security", debug->security);
	if (debug->credits)
		fact_u64(t, "credits", debug->credits);
	if (debug->server_speed_bps)
		fact_u64(t, "server_speed_bps", debug->server_speed_bps);
	fact(t, "server_rss", debug->server_rss ? "yes" : "no");
	fact(t, "server_rdma", debug->server_rdma ? "yes" : "no");
}

static void smb_facts(const struct telling *t, const struct nl_mountinfo *mount, const struct nl_mount_texts *texts)
{
	struct nl_cifs_debug debug = {0};
	char share[1024], sec[32] = "", seal[8];
	share_of(mount->source, share, sizeof share);
	bool known = texts->cifs_debug && nl_cifs_debug_find(texts->cifs_debug, share, &debug);
	option_facts(t, mount->super_options);
	recovery_fact(t, mount->super_options);
	if (nl_mountinfo_option(mount->super_options, "sec", sec, sizeof sec))
		fact(t, "sec", sec);
	bool sealed = nl_mountinfo_option(mount->super_options, "seal", seal, sizeof seal) || debug.encrypted;
	size_t len = strlen(sec);
	/* "ntlmsspi", "krb5i": the last letter asks for signing. */
	bool signing = debug.is_signed || (len > 0 && sec[len - 1] == 'i');
	/* Without DebugData the absence of an option proves nothing: the server may force either. */
	if (known || sealed)
		fact(t, "encryption", sealed ? "on" : "off");
	if (known || signing)
		fact(t, "signing", signing ? "on" : "off");
	if (known)
		debug_facts(t, &debug);
}

/* --- all ------------------------------------------------------------------------------------------------------- */

static bool is_nfs(const char *fstype)
{
	return strcmp(fstype, "nfs") == 0 || strcmp(fstype, "nfs4") == 0;
}

static bool is_smb(const char *fstype)
{
	return strcmp(fstype, "cifs") == 0 || strcmp(fstype, "smb3") == 0;
}

void nl_mount_facts_from(const struct nl_mountinfo *mount, const struct nl_mount_texts *texts, nl_mount_fact_sink *sink,
			 void *context)
{
	struct telling t = {sink, context};
	uint64_t read_ahead;
	fact(&t, "fstype", mount->fstype);
	fact(&t, "source", mount->source);
	fact(&t, "mount_point", mount->path);
	fact(&t, "mount_options", mount->options);
	fact(&t, "options", mount->super_options);
	if (is_nfs(mount->fstype))
		nfs_facts(&t, mount, texts);
	else if (is_smb(mount->fstype))
		smb_facts(&t, mount, texts);
	if (texts->read_ahead && nl_parse_u64(texts->read_ahead, &read_ahead))
		fact_u64(&t, "read_ahead_kb", read_ahead);
}

static char *read_or_null(const char *path)
{
	char *text;
	return nl_file_read(path, TEXT_MAX_BYTES, &text, NULL, NULL) == 0 ? text : NULL;
}

int nl_mount_facts(const char *path, nl_mount_fact_sink *sink, void *context, struct nl_error *err)
{
	struct nl_mountinfo mount;
	char bdi[64];
	int code = nl_mountinfo_of(path, &mount, err);
	if (code)
		return code;
	snprintf(bdi, sizeof bdi, "/sys/class/bdi/%u:%u/read_ahead_kb", mount.major, mount.minor);
	char *mountstats = is_nfs(mount.fstype) ? read_or_null("/proc/self/mountstats") : NULL;
	char *cifs_debug = is_smb(mount.fstype) ? read_or_null("/proc/fs/cifs/DebugData") : NULL;
	/* The device number of an SMB mount names no bdi, or another mount's. */
	char *read_ahead = is_smb(mount.fstype) ? NULL : read_or_null(bdi);
	struct nl_mount_texts texts = {mountstats, cifs_debug, read_ahead};
	nl_mount_facts_from(&mount, &texts, sink, context);
	free(mountstats);
	free(cifs_debug);
	free(read_ahead);
	return 0;
}
