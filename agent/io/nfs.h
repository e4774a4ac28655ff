/*
 * nfs: one NFS 3 connection by libnfs, which is loaded when first needed. Every call is bounded in time.
 *
 * A session belongs to one thread. When a call runs out of time or the connection breaks, the session is dead: its
 * context is destroyed, which calls back everything that was in flight, and later calls fail with the same reason.
 */
#ifndef NL_AGENT_IO_NFS_H
#define NL_AGENT_IO_NFS_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <nfsc/libnfs.h>

#include "agent/io/load.h"

#define NL_NFS_FUNCTIONS(X)                                                                                            \
	X(nfs_init_context)                                                                                            \
	X(nfs_destroy_context)                                                                                         \
	X(nfs_get_error)                                                                                               \
	X(nfs_parse_url_dir)                                                                                           \
	X(nfs_destroy_url)                                                                                             \
	X(nfs_set_timeout)                                                                                             \
	X(nfs_get_fd)                                                                                                  \
	X(nfs_which_events)                                                                                            \
	X(nfs_service)                                                                                                 \
	X(nfs_get_readmax)                                                                                             \
	X(nfs_get_writemax)                                                                                            \
	X(nfs_mount_async)                                                                                             \
	X(nfs_umount_async)                                                                                            \
	X(nfs_lstat64_async)                                                                                           \
	X(nfs_fstat64_async)                                                                                           \
	X(nfs_create_async)                                                                                            \
	X(nfs_open_async)                                                                                              \
	X(nfs_close_async)                                                                                             \
	X(nfs_ftruncate_async)                                                                                         \
	X(nfs_fsync_async)                                                                                             \
	X(nfs_pread_async)                                                                                             \
	X(nfs_pwrite_async)                                                                                            \
	X(nfs_unlink_async)                                                                                            \
	X(nfs_mkdir_async)                                                                                             \
	X(nfs_rmdir_async)

/* The library's functions under their own names. */
struct nl_nfs_library {
#define NL_X(name) __typeof__(&name) name;
	NL_NFS_FUNCTIONS(NL_X)
#undef NL_X
};

/* nl_nfs_library loads the library once; NULL with the reason, which names the package. Any thread. */
const struct nl_nfs_library *nl_nfs_library(char *reason, size_t size);

struct nl_nfs {
	const struct nl_nfs_library *lib;
	struct nfs_context *context; /* NULL: dead */
	int64_t patience_ns;         /* for each of the calls below */
	char detail[256];            /* libnfs's words for the last failure */
};

int nl_nfs_connect(struct nl_nfs *nfs, const struct nl_share_target *share, int64_t patience_ns, struct nl_error *err);
/* nl_nfs_disconnect says goodbye to the server (at most 2 s) and frees. */
void nl_nfs_disconnect(struct nl_nfs *nfs);
/* nl_nfs_kill ends the session at once: everything in flight is called back with an error. */
void nl_nfs_kill(struct nl_nfs *nfs, const char *why);
/* nl_nfs_service waits for the socket until the instant and lets libnfs work: 0, or -errno when the session is dead. */
int nl_nfs_service(struct nl_nfs *nfs, int64_t until_ns);
/*
 * nl_nfs_errno turns an error of a libnfs callback into a negative errno that means what it says: libnfs gives -EFAULT
 * for a lost connection, but also for many a server's refusal, which is in the context's error text only: "... failed
 * with NFS3ERR_NOSPC(-28)".
 */
int nl_nfs_errno(int error, const char *text);

/* The calls: 0 or -errno with `detail`. */
int nl_nfs_lstat(struct nl_nfs *nfs, const char *path, struct nfs_stat_64 *st);
int nl_nfs_fstat(struct nl_nfs *nfs, struct nfsfh *file, struct nfs_stat_64 *st);
int nl_nfs_create(struct nl_nfs *nfs, const char *path, int flags, int mode, struct nfsfh **file);
int nl_nfs_open(struct nl_nfs *nfs, const char *path, int flags, struct nfsfh **file);
int nl_nfs_close(struct nl_nfs *nfs, struct nfsfh *file, int64_t patience_ns);
int nl_nfs_truncate(struct nl_nfs *nfs, struct nfsfh *file, uint64_t size);
int nl_nfs_fsync(struct nl_nfs *nfs, struct nfsfh *file, int64_t patience_ns);
int nl_nfs_unlink(struct nl_nfs *nfs, const char *path);
int nl_nfs_mkdir(struct nl_nfs *nfs, const char *path);
int nl_nfs_rmdir(struct nl_nfs *nfs, const char *path);

/* nl_nfs_failed words the failure of a call about `path`; for the functions of share. */
int nl_nfs_failed(const struct nl_nfs *nfs, const struct nl_share_target *share, const char *what, const char *path,
		  int negative_errno, struct nl_error *err);

#endif
