/* host: facts of a machine of fixtures and of this one. */
#include "agent/telemetry/host.h"
#include "unit/agent/facts.h"
#include "unit/agent/fixture.h"

#include <unistd.h>

static struct test_facts facts;

static int setup(void **context)
{
	(void)context;
	facts.count = 0;
	return 0;
}

static void a_machine_of_fixtures_is_described(void **context)
{
	(void)context;
	struct nl_error err;
	assert_int_equal(nl_host_describe_below(NL_FIXTURES "/host/sysroot", test_facts_sink, &facts, &err), 0);
	test_facts_expect(&facts, "host", "kernel", "6.12.33-production+truenas");
	test_facts_expect(&facts, "cpu", "model", "Intel(R) Xeon(R) Silver 4310 CPU @ 2.10GHz");
	test_facts_expect(&facts, "cpu", "cores", "2");
	test_facts_expect(&facts, "kernel", "congestion_control", "cubic");
	test_facts_expect(&facts, "kernel", "congestion_control_available", "reno cubic");
	test_facts_expect(&facts, "kernel", "tcp_rmem", "4096 131072 6291456");
	test_facts_expect(&facts, "kernel", "dirty_ratio", "20");
	test_facts_expect(&facts, "kernel", "rpc_slots_max", "65536");
	test_facts_expect(&facts, "memory", "total_bytes", "134823849984");
	assert_non_null(test_facts_get(&facts, "cpu", "governor"));
}

static void what_is_not_said_is_left_out(void **context)
{
	(void)context;
	struct nl_error err;
	assert_int_equal(nl_host_describe_below(NL_FIXTURES "/host/sysroot", test_facts_sink, &facts, &err), 0);
	assert_null(test_facts_get(&facts, "host", "uptime_s"));
	assert_null(test_facts_get(&facts, "host", "os"));
	for (unsigned i = 0; i < facts.count; i++)
		assert_true(facts.row[i].value[0] != '\0');
}

static void this_machine_is_described(void **context)
{
	(void)context;
	struct nl_error err;
	char name[65], cores[16];
	assert_int_equal(nl_host_describe(test_facts_sink, &facts, &err), 0);
	assert_int_equal(gethostname(name, sizeof name), 0);
	test_facts_expect(&facts, "host", "name", name);
	snprintf(cores, sizeof cores, "%ld", sysconf(_SC_NPROCESSORS_ONLN));
	test_facts_expect(&facts, "cpu", "cores", cores);
	assert_non_null(test_facts_get(&facts, "host", "os"));
	assert_non_null(test_facts_get(&facts, "host", "boot_id"));
	assert_non_null(test_facts_get(&facts, "host", "uptime_s"));
	assert_non_null(test_facts_get(&facts, "host", "virtualisation"));
	assert_non_null(test_facts_get(&facts, "kernel", "tcp_wmem"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_machine_of_fixtures_is_described, setup),
		cmocka_unit_test_setup(what_is_not_said_is_left_out, setup),
		cmocka_unit_test_setup(this_machine_is_described, setup),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
