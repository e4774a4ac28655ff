/*
 * unmount: umount2 in child processes. Unmounting writes back what is dirty, which with a dead server ends never; a
 * thread in that call could not be taken back, a child can be left alone.
 */
#include "agent/mount/unmount.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/storage/mountinfo.h"
#include "base/time.h"

#define POLITE_NS   (6 * NL_NS_PER_S) /* for one call */
#define FORCED_NS   (2 * NL_NS_PER_S)
#define BUSY_NS     (2 * NL_NS_PER_S) /* for files in use to be closed */
#define POLL_NS     (5 * NL_NS_PER_MS)
#define STACKED_MAX 8 /* mounts on one another */

/* Waits for the child; its errno value, or ETIMEDOUT after which it is killed and left to die when the kernel lets it.
 */
static int wait_for(pid_t child, int64_t timeout_ns)
{
	int64_t deadline = nl_mono_ns() + timeout_ns;
	int status;
	for (;;) {
		pid_t done = waitpid(child, &status, WNOHANG);
		if (done == child)
			return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
		if (done < 0 && errno != EINTR)
			return 0; /* reaped by someone else: the table of mounts will tell */
		if (nl_mono_ns() > deadline)
			break;
		nl_sleep_until_mono(nl_mono_ns() + POLL_NS);
	}
	kill(child, SIGKILL);
	(void)waitpid(child, &status, WNOHANG);
	return ETIMEDOUT;
}

static int umount_in_child(const char *path, int flags, int64_t timeout_ns)
{
	pid_t child = fork();
	if (child < 0)
		return errno;
	if (child == 0)
		_exit(umount2(path, flags | UMOUNT_NOFOLLOW) == 0 ? 0 : errno & 0xff);
	return wait_for(child, timeout_ns);
}

/* One layer: nicely, then by force and lazily. */
static int take_one(const char *path)
{
	int64_t patience = nl_mono_ns() + BUSY_NS;
	int failed = umount_in_child(path, 0, POLITE_NS);
	while (failed == EBUSY && nl_mono_ns() < patience) {
		nl_sleep_until_mono(nl_mono_ns() + 20 * POLL_NS);
		failed = umount_in_child(path, 0, POLITE_NS);
	}
	if (failed == 0 || failed == EPERM)
		return failed;
	/* Force ends requests that wait for a dead server; lazily takes it out of the tree while files are still open.
	 */
	(void)umount_in_child(path, MNT_FORCE, FORCED_NS);
	return umount_in_child(path, MNT_DETACH, FORCED_NS);
}

int nl_unmount_bounded(const char *path, struct nl_error *err)
{
	bool mounted = true;
	int failed = 0;
	for (unsigned i = 0; i < STACKED_MAX; i++) {
		int code = nl_mountinfo_is_mount_point(path, &mounted, err);
		if (code || !mounted)
			return code;
		failed = take_one(path);
		if (failed == EPERM)
			break;
	}
	int code = nl_mountinfo_is_mount_point(path, &mounted, err);
	if (code || !mounted)
		return code;
	nl_error_set(err, NL_E_LEFTOVER, "a mount could not be taken away");
	nl_error_where(err, "%s", path);
	nl_error_why(err, "%s", failed ? strerror(failed) : "it is still in the table of mounts");
	nl_error_todo(err, "run: umount -l %s", path);
	return NL_E_LEFTOVER;
}
