/*
 * Whole tests over loopback, server and client in one process: the counts of both ends, directions, streams, ends.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "raw_client.h"

#define DURATION_NS (250 * NL_NS_PER_MS)

static int start_server(void **state)
{
	static struct harness harness;

	harness_start(&harness, NULL, false, 0);
	*state = &harness;
	return 0;
}

static int end_server(void **state)
{
	harness_end(*state);
	return 0;
}

static uint64_t sum_of(const struct nl_netbench_side *side)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < side->interval_count; i++)
		sum += side->intervals[i].bytes;
	return sum;
}

static void check_side(const struct nl_netbench_side *side, bool receiver, unsigned streams)
{
	uint64_t bytes = 0;

	assert_int_equal(side->stream_count, streams);
	for (unsigned i = 0; i < streams; i++) {
		assert_true(side->streams[i].bytes > 0);
		bytes += side->streams[i].bytes;
	}
	assert_int_equal(side->bytes, bytes);
	assert_true(side->window_bytes > 0 && side->window_bytes <= side->bytes);
	assert_true(side->first_ns >= 0 && side->last_ns > side->first_ns);
	assert_true(side->last_ns <= DURATION_NS + 100 * NL_NS_PER_MS);
	assert_true(side->bytes_per_second > 0);
	assert_true(side->cpu_user_s + side->cpu_system_s > 0);
	assert_true(side->interval_count >= 1);
	assert_true(sum_of(side) > 0 && sum_of(side) <= side->bytes);
	for (size_t i = 0; i < side->interval_count; i++) {
		assert_int_equal(side->intervals[i].index, i);
		assert_int_equal(side->intervals[i].receiver, receiver);
		assert_int_equal(side->intervals[i].start_ns, i ? side->intervals[i - 1].end_ns : 0);
	}
}

static void run_and_check(struct harness *harness, enum nl_netbench_direction direction, unsigned streams)
{
	struct nl_netbench_config config = quick_config(harness, direction, streams, DURATION_NS);
	struct nl_netbench_result result;
	struct nl_error err = {0};

	assert_int_equal(nl_netbench_client_run(&config, "127.0.0.1", &result, NULL, NULL, NULL, &err), 0);
	assert_false(result.partial);
	for (unsigned i = 0; i < NL_NETBENCH_FLOWS; i++) {
		struct nl_netbench_flow *flow = &result.flows[i];

		assert_int_equal(flow->used, direction == NL_NETBENCH_BOTH || direction == i);
		if (!flow->used)
			continue;
		check_side(&flow->sender, false, streams);
		check_side(&flow->receiver, true, streams);
		for (unsigned s = 0; s < streams; s++)
			assert_int_equal(flow->sender.streams[s].bytes, flow->receiver.streams[s].bytes);
		assert_true(flow->rtt_ns > 0);
		assert_true(flow->retransmits >= 0);
		assert_int_equal(flow->verdict, NL_NETBENCH_TOO_SHORT);
	}
	assert_string_equal(result.server.address, "127.0.0.1");
	assert_true(result.server.mss_bytes > 0 && result.client.mss_bytes > 0);
	assert_true(result.client.congestion[0] && result.server.congestion[0]);
	nl_netbench_result_fini(&result);
}

static void both_ends_count_the_same_bytes_to_the_server(void **state)
{
	run_and_check(*state, NL_NETBENCH_TO_SERVER, 1);
}

static void both_ends_count_the_same_bytes_from_the_server(void **state)
{
	run_and_check(*state, NL_NETBENCH_FROM_SERVER, 1);
}

static void four_streams_are_counted_one_by_one(void **state)
{
	run_and_check(*state, NL_NETBENCH_TO_SERVER, 4);
}

static void both_ways_at_once_are_two_flows(void **state)
{
	run_and_check(*state, NL_NETBENCH_BOTH, 2);
}

static void as_many_streams_as_allowed_work(void **state)
{
	struct harness *harness = *state;
	struct nl_netbench_config config =
		quick_config(harness, NL_NETBENCH_BOTH, NL_NETBENCH_STREAMS_MAX, DURATION_NS);
	struct nl_netbench_result result;

	config.block_bytes = 16384;
	assert_int_equal(nl_netbench_client_run(&config, "127.0.0.1", &result, NULL, NULL, NULL, NULL), 0);
	assert_int_equal(result.flows[0].receiver.stream_count, NL_NETBENCH_STREAMS_MAX);
	nl_netbench_result_fini(&result);
}

static void the_omitted_start_is_not_measured(void **state)
{
	struct nl_netbench_config config = quick_config(*state, NL_NETBENCH_TO_SERVER, 1, 150 * NL_NS_PER_MS);
	struct nl_netbench_result result;
	struct nl_netbench_side *receiver = &result.flows[NL_NETBENCH_TO_SERVER].receiver;

	config.omit_ns = 100 * NL_NS_PER_MS;
	assert_int_equal(nl_netbench_client_run(&config, "localhost", &result, NULL, NULL, NULL, NULL), 0);
	assert_true(receiver->first_ns >= config.omit_ns);
	assert_true(receiver->window_bytes < receiver->bytes);
	assert_true(receiver->intervals[0].omitted);
	assert_false(receiver->intervals[receiver->interval_count - 1].omitted);
	nl_netbench_result_fini(&result);
}

static void it_does_not_start_before_the_agreed_instant(void **state)
{
	struct nl_netbench_config config = quick_config(*state, NL_NETBENCH_FROM_SERVER, 1, 50 * NL_NS_PER_MS);
	struct nl_netbench_result result;

	config.start_mono_ns = nl_mono_ns() + 200 * NL_NS_PER_MS;
	assert_int_equal(nl_netbench_client_run(&config, "127.0.0.1", &result, NULL, NULL, NULL, NULL), 0);
	assert_true(result.start_mono_ns >= config.start_mono_ns);
	assert_true(result.start_mono_ns < config.start_mono_ns + NL_NS_PER_S);
	nl_netbench_result_fini(&result);
}

struct watch {
	atomic_bool stop;
	struct nl_netbench_server *server;
	unsigned seen[NL_NETBENCH_FLOWS][2];
};

static void stop_when_both_sides_were_seen(void *context, const struct nl_netbench_interval *interval)
{
	struct watch *watch = context;

	watch->seen[interval->direction][interval->receiver]++;
	if (watch->seen[NL_NETBENCH_TO_SERVER][0] && watch->seen[NL_NETBENCH_TO_SERVER][1])
		atomic_store(&watch->stop, true);
}

static void a_stopped_test_gives_its_partial_result(void **state)
{
	struct nl_netbench_config config = quick_config(*state, NL_NETBENCH_BOTH, 1, 60 * NL_NS_PER_S);
	struct nl_netbench_result result;
	struct watch watch = {.server = NULL};
	int64_t begin_ns = nl_mono_ns();

	assert_int_equal(nl_netbench_client_run(&config, "127.0.0.1", &result, stop_when_both_sides_were_seen, &watch,
						&watch.stop, NULL),
			 0);
	assert_true(nl_mono_ns() - begin_ns < 10 * NL_NS_PER_S);
	assert_true(result.partial);
	assert_true(result.flows[NL_NETBENCH_TO_SERVER].receiver.window_bytes > 0);
	assert_true(result.flows[NL_NETBENCH_FROM_SERVER].receiver.window_bytes > 0);
	nl_netbench_result_fini(&result);
	assert_int_equal(quick_run(*state, NULL, NULL), 0);
}

static void stopped_before_the_start_is_cancelled(void **state)
{
	struct nl_netbench_config config = quick_config(*state, NL_NETBENCH_TO_SERVER, 1, 60 * NL_NS_PER_S);
	struct nl_netbench_result result;
	atomic_bool stop = true;

	assert_int_equal(nl_netbench_client_run(&config, "127.0.0.1", &result, NULL, NULL, &stop, NULL),
			 NL_E_CANCELLED);
	nl_netbench_result_fini(&result);
}

static void stop_the_server(void *context, const struct nl_netbench_interval *interval)
{
	struct watch *watch = context;

	(void)interval;
	nl_netbench_server_stop(watch->server);
}

static void a_server_lost_in_mid_test_is_an_error_with_a_partial_result(void **state)
{
	struct harness own;
	struct nl_netbench_config config;
	struct nl_netbench_result result;
	struct watch watch = {.server = NULL};

	(void)state;
	harness_start(&own, NULL, false, 0);
	watch.server = own.server;
	config = quick_config(&own, NL_NETBENCH_FROM_SERVER, 1, 60 * NL_NS_PER_S);
	assert_int_equal(nl_netbench_client_run(&config, "127.0.0.1", &result, stop_the_server, &watch, NULL, NULL),
			 NL_E_PEER);
	assert_true(result.partial);
	assert_true(result.flows[NL_NETBENCH_FROM_SERVER].receiver.bytes > 0);
	nl_netbench_result_fini(&result);
	harness_end(&own);
}

static void a_congestion_control_that_is_not_there_is_refused_by_either_end(void **state)
{
	static const enum nl_netbench_direction directions[] = {NL_NETBENCH_TO_SERVER, NL_NETBENCH_FROM_SERVER};

	for (size_t i = 0; i < 2; i++) {
		struct nl_netbench_config config = quick_config(*state, directions[i], 1, 50 * NL_NS_PER_MS);
		struct nl_netbench_result result;
		struct nl_error err = {0};

		config.congestion = "nosuchthing";
		assert_int_equal(nl_netbench_client_run(&config, "127.0.0.1", &result, NULL, NULL, NULL, &err),
				 NL_E_UNSUPPORTED);
		assert_non_null(strstr(err.why, "kernel"));
		nl_netbench_result_fini(&result);
	}
	assert_int_equal(quick_run(*state, NULL, NULL), 0);
}

static void a_test_longer_than_the_server_allows_is_refused(void **state)
{
	struct harness own;
	struct nl_netbench_config config;
	struct nl_netbench_result result;
	struct nl_error err = {0};

	(void)state;
	harness_start(&own, NULL, false, 1);
	config = quick_config(&own, NL_NETBENCH_TO_SERVER, 1, 2 * NL_NS_PER_S);
	assert_int_equal(nl_netbench_client_run(&config, "127.0.0.1", &result, NULL, NULL, NULL, &err),
			 NL_E_UNSUPPORTED);
	assert_non_null(strstr(err.why, "at most 1 s"));
	nl_netbench_result_fini(&result);
	harness_end(&own);
}

static void a_one_off_server_ends_after_its_test(void **state)
{
	struct harness own;

	(void)state;
	harness_start(&own, NULL, true, 0);
	assert_int_equal(quick_run(&own, NULL, NULL), 0);
	nl_netbench_server_wait(own.server, NULL);
	assert_int_equal(quick_run(&own, NULL, NULL), NL_E_PEER);
	harness_end(&own);
}

static void a_port_in_use_is_said_so(void **state)
{
	struct harness *harness = *state;
	struct nl_netbench_server_config config = {.bind = "127.0.0.1", .port = harness->port};
	struct nl_netbench_server *server;
	struct nl_error err = {0};

	assert_int_equal(nl_netbench_server_start(&config, &server, &err), NL_E_SYSTEM);
	assert_null(server);
	assert_non_null(strstr(err.todo, "port"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ends_count_the_same_bytes_to_the_server),
		cmocka_unit_test(both_ends_count_the_same_bytes_from_the_server),
		cmocka_unit_test(four_streams_are_counted_one_by_one),
		cmocka_unit_test(both_ways_at_once_are_two_flows),
		cmocka_unit_test(as_many_streams_as_allowed_work),
		cmocka_unit_test(the_omitted_start_is_not_measured),
		cmocka_unit_test(it_does_not_start_before_the_agreed_instant),
		cmocka_unit_test(a_stopped_test_gives_its_partial_result),
		cmocka_unit_test(stopped_before_the_start_is_cancelled),
		cmocka_unit_test(a_server_lost_in_mid_test_is_an_error_with_a_partial_result),
		cmocka_unit_test(a_congestion_control_that_is_not_there_is_refused_by_either_end),
		cmocka_unit_test(a_test_longer_than_the_server_allows_is_refused),
		cmocka_unit_test(a_one_off_server_ends_after_its_test),
		cmocka_unit_test(a_port_in_use_is_said_so),
	};

	return cmocka_run_group_tests(tests, start_server, end_server);
}
