/*
 * local: identity, spawn, end.
 */
#include "controller/conduct/local.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/parse.h"
#include "base/time.h"
#include "proto/identity.h"
#include "proto/link.h"

#define LOCAL_CERTIFICATE_DAYS 30
#define STOP_PATIENCE_NS       (20 * NL_NS_PER_S)
#define CLEAN_PATIENCE_NS      (120 * NL_NS_PER_S)
#define START_PATIENCE_NS      (60 * NL_NS_PER_S)
#define START_STEP_NS          (200 * NL_NS_PER_MS)

extern char **environ;

static int ca_certificate(const char *home, uint8_t der[NL_IDENTITY_DER_MAX], size_t *len, struct nl_error *err)
{
	char path[1100], *pem = NULL;
	size_t pem_len = 0;
	snprintf(path, sizeof path, "%s/ca.crt", home);
	int rc = nl_file_read(path, NL_IDENTITY_PEM_MAX, &pem, &pem_len, err);
	if (rc == NL_E_OK)
		rc = nl_identity_der(pem, pem_len, der, len, err);
	free(pem);
	return rc;
}

static int enrol(const char *home, const char *dir, struct nl_store *store, uint16_t port, struct nl_error *err)
{
	uint8_t request[NL_IDENTITY_DER_MAX], certificate[NL_IDENTITY_DER_MAX], ca[NL_IDENTITY_DER_MAX];
	size_t request_len = 0, certificate_len = 0, ca_len = 0;
	char path[1200], url[64];
	if (mkdir(dir, 0700) != 0 && errno != EEXIST) {
		int rc = nl_error_sys(err, errno, "create the local agent's state directory");
		nl_error_where(err, "%s", dir);
		return rc;
	}
	int rc = nl_identity_request_create(dir, NL_LOCAL_AGENT, request, &request_len, err);
	if (rc == NL_E_OK)
		rc = nl_identity_sign(home, request, request_len, NL_LOCAL_AGENT, LOCAL_CERTIFICATE_DAYS, certificate,
				      &certificate_len, err);
	if (rc == NL_E_OK)
		rc = ca_certificate(home, ca, &ca_len, err);
	if (rc == NL_E_OK)
		rc = nl_identity_agent_install(dir, ca, ca_len, certificate, certificate_len, err);
	if (rc == NL_E_OK)
		rc = nl_store_agent_put(store, NL_LOCAL_AGENT, certificate, certificate_len, nl_wall_ns(), err);
	if (rc != NL_E_OK)
		return rc;
	int len = snprintf(url, sizeof url, "tls+tcp://127.0.0.1:%u\n", port);
	snprintf(path, sizeof path, "%s/controller", dir);
	return nl_file_write_atomic(path, url, (size_t)len, 0600, err);
}

/* nasline-agent beside this program, as installed or as built; "" when it must be found in PATH. */
static void find_agent(char *path, size_t size)
{
	static const char *const beside[] = {"nasline-agent", "../agent/nasline-agent"};
	char self[1024];
	ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
	path[0] = '\0';
	if (len <= 0)
		return;
	self[len] = '\0';
	char *slash = strrchr(self, '/');
	if (!slash)
		return;
	slash[1] = '\0';
	for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
		snprintf(path, size, "%s%s", self, beside[i]);
		if (access(path, X_OK) == 0)
			return;
	}
	path[0] = '\0';
}

static int spawn(struct nl_local_agent *agent, struct nl_error *err)
{
	char path[1200], parent[24];
	char *const argv[] = {"nasline-agent", "run", "--state", agent->dir, "--parent", parent, "--quiet", NULL};
	posix_spawnattr_t attributes;
	find_agent(path, sizeof path);
	snprintf(parent, sizeof parent, "%d", (int)getpid());
	posix_spawnattr_init(&attributes);
	/* A group of its own: a Ctrl-C at the terminal is the controller's, which then ends the load in good order. */
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
	posix_spawnattr_setpgroup(&attributes, 0);
	int rc = path[0] ? posix_spawn(&agent->pid, path, NULL, &attributes, argv, environ)
			 : posix_spawnp(&agent->pid, "nasline-agent", NULL, &attributes, argv, environ);
	posix_spawnattr_destroy(&attributes);
	if (rc == 0)
		return NL_E_OK;
	agent->pid = 0;
	rc = nl_error_sys(err, rc, "start nasline-agent on this machine");
	nl_error_todo(err, "install nasline-agent beside nasline, or in PATH");
	return rc;
}

int nl_local_start(struct nl_local_agent *agent, const char *home, struct nl_store *store, uint16_t port,
		   struct nl_error *err)
{
	agent->pid = 0;
	snprintf(agent->dir, sizeof agent->dir, "%s/local", home);
	int rc = enrol(home, agent->dir, store, port, err);
	return rc == NL_E_OK ? spawn(agent, err) : rc;
}

int nl_local_wait(struct nl_local_agent *agent, struct nl_server *server, const atomic_bool *stop, struct nl_error *err)
{
	int64_t until = nl_mono_ns() + START_PATIENCE_NS;
	for (;;) {
		int status = 0, rc = nl_server_wait_agent(server, NL_LOCAL_AGENT, START_STEP_NS, stop, err);
		if (rc != NL_E_TIMEOUT)
			return rc;
		if (waitpid(agent->pid, &status, WNOHANG) == agent->pid) {
			agent->pid = 0;
			nl_error_set(err, NL_E_PEER, "the agent on this machine ended at its start");
			nl_error_todo(err, "see its message above");
			return NL_E_PEER;
		}
		if (nl_mono_ns() > until)
			return rc;
	}
}

/* Ends the agent and says how it ended, as waitpid does. */
static int end_agent(struct nl_local_agent *agent)
{
	int status = 0;
	int64_t until = nl_mono_ns() + STOP_PATIENCE_NS;
	kill(agent->pid, SIGTERM);
	while (waitpid(agent->pid, &status, WNOHANG) == 0) {
		if (nl_mono_ns() > until) {
			kill(agent->pid, SIGKILL);
			waitpid(agent->pid, &status, 0);
			break;
		}
		nl_sleep_until_mono(nl_mono_ns() + 20 * NL_NS_PER_MS);
	}
	agent->pid = 0;
	return status;
}

/* What the journal of a killed agent holds. */
static int clean_after(struct nl_local_agent *agent, struct nl_error *err)
{
	char path[1200];
	find_agent(path, sizeof path);
	const char *const argv[] = {path[0] ? path : "nasline-agent", "cleanup", "--state", agent->dir, NULL};
	struct nl_child_result result;
	int rc = nl_child_run(argv, CLEAN_PATIENCE_NS, 4096, &result, err);
	if (rc != NL_E_OK)
		return rc;
	if (result.exit_status != 0) {
		rc = nl_error_set(err, NL_E_LEFTOVER,
				  "the local agent was killed, and not all that it made could be removed");
		nl_error_why(err, "%s", result.err);
		nl_error_todo(err, "try again with: nasline-agent cleanup --state %s", agent->dir);
	}
	nl_child_result_fini(&result);
	agent->cleaned_after = rc == NL_E_OK;
	return rc;
}

int nl_local_stop(struct nl_local_agent *agent, struct nl_error *err)
{
	if (agent->pid <= 0)
		return NL_E_OK;
	int status = end_agent(agent);
	if (WIFSIGNALED(status))
		return clean_after(agent, err);
	if (WIFEXITED(status) && WEXITSTATUS(status) == nl_code_exit_status(NL_E_LEFTOVER))
		return nl_error_set(err, NL_E_LEFTOVER, "the local agent could not remove everything it made");
	return NL_E_OK;
}
