/*
 * scan: walks text of /proc without changing it: words, numbers and lines behind a cursor.
 *
 * A cursor points into a zero-terminated text and never moves past its end. No function here moves to another line
 * unless it says so, so that a short line cannot borrow from the next.
 */
#ifndef NL_AGENT_SCAN_H
#define NL_AGENT_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* nl_scan_blanks skips blanks and tabs. */
static inline void nl_scan_blanks(const char **cursor)
{
	while (**cursor == ' ' || **cursor == '\t')
		(*cursor)++;
}

/* nl_scan_u64 reads decimal digits after blanks. False, with the cursor at what was found, when there are none or too
 * many. */
static inline bool nl_scan_u64(const char **cursor, uint64_t *value)
{
	nl_scan_blanks(cursor);
	const char *p = *cursor;
	uint64_t v = 0;
	if (*p < '0' || *p > '9')
		return false;
	for (; *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(v, UINT64_C(10), &v) || __builtin_add_overflow(v, (uint64_t)(*p - '0'), &v))
			return false;
	*cursor = p;
	*value = v;
	return true;
}

/* nl_scan_u64s reads up to `max` numbers of this line and returns how many there were. */
static inline unsigned nl_scan_u64s(const char **cursor, uint64_t *values, unsigned max)
{
	unsigned n = 0;
	while (n < max && nl_scan_u64(cursor, &values[n]))
		n++;
	return n;
}

/* nl_scan_word reads up to the next blank or line end after blanks; *word points into the text. False when there is
 * none. */
static inline bool nl_scan_word(const char **cursor, const char **word, size_t *len)
{
	nl_scan_blanks(cursor);
	const char *p = *cursor;
	while (*p && *p != ' ' && *p != '\t' && *p != '\n')
		p++;
	*word = *cursor;
	*len = (size_t)(p - *cursor);
	*cursor = p;
	return *len > 0;
}

/* nl_scan_is steps over `prefix` when the text at the cursor begins with it. */
static inline bool nl_scan_is(const char **cursor, const char *prefix)
{
	size_t n = strlen(prefix);
	if (strncmp(*cursor, prefix, n) != 0)
		return false;
	*cursor += n;
	return true;
}

/* nl_scan_line moves to the beginning of the next line. False at the end of the text. */
static inline bool nl_scan_line(const char **cursor)
{
	const char *newline = strchr(*cursor, '\n');
	*cursor = newline ? newline + 1 : *cursor + strlen(*cursor);
	return **cursor != '\0';
}

/* nl_scan_copy copies `len` bytes, cut to fit and always terminated. False when it was cut. */
static inline bool nl_scan_copy(char *out, size_t size, const char *text, size_t len)
{
	size_t n = len < size ? len : size - 1;
	memcpy(out, text, n);
	out[n] = '\0';
	return n == len;
}

/*
 * nl_scan_copy_unescaped is nl_scan_copy for names in mount tables, where blank, tab, newline and backslash are written
 * as three octal digits behind a backslash.
 */
static inline bool nl_scan_copy_unescaped(char *out, size_t size, const char *text, size_t len)
{
	size_t used = 0;
	for (size_t i = 0; i < len; used++) {
		unsigned char c = (unsigned char)text[i++];
		if (c == '\\' && len - i >= 3 && text[i] >= '0' && text[i] <= '3' && text[i + 1] >= '0' &&
		    text[i + 1] <= '7' && text[i + 2] >= '0' && text[i + 2] <= '7') {
			c = (unsigned char)((text[i] - '0') * 64 + (text[i + 1] - '0') * 8 + (text[i + 2] - '0'));
			i += 3;
		}
		if (used + 1 >= size) {
			out[used] = '\0';
			return false;
		}
		out[used] = (char)c;
	}
	out[used] = '\0';
	return true;
}

#endif
