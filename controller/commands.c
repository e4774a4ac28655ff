/*
 * commands: what the commands share.
 */
#include "controller/commands.h"

#include <signal.h>
#include <stdio.h>

atomic_bool nl_commands_stop;

static void on_signal(int number)
{
	(void)number;
	atomic_store(&nl_commands_stop, true);
}

void nl_commands_catch_signals(void)
{
	struct sigaction action = {.sa_handler = on_signal};
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}

int nl_commands_parse(const struct nl_command *command, int argc, char **argv, const char **arguments, size_t *count,
		      bool *done, struct nl_error *err)
{
	*done = false;
	if (argc > NL_ARGUMENTS_MAX)
		return nl_error_set(err, NL_E_USAGE, "more than %d arguments", NL_ARGUMENTS_MAX);
	int rc = nl_options_parse(command, argc, argv, arguments, count, done, err);
	if (rc == NL_E_OK && *done)
		nl_options_help(command, stdout);
	return rc;
}
