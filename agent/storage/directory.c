/*
 * directory: puts mountinfo, block, scratch and evict together.
 */
#include "agent/storage/directory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "agent/storage/block.h"
#include "agent/storage/evict.h"
#include "agent/storage/mountinfo.h"
#include "agent/storage/scratch.h"

static bool claims(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* --- disks ----------------------------------------------------------------------------------------------------- */

static unsigned one_disk(unsigned major, unsigned minor, struct nl_storage_disk *disk)
{
	if (!nl_block_name("", major, minor, disk->name))
		return 0;
	disk->major = major;
	disk->minor = minor;
	return 1;
}

static unsigned disks_of(const struct nl_mountinfo *mount, struct nl_storage_disk *disks, unsigned max)
{
	struct stat st;
	/* Major 0 is a number without a device: btrfs and bcachefs name their device as the source. */
	if (mount->major != 0)
		return one_disk(mount->major, mount->minor, disks);
	if (mount->source[0] != '/' || stat(mount->source, &st) != 0 || !S_ISBLK(st.st_mode))
		return 0;
	unsigned count = one_disk(major(st.st_rdev), minor(st.st_rdev), disks);
	if (count && strcmp(mount->fstype, "btrfs") == 0) {
		char name[32];
		memcpy(name, disks[0].name, sizeof name);
		unsigned all = nl_block_btrfs_disks("", name, disks, max);
		count = all ? all : count;
	}
	return count;
}

static int disks(const char *path, struct nl_storage_disk *list, unsigned max, unsigned *count, struct nl_error *err)
{
	struct nl_mountinfo mount;
	*count = 0;
	int code = nl_mountinfo_of(path, &mount, err);
	if (!code && max > 0)
		*count = disks_of(&mount, list, max);
	return code;
}

/* --- facts ----------------------------------------------------------------------------------------------------- */

struct facts {
	nl_storage_fact_sink *sink;
	void *context;
};

static void fact(const struct facts *f, const char *key, const char *value)
{
	if (value[0])
		f->sink(f->context, "storage", key, value);
}

static void fact_u64(const struct facts *f, const char *key, uint64_t value)
{
	char text[24];
	snprintf(text, sizeof text, "%" PRIu64, value);
	fact(f, key, text);
}

static void mount_facts(const struct facts *f, const struct nl_mountinfo *mount)
{
	fact(f, "fstype", mount->fstype);
	fact(f, "source", mount->source);
	fact(f, "mount_point", mount->path);
	fact(f, "mount_options", mount->options);
	fact(f, "fs_options", mount->super_options);
}

static int space_facts(const struct facts *f, const char *path, struct nl_error *err)
{
	struct statvfs fs;
	if (statvfs(path, &fs) < 0) {
		int code = nl_error_sys(err, errno, "ask for the free space");
		nl_error_where(err, "%s", path);
		return code;
	}
	fact_u64(f, "size_bytes", (uint64_t)fs.f_blocks * fs.f_frsize);
	fact_u64(f, "free_bytes", (uint64_t)fs.f_bfree * fs.f_frsize);
	fact_u64(f, "available_bytes", (uint64_t)fs.f_bavail * fs.f_frsize);
	fact_u64(f, "block_bytes", fs.f_frsize);
	return 0;
}

static void device_facts(const struct facts *f, const struct nl_mountinfo *mount)
{
	struct nl_storage_disk list[64];
	char stack[600], names[512] = "", all[1300] = "";
	size_t used = 0, stacked = 0;
	unsigned count = disks_of(mount, list, sizeof list / sizeof list[0]);
	for (unsigned i = 0; i < count; i++) {
		const char *joint = i ? "," : "";
		nl_block_describe("", list[i].major, list[i].minor, f->sink, f->context, stack, sizeof stack);
		if (used < sizeof names)
			used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", joint, list[i].name);
		if (stacked < sizeof all)
			stacked += (size_t)snprintf(all + stacked, sizeof all - stacked, "%s%s", i ? "; " : "", stack);
	}
	fact(f, "disks", count ? names : "none");
	fact(f, "stack", all);
}

static int describe(const char *path, nl_storage_fact_sink *sink, void *context, struct nl_error *err)
{
	struct facts f = {sink, context};
	struct nl_mountinfo mount;
	int code = nl_mountinfo_of(path, &mount, err);
	if (code)
		return code;
	fact(&f, "backend", "directory");
	fact(&f, "path", path);
	mount_facts(&f, &mount);
	code = space_facts(&f, path, err);
	if (!code)
		device_facts(&f, &mount);
	return code;
}

/* --- flush ----------------------------------------------------------------------------------------------------- */

static int flush(const char *path, struct nl_error *err)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int failed = fd < 0 ? errno : 0;
	if (!failed && syncfs(fd) < 0)
		failed = errno;
	if (fd >= 0)
		close(fd);
	if (!failed)
		return 0;
	int code = nl_error_sys(err, failed, "write everything back to the disks");
	nl_error_where(err, "%s", path);
	return code;
}

const struct nl_storage_backend nl_storage_directory = {
	.name = "directory",
	.claims = claims,
	.describe = describe,
	.disks = disks,
	.prepare = nl_scratch_prepare,
	.evict = nl_evict_files,
	.flush = flush,
	.destroy = nl_scratch_destroy,
};
