/*
 * namespace: runs a test in a child process that is in namespaces of its own, so that nothing is left and nothing of
 * the machine is touched. Needs root; without it the test fails.
 */
#ifndef NL_TESTS_UNIT_AGENT_NAMESPACE_H
#define NL_TESTS_UNIT_AGENT_NAMESPACE_H

#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/child.h"
#include "base/time.h"

/* In the child a failed check says where and exits; cmocka's own would jump back into the parent's stack. */
#define CHECK(condition)                                                                                               \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                \
			_exit(1);                                                                                      \
		}                                                                                                      \
	} while (0)

static inline void test_in_namespaces(int flags, void (*body)(void))
{
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		if (unshare(flags) != 0 ||
		    ((flags & CLONE_NEWNS) && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)) {
			fprintf(stderr, "namespaces of our own: %s (these tests need root)\n", strerror(errno));
			_exit(1);
		}
		body();
		_exit(0);
	}
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* Runs a tool that must succeed. */
static inline void test_tool(const char *const argv[])
{
	struct nl_child_result result;
	struct nl_error err;
	int code = nl_child_run(argv, 10 * NL_NS_PER_S, 65536, &result, &err);
	if (code) {
		fprintf(stderr, "%s: %s\n", argv[0], err.why);
		_exit(1);
	}
	if (result.exit_status) {
		fprintf(stderr, "%s: %s\n", argv[0], result.err);
		_exit(1);
	}
	nl_child_result_fini(&result);
}
#define TOOL(...) test_tool((const char *const[]){__VA_ARGS__, NULL})

#endif
