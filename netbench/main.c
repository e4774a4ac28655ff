/*
 * main: the program netbench: picks the command, shows errors, sets the exit status.
 */
#include <signal.h>
#include <string.h>

#include "base/options.h"
#include "netbench/main.h"

atomic_bool nl_netbench_interrupted;

static const struct {
	const char *name;
	int (*run)(int argc, char **argv, struct nl_error *err);
	const char *summary;
} commands[] = {
	{"server", nl_netbench_command_server, "wait for clients and be their other end"},
	{"client", nl_netbench_command_client, "measure to or from a server"},
};
#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void on_signal(int signal)
{
	(void)signal;
	atomic_store(&nl_netbench_interrupted, true);
}

static void catch_signals(void)
{
	/* Only the first one is ours: a second ends the program as it always did. */
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESETHAND};

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

static void print_help(FILE *out)
{
	fputs("Usage: netbench COMMAND [OPTION...]\n\n"
	      "The raw TCP ceiling between two hosts: what the wire carries with no storage in the path.\n\n"
	      "Commands:\n",
	      out);
	for (size_t i = 0; i < COMMANDS; i++)
		fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].summary);
	fputs("\nExamples:\n"
	      "  netbench server\n"
	      "    on the NAS: wait on port 7445\n"
	      "  netbench client nas.lan\n"
	      "    on the client: 10 seconds to the NAS, one stream\n"
	      "  netbench client nas.lan -P 4 -R\n"
	      "    four streams from the NAS\n\n"
	      "netbench COMMAND --help tells the options of a command.\n",
	      out);
}

static int unknown_command(const char *name, struct nl_error *err)
{
	const char *names[COMMANDS];
	const char *near;

	for (size_t i = 0; i < COMMANDS; i++)
		names[i] = commands[i].name;
	near = nl_nearest(name, names, COMMANDS);
	nl_error_set(err, NL_E_USAGE, "run netbench %s", name);
	nl_error_why(err, "there is no such command");
	return nl_error_todo(err, near ? "did you mean %s?" : "see netbench --help", near);
}

/* Runs the command of that name. */
static int run_command(int argc, char **argv, struct nl_error *err)
{
	for (size_t i = 0; i < COMMANDS; i++)
		if (strcmp(argv[0], commands[i].name) == 0)
			return commands[i].run(argc, argv, err);
	return unknown_command(argv[0], err);
}

int main(int argc, char **argv)
{
	struct nl_error err = {0};
	const char *name = argc > 1 ? argv[1] : "";
	int rc;

	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
		print_help(stdout);
		return 0;
	}
	if (strcmp(name, "--version") == 0) {
		puts("netbench " NASLINE_VERSION);
		return 0;
	}
	if (argc < 2) {
		print_help(stderr);
		return nl_code_exit_status(NL_E_USAGE);
	}
	catch_signals();
	setvbuf(stdout, NULL, _IOLBF, 0);
	rc = run_command(argc - 1, argv + 1, &err);
	if (rc)
		nl_error_print(&err, "netbench", stderr);
	return nl_code_exit_status((enum nl_code)rc);
}
