/* mountstats: NFS blocks of all versions, old and new. */
#include "agent/telemetry/mountstats.h"
#include "unit/agent/fixture.h"

static void every_nfs_mount_of_a_machine_is_found(void **context)
{
	(void)context;
	static const struct {
		const char *path, *fstype;
		unsigned connections;
	} expected[] = {
		{"/mnt/v3", "nfs", 16}, {"/mnt/v42", "nfs4", 16}, {"/mnt/v40", "nfs4", 1}, {"/mnt/v41n1", "nfs4", 1}};
	char *text = test_fixture("client/mountstats_nfs_v3_v40_v41_v42_nconnect16.txt");
	const char *cursor = text;
	struct nl_mountstats block;
	for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
		assert_true(nl_mountstats_next(&cursor, &block));
		assert_string_equal(block.path, expected[i].path);
		assert_string_equal(block.fstype, expected[i].fstype);
		assert_int_equal(block.connections, expected[i].connections);
		assert_string_equal(block.transport, "tcp");
	}
	assert_false(nl_mountstats_next(&cursor, &block));
	free(text);
}

static void version_3_counts_read_and_write(void **context)
{
	(void)context;
	char *text = test_fixture("client/mountstats_nfs_v3_v40_v41_v42_nconnect16.txt");
	const char *cursor = text;
	struct nl_mountstats block;
	assert_true(nl_mountstats_next(&cursor, &block));
	assert_true(block.has_bytes && block.has_operations);
	assert_string_equal(block.source, "192.0.2.10:/exp/mnt/tank/bench");
	assert_int_equal(block.read_bytes, 50331648);
	assert_int_equal(block.write_bytes, 50593808);
	assert_int_equal(block.reads, 49);
	assert_int_equal(block.writes, 120);
	assert_int_equal(block.rtt_ms, 748 + 18092);
	assert_int_equal(block.queue_ms, 52 + 25741);
	assert_int_equal(block.retransmits, 0);
	assert_non_null(strstr(block.options, "nconnect=16"));
	free(text);
}

static void reads_of_version_4_2_are_found_under_read_plus(void **context)
{
	(void)context;
	char *text = test_fixture("client/mountstats_nfs_v42_nconnect16.txt");
	const char *cursor = text;
	struct nl_mountstats block;
	assert_true(nl_mountstats_next(&cursor, &block));
	assert_int_equal(block.reads, 49);
	assert_int_equal(block.writes, 120);
	assert_int_equal(block.rtt_ms, 1328 + 55315);
	free(text);
}

static void kernels_before_5_3_have_eight_numbers_and_sums_below_zero(void **context)
{
	(void)context;
	char *text = test_fixture("client/mountstats_old_iostats1.0_8fields.txt");
	const char *cursor = text;
	struct nl_mountstats block;
	assert_true(nl_mountstats_next(&cursor, &block));
	assert_string_equal(block.path, "/mnt/nfs/test");
	assert_int_equal(block.reads, 1298);
	assert_int_equal(block.read_bytes, 1210214218);
	assert_int_equal(block.rtt_ms, 79386);
	assert_int_equal(block.queue_ms, 6);
	assert_int_equal(block.retransmits, 0);
	assert_int_equal(block.connections, 1);
	free(text);
}

static void a_transport_other_than_tcp_is_named(void **context)
{
	(void)context;
	char *text = test_fixture("client/mountstats_nfs_rdma.txt");
	const char *cursor = text;
	struct nl_mountstats block;
	assert_true(nl_mountstats_next(&cursor, &block));
	assert_string_equal(block.transport, "rdma");
	assert_int_equal(block.reads, 4096);
	free(text);
}

static void a_path_with_blanks_is_read_and_a_block_cut_short_ends_well(void **context)
{
	(void)context;
	const char *cursor = "no device mounted on /x with fstype tmpfs\n"
			     "device s:/a\\040b mounted on /mnt/my\\040share with fstype nfs4 statvers=1.1\n"
			     "\tbytes:\t1 2 3\n\tper-op statistics\n\tREAD: 5 7 0 1 2 3 4 5 0\n\tWRITE: 9\n"
			     "device p mounted on /proc with fstype proc\n";
	struct nl_mountstats block;
	assert_true(nl_mountstats_next(&cursor, &block));
	assert_string_equal(block.path, "/mnt/my share");
	assert_string_equal(block.source, "s:/a b");
	assert_false(block.has_bytes);
	assert_int_equal(block.reads, 5);
	assert_int_equal(block.writes, 0);
	assert_int_equal(block.retransmits, 2);
	assert_false(nl_mountstats_next(&cursor, &block));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_nfs_mount_of_a_machine_is_found),
		cmocka_unit_test(version_3_counts_read_and_write),
		cmocka_unit_test(reads_of_version_4_2_are_found_under_read_plus),
		cmocka_unit_test(kernels_before_5_3_have_eight_numbers_and_sums_below_zero),
		cmocka_unit_test(a_transport_other_than_tcp_is_named),
		cmocka_unit_test(a_path_with_blanks_is_read_and_a_block_cut_short_ends_well),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
