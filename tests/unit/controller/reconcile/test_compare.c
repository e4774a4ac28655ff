/* Two shares side by side. */
#include <math.h>

#include "world.h"

static struct nl_model model;

static const struct nl_comparison *both(struct world *world, const struct load *a, const struct load *b)
{
	unsigned first = world_share(world, 0, NL_WORKLOAD_SEQ_READ, 1),
		 second = world_share(world, 1, NL_WORKLOAD_SEQ_READ, 1);
	world_begin(world);
	world_fact(world, "client", "share:nfs", "version", "3");
	world_fact(world, "client", "share:nfs", "rsize", "1048576");
	world_fact(world, "client", "share:smb", "dialect", "3.1.1");
	world_does(world, first, a);
	world_does(world, second, b);
	return NULL;
}

static const struct nl_comparison *only(struct world *world)
{
	world_end(world, NL_RUN_DONE, &model);
	assert_int_equal(model.comparison_count, 1);
	return &model.comparisons[0];
}

static void nfs_against_smb_is_a_comparison_of_protocols(void **state)
{
	both(*state, LOAD(), LOAD(.rate = 30 * MB));
	world_fact(*state, "client", "share:smb", "signing", "as the server asks");
	world_fact(*state, "client", "share:smb", "rsize", "8388608");
	world_fact(*state, "client", "share:smb", "encryption", "not asked for");
	const struct nl_comparison *comparison = only(*state);
	assert_int_equal(comparison->verdict, NL_VERDICT_VALID);
	assert_string_equal(comparison->a, "nfs seq-read 1");
	assert_true(fabs(comparison->ratio - 0.75) < 0.001);
	assert_non_null(strstr(comparison->sentence, "intervals are apart"));
	nl_model_fini(&model);
}

static void overlapping_intervals_show_no_difference(void **state)
{
	both(*state, LOAD(), LOAD());
	const struct nl_comparison *comparison = only(*state);
	assert_non_null(strstr(comparison->sentence, "no difference is shown"));
	nl_model_fini(&model);
}

static void a_smaller_request_size_in_force_is_named(void **state)
{
	both(*state, LOAD(), LOAD());
	world_fact(*state, "client", "share:smb", "max_read", "65536");
	const struct nl_comparison *comparison = only(*state);
	assert_int_equal(comparison->verdict, NL_VERDICT_SETTINGS_DIFFER);
	assert_true(world_says(&comparison->differences, "rsize: 1048576 / 65536"));
	nl_model_fini(&model);
}

static void required_encryption_is_named_across_protocols(void **state)
{
	struct world *world = *state;
	world->campaign.shares[1].encrypt = true;
	both(world, LOAD(), LOAD());
	const struct nl_comparison *comparison = only(world);
	assert_int_equal(comparison->verdict, NL_VERDICT_SETTINGS_DIFFER);
	assert_true(world_says(&comparison->differences, "encryption: not stated / required"));
	assert_non_null(strstr(comparison->sentence, "encryption"));
	assert_non_null(strstr(model.summary, "a difference of settings"));
	nl_model_fini(&model);
}

static void a_mount_against_a_userland_engine_is_named(void **state)
{
	struct world *world = *state;
	world->campaign.shares[1].access = NL_ACCESS_MOUNT;
	both(world, LOAD(), LOAD());
	const struct nl_comparison *comparison = only(world);
	assert_int_equal(comparison->verdict, NL_VERDICT_SETTINGS_DIFFER);
	assert_true(world_says(&comparison->differences, "access: userland / mount"));
	nl_model_fini(&model);
}

static void a_property_of_the_directory_on_the_nas_is_named(void **state)
{
	both(*state, LOAD(), LOAD());
	world_fact(*state, "nas", "share:nfs", "recordsize", "131072");
	world_fact(*state, "nas", "share:smb", "recordsize", "1048576");
	const struct nl_comparison *comparison = only(*state);
	assert_int_equal(comparison->verdict, NL_VERDICT_SETTINGS_DIFFER);
	assert_true(world_says(&comparison->differences, "recordsize on the NAS: 131072 / 1048576"));
	nl_model_fini(&model);
}

static void within_a_protocol_every_setting_counts_and_places_do_not(void **state)
{
	struct world *world = *state;
	snprintf(world->campaign.shares[1].protocol, sizeof(world->campaign.shares[1].protocol), "nfs");
	snprintf(world->campaign.shares[1].version, sizeof(world->campaign.shares[1].version), "3");
	world->campaign.shares[1].user[0] = '\0';
	snprintf(world->campaign.shares[1].share, sizeof(world->campaign.shares[1].share), "/other");
	both(world, LOAD(), LOAD());
	world_fact(world, "client", "share:nfs", "transport", "tcp");
	world_fact(world, "client", "share:smb", "transport", "rdma");
	world_fact(world, "client", "share:smb", "version", "3");
	world_fact(world, "client", "share:smb", "rsize", "1048576");
	world_fact(world, "client", "share:nfs", "source", "10.0.0.1:/pool");
	world_fact(world, "client", "share:smb", "source", "10.0.0.1:/other");
	const struct nl_comparison *comparison = only(world);
	assert_int_equal(comparison->verdict, NL_VERDICT_SETTINGS_DIFFER);
	assert_true(world_says(&comparison->differences, "transport: tcp / rdma"));
	for (size_t i = 0; i < comparison->differences.count; i++)
		assert_null(strstr(comparison->differences.text[i], "source"));
	nl_model_fini(&model);
}

static void a_figure_that_is_not_valid_makes_the_comparison_not_comparable(void **state)
{
	both(*state, LOAD(), LOAD(.disks = 0.8));
	const struct nl_comparison *comparison = only(*state);
	assert_int_equal(comparison->verdict, NL_VERDICT_NOT_COMPARABLE);
	assert_true(world_says(&comparison->differences, "verdict: valid / not-cold"));
	nl_model_fini(&model);
}

static void a_failed_side_cannot_be_compared(void **state)
{
	both(*state, LOAD(), LOAD(.failed = true));
	const struct nl_comparison *comparison = only(*state);
	assert_int_equal(comparison->verdict, NL_VERDICT_NOT_COMPARABLE);
	assert_true(comparison->ratio == 0);
	nl_model_fini(&model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(nfs_against_smb_is_a_comparison_of_protocols),
		WORLD_TEST(overlapping_intervals_show_no_difference),
		WORLD_TEST(a_smaller_request_size_in_force_is_named),
		WORLD_TEST(required_encryption_is_named_across_protocols),
		WORLD_TEST(a_mount_against_a_userland_engine_is_named),
		WORLD_TEST(a_property_of_the_directory_on_the_nas_is_named),
		WORLD_TEST(within_a_protocol_every_setting_counts_and_places_do_not),
		WORLD_TEST(a_figure_that_is_not_valid_makes_the_comparison_not_comparable),
		WORLD_TEST(a_failed_side_cannot_be_compared),
	};
	return cmocka_run_group_tests_name("reconcile: comparisons", tests, NULL, NULL);
}
