/*
 * The key file: content, and who else may read it.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "netbench/keyfile.h"

static char path[] = "/tmp/netbench-key-XXXXXX";

static int read_with(const char *text, size_t len, mode_t mode, unsigned char **key, size_t *key_len,
		     struct nl_error *err)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	assert_true(fd >= 0);
	assert_int_equal(fchmod(fd, mode), 0);
	assert_int_equal(write(fd, text, len), (ssize_t)len);
	close(fd);
	return nl_netbench_key_read(path, key, key_len, err);
}

static void the_line_end_is_not_part_of_the_key(void **state)
{
	unsigned char *key;
	size_t len;

	(void)state;
	assert_int_equal(read_with("secret\r\n", 8, 0600, &key, &len, NULL), 0);
	assert_int_equal(len, 6);
	assert_memory_equal(key, "secret", 6);
	nl_netbench_key_free(key, len);
}

static void a_file_that_others_may_read_is_refused_with_the_remedy(void **state)
{
	static const mode_t modes[] = {0640, 0604, 0620, 0602, 0644};
	struct nl_error err;
	unsigned char *key;
	size_t len;

	(void)state;
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		assert_int_equal(read_with("secret", 6, modes[i], &key, &len, &err), NL_E_ACCESS);
		assert_null(key);
		assert_non_null(strstr(err.todo, "chmod 600"));
	}
}

static void empty_too_long_or_missing_is_refused(void **state)
{
	char *text = calloc(1, 5000);
	unsigned char *key;
	size_t len;

	(void)state;
	assert_int_equal(read_with("\n", 1, 0600, &key, &len, NULL), NL_E_CONFIG);
	memset(text, 'x', 5000);
	assert_int_equal(read_with(text, 4096, 0600, &key, &len, NULL), 0);
	assert_int_equal(len, 4096);
	nl_netbench_key_free(key, len);
	assert_int_equal(read_with(text, 4097, 0600, &key, &len, NULL), NL_E_CONFIG);
	assert_int_equal(nl_netbench_key_read("/nonexistent/key", &key, &len, NULL), NL_E_NOT_FOUND);
	assert_int_equal(nl_netbench_key_read("/", &key, &len, NULL), NL_E_CONFIG);
	free(text);
}

static int make(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int delete (void **state)
{
	(void)state;
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_line_end_is_not_part_of_the_key),
		cmocka_unit_test(a_file_that_others_may_read_is_refused_with_the_remedy),
		cmocka_unit_test(empty_too_long_or_missing_is_refused),
	};

	return cmocka_run_group_tests(tests, make, delete);
}
