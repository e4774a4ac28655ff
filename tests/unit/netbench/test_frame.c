/*
 * Control frames: bounds, pieces, deadlines.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/time.h"
#include "netbench/frame.h"

/* The functions give the code that the error holds, so they need one. */
static struct nl_error ignored;

static int feed(struct nl_nb_reader *reader, const void *bytes, size_t len, json_t **frame)
{
	size_t taken;
	int rc = nl_nb_reader_feed(reader, bytes, len, &taken, &ignored);

	*frame = NULL;
	return rc ? rc : nl_nb_reader_next(reader, frame, &ignored);
}

static void a_frame_that_comes_byte_by_byte_is_put_together(void **state)
{
	static const char bytes[] = "\0\0\0\7{\"a\":1}";
	struct nl_nb_reader reader;
	json_t *frame = NULL;

	(void)state;
	nl_nb_reader_init(&reader, 100);
	for (size_t i = 0; i < sizeof(bytes) - 1; i++) {
		assert_null(frame);
		assert_int_equal(feed(&reader, bytes + i, 1, &frame), 0);
	}
	assert_non_null(frame);
	assert_int_equal(json_integer_value(json_object_get(frame, "a")), 1);
	json_decref(frame);
	nl_nb_reader_fini(&reader);
}

static void a_feed_stops_at_the_end_of_a_frame(void **state)
{
	static const char bytes[] = "\0\0\0\2{}\0\0\0\2{}";
	struct nl_nb_reader reader;
	json_t *frame;
	size_t taken;

	(void)state;
	nl_nb_reader_init(&reader, 100);
	assert_int_equal(nl_nb_reader_feed(&reader, bytes, sizeof(bytes) - 1, &taken, &ignored), 0);
	assert_int_equal(taken, 6);
	assert_int_equal(nl_nb_reader_next(&reader, &frame, &ignored), 0);
	assert_non_null(frame);
	json_decref(frame);
	assert_int_equal(nl_nb_reader_next(&reader, &frame, &ignored), 0);
	assert_null(frame);
	nl_nb_reader_fini(&reader);
}

static void lengths_outside_the_bounds_are_refused_before_anything_is_stored(void **state)
{
	static const char *const lengths[] = {"\0\0\0\0", "\0\0\0\145", "\377\377\377\377", "GET "};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct nl_nb_reader reader;
		json_t *frame;

		nl_nb_reader_init(&reader, 100);
		assert_int_equal(feed(&reader, lengths[i], 4, &frame), NL_E_PROTOCOL);
		assert_true(reader.size <= 4);
		nl_nb_reader_fini(&reader);
	}
}

static void what_is_not_one_json_object_is_refused(void **state)
{
	static const char *const texts[] = {"[1]", "{,}", "{}x", "1", "{\"a\":1,\"a\":2}", "\377\376"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		char bytes[32] = {0};
		struct nl_nb_reader reader;
		json_t *frame;

		bytes[3] = (char)strlen(texts[i]);
		memcpy(bytes + 4, texts[i], strlen(texts[i]));
		nl_nb_reader_init(&reader, 100);
		assert_int_equal(feed(&reader, bytes, 4 + strlen(texts[i]), &frame), NL_E_PROTOCOL);
		assert_null(frame);
		nl_nb_reader_fini(&reader);
	}
}

static void a_sent_frame_arrives(void **state)
{
	struct nl_nb_reader reader;
	json_t *frame;
	int pair[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
	nl_nb_reader_init(&reader, NL_NB_FRAME_MAX);
	for (int i = 0; i < 3; i++)
		assert_int_equal(
			nl_nb_frame_send(pair[0], json_pack("{s:i}", "n", i), nl_mono_ns() + NL_NS_PER_S, &ignored), 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(nl_nb_frame_wait(pair[1], &reader, nl_mono_ns() + NL_NS_PER_S, &frame, &ignored), 0);
		assert_int_equal(json_integer_value(json_object_get(frame, "n")), i);
		json_decref(frame);
	}
	assert_int_equal(nl_nb_frame_wait(pair[1], &reader, nl_mono_ns() + 1000000, &frame, &ignored), NL_E_TIMEOUT);
	close(pair[0]);
	assert_int_equal(nl_nb_frame_wait(pair[1], &reader, nl_mono_ns() + NL_NS_PER_S, &frame, &ignored), NL_E_PEER);
	assert_int_equal(nl_nb_frame_send(pair[1], json_object(), nl_mono_ns() + NL_NS_PER_S, &ignored), NL_E_PEER);
	close(pair[1]);
	nl_nb_reader_fini(&reader);
}

static void a_peer_that_does_not_read_cannot_hold_the_sender(void **state)
{
	char text[60000];
	int pair[2], rc = 0;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
	for (int i = 0; i < 1000 && rc == 0; i++)
		rc = nl_nb_frame_send(pair[0], json_pack("{s:s}", "t", text), nl_mono_ns() + 1000000, &ignored);
	assert_int_equal(rc, NL_E_TIMEOUT);
	close(pair[0]);
	close(pair[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_frame_that_comes_byte_by_byte_is_put_together),
		cmocka_unit_test(a_feed_stops_at_the_end_of_a_frame),
		cmocka_unit_test(lengths_outside_the_bounds_are_refused_before_anything_is_stored),
		cmocka_unit_test(what_is_not_one_json_object_is_refused),
		cmocka_unit_test(a_sent_frame_arrives),
		cmocka_unit_test(a_peer_that_does_not_read_cannot_hold_the_sender),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
