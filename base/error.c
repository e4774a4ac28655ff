/*
 * error: fills, formats and classifies errors.
 */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "base/text.h"

struct code_row {
	const char *name, *text;
	int exit_status;
};

static const struct code_row code_rows[] = {
#define NL_X(name, exit_status, text) {#name, text, exit_status},
	NL_CODES(NL_X)
#undef NL_X
};

static const struct code_row *row_of(int code)
{
	return nl_code_valid(code) ? &code_rows[-code] : &code_rows[NL_CODE_INTERNAL];
}

bool nl_code_valid(int code)
{
	return code <= 0 && -code < (int)NL_CODE_COUNT;
}

const char *nl_code_text(enum nl_code code)
{
	return row_of(code)->text;
}

const char *nl_code_name(enum nl_code code)
{
	return row_of(code)->name;
}

int nl_code_exit_status(enum nl_code code)
{
	return row_of(code)->exit_status;
}

__attribute__((format(printf, 4, 0))) static void start(struct nl_error *err, enum nl_code code, int sys_errno,
							const char *format, va_list args)
{
	memset(err, 0, sizeof *err);
	err->code = code;
	err->sys_errno = sys_errno;
	vsnprintf(err->what, sizeof err->what, format, args);
	nl_text_clean(err->what);
}

int nl_error_set(struct nl_error *err, enum nl_code code, const char *what_format, ...)
{
	if (!err)
		return code;
	va_list args;
	va_start(args, what_format);
	start(err, code, 0, what_format, args);
	va_end(args);
	return code;
}

static enum nl_code code_of_errno(int sys_errno)
{
	switch (sys_errno) {
	case ENOSPC:
	case EDQUOT:
		return NL_E_SPACE;
	case EACCES:
	case EPERM:
	case EROFS:
		return NL_E_ACCESS;
	case ENOENT:
	case ENODEV:
		return NL_E_NOT_FOUND;
	case EIO:
		return NL_E_IO;
	case ETIMEDOUT:
		return NL_E_TIMEOUT;
	case ECANCELED:
		return NL_E_CANCELLED;
	default:
		return NL_E_SYSTEM;
	}
}

int nl_error_sys(struct nl_error *err, int sys_errno, const char *what_format, ...)
{
	enum nl_code code = code_of_errno(sys_errno);
	if (!err)
		return code;
	va_list args;
	va_start(args, what_format);
	start(err, code, sys_errno, what_format, args);
	va_end(args);
	nl_error_why(err, "%s", strerrordesc_np(sys_errno) ? strerrordesc_np(sys_errno) : "unknown system error");
	return code;
}

#define FILL_PART(part)                                                                                                \
	do {                                                                                                           \
		if (!err)                                                                                              \
			return NL_E_INTERNAL;                                                                          \
		va_list args;                                                                                          \
		va_start(args, format);                                                                                \
		vsnprintf(err->part, sizeof err->part, format, args);                                                  \
		va_end(args);                                                                                          \
		nl_text_clean(err->part);                                                                              \
		return err->code;                                                                                      \
	} while (0)

int nl_error_where(struct nl_error *err, const char *format, ...)
{
	FILL_PART(where);
}

int nl_error_why(struct nl_error *err, const char *format, ...)
{
	FILL_PART(why);
}

int nl_error_todo(struct nl_error *err, const char *format, ...)
{
	FILL_PART(todo);
}

char *nl_error_line(const struct nl_error *err, char *buf, size_t size)
{
	snprintf(buf, size, "%s%s%s%s%s%s%s", err->what[0] ? err->what : nl_code_text(err->code),
		 err->where[0] ? ": " : "", err->where, err->why[0] ? ": " : "", err->why, err->todo[0] ? "; " : "",
		 err->todo);
	return buf;
}

void nl_error_print(const struct nl_error *err, const char *program, FILE *out)
{
	fprintf(out, "%s: %s", program, err->what[0] ? err->what : nl_code_text(err->code));
	if (err->where[0])
		fprintf(out, ": %s", err->where);
	if (err->why[0])
		fprintf(out, ": %s", err->why);
	fputc('\n', out);
	if (err->todo[0])
		fprintf(out, "  %s\n", err->todo);
}
