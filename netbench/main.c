/*
 * main: the program netbench: the raw TCP ceiling on its own.
 */
#include "netbench/main.h"

#include <signal.h>
#include <stdio.h>

#include "base/program.h"

atomic_bool nl_netbench_interrupted;

static const struct nl_program_command commands[] = {
	{"server", "wait for clients and be their other end", nl_netbench_command_server},
	{"client", "measure to or from a server", nl_netbench_command_client},
};

static const char *const examples[] = {
	"netbench server\n    on the NAS: wait on port 7445",
	"netbench client nas.lan\n    on the client: 10 seconds to the NAS, one stream",
	"netbench client nas.lan -P 4 -R\n    four streams from the NAS",
	NULL,
};

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

int main(int argc, char **argv)
{
	const struct nl_program program = {
		.name = "netbench",
		.summary = "The raw TCP ceiling between two hosts: what the wire carries with no storage in the path.",
		.commands = commands,
		.command_count = sizeof commands / sizeof *commands,
		.examples = examples,
	};
	catch_signals();
	setvbuf(stdout, NULL, _IOLBF, 0);
	return nl_program_run(&program, argc, argv);
}
