/* nfsd: the kernel server's counters. */
#include "agent/telemetry/nfsd.h"
#include "unit/agent/fixture.h"

static void bytes_threads_and_calls_are_read(void **context)
{
	(void)context;
	char *text = test_fixture("client/proc_net_rpc_nfsd_k6.12.txt");
	struct nl_nfsd nfsd;
	assert_true(nl_nfsd_parse(text, &nfsd));
	assert_int_equal(nfsd.read_bytes, 201326592);
	assert_int_equal(nfsd.write_bytes, 151781424);
	assert_int_equal(nfsd.threads, 16);
	assert_int_equal(nfsd.calls, 724);
	free(text);
}

static void a_text_without_bytes_is_none(void **context)
{
	(void)context;
	struct nl_nfsd nfsd;
	assert_false(nl_nfsd_parse("th 8 0\nrpc 1 0\n", &nfsd));
	assert_false(nl_nfsd_parse("io 12\n", &nfsd));
	assert_false(nl_nfsd_parse("", &nfsd));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_threads_and_calls_are_read),
		cmocka_unit_test(a_text_without_bytes_is_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
