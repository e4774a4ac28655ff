/*
 * Tests of the report's files: whole or not at all, private, errors that name the place.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "controller/report/report.h"
#include "sample.h"

static const char *const names[] = {"report.md", "report.html", "report.json"};

struct place {
	char base[64], directory[128];
};

static int set_up(void **state)
{
	struct place *place = calloc(1, sizeof *place);
	if (!place)
		return -1;
	snprintf(place->base, sizeof place->base, "/tmp/nasline-report-XXXXXX");
	if (!mkdtemp(place->base))
		return -1;
	snprintf(place->directory, sizeof place->directory, "%s/a/b", place->base);
	*state = place;
	return 0;
}

static void remove_in(const char *directory)
{
	char path[256];
	for (size_t i = 0; i < 3; i++) {
		snprintf(path, sizeof path, "%s/%s", directory, names[i]);
		unlink(path);
	}
	rmdir(directory);
}

static int tear_down(void **state)
{
	struct place *place = *state;
	char path[128];
	remove_in(place->directory);
	snprintf(path, sizeof path, "%s/a", place->base);
	if (rmdir(path) != 0)
		unlink(path);
	int rc = rmdir(place->base);
	free(place);
	return rc;
}

static unsigned entries(const char *directory)
{
	unsigned count = 0;
	DIR *listing = opendir(directory);
	assert_non_null(listing);
	for (const struct dirent *entry = readdir(listing); entry; entry = readdir(listing))
		count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	closedir(listing);
	return count;
}

static void the_three_files_are_written_private_and_alone(void **state)
{
	const struct place *place = *state;
	struct nl_model *model = nl_sample_run();
	struct nl_error err = {0};
	struct stat facts;
	for (int round = 0; round < 2; round++) { /* the second replaces the first */
		assert_int_equal(nl_report_write_files(model, place->directory, &err), 0);
		assert_int_equal(entries(place->directory), 3);
		for (size_t i = 0; i < 3; i++) {
			char path[256];
			snprintf(path, sizeof path, "%s/%s", place->directory, names[i]);
			assert_int_equal(stat(path, &facts), 0);
			assert_int_equal(facts.st_mode & 07777, 0600);
			assert_true(facts.st_size > 1000);
		}
	}
	assert_int_equal(stat(place->directory, &facts), 0);
	assert_int_equal(facts.st_mode & 07777, 0700);
	nl_sample_free(model);
}

static void a_place_that_is_no_directory_is_named(void **state)
{
	const struct place *place = *state;
	struct nl_model *model = nl_sample_failed();
	struct nl_error err = {0};
	char path[128];
	snprintf(path, sizeof path, "%s/a", place->base);
	FILE *file = fopen(path, "wxe");
	assert_non_null(file);
	fclose(file);
	assert_true(nl_report_write_files(model, place->directory, &err) < 0);
	assert_string_equal(err.where, place->directory);
	assert_true(nl_report_write_files(model, "", &err) < 0);
	assert_int_equal(err.code, NL_E_CONFIG);
	nl_sample_free(model);
}

static void a_file_that_cannot_be_replaced_leaves_nothing_behind(void **state)
{
	const struct place *place = *state;
	struct nl_model *model = nl_sample_run();
	struct nl_error err = {0};
	char path[256];
	assert_int_equal(nl_report_write_files(model, place->directory, &err), 0);
	snprintf(path, sizeof path, "%s/report.html", place->directory);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0700), 0); /* a directory cannot be replaced by a file */
	assert_true(nl_report_write_files(model, place->directory, &err) < 0);
	assert_string_equal(err.where, path);
	assert_int_equal(entries(place->directory), 3);
	assert_int_equal(rmdir(path), 0);
	nl_sample_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_three_files_are_written_private_and_alone, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_place_that_is_no_directory_is_named, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_file_that_cannot_be_replaced_leaves_nothing_behind, set_up,
						tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
