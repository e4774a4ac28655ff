/*
 * files: the report's files. Each is written under a name of its own beside its place and renamed there, so that a
 * reader, a full disk or a crash never leaves half a report.
 */
#include "controller/report/report.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct report_file {
	const char *name;
	int (*render)(const struct nl_model *model, FILE *out, struct nl_error *err);
};

/* Makes the directory with its parents; those that exist are left as they are. */
static int make_directories(const char *directory, struct nl_error *err)
{
	char path[PATH_MAX];
	size_t len = strlen(directory);
	if (len == 0 || len >= sizeof path) {
		nl_error_set(err, NL_E_CONFIG, "write the report");
		return nl_error_why(err, "the directory's name is %s", len ? "too long" : "empty");
	}
	memcpy(path, directory, len + 1);
	for (char *at = path + 1;; at++) {
		if (*at != '/' && *at != '\0')
			continue;
		char kept = *at;
		*at = '\0';
		if (mkdir(path, 0700) != 0 && errno != EEXIST) {
			int code = nl_error_sys(err, errno, "make the directory for the report");
			nl_error_where(err, "%s", path);
			return code;
		}
		*at = kept;
		if (!kept)
			return 0;
	}
}

static int fail(struct nl_error *err, int sys_errno, const char *what, const char *path)
{
	int code = nl_error_sys(err, sys_errno, "%s", what);
	nl_error_where(err, "%s", path);
	return code;
}

/* Renders into an open file and makes it durable. Closes the file in any case. */
static int fill(const struct report_file *file, const struct nl_model *model, int fd, const char *path,
		struct nl_error *err)
{
	FILE *out = fdopen(fd, "w");
	if (!out) {
		int rc = fail(err, errno, "write the report", path);
		close(fd);
		return rc;
	}
	errno = 0;
	int rc = file->render(model, out, err);
	if (rc)
		nl_error_where(err, "%s", path);
	else if (fflush(out) != 0 || fsync(fd) != 0)
		rc = fail(err, errno, "write the report", path);
	if (fclose(out) != 0 && !rc)
		rc = fail(err, errno, "write the report", path);
	return rc;
}

static int write_one(const struct report_file *file, const struct nl_model *model, const char *directory,
		     struct nl_error *err)
{
	char path[PATH_MAX], temporary[PATH_MAX];
	int len = snprintf(path, sizeof path, "%s/%s", directory, file->name);
	int temporary_len = snprintf(temporary, sizeof temporary, "%s/.%s.XXXXXX", directory, file->name);
	if (len < 0 || temporary_len < 0 || (size_t)temporary_len >= sizeof temporary)
		return fail(err, ENAMETOOLONG, "write the report", directory);
	int fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0)
		return fail(err, errno, "write the report", path);
	int rc = fill(file, model, fd, path, err);
	if (!rc && rename(temporary, path) != 0)
		rc = fail(err, errno, "put the report in its place", path);
	if (rc)
		unlink(temporary);
	return rc;
}

int nl_report_write_files(const struct nl_model *model, const char *directory, struct nl_error *err)
{
	static const struct report_file files[] = {
		{"report.md", nl_report_markdown}, {"report.html", nl_report_html}, {"report.json", nl_report_json}};
	int rc = make_directories(directory, err);
	for (size_t i = 0; i < sizeof files / sizeof files[0] && !rc; i++)
		rc = write_one(&files[i], model, directory, err);
	return rc;
}
