/*
 * scratch: a directory of its own for each test, with a store in it, removed afterwards. Included once by each test
 * program.
 */
#ifndef NL_TESTS_STORE_SCRATCH_H
#define NL_TESTS_STORE_SCRATCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "controller/store/store.h"

struct scratch {
	char directory[64], path[96];
	struct nl_store *store;
};

/* Shows the error that was not expected. */
#define assert_ok(call)                                                                                                \
	do {                                                                                                           \
		struct nl_error error_ = {0};                                                                          \
		struct nl_error *err = &error_;                                                                        \
		char line_[1400];                                                                                      \
		if ((call) != 0)                                                                                       \
			fail_msg("%s", nl_error_line(err, line_, sizeof(line_)));                                      \
	} while (0)

static inline int scratch_setup(void **state)
{
	struct scratch *scratch = calloc(1, sizeof(*scratch));
	const char *base = getenv("TMPDIR");
	snprintf(scratch->directory, sizeof(scratch->directory), "%.40s/nl-store-XXXXXX", base ? base : "/tmp");
	if (!mkdtemp(scratch->directory))
		return -1;
	snprintf(scratch->path, sizeof(scratch->path), "%s/nasline.db", scratch->directory);
	*state = scratch;
	return nl_store_open(scratch->path, &scratch->store, NULL);
}

static inline int scratch_teardown(void **state)
{
	static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};
	struct scratch *scratch = *state;
	char name[128];
	nl_store_close(scratch->store);
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		snprintf(name, sizeof(name), "%s%s", scratch->path, suffixes[i]);
		unlink(name);
	}
	int failed = rmdir(scratch->directory);
	free(scratch);
	return failed;
}

static inline void scratch_run(struct nl_store *store, const char *id, int64_t started_ns)
{
	struct nl_store_run run = {.title = "a run", .version = "1", .state = NL_RUN_RUNNING, .started_ns = started_ns};
	snprintf(run.id, sizeof(run.id), "%s", id);
	assert_ok(nl_store_run_add(store, &run, "campaign: a\n", "{}", err));
}

#endif
