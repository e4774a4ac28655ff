/*
 * program: dispatch, help, exit status.
 */
#include "base/program.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_exit_statuses(FILE *out)
{
	fputs("\nExit status:\n", out);
	for (int i = 0; i < NL_CODE_COUNT; i++)
		fprintf(out, "  %3d  %s\n", nl_code_exit_status((enum nl_code) - i), nl_code_text((enum nl_code) - i));
}

static void print_help(const struct nl_program *program, FILE *out)
{
	fprintf(out, "Usage: %s COMMAND [OPTION]...\n\n%s\n\nCommands:\n", program->name, program->summary);
	for (size_t i = 0; i < program->command_count; i++)
		fprintf(out, "  %-9s %s\n", program->commands[i].name, program->commands[i].summary);
	fputs("\nExamples:\n", out);
	for (const char *const *example = program->examples; *example; example++)
		fprintf(out, "  %s\n", *example);
	fprintf(out, "\n%s COMMAND --help tells the options of a command, with examples.\n", program->name);
	print_exit_statuses(out);
}

static int unknown(const struct nl_program *program, const char *word, struct nl_error *err)
{
	const char **names = calloc(program->command_count, sizeof *names);
	const char *nearest = NULL;
	for (size_t i = 0; names && i < program->command_count; i++)
		names[i] = program->commands[i].name;
	if (names)
		nearest = nl_nearest(word, names, program->command_count);
	free(names);
	nl_error_set(err, NL_E_USAGE, "there is no command \"%s\"", word);
	return nearest ? nl_error_todo(err, "did you mean \"%s\"?", nearest)
		       : nl_error_todo(err, "see: %s --help", program->name);
}

static int dispatch(const struct nl_program *program, int argc, char **argv, struct nl_error *err)
{
	for (size_t i = 0; i < program->command_count; i++)
		if (strcmp(argv[0], program->commands[i].name) == 0)
			return program->commands[i].run(argc, argv, err);
	return unknown(program, argv[0], err);
}

int nl_program_run(const struct nl_program *program, int argc, char **argv)
{
	struct nl_error err = {0};
	const char *first = argc > 1 ? argv[1] : "";
	signal(SIGPIPE, SIG_IGN);
	if (argc < 2) {
		print_help(program, stderr);
		return nl_code_exit_status(NL_E_USAGE);
	}
	if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0 || strcmp(first, "help") == 0) {
		print_help(program, stdout);
		return 0;
	}
	if (strcmp(first, "--version") == 0) {
		printf("%s %s\n", program->name, NASLINE_VERSION);
		return 0;
	}
	int rc = dispatch(program, argc - 1, argv + 1, &err);
	if (rc != NL_E_OK)
		nl_error_print(&err, program->name, stderr);
	return nl_code_exit_status((enum nl_code)rc);
}

int nl_program_options(const struct nl_command *command, int argc, char **argv, const char **arguments, size_t *count,
		       bool *done, struct nl_error *err)
{
	*done = false;
	if (argc > NL_PROGRAM_ARGUMENTS_MAX)
		return nl_error_set(err, NL_E_USAGE, "more than %d arguments", NL_PROGRAM_ARGUMENTS_MAX);
	int rc = nl_options_parse(command, argc, argv, arguments, count, done, err);
	if (rc == NL_E_OK && *done)
		nl_options_help(command, stdout);
	return rc;
}
