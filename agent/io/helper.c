/*
 * helper: the inside of a helper process: takes one request from the socket, does it, says how it went, and ends.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "agent/io/remote.h"
#include "agent/io/smb.h"
#include "agent/io/smb_tasks.h"
#include "agent/io/stream.h"

static bool allowed;

bool nl_remote_allowed(void)
{
	return allowed;
}

static void say(enum nl_helper_word word, const char *key, const char *value, const struct nl_error *error)
{
	struct nl_helper_message message;
	memset(&message, 0, sizeof message);
	message.word = word;
	snprintf(message.key, sizeof message.key, "%s", key);
	snprintf(message.value, sizeof message.value, "%s", value);
	if (error)
		message.error = *error;
	/* Should the agent be gone, there is nobody left to tell. */
	if (send(NL_HELPER_SOCKET, &message, sizeof message, MSG_NOSIGNAL) < 0)
		_exit(1);
}

static void say_fact(void *context, const char *key, const char *value)
{
	(void)context;
	say(NL_HELPER_FACT, key, value, NULL);
}

static void probe(const struct nl_helper_request *request, struct nl_error *err)
{
	struct nl_smb smb;
	char reason[200];
	(void)request;
	if (nl_smb_load(&smb, reason, sizeof reason))
		return;
	nl_error_set(err, NL_E_UNSUPPORTED, "load libsmbclient");
	nl_error_why(err, "%s", reason);
}

static void stream(const struct nl_helper_request *request, struct nl_error *err)
{
	struct nl_stream own;
	const struct nl_job *job = &request->copy.job;
	if (request->index >= job->streams || request->control_bytes != nl_control_size(job->streams)) {
		nl_error_set(err, NL_E_INTERNAL, "take over a stream");
		return;
	}
	struct nl_control *control =
		mmap(NULL, request->control_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, NL_HELPER_MEMORY, 0);
	if (control == MAP_FAILED) {
		nl_error_sys(err, errno, "take over a stream");
		return;
	}
	nl_stream_init(&own, job, &nl_engine_libsmbclient, request->index, request->payload_key, control);
	own.whole_process = true;
	if (!nl_stream_prepare(&own, err)) {
		say(NL_HELPER_READY, "", "", NULL);
		nl_stream_run(&own);
	}
	nl_stream_fini(&own);
}

static void check(const struct nl_helper_request *request, struct nl_error *err)
{
	nl_smb_check(&request->copy.share, request->copy.directory, say_fact, NULL, err);
}

static void remove_files(const struct nl_helper_request *request, struct nl_error *err)
{
	nl_smb_remove(&request->copy.share, request->copy.directory, request->copy.file_prefix, request->count, err);
}

static void make_directory(const struct nl_helper_request *request, struct nl_error *err)
{
	nl_smb_make_directory(&request->copy.share, request->copy.directory, err);
}

static void remove_directory(const struct nl_helper_request *request, struct nl_error *err)
{
	nl_smb_remove_directory(&request->copy.share, request->copy.directory, err);
}

static void (*const tasks[])(const struct nl_helper_request *request, struct nl_error *err) = {
	[NL_HELPER_PROBE] = probe,
	[NL_HELPER_STREAM] = stream,
	[NL_HELPER_CHECK] = check,
	[NL_HELPER_REMOVE] = remove_files,
	[NL_HELPER_MAKE_DIRECTORY] = make_directory,
	[NL_HELPER_REMOVE_DIRECTORY] = remove_directory,
};

static int serve(void)
{
	static struct nl_helper_request request;
	struct timeval patience = {.tv_sec = 10};
	struct nl_error err = {.code = NL_E_OK};
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setsockopt(NL_HELPER_SOCKET, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	ssize_t got = recv(NL_HELPER_SOCKET, &request, sizeof request, 0);
	if (got != (ssize_t)sizeof request || request.magic != NL_HELPER_MAGIC)
		return nl_code_exit_status(NL_E_USAGE);
	/* It may have died before the death signal was set. */
	if (getppid() != request.parent || (unsigned)request.task >= sizeof tasks / sizeof *tasks)
		return nl_code_exit_status(NL_E_PEER);
	nl_job_copy_bind(&request.copy);
	tasks[request.task](&request, &err);
	nl_job_copy_wipe(&request.copy);
	say(NL_HELPER_ENDED, "", "", &err);
	return 0;
}

static bool is_ours(void)
{
	int type = 0;
	socklen_t size = sizeof type;
	return !getsockopt(NL_HELPER_SOCKET, SOL_SOCKET, SO_TYPE, &type, &size) && type == SOCK_SEQPACKET;
}

int nl_io_helper_main(int argc, char **argv, bool *is_helper)
{
	allowed = true;
	*is_helper = argc == 2 && !strcmp(argv[1], NL_HELPER_ARGUMENT);
	if (!*is_helper)
		return 0;
	if (!is_ours()) {
		fputs(NL_HELPER_ARGUMENT " is for nasline's own use\n", stderr);
		return nl_code_exit_status(NL_E_USAGE);
	}
	/* _exit: nothing of the libraries needs to run at the end, and some of it is slow. */
	_exit(serve());
}
