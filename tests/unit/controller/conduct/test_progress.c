/*
 * test_progress: what is written where there is no terminal: one line per event.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/conduct/progress.h"

struct screen {
	char *text;
	size_t size;
	FILE *out;
	struct nl_progress *progress;
};

static void no_load(void *context, double *bytes, int64_t *at_ns)
{
	(void)context;
	*bytes = 0;
	*at_ns = 0;
}

static int setup(void **state)
{
	struct nl_error err;
	struct screen *screen = calloc(1, sizeof *screen);
	if (!screen || !(screen->out = open_memstream(&screen->text, &screen->size)))
		return -1;
	*state = screen;
	return nl_progress_start(screen->out, 12, 0, no_load, NULL, &screen->progress, &err);
}

static int teardown(void **state)
{
	struct screen *screen = *state;
	nl_progress_stop(screen->progress);
	fclose(screen->out);
	free(screen->text);
	free(screen);
	return 0;
}

static unsigned lines(const char *text)
{
	unsigned count = 0;
	for (; *text; text++)
		count += *text == '\n';
	return count;
}

static void a_phase_is_one_line_when_it_has_ended(void **state)
{
	struct screen *screen = *state;
	nl_progress_phase(screen->progress, 3, "nfs seq-write 4 streams #1", 0);
	fflush(screen->out);
	assert_int_equal(screen->size, 0);
	nl_progress_done(screen->progress, "112.3 MB/s");
	assert_int_equal(lines(screen->text), 1);
	assert_non_null(strstr(screen->text, "[3/12] nfs seq-write 4 streams #1"));
	assert_non_null(strstr(screen->text, "112.3 MB/s"));
	assert_null(strchr(screen->text, '\r'));
	assert_null(strchr(screen->text, '\x1b'));
}

static void a_note_is_a_line_of_its_own_with_the_time(void **state)
{
	struct screen *screen = *state;
	nl_progress_phase(screen->progress, 1, "inventory", 0);
	nl_progress_note(screen->progress, "agent %s is lost", "nas");
	assert_string_equal(screen->text, "    0:00  agent nas is lost\n");
	nl_progress_done(screen->progress, "failed");
	assert_int_equal(lines(screen->text), 2);
}

static void texts_too_long_are_cut_and_end_their_line(void **state)
{
	struct screen *screen = *state;
	char longer[4000];
	memset(longer, 'x', sizeof longer - 1);
	longer[sizeof longer - 1] = '\0';
	nl_progress_phase(screen->progress, 1, longer, 0);
	nl_progress_done(screen->progress, longer);
	nl_progress_note(screen->progress, "%s", longer);
	assert_int_equal(lines(screen->text), 2);
	assert_int_equal(screen->text[screen->size - 1], '\n');
}

static void nothing_is_stopped_when_there_is_none(void **state)
{
	(void)state;
	nl_progress_stop(NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_phase_is_one_line_when_it_has_ended),
		TEST(a_note_is_a_line_of_its_own_with_the_time),
		TEST(texts_too_long_are_cut_and_end_their_line),
		cmocka_unit_test(nothing_is_stopped_when_there_is_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
