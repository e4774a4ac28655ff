/*
 * Peers that have no business with the server, or that vanish: they get nothing, and hold nothing up.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <sys/socket.h>

#include <cmocka.h>

#include "raw_client.h"

#define STRANGERS 100

static int start_server(void **state)
{
	static struct harness harness;

	harness_start(&harness, NULL, false, 0);
	*state = &harness;
	return 0;
}

static int end_server(void **state)
{
	harness_end(*state);
	return 0;
}

static void the_key_must_be_the_same_on_both_ends(void **state)
{
	struct harness keyed;
	struct nl_error err = {0};

	harness_start(&keyed, "the key", false, 0);
	assert_int_equal(quick_run(&keyed, "the key", NULL), 0);
	assert_int_equal(quick_run(&keyed, "another", &err), NL_E_ACCESS);
	assert_non_null(strstr(err.why, "its key is another one"));
	assert_int_equal(quick_run(&keyed, NULL, &err), NL_E_ACCESS);
	assert_non_null(strstr(err.why, "it wants a key"));
	assert_true(harness_wait(&keyed, "its key is not ours", 1));
	assert_true(harness_wait(&keyed, "it has no key", 1));
	harness_end(&keyed);
	assert_int_equal(quick_run(*state, "the key", &err), NL_E_ACCESS);
	assert_non_null(strstr(err.why, "the server has none"));
}

static void a_peer_without_the_key_does_not_get_a_byte(void **state)
{
	struct nl_nb_auth auth = {.key = (const unsigned char *)"wrong", .key_len = 5};
	struct harness keyed;
	int fd;

	(void)state;
	harness_start(&keyed, "the key", false, 0);
	fd = raw_connect(&keyed);
	assert_int_equal(send(fd, NL_NB_PREFACE_CONTROL, NL_NB_PREFACE_BYTES, MSG_NOSIGNAL), NL_NB_PREFACE_BYTES);
	assert_int_equal(nl_nb_frame_send(fd, nl_nb_hello_pack(&auth), nl_mono_ns() + NL_NS_PER_S, NULL), 0);
	assert_true(raw_is_closed_in_silence(fd, 5 * NL_NS_PER_S));
	close(fd);
	harness_end(&keyed);
}

static void garbage_is_closed_without_a_word(void **state)
{
	static const char *const garbage[] = {"GET / HTTP/1.0\r\n\r\n", "netbnchX________", "netbnchC\377\377\377\377",
					      "netbnchC____", "\026\003\001\002\000\001\000\001"};

	for (size_t i = 0; i < sizeof(garbage) / sizeof(garbage[0]); i++) {
		int fd = raw_connect(*state);

		assert_true(send(fd, garbage[i], strlen(garbage[i]), MSG_NOSIGNAL) > 0);
		assert_true(raw_is_closed_in_silence(fd, 5 * NL_NS_PER_S));
		close(fd);
	}
	assert_int_equal(quick_run(*state, NULL, NULL), 0);
}

static void silent_connections_do_not_block_and_are_closed_in_time(void **state)
{
	int fds[STRANGERS];

	for (int i = 0; i < STRANGERS; i++)
		fds[i] = raw_connect(*state);
	assert_int_equal(quick_run(*state, NULL, NULL), 0);
	for (int i = 0; i < STRANGERS; i++) {
		assert_true(raw_is_closed_in_silence(fds[i], 5 * NL_NS_PER_S));
		close(fds[i]);
	}
}

static void a_data_connection_with_a_wrong_token_is_closed(void **state)
{
	unsigned char header[NL_NB_DATA_HEADER_BYTES], token[NL_NB_TOKEN_BYTES];
	struct raw_client raw;
	int fd;

	raw_ask(*state, &raw);
	memcpy(token, raw.token, sizeof(token));
	token[7] ^= 0x20;
	nl_nb_data_header(header, token, NL_NETBENCH_TO_SERVER, 0);
	fd = raw_connect(*state);
	assert_int_equal(send(fd, header, sizeof(header), MSG_NOSIGNAL), sizeof(header));
	assert_true(raw_is_closed_in_silence(fd, 5 * NL_NS_PER_S));
	close(fd);
	raw_close(&raw);
	assert_true(harness_wait(*state, "without the token", 1));
	assert_true(harness_wait(*state, "control connection", 1));
	assert_int_equal(quick_run(*state, NULL, NULL), 0);
}

static void a_second_client_is_told_that_the_server_is_busy(void **state)
{
	struct nl_error err = {0};
	struct raw_client raw;

	raw_start(*state, &raw);
	assert_int_equal(quick_run(*state, NULL, &err), NL_E_UNSUPPORTED);
	assert_non_null(strstr(err.why, "busy"));
	raw_close(&raw);
}

static void a_client_that_dies_in_mid_test_frees_the_server(void **state)
{
	struct harness own;
	struct raw_client raw;

	(void)state;
	harness_start(&own, NULL, false, 0);
	raw_start(&own, &raw);
	raw_close(&raw);
	assert_true(harness_wait(&own, "control connection", 1));
	assert_int_equal(quick_run(&own, NULL, NULL), 0);
	harness_end(&own);
}

static void a_client_that_falls_silent_loses_the_server_in_two_seconds(void **state)
{
	struct harness own;
	struct raw_client raw;
	int64_t begin_ns;

	(void)state;
	harness_start(&own, NULL, false, 0);
	raw_start(&own, &raw);
	begin_ns = nl_mono_ns();
	assert_true(harness_wait(&own, "silent", 1));
	assert_true(nl_mono_ns() - begin_ns < 4 * NL_NS_PER_S);
	assert_int_equal(quick_run(&own, NULL, NULL), 0);
	raw_close(&raw);
	harness_end(&own);
}

static void a_server_that_is_not_there_is_said_so(void **state)
{
	struct nl_error err = {0};
	struct harness gone;

	(void)state;
	harness_start(&gone, NULL, false, 0);
	harness_end(&gone);
	assert_int_equal(quick_run(&gone, NULL, &err), NL_E_PEER);
	assert_non_null(strstr(err.todo, "netbench server"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_key_must_be_the_same_on_both_ends),
		cmocka_unit_test(a_peer_without_the_key_does_not_get_a_byte),
		cmocka_unit_test(garbage_is_closed_without_a_word),
		cmocka_unit_test(silent_connections_do_not_block_and_are_closed_in_time),
		cmocka_unit_test(a_data_connection_with_a_wrong_token_is_closed),
		cmocka_unit_test(a_second_client_is_told_that_the_server_is_busy),
		cmocka_unit_test(a_client_that_dies_in_mid_test_frees_the_server),
		cmocka_unit_test(a_client_that_falls_silent_loses_the_server_in_two_seconds),
		cmocka_unit_test(a_server_that_is_not_there_is_said_so),
	};

	return cmocka_run_group_tests(tests, start_server, end_server);
}
