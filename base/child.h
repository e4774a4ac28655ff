/*
 * child: run another program by argument vector, with a time limit, no shell, its output captured.
 */
#ifndef NL_BASE_CHILD_H
#define NL_BASE_CHILD_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct nl_child_result {
	int exit_status; /* 0..255, or 128 + signal */
	char *out;	 /* zero-terminated stdout, at most max_output bytes; freed by nl_child_result_fini */
	char *err;	 /* the same of stderr */
	size_t out_len, err_len;
};

/*
 * nl_child_run starts argv[0] (searched in PATH) in its own process group with stdin from /dev/null, all descriptors above 2 closed, LC_ALL=C,
 * and waits at most timeout_ns; then the group gets SIGTERM, and SIGKILL 2 s later (NL_E_TIMEOUT). A program that cannot be
 * started is NL_E_NOT_FOUND or NL_E_SYSTEM. A non-zero exit is not an error here: look at exit_status. Any thread.
 */
int nl_child_run(const char *const argv[], int64_t timeout_ns, size_t max_output, struct nl_child_result *result,
		 struct nl_error *err);
void nl_child_result_fini(struct nl_child_result *result);

#endif
