/*
 * test_series: samples become series.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "agent/series.h"
#include "base/text.h"

static void put(struct nl_series_group *group, unsigned at, enum nl_metric_id metric, const char *subject,
		int64_t mono_ns, double value)
{
	struct nl_sample *sample = &group->sample[at];
	sample->metric = metric;
	snprintf(sample->subject, sizeof sample->subject, "%s", subject);
	sample->mono_ns = mono_ns;
	sample->value = value;
}

static int setup(void **state)
{
	*state = calloc(1, sizeof(struct nl_series_group));
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	free(*state);
	return 0;
}

static void no_samples_make_no_series(void **state)
{
	uint64_t lost = 0;
	assert_int_equal(nl_series_group(*state, 0, &lost), 0);
	assert_int_equal(lost, 0);
}

static void samples_of_one_metric_and_subject_are_one_series_in_the_order_of_time(void **state)
{
	struct nl_series_group *group = *state;
	uint64_t lost = 0;
	put(group, 0, NL_METRIC_DISK_READ_BYTES, "sda", 300, 3);
	put(group, 1, NL_METRIC_DISK_WRITE_BYTES, "sda", 150, 9);
	put(group, 2, NL_METRIC_DISK_READ_BYTES, "sda", 100, 1);
	put(group, 3, NL_METRIC_DISK_READ_BYTES, "sdb", 120, 7);
	put(group, 4, NL_METRIC_DISK_READ_BYTES, "sda", 250, 2);
	assert_int_equal(nl_series_group(group, 5, &lost), 3);
	const Nl__Series *first = group->pointer[0];
	assert_int_equal(first->metric, NL_METRIC_DISK_READ_BYTES);
	assert_string_equal(first->subject, "sda");
	assert_int_equal(first->first_mono_ns, 100);
	assert_int_equal(first->n_delta_ns, 3);
	assert_int_equal(first->n_value, 3);
	const int64_t deltas[] = {0, 150, 50};
	for (int i = 0; i < 3; i++) {
		assert_int_equal(first->delta_ns[i], deltas[i]);
		assert_true(first->value[i] == i + 1);
	}
	assert_string_equal(group->pointer[1]->subject, "sdb");
	assert_int_equal(group->pointer[2]->metric, NL_METRIC_DISK_WRITE_BYTES);
	assert_int_equal(lost, 0);
}

static void samples_of_more_series_than_a_message_holds_are_counted_as_lost(void **state)
{
	struct nl_series_group *group = *state;
	uint64_t lost = 5;
	for (unsigned i = 0; i < NL_SAMPLES_MAX; i++) {
		char subject[16];
		snprintf(subject, sizeof subject, "d%04u", i / 2);
		put(group, i, NL_METRIC_DISK_READS, subject, i, i);
	}
	assert_int_equal(nl_series_group(group, NL_SAMPLES_MAX, &lost), NL_SERIES_MAX);
	assert_int_equal(lost, 5 + NL_SAMPLES_MAX - 2 * NL_SERIES_MAX);
	size_t kept = 0;
	for (unsigned i = 0; i < NL_SERIES_MAX; i++)
		kept += group->pointer[i]->n_value;
	assert_int_equal(kept, 2 * NL_SERIES_MAX);
}

static void a_subject_that_is_no_text_is_made_one_and_stays_one_series(void **state)
{
	struct nl_series_group *group = *state;
	uint64_t lost = 0;
	put(group, 0, NL_METRIC_SMB_READS, "caf\xc3", 1, 1);
	put(group, 1, NL_METRIC_SMB_READS, "caf\xc3", 2, 2);
	assert_int_equal(nl_series_group(group, 2, &lost), 1);
	assert_true(nl_text_valid(group->pointer[0]->subject, strlen(group->pointer[0]->subject)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_samples_make_no_series),
		cmocka_unit_test(samples_of_one_metric_and_subject_are_one_series_in_the_order_of_time),
		cmocka_unit_test(samples_of_more_series_than_a_message_holds_are_counted_as_lost),
		cmocka_unit_test(a_subject_that_is_no_text_is_made_one_and_stays_one_series),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
