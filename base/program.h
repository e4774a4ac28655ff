/*
 * program: what the three programs share: a table of commands, the general help, and the way from a command's error to
 * the exit status.
 */
#ifndef NL_BASE_PROGRAM_H
#define NL_BASE_PROGRAM_H

#include "base/options.h"

struct nl_program_command {
	const char *name, *summary;
	/* argv[0] is the command's name. Returns 0 or a negative nl_code with err filled. */
	int (*run)(int argc, char **argv, struct nl_error *err);
};

struct nl_program {
	const char *name;    /* "nasline" */
	const char *summary; /* one sentence */
	const struct nl_program_command *commands;
	size_t command_count;
	const char *const *examples; /* NULL-terminated, as in nl_command */
};

/*
 * nl_program_run is a program's main: runs the command that argv[1] names, prints its error once to stderr, and returns
 * the exit status. --help, -h and help print the general help (commands, examples, exit statuses), --version the
 * version. SIGPIPE is ignored from here on.
 */
int nl_program_run(const struct nl_program *program, int argc, char **argv);

#define NL_PROGRAM_ARGUMENTS_MAX 64

/*
 * nl_program_options parses a command's arguments by its table (nl_options_parse); when the help was asked for it is
 * printed and *done is true: there is nothing more to do. arguments has NL_PROGRAM_ARGUMENTS_MAX places; more are
 * NL_E_USAGE.
 */
int nl_program_options(const struct nl_command *command, int argc, char **argv, const char **arguments, size_t *count,
		       bool *done, struct nl_error *err);

#endif
