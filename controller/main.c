/*
 * main: the program nasline: the controller.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "controller/commands.h"

struct command_row {
	const char *name, *summary;
	int (*run)(int argc, char **argv, struct nl_error *err);
};

static const struct command_row commands[] = {
	{"init", "make this controller's identity and database", nl_command_init},
	{"token", "print a one-time token for an agent to join", nl_command_token},
	{"agents", "list the agents that have joined", nl_command_agents},
	{"plan", "show what a campaign will do; touches nothing", nl_command_plan},
	{"run", "run a campaign and report", nl_command_run},
	{"local", "measure this machine's pool with an agent of its own", nl_command_local},
	{"resume", "finish an interrupted campaign", nl_command_resume},
	{"report", "derive a run's report again", nl_command_report},
	{"runs", "list the runs in the store", nl_command_runs},
};
#define COMMAND_COUNT (sizeof commands / sizeof *commands)

static void usage(FILE *out)
{
	fprintf(out, "nasline: what limits the throughput between the disks of a NAS and the program on a client?\n\n"
		     "usage: nasline COMMAND [OPTION...]\n\n");
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].summary);
	fprintf(out, "\nexamples:\n"
		     "  nasline local --pool /mnt/tank/scratch\n"
		     "      this machine's pool and load generator, at once, without any setup\n"
		     "  nasline init && nasline token truenas --wait\n"
		     "      then, on the NAS: nasline-agent join THIS-HOST TOKEN && nasline-agent run\n"
		     "  nasline run campaign.yaml\n"
		     "      a whole campaign: wire, pool, NFS and SMB, one report\n\n"
		     "  nasline COMMAND --help    options and examples of a command\n"
		     "  nasline --version\n\nexit status:\n");
	for (int i = 0; i < NL_CODE_COUNT; i++)
		fprintf(out, "  %3d  %s\n", nl_code_exit_status((enum nl_code) - i), nl_code_text((enum nl_code) - i));
}

static int unknown(const char *word)
{
	const char *names[COMMAND_COUNT];
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		names[i] = commands[i].name;
	const char *nearest = nl_nearest(word, names, COMMAND_COUNT);
	fprintf(stderr, "nasline: unknown command \"%s\"\n", word);
	if (nearest)
		fprintf(stderr, "  did you mean \"%s\"?\n", nearest);
	else
		fprintf(stderr, "  see: nasline --help\n");
	return nl_code_exit_status(NL_E_USAGE);
}

int main(int argc, char **argv)
{
	signal(SIGPIPE, SIG_IGN);
	if (argc < 2) {
		usage(stderr);
		return nl_code_exit_status(NL_E_USAGE);
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
		usage(stdout);
		return 0;
	}
	if (strcmp(argv[1], "--version") == 0) {
		printf("nasline %s\n", NASLINE_VERSION);
		return 0;
	}
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		struct nl_error err = {0};
		if (strcmp(argv[1], commands[i].name) != 0)
			continue;
		int rc = commands[i].run(argc - 1, argv + 1, &err);
		if (rc != NL_E_OK)
			nl_error_print(&err, "nasline", stderr);
		return nl_code_exit_status(rc);
	}
	return unknown(argv[1]);
}
