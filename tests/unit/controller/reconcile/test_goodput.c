/* Arithmetic of the wire, against published numbers. */
#include <math.h>

#include "controller/reconcile/work.h"
#include "world.h"

static bool near(double a, double b)
{
	return fabs(a / b - 1) < 1e-9;
}

static void ethernet_carries_1448_of_1538_bytes_with_timestamps(void **state)
{
	(void)state;
	const struct nl_frame frame = {.mtu = 1500, .timestamps = true}, plain = {.mtu = 1500};
	const struct nl_frame jumbo = {.mtu = 9000, .timestamps = true},
			      six = {.mtu = 1500, .timestamps = true, .ipv6 = true};
	const struct nl_frame tagged = {.mtu = 1500, .timestamps = true, .vlan = true};
	assert_true(near(nl_goodput_share_wire(&frame), 1448.0 / 1538));
	assert_true(near(nl_goodput_share_wire(&plain), 1460.0 / 1538));
	assert_true(near(nl_goodput_share_wire(&jumbo), 8948.0 / 9038));
	assert_true(near(nl_goodput_share_wire(&six), 1428.0 / 1538));
	assert_true(near(nl_goodput_share_wire(&tagged), 1448.0 / 1542));
}

static void a_shaper_counts_no_preamble_and_no_gap(void **state)
{
	(void)state;
	/* 956 Mbit/s of 1 Gbit/s were measured through tbf. */
	const struct nl_frame frame = {.mtu = 1500, .timestamps = true};
	assert_true(near(nl_goodput_share_shaper(&frame), 1448.0 / 1514));
	assert_int_equal(nl_frame_header_bytes(&frame), 66);
}

static void an_impossible_mtu_carries_nothing(void **state)
{
	(void)state;
	const struct nl_frame frame = {.mtu = 40};
	assert_true(nl_goodput_share_wire(&frame) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ethernet_carries_1448_of_1538_bytes_with_timestamps),
		cmocka_unit_test(a_shaper_counts_no_preamble_and_no_gap),
		cmocka_unit_test(an_impossible_mtu_carries_nothing),
	};
	return cmocka_run_group_tests_name("reconcile: goodput", tests, NULL, NULL);
}
