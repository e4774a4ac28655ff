/*
 * fixture: the text of a file below tests/fixtures.
 */
#ifndef NL_TESTS_UNIT_AGENT_FIXTURE_H
#define NL_TESTS_UNIT_AGENT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/parse.h"

/* test_fixture reads the file whole; free it. The test fails when it is not there. */
static inline char *test_fixture(const char *name)
{
	char path[512], *text;
	struct nl_error err;
	snprintf(path, sizeof path, "%s/%s", NL_FIXTURES, name);
	if (nl_file_read(path, 1024 * 1024, &text, NULL, &err) != 0)
		fail_msg("%s: %s", path, err.why);
	return text;
}

#endif
