/*
 * remote: starts a helper, listens to it, and makes sure that it is gone afterwards.
 *
 * Locking: none; a remote belongs to the thread that started it, which must outlive it (the helper's death signal is
 * tied to that thread).
 */
#include "agent/io/remote.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/time.h"

#define SLICE_MS          100
#define STOP_PATIENCE_NS  (8 * NL_NS_PER_S)
#define READY_PATIENCE_NS (2 * NL_NS_PER_S) /* nothing is lost by killing one that was not ready */
#define FIRST_FREE_FD     10                /* well above the helper's own, so that no dup2 overwrites a source */

extern char **environ;

static int file_actions(posix_spawn_file_actions_t *actions, int socket_end, int memory)
{
	int rc = posix_spawn_file_actions_init(actions);
	if (rc)
		return rc;
	for (int fd = 0; fd <= 2 && !rc; fd++)
		rc = posix_spawn_file_actions_addopen(actions, fd, "/dev/null", fd ? O_WRONLY : O_RDONLY, 0);
	if (!rc)
		rc = posix_spawn_file_actions_adddup2(actions, socket_end, NL_HELPER_SOCKET);
	if (!rc && memory >= 0)
		rc = posix_spawn_file_actions_adddup2(actions, memory, NL_HELPER_MEMORY);
	if (!rc)
		rc = posix_spawn_file_actions_addclosefrom_np(actions,
							      memory >= 0 ? NL_HELPER_MEMORY + 1 : NL_HELPER_MEMORY);
	return rc;
}

static int spawn(pid_t *pid, int socket_end, int memory)
{
	char *argv[] = {"nasline-smb-stream", NL_HELPER_ARGUMENT, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, all;
	int rc = file_actions(&actions, socket_end, memory);
	sigemptyset(&none);
	sigfillset(&all);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &all);
	/* A group of its own: Ctrl-C is for the agent, which ends its helpers in order. */
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
	if (!rc)
		rc = posix_spawn(pid, "/proc/self/exe", &actions, &attributes, argv, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return rc;
}

static int raised(int fd)
{
	int high = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FREE_FD);
	close(fd);
	return high;
}

static int start(struct nl_remote *remote, int control_memory)
{
	int pair[2], memory = -1, rc = 0;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return errno;
	remote->socket = pair[0];
	int end = raised(pair[1]);
	if (control_memory >= 0)
		memory = fcntl(control_memory, F_DUPFD_CLOEXEC, FIRST_FREE_FD);
	if (end < 0 || (control_memory >= 0 && memory < 0))
		rc = errno;
	if (!rc)
		rc = spawn(&remote->pid, end, memory);
	if (rc)
		remote->pid = 0;
	if (end >= 0)
		close(end);
	if (memory >= 0)
		close(memory);
	return rc;
}

int nl_remote_start(struct nl_remote *remote, const struct nl_helper_request *request, int control_memory,
		    struct nl_control *control, struct nl_error *err)
{
	*remote = (struct nl_remote){.socket = -1, .control = control};
	if (!nl_remote_allowed()) {
		nl_error_set(err, NL_E_UNSUPPORTED, "start a helper process");
		nl_error_why(err, "this program has no helper for libsmbclient in it");
		return NL_E_UNSUPPORTED;
	}
	struct nl_helper_request sent = *request;
	sent.magic = NL_HELPER_MAGIC;
	sent.parent = getpid();
	int failed = start(remote, control_memory);
	if (!failed && send(remote->socket, &sent, sizeof sent, MSG_NOSIGNAL) != (ssize_t)sizeof sent)
		failed = errno;
	nl_job_copy_wipe(&sent.copy);
	return failed ? nl_error_sys(err, failed, "start a helper process") : 0;
}

static int lost(struct nl_remote *remote, bool timed_out, struct nl_error *err)
{
	int status = 0;
	if (remote->pid) {
		if (timed_out)
			kill(remote->pid, SIGKILL);
		while (waitpid(remote->pid, &status, 0) < 0 && errno == EINTR)
			;
		remote->pid = 0;
	}
	nl_error_set(err, timed_out ? NL_E_TIMEOUT : NL_E_PEER, "work with the SMB share");
	if (timed_out)
		nl_error_why(err, "the server did not answer in time");
	else if (WIFSIGNALED(status))
		nl_error_why(err, "the helper process was ended by signal %d (%s)", WTERMSIG(status),
			     strsignal(WTERMSIG(status)));
	else
		nl_error_why(err, "the helper process ended with status %d", WEXITSTATUS(status));
	return timed_out ? NL_E_TIMEOUT : NL_E_PEER;
}

/* Waits for a message: 1 when there is one, 0 after the end of the helper, -1 after the deadline. */
static int hear(struct nl_remote *remote, int64_t until_ns, struct nl_helper_message *message)
{
	int64_t stopped_until = INT64_MAX;
	for (;;) {
		int64_t now = nl_mono_ns();
		if (now >= until_ns || now >= stopped_until)
			return -1;
		if (stopped_until == INT64_MAX && remote->control && nl_control_stopped(remote->control))
			stopped_until = now + (remote->ready ? STOP_PATIENCE_NS : READY_PATIENCE_NS);
		struct pollfd watched = {.fd = remote->socket, .events = POLLIN};
		if (poll(&watched, 1, SLICE_MS) <= 0)
			continue;
		ssize_t got = recv(remote->socket, message, sizeof *message, 0);
		if (got < 0 && errno == EINTR)
			continue;
		return got == (ssize_t)sizeof *message;
	}
}

int nl_remote_listen(struct nl_remote *remote, int64_t until_ns, nl_fact_sink *sink, void *context,
		     struct nl_error *err)
{
	struct nl_helper_message message;
	for (;;) {
		int heard = hear(remote, until_ns, &message);
		if (heard <= 0)
			return lost(remote, heard < 0, err);
		if (message.word == NL_HELPER_FACT && sink)
			sink(context, message.key, message.value);
		if (message.word == NL_HELPER_FACT)
			continue;
		remote->ready = message.word == NL_HELPER_READY;
		if (message.error.code && err)
			*err = message.error;
		return message.error.code;
	}
}

void nl_remote_end(struct nl_remote *remote)
{
	if (remote->socket >= 0)
		close(remote->socket);
	remote->socket = -1;
	if (!remote->pid)
		return;
	kill(remote->pid, SIGKILL);
	while (waitpid(remote->pid, NULL, 0) < 0 && errno == EINTR)
		;
	remote->pid = 0;
}

int nl_remote_task(const struct nl_helper_request *request, nl_fact_sink *sink, void *context, struct nl_error *err)
{
	struct nl_remote remote;
	int rc = nl_remote_start(&remote, request, -1, NULL, err);
	if (!rc)
		rc = nl_remote_listen(&remote, nl_mono_ns() + request->timeout_ns, sink, context, err);
	nl_remote_end(&remote);
	return rc;
}
