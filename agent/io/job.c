/*
 * job: says whether a job makes sense, and keeps a copy of one.
 */
#include "agent/io/job.h"

#include <string.h>

#include "agent/io/engine.h"
#include "base/time.h"

#define BUFFER_BYTES_MAX (UINT64_C(1) << 30) /* of a stream: what io_uring can register as one buffer */
#define LOAD_BYTES_MAX   (UINT64_C(4) << 30) /* of all streams */
#define FILE_BYTES_MAX   (UINT64_C(1) << 56)
#define DURATION_NS_MAX  (INT64_C(30) * 86400 * NL_NS_PER_S)

bool nl_job_timed(const struct nl_job *job)
{
	return job->duration_ns > 0;
}

bool nl_job_may_write(const struct nl_job *job)
{
	return job->read_percent || job->write;
}

bool nl_job_may_read(const struct nl_job *job)
{
	return job->read_percent || !job->write;
}

bool nl_job_fresh(const struct nl_job *job)
{
	return job->write && !job->read_percent && !job->random && !job->lay_files;
}

static int wrong(struct nl_error *err, const char *field, const char *why)
{
	nl_error_set(err, NL_E_CONFIG, "check the load's job");
	nl_error_where(err, "%s", field);
	nl_error_why(err, "%s", why);
	return NL_E_CONFIG;
}

static bool text_fits(const char *text, size_t size)
{
	return text && text[0] && strlen(text) < size;
}

static bool version_known(enum nl_engine_id engine, const char *version)
{
	static const char *const smb[] = {"2.1", "3.0", "3.0.2", "3.1.1"};
	if (engine == NL_ENGINE_LIBNFS)
		return !strcmp(version, "3");
	for (size_t i = 0; i < sizeof smb / sizeof *smb; i++)
		if (!strcmp(version, smb[i]))
			return true;
	return false;
}

int nl_share_target_check(enum nl_engine_id engine, const struct nl_share_target *share, struct nl_error *err)
{
	struct nl_job_copy *sizes = NULL;
	bool smb = engine == NL_ENGINE_LIBSMBCLIENT;
	if (engine != NL_ENGINE_LIBNFS && !smb)
		return wrong(err, "engine", "only libnfs and libsmbclient reach a share without a mount");
	if (!share)
		return wrong(err, "share", "the engine needs a share");
	if (!text_fits(share->server, sizeof sizes->server))
		return wrong(err, "share.server", "a server name or address of at most 255 characters is needed");
	if (!text_fits(share->share, sizeof sizes->share_name))
		return wrong(err, "share.share", "an export path or share name of at most 1023 characters is needed");
	if (!smb && share->share[0] != '/')
		return wrong(err, "share.share", "an NFS export is a path that begins with /");
	if (smb && strchr(share->share, '/'))
		return wrong(err, "share.share", "an SMB share is a name without /");
	if (share->version && !version_known(engine, share->version))
		return wrong(
			err, "share.version",
			smb ? "libsmbclient is used with 2.1, 3.0, 3.0.2 and 3.1.1"
			    : "libnfs can only do NFS 3 (its version 4 cannot write, and 4.1 and 4.2 are not in it); "
			      "use a kernel mount for the others");
	if (smb && share->user && strlen(share->user) >= sizeof sizes->user)
		return wrong(err, "share.user", "longer than 255 characters");
	if (smb && share->password && strlen(share->password) >= sizeof sizes->password)
		return wrong(err, "share.password", "longer than 255 characters");
	return 0;
}

static int check_place(const struct nl_job *job, const struct nl_engine *engine, struct nl_error *err)
{
	struct nl_job_copy *sizes = NULL;
	if (job->engine == NL_ENGINE_NULL)
		return 0;
	if (!job->directory || strlen(job->directory) >= sizeof sizes->directory)
		return wrong(err, "directory", "a directory of at most 1023 characters is needed");
	if (!text_fits(job->file_prefix, sizeof sizes->file_prefix) || strchr(job->file_prefix, '/'))
		return wrong(err, "file_prefix", "a file name without / of at most 199 characters is needed");
	if (engine && engine->userland)
		return nl_share_target_check(job->engine, job->share, err);
	return job->directory[0] ? 0 : wrong(err, "directory", "it is empty");
}

static int check_shape(const struct nl_job *job, struct nl_error *err)
{
	if (!job->block_bytes || job->block_bytes % 512 || job->block_bytes > NL_LOAD_BLOCK_BYTES_MAX)
		return wrong(err, "block_bytes", "it must be a multiple of 512 bytes, at most 64 MiB");
	if (!job->streams || job->streams > NL_LOAD_STREAMS_MAX)
		return wrong(err, "streams", "it must be 1 to 256");
	if (!job->queue_depth || job->queue_depth > NL_LOAD_QUEUE_DEPTH_MAX)
		return wrong(err, "queue_depth", "it must be 1 to 1024");
	if (!job->file_bytes || job->file_bytes % job->block_bytes || job->file_bytes > FILE_BYTES_MAX)
		return wrong(err, "file_bytes",
			     "it must be a multiple of block_bytes, at least one block, at most 64 PiB");
	if (job->read_percent > 99)
		return wrong(err, "read_percent", "it must be 1 to 99, or 0 for a load that only reads or only writes");
	uint64_t buffers = (job->block_bytes + 4095) / 4096 * 4096 * job->queue_depth;
	if (buffers > BUFFER_BYTES_MAX || buffers * job->streams > LOAD_BYTES_MAX)
		return wrong(err, "queue_depth",
			     "block_bytes times queue_depth is over 1 GiB per stream or 4 GiB in all");
	return 0;
}

static int check_times(const struct nl_job *job, struct nl_error *err)
{
	if (job->duration_ns < 0 || job->duration_ns > DURATION_NS_MAX)
		return wrong(err, "duration_ns", "it must be 0 to 30 days");
	if (job->ramp_ns < 0 || job->ramp_ns > DURATION_NS_MAX)
		return wrong(err, "ramp_ns", "it must be 0 to 30 days");
	if (job->engine == NL_ENGINE_LIBSMBCLIENT && job->sync_writes)
		return wrong(err, "sync_writes", "libsmbclient cannot ask for synchronous writes");
	return 0;
}

int nl_job_check(const struct nl_job *job, struct nl_error *err)
{
	const struct nl_engine *engine = nl_engine_of(job->engine);
	if (!engine && job->engine != NL_ENGINE_AUTO)
		return wrong(err, "engine", "there is no such engine");
	int rc = check_shape(job, err);
	if (!rc)
		rc = check_times(job, err);
	return rc ? rc : check_place(job, engine, err);
}

static void put(char *to, size_t size, const char *from)
{
	size_t len = from ? strnlen(from, size - 1) : 0;
	if (len)
		memcpy(to, from, len);
	to[len] = 0;
}

static void put_share(struct nl_job_copy *copy, const struct nl_share_target *share, bool smb)
{
	copy->has_share = true;
	copy->share = *share;
	put(copy->server, sizeof copy->server, share->server);
	put(copy->share_name, sizeof copy->share_name, share->share);
	put(copy->version, sizeof copy->version, share->version ? share->version : smb ? "3.1.1" : "3");
	put(copy->user, sizeof copy->user, smb ? share->user : NULL);
	put(copy->password, sizeof copy->password, smb ? share->password : NULL);
}

void nl_job_copy_init(struct nl_job_copy *copy, const struct nl_job *job)
{
	memset(copy, 0, sizeof *copy);
	copy->job = *job;
	put(copy->directory, sizeof copy->directory, job->directory);
	put(copy->file_prefix, sizeof copy->file_prefix, job->file_prefix);
	if (job->share)
		put_share(copy, job->share, job->engine == NL_ENGINE_LIBSMBCLIENT);
	nl_job_copy_bind(copy);
}

int nl_job_copy_share(struct nl_job_copy *copy, const struct nl_share_target *share, struct nl_error *err)
{
	int rc = nl_share_target_check(copy->job.engine, share, err);
	if (rc)
		return rc;
	put_share(copy, share, copy->job.engine == NL_ENGINE_LIBSMBCLIENT);
	nl_job_copy_bind(copy);
	return 0;
}

void nl_job_copy_bind(struct nl_job_copy *copy)
{
	copy->job.directory = copy->directory;
	copy->job.file_prefix = copy->file_prefix;
	copy->job.share = copy->has_share ? &copy->share : NULL;
	copy->share.server = copy->server;
	copy->share.share = copy->share_name;
	copy->share.version = copy->version;
	copy->share.user = copy->user;
	copy->share.password = copy->password;
}

void nl_job_copy_wipe(struct nl_job_copy *copy)
{
	explicit_bzero(copy->password, sizeof copy->password);
}
