/*
 * engine: finds the table of an engine, and words the failure of an operation.
 */
#include "agent/io/engine.h"

#include <errno.h>
#include <stdio.h>

static const struct nl_engine *const engines[] = {
	&nl_engine_io_uring, &nl_engine_psync, &nl_engine_libnfs, &nl_engine_libsmbclient, &nl_engine_null,
};

const struct nl_engine *nl_engine_of(enum nl_engine_id id)
{
	for (size_t i = 0; i < sizeof engines / sizeof *engines; i++)
		if (engines[i]->id == id)
			return engines[i];
	return NULL;
}

const char *nl_engine_name(enum nl_engine_id id)
{
	const struct nl_engine *engine = nl_engine_of(id);
	return engine ? engine->name : id == NL_ENGINE_AUTO ? "auto" : "unknown";
}

bool nl_engine_probe(enum nl_engine_id id, char *reason, size_t size)
{
	const struct nl_engine *engine = nl_engine_of(id);
	if (size)
		reason[0] = 0;
	if (engine)
		return !engine->probe || engine->probe(reason, size);
	if (id != NL_ENGINE_AUTO)
		snprintf(reason, size, "there is no such engine");
	return id == NL_ENGINE_AUTO;
}

static const struct {
	int sys_errno;
	enum nl_code code;
	const char *why;
} plain_words[] = {
	{ENODATA, NL_E_IO, "the file became shorter while it was read"},
	{ETIMEDOUT, NL_E_TIMEOUT, "the server does not answer"},
	{ECONNRESET, NL_E_PEER, "the connection was lost"},
	{ENOTCONN, NL_E_PEER, "the connection was lost"},
	{EPIPE, NL_E_PEER, "the connection was lost"},
	{ECONNABORTED, NL_E_PEER, "the connection was lost"},
	{ECONNREFUSED, NL_E_PEER, "the server refuses connections"},
	{EHOSTUNREACH, NL_E_PEER, "the server cannot be reached"},
	{ENETUNREACH, NL_E_PEER, "the server cannot be reached"},
	{ESTALE, NL_E_PEER, "the server does not know the file any more (stale handle)"},
	{EFBIG, NL_E_SPACE, "the file may not grow that large (file system or process limit)"},
};

int nl_channel_error(const struct nl_channel *channel, unsigned index, const char *what, int negative_errno,
		     struct nl_error *err)
{
	const struct nl_job *job = channel->job;
	int code = nl_error_sys(err, -negative_errno, "%s", what);
	for (size_t i = 0; i < sizeof plain_words / sizeof *plain_words; i++) {
		if (plain_words[i].sys_errno != -negative_errno)
			continue;
		code = plain_words[i].code;
		if (err)
			err->code = plain_words[i].code;
		nl_error_why(err, "%s", plain_words[i].why);
	}
	if (channel->detail[0])
		nl_error_why(err, "%s", channel->detail);
	if (job->share)
		nl_error_where(err, "%s:%s, file %s-%u", job->share->server, job->share->share, job->file_prefix,
			       index);
	else if (job->directory && job->directory[0])
		nl_error_where(err, "%s/%s-%u", job->directory, job->file_prefix, index);
	return code;
}
