/*
 * Tests of base/options.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"

#define ARGS_MAX 16

static bool json, reverse;
static uint64_t streams, block;
static int64_t duration;
static const char *bind_to;

static const struct nl_option options[] = {
	{"json", 0, NL_OPTION_FLAG, &json, NULL, "Write JSON.", 0, 0},
	{"reverse", 'R', NL_OPTION_FLAG, &reverse, NULL, "The server sends.", 0, 0},
	{"streams", 'P', NL_OPTION_UINT, &streams, "N", "Parallel streams, 1 by default.", 1, 128},
	{"block", 'b', NL_OPTION_BYTES, &block, "SIZE", "Block size.", 512, 1048576},
	{"time", 't', NL_OPTION_DURATION, &duration, "TIME", "How long.", 0, 0},
	{"bind", 0, NL_OPTION_TEXT, &bind_to, "ADDRESS",
	 "The local address to bind to, which decides the interface that the packets leave by; the kernel's choice by "
	 "default, "
	 "which is what most people want.",
	 0, 0},
};
static const char *const examples[] = {"netbench client nas\n    one stream to nas", NULL};
static const struct nl_command command = {
	"netbench client", "HOST", "Measures TCP.", examples, options, sizeof options / sizeof options[0], 1, 2};

static const char *arguments[ARGS_MAX];
static size_t argument_count;
static bool help;
static struct nl_error err;

static int set_up(void **state)
{
	(void)state;
	json = reverse = false;
	streams = 1;
	block = 4096;
	duration = 10;
	bind_to = "";
	return 0;
}

/* Parses a command line given as one text, words parted by blanks. */
static int parse(const char *line)
{
	static char copy[400];
	char *argv[ARGS_MAX] = {copy};
	int argc = 1;
	snprintf(copy, sizeof copy, "program %s", line);
	for (char *word = strtok(copy, " "); word && argc < ARGS_MAX; word = strtok(NULL, " "))
		argv[argc++ - 1] = word;
	argc--;
	return nl_options_parse(&command, argc, argv, arguments, &argument_count, &help, &err);
}

static void every_form_of_an_option_is_read(void **state)
{
	(void)state;
	static const char *const lines[] = {"-P 4 nas",        "-P4 nas",  "--streams 4 nas", "--streams=4 nas",
					    "nas --streams 4", "-RP4 nas", "-RP 4 nas"};
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		streams = 1;
		assert_int_equal(parse(lines[i]), 0);
		assert_int_equal(streams, 4);
		assert_int_equal(argument_count, 1);
		assert_string_equal(arguments[0], "nas");
	}
	assert_true(reverse);
}

static void every_type_of_value_is_stored(void **state)
{
	(void)state;
	assert_int_equal(parse("--json -b 128K -t 500ms --bind= nas --bind 10.0.0.1"), 0);
	assert_true(json);
	assert_false(reverse);
	assert_int_equal(block, 131072);
	assert_int_equal(duration, 500000000);
	assert_string_equal(bind_to, "10.0.0.1");
}

static void two_dashes_end_the_options(void **state)
{
	(void)state;
	assert_int_equal(parse("-- --json"), 0);
	assert_false(json);
	assert_string_equal(arguments[0], "--json");
	assert_int_equal(parse("-"), 0);
	assert_string_equal(arguments[0], "-");
}

static void help_wins_over_everything_before_two_dashes(void **state)
{
	(void)state;
	assert_int_equal(parse("--nonsense -h"), 0);
	assert_true(help);
	assert_int_equal(parse("--help"), 0);
	assert_true(help);
	assert_int_equal(parse("-- -h"), 0);
	assert_false(help);
}

static void an_unknown_option_names_the_nearest(void **state)
{
	(void)state;
	assert_int_equal(parse("--steams 4 nas"), NL_E_USAGE);
	assert_non_null(strstr(err.todo, "--streams"));
	assert_int_equal(parse("--jsno nas"), NL_E_USAGE);
	assert_non_null(strstr(err.todo, "--json"));
	assert_int_equal(parse("--hepl nas"), NL_E_USAGE);
	assert_non_null(strstr(err.todo, "--help"));
	assert_int_equal(parse("--completely-different nas"), NL_E_USAGE);
	assert_null(strstr(err.todo, "did you mean"));
	assert_non_null(strstr(err.todo, "netbench client --help"));
	assert_int_equal(parse("-x nas"), NL_E_USAGE);
}

static void wrong_values_and_counts_are_refused(void **state)
{
	(void)state;
	static const char *const lines[] = {"-P 0 nas", "-P 129 nas", "-P x nas",   "-P nas",        "nas -P",
					    "-b 1 nas", "-b 2M nas",  "-b 1KB nas", "-t 5x nas",     "--json=1 nas",
					    "",         "a b c",      "--=4 nas",   "nas --streams="};
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		assert_int_equal(parse(lines[i]), NL_E_USAGE);
		assert_true(strlen(err.what) > 0);
	}
	assert_int_equal(streams, 1);
	assert_int_equal(block, 4096);
}

static void help_is_aligned_and_wrapped(void **state)
{
	(void)state;
	char *text = NULL;
	size_t len = 0, column = 0;
	FILE *out = open_memstream(&text, &len);
	assert_non_null(out);
	nl_options_help(&command, out);
	fclose(out);
	assert_non_null(strstr(text, "Usage: netbench client [OPTION]... HOST\n"));
	assert_non_null(strstr(text, "-P, --streams N "));
	assert_non_null(strstr(text, "-h, --help "));
	assert_non_null(strstr(text, "    one stream to nas"));
	for (char *p = text; *p; p++) {
		column = *p == '\n' ? 0 : column + 1;
		assert_true(column <= 100);
	}
	size_t a = (size_t)(strstr(text, "Write JSON.") - strstr(text, "      --json"));
	size_t b = (size_t)(strstr(text, "Parallel streams") - strstr(text, "  -P, --streams"));
	assert_int_equal(a, b);
	/* The long help goes on under its own beginning. */
	char *more = strstr(text, "The local address");
	assert_non_null(more);
	more = strchr(more, '\n');
	assert_non_null(more);
	assert_int_equal(strspn(more + 1, " "), a);
	free(text);
}

static void the_nearest_word_is_found_within_a_third(void **state)
{
	(void)state;
	static const char *const words[] = {"pool", "pools", "stream", "iterations"};
	assert_string_equal(nl_nearest("pol", words, 4), "pool");
	assert_string_equal(nl_nearest("pools", words, 4), "pools");
	assert_string_equal(nl_nearest("iteratoins", words, 4), "iterations");
	assert_string_equal(nl_nearest("itertions", words, 4), "iterations");
	assert_null(nl_nearest("abcdef", words, 4));
	assert_null(nl_nearest("", words, 4));
	assert_null(nl_nearest("pl", words, 0));
	char huge[400];
	memset(huge, 'a', sizeof huge);
	huge[sizeof huge - 1] = '\0';
	assert_null(nl_nearest(huge, words, 4));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(every_form_of_an_option_is_read, set_up),
		cmocka_unit_test_setup(every_type_of_value_is_stored, set_up),
		cmocka_unit_test_setup(two_dashes_end_the_options, set_up),
		cmocka_unit_test_setup(help_wins_over_everything_before_two_dashes, set_up),
		cmocka_unit_test_setup(an_unknown_option_names_the_nearest, set_up),
		cmocka_unit_test_setup(wrong_values_and_counts_are_refused, set_up),
		cmocka_unit_test(help_is_aligned_and_wrapped),
		cmocka_unit_test(the_nearest_word_is_found_within_a_third),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
