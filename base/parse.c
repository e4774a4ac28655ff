/*
 * parse: strict numbers and small files.
 */
#include "base/parse.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *skip_blanks(const char *text)
{
	return text + strspn(text, " \t");
}

/* Whether only blanks and at most one newline remain. */
static bool at_end(const char *text)
{
	text = skip_blanks(text);
	if (*text == '\n')
		text = skip_blanks(text + 1);
	return *text == '\0';
}

bool nl_parse_u64(const char *text, uint64_t *value)
{
	text = skip_blanks(text);
	if (*text < '0' || *text > '9')
		return false;
	uint64_t v = 0;
	for (; *text >= '0' && *text <= '9'; text++)
		if (__builtin_mul_overflow(v, UINT64_C(10), &v) ||
		    __builtin_add_overflow(v, (uint64_t)(*text - '0'), &v))
			return false;
	if (!at_end(text))
		return false;
	*value = v;
	return true;
}

bool nl_parse_i64(const char *text, int64_t *value)
{
	text = skip_blanks(text);
	bool negative = *text == '-';
	if (negative && (text[1] < '0' || text[1] > '9'))
		return false;
	uint64_t magnitude;
	if (!nl_parse_u64(text + negative, &magnitude))
		return false;
	if (magnitude > (uint64_t)INT64_MAX + negative)
		return false;
	*value = (int64_t)(negative ? 0 - magnitude : magnitude);
	return true;
}

bool nl_parse_double(const char *text, double *value)
{
	text = skip_blanks(text);
	/* strtod also takes hexadecimal, "inf" and "nan"; none of them is a number that a user or a kernel writes. */
	size_t span = strspn(text, "0123456789+-.eE");
	if (span == 0 || !at_end(text + span))
		return false;
	locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (c_locale == (locale_t)0)
		return false;
	char *end;
	double v = strtod_l(text, &end, c_locale);
	freelocale(c_locale);
	if (end != text + span || !isfinite(v))
		return false;
	*value = v;
	return true;
}

/* Reads fd to its end into a buffer that grows, stopping one byte above max_bytes. */
static int read_all(int fd, size_t max_bytes, char **text, size_t *len, const char *path, struct nl_error *err)
{
	size_t size = 4096, used = 0;
	char *buf = malloc(size);
	if (!buf)
		goto no_memory;
	for (;;) {
		ssize_t n = read(fd, buf + used, size - used - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			int code = nl_error_sys(err, errno, "read the file");
			nl_error_where(err, "%s", path);
			free(buf);
			return code;
		}
		if (n == 0)
			break;
		used += (size_t)n;
		if (used > max_bytes) {
			nl_error_set(err, NL_E_PROTOCOL, "read the file");
			nl_error_where(err, "%s", path);
			nl_error_why(err, "it is larger than the %zu bytes that are allowed here", max_bytes);
			free(buf);
			return NL_E_PROTOCOL;
		}
		if (size - used < 2) {
			char *grown = realloc(buf, size * 2);
			if (!grown)
				goto no_memory;
			buf = grown;
			size *= 2;
		}
	}
	buf[used] = '\0';
	*text = buf;
	if (len)
		*len = used;
	return 0;

no_memory:
	free(buf);
	nl_error_sys(err, ENOMEM, "read the file");
	nl_error_where(err, "%s", path);
	return NL_E_SYSTEM;
}

int nl_file_read(const char *path, size_t max_bytes, char **text, size_t *len, struct nl_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0) {
		int code = nl_error_sys(err, errno, "open the file");
		nl_error_where(err, "%s", path);
		return code;
	}
	int code = read_all(fd, max_bytes, text, len, path, err);
	close(fd);
	return code;
}

int nl_file_read_u64(const char *path, uint64_t *value, struct nl_error *err)
{
	char *text = NULL;
	int code = nl_file_read(path, 64, &text, NULL, err);
	if (code)
		return code;
	if (!nl_parse_u64(text, value)) {
		code = nl_error_set(err, NL_E_PROTOCOL, "read a number");
		nl_error_where(err, "%s", path);
		nl_error_why(err, "the file does not hold one decimal number");
	}
	free(text);
	return code;
}

static int write_all(int fd, const char *data, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, data, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno;
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Makes the rename itself survive a crash. */
static int sync_directory_of(const char *path)
{
	char dir[PATH_MAX];
	const char *slash = strrchr(path, '/');
	size_t len = slash ? (size_t)(slash - path) : 0;
	snprintf(dir, sizeof dir, "%.*s", (int)(len ? len : 1), slash ? path : ".");
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	int failed = fsync(fd) < 0 ? errno : 0;
	close(fd);
	/* Some file systems cannot sync a directory and need not. */
	return failed == EINVAL || failed == EROFS ? 0 : failed;
}

int nl_file_write_atomic(const char *path, const void *data, size_t len, unsigned mode, struct nl_error *err)
{
	char temporary[PATH_MAX];
	int failed = 0, fd = -1;
	int n = snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
	if (n < 0 || (size_t)n >= sizeof temporary) {
		failed = ENAMETOOLONG;
		goto out;
	}
	fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0) {
		failed = errno;
		goto out;
	}
	failed = write_all(fd, data, len);
	if (!failed && (fchmod(fd, mode) < 0 || fsync(fd) < 0))
		failed = errno;
	if (close(fd) < 0 && !failed)
		failed = errno;
	if (!failed && rename(temporary, path) < 0)
		failed = errno;
	if (failed)
		unlink(temporary);
	else
		failed = sync_directory_of(path);
out:
	if (!failed)
		return 0;
	int code = nl_error_sys(err, failed, "write the file");
	nl_error_where(err, "%s", path);
	return code;
}

char *nl_line_next(char **cursor)
{
	char *line = *cursor;
	if (!line || *line == '\0')
		return NULL;
	char *newline = strchr(line, '\n');
	if (newline) {
		*newline = '\0';
		*cursor = newline + 1;
	} else {
		*cursor = line + strlen(line);
	}
	return line;
}
