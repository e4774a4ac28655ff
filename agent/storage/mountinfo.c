/*
 * mountinfo: fields by position up to the lone "-", which ends the optional ones; see proc_pid_mountinfo(5).
 */
#include "agent/storage/mountinfo.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/scan.h"
#include "base/parse.h"

#define TABLE           "/proc/self/mountinfo"
#define TABLE_MAX_BYTES (8u * 1024 * 1024)

static bool device_number(const char **line, struct nl_mountinfo *row)
{
	uint64_t major, minor;
	if (!nl_scan_u64(line, &major) || !nl_scan_is(line, ":") || !nl_scan_u64(line, &minor))
		return false;
	row->major = (unsigned)major;
	row->minor = (unsigned)minor;
	return major <= UINT_MAX && minor <= UINT_MAX;
}

/* A name that does not fit is no name; for texts that are only shown, cut is good enough. */
static bool name(const char **line, char *out, size_t size)
{
	const char *word;
	size_t len;
	return nl_scan_word(line, &word, &len) && nl_scan_copy_unescaped(out, size, word, len);
}

static bool text(const char **line, char *out, size_t size)
{
	const char *word;
	size_t len;
	if (!nl_scan_word(line, &word, &len))
		return false;
	(void)nl_scan_copy_unescaped(out, size, word, len);
	return true;
}

static bool skip_optional(const char **line)
{
	const char *word;
	size_t len;
	while (nl_scan_word(line, &word, &len))
		if (len == 1 && word[0] == '-')
			return true;
	return false;
}

static bool parse_row(const char *line, struct nl_mountinfo *row)
{
	*row = (struct nl_mountinfo){0};
	if (!nl_scan_u64(&line, &row->id) || !nl_scan_u64(&line, &row->parent) || !device_number(&line, row) ||
	    !text(&line, row->root, sizeof row->root) || !name(&line, row->path, sizeof row->path) ||
	    !text(&line, row->options, sizeof row->options) || !skip_optional(&line) ||
	    !text(&line, row->fstype, sizeof row->fstype))
		return false;
	/* The source may be the empty string, which leaves nothing between two blanks. */
	if (nl_scan_is(&line, "  "))
		return text(&line, row->super_options, sizeof row->super_options);
	return text(&line, row->source, sizeof row->source) &&
	       text(&line, row->super_options, sizeof row->super_options);
}

bool nl_mountinfo_next(const char **cursor, struct nl_mountinfo *row)
{
	while (**cursor) {
		const char *line = *cursor;
		(void)nl_scan_line(cursor);
		if (parse_row(line, row))
			return true;
	}
	return false;
}

static bool holds(const char *mount_point, const char *path)
{
	size_t len = strlen(mount_point);
	if (len == 1 && mount_point[0] == '/')
		return path[0] == '/';
	return strncmp(mount_point, path, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

bool nl_mountinfo_find(const char *table, const char *path, struct nl_mountinfo *row)
{
	struct nl_mountinfo one;
	size_t longest = 0;
	while (nl_mountinfo_next(&table, &one)) {
		size_t len = strlen(one.path);
		if (len < longest || !holds(one.path, path))
			continue;
		longest = len;
		*row = one;
	}
	return longest > 0;
}

static bool find_id(const char *table, uint64_t id, struct nl_mountinfo *row)
{
	while (nl_mountinfo_next(&table, row))
		if (row->id == id)
			return true;
	return false;
}

static bool mount_id(const char *path, uint64_t *id)
{
#ifdef STATX_MNT_ID
	struct statx stx;
	if (statx(AT_FDCWD, path, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, STATX_MNT_ID, &stx) == 0 &&
	    (stx.stx_mask & STATX_MNT_ID)) {
		*id = stx.stx_mnt_id;
		return true;
	}
#endif
	(void)path;
	(void)id;
	return false;
}

int nl_mountinfo_of(const char *path, struct nl_mountinfo *row, struct nl_error *err)
{
	char *table, *real = realpath(path, NULL);
	uint64_t id;
	if (!real) {
		int code = nl_error_sys(err, errno, "find the mount that holds a path");
		nl_error_where(err, "%s", path);
		return code;
	}
	int code = nl_file_read(TABLE, TABLE_MAX_BYTES, &table, NULL, err);
	if (!code) {
		bool found = mount_id(real, &id) && find_id(table, id, row);
		if (!found && !nl_mountinfo_find(table, real, row)) {
			code = nl_error_set(err, NL_E_NOT_FOUND, "no mount holds the path");
			nl_error_where(err, "%s", path);
		}
		free(table);
	}
	free(real);
	return code;
}

int nl_mountinfo_is_mount_point(const char *path, bool *mounted, struct nl_error *err)
{
	char *table;
	struct nl_mountinfo row;
	int code = nl_file_read(TABLE, TABLE_MAX_BYTES, &table, NULL, err);
	if (code)
		return code;
	const char *cursor = table;
	*mounted = false;
	while (!*mounted && nl_mountinfo_next(&cursor, &row))
		*mounted = strcmp(row.path, path) == 0;
	free(table);
	return 0;
}

int nl_mountinfo_first_below(const char *path, char *mount_point, size_t size, bool *found, struct nl_error *err)
{
	char *table;
	struct nl_mountinfo row;
	int code = nl_file_read(TABLE, TABLE_MAX_BYTES, &table, NULL, err);
	if (code)
		return code;
	const char *cursor = table;
	*found = false;
	while (!*found && nl_mountinfo_next(&cursor, &row))
		*found = holds(path, row.path);
	if (*found)
		(void)nl_scan_copy(mount_point, size, row.path, strlen(row.path));
	free(table);
	return 0;
}

bool nl_mountinfo_option(const char *options, const char *key, char *value, size_t size)
{
	size_t key_len = strlen(key);
	while (*options) {
		size_t len = strcspn(options, ",");
		if (len >= key_len && memcmp(options, key, key_len) == 0) {
			if (len == key_len)
				return nl_scan_copy(value, size, "", 0);
			if (options[key_len] == '=') {
				(void)nl_scan_copy(value, size, options + key_len + 1, len - key_len - 1);
				return true;
			}
		}
		options += len;
		options += *options == ',';
	}
	return false;
}
