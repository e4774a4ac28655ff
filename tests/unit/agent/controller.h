/*
 * controller: a real controller's server on loopback for the tests of an agent, with a directory of its own. Tests
 * alone may know both sides.
 */
#ifndef NL_TESTS_UNIT_AGENT_CONTROLLER_H
#define NL_TESTS_UNIT_AGENT_CONTROLLER_H

#include "base/time.h"
#include "controller/conduct/server.h"
#include "proto/identity.h"
#include "unit/agent/scratch.h"

#define TEST_LEASE_NS (4 * NL_NS_PER_S) /* a busy machine may keep a thread waiting for a second or two */

struct test_controller {
	char dir[64], home[80], state[80], pool[80], url[64];
	struct nl_store *store;
	struct nl_server *server;
	uint16_t port;
};

static inline void test_controller_start(struct test_controller *controller, const char *listen)
{
	struct nl_error err;
	struct nl_server_config config = {
		.state_dir = controller->home, .listen = listen, .store = controller->store, .lease_ns = TEST_LEASE_NS};
	if (nl_server_start(&config, &controller->server, &controller->port, &err) != NL_E_OK)
		fail_msg("%s: %s", err.what, err.why);
	snprintf(controller->url, sizeof controller->url, "127.0.0.1:%u", controller->port);
}

static inline void test_controller_make(struct test_controller *controller)
{
	struct nl_error err;
	char path[100];
	memset(controller, 0, sizeof *controller);
	test_scratch_make(controller->dir);
	snprintf(controller->home, sizeof controller->home, "%s/home", controller->dir);
	snprintf(controller->state, sizeof controller->state, "%s/agent", controller->dir);
	snprintf(controller->pool, sizeof controller->pool, "%s/pool", controller->dir);
	assert_int_equal(mkdir(controller->home, 0700), 0);
	assert_int_equal(mkdir(controller->pool, 0700), 0);
	if (nl_identity_ca_create(controller->home, &err) != NL_E_OK)
		fail_msg("%s: %s", err.what, err.why);
	snprintf(path, sizeof path, "%s/nasline.db", controller->home);
	assert_int_equal(nl_store_open(path, &controller->store, &err), NL_E_OK);
	test_controller_start(controller, "127.0.0.1:0");
}

static inline void test_controller_end(struct test_controller *controller)
{
	nl_server_stop(controller->server);
	nl_store_close(controller->store);
	test_scratch_remove(controller->dir);
}

/* A token good for `valid_ns` for the agent `name`. */
static inline void test_controller_token(struct test_controller *controller, const char *name, int64_t valid_ns,
					 char text[160])
{
	struct nl_token token;
	uint8_t hash[32];
	struct nl_error err;
	assert_int_equal(nl_token_make(controller->home, &token, &err), NL_E_OK);
	assert_int_equal(nl_token_hash(token.secret, hash, &err), NL_E_OK);
	struct nl_store *store = nl_server_store_lock(controller->server);
	assert_int_equal(nl_store_token_add(store, hash, name, nl_wall_ns() + valid_ns, &err), NL_E_OK);
	nl_server_store_unlock(controller->server);
	nl_token_text(&token, text, 160);
}

#endif
