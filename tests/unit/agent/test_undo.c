/*
 * test_undo: what is removed is what was made, and nothing else.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "agent/undo.h"

struct place {
	char dir[64];
};

static void touch(const struct place *place, const char *name)
{
	char path[200];
	snprintf(path, sizeof path, "%s/%s", place->dir, name);
	int fd = open(path, O_CREAT | O_WRONLY, 0600);
	assert_true(fd >= 0);
	close(fd);
}

static bool there(const struct place *place, const char *name)
{
	char path[200];
	struct stat st;
	snprintf(path, sizeof path, "%s/%s", place->dir, name);
	return lstat(path, &st) == 0;
}

static void files_of_the_prefix_go_and_others_stay(void **state)
{
	struct place *place = *state;
	struct nl_error err;
	touch(place, "nfs-s2-0");
	touch(place, "nfs-s2-1");
	touch(place, "nfs-s2-2");
	touch(place, "photo.jpg");
	assert_int_equal(nl_undo_files(place->dir, "nfs-s2", 2, &err), NL_E_OK);
	assert_false(there(place, "nfs-s2-0"));
	assert_false(there(place, "nfs-s2-1"));
	assert_true(there(place, "nfs-s2-2"));
	assert_true(there(place, "photo.jpg"));
}

static void what_is_gone_already_is_fine(void **state)
{
	struct place *place = *state;
	struct nl_error err;
	assert_int_equal(nl_undo_files(place->dir, "nfs-s1", 4, &err), NL_E_OK);
	assert_int_equal(nl_undo_files("/nonexistent/place", "nfs-s1", 4, &err), NL_E_OK);
}

static void a_link_or_directory_in_a_files_place_stays_and_is_named(void **state)
{
	struct place *place = *state;
	struct nl_error err;
	char path[200];
	touch(place, "precious");
	snprintf(path, sizeof path, "%s/nfs-s1-0", place->dir);
	assert_int_equal(symlink("precious", path), 0);
	assert_int_equal(nl_undo_files(place->dir, "nfs-s1", 1, &err), NL_E_LEFTOVER);
	assert_non_null(strstr(err.where, "nfs-s1-0"));
	assert_true(there(place, "precious"));
	assert_true(there(place, "nfs-s1-0"));
}

static void a_directory_reached_by_a_link_is_not_entered(void **state)
{
	struct place *place = *state;
	struct nl_error err;
	char path[200];
	touch(place, "nfs-s1-0");
	snprintf(path, sizeof path, "%s-link", place->dir);
	assert_int_equal(symlink(place->dir, path), 0);
	assert_int_equal(nl_undo_files(path, "nfs-s1", 1, &err), NL_E_LEFTOVER);
	assert_true(there(place, "nfs-s1-0"));
	unlink(path);
}

static int setup(void **state)
{
	struct place *place = calloc(1, sizeof *place);
	snprintf(place->dir, sizeof place->dir, "/tmp/nl-undo-XXXXXX");
	*state = place;
	return mkdtemp(place->dir) ? 0 : -1;
}

static int teardown(void **state)
{
	static const char *const names[] = {"nfs-s2-2", "photo.jpg", "precious", "nfs-s1-0"};
	struct place *place = *state;
	char path[200];
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(path, sizeof path, "%s/%s", place->dir, names[i]);
		unlink(path);
	}
	int rc = rmdir(place->dir);
	free(place);
	return rc;
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(files_of_the_prefix_go_and_others_stay),
		CASE(what_is_gone_already_is_fine),
		CASE(a_link_or_directory_in_a_files_place_stays_and_is_named),
		CASE(a_directory_reached_by_a_link_is_not_entered),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
