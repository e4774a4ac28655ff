/* One constructed world for each verdict. */
#include <math.h>

#include "world.h"

static struct nl_model model;

/* A line, a pool at 40 MB/s, and one figure of the share nfs in two iterations. */
static const struct nl_figure *two(struct world *world, enum nl_workload workload, const struct load *first,
				   const struct load *second)
{
	char name[64];
	unsigned to = world_line(world, true, 1), from = world_line(world, false, 1);
	unsigned write = world_pool(world, NL_WORKLOAD_SEQ_WRITE, 1), read = world_pool(world, NL_WORKLOAD_SEQ_READ, 1);
	unsigned a = world_share(world, 0, workload, 1), b = world_share(world, 0, workload, 1);
	world_begin(world);
	world_does(world, to, LOAD(.rate = 119 * MB));
	world_does(world, from, LOAD(.rate = 119 * MB));
	world_does(world, write, LOAD());
	world_does(world, read, LOAD());
	world_does(world, a, first);
	world_does(world, b, second);
	world_end(world, NL_RUN_DONE, &model);
	snprintf(name, sizeof(name), "nfs %s 1", nl_workload_name(workload));
	return world_figure(&model, name);
}

static bool near(double a, double b, double share)
{
	return fabs(a / b - 1) <= share;
}

static void a_cold_read_that_the_disks_confirm_is_valid(void **state)
{
	const struct nl_figure *figure = two(*state, NL_WORKLOAD_SEQ_READ, LOAD(), LOAD(.rate = 41 * MB));
	world_is(&model, figure->name, NL_VERDICT_VALID, NL_BOTTLENECK_DISKS);
	assert_true(near(figure->bytes_per_second, 40.5 * MB, 0.001));
	assert_true(near(figure->interval.low, 40 * MB, 0.001) && near(figure->interval.high, 41 * MB, 0.001));
	assert_string_equal(figure->interval_method, "range of 2 iterations");
	assert_int_equal(figure->iteration_count, 2);
	assert_true(near(figure->ledger.application, 405 * MB, 0.001));
	assert_true(near(figure->ledger.disks, 405 * MB, 0.01));
	assert_true(near(figure->ledger.client_nic, 405 * MB * 1514 / 1448, 0.01));
	assert_true(near(figure->ledger.nas_nic, 405 * MB * 1514 / 1448, 0.01));
	assert_true(figure->client_cache_share >= 0 && figure->client_cache_share < 0.01);
	assert_true(figure->nas_cache_share >= 0 && figure->nas_cache_share < 0.01);
	assert_in_range(figure->latency_p50_ns, 4900000, 5100000);
	assert_true(world_says(&figure->verdict_reasons, "the disks read"));
	nl_model_fini(&model);
}

static void a_write_counts_until_it_is_durable_on_the_nas(void **state)
{
	/* 100 MB/s into caches for 4 s, and 6 s of flushing: 40 MB/s is the truth. */
	const struct load *load = LOAD(.rate = 100 * MB, .seconds = 4, .flush_s = 6);
	const struct nl_figure *figure = two(*state, NL_WORKLOAD_SEQ_WRITE, load, load);
	world_is(&model, figure->name, NL_VERDICT_VALID, NL_BOTTLENECK_DISKS);
	assert_true(near(figure->bytes_per_second, 40 * MB, 0.001));
	assert_true(near(figure->ledger.disks, 800 * MB, 0.01));
	nl_model_fini(&model);
}

static void what_a_mount_keeps_in_memory_is_on_the_wire_until_its_fsync(void **state)
{
	struct world *world = *state;
	world->campaign.shares[0].access = NL_ACCESS_MOUNT;
	const struct load *load = LOAD(.rate = 200 * MB, .seconds = 1, .fsync_s = 4, .flush_s = 4.5);
	const struct nl_figure *figure = two(world, NL_WORKLOAD_SEQ_WRITE, load, load);
	assert_int_equal(figure->verdict, NL_VERDICT_VALID);
	assert_true(near(figure->ledger.client_nic, 400 * MB * 1514 / 1448, 0.01));
	assert_true(near(figure->bytes_per_second, 200 * MB / 5.5, 0.001));
	nl_model_fini(&model);
}

static void files_that_are_laid_between_two_phases_are_in_neither(void **state)
{
	struct world *world = *state;
	unsigned phase[4];
	for (unsigned i = 0; i < 4; i++)
		phase[i] = world_share(world, 0, i % 2 ? NL_WORKLOAD_SEQ_READ : NL_WORKLOAD_SEQ_WRITE, 1);
	world_begin(world);
	for (unsigned i = 0; i < 4; i++)
		world_does(world, phase[i], i % 2 ? LOAD(.lay = 40 * MB) : LOAD(.seconds = 2.5, .flush_s = 0.6));
	world_end(world, NL_RUN_DONE, &model);
	const struct nl_figure *write = world_figure(&model, "nfs seq-write 1"),
			       *read = world_figure(&model, "nfs seq-read 1");
	assert_true(near(write->ledger.client_nic, 200 * MB * 1514 / 1448, 0.005));
	assert_true(near(write->ledger.nas_nic, 200 * MB * 1514 / 1448, 0.005));
	assert_true(near(write->ledger.disks, 200 * MB, 0.005));
	assert_true(near(read->ledger.client_nic, 400 * MB * 1514 / 1448, 0.005));
	assert_true(near(read->ledger.disks, 400 * MB, 0.005));
	nl_model_fini(&model);
}

static void more_than_the_wire_delivered_is_client_cached(void **state)
{
	const struct load *load = LOAD(.rate = 900 * MB, .wire = 0.02, .disks = 0);
	const struct nl_figure *figure = two(*state, NL_WORKLOAD_SEQ_READ, load, load);
	world_is(&model, figure->name, NL_VERDICT_CLIENT_CACHED, NL_BOTTLENECK_CLIENT_CACHE);
	assert_false(nl_verdict_quotable(figure->verdict));
	assert_true(world_says(&figure->verdict_reasons, "98 % of the bytes came from the client's own memory"));
	assert_true(figure->ledger.client_nic < figure->ledger.application / 2);
	nl_model_fini(&model);
}

static void one_cached_iteration_of_two_makes_the_figure_client_cached(void **state)
{
	const struct nl_figure *figure = two(*state, NL_WORKLOAD_SEQ_READ, LOAD(), LOAD(.wire = 0.8, .disks = 0.8));
	world_is(&model, figure->name, NL_VERDICT_CLIENT_CACHED, NL_BOTTLENECK_CLIENT_CACHE);
	nl_model_fini(&model);
}

static void a_warm_read_through_the_clients_cache_is_client_cached_however_short(void **state)
{
	const struct load *load = LOAD(.rate = 2000 * MB, .seconds = 0.2, .wire = 0, .disks = 0);
	const struct nl_figure *figure = two(*state, NL_WORKLOAD_CLIENT_WARM_READ, load, load);
	world_is(&model, figure->name, NL_VERDICT_CLIENT_CACHED, NL_BOTTLENECK_CLIENT_CACHE);
	assert_true(world_says(&figure->verdict_reasons, "0.20 s long"));
	nl_model_fini(&model);
}

static void a_read_from_the_nas_cache_is_nas_cached_and_fills_the_wire(void **state)
{
	const struct load *load = LOAD(.rate = 117 * MB, .disks = 0.001);
	const struct nl_figure *figure = two(*state, NL_WORKLOAD_CACHED_READ, load, load);
	world_is(&model, figure->name, NL_VERDICT_NAS_CACHED, NL_BOTTLENECK_WIRE);
	assert_true(figure->ledger.disks < figure->ledger.application * 0.05);
	nl_model_fini(&model);
}

static void a_cold_read_served_by_memory_is_nas_cached(void **state)
{
	const struct nl_figure *figure = two(*state, NL_WORKLOAD_SEQ_READ, LOAD(.rate = 100 * MB, .disks = 0.3),
					     LOAD(.rate = 100 * MB, .disks = 0.3));
	assert_int_equal(figure->verdict, NL_VERDICT_NAS_CACHED);
	nl_model_fini(&model);
}

static void a_cold_read_served_in_part_by_memory_is_not_cold(void **state)
{
	const struct nl_figure *figure = two(*state, NL_WORKLOAD_SEQ_READ, LOAD(.disks = 0.8), LOAD(.disks = 0.8));
	assert_int_equal(figure->verdict, NL_VERDICT_NOT_COLD);
	assert_true(world_says(&figure->verdict_reasons, "20 % did not come from the disks"));
	nl_model_fini(&model);
}

static void read_ahead_above_what_was_asked_for_does_no_harm(void **state)
{
	const struct nl_figure *figure = two(*state, NL_WORKLOAD_SEQ_READ, LOAD(.disks = 1.04), LOAD(.disks = 1.08));
	assert_int_equal(figure->verdict, NL_VERDICT_VALID);
	assert_true(figure->nas_cache_share == 0);
	nl_model_fini(&model);
}

static void without_disk_counters_nothing_is_proved_cold(void **state)
{
	struct world *world = *state;
	world->no_disks = true;
	const struct nl_figure *figure = two(world, NL_WORKLOAD_SEQ_READ, LOAD(), LOAD());
	assert_int_equal(figure->verdict, NL_VERDICT_NOT_COLD);
	assert_true(world_says(&figure->verdict_reasons, "cannot be proved"));
	assert_true(figure->ledger.disks < 0 && figure->nas_cache_share < 0);
	assert_true(world_says(&model.warnings, "the disks under the pool are not known"));
	nl_model_fini(&model);
}

static void a_write_that_the_disks_did_not_take_is_not_durable(void **state)
{
	const struct nl_figure *figure = two(*state, NL_WORKLOAD_SEQ_WRITE, LOAD(.disks = 0.6, .flush_s = 0.1),
					     LOAD(.disks = 0.6, .flush_s = 0.1));
	assert_int_equal(figure->verdict, NL_VERDICT_NOT_DURABLE);
	assert_true(world_says(&figure->verdict_reasons, "had written 240 MB of 400 MB"));
	nl_model_fini(&model);
}

static void a_write_without_a_flush_is_not_durable(void **state)
{
	const struct nl_figure *figure =
		two(*state, NL_WORKLOAD_SEQ_WRITE, LOAD(.flush_s = 0.1), LOAD(.flush_s = 0.1, .no_flush = true));
	assert_int_equal(figure->verdict, NL_VERDICT_NOT_DURABLE);
	assert_true(world_says(&figure->verdict_reasons, "no answer to the flush"));
	nl_model_fini(&model);
}

static void iterations_far_apart_are_unsteady(void **state)
{
	const struct nl_figure *figure =
		two(*state, NL_WORKLOAD_SEQ_READ, LOAD(.rate = 30 * MB), LOAD(.rate = 40 * MB));
	assert_int_equal(figure->verdict, NL_VERDICT_UNSTEADY);
	assert_true(world_says(&figure->verdict_reasons, "29 % of their median apart"));
	nl_model_fini(&model);
}

static void a_rate_that_jumps_from_second_to_second_is_unsteady(void **state)
{
	struct world *world = *state;
	world->period_ns = 250000000;
	const struct nl_figure *figure =
		two(*state, NL_WORKLOAD_SEQ_READ, LOAD(.seconds = 8, .dip = 0.3), LOAD(.seconds = 8));
	assert_int_equal(figure->verdict, NL_VERDICT_UNSTEADY);
	assert_true(figure->iterations[0].variation > 0.25 && figure->iterations[1].variation < 0.05);
	nl_model_fini(&model);
}

static void a_disk_that_works_in_bursts_below_a_second_is_not_unsteady(void **state)
{
	struct world *world = *state;
	/* Samples at 250 ms would show the bursts; whole seconds do not. */
	world->period_ns = 250000000;
	const struct nl_figure *figure =
		two(world, NL_WORKLOAD_SEQ_READ, LOAD(.seconds = 8, .dip = 0.9), LOAD(.seconds = 8));
	assert_int_equal(figure->verdict, NL_VERDICT_VALID);
	nl_model_fini(&model);
}

static void a_window_below_a_second_is_too_short(void **state)
{
	const struct nl_figure *figure = two(*state, NL_WORKLOAD_SEQ_READ, LOAD(.seconds = 0.9), LOAD());
	assert_int_equal(figure->verdict, NL_VERDICT_TOO_SHORT);
	nl_model_fini(&model);
}

static void a_figure_without_a_good_iteration_has_failed(void **state)
{
	const struct nl_figure *figure = two(*state, NL_WORKLOAD_SEQ_READ, LOAD(.failed = true), LOAD(.failed = true));
	world_is(&model, figure->name, NL_VERDICT_FAILED, NL_BOTTLENECK_UNKNOWN);
	assert_int_equal(figure->failed_count, 2);
	assert_true(figure->bytes_per_second == 0);
	assert_true(world_says(&figure->verdict_reasons, "iteration 1: read at offset 4096: Input/output error"));
	assert_true(figure->evidence.count > 0);
	nl_model_fini(&model);
}

static void a_failed_iteration_is_named_beside_the_good_one(void **state)
{
	const struct nl_figure *figure = two(*state, NL_WORKLOAD_SEQ_READ, LOAD(), LOAD(.failed = true));
	assert_int_equal(figure->verdict, NL_VERDICT_VALID);
	assert_true(world_says(&figure->verdict_reasons, "1 more failed"));
	assert_true(world_says(&figure->verdict_reasons, "a single iteration"));
	assert_true(world_says(&model.warnings, "failed: it failed"));
	nl_model_fini(&model);
}

static void a_cached_read_that_the_disks_served_is_not_what_was_meant(void **state)
{
	const struct nl_figure *figure = two(*state, NL_WORKLOAD_CACHED_READ, LOAD(), LOAD());
	assert_int_equal(figure->verdict, NL_VERDICT_NOT_COMPARABLE);
	assert_true(world_says(&figure->verdict_reasons, "meant to come from the NAS's cache"));
	nl_model_fini(&model);
}

static void traffic_of_others_is_noticed(void **state)
{
	const struct nl_figure *figure =
		two(*state, NL_WORKLOAD_SEQ_READ, LOAD(.foreign_wire = 100 * MB), LOAD(.foreign_wire = 100 * MB));
	assert_int_equal(figure->verdict, NL_VERDICT_VALID);
	assert_true(world_says(&figure->verdict_reasons, "other traffic"));
	nl_model_fini(&model);
}

static void an_unwatched_mount_is_never_valid(void **state)
{
	struct world *world = *state;
	world->no_nics = true;
	world->campaign.shares[0].access = NL_ACCESS_MOUNT;
	const struct nl_figure *figure = two(world, NL_WORKLOAD_SEQ_READ, LOAD(), LOAD());
	assert_int_equal(figure->verdict, NL_VERDICT_NOT_COMPARABLE);
	nl_model_fini(&model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(a_cold_read_that_the_disks_confirm_is_valid),
		WORLD_TEST(a_write_counts_until_it_is_durable_on_the_nas),
		WORLD_TEST(what_a_mount_keeps_in_memory_is_on_the_wire_until_its_fsync),
		WORLD_TEST(files_that_are_laid_between_two_phases_are_in_neither),
		WORLD_TEST(more_than_the_wire_delivered_is_client_cached),
		WORLD_TEST(one_cached_iteration_of_two_makes_the_figure_client_cached),
		WORLD_TEST(a_warm_read_through_the_clients_cache_is_client_cached_however_short),
		WORLD_TEST(a_read_from_the_nas_cache_is_nas_cached_and_fills_the_wire),
		WORLD_TEST(a_cold_read_served_by_memory_is_nas_cached),
		WORLD_TEST(a_cold_read_served_in_part_by_memory_is_not_cold),
		WORLD_TEST(read_ahead_above_what_was_asked_for_does_no_harm),
		WORLD_TEST(without_disk_counters_nothing_is_proved_cold),
		WORLD_TEST(a_write_that_the_disks_did_not_take_is_not_durable),
		WORLD_TEST(a_write_without_a_flush_is_not_durable),
		WORLD_TEST(iterations_far_apart_are_unsteady),
		WORLD_TEST(a_rate_that_jumps_from_second_to_second_is_unsteady),
		WORLD_TEST(a_disk_that_works_in_bursts_below_a_second_is_not_unsteady),
		WORLD_TEST(a_window_below_a_second_is_too_short),
		WORLD_TEST(a_figure_without_a_good_iteration_has_failed),
		WORLD_TEST(a_failed_iteration_is_named_beside_the_good_one),
		WORLD_TEST(a_cached_read_that_the_disks_served_is_not_what_was_meant),
		WORLD_TEST(traffic_of_others_is_noticed),
		WORLD_TEST(an_unwatched_mount_is_never_valid),
	};
	return cmocka_run_group_tests_name("reconcile: verdicts", tests, NULL, NULL);
}
