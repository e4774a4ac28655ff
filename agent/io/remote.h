/*
 * remote: a stream that runs in a process of its own, seen from the thread of the agent that stands for it.
 *
 * The helper is the same program, started afresh (a fork of a threaded process may hardly call anything). The job and
 * the password go through a socket pair, counters and results are in the load's shared memory, stdin, stdout and stderr
 * are /dev/null. A helper dies with the thread that started it.
 */
#ifndef NL_AGENT_IO_REMOTE_H
#define NL_AGENT_IO_REMOTE_H

#include <sys/types.h>

#include "agent/io/control.h"
#include "agent/io/job.h"

#define NL_HELPER_ARGUMENT "--smb-stream"
#define NL_HELPER_MAGIC    UINT32_C(0x6e6c6831)

/* The helper's descriptors. */
#define NL_HELPER_SOCKET 3
#define NL_HELPER_MEMORY 4

enum nl_helper_task {
	NL_HELPER_PROBE,
	NL_HELPER_STREAM,
	NL_HELPER_CHECK,
	NL_HELPER_REMOVE,
	NL_HELPER_MAKE_DIRECTORY,
	NL_HELPER_REMOVE_DIRECTORY,
};

struct nl_helper_request {
	uint32_t magic;
	enum nl_helper_task task;
	pid_t parent;
	unsigned index, count;
	uint64_t payload_key, control_bytes;
	int64_t timeout_ns;
	struct nl_job_copy copy;
};

enum nl_helper_word { NL_HELPER_FACT, NL_HELPER_READY, NL_HELPER_ENDED };

/* What the helper says: facts first, READY when a stream is prepared, ENDED with how it went at the end. */
struct nl_helper_message {
	enum nl_helper_word word;
	char key[64], value[256];
	struct nl_error error;
};

struct nl_remote {
	pid_t pid;
	int socket;
	bool ready;
	struct nl_control *control;
};

/* nl_remote_allowed says whether this program called nl_io_helper_main, without which a helper would run the whole
 * program again. */
bool nl_remote_allowed(void);

/* nl_remote_start starts a helper and hands it the request; control_memory is the descriptor of the shared memory, or
 * -1. */
int nl_remote_start(struct nl_remote *remote, const struct nl_helper_request *request, int control_memory,
		    struct nl_control *control, struct nl_error *err);
/*
 * nl_remote_listen waits for READY or ENDED (its error is passed on), at most until the monotonic instant, passing
 * facts to the sink. When the load is stopped, it goes on waiting for 8 s, or 2 s if the helper was not ready yet. A
 * helper that died, or did not answer in time and was killed, is an error.
 */
int nl_remote_listen(struct nl_remote *remote, int64_t until_ns, nl_fact_sink *sink, void *context,
		     struct nl_error *err);
/* nl_remote_end makes sure that the helper is gone, by killing it if it still lives. */
void nl_remote_end(struct nl_remote *remote);

/* nl_remote_task runs one short task in a helper of its own. */
int nl_remote_task(const struct nl_helper_request *request, nl_fact_sink *sink, void *context, struct nl_error *err);

#endif
