/* Whole runs: complete, cut off anywhere, empty, and with rubbish in them. */
#include <math.h>

#include "base/time.h"
#include "world.h"

static struct nl_model model;

static unsigned phases[10];

static void plan_all(struct world *world)
{
	phases[0] = world_self_load(world, true, true);
	phases[1] = world_line(world, true, 4);
	phases[2] = world_line(world, false, 4);
	phases[3] = world_pool(world, NL_WORKLOAD_SEQ_WRITE, 1);
	phases[4] = world_pool(world, NL_WORKLOAD_SEQ_READ, 1);
	phases[5] = world_pool(world, NL_WORKLOAD_CACHED_READ, 1);
	phases[6] = world_share(world, 0, NL_WORKLOAD_SEQ_WRITE, 1);
	phases[7] = world_share(world, 0, NL_WORKLOAD_SEQ_READ, 1);
	phases[8] = world_share(world, 1, NL_WORKLOAD_SEQ_WRITE, 1);
	phases[9] = world_share(world, 1, NL_WORKLOAD_SEQ_READ, 1);
}

static void does(struct world *world, unsigned i)
{
	if (i == 1 || i == 2)
		world_does(world, phases[i], LOAD(.rate = 118 * MB));
	else if (i == 0 || i == 5)
		world_does(world, phases[i], LOAD(.rate = 4000 * MB, .disks = 0, .thread = 0.99));
	else
		world_does(world, phases[i], LOAD(.flush_s = 0.2));
}

static void a_whole_run_is_told_in_one_paragraph(void **state)
{
	struct world *world = *state;
	plan_all(world);
	world_begin(world);
	for (unsigned i = 0; i < 10; i++)
		does(world, i);
	world_end(world, NL_RUN_DONE, &model);
	assert_int_equal(model.ceiling_count, 6);
	assert_int_equal(model.path_count, 4);
	assert_int_equal(model.comparison_count, 2);
	assert_int_equal(model.warnings.count, 0);
	assert_null(strchr(model.summary, '\n'));
	assert_non_null(
		strstr(model.summary,
		       "A client of share nfs writes durably at 38.5 MB/s with 1 stream, limited by the disks"));
	assert_non_null(strstr(model.summary, "TCP alone carries 118.0 MB/s to the NAS and 118.0 MB/s from it"));
	assert_non_null(strstr(model.summary, "1 of 10 figures may not be quoted: 1 nas-cached."));
	assert_true(model.clock_error_ns == 200000);
	assert_true(model.setting_count > 0);
	assert_true(world_says(&model.reproduction, "iperf3 -c 10.0.0.1 -P 4"));
	assert_true(world_says(&model.reproduction, "fio --name=nasline --directory=/pool --rw=write --bs=1MiB"));
	world_is(&model, "pool cached-read 1", NL_VERDICT_NAS_CACHED, NL_BOTTLENECK_LOAD_GENERATOR);
	for (size_t i = 0; i < model.path_count; i++) {
		assert_true(model.paths[i].evidence.count > 0);
		assert_true(model.paths[i].verdict_reasons.count > 0);
		assert_true(model.paths[i].interval.low <= model.paths[i].bytes_per_second);
		assert_true(model.paths[i].interval.high >= model.paths[i].bytes_per_second);
	}
	nl_model_fini(&model);
}

static void charts_show_rates_on_one_axis(void **state)
{
	struct world *world = *state;
	bool streams = false, wire = false;
	plan_all(world);
	world_begin(world);
	for (unsigned i = 0; i < 10; i++)
		does(world, i);
	world_end(world, NL_RUN_DONE, &model);
	for (size_t i = 0; i < model.chart_count; i++) {
		const struct nl_chart_series *chart = &model.charts[i];
		double highest = 0;
		assert_in_range(chart->count, 2, 2001);
		for (size_t k = 0; k < chart->count; k++) {
			highest = chart->values[k] > highest ? chart->values[k] : highest;
			assert_true(k == 0 || chart->times_s[k] > chart->times_s[k - 1]);
		}
		if (!strcmp(chart->name, "client streams"))
			streams = fabs(highest / (40 * MB) - 1) < 0.05;
		if (!strcmp(chart->name, "nas sent"))
			wire = fabs(highest / (118 * MB * 1514 / 1448) - 1) < 0.05;
		if (!strcmp(chart->group, "cpu"))
			assert_true(highest <= 100 && highest > 10);
	}
	assert_true(streams && wire);
	nl_model_fini(&model);
}

static void a_run_cut_off_at_any_phase_says_what_is_missing(void **state)
{
	struct world *world = *state;
	plan_all(world);
	world_begin(world);
	for (unsigned i = 0; i < 10; i++) {
		struct nl_error err;
		/* At each step the run is looked at as if it ended there, in the middle of the next phase. */
		world_does(world, phases[i], LOAD(.cut_off = true));
		assert_int_equal(nl_reconcile(world->store, "r", &model, &err), 0);
		assert_int_equal(model.ceiling_count + model.path_count, i + 1);
		assert_true(world_says(&model.warnings, "phases were not finished"));
		assert_true(world_says(&model.warnings, "the run had not ended"));
		const struct nl_figure *last = world_figure(&model, world->plan.phases[phases[i]].figure);
		assert_int_equal(last->verdict, NL_VERDICT_FAILED);
		assert_true(world_says(&last->verdict_reasons, "cut off"));
		nl_model_fini(&model);
		does(world, i);
	}
	world_end(world, NL_RUN_INTERRUPTED, &model);
	assert_true(world_says(&model.warnings, "interrupted"));
	nl_model_fini(&model);
}

static void a_run_without_phases_or_plan_is_a_model_that_says_so(void **state)
{
	struct world *world = *state;
	struct nl_store_run run = {.id = "empty", .started_ns = 1};
	struct nl_error err;
	assert_int_equal(nl_store_run_add(world->store, &run, "", "", &err), 0);
	assert_int_equal(nl_reconcile(world->store, "empty", &model, &err), 0);
	assert_int_equal(model.path_count, 0);
	assert_true(world_says(&model.warnings, "no plan is stored"));
	assert_non_null(strstr(model.summary, "Nothing was measured."));
	nl_model_fini(&model);
	assert_int_equal(nl_reconcile(world->store, "none", &model, &err), NL_E_NOT_FOUND);
}

static void campaign_and_plan_that_cannot_be_read_are_warned_of(void **state)
{
	struct world *world = *state;
	struct nl_store_run run = {.id = "odd", .started_ns = 1};
	struct nl_error err;
	assert_int_equal(nl_store_run_add(world->store, &run, "{{{ no campaign", "[1, 2", &err), 0);
	assert_int_equal(nl_reconcile(world->store, "odd", &model, &err), 0);
	assert_true(world_says(&model.warnings, "campaign cannot be read"));
	assert_true(world_says(&model.warnings, "plan cannot be read"));
	nl_model_fini(&model);
}

static void rubbish_in_results_is_left_out_with_a_warning(void **state)
{
	struct world *world = *state;
	uint8_t rubbish[300];
	uint64_t seed = 3;
	struct nl_error err;
	plan_all(world);
	world_begin(world);
	for (unsigned i = 0; i < 10; i++)
		does(world, i);
	for (unsigned round = 0; round < 200; round++) {
		for (size_t i = 0; i < sizeof(rubbish); i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			rubbish[i] = (uint8_t)(seed >> 56);
		}
		assert_int_equal(nl_store_result_add(world->store, "r", round % 10, "nas", round % 3 ? "load" : "evict",
						     rubbish, round, &err),
				 0);
	}
	world_end(world, NL_RUN_DONE, &model);
	assert_true(world_says(&model.warnings, "cannot be read and is left out"));
	assert_int_equal(model.path_count, 4);
	nl_model_fini(&model);
}

static void results_of_impossible_instants_and_sizes_do_no_harm(void **state)
{
	struct world *world = *state;
	static const int64_t instants[] = {INT64_MIN, -1, 0, 1, INT64_MAX};
	struct nl_error err;
	plan_all(world);
	world_begin(world);
	for (unsigned i = 0; i < 10; i++)
		does(world, i);
	for (unsigned i = 0; i < 25; i++) {
		assert_int_equal(nl_store_phase_set(world->store, "r", phases[i % 10], NL_PHASE_DONE, instants[i % 5],
						    instants[i / 5], "", &err),
				 0);
		int64_t times[] = {instants[i % 5], instants[i / 5]};
		double values[] = {1e300, -1e300};
		assert_int_equal(nl_store_samples_add(world->store, "r", "nas", NL_METRIC_DISK_READ_BYTES, "loop1",
						      times, values, 2, &err),
				 0);
	}
	world_end(world, NL_RUN_DONE, &model);
	assert_int_equal(model.path_count, 4);
	nl_model_fini(&model);
}

static void a_run_without_samples_quotes_nothing_that_needs_them(void **state)
{
	struct world *world = *state;
	world->no_samples = true;
	plan_all(world);
	world_begin(world);
	for (unsigned i = 0; i < 10; i++)
		does(world, i);
	world_end(world, NL_RUN_DONE, &model);
	for (size_t i = 0; i < model.path_count; i++)
		assert_false(nl_verdict_quotable(model.paths[i].verdict));
	assert_true(world_says(&model.warnings, "nas: no samples are stored"));
	assert_int_equal(model.chart_count, 0);
	nl_model_fini(&model);
}

static void audit_findings_and_drops_are_warned_of(void **state)
{
	struct world *world = *state;
	int64_t times[] = {WORLD_START_NS, WORLD_START_NS + NL_NS_PER_S};
	double values[] = {5, 17};
	struct nl_error err;
	plan_all(world);
	world_begin(world);
	world_fact(world, "nas", "audit", "scrub", "a scrub is running");
	world_fact(world, "client", "watch", "missing", "nfsd: no /proc/net/rpc/nfsd");
	assert_int_equal(nl_store_samples_add(world->store, "r", "nas", NL_METRIC_NIC_SEND_DROPS, "wire", times, values,
					      2, &err),
			 0);
	does(world, 0);
	world_end(world, NL_RUN_FAILED, &model);
	assert_true(world_says(&model.warnings, "nas: scrub: a scrub is running"));
	assert_true(world_says(&model.warnings, "client: not sampled: nfsd"));
	assert_true(world_says(&model.warnings, "dropped 12 packets it was to send"));
	nl_model_fini(&model);
}

static void six_iterations_have_an_order_statistic_interval(void **state)
{
	struct world *world = *state;
	unsigned six[6];
	for (unsigned i = 0; i < 6; i++)
		six[i] = world_share(world, 0, NL_WORKLOAD_SEQ_READ, 1);
	world_begin(world);
	for (unsigned i = 0; i < 6; i++)
		world_does(world, six[i], LOAD(.rate = (38 + i * 0.5) * MB));
	world_end(world, NL_RUN_DONE, &model);
	assert_string_equal(model.paths[0].interval_method, "96.9 % of the median, order statistics of 6");
	nl_model_fini(&model);
}

static void a_single_iteration_is_bootstrapped_over_its_seconds(void **state)
{
	struct world *world = *state;
	unsigned one = world_share(world, 0, NL_WORKLOAD_SEQ_READ, 1);
	world_begin(world);
	world_does(world, one, LOAD(.seconds = 10, .dip = 0.9));
	world_end(world, NL_RUN_DONE, &model);
	assert_non_null(strstr(model.paths[0].interval_method, "block bootstrap"));
	assert_non_null(strstr(model.paths[0].interval_method, "seed 20261130"));
	assert_true(model.paths[0].interval.low < model.paths[0].interval.high);
	nl_model_fini(&model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(a_whole_run_is_told_in_one_paragraph),
		WORLD_TEST(charts_show_rates_on_one_axis),
		WORLD_TEST(a_run_cut_off_at_any_phase_says_what_is_missing),
		WORLD_TEST(a_run_without_phases_or_plan_is_a_model_that_says_so),
		WORLD_TEST(campaign_and_plan_that_cannot_be_read_are_warned_of),
		WORLD_TEST(rubbish_in_results_is_left_out_with_a_warning),
		WORLD_TEST(results_of_impossible_instants_and_sizes_do_no_harm),
		WORLD_TEST(a_run_without_samples_quotes_nothing_that_needs_them),
		WORLD_TEST(audit_findings_and_drops_are_warned_of),
		WORLD_TEST(six_iterations_have_an_order_statistic_interval),
		WORLD_TEST(a_single_iteration_is_bootstrapped_over_its_seconds),
	};
	return cmocka_run_group_tests_name("reconcile: runs", tests, NULL, NULL);
}
