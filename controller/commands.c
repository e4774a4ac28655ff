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
