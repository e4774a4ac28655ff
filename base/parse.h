/*
 * parse: strict reading of numbers and of small files, for parsers that must not trust what they read.
 */
#ifndef NL_BASE_PARSE_H
#define NL_BASE_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* nl_parse_u64: the whole text must be decimal digits (surrounding blanks and one newline allowed). False on anything
 * else. */
bool nl_parse_u64(const char *text, uint64_t *value);
bool nl_parse_i64(const char *text, int64_t *value);
/* nl_parse_double: finite decimal number in the C locale, whole text. */
bool nl_parse_double(const char *text, double *value);

/*
 * nl_file_read reads the file `path` whole, at most `max_bytes`, into a fresh zero-terminated buffer *text (caller
 * frees); *len (may be NULL) is its length. Works on /proc and /sys files, whose size is 0. A file larger than
 * max_bytes is NL_E_PROTOCOL. Errors carry the path.
 */
int nl_file_read(const char *path, size_t max_bytes, char **text, size_t *len, struct nl_error *err);

/* nl_file_read_u64 reads a file that holds one decimal number, as in sysfs. */
int nl_file_read_u64(const char *path, uint64_t *value, struct nl_error *err);

/*
 * nl_file_write_atomic writes `len` bytes to `path` with `mode` by a temporary file in the same directory, fsync and
 * rename, so that a crash leaves the old file or the new one.
 */
int nl_file_write_atomic(const char *path, const void *data, size_t len, unsigned mode, struct nl_error *err);

/* nl_line_next walks lines: returns the next line of *cursor (terminated in place, newline cut) or NULL at the end. */
char *nl_line_next(char **cursor);

#endif
