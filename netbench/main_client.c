/*
 * main_client: `netbench client HOST`.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/program.h"
#include "netbench/keyfile.h"
#include "netbench/main.h"

static const char *const examples[] = {
	"netbench client nas.lan\n    10 seconds to the server, one stream",
	"netbench client nas.lan -P 4 -R -t 30 -O 2\n    four streams from the server for 30 seconds, after 2 that do "
	"not count",
	"netbench client nas.lan --bidir --json\n    both ways at once, one JSON document at the end",
	"netbench client nas.lan --key-file /root/netbench.key\n    against a server started with the same key",
	NULL,
};

/* What the command line says, in the types that the options want. */
struct settings {
	uint64_t port, streams, block, window;
	bool reverse, both, json;
	const char *key_file;
};

static int settle(const struct settings *settings, struct nl_netbench_config *config, struct nl_error *err)
{
	if (settings->reverse && settings->both) {
		nl_error_set(err, NL_E_USAGE, "use --reverse and --bidir together");
		return nl_error_why(err, "--bidir measures both directions already");
	}
	config->direction = settings->both      ? NL_NETBENCH_BOTH
			    : settings->reverse ? NL_NETBENCH_FROM_SERVER
						: NL_NETBENCH_TO_SERVER;
	config->port = (uint16_t)settings->port;
	config->streams = (unsigned)settings->streams;
	config->block_bytes = (uint32_t)settings->block;
	config->window_bytes = (uint32_t)settings->window;
	return 0;
}

static int measure(const struct nl_netbench_config *config, const char *host, bool json, struct nl_error *err)
{
	struct nl_netbench_print print = {.out = stdout, .both_ways = config->direction == NL_NETBENCH_BOTH};
	struct nl_netbench_result result;
	int rc, written;

	if (!json)
		nl_netbench_print_start(&print, config, host);
	rc = nl_netbench_client_run(config, host, &result, json ? NULL : nl_netbench_print_interval, &print,
				    &nl_netbench_interrupted, err);
	if (result.start_mono_ns && !json)
		nl_netbench_print_result(&print, &result);
	if (json) {
		written = nl_netbench_document(stdout, config, host, &result, rc ? err : NULL, rc ? NULL : err);
		rc = rc ? rc : written;
	}
	nl_netbench_result_fini(&result);
	if (rc == 0 && atomic_load(&nl_netbench_interrupted)) {
		nl_error_set(err, NL_E_CANCELLED, "measure to the end");
		return nl_error_why(err, "interrupted; the result above is partial");
	}
	return rc;
}

static int run(const struct settings *settings, struct nl_netbench_config *config, const char *host,
	       struct nl_error *err)
{
	unsigned char *key = NULL;
	int rc = settle(settings, config, err);

	if (rc == 0 && settings->key_file)
		rc = nl_netbench_key_read(settings->key_file, &key, &config->key_len, err);
	config->key = key;
	if (rc == 0)
		rc = measure(config, host, settings->json, err);
	nl_netbench_key_free(key, config->key_len);
	return rc;
}

int nl_netbench_command_client(int argc, char **argv, struct nl_error *err)
{
	struct settings set = {NL_NETBENCH_PORT_DEFAULT, 1, NL_NETBENCH_BLOCK_DEFAULT, 0, false, false, false, NULL};
	struct nl_netbench_config config;
	bool done = false;
	const struct nl_option options[] = {
		{"parallel", 'P', NL_OPTION_UINT, &set.streams, "N", "Streams per direction (default 1).", 1,
		 NL_NETBENCH_STREAMS_MAX},
		{"reverse", 'R', NL_OPTION_FLAG, &set.reverse, NULL, "From the server instead of to it.", 0, 0},
		{"bidir", 0, NL_OPTION_FLAG, &set.both, NULL, "Both directions at once.", 0, 0},
		{"time", 't', NL_OPTION_DURATION, &config.duration_ns, "TIME",
		 "Measure for this long (default 10s; a bare number is seconds).", NL_NS_PER_MS,
		 (uint64_t)NL_NETBENCH_DURATION_MAX_NS},
		{"omit", 'O', NL_OPTION_DURATION, &config.omit_ns, "TIME",
		 "Run for this long before, without counting (default 0).", 0, (uint64_t)NL_NETBENCH_OMIT_MAX_NS},
		{"interval", 'i', NL_OPTION_DURATION, &config.interval_ns, "TIME",
		 "Length of an interval (default 1s).", (uint64_t)NL_NETBENCH_INTERVAL_MIN_NS,
		 (uint64_t)NL_NETBENCH_DURATION_MAX_NS},
		{"length", 'l', NL_OPTION_BYTES, &set.block, "BYTES", "Bytes per send and receive call (default 512K).",
		 NL_NETBENCH_BLOCK_MIN, NL_NETBENCH_BLOCK_MAX},
		{"window", 'w', NL_OPTION_BYTES, &set.window, "BYTES",
		 "Socket buffers of this size (default 0: the kernel tunes them).", 0, NL_NETBENCH_WINDOW_MAX},
		{"congestion", 'C', NL_OPTION_TEXT, &config.congestion, "NAME",
		 "Congestion control of the senders (default: each system's own).", 0, 0},
		{"json", 'J', NL_OPTION_FLAG, &set.json, NULL, "One JSON document at the end instead of text.", 0, 0},
		{"bind", 'B', NL_OPTION_TEXT, &config.bind, "ADDRESS", "Connect from this local address.", 0, 0},
		{"port", 'p', NL_OPTION_UINT, &set.port, "N", "The server's port (default 7445).", 1, 65535},
		{"key-file", 0, NL_OPTION_TEXT, &set.key_file, "FILE",
		 "Authenticate with the key in this file (mode 0600), the same as the server's.", 0, 0},
	};
	const struct nl_command command = {
		.name = "netbench client",
		.arguments = "HOST",
		.summary = "Measure what TCP carries between this host and a netbench server.",
		.examples = examples,
		.options = options,
		.option_count = sizeof(options) / sizeof(options[0]),
		.argument_min = 1,
		.argument_max = 1,
	};
	const char *arguments[NL_PROGRAM_ARGUMENTS_MAX];
	size_t argument_count;
	int rc;

	nl_netbench_config_default(&config);
	rc = nl_program_options(&command, argc, argv, arguments, &argument_count, &done, err);
	return rc || done ? rc : run(&set, &config, arguments[0], err);
}
