/*
 * commands: the options and the doing of nasline-agent's commands.
 */
#include "agent/commands.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/join.h"
#include "agent/run.h"
#include "agent/storage/storage.h"
#include "agent/undo.h"
#include "base/program.h"
#include "base/time.h"

#define PREDECESSOR_NS (30 * NL_NS_PER_S)

static atomic_bool quit;

static void on_signal(int number)
{
	(void)number;
	atomic_store(&quit, true);
}

static void catch_signals(void)
{
	struct sigaction action = {.sa_handler = on_signal};
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}

static const char *default_state(char *buf, size_t size)
{
	const char *home = getenv("HOME");
	if (geteuid() == 0)
		snprintf(buf, size, "/var/lib/nasline-agent");
	else
		snprintf(buf, size, "%s/.nasline-agent", home && home[0] ? home : ".");
	return buf;
}

#define STATE_OPTION                                                                                                   \
	{                                                                                                              \
		"state", 0, NL_OPTION_TEXT, &state, "DIR",                                                             \
			"state directory: identity and journal (default /var/lib/nasline-agent for root, "             \
			"~/.nasline-agent otherwise)",                                                                 \
			0, 0                                                                                           \
	}

/* A token on the command line is seen by every user of the machine; "-" takes it from standard input. */
static const char *token_argument(const char *argument, char *buf, size_t size)
{
	if (strcmp(argument, "-") != 0)
		return argument;
	if (!fgets(buf, (int)size, stdin))
		buf[0] = '\0';
	buf[strcspn(buf, "\r\n ")] = '\0';
	return buf;
}

int nl_command_join(int argc, char **argv, struct nl_error *err)
{
	char state_text[1024], name_text[NL_IDENTITY_NAME_MAX + 1], token_text[200];
	const char *state = default_state(state_text, sizeof state_text), *name = NULL,
		   *arguments[NL_PROGRAM_ARGUMENTS_MAX];
	bool again = false, done = false;
	int64_t timeout_ns = 60 * NL_NS_PER_S;
	size_t count = 0;
	static const char *const examples[] = {
		"nasline-agent join pve1.example:7443 nl1-...\n    with the token that `nasline token` printed",
		"nasline-agent join 192.0.2.10 - --name truenas\n    the token from standard input, the default port",
		NULL};
	const struct nl_option options[] = {
		STATE_OPTION,
		{"name", 0, NL_OPTION_TEXT, &name, "NAME", "this agent's name (default: the host's name)", 0, 0},
		{"timeout", 0, NL_OPTION_DURATION, &timeout_ns, "SECONDS",
		 "how long to wait for the controller (default 60)", NL_NS_PER_S, 3600 * (uint64_t)NL_NS_PER_S},
		{"again", 0, NL_OPTION_FLAG, &again, NULL, "replace an identity that is there already", 0, 0},
	};
	const struct nl_command command = {"nasline-agent join",
					   "URL TOKEN",
					   "Enrols this machine with the controller at URL, once.",
					   examples,
					   options,
					   sizeof options / sizeof *options,
					   2,
					   2};
	int rc = nl_program_options(&command, argc, argv, arguments, &count, &done, err);
	if (rc != NL_E_OK || done)
		return rc;
	nl_join_default_name(name_text);
	rc = nl_join(arguments[0], token_argument(arguments[1], token_text, sizeof token_text), name ? name : name_text,
		     state, again, timeout_ns, err);
	explicit_bzero(token_text, sizeof token_text);
	if (rc == NL_E_OK)
		printf("joined as %s; start the agent with: nasline-agent run --state %s\n", name ? name : name_text,
		       state);
	return rc;
}

/*
 * The agent of a `nasline local` that was killed may still be cleaning up when the next one is started: wait for the
 * journal that long.
 */
static int init_patiently(struct nl_agent *agent, const char *state, bool quiet, int64_t patience_ns,
			  struct nl_error *err)
{
	int64_t until = nl_mono_ns() + patience_ns;
	for (;;) {
		int rc = nl_agent_init(agent, state, quiet, err);
		bool taken = rc != NL_E_OK && err->sys_errno == EWOULDBLOCK;
		if (!taken || nl_mono_ns() >= until || atomic_load(&quit))
			return rc;
		nl_sleep_until_mono(nl_mono_ns() + 100 * NL_NS_PER_MS);
	}
}

int nl_command_run(int argc, char **argv, struct nl_error *err)
{
	char state_text[1024];
	const char *state = default_state(state_text, sizeof state_text), *arguments[NL_PROGRAM_ARGUMENTS_MAX];
	bool once = false, quiet = false, done = false;
	uint64_t parent = 0;
	size_t count = 0;
	struct nl_agent agent;
	static const char *const examples[] = {"nasline-agent run\n    as a service; ends cleanly at SIGTERM or Ctrl-C",
					       NULL};
	const struct nl_option options[] = {
		STATE_OPTION,
		{"once", 0, NL_OPTION_FLAG, &once, NULL, "end after the first session with the controller", 0, 0},
		{"parent", 0, NL_OPTION_UINT, &parent, "PID",
		 "end when the process PID, which started this one, ends (for `nasline local`)", 1, INT32_MAX},
		{"quiet", 'q', NL_OPTION_FLAG, &quiet, NULL, "say errors only", 0, 0},
	};
	const struct nl_command command = {
		"nasline-agent run",
		"",
		"Serves the controller's orders until stopped; cleans up first what an earlier run left.",
		examples,
		options,
		sizeof options / sizeof *options,
		0,
		0};
	int rc = nl_program_options(&command, argc, argv, arguments, &count, &done, err);
	if (rc != NL_E_OK || done)
		return rc;
	catch_signals();
	if (parent) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		/* The number is given, for a parent that is gone already would not be seen. */
		if (getppid() != (pid_t)parent)
			return nl_error_set(err, NL_E_CANCELLED, "the parent process is gone");
	}
	rc = init_patiently(&agent, state, quiet, parent ? PREDECESSOR_NS : 0, err);
	if (rc != NL_E_OK)
		return rc;
	rc = nl_agent_run(&agent, &quit, once, err);
	nl_agent_fini(&agent);
	return rc;
}

static void print_fact(void *context, const char *subject, const char *key, const char *value)
{
	(void)context;
	printf("%-24s %-28s %s\n", subject, key, value);
}

static int probe_storage(const char *path, struct nl_error *err)
{
	const struct nl_storage_backend *backend = NULL;
	int rc = nl_storage_backend_for(path, &backend, err);
	if (rc != NL_E_OK)
		return rc;
	print_fact(NULL, "storage", "backend", backend->name);
	return backend->describe(path, print_fact, NULL, err);
}

int nl_command_probe(int argc, char **argv, struct nl_error *err)
{
	const char *path = NULL, *peer = NULL, *arguments[NL_PROGRAM_ARGUMENTS_MAX];
	bool done = false;
	size_t count = 0;
	char nic[32];
	static const char *const examples[] = {"nasline-agent probe --path /mnt/tank --peer pve1", NULL};
	const struct nl_option options[] = {
		{"path", 0, NL_OPTION_TEXT, &path, "DIR", "describe the storage under this directory too", 0, 0},
		{"peer", 0, NL_OPTION_TEXT, &peer, "HOST", "describe the network interface that leads to this host too",
		 0, 0},
	};
	const struct nl_command command = {"nasline-agent probe",
					   "",
					   "Shows what this agent sees of its machine; touches nothing.",
					   examples,
					   options,
					   sizeof options / sizeof *options,
					   0,
					   0};
	int rc = nl_program_options(&command, argc, argv, arguments, &count, &done, err);
	if (rc != NL_E_OK || done)
		return rc;
	rc = nl_host_describe(print_fact, NULL, err);
	if (rc == NL_E_OK && peer)
		rc = nl_nic_for_peer(peer, nic, err);
	if (rc == NL_E_OK && peer)
		rc = nl_nic_describe(nic, print_fact, NULL, err);
	if (rc == NL_E_OK && path)
		rc = probe_storage(path, err);
	static const enum nl_engine_id engines[] = {NL_ENGINE_IO_URING, NL_ENGINE_PSYNC, NL_ENGINE_LIBNFS,
						    NL_ENGINE_LIBSMBCLIENT};
	for (size_t i = 0; rc == NL_E_OK && i < sizeof engines / sizeof *engines; i++) {
		char reason[200] = "";
		bool works = nl_engine_probe(engines[i], reason, sizeof reason);
		print_fact(NULL, "engine", nl_engine_name(engines[i]), works ? "works" : reason);
	}
	return rc;
}

int nl_command_cleanup(int argc, char **argv, struct nl_error *err)
{
	char state_text[1024];
	const char *state = default_state(state_text, sizeof state_text), *arguments[NL_PROGRAM_ARGUMENTS_MAX];
	bool done = false;
	size_t count = 0;
	unsigned undone = 0;
	struct nl_agent agent;
	struct nl_undo_scope everything = {.run_id = NULL};
	static const char *const examples[] = {
		"nasline-agent cleanup\n    what `nasline-agent run` also does when it starts", NULL};
	const struct nl_option options[] = {STATE_OPTION};
	const struct nl_command command = {"nasline-agent cleanup",
					   "",
					   "Removes what this agent's journal says an interrupted campaign left here.",
					   examples,
					   options,
					   sizeof options / sizeof *options,
					   0,
					   0};
	int rc = nl_program_options(&command, argc, argv, arguments, &count, &done, err);
	if (rc != NL_E_OK || done)
		return rc;
	rc = nl_agent_init(&agent, state, true, err);
	if (rc != NL_E_OK)
		return rc;
	rc = nl_undo(&agent, &everything, &undone, err);
	printf("%u thing%s removed\n", undone, undone == 1 ? "" : "s");
	nl_agent_fini(&agent);
	return rc;
}
