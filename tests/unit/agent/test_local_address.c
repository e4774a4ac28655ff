/*
 * test_local_address: the way to another host, by loopback, which every machine has.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent/local_address.h"

static void loopback_is_reached_from_loopback(void **state)
{
	char address[64] = "";
	struct nl_error err;
	(void)state;
	assert_int_equal(nl_local_address("127.0.0.1", address, sizeof address, &err), NL_E_OK);
	assert_string_equal(address, "127.0.0.1");
}

static void a_name_will_do(void **state)
{
	char address[64] = "";
	struct nl_error err;
	(void)state;
	assert_int_equal(nl_local_address("localhost", address, sizeof address, &err), NL_E_OK);
	assert_true(address[0] != '\0');
}

static void a_name_that_is_none_is_not_found(void **state)
{
	char address[64] = "";
	struct nl_error err;
	(void)state;
	assert_int_equal(nl_local_address("no such host", address, sizeof address, &err), NL_E_NOT_FOUND);
	assert_string_equal(err.where, "no such host");
	assert_true(err.why[0] != '\0');
	assert_int_equal(nl_local_address("no such host", address, sizeof address, NULL), NL_E_NOT_FOUND);
}

static void an_address_without_room_is_an_error_and_not_cut(void **state)
{
	char address[4] = "";
	struct nl_error err;
	(void)state;
	assert_int_not_equal(nl_local_address("127.0.0.1", address, sizeof address, &err), NL_E_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loopback_is_reached_from_loopback),
		cmocka_unit_test(a_name_will_do),
		cmocka_unit_test(a_name_that_is_none_is_not_found),
		cmocka_unit_test(an_address_without_room_is_an_error_and_not_cut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
