/*
 * Theoretical goodput against known values, steadiness and verdicts.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "netbench/figures.h"

static void goodput_matches_the_known_table(void **state)
{
	/* Mbit/s of a link of 1 Gbit/s, worked out by hand as payload / wire bytes. */
	static const struct {
		int64_t mtu;
		bool ipv6, timestamps, vlan;
		double mbps;
	} rows[] = {
		{1500, false, false, false, 949.285}, {1500, false, true, false, 941.482},
		{9000, false, false, false, 991.370}, {9000, false, true, false, 990.042},
		{1500, false, true, true, 939.040},   {9000, false, true, true, 989.604},
		{1500, true, true, false, 928.479},   {9000, true, true, false, 987.829},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double rate = nl_netbench_goodput_bytes_per_s(1000000000, rows[i].mtu, rows[i].ipv6, rows[i].timestamps,
							      rows[i].vlan);

		assert_true(fabs(rate * 8 / 1e6 - rows[i].mbps) < 0.01);
	}
	assert_true(fabs(nl_netbench_goodput_bytes_per_s(INT64_C(100000000000), 9000, false, true, false) / 1e6 -
			 12375.53) < 0.01);
}

static void goodput_of_an_unknown_link_is_unknown(void **state)
{
	(void)state;
	assert_true(nl_netbench_goodput_bytes_per_s(-1, 1500, false, true, false) < 0);
	assert_true(nl_netbench_goodput_bytes_per_s(0, 1500, false, true, false) < 0);
	assert_true(nl_netbench_goodput_bytes_per_s(1000000000, -1, false, true, false) < 0);
	assert_true(nl_netbench_goodput_bytes_per_s(1000000000, 52, false, true, false) < 0);
}

/* A receiving side of one stream that measured `seconds`, with intervals of the given bytes per second. */
static void make_flow(struct nl_netbench_flow *flow, struct nl_netbench_stream *stream,
		      struct nl_netbench_interval *intervals, const uint64_t *rates, size_t count, double seconds)
{
	*flow = (struct nl_netbench_flow){.used = true};
	*stream = (struct nl_netbench_stream){.first_ns = 0, .last_ns = (int64_t)(seconds * 1e9), .bytes = 1000};
	for (size_t i = 0; i < count; i++)
		intervals[i] = (struct nl_netbench_interval){.start_ns = (int64_t)i * NL_NS_PER_S,
							     .end_ns = (int64_t)(i + 1) * NL_NS_PER_S,
							     .bytes = rates[i]};
	flow->receiver.streams = stream;
	flow->receiver.stream_count = 1;
	flow->receiver.intervals = intervals;
	flow->receiver.interval_count = count;
	nl_nb_side_conclude(&flow->receiver);
	nl_nb_flow_conclude(flow);
}

static void a_steady_run_is_valid_and_a_jumpy_one_unsteady(void **state)
{
	static const uint64_t steady[] = {100, 104, 98, 101, 99}, jumpy[] = {100, 150, 60, 110, 90};
	struct nl_netbench_interval intervals[5];
	struct nl_netbench_stream stream;
	struct nl_netbench_flow flow;

	(void)state;
	make_flow(&flow, &stream, intervals, steady, 5, 5);
	assert_int_equal(flow.verdict, NL_NETBENCH_VALID);
	assert_true(flow.variation > 0.02 && flow.variation < 0.03);
	make_flow(&flow, &stream, intervals, jumpy, 5, 5);
	assert_int_equal(flow.verdict, NL_NETBENCH_UNSTEADY);
	/* Four intervals are too few to call it unsteady. */
	make_flow(&flow, &stream, intervals, jumpy, 4, 4);
	assert_int_equal(flow.verdict, NL_NETBENCH_VALID);
}

static void a_run_under_a_second_is_too_short(void **state)
{
	static const uint64_t rates[] = {100};
	struct nl_netbench_interval intervals[1];
	struct nl_netbench_stream stream;
	struct nl_netbench_flow flow;

	(void)state;
	make_flow(&flow, &stream, intervals, rates, 1, 0.5);
	assert_int_equal(flow.verdict, NL_NETBENCH_TOO_SHORT);
	make_flow(&flow, &stream, intervals, rates, 1, 0.999);
	assert_int_equal(flow.verdict, NL_NETBENCH_VALID);
	make_flow(&flow, &stream, intervals, rates, 0, 0);
	assert_int_equal(flow.verdict, NL_NETBENCH_TOO_SHORT);
}

static void omitted_and_stub_intervals_do_not_count_as_variation(void **state)
{
	struct nl_netbench_interval intervals[] = {
		{.omitted = true, .start_ns = 0, .end_ns = 1000, .bytes = 1},
		{.start_ns = 1000, .end_ns = 2000, .bytes = 500},
		{.start_ns = 2000, .end_ns = 3000, .bytes = 500},
		{.start_ns = 3000, .end_ns = 3100, .bytes = 1},
	};
	size_t used;

	(void)state;
	assert_true(fabs(nl_nb_variation(intervals, 4, &used)) < 1e-9);
	assert_int_equal(used, 2);
}

static void a_full_thread_is_said_to_be_cpu_bound(void **state)
{
	static const uint64_t rates[] = {100, 100};
	struct nl_netbench_interval intervals[2];
	struct nl_netbench_stream stream,
		sending = {.first_ns = 0, .last_ns = 1, .wall_ns = 1000, .cpu_system_ns = 960};
	struct nl_netbench_flow flow;

	(void)state;
	make_flow(&flow, &stream, intervals, rates, 2, 2);
	assert_false(flow.cpu_bound);
	flow.sender.streams = &sending;
	flow.sender.stream_count = 1;
	nl_nb_side_conclude(&flow.sender);
	nl_nb_flow_conclude(&flow);
	assert_true(flow.cpu_bound);
	assert_int_equal(flow.verdict, NL_NETBENCH_VALID);
}

static void the_rate_is_the_measured_bytes_over_the_measured_time(void **state)
{
	struct nl_netbench_stream streams[] = {
		{.bytes = 900, .window_bytes = 500, .first_ns = 100, .last_ns = 900},
		{.bytes = 800, .window_bytes = 300, .first_ns = 200, .last_ns = 1100},
		{.bytes = 7, .window_bytes = 0, .first_ns = -1, .last_ns = -1},
	};
	struct nl_netbench_side side = {.streams = streams, .stream_count = 3};

	(void)state;
	nl_nb_side_conclude(&side);
	assert_int_equal(side.bytes, 1707);
	assert_int_equal(side.window_bytes, 800);
	assert_int_equal(side.first_ns, 100);
	assert_int_equal(side.last_ns, 1100);
	assert_true(fabs(side.bytes_per_second - 800 / 1000e-9) < 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(goodput_matches_the_known_table),
		cmocka_unit_test(goodput_of_an_unknown_link_is_unknown),
		cmocka_unit_test(a_steady_run_is_valid_and_a_jumpy_one_unsteady),
		cmocka_unit_test(a_run_under_a_second_is_too_short),
		cmocka_unit_test(omitted_and_stub_intervals_do_not_count_as_variation),
		cmocka_unit_test(a_full_thread_is_said_to_be_cpu_bound),
		cmocka_unit_test(the_rate_is_the_measured_bytes_over_the_measured_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
