/*
 * test_program: one error, one exit status, and help that names what there is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/program.h"

static int ran_with;

static int command_good(int argc, char **argv, struct nl_error *err)
{
	(void)argv;
	(void)err;
	ran_with = argc;
	return NL_E_OK;
}

static int command_bad(int argc, char **argv, struct nl_error *err)
{
	(void)argc;
	(void)argv;
	return nl_error_set(err, NL_E_SPACE, "the pool is full");
}

static const struct nl_program_command commands[] = {
	{"measure", "measures", command_good},
	{"fail", "fails", command_bad},
};
static const char *const examples[] = {"tool measure\n    measures", NULL};
static const struct nl_program program = {"tool", "A tool.", commands, 2, examples};

/* Runs the program with one stream sent to a file, and gives what was written there. */
static char *written(int stream, int argc, char **argv, int *status)
{
	char *text = calloc(1, 8192);
	FILE *file = tmpfile();
	fflush(NULL);
	int saved = dup(stream);
	dup2(fileno(file), stream);
	*status = nl_program_run(&program, argc, argv);
	fflush(NULL);
	dup2(saved, stream);
	close(saved);
	rewind(file);
	text[fread(text, 1, 8191, file)] = '\0';
	fclose(file);
	return text;
}

static void a_command_gets_its_own_arguments(void **state)
{
	char *argv[] = {(char *)"tool", (char *)"measure", (char *)"x", NULL};
	(void)state;
	assert_int_equal(nl_program_run(&program, 3, argv), 0);
	assert_int_equal(ran_with, 2);
}

static void an_error_is_printed_once_and_decides_the_exit_status(void **state)
{
	char *argv[] = {(char *)"tool", (char *)"fail", NULL};
	int status = 0;
	(void)state;
	char *text = written(STDERR_FILENO, 2, argv, &status);
	assert_int_equal(status, nl_code_exit_status(NL_E_SPACE));
	assert_string_equal(text, "tool: the pool is full\n");
	free(text);
}

static void an_unknown_command_names_the_nearest(void **state)
{
	char *argv[] = {(char *)"tool", (char *)"mesure", NULL};
	int status = 0;
	(void)state;
	char *text = written(STDERR_FILENO, 2, argv, &status);
	assert_int_equal(status, 2);
	assert_non_null(strstr(text, "did you mean \"measure\"?"));
	free(text);
}

static void the_help_names_commands_examples_and_exit_statuses(void **state)
{
	char *argv[] = {(char *)"tool", (char *)"--help", NULL};
	int status = 1;
	(void)state;
	char *text = written(STDOUT_FILENO, 2, argv, &status);
	assert_int_equal(status, 0);
	assert_non_null(strstr(text, "measure"));
	assert_non_null(strstr(text, "tool measure"));
	assert_non_null(strstr(text, "15  something could not be removed"));
	free(text);
}

static void without_a_command_the_help_goes_to_stderr(void **state)
{
	char *argv[] = {(char *)"tool", NULL};
	int status = 0;
	(void)state;
	char *text = written(STDERR_FILENO, 1, argv, &status);
	assert_int_equal(status, 2);
	assert_non_null(strstr(text, "Usage: tool COMMAND"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_command_gets_its_own_arguments),
		cmocka_unit_test(an_error_is_printed_once_and_decides_the_exit_status),
		cmocka_unit_test(an_unknown_command_names_the_nearest),
		cmocka_unit_test(the_help_names_commands_examples_and_exit_statuses),
		cmocka_unit_test(without_a_command_the_help_goes_to_stderr),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
