/*
 * main_server: `netbench server`.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/program.h"
#include "netbench/keyfile.h"
#include "netbench/main.h"

static const char *const examples[] = {
	"netbench server\n    wait on port 7445 of every address, for any client",
	"netbench server --bind 192.168.1.10 --key-file /root/netbench.key\n    only for clients that have the same "
	"key",
	"netbench server --one-off\n    end after one test",
	NULL,
};

static void print_event(void *context, const char *peer, const char *text)
{
	char time[32];

	(void)context;
	printf("%s %s %s\n", nl_wall_text(nl_wall_ns(), time, sizeof(time)), peer, text);
}

static int serve(const struct nl_netbench_server_config *config, struct nl_error *err)
{
	struct nl_netbench_server *server;
	int rc = nl_netbench_server_start(config, &server, err);

	if (rc)
		return rc;
	printf("netbench server: listening on %s, port %u, %s\n", config->bind ? config->bind : "every address",
	       nl_netbench_server_port(server), config->key ? "for clients with the key" : "for any client");
	nl_netbench_server_wait(server, &nl_netbench_interrupted);
	nl_netbench_server_free(server);
	return 0;
}

int nl_netbench_command_server(int argc, char **argv, struct nl_error *err)
{
	struct nl_netbench_server_config config = {.event = print_event};
	uint64_t port = NL_NETBENCH_PORT_DEFAULT, max_seconds = 0;
	const char *key_file = NULL;
	unsigned char *key = NULL;
	bool done = false;
	const struct nl_option options[] = {
		{"bind", 'B', NL_OPTION_TEXT, &config.bind, "ADDRESS", "Listen on this address only.", 0, 0},
		{"port", 'p', NL_OPTION_UINT, &port, "N", "Listen on this port (default 7445; 0: any free one).", 0,
		 65535},
		{"key-file", 0, NL_OPTION_TEXT, &key_file, "FILE",
		 "Serve only clients that have the same key (mode 0600).", 0, 0},
		{"one-off", '1', NL_OPTION_FLAG, &config.one_off, NULL, "End after one test.", 0, 0},
		{"max-time", 0, NL_OPTION_UINT, &max_seconds, "SECONDS",
		 "Longest test that a client may ask for, in seconds (default one day).", 1, 86400},
	};
	const struct nl_command command = {
		.name = "netbench server",
		.arguments = "",
		.summary = "Be the other end of netbench clients, one test at a time, until interrupted.",
		.examples = examples,
		.options = options,
		.option_count = sizeof(options) / sizeof(options[0]),
	};
	const char *arguments[NL_PROGRAM_ARGUMENTS_MAX];
	size_t argument_count;
	int rc = nl_program_options(&command, argc, argv, arguments, &argument_count, &done, err);

	if (rc || done)
		return rc;
	config.port = (uint16_t)port;
	config.max_seconds = (unsigned)max_seconds;
	if (key_file)
		rc = nl_netbench_key_read(key_file, &key, &config.key_len, err);
	config.key = key;
	if (rc == 0)
		rc = serve(&config, err);
	nl_netbench_key_free(key, config.key_len);
	return rc;
}
