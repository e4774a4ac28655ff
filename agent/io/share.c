/*
 * share: checks a share, removes files, makes and removes directories: NFS here, SMB in a helper process.
 */
#include "agent/io/share.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "agent/io/nfs.h"
#include "agent/io/remote.h"
#include "base/time.h"

void nl_share_check_name(char *name, size_t size)
{
	uint64_t number = 0;
	if (getrandom(&number, sizeof number, GRND_NONBLOCK) != sizeof number)
		number = (uint64_t)nl_mono_ns();
	snprintf(name, size, ".nasline-check-%016llx", (unsigned long long)number);
}

void nl_share_file_name(const char *file_prefix, unsigned index, char *name, size_t size)
{
	snprintf(name, size, "%s-%u", file_prefix, index);
}

void nl_share_directory_above(const char *directory, char *above, size_t size)
{
	snprintf(above, size, "%s", directory);
	size_t len = strlen(above);
	while (len && above[len - 1] == '/')
		above[--len] = 0;
	char *slash = strrchr(above, '/');
	*(slash ? slash : above) = 0;
}

/* "/DIRECTORY/NAME" inside an export; either may be empty. */
static void path_of(const char *directory, const char *name, char *path, size_t size)
{
	directory += strspn(directory, "/");
	snprintf(path, size, "/%s%s%s", directory, directory[0] && name[0] ? "/" : "", name);
}

static int try_write(struct nl_nfs *nfs, const struct nl_share_target *share, const char *directory,
		     struct nl_error *err)
{
	char name[64], path[1300];
	struct nfs_stat_64 st;
	struct nfsfh *file = NULL;
	path_of(directory, "", path, sizeof path);
	int failed = nl_nfs_lstat(nfs, path, &st);
	if (!failed && !S_ISDIR(st.nfs_mode))
		failed = -ENOTDIR;
	if (failed)
		return nl_nfs_failed(nfs, share, "look at the directory in the export", path, failed, err);
	nl_share_check_name(name, sizeof name);
	path_of(directory, name, path, sizeof path);
	failed = nl_nfs_create(nfs, path, O_CREAT | O_EXCL | O_RDWR, 0600, &file);
	if (failed)
		return nl_nfs_failed(nfs, share, "make a file in the export", path, failed, err);
	nl_nfs_close(nfs, file, nfs->patience_ns);
	failed = nl_nfs_unlink(nfs, path);
	return failed ? nl_nfs_failed(nfs, share, "remove a file in the export", path, failed, err) : 0;
}

static void nfs_facts(const struct nl_nfs *nfs, nl_fact_sink *sink, void *context)
{
	char number[32];
	sink(context, "client", "libnfs");
	sink(context, "version", "3");
	sink(context, "transport", "tcp");
	snprintf(number, sizeof number, "%llu", (unsigned long long)nfs->lib->nfs_get_readmax(nfs->context));
	sink(context, "rsize", number);
	snprintf(number, sizeof number, "%llu", (unsigned long long)nfs->lib->nfs_get_writemax(nfs->context));
	sink(context, "wsize", number);
	sink(context, "connections_per_stream", "1");
}

static int nfs_check(const struct nl_helper_request *request, nl_fact_sink *sink, void *context, struct nl_error *err)
{
	struct nl_nfs nfs;
	int rc = nl_nfs_connect(&nfs, &request->copy.share, request->timeout_ns, err);
	if (rc)
		return rc;
	rc = try_write(&nfs, &request->copy.share, request->copy.directory, err);
	if (!rc && sink)
		nfs_facts(&nfs, sink, context);
	nl_nfs_disconnect(&nfs);
	return rc;
}

static int nfs_remove(const struct nl_helper_request *request, struct nl_error *err)
{
	const struct nl_share_target *share = &request->copy.share;
	char name[256], path[1300];
	struct nl_nfs nfs;
	int rc = nl_nfs_connect(&nfs, share, request->timeout_ns, err);
	if (rc)
		return rc;
	for (unsigned i = 0; i < request->count && !rc; i++) {
		nl_share_file_name(request->copy.file_prefix, i, name, sizeof name);
		path_of(request->copy.directory, name, path, sizeof path);
		int failed = nl_nfs_unlink(&nfs, path);
		if (failed && failed != -ENOENT)
			rc = nl_nfs_failed(&nfs, share, "remove a file in the export", path, failed, err);
	}
	nl_nfs_disconnect(&nfs);
	return rc;
}

static int nfs_directory(const struct nl_helper_request *request, struct nl_error *err)
{
	const struct nl_share_target *share = &request->copy.share;
	bool make = request->task == NL_HELPER_MAKE_DIRECTORY;
	char path[1300];
	struct nl_nfs nfs;
	int rc = nl_nfs_connect(&nfs, share, request->timeout_ns, err);
	if (rc)
		return rc;
	path_of(request->copy.directory, "", path, sizeof path);
	int failed = make ? nl_nfs_mkdir(&nfs, path) : nl_nfs_rmdir(&nfs, path);
	if (failed && failed != (make ? -EEXIST : -ENOENT))
		rc = nl_nfs_failed(&nfs, share,
				   make ? "make a directory in the export" : "remove a directory in the export", path,
				   failed, err);
	nl_nfs_disconnect(&nfs);
	return rc;
}

static int fill_request(struct nl_helper_request *request, enum nl_engine_id engine,
			const struct nl_share_target *share, const char *directory, const char *file_prefix,
			int64_t timeout_ns, struct nl_error *err)
{
	const struct nl_job job = {.engine = engine, .directory = directory, .file_prefix = file_prefix};
	if (!directory || strlen(directory) >= sizeof request->copy.directory ||
	    strlen(file_prefix) >= sizeof request->copy.file_prefix || strchr(file_prefix, '/')) {
		nl_error_set(err, NL_E_CONFIG, "work with a share");
		nl_error_why(err, "the name of the directory or of the files is too long, or has a / in it");
		return NL_E_CONFIG;
	}
	nl_job_copy_init(&request->copy, &job);
	request->timeout_ns = timeout_ns;
	return nl_job_copy_share(&request->copy, share, err);
}

int nl_share_check(enum nl_engine_id engine, const struct nl_share_target *share, const char *directory,
		   int64_t timeout_ns, nl_fact_sink *sink, void *context, struct nl_error *err)
{
	struct nl_helper_request request = {.task = NL_HELPER_CHECK};
	int rc = fill_request(&request, engine, share, directory, "", timeout_ns, err);
	if (!rc)
		rc = engine == NL_ENGINE_LIBNFS ? nfs_check(&request, sink, context, err)
						: nl_remote_task(&request, sink, context, err);
	nl_job_copy_wipe(&request.copy);
	return rc;
}

int nl_share_remove(enum nl_engine_id engine, const struct nl_share_target *share, const char *directory,
		    const char *file_prefix, unsigned count, int64_t timeout_ns, struct nl_error *err)
{
	struct nl_helper_request request = {.task = NL_HELPER_REMOVE, .count = count};
	int rc = file_prefix && file_prefix[0] ? 0 : nl_error_set(err, NL_E_CONFIG, "remove files without a prefix");
	if (!rc)
		rc = fill_request(&request, engine, share, directory, file_prefix, timeout_ns, err);
	if (!rc)
		rc = engine == NL_ENGINE_LIBNFS ? nfs_remove(&request, err) : nl_remote_task(&request, NULL, NULL, err);
	nl_job_copy_wipe(&request.copy);
	return rc;
}

static int directory_task(enum nl_helper_task task, enum nl_engine_id engine, const struct nl_share_target *share,
			  const char *directory, int64_t timeout_ns, struct nl_error *err)
{
	struct nl_helper_request request = {.task = task};
	int rc = fill_request(&request, engine, share, directory, "", timeout_ns, err);
	/* The share itself is nobody's to make or remove. */
	if (!rc && !directory[strspn(directory, "/")])
		rc = nl_error_set(err, NL_E_CONFIG, "make or remove the root of a share");
	if (!rc)
		rc = engine == NL_ENGINE_LIBNFS ? nfs_directory(&request, err)
						: nl_remote_task(&request, NULL, NULL, err);
	nl_job_copy_wipe(&request.copy);
	return rc;
}

int nl_share_make_directory(enum nl_engine_id engine, const struct nl_share_target *share, const char *directory,
			    int64_t timeout_ns, struct nl_error *err)
{
	return directory_task(NL_HELPER_MAKE_DIRECTORY, engine, share, directory, timeout_ns, err);
}

int nl_share_remove_directory(enum nl_engine_id engine, const struct nl_share_target *share, const char *directory,
			      int64_t timeout_ns, struct nl_error *err)
{
	return directory_task(NL_HELPER_REMOVE_DIRECTORY, engine, share, directory, timeout_ns, err);
}
