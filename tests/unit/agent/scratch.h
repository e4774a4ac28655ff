/*
 * scratch: a directory of the test's own, made fresh and removed with all that is in it.
 */
#ifndef NL_TESTS_UNIT_AGENT_SCRATCH_H
#define NL_TESTS_UNIT_AGENT_SCRATCH_H

#include <ftw.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static inline char *test_scratch_make(char path[64])
{
	snprintf(path, 64, "/tmp/nasline-test-XXXXXX");
	assert_non_null(mkdtemp(path));
	return path;
}

static inline int test_scratch_remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline void test_scratch_remove(const char *path)
{
	assert_int_equal(nftw(path, test_scratch_remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT), 0);
}

#endif
