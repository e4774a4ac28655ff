/*
 * child: runs a program and listens to it. posix_spawn and not fork, because callers have threads: between fork and
 * exec only async-signal-safe calls are allowed, and spawn also tells why a program could not be started.
 */
#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/time.h"

#define TERM_GRACE_NS (2 * NL_NS_PER_S)
#define KILL_GRACE_NS (1 * NL_NS_PER_S)

extern char **environ;

/* One pipe from the child and what came through it. */
struct listen {
	int read_fd, write_fd;
	char *buf;
	size_t len, max;
};

struct child {
	pid_t pid;
	int pidfd;
	struct listen out, err;
};

/* Moves a descriptor above 2, where the child's own descriptors do not get in its way. */
static int above_two(int fd)
{
	if (fd < 0 || fd > 2)
		return fd;
	int moved = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	int kept = errno;
	close(fd);
	errno = kept;
	return moved;
}

static int listen_init(struct listen *l, size_t max)
{
	*l = (struct listen){.read_fd = -1, .write_fd = -1, .max = max};
	int fds[2];
	if (pipe2(fds, O_CLOEXEC) < 0)
		return errno;
	l->read_fd = above_two(fds[0]);
	l->write_fd = above_two(fds[1]);
	if (l->read_fd < 0 || l->write_fd < 0 || fcntl(l->read_fd, F_SETFL, O_NONBLOCK) < 0)
		return errno;
	l->buf = calloc(1, 1);
	return l->buf ? 0 : ENOMEM;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void listen_fini(struct listen *l)
{
	close_fd(&l->read_fd);
	close_fd(&l->write_fd);
	free(l->buf);
	l->buf = NULL;
}

static int keep(struct listen *l, const char *data, size_t n)
{
	size_t room = l->max - l->len;
	if (n > room)
		n = room;
	if (n == 0)
		return 0;
	char *grown = realloc(l->buf, l->len + n + 1);
	if (!grown)
		return ENOMEM;
	l->buf = grown;
	memcpy(l->buf + l->len, data, n);
	l->len += n;
	l->buf[l->len] = '\0';
	return 0;
}

/* Takes what the pipe holds now. What is above the limit is read and dropped, so that the child never waits for us. */
static int drain(struct listen *l)
{
	char chunk[4096];
	while (l->read_fd >= 0) {
		ssize_t n = read(l->read_fd, chunk, sizeof chunk);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return 0;
		if (n <= 0) {
			close_fd(&l->read_fd);
			return 0;
		}
		int failed = keep(l, chunk, (size_t)n);
		if (failed)
			return failed;
	}
	return 0;
}

/* The environment with LC_ALL=C, so that what programs print can be parsed. The array is fresh, the strings are
 * borrowed. */
static char **plain_environment(void)
{
	static char locale[] = "LC_ALL=C";
	size_t n = 0;
	while (environ && environ[n])
		n++;
	char **copy = calloc(n + 2, sizeof *copy);
	if (!copy)
		return NULL;
	size_t used = 0;
	for (size_t i = 0; i < n && environ[i]; i++)
		if (strncmp(environ[i], "LC_ALL=", 7) != 0)
			copy[used++] = environ[i];
	copy[used] = locale;
	return copy;
}

static int set_attributes(posix_spawnattr_t *attr)
{
	sigset_t none, all;
	sigemptyset(&none);
	sigfillset(&all);
	int failed =
		posix_spawnattr_setflags(attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	if (!failed)
		failed = posix_spawnattr_setpgroup(attr, 0);
	if (!failed)
		failed = posix_spawnattr_setsigmask(attr, &none);
	return failed ? failed : posix_spawnattr_setsigdefault(attr, &all);
}

static int set_descriptors(posix_spawn_file_actions_t *actions, const struct child *child)
{
	int failed = posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0);
	if (!failed)
		failed = posix_spawn_file_actions_adddup2(actions, child->out.write_fd, 1);
	if (!failed)
		failed = posix_spawn_file_actions_adddup2(actions, child->err.write_fd, 2);
	return failed ? failed : posix_spawn_file_actions_addclosefrom_np(actions, 3);
}

static int spawn(struct child *child, const char *const argv[])
{
	char **env = plain_environment();
	if (!env)
		return ENOMEM;
	posix_spawnattr_t attr;
	posix_spawn_file_actions_t actions;
	posix_spawnattr_init(&attr);
	posix_spawn_file_actions_init(&actions);
	int failed = set_attributes(&attr);
	if (!failed)
		failed = set_descriptors(&actions, child);
	if (!failed)
		failed = posix_spawnp(&child->pid, argv[0], &actions, &attr, (char *const *)argv, env);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
	free(env);
	close_fd(&child->out.write_fd);
	close_fd(&child->err.write_fd);
	return failed;
}

/* Whether the child has ended; it stays a zombie, so that its process group cannot become somebody else's. */
static bool has_ended(const struct child *child)
{
	siginfo_t info = {0};
	/* A failure means that somebody else reaped it; reap() says so. */
	return waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid == child->pid;
}

/* Listens until the child has ended (with `all`: and everybody who holds its pipes) or until the instant. 1 when it
 * ended. */
static int pump(struct child *child, int64_t until_ns, bool all, int *failed)
{
	for (;;) {
		bool ended = has_ended(child);
		*failed = drain(&child->out);
		if (!*failed)
			*failed = drain(&child->err);
		if (*failed)
			return 0;
		bool quiet = child->out.read_fd < 0 && child->err.read_fd < 0;
		if (ended && (!all || quiet))
			return 1;
		int64_t left_ns = until_ns - nl_mono_ns();
		if (left_ns <= 0)
			return 0;
		struct pollfd fds[] = {{child->out.read_fd, POLLIN, 0},
				       {child->err.read_fd, POLLIN, 0},
				       {ended ? -1 : child->pidfd, POLLIN, 0}};
		struct timespec wait = {left_ns / NL_NS_PER_S, left_ns % NL_NS_PER_S};
		/* Without a pidfd nothing wakes us at the end of a child that closed its pipes: look every 10 ms. */
		if (child->pidfd < 0 && left_ns > 10 * NL_NS_PER_MS)
			wait = (struct timespec){0, 10 * NL_NS_PER_MS};
		ppoll(fds, 3, &wait, NULL);
	}
}

static int reap(const struct child *child, int *exit_status)
{
	int status = 0;
	pid_t got;
	while ((got = waitpid(child->pid, &status, WNOHANG)) < 0 && errno == EINTR)
		;
	if (got != child->pid)
		return got < 0 ? errno : EBUSY;
	*exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	return 0;
}

/* Ends the child and its whole group. A process in an uninterruptible wait (a dead file server) outlives even SIGKILL:
 * do not wait for it. */
static bool end_group(struct child *child)
{
	int failed, exit_status;
	kill(-child->pid, SIGTERM);
	pump(child, nl_mono_ns() + TERM_GRACE_NS, true, &failed);
	kill(-child->pid, SIGKILL);
	pump(child, nl_mono_ns() + KILL_GRACE_NS, false, &failed);
	return reap(child, &exit_status) == 0;
}

static int wait_for(struct child *child, const char *name, int64_t timeout_ns, int *exit_status, struct nl_error *err)
{
	int failed = 0;
	int64_t now = nl_mono_ns();
	int64_t until = timeout_ns > INT64_MAX - now ? INT64_MAX : now + timeout_ns;
	if (pump(child, until, false, &failed)) {
		failed = reap(child, exit_status);
		return failed ? nl_error_sys(err, failed, "learn how %s ended", name) : 0;
	}
	bool gone = end_group(child);
	if (failed)
		return nl_error_sys(err, failed, "listen to %s", name);
	nl_error_set(err, NL_E_TIMEOUT, "run %s", name);
	nl_error_why(err, "it did not end within %.1f s and was %s", (double)timeout_ns / 1e9,
		     gone ? "stopped" : "killed, but hangs in the kernel");
	return NL_E_TIMEOUT;
}

static int start(struct child *child, const char *const argv[], size_t max_output, struct nl_error *err)
{
	int failed = listen_init(&child->out, max_output);
	if (!failed)
		failed = listen_init(&child->err, max_output);
	if (!failed)
		failed = spawn(child, argv);
	if (failed == ENOENT) {
		nl_error_set(err, NL_E_NOT_FOUND, "run %s", argv[0]);
		nl_error_why(err, "there is no such program");
		return NL_E_NOT_FOUND;
	}
	if (failed)
		return nl_error_sys(err, failed, "run %s", argv[0]);
	child->pidfd = pidfd_open(child->pid, 0);
	return 0;
}

int nl_child_run(const char *const argv[], int64_t timeout_ns, size_t max_output, struct nl_child_result *result,
		 struct nl_error *err)
{
	*result = (struct nl_child_result){0};
	struct child child = {
		.pid = -1, .pidfd = -1, .out = {.read_fd = -1, .write_fd = -1}, .err = {.read_fd = -1, .write_fd = -1}};
	int code = start(&child, argv, max_output, err);
	if (!code)
		code = wait_for(&child, argv[0], timeout_ns, &result->exit_status, err);
	if (!code) {
		result->out = child.out.buf;
		result->out_len = child.out.len;
		result->err = child.err.buf;
		result->err_len = child.err.len;
		child.out.buf = child.err.buf = NULL;
	}
	listen_fini(&child.out);
	listen_fini(&child.err);
	close_fd(&child.pidfd);
	return code;
}

void nl_child_result_fini(struct nl_child_result *result)
{
	free(result->out);
	free(result->err);
	*result = (struct nl_child_result){0};
}
