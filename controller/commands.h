/*
 * commands: what nasline's commands do; argv[0] is the command's name.
 */
#ifndef NL_CONTROLLER_COMMANDS_H
#define NL_CONTROLLER_COMMANDS_H

#include <stdatomic.h>

#include "base/error.h"
#include "base/program.h"
#include "controller/store/store.h"

/* Set by SIGINT, SIGTERM and SIGHUP after nl_commands_catch_signals. */
extern atomic_bool nl_commands_stop;
void nl_commands_catch_signals(void);

/* The option --state, the same for every command. */
#define NL_STATE_OPTION(variable)                                                                                      \
	{                                                                                                              \
		"state", 0, NL_OPTION_TEXT, &(variable), "DIR",                                                        \
			"state directory: identity and results (default ~/.nasline)", 0, 0                             \
	}

/* nl_report_run prints a run's report to the terminal and, with `output`, writes its files there and names them.
 * report_commands.c */
int nl_report_run(struct nl_store *store, const char *run_id, const char *output, struct nl_error *err);

int nl_command_init(int argc, char **argv, struct nl_error *err);
int nl_command_token(int argc, char **argv, struct nl_error *err);
int nl_command_agents(int argc, char **argv, struct nl_error *err);
int nl_command_plan(int argc, char **argv, struct nl_error *err);
int nl_command_run(int argc, char **argv, struct nl_error *err);
int nl_command_local(int argc, char **argv, struct nl_error *err);
int nl_command_resume(int argc, char **argv, struct nl_error *err);
int nl_command_report(int argc, char **argv, struct nl_error *err);
int nl_command_runs(int argc, char **argv, struct nl_error *err);

#endif
