/*
 * test_keepsake: secrets in memory, found by a label that holds none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "agent/keepsake.h"

static Nl__ShareTarget smb_target(const char *password)
{
	Nl__ShareTarget target;
	nl__share_target__init(&target);
	target.protocol = (char *)"smb";
	target.server = (char *)"192.0.2.1";
	target.share = (char *)"bench";
	target.version = (char *)"3.1.1";
	target.user = (char *)"bench";
	target.secret = (ProtobufCBinaryData){strlen(password), (uint8_t *)password};
	return target;
}

static void a_share_is_found_by_its_label_and_the_label_has_no_secret(void **state)
{
	struct nl_keepsake keepsake = {.count = 0};
	struct nl_kept_share kept;
	struct nl_error err;
	char label[700];
	(void)state;
	Nl__ShareTarget target = smb_target("geheim");
	assert_int_equal(nl_kept_share_from(&kept, &target, &err), NL_E_OK);
	nl_keepsake_put(&keepsake, &kept);
	nl_keepsake_put(&keepsake, &kept);
	assert_int_equal(keepsake.count, 1);
	nl_kept_share_label(&kept, label, sizeof label);
	assert_null(strstr(label, "geheim"));
	const struct nl_kept_share *found = nl_keepsake_find(&keepsake, label);
	assert_non_null(found);
	assert_string_equal(found->password, "geheim");
	assert_null(nl_keepsake_find(&keepsake, "smb\tother\tbench\tbench"));
}

static void wiping_leaves_nothing(void **state)
{
	static const struct nl_keepsake empty;
	struct nl_keepsake keepsake = {.count = 0};
	struct nl_kept_share kept;
	struct nl_error err;
	(void)state;
	Nl__ShareTarget target = smb_target("geheim");
	assert_int_equal(nl_kept_share_from(&kept, &target, &err), NL_E_OK);
	nl_keepsake_put(&keepsake, &kept);
	nl_keepsake_wipe(&keepsake);
	assert_memory_equal(&keepsake, &empty, sizeof keepsake);
}

static void what_makes_no_sense_is_refused(void **state)
{
	struct nl_kept_share kept;
	struct nl_error err;
	char longer[400];
	(void)state;
	Nl__ShareTarget target = smb_target("x");
	target.protocol = (char *)"ftp";
	assert_int_equal(nl_kept_share_from(&kept, &target, &err), NL_E_CONFIG);
	target = smb_target("x");
	target.server = (char *)"host\nuser=root";
	assert_int_equal(nl_kept_share_from(&kept, &target, &err), NL_E_CONFIG);
	memset(longer, 'a', sizeof longer - 1);
	longer[sizeof longer - 1] = '\0';
	target = smb_target(longer);
	assert_int_equal(nl_kept_share_from(&kept, &target, &err), NL_E_CONFIG);
	target = smb_target("x");
	target.share = longer;
	assert_int_equal(nl_kept_share_from(&kept, &target, &err), NL_E_CONFIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_share_is_found_by_its_label_and_the_label_has_no_secret),
		cmocka_unit_test(wiping_leaves_nothing),
		cmocka_unit_test(what_makes_no_sense_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
