/*
 * mount: journal entry, mount point, credentials, helper; and back in the opposite order.
 *
 * The credentials' file has a name that follows from the mount point's, so that undoing an entry removes it whatever
 * became of the process that wrote it.
 */
#include "agent/mount/mount.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/mount/mount_error.h"
#include "agent/mount/mount_options.h"
#include "agent/mount/unmount.h"
#include "agent/storage/mountinfo.h"
#include "base/child.h"
#include "base/time.h"

#define MOUNTS           "/mnt"
#define CREDENTIALS      "credentials" /* of mount NAME: STATE/mnt/.NAME.credentials */
#define HELPER_OUT_BYTES 16384

static const struct helper {
	const char *protocol, *program, *package;
} helpers[] = {
	{"nfs", "mount.nfs", "nfs-common"},
	{"smb", "mount.cifs", "cifs-utils"},
};

/* Everything about one mount on its way. */
struct making {
	const struct nl_mount_request *request;
	const struct helper *helper;
	char program[64];
	char source[1024];
	char options[2048];
	char path[1024];
	char credentials[1100];
};

static bool given(const char *text)
{
	return text && text[0];
}

static int fail_at(const char *path, int sys_errno, const char *what, struct nl_error *err)
{
	int code = nl_error_sys(err, sys_errno, "%s", what);
	nl_error_where(err, "%s", path);
	return code;
}

/* STATE/mnt/NAME -> STATE/mnt/.NAME.credentials */
static bool credentials_path(const char *mount_point, char *path, size_t size)
{
	const char *slash = strrchr(mount_point, '/');
	if (!slash)
		return false;
	int n = snprintf(path, size, "%.*s/.%s.%s", (int)(slash - mount_point), mount_point, slash + 1, CREDENTIALS);
	return n > 0 && (size_t)n < size;
}

/* --- before anything is made ----------------------------------------------------------------------------------- */

static int find_helper(struct making *m, struct nl_error *err)
{
	static const char *const directories[] = {"/sbin", "/usr/sbin", "/usr/local/sbin", "/bin", "/usr/bin"};
	for (size_t i = 0; i < sizeof helpers / sizeof helpers[0]; i++)
		if (given(m->request->protocol) && strcmp(helpers[i].protocol, m->request->protocol) == 0)
			m->helper = &helpers[i];
	if (!m->helper) {
		nl_error_set(err, NL_E_CONFIG, "a mount cannot be made as asked");
		return nl_error_why(err, "the protocol is neither nfs nor smb");
	}
	for (size_t i = 0; i < sizeof directories / sizeof directories[0]; i++) {
		snprintf(m->program, sizeof m->program, "%s/%s", directories[i], m->helper->program);
		if (access(m->program, X_OK) == 0)
			return 0;
	}
	nl_error_set(err, NL_E_NOT_FOUND, "the program %s is not installed", m->helper->program);
	nl_error_where(err, "%s", m->source);
	nl_error_why(err, "mounting this share needs it");
	nl_error_todo(err, "install the package %s, or use the userland engine for this share", m->helper->package);
	return NL_E_NOT_FOUND;
}

static bool name_valid(const char *name)
{
	size_t len = name ? strlen(name) : 0;
	return len >= 1 && len <= 31 && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == len && name[0] != '-';
}

static int check_secrets(const struct nl_mount_request *r, struct nl_error *err)
{
	bool good = (!r->user || (strlen(r->user) < 256 && !strpbrk(r->user, "\r\n"))) &&
		    (!r->password || (strlen(r->password) < 512 && !strpbrk(r->password, "\r\n")));
	if (good)
		return 0;
	nl_error_set(err, NL_E_CONFIG, "a mount cannot be made as asked");
	nl_error_where(err, "user, password");
	return nl_error_why(err, "one of them is too long or has a line end in it");
}

static int place(struct making *m, const char *state_dir, struct nl_error *err)
{
	char *real = realpath(state_dir, NULL);
	if (!real)
		return fail_at(state_dir, errno, "find the state directory", err);
	int n = snprintf(m->path, sizeof m->path, "%s%s/%s", real, MOUNTS, m->request->name);
	bool fits = n > 0 && (size_t)n < sizeof m->path &&
		    credentials_path(m->path, m->credentials, sizeof m->credentials) &&
		    strcspn(real, ", \t") == strlen(real);
	char parent[1100];
	snprintf(parent, sizeof parent, "%.1000s%s", real, MOUNTS);
	free(real);
	if (!fits) {
		nl_error_set(err, NL_E_CONFIG, "the state directory cannot hold mount points");
		nl_error_where(err, "%s", state_dir);
		return nl_error_why(err, "its path is too long, or has a comma or a blank in it");
	}
	if (mkdir(parent, 0700) < 0 && errno != EEXIST)
		return fail_at(parent, errno, "make the directory of mount points", err);
	return 0;
}

static int check(struct making *m, const char *state_dir, struct nl_error *err)
{
	int code = nl_mount_source_write(m->request, m->source, sizeof m->source, err);
	if (!code && !name_valid(m->request->name)) {
		nl_error_set(err, NL_E_CONFIG, "a mount cannot be made as asked");
		nl_error_where(err, "name");
		code = nl_error_why(err, "the mount's name has other characters than a-z, 0-9 and '-', or is too long");
	}
	if (!code)
		code = nl_mount_options_check(m->request, err);
	if (!code)
		code = check_secrets(m->request, err);
	if (!code)
		code = find_helper(m, err);
	return code ? code : place(m, state_dir, err);
}

/* --- making ---------------------------------------------------------------------------------------------------- */

static int make_mount_point(const struct making *m, struct nl_error *err)
{
	bool mounted;
	int code = nl_mountinfo_is_mount_point(m->path, &mounted, err);
	if (code)
		return code;
	/* An empty directory of an earlier run will do, and is then ours to remove. */
	if (!mounted &&
	    (mkdir(m->path, 0700) == 0 || (errno == EEXIST && rmdir(m->path) == 0 && mkdir(m->path, 0700) == 0)))
		return 0;
	if (!mounted && errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR)
		return fail_at(m->path, errno, "make the mount point", err);
	nl_error_set(err, NL_E_LEFTOVER, "the mount point is taken");
	nl_error_where(err, "%s", m->path);
	nl_error_why(err, mounted ? "something is mounted there" : "there is something that is not an empty directory");
	nl_error_todo(err, "run: nasline-agent cleanup");
	return NL_E_LEFTOVER;
}

static int write_credentials(const struct making *m, struct nl_error *err)
{
	char text[1024];
	const struct nl_mount_request *r = m->request;
	int len = snprintf(text, sizeof text, "username=%s\npassword=%s\n", r->user, r->password ? r->password : "");
	(void)unlink(m->credentials);
	int fd = open(m->credentials, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	errno = fd < 0 ? errno : EIO; /* of a short write */
	int failed = fd >= 0 && write(fd, text, (size_t)len) == len ? 0 : errno;
	if (fd >= 0)
		close(fd);
	explicit_bzero(text, sizeof text);
	return failed ? fail_at(m->credentials, failed, "write the credentials for mounting", err) : 0;
}

static int no_answer(const struct making *m, int64_t timeout_ns, struct nl_error *err)
{
	nl_error_set(err, NL_E_TIMEOUT, "the %s share could not be mounted",
		     m->helper->protocol[0] == 's' ? "SMB" : "NFS");
	nl_error_where(err, "%s", m->source);
	nl_error_why(err, "%s did not end within %lld s: the server does not answer", m->helper->program,
		     (long long)(timeout_ns / NL_NS_PER_S));
	nl_error_todo(err, "check address, network and firewall");
	return NL_E_TIMEOUT;
}

static int run_helper(const struct making *m, int64_t timeout_ns, struct nl_error *err)
{
	const char *const argv[] = {m->program, m->source, m->path, "-o", m->options, NULL};
	struct nl_child_result result = {0};
	int code = nl_child_run(argv, timeout_ns, HELPER_OUT_BYTES, &result, err);
	if (code == NL_E_TIMEOUT)
		code = no_answer(m, timeout_ns, err);
	if (!code && result.exit_status != 0)
		code = nl_mount_error_from(m->helper->protocol[0] == 's', m->source,
					   result.err && result.err[0] ? result.err
					   : result.out                ? result.out
								       : "",
					   err);
	nl_child_result_fini(&result);
	return code;
}

/* The helper may say yes and the kernel no (mount.nfs with `bg` did). */
static int check_mounted(const struct making *m, struct nl_error *err)
{
	bool mounted;
	int code = nl_mountinfo_is_mount_point(m->path, &mounted, err);
	if (code || mounted)
		return code;
	nl_error_set(err, NL_E_SYSTEM, "the share is not mounted");
	nl_error_where(err, "%s", m->source);
	nl_error_why(err, "%s ended well, but nothing is mounted at %.200s", m->helper->program, m->path);
	return NL_E_SYSTEM;
}

static int do_mount(struct making *m, int64_t timeout_ns, struct nl_error *err)
{
	bool secret = m->helper->protocol[0] == 's' && given(m->request->user);
	int code =
		nl_mount_options_write(m->request, secret ? m->credentials : NULL, m->options, sizeof m->options, err);
	if (!code && secret)
		code = write_credentials(m, err);
	if (!code)
		code = run_helper(m, timeout_ns, err);
	if (secret && unlink(m->credentials) < 0 && errno != ENOENT && !code)
		code = fail_at(m->credentials, errno, "remove the credentials after mounting", err);
	return code ? code : check_mounted(m, err);
}

int nl_mount_make(struct nl_journal *journal, const char *state_dir, const char *run_id,
		  const struct nl_mount_request *request, int64_t timeout_ns, char *path, struct nl_error *err)
{
	struct making m = {.request = request};
	struct nl_journal_entry entry = {.kind = NL_JOURNAL_MOUNT};
	int code = check(&m, state_dir, err);
	if (code)
		return code;
	snprintf(entry.run_id, sizeof entry.run_id, "%s", run_id);
	memcpy(entry.path, m.path, sizeof entry.path);
	memcpy(entry.detail, m.source, sizeof entry.detail);
	code = nl_journal_add(journal, &entry, err);
	if (code)
		return code;
	code = make_mount_point(&m, err);
	if (code) {
		/* What is there is not this entry's. */
		(void)nl_journal_remove(journal, entry.id, NULL);
		return code;
	}
	code = do_mount(&m, timeout_ns, err);
	if (code)
		(void)nl_mount_undo(journal, &entry, NULL);
	else
		memcpy(path, m.path, sizeof m.path);
	return code;
}

/* --- undoing --------------------------------------------------------------------------------------------------- */

/* Only STATE/mnt/NAME is ever unmounted, whatever an entry says. */
static bool path_is_ours(const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t len = slash ? (size_t)(slash - path) : 0, mounts = strlen(MOUNTS);
	return path[0] == '/' && len > mounts && strncmp(slash - mounts, MOUNTS, mounts) == 0 &&
	       name_valid(slash + 1) && !strstr(path, "/../") && !strstr(path, "//");
}

static int leftover(const char *path, const char *why, struct nl_error *err)
{
	nl_error_set(err, NL_E_LEFTOVER, "a mount point could not be removed");
	nl_error_where(err, "%s", path);
	nl_error_why(err, "%s", why);
	nl_error_todo(err, "look at it, then run: nasline-agent cleanup");
	return NL_E_LEFTOVER;
}

int nl_mount_undo(struct nl_journal *journal, const struct nl_journal_entry *entry, struct nl_error *err)
{
	char credentials[1100];
	if (entry->kind != NL_JOURNAL_MOUNT || !path_is_ours(entry->path))
		return leftover(entry->path, "the journal's entry does not name a mount point of ours", err);
	if (credentials_path(entry->path, credentials, sizeof credentials) && unlink(credentials) < 0 &&
	    errno != ENOENT)
		return leftover(credentials, strerror(errno), err);
	int code = nl_unmount_bounded(entry->path, err);
	if (code)
		return code;
	if (rmdir(entry->path) < 0 && errno != ENOENT)
		return leftover(entry->path,
				errno == ENOTEMPTY ? "files were written into it while nothing was mounted"
						   : strerror(errno),
				err);
	return nl_journal_remove(journal, entry->id, err);
}
