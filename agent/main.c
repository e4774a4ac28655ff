/*
 * main: the program nasline-agent: join, run, probe, cleanup.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "agent/commands.h"
#include "agent/io/load.h"
#include "base/options.h"

struct command_row {
	const char *name, *summary;
	int (*run)(int argc, char **argv, struct nl_error *err);
};

static const struct command_row commands[] = {
	{"join", "enrol this machine with a controller, once", nl_command_join},
	{"run", "serve the controller's orders until stopped", nl_command_run},
	{"probe", "show what this agent sees of its machine; touches nothing", nl_command_probe},
	{"cleanup", "remove what an interrupted campaign left here", nl_command_cleanup},
};

static void usage(FILE *out)
{
	fprintf(out, "nasline-agent: measures for nasline on the NAS and on every client\n\nusage: nasline-agent "
		     "COMMAND [OPTION...]\n\n");
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
		fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].summary);
	fprintf(out, "\n  nasline-agent COMMAND --help    options and examples\n  nasline-agent --version\n\n"
		     "exit status: 0 all went well, 2 wrong use, others by kind of failure (see docs/operating.md)\n");
}

int main(int argc, char **argv)
{
	bool is_helper = false;
	int helper_status = nl_io_helper_main(argc, argv, &is_helper);
	if (is_helper)
		return helper_status;
	signal(SIGPIPE, SIG_IGN);
	if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
		usage(argc < 2 ? stderr : stdout);
		return argc < 2 ? nl_code_exit_status(NL_E_USAGE) : 0;
	}
	if (strcmp(argv[1], "--version") == 0) {
		printf("nasline-agent %s\n", NASLINE_VERSION);
		return 0;
	}
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
		struct nl_error err = {0};
		if (strcmp(argv[1], commands[i].name) != 0)
			continue;
		int rc = commands[i].run(argc - 1, argv + 1, &err);
		if (rc != NL_E_OK)
			nl_error_print(&err, "nasline-agent", stderr);
		return nl_code_exit_status(rc);
	}
	const char *names[sizeof commands / sizeof *commands];
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
		names[i] = commands[i].name;
	const char *nearest = nl_nearest(argv[1], names, sizeof names / sizeof *names);
	fprintf(stderr, "nasline-agent: unknown command \"%s\"\n", argv[1]);
	if (nearest)
		fprintf(stderr, "  did you mean \"%s\"?\n", nearest);
	else
		fprintf(stderr, "  see: nasline-agent --help\n");
	return nl_code_exit_status(NL_E_USAGE);
}
