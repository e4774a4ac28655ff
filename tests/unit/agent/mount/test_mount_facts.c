/* mount_facts: what kernels said of real mounts. */
#include "agent/mount/mount_facts.h"
#include "unit/agent/facts.h"
#include "unit/agent/fixture.h"

static struct test_facts facts;

static void sink(void *context, const char *key, const char *value)
{
	test_facts_sink(context, "", key, value);
}

static void facts_of(const char *table, const char *path, const char *mountstats, const char *debug,
		     const char *read_ahead)
{
	struct nl_mountinfo mount;
	char *info = test_fixture(table);
	char *stats = mountstats ? test_fixture(mountstats) : NULL, *cifs = debug ? test_fixture(debug) : NULL;
	struct nl_mount_texts texts = {stats, cifs, read_ahead};
	assert_true(nl_mountinfo_find(info, path, &mount));
	facts.count = 0;
	nl_mount_facts_from(&mount, &texts, sink, &facts);
	free(info);
	free(stats);
	free(cifs);
}

static void expect(const char *key, const char *value)
{
	test_facts_expect(&facts, "", key, value);
}

#define TABLE "client/mountinfo_captured.txt"
#define STATS "client/mountstats_nfs_v3_v40_v41_v42_nconnect16.txt"
#define DEBUG "client/cifs_DebugData_k6.12_multichannel_seal.txt"

static void nfs_tells_what_was_negotiated_and_its_connections(void **context)
{
	(void)context;
	facts_of(TABLE, "/mnt/v42", STATS, NULL, "128\n");
	expect("fstype", "nfs4");
	expect("source", "192.0.2.10:/mnt/tank/bench");
	expect("mount_point", "/mnt/v42");
	expect("vers", "4.2");
	expect("rsize", "1048576");
	expect("wsize", "1048576");
	expect("proto", "tcp");
	expect("sec", "sys");
	expect("recovery", "hard");
	expect("nconnect", "16");
	expect("nconnect_asked", "16");
	expect("read_ahead_kb", "128");
	expect("nosharecache", "yes");
	expect("acregmin", "3");
	expect("acdirmax", "60");
}

static void connections_are_counted_where_none_were_asked_for(void **context)
{
	(void)context;
	facts_of(TABLE, "/mnt/v40/deep/inside", STATS, NULL, NULL);
	expect("vers", "4.0");
	expect("recovery", "soft");
	expect("nconnect", "1");
	assert_null(test_facts_get(&facts, "", "nconnect_asked"));
	assert_null(test_facts_get(&facts, "", "read_ahead_kb"));
	facts_of(TABLE, "/mnt/v41n1", NULL, NULL, NULL);
	expect("lookupcache", "pos");
	expect("acregmin", "30");
	assert_null(test_facts_get(&facts, "", "nconnect"));
}

static void smb_tells_dialect_channels_and_encryption(void **context)
{
	(void)context;
	facts_of(TABLE, "/mnt/smb", NULL, DEBUG, NULL);
	expect("fstype", "cifs");
	expect("vers", "3.1.1");
	expect("dialect", "3.1.1");
	expect("cache", "none");
	expect("channels", "4");
	expect("max_channels", "4");
	expect("multichannel", "yes");
	expect("encryption", "off");
	expect("signing", "off");
	expect("rsize", "4194304");
	expect("recovery", "soft");
	expect("security", "RawNTLMSSP");
	facts_of(TABLE, "/mnt/smbe", NULL, DEBUG, NULL);
	expect("encryption", "on");
	expect("cache", "strict");
	expect("channels", "1");
	expect("nosharesock", "yes");
}

static void what_cannot_be_known_is_not_said(void **context)
{
	(void)context;
	facts_of(TABLE, "/mnt/smb", NULL, NULL, NULL);
	assert_null(test_facts_get(&facts, "", "encryption"));
	assert_null(test_facts_get(&facts, "", "signing"));
	assert_null(test_facts_get(&facts, "", "channels"));
	facts_of(TABLE, "/mnt/smbe", NULL, NULL, NULL);
	expect("encryption", "on");
}

static void another_file_system_tells_its_name_only(void **context)
{
	(void)context;
	facts_of(TABLE, "/run/x", STATS, DEBUG, NULL);
	expect("fstype", "tmpfs");
	expect("mount_point", "/run");
	assert_null(test_facts_get(&facts, "", "vers"));
}

static void a_mount_of_this_machine_is_found(void **context)
{
	(void)context;
	struct nl_error err;
	facts.count = 0;
	assert_int_equal(nl_mount_facts("/proc/self", sink, &facts, &err), 0);
	expect("fstype", "proc");
	assert_int_equal(nl_mount_facts("/nonexistent/x", sink, &facts, &err), NL_E_NOT_FOUND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nfs_tells_what_was_negotiated_and_its_connections),
		cmocka_unit_test(connections_are_counted_where_none_were_asked_for),
		cmocka_unit_test(smb_tells_dialect_channels_and_encryption),
		cmocka_unit_test(what_cannot_be_known_is_not_said),
		cmocka_unit_test(another_file_system_tells_its_name_only),
		cmocka_unit_test(a_mount_of_this_machine_is_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
