/*
 * error: the one error type of nasline, and the exit code that each kind of error ends a program with.
 *
 * Every function that can fail returns 0 or a negative `enum nl_code` and, when it fails, fills the
 * `struct nl_error` it was handed. The place that knows the context fills it, once; callers pass it up and
 * only the program's main shows it. Thread rule: an nl_error belongs to one thread at a time.
 */
#ifndef NL_BASE_ERROR_H
#define NL_BASE_ERROR_H

#include <stdbool.h>
#include <stdio.h>

/* One row each: name, process exit status, short text. Negative values are what functions return. */
#define NL_CODES(X)                                                                                                    \
	X(OK, 0, "ok")                                                                                                 \
	X(USAGE, 2, "wrong use of the command line")                                                                   \
	X(CONFIG, 3, "a campaign or configuration file is wrong")                                                      \
	X(SYSTEM, 4, "the operating system refused")                                                                   \
	X(IO, 5, "reading or writing failed")                                                                          \
	X(SPACE, 6, "not enough space")                                                                                \
	X(ACCESS, 7, "access denied")                                                                                  \
	X(NOT_FOUND, 8, "not found")                                                                                   \
	X(PROTOCOL, 9, "a message could not be understood")                                                            \
	X(IDENTITY, 10, "an identity could not be proved")                                                             \
	X(TIMEOUT, 11, "no answer in time")                                                                            \
	X(PEER, 12, "the other side is gone or failed")                                                                \
	X(UNSUPPORTED, 13, "not supported here")                                                                       \
	X(CANCELLED, 14, "stopped on request")                                                                         \
	X(LEFTOVER, 15, "something could not be removed")                                                              \
	X(STORE, 16, "the database could not be used")                                                                 \
	X(INTERNAL, 70, "a fault of nasline itself")

enum nl_code_index {
#define NL_X(name, exit_status, text) NL_CODE_##name,
	NL_CODES(NL_X)
#undef NL_X
		NL_CODE_COUNT
};

enum nl_code {
#define NL_X(name, exit_status, text) NL_E_##name = -(int)NL_CODE_##name,
	NL_CODES(NL_X)
#undef NL_X
};

struct nl_error {
	enum nl_code code;
	int sys_errno;	 /* errno at the place of failure, 0 when it plays no part */
	char what[200];	 /* what failed: "create the scratch directory" */
	char where[300]; /* host, path, or file:line:column */
	char why[400];	 /* the reason, in plain words */
	char todo[300];	 /* what the user can do; may be empty */
};

/*
 * nl_error_set fills *err and returns `code`, so that `return nl_error_set(...)` reads well. `err` may be NULL (then only
 * the code is returned). The formatted text is `what`; where, why and todo are emptied. Texts too long are cut;
 * what a terminal would obey and what is not UTF-8 is replaced (base/text.h), for parts of them come from files and peers.
 */
int nl_error_set(struct nl_error *err, enum nl_code code, const char *what_format, ...)
	__attribute__((format(printf, 3, 4)));

/* nl_error_where, _why, _todo add that part to *err (NULL allowed) and return err->code (NL_E_INTERNAL when err is NULL). */
int nl_error_where(struct nl_error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));
int nl_error_why(struct nl_error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));
int nl_error_todo(struct nl_error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * nl_error_sys is nl_error_set for a failed system call: takes errno's value `sys_errno`, sets `why` to its text and picks
 * the code from it (ENOSPC/EDQUOT -> SPACE, EACCES/EPERM/EROFS -> ACCESS, ENOENT/ENODEV -> NOT_FOUND, EIO -> IO,
 * ETIMEDOUT -> TIMEOUT, ECANCELED -> CANCELLED, everything else -> SYSTEM). Returns that code.
 */
int nl_error_sys(struct nl_error *err, int sys_errno, const char *what_format, ...) __attribute__((format(printf, 3, 4)));

/* nl_error_print writes the error to `out` as one to three plain lines, beginning with "PROGRAM: ". */
void nl_error_print(const struct nl_error *err, const char *program, FILE *out);

/* nl_error_line formats the error as one line into buf (always terminated) and returns buf. For logs, faults, reports. */
char *nl_error_line(const struct nl_error *err, char *buf, size_t size);

const char *nl_code_text(enum nl_code code);  /* short text of the table, never NULL */
const char *nl_code_name(enum nl_code code);  /* "SPACE", never NULL */
int nl_code_exit_status(enum nl_code code);   /* the program's exit status for it; 70 for an unknown code */
bool nl_code_valid(int code);		      /* whether a number from the wire is one of ours */

#endif
