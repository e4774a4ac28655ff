/*
 * setup_commands: init, token, agents: who may take part.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/time.h"
#include "controller/commands.h"
#include "controller/conduct/server.h"
#include "controller/home.h"
#include "proto/identity.h"
#include "proto/link.h"

#define JOIN_POLL_NS (200 * NL_NS_PER_MS)

int nl_command_init(int argc, char **argv, struct nl_error *err)
{
	char home_text[1024];
	const char *home = nl_home_default(home_text, sizeof home_text), *arguments[NL_PROGRAM_ARGUMENTS_MAX];
	size_t count = 0;
	bool done = false, made = false;
	struct nl_store *store = NULL;
	static const char *const examples[] = {"nasline init\n    once on the machine that will be the controller",
					       NULL};
	const struct nl_option options[] = {NL_STATE_OPTION(home)};
	const struct nl_command command = {"nasline init",
					   "",
					   "Makes this controller's identity (a CA of its own) and its database.",
					   examples,
					   options,
					   sizeof options / sizeof *options,
					   0,
					   0};
	int rc = nl_program_options(&command, argc, argv, arguments, &count, &done, err);
	if (rc != NL_E_OK || done)
		return rc;
	rc = nl_home_make(home, &made, err);
	if (rc == NL_E_OK)
		rc = nl_home_store(home, &store, err);
	nl_store_close(store);
	if (rc == NL_E_OK)
		printf("%s\nnext: nasline token NAME --wait, and on the agent's machine: nasline-agent join\n",
		       made ? "controller made" : "this controller was made before; nothing was changed");
	return rc;
}

static void print_event(void *context, const char *text)
{
	(void)context;
	fprintf(stderr, "%s\n", text);
}

static int wait_for_join(const char *home, const char *listen, struct nl_store *store, const uint8_t hash[32],
			 const char *token_text, int64_t until_wall_ns, struct nl_error *err)
{
	struct nl_server_config config = {.state_dir = home,
					  .listen = listen,
					  .store = store,
					  .lease_ns = 10 * NL_NS_PER_S,
					  .event = print_event};
	struct nl_server *server = NULL;
	uint16_t port = 0;
	bool used = false;
	int rc = nl_server_start(&config, &server, &port, err);
	if (rc != NL_E_OK)
		return rc;
	printf("%s\n", token_text);
	fflush(stdout);
	fprintf(stderr, "waiting on port %u; on the agent's machine: nasline-agent join THIS-HOST:%u TOKEN\n", port,
		port);
	nl_commands_catch_signals();
	while (rc == NL_E_OK && !used && !atomic_load(&nl_commands_stop) && nl_wall_ns() < until_wall_ns) {
		nl_sleep_until_mono(nl_mono_ns() + JOIN_POLL_NS);
		rc = nl_store_token_used(nl_server_store_lock(server), hash, &used, err);
		nl_server_store_unlock(server);
	}
	/* The reply to the join is on its way when the token is seen used: stop only after it has left. */
	if (used)
		nl_sleep_until_mono(nl_mono_ns() + JOIN_POLL_NS);
	nl_server_stop(server);
	if (rc == NL_E_OK && !used)
		rc = atomic_load(&nl_commands_stop)
			     ? nl_error_set(err, NL_E_CANCELLED, "stopped; the token stays good")
			     : nl_error_set(err, NL_E_TIMEOUT, "the token expired before it was used");
	return rc;
}

static int check_name(const char *name, struct nl_error *err)
{
	if (name[0] == '\0' || nl_identity_name_valid(name))
		return NL_E_OK;
	nl_error_set(err, NL_E_USAGE, "\"%s\" is no agent name", name);
	nl_error_why(err, "a name has 1 to 63 of a-z, 0-9 and -, not at its ends");
	return NL_E_USAGE;
}

struct token_request {
	const char *home, *name;
	const char *listen; /* NULL: print the token only */
	int64_t valid_ns;
};

static int issue_token(const struct token_request *request, struct nl_store *store, struct nl_error *err)
{
	struct nl_token token;
	uint8_t hash[32];
	char text[160];
	int64_t until = nl_wall_ns() + request->valid_ns;
	int rc = nl_token_make(request->home, &token, err);
	if (rc == NL_E_OK)
		rc = nl_token_hash(token.secret, hash, err);
	if (rc == NL_E_OK)
		rc = nl_store_token_add(store, hash, request->name, until, err);
	if (rc == NL_E_OK) {
		nl_token_text(&token, text, sizeof text);
		if (request->listen)
			rc = wait_for_join(request->home, request->listen, store, hash, text, until, err);
		else
			printf("%s\n", text);
	}
	explicit_bzero(&token, sizeof token);
	explicit_bzero(text, sizeof text);
	return rc;
}

int nl_command_token(int argc, char **argv, struct nl_error *err)
{
	char home_text[1024], listen_text[64];
	const char *home = nl_home_default(home_text, sizeof home_text), *listen = listen_text,
		   *arguments[NL_PROGRAM_ARGUMENTS_MAX];
	int64_t valid_ns = 3600 * NL_NS_PER_S;
	bool wait = false, done = false;
	size_t count = 0;
	struct nl_store *store = NULL;
	static const char *const examples[] = {
		"nasline token truenas --wait\n    prints a token and listens until the agent truenas has joined with "
		"it",
		"nasline token pve1\n    prints the token only; any listening nasline, as `nasline run`, takes it",
		NULL};
	const struct nl_option options[] = {
		NL_STATE_OPTION(home),
		{"valid", 0, NL_OPTION_DURATION, &valid_ns, "TIME", "how long the token is good (default 1h)",
		 NL_NS_PER_S, 7 * 86400 * (uint64_t)NL_NS_PER_S},
		{"wait", 'w', NL_OPTION_FLAG, &wait, NULL, "listen until the token was used", 0, 0},
		{"listen", 0, NL_OPTION_TEXT, &listen, "ADDR:PORT", "where to listen (default 0.0.0.0:7443)", 0, 0},
	};
	const struct nl_command command = {
		"nasline token",
		"[NAME]",
		"Prints a one-time token by which the agent NAME (or any one agent) may join this controller.",
		examples,
		options,
		sizeof options / sizeof *options,
		0,
		1};
	snprintf(listen_text, sizeof listen_text, "0.0.0.0:%d", NL_LINK_DEFAULT_PORT);
	int rc = nl_program_options(&command, argc, argv, arguments, &count, &done, err);
	if (rc != NL_E_OK || done)
		return rc;
	const char *name = count ? arguments[0] : "";
	struct token_request request = {home, name, wait ? listen : NULL, valid_ns};
	rc = check_name(name, err);
	if (rc == NL_E_OK)
		rc = nl_home_check(home, err);
	if (rc == NL_E_OK)
		rc = nl_home_store(home, &store, err);
	if (rc == NL_E_OK)
		rc = issue_token(&request, store, err);
	nl_store_close(store);
	return rc;
}

int nl_command_agents(int argc, char **argv, struct nl_error *err)
{
	char home_text[1024];
	const char *home = nl_home_default(home_text, sizeof home_text), *arguments[NL_PROGRAM_ARGUMENTS_MAX];
	size_t count = 0, agent_count = 0;
	bool done = false;
	struct nl_store *store = NULL;
	struct nl_store_agent *agents = NULL;
	static const char *const examples[] = {"nasline agents", NULL};
	const struct nl_option options[] = {NL_STATE_OPTION(home)};
	const struct nl_command command = {"nasline agents",
					   "",
					   "Lists the agents that have joined, and when they were last seen.",
					   examples,
					   options,
					   sizeof options / sizeof *options,
					   0,
					   0};
	int rc = nl_program_options(&command, argc, argv, arguments, &count, &done, err);
	if (rc != NL_E_OK || done)
		return rc;
	rc = nl_home_store_read(home, &store, err);
	if (rc == NL_E_OK)
		rc = nl_store_agents(store, &agents, &agent_count, err);
	if (rc == NL_E_OK)
		printf("%-20s %-24s %-10s %-22s %s\n", "AGENT", "HOST", "VERSION", "JOINED", "LAST SEEN");
	for (size_t i = 0; rc == NL_E_OK && i < agent_count; i++) {
		char joined[32], seen[32] = "never";
		nl_wall_text(agents[i].joined_wall_ns, joined, sizeof joined);
		if (agents[i].seen_wall_ns)
			nl_wall_text(agents[i].seen_wall_ns, seen, sizeof seen);
		printf("%-20s %-24s %-10s %-22s %s\n", agents[i].name, agents[i].host, agents[i].version, joined, seen);
	}
	free(agents);
	nl_store_close(store);
	return rc;
}
