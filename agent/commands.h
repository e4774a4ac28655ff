/*
 * commands: what nasline-agent's commands do; argv[0] is the command's name.
 */
#ifndef NL_AGENT_COMMANDS_H
#define NL_AGENT_COMMANDS_H

#include "base/error.h"

int nl_command_join(int argc, char **argv, struct nl_error *err);
int nl_command_run(int argc, char **argv, struct nl_error *err);
int nl_command_probe(int argc, char **argv, struct nl_error *err);
int nl_command_cleanup(int argc, char **argv, struct nl_error *err);

#endif
