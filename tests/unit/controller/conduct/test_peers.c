/*
 * test_peers: the server's table of agents.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/conduct/peers.h"

static int setup(void **state)
{
	*state = calloc(1, sizeof(struct nl_peers));
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	free(*state);
	return 0;
}

static void an_agent_is_kept_once_by_its_name(void **state)
{
	struct nl_peers *peers = *state;
	assert_null(nl_peers_find(peers, "nas"));
	struct nl_peer *nas = nl_peers_put(peers, "nas");
	assert_non_null(nas);
	assert_ptr_equal(nl_peers_put(peers, "nas"), nas);
	assert_ptr_equal(nl_peers_find(peers, "nas"), nas);
	assert_null(nl_peers_find(peers, "na"));
	assert_int_equal(peers->count, 1);
}

static void there_is_room_for_so_many_agents_and_no_more(void **state)
{
	struct nl_peers *peers = *state;
	char name[16];
	for (unsigned i = 0; i < NL_PEERS_MAX; i++) {
		snprintf(name, sizeof name, "a%u", i);
		assert_non_null(nl_peers_put(peers, name));
	}
	assert_null(nl_peers_put(peers, "one-more"));
	assert_non_null(nl_peers_put(peers, "a0"));
}

static void no_session_is_nobodys(void **state)
{
	struct nl_peers *peers = *state;
	struct nl_peer *nas = nl_peers_put(peers, "nas");
	assert_null(nl_peers_by_session(peers, 0));
	nas->session = 77;
	assert_ptr_equal(nl_peers_by_session(peers, 77), nas);
	assert_null(nl_peers_by_session(peers, 78));
}

static void a_challenge_is_found_by_name_and_nonce_once_it_was_made(void **state)
{
	struct nl_peers *peers = *state;
	uint8_t nonce[NL_IDENTITY_NONCE_BYTES] = {0};
	/* An unused place is all zeros, and so is this nonce: it is no challenge. */
	assert_null(nl_peers_challenge(peers, "", nonce));
	struct nl_challenge *made = &peers->challenge[5];
	snprintf(made->name, sizeof made->name, "nas");
	made->nonce[0] = nonce[0] = 9;
	made->made_mono_ns = 1;
	assert_ptr_equal(nl_peers_challenge(peers, "nas", nonce), made);
	assert_null(nl_peers_challenge(peers, "pve1", nonce));
	nonce[31] = 1;
	assert_null(nl_peers_challenge(peers, "nas", nonce));
}

static void a_forgotten_order_leaves_nothing(void **state)
{
	struct nl_peers *peers = *state;
	struct nl_peer *nas = nl_peers_put(peers, "nas");
	nl_peer_order_forget(nas);
	nas->order.id = 4;
	nas->order.len = 8;
	nas->order.data = malloc(8);
	nas->order.result = malloc(sizeof *nas->order.result);
	nl__result__init(nas->order.result);
	nl_peer_order_forget(nas);
	assert_int_equal(nas->order.id, 0);
	assert_null(nas->order.data);
	assert_null(nas->order.result);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_agent_is_kept_once_by_its_name),
		TEST(there_is_room_for_so_many_agents_and_no_more),
		TEST(no_session_is_nobodys),
		TEST(a_challenge_is_found_by_name_and_nonce_once_it_was_made),
		TEST(a_forgotten_order_leaves_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
