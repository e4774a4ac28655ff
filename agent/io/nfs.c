/*
 * nfs: libnfs with deadlines.
 *
 * Locking: the library table is made once (pthread_once) and never changes after that.
 */
#include "agent/io/nfs.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/time.h"

#define SLICE_NS   (100 * NL_NS_PER_MS) /* libnfs looks at its own time-outs only when it is called */
#define GOODBYE_NS (2 * NL_NS_PER_S)
#define LIBRARY    "libnfs.so.13"
#define PACKAGE    "libnfs13"

static struct nl_nfs_library table;
static bool loaded;
static char load_reason[200];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static const struct {
	const char *name;
	size_t place;
} functions[] = {
#define NL_X(name) {#name, offsetof(struct nl_nfs_library, name)},
	NL_NFS_FUNCTIONS(NL_X)
#undef NL_X
};

static void load_library(void)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		snprintf(load_reason, sizeof load_reason, "%s is not there: install the package %s", LIBRARY, PACKAGE);
		return;
	}
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		void *symbol = dlsym(library, functions[i].name);
		if (!symbol) {
			snprintf(load_reason, sizeof load_reason,
				 "%s has no %s: it is not the version of the package %s", LIBRARY, functions[i].name,
				 PACKAGE);
			dlclose(library);
			return;
		}
		memcpy((char *)&table + functions[i].place, &symbol, sizeof symbol);
	}
	loaded = true;
}

const struct nl_nfs_library *nl_nfs_library(char *reason, size_t size)
{
	pthread_once(&once, load_library);
	if (loaded)
		return &table;
	snprintf(reason, size, "%s", load_reason);
	return NULL;
}

/* One awaited call. */
struct call {
	bool done;
	int error;
	void *data;
	struct nfs_stat_64 *st;
	struct nl_nfs *nfs;
};

static void on_done(int error, struct nfs_context *context, void *data, void *private_data)
{
	struct call *call = private_data;
	call->done = true;
	call->error = error;
	if (error < 0 && call->nfs->context)
		snprintf(call->nfs->detail, sizeof call->nfs->detail, "%s", call->nfs->lib->nfs_get_error(context));
	else if (error >= 0)
		call->data = data;
	/* What `data` points to is only there during this call. */
	if (error >= 0 && call->st && data)
		memcpy(call->st, data, sizeof *call->st);
}

int nl_nfs_errno(int error, const char *text)
{
	const char *status = text ? strstr(text, "NFS3ERR_") : NULL;
	const char *number = status ? strchr(status, '(') : NULL;
	if (error == -EFAULT && number) {
		long value = strtol(number + 1, NULL, 10);
		if (value < 0 && value > -4096)
			return (int)value;
	}
	if (error == -EFAULT)
		return -ECONNRESET;
	return error == -EINTR ? -ETIMEDOUT : error;
}

void nl_nfs_kill(struct nl_nfs *nfs, const char *why)
{
	struct nfs_context *context = nfs->context;
	nfs->context = NULL;
	if (context)
		nfs->lib->nfs_destroy_context(context);
	snprintf(nfs->detail, sizeof nfs->detail, "%s", why);
}

/* libnfs only says that the socket failed; the kernel says why. */
static int socket_failure(int fd, short revents)
{
	int failure = 0;
	socklen_t size = sizeof failure;
	if (revents & (POLLERR | POLLHUP) && getsockopt(fd, SOL_SOCKET, SO_ERROR, &failure, &size))
		failure = errno;
	return failure;
}

int nl_nfs_service(struct nl_nfs *nfs, int64_t until_ns)
{
	if (!nfs->context)
		return -ENOTCONN;
	int64_t left = until_ns - nl_mono_ns();
	left = left < 0 ? 0 : left < SLICE_NS ? left : SLICE_NS;
	struct timespec slice = {.tv_nsec = left};
	struct pollfd watched = {.fd = nfs->lib->nfs_get_fd(nfs->context),
				 .events = (short)nfs->lib->nfs_which_events(nfs->context)};
	int ready = ppoll(&watched, 1, &slice, NULL);
	if (ready < 0)
		return errno == EINTR ? 0 : -errno;
	int failure = ready ? socket_failure(watched.fd, watched.revents) : 0;
	if (nfs->lib->nfs_service(nfs->context, ready ? watched.revents : 0) >= 0)
		return 0;
	char why[200];
	snprintf(why, sizeof why, "%s",
		 failure                              ? strerror(failure)
		 : ready && watched.revents & POLLHUP ? "the server closed the connection"
						      : nfs->lib->nfs_get_error(nfs->context));
	nl_nfs_kill(nfs, why);
	return failure ? -failure : -ECONNRESET;
}

static int await(struct nl_nfs *nfs, struct call *call, int started, int64_t patience_ns)
{
	int64_t until = nl_mono_ns() + patience_ns;
	if (started) {
		snprintf(nfs->detail, sizeof nfs->detail, "%s", nfs->lib->nfs_get_error(nfs->context));
		return started < -1 ? nl_nfs_errno(started, nfs->detail) : -EIO;
	}
	while (!call->done) {
		int rc = nl_nfs_service(nfs, until);
		if (rc)
			return rc;
		if (!call->done && nl_mono_ns() >= until) {
			/* The call lives on our stack: nothing may call it back later. */
			nl_nfs_kill(nfs, "the server does not answer in time");
			return -ETIMEDOUT;
		}
	}
	return call->error < 0 ? nl_nfs_errno(call->error, nfs->detail) : 0;
}

#define CALL(nfs, patience, function, ...)                                                                             \
	struct call call = {.nfs = (nfs)};                                                                             \
	(nfs)->detail[0] = 0;                                                                                          \
	if (!(nfs)->context)                                                                                           \
		return -ENOTCONN;                                                                                      \
	int rc = await((nfs), &call, (nfs)->lib->function((nfs)->context, __VA_ARGS__, on_done, &call), (patience))

int nl_nfs_lstat(struct nl_nfs *nfs, const char *path, struct nfs_stat_64 *st)
{
	struct call call = {.nfs = nfs, .st = st};
	if (!nfs->context)
		return -ENOTCONN;
	return await(nfs, &call, nfs->lib->nfs_lstat64_async(nfs->context, path, on_done, &call), nfs->patience_ns);
}

int nl_nfs_fstat(struct nl_nfs *nfs, struct nfsfh *file, struct nfs_stat_64 *st)
{
	struct call call = {.nfs = nfs, .st = st};
	if (!nfs->context)
		return -ENOTCONN;
	return await(nfs, &call, nfs->lib->nfs_fstat64_async(nfs->context, file, on_done, &call), nfs->patience_ns);
}

int nl_nfs_create(struct nl_nfs *nfs, const char *path, int flags, int mode, struct nfsfh **file)
{
	CALL(nfs, nfs->patience_ns, nfs_create_async, path, flags, mode);
	*file = rc ? NULL : call.data;
	return rc;
}

int nl_nfs_open(struct nl_nfs *nfs, const char *path, int flags, struct nfsfh **file)
{
	CALL(nfs, nfs->patience_ns, nfs_open_async, path, flags);
	*file = rc ? NULL : call.data;
	return rc;
}

int nl_nfs_close(struct nl_nfs *nfs, struct nfsfh *file, int64_t patience_ns)
{
	CALL(nfs, patience_ns, nfs_close_async, file);
	return rc;
}

int nl_nfs_truncate(struct nl_nfs *nfs, struct nfsfh *file, uint64_t size)
{
	CALL(nfs, nfs->patience_ns, nfs_ftruncate_async, file, size);
	return rc;
}

int nl_nfs_fsync(struct nl_nfs *nfs, struct nfsfh *file, int64_t patience_ns)
{
	CALL(nfs, patience_ns, nfs_fsync_async, file);
	return rc;
}

int nl_nfs_unlink(struct nl_nfs *nfs, const char *path)
{
	CALL(nfs, nfs->patience_ns, nfs_unlink_async, path);
	return rc;
}

int nl_nfs_mkdir(struct nl_nfs *nfs, const char *path)
{
	CALL(nfs, nfs->patience_ns, nfs_mkdir_async, path);
	return rc;
}

int nl_nfs_rmdir(struct nl_nfs *nfs, const char *path)
{
	CALL(nfs, nfs->patience_ns, nfs_rmdir_async, path);
	return rc;
}

static int mount(struct nl_nfs *nfs, const struct nl_share_target *share)
{
	CALL(nfs, nfs->patience_ns, nfs_mount_async, share->server, share->share);
	return rc;
}

/* What a failed mount's text means, as libnfs gives little more than the text. */
static const struct {
	const char *text;
	enum nl_code code;
	const char *why, *todo;
} mount_failures[] = {
	{"MNT3ERR_ACCES", NL_E_ACCESS, "the server denies access to the export, or has none of that name",
	 "allow this client in the server's export"},
	{"MNT3ERR_PERM", NL_E_ACCESS, "the server denies access to the export, or has none of that name",
	 "allow this client in the server's export"},
	{"MNT3ERR_NOENT", NL_E_NOT_FOUND, "the server has no such export", "check the path with: showmount -e SERVER"},
	{"MNT3ERR_NOTDIR", NL_E_NOT_FOUND, "the export is not a directory", "check the path with: showmount -e SERVER"},
	{"resolve", NL_E_NOT_FOUND, "the server's name is not known", "check the name"},
	{"Invalid address", NL_E_NOT_FOUND, "the server's name is not known", "check the name"},
	{"does not support NFS", NL_E_UNSUPPORTED, "the server does not offer NFS 3",
	 "enable NFS 3 on the server, or use a kernel mount"},
	{"oute to host", NL_E_PEER, "the server cannot be reached", "check the address"},
	{"unreachable", NL_E_PEER, "the server cannot be reached", "check the address"},
	{"Program not available", NL_E_UNSUPPORTED, "the server does not offer NFS 3 at that port", "check the port"},
	{"efused", NL_E_PEER, "nothing listens there: no NFS server, or no portmapper",
	 "check that the server offers NFS 3"},
};

static int mount_failed(const struct nl_nfs *nfs, const struct nl_share_target *share, int failed, struct nl_error *err)
{
	int code = failed == -ETIMEDOUT ? NL_E_TIMEOUT
		   : failed == -EACCES  ? NL_E_ACCESS
		   : failed == -ENOENT  ? NL_E_NOT_FOUND
					: NL_E_PEER;
	const char *why = failed == -ETIMEDOUT ? "the server does not answer in time" : nfs->detail;
	const char *todo = "";
	for (size_t i = 0; i < sizeof mount_failures / sizeof *mount_failures; i++)
		if (strstr(nfs->detail, mount_failures[i].text)) {
			code = mount_failures[i].code;
			why = mount_failures[i].why;
			todo = mount_failures[i].todo;
			break;
		}
	nl_error_set(err, (enum nl_code)code, "reach the NFS export");
	nl_error_where(err, "%s:%s", share->server, share->share);
	nl_error_why(err, "%s", why[0] ? why : strerror(-failed));
	nl_error_todo(err, "%s", todo);
	return code;
}

static bool set_up(struct nl_nfs *nfs, const struct nl_share_target *share)
{
	char url[200];
	/*
	 * Only the settings are taken from the URL. No reconnecting: writes that a restarted server forgot would go
	 * unnoticed, as libnfs does not compare write verifiers.
	 */
	size_t len = (size_t)snprintf(url, sizeof url,
				      "nfs://settings/only?version=3&autoreconnect=0&auto-traverse-mounts=0"
				      "&tcp-syncnt=3");
	if (share->port)
		snprintf(url + len, sizeof url - len, "&nfsport=%u", share->port);
	struct nfs_url *parsed = nfs->lib->nfs_parse_url_dir(nfs->context, url);
	if (!parsed)
		return false;
	nfs->lib->nfs_destroy_url(parsed);
	nfs->lib->nfs_set_timeout(nfs->context, 60000);
	return true;
}

int nl_nfs_connect(struct nl_nfs *nfs, const struct nl_share_target *share, int64_t patience_ns, struct nl_error *err)
{
	char reason[200];
	memset(nfs, 0, sizeof *nfs);
	nfs->patience_ns = patience_ns;
	nfs->lib = nl_nfs_library(reason, sizeof reason);
	if (!nfs->lib) {
		nl_error_set(err, NL_E_UNSUPPORTED, "use libnfs");
		nl_error_why(err, "%s", reason);
		return NL_E_UNSUPPORTED;
	}
	nfs->context = nfs->lib->nfs_init_context();
	if (!nfs->context || !set_up(nfs, share)) {
		nl_nfs_kill(nfs, "");
		return nl_error_set(err, NL_E_SYSTEM, "set up libnfs");
	}
	int failed = mount(nfs, share);
	if (!failed)
		return 0;
	mount_failed(nfs, share, failed, err);
	nl_nfs_kill(nfs, "");
	return err ? (int)err->code : NL_E_PEER;
}

static int unmount(struct nl_nfs *nfs)
{
	struct call call = {.nfs = nfs};
	return await(nfs, &call, nfs->lib->nfs_umount_async(nfs->context, on_done, &call), GOODBYE_NS);
}

void nl_nfs_disconnect(struct nl_nfs *nfs)
{
	if (nfs->context)
		unmount(nfs);
	if (nfs->context)
		nl_nfs_kill(nfs, "");
}

int nl_nfs_failed(const struct nl_nfs *nfs, const struct nl_share_target *share, const char *what, const char *path,
		  int negative_errno, struct nl_error *err)
{
	int code = nl_error_sys(err, -negative_errno, "%s", what);
	nl_error_where(err, "%s:%s, %s", share->server, share->share, path);
	if (negative_errno == -ECONNRESET || negative_errno == -ENOTCONN) {
		code = NL_E_PEER;
		if (err)
			err->code = NL_E_PEER;
	}
	if (negative_errno == -ECONNRESET || negative_errno == -ENOTCONN || negative_errno == -ETIMEDOUT)
		nl_error_why(err, "%s", nfs->detail[0] ? nfs->detail : "the connection was lost");
	return code;
}
