/* mountinfo: rows, and the row that holds a path. */
#include "agent/storage/mountinfo.h"
#include "unit/agent/fixture.h"

static void the_mount_of_a_path_is_the_longest_beginning_of_it(void **context)
{
	(void)context;
	char *text = test_fixture("client/mountinfo_pve_example.txt");
	struct nl_mountinfo row;
	assert_true(nl_mountinfo_find(text, "/mnt/pve/nas-nfs/a/b", &row));
	assert_string_equal(row.path, "/mnt/pve/nas-nfs");
	assert_string_equal(row.fstype, "nfs4");
	assert_string_equal(row.source, "192.0.2.10:/mnt/tank/vms");
	assert_int_equal(row.major, 0);
	assert_int_equal(row.minor, 60);
	assert_true(nl_mountinfo_find(text, "/mnt/pve/nas-nfs2", &row));
	assert_string_equal(row.path, "/");
	assert_string_equal(row.source, "/dev/mapper/pve-root");
	assert_true(nl_mountinfo_find(text, "/mnt/path with space/x", &row));
	assert_string_equal(row.source, "[2001:db8::10]:/mnt/tank/a b");
	assert_int_equal(row.id, 440);
	free(text);
}

static void optional_fields_may_be_missing_or_many_and_the_last_mount_covers(void **context)
{
	(void)context;
	const char *text = "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n"
			   "2 1 0:5 / /a rw shared:1 master:2 unbindable - tmpfs  rw,size=4k\n"
			   "3 2 0:6 / /a rw - xfs /dev/sdb rw\nshort 1 2\n";
	struct nl_mountinfo row;
	const char *cursor = text;
	assert_true(nl_mountinfo_next(&cursor, &row));
	assert_true(nl_mountinfo_next(&cursor, &row));
	assert_string_equal(row.source, "");
	assert_string_equal(row.super_options, "rw,size=4k");
	assert_true(nl_mountinfo_next(&cursor, &row));
	assert_false(nl_mountinfo_next(&cursor, &row));
	assert_true(nl_mountinfo_find(text, "/a", &row));
	assert_string_equal(row.fstype, "xfs");
	assert_false(nl_mountinfo_find("", "/a", &row));
}

static void an_option_is_found_as_a_whole(void **context)
{
	(void)context;
	char value[32];
	assert_true(nl_mountinfo_option("rw,vers=4.2,hard", "vers", value, sizeof value));
	assert_string_equal(value, "4.2");
	assert_true(nl_mountinfo_option("rw,vers=4.2,hard", "hard", value, sizeof value));
	assert_string_equal(value, "");
	assert_false(nl_mountinfo_option("rw,mountvers=3,version=1", "vers", value, sizeof value));
	assert_false(nl_mountinfo_option("", "vers", value, sizeof value));
	assert_true(nl_mountinfo_option("user=averylongname", "user", value, 4));
	assert_string_equal(value, "ave");
}

static void the_root_of_this_machine_is_a_mount_point(void **context)
{
	(void)context;
	struct nl_mountinfo row;
	struct nl_error err;
	bool mounted;
	assert_int_equal(nl_mountinfo_of("/proc/self/status", &row, &err), 0);
	assert_string_equal(row.fstype, "proc");
	assert_string_equal(row.path, "/proc");
	assert_int_equal(nl_mountinfo_of("/proc/none/such", &row, &err), NL_E_NOT_FOUND);
	assert_string_equal(err.where, "/proc/none/such");
	assert_int_equal(nl_mountinfo_is_mount_point("/proc", &mounted, &err), 0);
	assert_true(mounted);
	assert_int_equal(nl_mountinfo_is_mount_point("/pro", &mounted, &err), 0);
	assert_false(mounted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_mount_of_a_path_is_the_longest_beginning_of_it),
		cmocka_unit_test(optional_fields_may_be_missing_or_many_and_the_last_mount_covers),
		cmocka_unit_test(an_option_is_found_as_a_whole),
		cmocka_unit_test(the_root_of_this_machine_is_a_mount_point),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
