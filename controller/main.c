/*
 * main: the program nasline: the controller.
 */
#include "base/program.h"
#include "controller/commands.h"

static const struct nl_program_command commands[] = {
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

static const char *const examples[] = {
	"nasline local --pool /mnt/tank/scratch\n    this machine's pool and load generator, at once, without any "
	"setup",
	"nasline init && nasline token truenas --wait\n    then, on the NAS: nasline-agent join THIS-HOST TOKEN && "
	"nasline-agent run",
	"nasline run campaign.yaml\n    a whole campaign: wire, pool, NFS and SMB, one report",
	NULL,
};

int main(int argc, char **argv)
{
	const struct nl_program program = {
		.name = "nasline",
		.summary = "What limits the throughput between the disks of a NAS and the program on a client?",
		.commands = commands,
		.command_count = sizeof commands / sizeof *commands,
		.examples = examples,
	};
	return nl_program_run(&program, argc, argv);
}
