/*
 * test_secret: password files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/parse.h"
#include "controller/conduct/secret.h"

static char path[] = "/tmp/nl-secret-XXXXXX";

static int write_file(const char *text, unsigned mode)
{
	struct nl_error err;
	return nl_file_write_atomic(path, text, strlen(text), mode, &err);
}

static void a_password_alone_is_read(void **state)
{
	char secret[64];
	struct nl_error err;
	(void)state;
	write_file("pass word=1\n", 0600);
	assert_int_equal(nl_secret_read(path, secret, sizeof secret, &err), NL_E_OK);
	assert_string_equal(secret, "pass word=1");
}

static void a_credentials_file_gives_its_password_line(void **state)
{
	char secret[64];
	struct nl_error err;
	(void)state;
	write_file("username=bench\npassword=s3cret\n", 0600);
	assert_int_equal(nl_secret_read(path, secret, sizeof secret, &err), NL_E_OK);
	assert_string_equal(secret, "s3cret");
}

static void a_file_that_others_may_read_is_refused(void **state)
{
	char secret[64];
	struct nl_error err;
	(void)state;
	write_file("x\n", 0640);
	assert_int_equal(nl_secret_read(path, secret, sizeof secret, &err), NL_E_ACCESS);
	assert_non_null(strstr(err.todo, "chmod 600"));
}

static void an_empty_or_nameless_file_is_refused(void **state)
{
	char secret[8];
	struct nl_error err;
	(void)state;
	write_file("", 0600);
	assert_int_equal(nl_secret_read(path, secret, sizeof secret, &err), NL_E_CONFIG);
	write_file("username=bench\n", 0600);
	assert_int_equal(nl_secret_read(path, secret, sizeof secret, &err), NL_E_CONFIG);
	write_file("longer-than-the-room\n", 0600);
	assert_int_equal(nl_secret_read(path, secret, sizeof secret, &err), NL_E_CONFIG);
	assert_int_equal(nl_secret_read("/nonexistent/file", secret, sizeof secret, &err), NL_E_NOT_FOUND);
}

static int setup(void **state)
{
	(void)state;
	int fd = mkstemp(path);
	return fd < 0 ? -1 : close(fd);
}

static int teardown(void **state)
{
	(void)state;
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_password_alone_is_read),
		cmocka_unit_test(a_credentials_file_gives_its_password_line),
		cmocka_unit_test(a_file_that_others_may_read_is_refused),
		cmocka_unit_test(an_empty_or_nameless_file_is_refused),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
