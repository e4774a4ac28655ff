/*
 * storage: the table of backends, and what previous runs left.
 */
#include "agent/storage/storage.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "agent/storage/directory.h"
#include "agent/storage/scratch.h"
#include "agent/storage/tree.h"

/* The first that claims a path has it; the one for any directory comes last. */
static const struct nl_storage_backend *const backends[] = {
	&nl_storage_directory,
};

static int fail(const char *path, int sys_errno, const char *what, struct nl_error *err)
{
	int code = nl_error_sys(err, sys_errno, "%s", what);
	nl_error_where(err, "%s", path);
	return code;
}

int nl_storage_backend_for(const char *path, const struct nl_storage_backend **backend, struct nl_error *err)
{
	struct stat st;
	*backend = NULL;
	if (stat(path, &st) < 0)
		return fail(path, errno, "find the storage of a path", err);
	for (size_t i = 0; !*backend && i < sizeof backends / sizeof backends[0]; i++)
		if (backends[i]->claims(path))
			*backend = backends[i];
	if (*backend)
		return 0;
	nl_error_set(err, NL_E_NOT_FOUND, "find the storage of a path");
	nl_error_where(err, "%s", path);
	nl_error_why(err, "it is not a directory");
	return NL_E_NOT_FOUND;
}

/* --- what previous runs left ----------------------------------------------------------------------------------- */

/* Whether the entry is a marked scratch directory; which run's, and how old. */
static bool marked(int pool, const char *name, char run_id[40], int64_t *age_s)
{
	struct stat st;
	if (strncmp(name, NL_SCRATCH_PREFIX, strlen(NL_SCRATCH_PREFIX)) != 0)
		return false;
	int directory = nl_tree_open(pool, name);
	if (directory < 0)
		return false;
	bool ours = fstat(directory, &st) == 0 && st.st_uid == geteuid() && nl_scratch_marker_read(directory, run_id) &&
		    strcmp(name + strlen(NL_SCRATCH_PREFIX), run_id) == 0;
	close(directory);
	if (ours)
		*age_s = (int64_t)(time(NULL) - st.st_ctime);
	return ours;
}

int nl_storage_stale(const char *pool, const char *run_id, nl_storage_stale_sink *sink, void *context,
		     struct nl_error *err)
{
	char *real = realpath(pool, NULL);
	DIR *dir = real ? opendir(real) : NULL;
	if (!dir) {
		int code = fail(pool, errno, "look for what previous runs left", err);
		free(real);
		return code;
	}
	for (struct dirent *d; (d = readdir(dir));) {
		char found[40], path[PATH_MAX];
		int64_t age_s;
		if (!marked(dirfd(dir), d->d_name, found, &age_s) || (run_id && strcmp(run_id, found) == 0))
			continue;
		int n = snprintf(path, sizeof path, "%s/%s", strcmp(real, "/") == 0 ? "" : real, d->d_name);
		if (n > 0 && (size_t)n < sizeof path)
			sink(context, path, found, age_s);
	}
	closedir(dir);
	free(real);
	return 0;
}
