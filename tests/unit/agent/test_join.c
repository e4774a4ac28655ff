/*
 * test_join: enrolling with a real controller over real TLS.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "agent/join.h"
#include "unit/agent/controller.h"

#define PATIENCE_NS (20 * NL_NS_PER_S)

static int setup(void **state)
{
	*state = calloc(1, sizeof(struct test_controller));
	if (!*state)
		return -1;
	test_controller_make(*state);
	return 0;
}

static int teardown(void **state)
{
	test_controller_end(*state);
	free(*state);
	return 0;
}

static bool is_there(const char *dir, const char *file)
{
	char path[200];
	snprintf(path, sizeof path, "%s/%s", dir, file);
	return access(path, F_OK) == 0;
}

static void a_token_makes_an_identity_that_holds(void **state)
{
	struct test_controller *controller = *state;
	char token[160], name[NL_IDENTITY_NAME_MAX + 1];
	struct nl_error err;
	struct stat st;
	test_controller_token(controller, "nas", 60 * NL_NS_PER_S, token);
	assert_int_equal(nl_join(controller->url, token, "nas", controller->state, false, PATIENCE_NS, &err), NL_E_OK);
	assert_int_equal(nl_identity_check_agent(controller->state, name, &err), NL_E_OK);
	assert_string_equal(name, "nas");
	assert_true(is_there(controller->state, "controller"));
	assert_int_equal(stat(controller->state, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
}

static void a_token_is_refused_the_second_time(void **state)
{
	struct test_controller *controller = *state;
	char token[160], other[100];
	struct nl_error err;
	test_controller_token(controller, "", 60 * NL_NS_PER_S, token);
	assert_int_equal(nl_join(controller->url, token, "nas", controller->state, false, PATIENCE_NS, &err), NL_E_OK);
	snprintf(other, sizeof other, "%s/other", controller->dir);
	assert_int_equal(nl_join(controller->url, token, "pve1", other, false, PATIENCE_NS, &err), NL_E_IDENTITY);
	assert_non_null(strstr(err.why, "used"));
	assert_false(is_there(other, "controller"));
	assert_false(is_there(other, "agent.crt"));
}

static void a_token_for_another_name_is_refused(void **state)
{
	struct test_controller *controller = *state;
	char token[160];
	struct nl_error err;
	test_controller_token(controller, "nas", 60 * NL_NS_PER_S, token);
	assert_int_equal(nl_join(controller->url, token, "pve1", controller->state, false, PATIENCE_NS, &err),
			 NL_E_IDENTITY);
	assert_int_equal(nl_join(controller->url, token, "nas", controller->state, false, PATIENCE_NS, &err), NL_E_OK);
}

static void an_expired_token_is_refused(void **state)
{
	struct test_controller *controller = *state;
	char token[160];
	struct nl_error err;
	test_controller_token(controller, "nas", -NL_NS_PER_S, token);
	assert_int_equal(nl_join(controller->url, token, "nas", controller->state, false, PATIENCE_NS, &err),
			 NL_E_IDENTITY);
	assert_non_null(strstr(err.why, "expired"));
}

static void a_controller_that_did_not_make_the_token_never_sees_its_secret(void **state)
{
	struct test_controller *controller = *state, other;
	char token[160];
	bool used = true;
	struct nl_error err;
	struct nl_token parsed;
	uint8_t hash[32];
	test_controller_make(&other);
	test_controller_token(&other, "nas", 60 * NL_NS_PER_S, token);
	assert_int_equal(nl_join(controller->url, token, "nas", controller->state, false, PATIENCE_NS, &err),
			 NL_E_IDENTITY);
	assert_non_null(strstr(err.why, "fingerprint"));
	assert_int_equal(nl_token_parse(token, &parsed, &err), NL_E_OK);
	assert_int_equal(nl_token_hash(parsed.secret, hash, &err), NL_E_OK);
	assert_int_equal(nl_store_token_used(nl_server_store_lock(other.server), hash, &used, &err), NL_E_OK);
	nl_server_store_unlock(other.server);
	assert_false(used);
	test_controller_end(&other);
}

static void joining_twice_needs_to_be_meant(void **state)
{
	struct test_controller *controller = *state;
	char token[160];
	struct nl_error err;
	test_controller_token(controller, "", 60 * NL_NS_PER_S, token);
	assert_int_equal(nl_join(controller->url, token, "nas", controller->state, false, PATIENCE_NS, &err), NL_E_OK);
	test_controller_token(controller, "", 60 * NL_NS_PER_S, token);
	assert_int_equal(nl_join(controller->url, token, "nas", controller->state, false, PATIENCE_NS, &err),
			 NL_E_CONFIG);
	assert_non_null(strstr(err.todo, "--again"));
	assert_int_equal(nl_join(controller->url, token, "nas", controller->state, true, PATIENCE_NS, &err), NL_E_OK);
}

static void what_makes_no_sense_is_refused_before_anything_is_made(void **state)
{
	struct test_controller *controller = *state;
	char token[160], longer[1200];
	struct nl_error err;
	test_controller_token(controller, "", 60 * NL_NS_PER_S, token);
	assert_int_equal(nl_join(controller->url, "nl1-nonsense", "nas", controller->state, false, PATIENCE_NS, &err),
			 NL_E_USAGE);
	assert_int_equal(nl_join(controller->url, token, "Not A Name", controller->state, false, PATIENCE_NS, &err),
			 NL_E_USAGE);
	assert_int_not_equal(nl_join("host:99999", token, "nas", controller->state, false, PATIENCE_NS, &err), NL_E_OK);
	assert_int_equal(access(controller->state, F_OK), -1);
	memset(longer, 'a', sizeof longer - 1);
	longer[sizeof longer - 1] = '\0';
	assert_int_not_equal(nl_join(controller->url, token, "nas", longer, false, PATIENCE_NS, &err), NL_E_OK);
}

static void nobody_there_is_said_in_time(void **state)
{
	struct test_controller *controller = *state;
	char token[160];
	struct nl_error err;
	test_controller_token(controller, "", 60 * NL_NS_PER_S, token);
	nl_server_stop(controller->server);
	controller->server = NULL;
	int64_t before = nl_mono_ns();
	assert_int_equal(nl_join(controller->url, token, "nas", controller->state, false, NL_NS_PER_S, &err),
			 NL_E_TIMEOUT);
	assert_true(nl_mono_ns() - before < 10 * NL_NS_PER_S);
	assert_false(is_there(controller->state, "controller"));
}

static void the_default_name_is_a_good_one(void **state)
{
	char name[NL_IDENTITY_NAME_MAX + 1];
	(void)state;
	nl_join_default_name(name);
	assert_true(nl_identity_name_valid(name));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_token_makes_an_identity_that_holds),
		TEST(a_token_is_refused_the_second_time),
		TEST(a_token_for_another_name_is_refused),
		TEST(an_expired_token_is_refused),
		TEST(a_controller_that_did_not_make_the_token_never_sees_its_secret),
		TEST(joining_twice_needs_to_be_meant),
		TEST(what_makes_no_sense_is_refused_before_anything_is_made),
		TEST(nobody_there_is_said_in_time),
		cmocka_unit_test(the_default_name_is_a_good_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
