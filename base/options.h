/*
 * options: a program's options as a table, from which the parser, --help and the documentation are made.
 */
#ifndef NL_BASE_OPTIONS_H
#define NL_BASE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

enum nl_option_type {
	NL_OPTION_FLAG,     /* bool * */
	NL_OPTION_TEXT,     /* const char ** (points into argv) */
	NL_OPTION_UINT,     /* uint64_t *, checked against min and max */
	NL_OPTION_BYTES,    /* uint64_t *, "128K" */
	NL_OPTION_DURATION, /* int64_t * in ns, "10s" */
};

struct nl_option {
	const char *name; /* long name without dashes */
	char letter;      /* short name or 0 */
	enum nl_option_type type;
	void *value;         /* where it goes, already holding the default */
	const char *metavar; /* "N", "SECONDS"; NULL for a flag */
	const char *help;    /* one sentence, unit and default in it */
	uint64_t min, max;   /* for UINT, BYTES, DURATION (ns); both 0: no limit */
};

/* A command of a program: `nasline run`, or the program itself when it has none. */
struct nl_command {
	const char *name;            /* "nasline run" */
	const char *arguments;       /* "CAMPAIGN.yaml" or "" */
	const char *summary;         /* one sentence */
	const char *const *examples; /* NULL-terminated: each "command\n    what it does" or just a command */
	const struct nl_option *options;
	size_t option_count;
	size_t argument_min, argument_max;
};

/*
 * nl_options_parse reads argv[1..argc-1] by the table. Options and arguments may mix; "--" ends options; "--name=value"
 * and "-nVALUE" work. *arguments (array of argc pointers given by the caller) and *argument_count get the rest. `help`
 * becomes true for -h/--help, and nothing else is checked then. An unknown option is NL_E_USAGE with the nearest known
 * one named in `todo`.
 */
int nl_options_parse(const struct nl_command *command, int argc, char **argv, const char **arguments,
		     size_t *argument_count, bool *help, struct nl_error *err);

/* nl_options_help writes usage, summary, options (aligned, wrapped at 100 columns) and examples. */
void nl_options_help(const struct nl_command *command, FILE *out);

/* nl_nearest gives the candidate nearest to `word` by edit distance, at most a third of its length away (and at least
 * 1), or NULL. */
const char *nl_nearest(const char *word, const char *const *candidates, size_t count);

#endif
