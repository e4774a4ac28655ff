/*
 * mountinfo: rows of /proc/self/mountinfo, and the row that holds a path.
 */
#ifndef NL_AGENT_STORAGE_MOUNTINFO_H
#define NL_AGENT_STORAGE_MOUNTINFO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct nl_mountinfo {
	uint64_t id, parent;
	unsigned major, minor;
	char root[1024]; /* of the mount inside its file system */
	char path[1024];
	char options[256]; /* of the mount: "rw,noatime" */
	char fstype[32];
	char source[1024];        /* "/dev/sda1", "server:/export", "tank/data" */
	char super_options[1024]; /* of the file system; cut when longer */
};

/* nl_mountinfo_next reads the row at *cursor (skipping what is none) and moves behind it. False at the end. */
bool nl_mountinfo_next(const char **cursor, struct nl_mountinfo *row);

/*
 * nl_mountinfo_find gives the row whose mount point is the longest beginning of `path` (absolute, without links); of
 * several on one mount point the last, which covers the others. False when there is none.
 */
bool nl_mountinfo_find(const char *text, const char *path, struct nl_mountinfo *row);

/*
 * nl_mountinfo_of gives the mount that holds the existing file or directory `path`, by the kernel's mount id where it
 * tells (5.8), else by name. Never touches a file of the mount itself beyond looking up `path`.
 */
int nl_mountinfo_of(const char *path, struct nl_mountinfo *row, struct nl_error *err);

/* nl_mountinfo_is_mount_point: whether something is mounted at exactly `path`. Looks at the table only, so that a dead
 * server cannot block it. */
int nl_mountinfo_is_mount_point(const char *path, bool *mounted, struct nl_error *err);

/* nl_mountinfo_first_below: whether something is mounted at `path` (absolute, without links) or below, and where. */
int nl_mountinfo_first_below(const char *path, char *mount_point, size_t size, bool *found, struct nl_error *err);

/*
 * nl_mountinfo_option copies the value of option `key` in a comma-separated list ("vers" of "rw,vers=4.2" is "4.2", of
 * a bare word ""). False when the list has no such option.
 */
bool nl_mountinfo_option(const char *options, const char *key, char *value, size_t size);

#endif
