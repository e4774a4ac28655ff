/*
 * test_plan: the order of the phases, their files, space and time.
 */
#include "unit/controller/campaign/campaign_fixture.h"

#include <stdio.h>

#include "base/time.h"
#include "controller/campaign/plan.h"

static const struct nl_plan_facts gigabit = {.nas_cores = 8, .assumed_bytes_per_s = 125e6};

static struct nl_plan plan_of(const char *text, const struct nl_plan_facts *facts)
{
	struct nl_campaign *c = campaign_of(text);
	struct nl_plan plan;
	struct nl_error err;
	assert_int_equal(nl_plan_make(c, facts, &plan, &err), 0);
	free(c);
	for (unsigned i = 0; i < plan.phase_count; i++)
		assert_int_equal(plan.phases[i].index, i);
	return plan;
}

/* "figure #iteration" of the phases of one kind, one a line. */
static char *order_of(const struct nl_plan *plan, enum nl_phase_kind kind)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	assert_non_null(out);
	for (unsigned i = 0; i < plan->phase_count; i++)
		if (plan->phases[i].kind == kind)
			fprintf(out, "%s #%u%s\n", plan->phases[i].figure, plan->phases[i].iteration,
				plan->phases[i].optional ? "?" : "");
	fclose(out);
	return text;
}

static void check_order(const struct nl_plan *plan, enum nl_phase_kind kind, const char *wanted)
{
	char *order = order_of(plan, kind);
	assert_string_equal(order, wanted);
	free(order);
}

static void quick_is_planned_under_105_seconds(void **state)
{
	struct nl_plan plan = plan_of(ONE_CLIENT "shares:\n" NFS SMB, &gigabit);
	(void)state;
	assert_true(plan.expected_ns < 105 * NL_NS_PER_S);
	int64_t sum = 0;
	for (unsigned i = 0; i < plan.phase_count; i++) {
		assert_false(plan.phases[i].optional);
		assert_true(plan.phases[i].expected_ns >= plan.phases[i].duration_ns + plan.phases[i].ramp_ns);
		sum += plan.phases[i].expected_ns;
	}
	assert_int_equal(sum, plan.expected_ns);
	nl_plan_fini(&plan);
}

static void quick_begins_with_the_inventory_and_ends_with_the_cleanup(void **state)
{
	static const enum nl_phase_kind kinds[] = {NL_PHASE_INVENTORY, NL_PHASE_PREPARE, NL_PHASE_SELF_LOAD,
						   NL_PHASE_SELF_LOAD, NL_PHASE_LINE};
	struct nl_plan plan = plan_of(ONE_CLIENT "shares:\n" NFS SMB, &gigabit);
	(void)state;
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(plan.phases[i].kind, kinds[i]);
	assert_int_equal(plan.phases[plan.phase_count - 1].kind, NL_PHASE_CLEANUP);
	check_order(&plan, NL_PHASE_SELF_LOAD, "generator nas 1 stream #1\ngenerator client 1 stream #1\n");
	assert_true(plan.phases[2].on_nas);
	assert_false(plan.phases[3].on_nas);
	nl_plan_fini(&plan);
}

static void shares_are_visited_a_b_b_a(void **state)
{
	struct nl_plan plan =
		plan_of(ONE_CLIENT "iterations: { min: 3 }\nstreams: { streams: [1] }\nshares:\n" NFS SMB, NULL);
	(void)state;
	check_order(&plan, NL_PHASE_SHARE,
		    "nfs seq-write 1 stream #1\nnfs seq-read 1 stream #1\n"
		    "smb seq-write 1 stream #1\nsmb seq-read 1 stream #1\n"
		    "smb seq-write 1 stream #2\nsmb seq-read 1 stream #2\n"
		    "nfs seq-write 1 stream #2\nnfs seq-read 1 stream #2\n"
		    "nfs seq-write 1 stream #3\nnfs seq-read 1 stream #3\n"
		    "smb seq-write 1 stream #3\nsmb seq-read 1 stream #3\n");
	nl_plan_fini(&plan);
}

static void sequential_order_keeps_the_order(void **state)
{
	struct nl_plan plan = plan_of(ONE_CLIENT "streams: { streams: [4], workloads: [seq-read], order: sequential }\n"
						 "shares:\n" NFS SMB,
				      NULL);
	(void)state;
	check_order(&plan, NL_PHASE_SHARE,
		    "nfs seq-read 4 streams #1\nsmb seq-read 4 streams #1\n"
		    "nfs seq-read 4 streams #2\nsmb seq-read 4 streams #2\n");
	nl_plan_fini(&plan);
}

static void the_line_alternates_its_directions(void **state)
{
	struct nl_plan plan = plan_of(ONE_CLIENT "line: { streams: [1] }\n", NULL);
	(void)state;
	check_order(&plan, NL_PHASE_LINE,
		    "line to-nas 1 stream #1\nline from-nas 1 stream #1\n"
		    "line from-nas 1 stream #2\nline to-nas 1 stream #2\n");
	nl_plan_fini(&plan);
	plan = plan_of(ONE_CLIENT "line: { streams: [4], directions: [from-nas] }\n", NULL);
	check_order(&plan, NL_PHASE_LINE, "line from-nas 4 streams #1\nline from-nas 4 streams #2\n");
	nl_plan_fini(&plan);
}

static void the_pool_writes_before_it_reads_the_same_files(void **state)
{
	struct nl_plan plan = plan_of(ONE_CLIENT, NULL);
	(void)state;
	check_order(&plan, NL_PHASE_POOL,
		    "pool durable-write 1 stream #1\npool cold-read 1 stream #1\npool cached-read 1 stream #1\n"
		    "pool durable-write 1 stream #2\npool cold-read 1 stream #2\npool cached-read 1 stream #2\n");
	for (unsigned i = 0; i < plan.phase_count; i++)
		if (plan.phases[i].kind == NL_PHASE_POOL) {
			assert_string_equal(plan.phases[i].file_prefix, "pool-s1");
			assert_true(plan.phases[i].on_nas);
			assert_int_equal(plan.phases[i].layer, NL_LAYER_POOL);
			bool write = plan.phases[i].workload == NL_WORKLOAD_SEQ_WRITE;
			assert_int_equal(plan.phases[i].direction, write ? NL_DIRECTION_WRITE : NL_DIRECTION_READ);
			assert_int_equal(plan.phases[i].ramp_ns, write ? 0 : 100 * NL_NS_PER_MS);
		}
	nl_plan_fini(&plan);
}

static unsigned pool_streams_of(const char *streams, unsigned cores, unsigned *last)
{
	char text[400];
	struct nl_plan_facts facts = {.nas_cores = cores};
	snprintf(text, sizeof text,
		 ONE_CLIENT "pool: { modes: [cold-read], streams: %s }\niterations: { min: 1, max: 1 }\n", streams);
	struct nl_plan plan = plan_of(text, cores ? &facts : NULL);
	unsigned count = 0;
	for (unsigned i = 0; i < plan.phase_count; i++)
		if (plan.phases[i].kind == NL_PHASE_POOL) {
			count++;
			*last = plan.phases[i].streams;
		}
	nl_plan_fini(&plan);
	return count;
}

static void max_is_one_stream_for_each_core_and_never_twice(void **state)
{
	unsigned last = 0;
	(void)state;
	assert_int_equal(pool_streams_of("[1, max]", 12, &last), 2);
	assert_int_equal(last, 12);
	assert_int_equal(pool_streams_of("[1, max]", 1, &last), 1);
	assert_int_equal(pool_streams_of("[1, max]", 0, &last), 2);
	assert_int_equal(last, 4);
	assert_int_equal(pool_streams_of("[1, 8, max]", 4, &last), 3);
	assert_int_equal(last, 8);
	assert_int_equal(pool_streams_of("[max]", 5000, &last), 1);
	assert_int_equal(last, 256);
}

static void iterations_above_min_are_optional(void **state)
{
	struct nl_plan plan = plan_of(ONE_CLIENT "line: { streams: [1], directions: [to-nas] }\n"
						 "iterations: { min: 1, until: 5%, max: 3 }\n",
				      NULL);
	int64_t certain = 0;
	(void)state;
	check_order(&plan, NL_PHASE_LINE,
		    "line to-nas 1 stream #1\nline to-nas 1 stream #2?\nline to-nas 1 stream #3?\n");
	for (unsigned i = 0; i < plan.phase_count; i++)
		certain += plan.phases[i].optional ? 0 : plan.phases[i].expected_ns;
	assert_int_equal(certain, plan.expected_ns);
	nl_plan_fini(&plan);
}

static void without_until_there_are_min_iterations(void **state)
{
	struct nl_plan plan = plan_of(ONE_CLIENT "line: { streams: [1], directions: [to-nas] }\n"
						 "iterations: { min: 2, until: off, max: 9 }\n",
				      NULL);
	(void)state;
	check_order(&plan, NL_PHASE_LINE, "line to-nas 1 stream #1\nline to-nas 1 stream #2\n");
	nl_plan_fini(&plan);
}

static void files_hold_what_the_assumed_rate_can_write(void **state)
{
	struct nl_plan plan = plan_of(ONE_CLIENT "pool: off\nshares:\n" NFS SMB, &gigabit);
	(void)state;
	for (unsigned i = 0; i < plan.phase_count; i++) {
		const struct nl_phase *phase = &plan.phases[i];
		if (phase->kind != NL_PHASE_SHARE)
			continue;
		assert_int_equal(phase->file_bytes % phase->block_bytes, 0);
		assert_true((double)phase->file_bytes * phase->streams >= 125e6 * 2.1 * 1.2);
		assert_true((double)phase->file_bytes * phase->streams < 125e6 * 2.1 * 1.2 * 1.6);
	}
	nl_plan_fini(&plan);
}

static void space_is_one_set_of_files_for_each_share_and_number_of_streams(void **state)
{
	struct nl_plan plan = plan_of(ONE_CLIENT "pool: { streams: [1, 2], size: 8M }\n"
						 "streams: { streams: [1, 4], size: 10M }\nshares:\n" NFS SMB,
				      NULL);
	(void)state;
	assert_int_equal(plan.space_bytes, (uint64_t)(8 * (1 + 2) + 2 * 10 * (1 + 4)) << 20);
	nl_plan_fini(&plan);
}

static void a_given_size_is_rounded_up_to_whole_blocks(void **state)
{
	struct nl_plan plan = plan_of(ONE_CLIENT "pool: { size: 9M, block_size: 4M }\n", NULL);
	(void)state;
	for (unsigned i = 0; i < plan.phase_count; i++)
		if (plan.phases[i].kind == NL_PHASE_POOL)
			assert_int_equal(plan.phases[i].file_bytes, 12u << 20);
	nl_plan_fini(&plan);
}

static void figures_and_files_name_share_and_streams(void **state)
{
	struct nl_plan plan = plan_of(HEAD "line: off\npool: off\nself_load: off\nstreams: { streams: [4] }\nshares:\n"
					   "  - { name: fast, protocol: nfs, share: /x, client: two }\n" SMB,
				      NULL);
	const struct nl_phase *fast = &plan.phases[2], *smb = &plan.phases[4];
	(void)state;
	assert_string_equal(fast->figure, "fast seq-write 4 streams");
	assert_string_equal(fast->file_prefix, "fast-s4");
	assert_int_equal(fast->layer, NL_LAYER_NFS);
	assert_int_equal(fast->client, 1);
	assert_int_equal(fast->share, 0);
	assert_string_equal(smb->file_prefix, "smb-s4");
	assert_int_equal(smb->layer, NL_LAYER_SMB);
	assert_int_equal(smb->client, 0);
	assert_int_equal(smb->share, 1);
	nl_plan_fini(&plan);
}

static void figures_of_several_clients_are_told_apart(void **state)
{
	struct nl_plan plan =
		plan_of(HEAD "line: { streams: [1], directions: [to-nas] }\niterations: { min: 1, max: 1 }\n", NULL);
	(void)state;
	check_order(&plan, NL_PHASE_LINE, "line to-nas 1 stream one #1\nline to-nas 1 stream two #1\n");
	nl_plan_fini(&plan);
}

static void impossible_plans_are_refused(void **state)
{
	struct nl_campaign c;
	struct nl_plan plan;
	struct nl_error err;
	(void)state;
	assert_int_equal(nl_campaign_preset("quick", &c, &err), 0);
	assert_int_equal(nl_plan_make(&c, NULL, &plan, &err), NL_E_CONFIG);
	assert_null(plan.phases);
	c.line.enabled = false;
	assert_int_equal(nl_plan_make(&c, NULL, &plan, &err), 0);
	nl_plan_fini(&plan);
	c.pool.enabled = false;
	assert_int_equal(nl_plan_make(&c, NULL, &plan, &err), NL_E_CONFIG);
}

static void a_plan_has_a_limit(void **state)
{
	char text[6000] =
		ONE_CLIENT "iterations: { min: 100 }\nstreams:\n  workloads: [seq-write, seq-read, cached-read]\n"
			   "  streams: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\nshares:\n";
	struct nl_plan plan;
	struct nl_error err;
	size_t used = strlen(text);
	(void)state;
	for (int i = 0; i < 16; i++)
		used += (size_t)snprintf(text + used, sizeof text - used,
					 "  - { name: n%d, protocol: nfs, share: /x }\n", i);
	struct nl_campaign *c = campaign_of(text);
	assert_int_equal(nl_plan_make(c, NULL, &plan, &err), NL_E_CONFIG);
	assert_non_null(strstr(err.what, "20000 phases"));
	assert_null(plan.phases);
	free(c);
}

static void odd_facts_do_no_harm(void **state)
{
	static const double rates[] = {-1, 0, 1e-300, 1e300};
	(void)state;
	for (size_t i = 0; i <= sizeof rates / sizeof rates[0]; i++) {
		struct nl_plan_facts facts = {.nas_cores = 4000000000u};
		facts.assumed_bytes_per_s = i < sizeof rates / sizeof rates[0] ? rates[i] : strtod("nan", NULL);
		struct nl_plan plan = plan_of(ONE_CLIENT "pool: { modes: [cached-read] }\nshares:\n" NFS, &facts);
		assert_true(plan.expected_ns > 0);
		nl_plan_fini(&plan);
	}
}

static void the_plan_for_people_names_space_and_time(void **state)
{
	struct nl_campaign *c = campaign_of(ONE_CLIENT "iterations: { min: 2, until: 2%, max: 3 }\nshares:\n" NFS SMB);
	struct nl_plan plan;
	struct nl_error err;
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	(void)state;
	assert_int_equal(nl_plan_make(c, &gigabit, &plan, &err), 0);
	nl_plan_print(&plan, c, out);
	fclose(out);
	assert_non_null(strstr(text, "nfs seq-write 4 streams"));
	assert_non_null(strstr(text, "space on the NAS, at most: 1.76 GiB"));
	assert_non_null(strstr(text, "time, about: 1:28 to "));
	assert_non_null(strstr(text, "3?"));
	free(text);
	nl_plan_fini(&plan);
	free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quick_is_planned_under_105_seconds),
		cmocka_unit_test(quick_begins_with_the_inventory_and_ends_with_the_cleanup),
		cmocka_unit_test(shares_are_visited_a_b_b_a),
		cmocka_unit_test(sequential_order_keeps_the_order),
		cmocka_unit_test(the_line_alternates_its_directions),
		cmocka_unit_test(the_pool_writes_before_it_reads_the_same_files),
		cmocka_unit_test(max_is_one_stream_for_each_core_and_never_twice),
		cmocka_unit_test(iterations_above_min_are_optional),
		cmocka_unit_test(without_until_there_are_min_iterations),
		cmocka_unit_test(files_hold_what_the_assumed_rate_can_write),
		cmocka_unit_test(space_is_one_set_of_files_for_each_share_and_number_of_streams),
		cmocka_unit_test(a_given_size_is_rounded_up_to_whole_blocks),
		cmocka_unit_test(figures_and_files_name_share_and_streams),
		cmocka_unit_test(figures_of_several_clients_are_told_apart),
		cmocka_unit_test(impossible_plans_are_refused),
		cmocka_unit_test(a_plan_has_a_limit),
		cmocka_unit_test(odd_facts_do_no_harm),
		cmocka_unit_test(the_plan_for_people_names_space_and_time),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
