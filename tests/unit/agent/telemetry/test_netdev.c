/* netdev: one interface among others. */
#include "agent/telemetry/netdev.h"
#include "unit/agent/fixture.h"

static void a_colon_may_touch_the_first_number(void **context)
{
	(void)context;
	char *text = test_fixture("host/proc_net_dev.txt");
	struct nl_netdev nic;
	assert_true(nl_netdev_find(text, "vmbr0", &nic));
	assert_int_equal(nic.received_bytes, 1024691357000ull);
	assert_int_equal(nic.sent_packets, 797530800);
	assert_true(nl_netdev_find(text, "bond0", &nic));
	assert_int_equal(nic.send_drops, 2);
	assert_true(nl_netdev_find(text, "enp65s0f0np0", &nic));
	assert_int_equal(nic.received_bytes, 18446744073000ull);
	assert_int_equal(nic.receive_drops, 12);
	assert_int_equal(nic.sent_bytes, 9223372036000ull);
	free(text);
}

static void a_name_is_not_found_by_its_beginning(void **context)
{
	(void)context;
	char *text = test_fixture("host/proc_net_dev.txt");
	struct nl_netdev nic;
	assert_false(nl_netdev_find(text, "eno", &nic));
	assert_false(nl_netdev_find(text, "bond01", &nic));
	assert_false(nl_netdev_find(text, "", &nic));
	assert_false(nl_netdev_find("eth0: 1 2 3\neth0: 4", "eth0", &nic));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_colon_may_touch_the_first_number),
		cmocka_unit_test(a_name_is_not_found_by_its_beginning),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
