/* block: stacks of devices of a machine of fixtures. */
#include "agent/storage/block.h"
#include "unit/agent/facts.h"
#include "unit/agent/fixture.h"

#define ROOT NL_FIXTURES "/host/sysroot"

static struct test_facts facts;
static char stack[256];

static void describe(unsigned major, unsigned minor)
{
	facts.count = 0;
	nl_block_describe(ROOT, major, minor, test_facts_sink, &facts, stack, sizeof stack);
}

static void a_logical_volume_is_followed_to_its_disk(void **context)
{
	(void)context;
	describe(252, 0);
	assert_string_equal(stack, "dm-0 (pve-root) on sda3 on sda");
	test_facts_expect(&facts, "disk:dm-0", "dm_name", "pve-root");
	test_facts_expect(&facts, "disk:dm-0", "slaves", "sda3");
	test_facts_expect(&facts, "disk:sda3", "partition_of", "sda");
	test_facts_expect(&facts, "disk:sda", "model", "ST12000NM0127");
	test_facts_expect(&facts, "disk:sda", "vendor", "ATA");
	test_facts_expect(&facts, "disk:sda", "rotational", "yes");
	test_facts_expect(&facts, "disk:sda", "scheduler", "mq-deadline");
	test_facts_expect(&facts, "disk:sda", "size_bytes", "12000138625024");
	test_facts_expect(&facts, "disk:sda", "write_cache", "write back");
	test_facts_expect(&facts, "disk:sda", "device", "8:0");
}

static void a_mirror_names_both_sides(void **context)
{
	(void)context;
	describe(9, 0);
	assert_string_equal(stack, "md0 (raid1) on nvme0n1+sda");
	test_facts_expect(&facts, "disk:md0", "md_disks", "2");
	test_facts_expect(&facts, "disk:nvme0n1", "rotational", "no");
	assert_non_null(test_facts_get(&facts, "disk:nvme0n1", "pcie_speed"));
}

static void a_loop_device_names_its_file(void **context)
{
	(void)context;
	describe(7, 3);
	assert_string_equal(stack, "loop3 on /srv/my image.img");
	test_facts_expect(&facts, "disk:loop3", "loop_file", "/srv/my image.img");
}

static void a_device_that_is_not_there_gives_nothing(void **context)
{
	(void)context;
	char name[32];
	unsigned major, minor;
	describe(4000, 1);
	assert_string_equal(stack, "");
	assert_int_equal(facts.count, 0);
	assert_false(nl_block_name(ROOT, 4000, 1, name));
	assert_false(nl_block_number(ROOT, "nosuch", &major, &minor));
	assert_true(nl_block_number(ROOT, "sda3", &major, &minor));
	assert_int_equal(major, 8);
	assert_int_equal(minor, 3);
}

static void a_stack_longer_than_its_room_is_cut(void **context)
{
	(void)context;
	char tiny[8];
	nl_block_describe(ROOT, 252, 0, test_facts_sink, &facts, tiny, sizeof tiny);
	assert_string_equal(tiny, "dm-0 (p");
}

static void all_devices_of_a_btrfs_are_found_by_one(void **context)
{
	(void)context;
	struct nl_storage_disk disks[4];
	assert_int_equal(nl_block_btrfs_disks(ROOT, "sda", disks, 4), 2);
	assert_string_equal(disks[0].name, "nvme0n1");
	assert_int_equal(disks[0].major, 259);
	assert_string_equal(disks[1].name, "sda");
	assert_int_equal(nl_block_btrfs_disks(ROOT, "sda", disks, 1), 1);
	assert_int_equal(nl_block_btrfs_disks(ROOT, "sdb", disks, 4), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_logical_volume_is_followed_to_its_disk),
		cmocka_unit_test(a_mirror_names_both_sides),
		cmocka_unit_test(a_loop_device_names_its_file),
		cmocka_unit_test(a_device_that_is_not_there_gives_nothing),
		cmocka_unit_test(a_stack_longer_than_its_room_is_cut),
		cmocka_unit_test(all_devices_of_a_btrfs_are_found_by_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
