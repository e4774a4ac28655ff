/*
 * main: the program nasline-agent: join, run, probe, cleanup.
 */
#include "agent/commands.h"
#include "agent/io/load.h"
#include "base/program.h"

static const struct nl_program_command commands[] = {
	{"join", "enrol this machine with a controller, once", nl_command_join},
	{"run", "serve the controller's orders until stopped", nl_command_run},
	{"probe", "show what this agent sees of its machine; touches nothing", nl_command_probe},
	{"cleanup", "remove what an interrupted campaign left here", nl_command_cleanup},
};

static const char *const examples[] = {
	"nasline-agent join pve1.example TOKEN\n    once, with the token that `nasline token` printed there",
	"nasline-agent run\n    then, for as long as campaigns are to be served",
	NULL,
};

int main(int argc, char **argv)
{
	const struct nl_program program = {
		.name = "nasline-agent",
		.summary = "Measures for nasline, on the NAS and on every client.",
		.commands = commands,
		.command_count = sizeof commands / sizeof *commands,
		.examples = examples,
	};
	bool is_helper = false;
	int helper_status = nl_io_helper_main(argc, argv, &is_helper);
	return is_helper ? helper_status : nl_program_run(&program, argc, argv);
}
