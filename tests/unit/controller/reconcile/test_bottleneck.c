/* One constructed world for each bottleneck, and the ground truths of the lab. */
#include <math.h>

#include "world.h"

static struct nl_model model;

struct setup {
	double line, pool, self; /* bytes/s; 0: not measured */
};

static void does_setup(struct world *world, const struct setup *setup, unsigned share_phases[], unsigned count,
		       enum nl_workload workload, const struct load *load)
{
	unsigned to = 0, from = 0, write = 0, read = 0, self = 0;
	if (setup->self > 0)
		self = world_self_load(world, false, workload == NL_WORKLOAD_SEQ_WRITE);
	if (setup->line > 0) {
		to = world_line(world, true, 1);
		from = world_line(world, false, 1);
	}
	if (setup->pool > 0) {
		write = world_pool(world, NL_WORKLOAD_SEQ_WRITE, 1);
		read = world_pool(world, NL_WORKLOAD_SEQ_READ, 1);
	}
	for (unsigned i = 0; i < count; i++)
		share_phases[i] = world_share(world, 0, workload, 4);
	world_begin(world);
	if (setup->self > 0)
		world_does(world, self, LOAD(.rate = setup->self, .wire = 0, .disks = 0));
	if (setup->line > 0) {
		world_does(world, to, LOAD(.rate = setup->line));
		world_does(world, from, LOAD(.rate = setup->line));
	}
	if (setup->pool > 0) {
		world_does(world, write, LOAD(.rate = setup->pool, .disk_busy = 0.4));
		world_does(world, read, LOAD(.rate = setup->pool, .disk_busy = 0.4));
	}
	for (unsigned i = 0; i < count; i++)
		world_does(world, share_phases[i], load);
	world_end(world, NL_RUN_DONE, &model);
}

static const struct nl_figure *share(struct world *world, const struct setup *setup, enum nl_workload workload,
				     const struct load *load)
{
	unsigned phases[2];
	char name[64];
	does_setup(world, setup, phases, 2, workload, load);
	snprintf(name, sizeof(name), "nfs %s 4", nl_workload_name(workload));
	return world_figure(&model, name);
}

static const struct setup slow_disk = {119 * MB, 40 * MB, 3000 * MB};
static const struct setup slow_wire = {23.8 * MB, 100 * MB, 3000 * MB};

static void behind_1_gbit_a_disk_of_40_mb_limits_reads_and_writes(void **state)
{
	const struct nl_figure *figure = share(*state, &slow_disk, NL_WORKLOAD_SEQ_READ, LOAD(.rate = 39 * MB));
	world_is(&model, figure->name, NL_VERDICT_VALID, NL_BOTTLENECK_DISKS);
	assert_true(world_says(&figure->evidence, "the disks read 39.0 MB/s of the 40.0 MB/s"));
	assert_true(world_says(&figure->evidence, "the wire carried"));
	world_is(&model, "line to-nas 1 streams", NL_VERDICT_VALID, NL_BOTTLENECK_WIRE);
	world_is(&model, "pool seq-write 1", NL_VERDICT_VALID, NL_BOTTLENECK_DISKS);
	nl_model_fini(&model);
}

static void a_write_that_fills_caches_first_is_still_limited_by_the_disks(void **state)
{
	/* The first 40 MB at the wire's rate into memory, then as fast as the disk takes it, then the rest is flushed.
	 */
	const struct nl_figure *figure =
		share(*state, &slow_disk, NL_WORKLOAD_SEQ_WRITE, LOAD(.rate = 50 * MB, .seconds = 2.5, .flush_s = 0.7));
	world_is(&model, figure->name, NL_VERDICT_VALID, NL_BOTTLENECK_DISKS);
	nl_model_fini(&model);
}

static void a_wire_of_200_mbit_limits_reads(void **state)
{
	struct world *world = *state;
	world->link_bps = 200e6;
	const struct nl_figure *figure = share(world, &slow_wire, NL_WORKLOAD_SEQ_READ, LOAD(.rate = 23.5 * MB));
	world_is(&model, figure->name, NL_VERDICT_VALID, NL_BOTTLENECK_WIRE);
	nl_model_fini(&model);
}

static void a_wire_of_200_mbit_limits_writes_whose_flush_comes_after(void **state)
{
	struct world *world = *state;
	world->link_bps = 200e6;
	const struct nl_figure *figure = share(world, &slow_wire, NL_WORKLOAD_SEQ_WRITE,
					       LOAD(.rate = 23.5 * MB, .seconds = 2.5, .flush_s = 0.6));
	world_is(&model, figure->name, NL_VERDICT_VALID, NL_BOTTLENECK_WIRE);
	assert_true(world_says(&figure->evidence, "while data was sent"));
	nl_model_fini(&model);
}

static void busy_disks_are_named_without_a_pool_test(void **state)
{
	const struct setup setup = {119 * MB, 0, 0};
	const struct nl_figure *figure = share(*state, &setup, NL_WORKLOAD_SEQ_READ, LOAD(.disk_busy = 0.97));
	world_is(&model, figure->name, NL_VERDICT_VALID, NL_BOTTLENECK_DISKS);
	nl_model_fini(&model);
}

static void a_pool_figure_that_a_path_exceeds_by_far_is_no_limit(void **state)
{
	const struct setup setup = {119 * MB, 20 * MB, 3000 * MB};
	const struct nl_figure *figure =
		share(*state, &setup, NL_WORKLOAD_SEQ_READ, LOAD(.rate = 50 * MB, .disk_busy = 0.3));
	world_is(&model, figure->name, NL_VERDICT_VALID, NL_BOTTLENECK_UNKNOWN);
	assert_true(world_says(&figure->evidence, "so that is not their limit"));
	nl_model_fini(&model);
}

static void a_full_core_of_the_nas_is_named(void **state)
{
	const struct setup setup = {119 * MB, 400 * MB, 0};
	const struct nl_figure *figure =
		share(*state, &setup, NL_WORKLOAD_SEQ_READ, LOAD(.rate = 60 * MB, .nas_core = 0.99));
	world_is(&model, figure->name, NL_VERDICT_VALID, NL_BOTTLENECK_NAS_CPU);
	assert_true(world_says(&figure->evidence, "the busiest core of the NAS was 99 % busy"));
	nl_model_fini(&model);
}

static void a_full_core_of_the_client_is_named(void **state)
{
	const struct setup setup = {119 * MB, 400 * MB, 0};
	const struct nl_figure *figure =
		share(*state, &setup, NL_WORKLOAD_SEQ_READ, LOAD(.rate = 60 * MB, .client_core = 0.98));
	world_is(&model, figure->name, NL_VERDICT_VALID, NL_BOTTLENECK_CLIENT_CPU);
	nl_model_fini(&model);
}

static void full_disks_come_before_full_processors(void **state)
{
	const struct nl_figure *figure =
		share(*state, &slow_disk, NL_WORKLOAD_SEQ_READ, LOAD(.nas_core = 1, .client_core = 1));
	world_is(&model, figure->name, NL_VERDICT_VALID, NL_BOTTLENECK_DISKS);
	assert_true(world_says(&figure->evidence, "also full: the busiest core"));
	nl_model_fini(&model);
}

static void a_full_load_thread_is_the_generators_limit(void **state)
{
	const struct setup setup = {119 * MB, 400 * MB, 0};
	const struct nl_figure *figure =
		share(*state, &setup, NL_WORKLOAD_SEQ_READ, LOAD(.rate = 60 * MB, .thread = 0.99, .client_core = 0.9));
	world_is(&model, figure->name, NL_VERDICT_VALID, NL_BOTTLENECK_LOAD_GENERATOR);
	nl_model_fini(&model);
}

static void the_generators_own_rate_is_a_limit(void **state)
{
	const struct setup setup = {119 * MB, 400 * MB, 61 * MB};
	const struct nl_figure *figure = share(*state, &setup, NL_WORKLOAD_SEQ_READ, LOAD(.rate = 60 * MB));
	world_is(&model, figure->name, NL_VERDICT_VALID, NL_BOTTLENECK_LOAD_GENERATOR);
	assert_true(world_says(&figure->evidence, "with no storage behind it the generator does 61.0 MB/s"));
	nl_model_fini(&model);
}

static void of_two_full_layers_the_nearer_to_its_limit_is_named_and_the_other_told(void **state)
{
	const struct setup setup = {119 * MB, 130 * MB, 0};
	const struct nl_figure *figure = share(*state, &setup, NL_WORKLOAD_SEQ_READ, LOAD(.rate = 116 * MB));
	world_is(&model, figure->name, NL_VERDICT_VALID, NL_BOTTLENECK_WIRE);
	assert_true(world_says(&figure->evidence, "also full: the disks"));
	nl_model_fini(&model);
}

static void wire_and_disks_that_wait_for_each_other_are_seen(void **state)
{
	/* 1/100 + 1/60 of a second for each MB: 37.5 MB/s, neither full. */
	const struct setup setup = {119 * MB, 60 * MB, 0};
	const struct nl_figure *figure = share(*state, &setup, NL_WORKLOAD_SEQ_READ, LOAD(.rate = 39 * MB));
	world_is(&model, figure->name, NL_VERDICT_VALID, NL_BOTTLENECK_DISKS);
	assert_true(world_says(&figure->evidence, "worked in turn"));
	nl_model_fini(&model);
}

static void a_wire_at_85_percent_is_named_as_the_nearest(void **state)
{
	const struct load *load = LOAD(.rate = 101 * MB, .disks = 0);
	const struct nl_figure *figure = share(*state, &slow_disk, NL_WORKLOAD_CACHED_READ, load);
	world_is(&model, figure->name, NL_VERDICT_NAS_CACHED, NL_BOTTLENECK_WIRE);
	assert_true(world_says(&figure->evidence, "this one was nearest"));
	nl_model_fini(&model);
}

static void thin_evidence_is_unknown(void **state)
{
	const struct setup setup = {119 * MB, 400 * MB, 3000 * MB};
	const struct nl_figure *figure = share(*state, &setup, NL_WORKLOAD_SEQ_READ, LOAD(.rate = 50 * MB));
	world_is(&model, figure->name, NL_VERDICT_VALID, NL_BOTTLENECK_UNKNOWN);
	assert_true(world_says(&figure->evidence, "nothing that was watched was at its limit"));
	nl_model_fini(&model);
}

static void a_line_that_a_processor_stopped_is_no_limit_of_the_wire(void **state)
{
	struct world *world = *state;
	world->link_bps = 10e9;
	unsigned to = world_line(world, true, 1), from = world_line(world, false, 1);
	unsigned read = world_share(world, 0, NL_WORKLOAD_SEQ_READ, 1);
	world_begin(world);
	world_does(world, to, LOAD(.rate = 600 * MB, .nas_core = 1));
	world_does(world, from, LOAD(.rate = 600 * MB, .nas_core = 1));
	world_does(world, read, LOAD(.rate = 590 * MB, .nas_core = 1));
	world_end(world, NL_RUN_DONE, &model);
	world_is(&model, "line from-nas 1 streams", NL_VERDICT_VALID, NL_BOTTLENECK_NAS_CPU);
	world_is(&model, "nfs seq-read 1", NL_VERDICT_VALID, NL_BOTTLENECK_NAS_CPU);
	nl_model_fini(&model);
}

static void the_link_is_explained_by_its_shaper(void **state)
{
	share(*state, &slow_disk, NL_WORKLOAD_SEQ_READ, LOAD());
	assert_true(model.link.speed_bps == 1e9);
	assert_int_equal(model.link.mtu, 1500);
	assert_true(fabs(model.link.goodput_bytes_per_second / (1e9 / 8 * 1448 / 1514) - 1) < 1e-9);
	assert_non_null(strstr(model.link.explanation, "1.00 Gbit/s by the tbf shaper of wire"));
	assert_string_equal(model.link.client_nic, "wire");
	nl_model_fini(&model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(behind_1_gbit_a_disk_of_40_mb_limits_reads_and_writes),
		WORLD_TEST(a_write_that_fills_caches_first_is_still_limited_by_the_disks),
		WORLD_TEST(a_wire_of_200_mbit_limits_reads),
		WORLD_TEST(a_wire_of_200_mbit_limits_writes_whose_flush_comes_after),
		WORLD_TEST(busy_disks_are_named_without_a_pool_test),
		WORLD_TEST(a_pool_figure_that_a_path_exceeds_by_far_is_no_limit),
		WORLD_TEST(a_full_core_of_the_nas_is_named),
		WORLD_TEST(a_full_core_of_the_client_is_named),
		WORLD_TEST(full_disks_come_before_full_processors),
		WORLD_TEST(a_full_load_thread_is_the_generators_limit),
		WORLD_TEST(the_generators_own_rate_is_a_limit),
		WORLD_TEST(of_two_full_layers_the_nearer_to_its_limit_is_named_and_the_other_told),
		WORLD_TEST(wire_and_disks_that_wait_for_each_other_are_seen),
		WORLD_TEST(a_wire_at_85_percent_is_named_as_the_nearest),
		WORLD_TEST(thin_evidence_is_unknown),
		WORLD_TEST(a_line_that_a_processor_stopped_is_no_limit_of_the_wire),
		WORLD_TEST(the_link_is_explained_by_its_shaper),
	};
	return cmocka_run_group_tests_name("reconcile: bottlenecks", tests, NULL, NULL);
}
