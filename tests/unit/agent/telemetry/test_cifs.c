/* cifs: counters and negotiated settings, in the styles of old and new kernels. */
#include "agent/telemetry/cifs.h"
#include "unit/agent/fixture.h"

static void counters_of_shares_are_found_between_tables_of_channels(void **context)
{
	(void)context;
	char *text = test_fixture("client/cifs_Stats_k6.12_multichannel.txt");
	const char *cursor = text;
	struct nl_cifs_stats row;
	assert_true(nl_cifs_stats_next(&cursor, &row));
	assert_string_equal(row.share, "\\\\192.0.2.20\\bench");
	assert_int_equal(row.read_bytes, 0);
	assert_int_equal(row.write_bytes, 16777216);
	assert_int_equal(row.writes, 4);
	assert_true(nl_cifs_stats_next(&cursor, &row));
	assert_string_equal(row.share, "\\\\192.0.2.10\\bench");
	assert_int_equal(row.read_bytes, 50331648);
	assert_int_equal(row.write_bytes, 50331648);
	assert_int_equal(row.reads, 49);
	assert_int_equal(row.writes, 48);
	assert_false(nl_cifs_stats_next(&cursor, &row));
	free(text);
}

static void the_style_without_tables_is_read_too(void **context)
{
	(void)context;
	char *text = test_fixture("client/cifs_Stats_nostats2_style.txt");
	const char *cursor = text;
	struct nl_cifs_stats row;
	assert_true(nl_cifs_stats_next(&cursor, &row));
	assert_string_equal(row.share, "\\\\nas01\\nasbench");
	assert_true(row.has_bytes);
	assert_int_equal(row.read_bytes, 42949672960);
	assert_int_equal(row.write_bytes, 21474836480);
	assert_int_equal(row.reads, 10240);
	assert_int_equal(row.writes, 5120);
	assert_false(nl_cifs_stats_next(&cursor, &row));
	free(text);
}

static void a_share_name_may_hold_blanks_and_be_disconnected(void **context)
{
	(void)context;
	const char *cursor =
		"1) \\\\nas\\my share\tDISCONNECTED \nSMBs: 1\nBytes read: 7\n2) \\\\nas\\b\nReads: 3 total\n";
	struct nl_cifs_stats row;
	assert_true(nl_cifs_stats_next(&cursor, &row));
	assert_string_equal(row.share, "\\\\nas\\my share");
	assert_false(row.has_bytes);
	assert_true(nl_cifs_stats_next(&cursor, &row));
	assert_string_equal(row.share, "\\\\nas\\b");
	assert_int_equal(row.reads, 3);
}

static void channels_and_encryption_are_told_per_share(void **context)
{
	(void)context;
	char *text = test_fixture("client/cifs_DebugData_k6.12_multichannel_seal.txt");
	struct nl_cifs_debug debug;
	assert_true(nl_cifs_debug_find(text, "//192.0.2.10/bench", &debug));
	assert_int_equal(debug.dialect, 0x311);
	assert_int_equal(debug.channels, 4);
	assert_int_equal(debug.credits, 954);
	assert_false(debug.encrypted);
	assert_false(debug.is_signed);
	assert_string_equal(debug.security, "RawNTLMSSP");
	assert_int_equal(debug.server_speed_bps, 1000000000);
	assert_true(nl_cifs_debug_find(text, "//192.0.2.20/BENCH", &debug));
	assert_int_equal(debug.channels, 1);
	assert_true(debug.encrypted);
	assert_false(nl_cifs_debug_find(text, "//192.0.2.20/benc", &debug));
	assert_false(nl_cifs_debug_find(text, "//192.0.2.30/bench", &debug));
	free(text);
}

static void signing_and_the_speed_of_older_kernels_are_read(void **context)
{
	(void)context;
	char *text = test_fixture("client/cifs_DebugData_k5.15_style.txt");
	struct nl_cifs_debug debug;
	assert_true(nl_cifs_debug_find(text, "\\\\nas01\\nasbench", &debug));
	assert_true(debug.is_signed);
	assert_false(debug.encrypted);
	assert_int_equal(debug.credits, 8190);
	assert_int_equal(debug.server_speed_bps, 10000000000);
	assert_true(debug.server_rss);
	assert_false(debug.server_rdma);
	assert_string_equal(nl_cifs_dialect_text(debug.dialect), "3.1.1");
	assert_null(nl_cifs_dialect_text(0));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters_of_shares_are_found_between_tables_of_channels),
		cmocka_unit_test(the_style_without_tables_is_read_too),
		cmocka_unit_test(a_share_name_may_hold_blanks_and_be_disconnected),
		cmocka_unit_test(channels_and_encryption_are_told_per_share),
		cmocka_unit_test(signing_and_the_speed_of_older_kernels_are_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
