/*
 * test_home: the controller's state directory.
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

#include "controller/home.h"
#include "unit/agent/scratch.h"

struct place {
	char dir[64], home[80];
};

static int setup(void **state)
{
	struct place *place = calloc(1, sizeof *place);
	if (!place)
		return -1;
	test_scratch_make(place->dir);
	snprintf(place->home, sizeof place->home, "%s/home", place->dir);
	*state = place;
	return 0;
}

static int teardown(void **state)
{
	struct place *place = *state;
	test_scratch_remove(place->dir);
	free(place);
	return 0;
}

static void a_home_is_made_once_and_for_its_owner_alone(void **state)
{
	struct place *place = *state;
	struct nl_error err;
	struct stat st;
	bool made = false;
	assert_int_equal(nl_home_make(place->home, &made, &err), NL_E_OK);
	assert_true(made);
	assert_int_equal(stat(place->home, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	assert_int_equal(nl_home_check(place->home, &err), NL_E_OK);
	assert_int_equal(nl_home_make(place->home, &made, &err), NL_E_OK);
	assert_false(made);
	assert_int_equal(nl_home_make(place->home, NULL, &err), NL_E_OK);
}

static void a_home_that_was_not_made_names_init(void **state)
{
	struct place *place = *state;
	struct nl_store *store = NULL;
	struct nl_error err;
	assert_int_equal(nl_home_check(place->home, &err), NL_E_NOT_FOUND);
	assert_non_null(strstr(err.todo, "nasline init"));
	assert_int_equal(nl_home_store_read(place->home, &store, &err), NL_E_NOT_FOUND);
	assert_non_null(strstr(err.todo, "nasline init"));
	assert_null(store);
}

static void a_damaged_identity_is_not_made_anew(void **state)
{
	struct place *place = *state;
	struct nl_error err;
	char path[120];
	assert_int_equal(nl_home_make(place->home, NULL, &err), NL_E_OK);
	snprintf(path, sizeof path, "%s/ca.crt", place->home);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs("nonsense\n", file);
	fclose(file);
	assert_int_not_equal(nl_home_make(place->home, NULL, &err), NL_E_OK);
	assert_non_null(strstr(err.where, "ca.crt"));
}

static void a_place_where_nothing_can_be_made_is_said(void **state)
{
	struct place *place = *state;
	struct nl_error err;
	char path[200], longer[1100];
	snprintf(path, sizeof path, "%s/no/such", place->dir);
	assert_int_equal(nl_home_make(path, NULL, &err), NL_E_NOT_FOUND);
	assert_string_equal(err.where, path);
	assert_true(err.todo[0] != '\0');
	memset(longer, 'a', sizeof longer - 1);
	longer[sizeof longer - 1] = '\0';
	assert_int_equal(nl_home_make(longer, NULL, &err), NL_E_USAGE);
}

static void the_database_is_made_by_the_writer_and_found_by_the_reader(void **state)
{
	struct place *place = *state;
	struct nl_store *store = NULL;
	struct nl_error err;
	assert_int_equal(nl_home_make(place->home, NULL, &err), NL_E_OK);
	assert_int_equal(nl_home_store(place->home, &store, &err), NL_E_OK);
	nl_store_close(store);
	assert_int_equal(nl_home_store_read(place->home, &store, &err), NL_E_OK);
	nl_store_close(store);
}

static void the_default_lies_in_the_users_home(void **state)
{
	char buf[64];
	(void)state;
	setenv("HOME", "/home/somebody", 1);
	assert_string_equal(nl_home_default(buf, sizeof buf), "/home/somebody/.nasline");
	setenv("HOME", "", 1);
	assert_string_equal(nl_home_default(buf, sizeof buf), "./.nasline");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_home_is_made_once_and_for_its_owner_alone),
		TEST(a_home_that_was_not_made_names_init),
		TEST(a_damaged_identity_is_not_made_anew),
		TEST(a_place_where_nothing_can_be_made_is_said),
		TEST(the_database_is_made_by_the_writer_and_found_by_the_reader),
		cmocka_unit_test(the_default_lies_in_the_users_home),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
