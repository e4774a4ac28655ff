/*
 * job: a copy of a job that a load keeps for itself. It has fixed sizes so that it can be handed to a helper process as
 * it is; only job.directory and the other pointers must be set again there (nl_job_copy_bind).
 */
#ifndef NL_AGENT_IO_JOB_H
#define NL_AGENT_IO_JOB_H

#include "agent/io/load.h"

struct nl_job_copy {
	struct nl_job job;
	struct nl_share_target share;
	bool has_share;
	char directory[1024], file_prefix[200];
	char server[256], share_name[1024], version[16], user[256], password[256];
};

/* nl_job_copy_init copies a checked job. */
void nl_job_copy_init(struct nl_job_copy *copy, const struct nl_job *job);
/* nl_job_copy_share fills in a share target alone; NL_E_CONFIG when a text is too long or missing. */
int nl_job_copy_share(struct nl_job_copy *copy, const struct nl_share_target *share, struct nl_error *err);
/* nl_job_copy_bind points the job's pointers at the copy's own texts. */
void nl_job_copy_bind(struct nl_job_copy *copy);
/* nl_job_copy_wipe overwrites the password. */
void nl_job_copy_wipe(struct nl_job_copy *copy);

/* nl_share_target_check: the rules of a target for an engine. */
int nl_share_target_check(enum nl_engine_id engine, const struct nl_share_target *share, struct nl_error *err);

/* nl_job_times says whether the job ends by time. nl_job_may_write whether it writes at all. nl_job_fresh whether it
 * starts from empty files. */
bool nl_job_timed(const struct nl_job *job);
bool nl_job_may_write(const struct nl_job *job);
bool nl_job_may_read(const struct nl_job *job);
bool nl_job_fresh(const struct nl_job *job);

#endif
