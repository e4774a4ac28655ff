/*
 * Fuzz target: whatever a peer may send on netbench's control connection, through the frame reader into every message's
 * reader.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "netbench/figures.h"
#include "netbench/frame.h"
#include "netbench/group.h"
#include "netbench/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A result that was accepted must also bear being concluded, as the client does with it. */
static void read_result(const json_t *frame)
{
	struct nl_netbench_result result = {0};
	struct nl_netbench_interval interval;
	struct nl_error err;
	bool broken;

	for (int i = 0; i < NL_NETBENCH_FLOWS; i++)
		result.flows[i].used = true;
	if (nl_nb_interval_unpack(frame, &interval, &err) == 0)
		nl_nb_side_append(&result.flows[interval.direction].receiver, &interval, &err);
	nl_nb_result_unpack(frame, 1, &result, &broken, &err);
	for (int i = 0; i < NL_NETBENCH_FLOWS; i++) {
		nl_nb_side_conclude(&result.flows[i].sender);
		nl_nb_side_conclude(&result.flows[i].receiver);
	}
	nl_nb_result_conclude(&result);
	nl_netbench_result_fini(&result);
}

static void read_message(const json_t *frame)
{
	struct nl_nb_auth auth = {.key = (const unsigned char *)"key", .key_len = 3};
	unsigned char token[NL_NB_TOKEN_BYTES];
	struct nl_nb_request request;
	struct nl_error err;

	nl_nb_hello_check(&auth, frame, &err);
	nl_nb_challenge_check(&auth, frame, &err);
	nl_nb_request_check(&auth, frame, &err);
	nl_nb_request_unpack(frame, &request, &err);
	nl_nb_refused_unpack(frame, &err);
	nl_nb_ready_unpack(frame, token, &err);
	read_result(frame);
}

static void read_frames(const uint8_t *data, size_t size)
{
	struct nl_nb_reader reader;
	struct nl_error err;
	json_t *frame;
	size_t taken;

	nl_nb_reader_init(&reader, NL_NB_FRAME_MAX_EARLY);
	while (size > 0 && nl_nb_reader_feed(&reader, data, size, &taken, &err) == 0 &&
	       nl_nb_reader_next(&reader, &frame, &err) == 0 && frame) {
		read_message(frame);
		json_decref(frame);
		data += taken;
		size -= taken;
	}
	nl_nb_reader_fini(&reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	json_t *frame = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, NULL);

	/* The bytes as a stream of frames, and as one message, which a fuzzer finds more easily. */
	read_frames(data, size);
	if (json_is_object(frame))
		read_message(frame);
	json_decref(frame);
	return 0;
}
