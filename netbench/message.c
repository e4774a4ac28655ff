/*
 * message: packing and checking the control messages.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netbench/fields.h"
#include "netbench/message.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define ANY_MAX      (INT64_C(1) << 50) /* a petabyte, two weeks: sums over all streams stay in range */

static const struct nl_nb_field request_fields[] = {
	NL_NB_FIELD(struct nl_nb_request, direction, NL_NB_UINT, NL_NETBENCH_TO_SERVER, NL_NETBENCH_BOTH),
	NL_NB_FIELD(struct nl_nb_request, streams, NL_NB_UINT, 1, NL_NETBENCH_STREAMS_MAX),
	NL_NB_FIELD(struct nl_nb_request, duration_ns, NL_NB_INT64, NL_NS_PER_MS, NL_NETBENCH_DURATION_MAX_NS),
	NL_NB_FIELD(struct nl_nb_request, omit_ns, NL_NB_INT64, 0, NL_NETBENCH_OMIT_MAX_NS),
	NL_NB_FIELD(struct nl_nb_request, interval_ns, NL_NB_INT64, NL_NETBENCH_INTERVAL_MIN_NS,
		    NL_NETBENCH_DURATION_MAX_NS),
	NL_NB_FIELD(struct nl_nb_request, block_bytes, NL_NB_UINT, NL_NETBENCH_BLOCK_MIN, NL_NETBENCH_BLOCK_MAX),
	NL_NB_FIELD(struct nl_nb_request, window_bytes, NL_NB_UINT, 0, NL_NETBENCH_WINDOW_MAX),
	NL_NB_FIELD(struct nl_nb_request, congestion, NL_NB_TEXT, 0, 0),
};

static const struct nl_nb_field interval_fields[] = {
	NL_NB_FIELD(struct nl_netbench_interval, direction, NL_NB_UINT, NL_NETBENCH_TO_SERVER, NL_NETBENCH_FROM_SERVER),
	NL_NB_FIELD(struct nl_netbench_interval, receiver, NL_NB_BOOL, 0, 0),
	NL_NB_FIELD(struct nl_netbench_interval, omitted, NL_NB_BOOL, 0, 0),
	NL_NB_FIELD(struct nl_netbench_interval, index, NL_NB_UINT, 0, NL_NETBENCH_INTERVALS_MAX),
	NL_NB_FIELD(struct nl_netbench_interval, start_ns, NL_NB_INT64, 0, 2 * NL_NETBENCH_DURATION_MAX_NS),
	NL_NB_FIELD(struct nl_netbench_interval, end_ns, NL_NB_INT64, 0, 2 * NL_NETBENCH_DURATION_MAX_NS),
	NL_NB_FIELD(struct nl_netbench_interval, bytes, NL_NB_UINT64, 0, ANY_MAX),
	NL_NB_FIELD(struct nl_netbench_interval, retransmits, NL_NB_INT64, -1, ANY_MAX),
	NL_NB_FIELD(struct nl_netbench_interval, rtt_ns, NL_NB_INT64, -1, ANY_MAX),
	NL_NB_FIELD(struct nl_netbench_interval, min_rtt_ns, NL_NB_INT64, -1, ANY_MAX),
	NL_NB_FIELD(struct nl_netbench_interval, cwnd_bytes, NL_NB_INT64, -1, ANY_MAX),
};
_Static_assert(sizeof(enum nl_netbench_direction) == sizeof(unsigned), "directions travel as unsigned");
_Static_assert(sizeof(uint32_t) == sizeof(unsigned), "32-bit fields travel as unsigned");

#define STREAM(member, type, min, max) NL_NB_FIELD(struct nl_netbench_stream, member, type, min, max)
static const struct nl_nb_field stream_fields[] = {
	STREAM(bytes, NL_NB_UINT64, 0, ANY_MAX),
	STREAM(window_bytes, NL_NB_UINT64, 0, ANY_MAX),
	STREAM(first_ns, NL_NB_INT64, -1, 2 * NL_NETBENCH_DURATION_MAX_NS),
	STREAM(last_ns, NL_NB_INT64, -1, 2 * NL_NETBENCH_DURATION_MAX_NS),
	STREAM(cpu_user_ns, NL_NB_INT64, 0, 4 * NL_NETBENCH_DURATION_MAX_NS),
	STREAM(cpu_system_ns, NL_NB_INT64, 0, 4 * NL_NETBENCH_DURATION_MAX_NS),
	STREAM(wall_ns, NL_NB_INT64, 0, 4 * NL_NETBENCH_DURATION_MAX_NS),
};

#define TCP(member) NL_NB_FIELD(struct nl_netbench_tcp, member, NL_NB_INT64, -1, ANY_MAX)
static const struct nl_nb_field tcp_fields[] = {
	TCP(retransmits),       TCP(rtt_ns),
	TCP(min_rtt_ns),        TCP(cwnd_bytes),
	TCP(mss_bytes),         TCP(delivered_bytes),
	TCP(busy_ns),           TCP(rwnd_limited_ns),
	TCP(sndbuf_limited_ns), NL_NB_FIELD(struct nl_netbench_tcp, timestamps, NL_NB_BOOL, 0, 0),
};

static const struct nl_nb_field side_fields[] = {
	NL_NB_FIELD(struct nl_netbench_side, cpu_user_s, NL_NB_DOUBLE, 0, INT64_C(1) << 40),
	NL_NB_FIELD(struct nl_netbench_side, cpu_system_s, NL_NB_DOUBLE, 0, INT64_C(1) << 40),
};

#define HOST(member, type, min, max) NL_NB_FIELD(struct nl_netbench_host, member, type, min, max)
static const struct nl_nb_field host_fields[] = {
	HOST(name, NL_NB_TEXT, 0, 0),
	HOST(address, NL_NB_TEXT, 0, 0),
	HOST(congestion, NL_NB_TEXT, 0, 0),
	HOST(mss_bytes, NL_NB_INT64, -1, 1 << 30),
	HOST(timestamps, NL_NB_BOOL, 0, 0),
	HOST(wall_ns, NL_NB_INT64, 0, 4 * NL_NETBENCH_DURATION_MAX_NS),
	HOST(cpu_user_s, NL_NB_DOUBLE, 0, INT64_C(1) << 40),
	HOST(cpu_system_s, NL_NB_DOUBLE, 0, INT64_C(1) << 40),
};

#define LINK(member, type, min, max) NL_NB_FIELD(struct nl_netbench_link, member, type, min, max)
static const struct nl_nb_field link_fields[] = {
	LINK(interface, NL_NB_TEXT, 0, 0),
	LINK(speed_bps, NL_NB_INT64, -1, INT64_C(1) << 50),
	LINK(mtu_bytes, NL_NB_INT64, -1, 1 << 30),
	LINK(vlan, NL_NB_BOOL, 0, 0),
	LINK(ipv6, NL_NB_BOOL, 0, 0),
};

const char *nl_nb_type(const json_t *frame)
{
	const char *type = json_string_value(json_object_get(frame, "type"));

	return type ? type : "";
}

json_t *nl_nb_message(const char *type)
{
	return json_pack("{s:s}", "type", type);
}

static int malformed(struct nl_error *err, const char *what)
{
	nl_error_set(err, NL_E_PROTOCOL, "read a control message");
	return nl_error_why(err, "%s", what);
}

/* ---- Requests ---- */

int nl_nb_request_from(const struct nl_netbench_config *config, struct nl_nb_request *request, struct nl_error *err)
{
	json_t *object = json_object();
	int rc;

	memset(request, 0, sizeof(*request));
	request->direction = config->direction;
	request->streams = config->streams;
	request->duration_ns = config->duration_ns;
	request->omit_ns = config->omit_ns;
	request->interval_ns = config->interval_ns;
	request->block_bytes = config->block_bytes;
	request->window_bytes = config->window_bytes;
	if (config->congestion && strlen(config->congestion) >= sizeof(request->congestion)) {
		json_decref(object);
		nl_error_set(err, NL_E_CONFIG, "set up the test");
		return nl_error_why(err, "no congestion control has a name as long as %.40s", config->congestion);
	}
	snprintf(request->congestion, sizeof(request->congestion), "%s", config->congestion ? config->congestion : "");
	/* Going through the message itself applies the very limits that the server will apply. */
	rc = nl_nb_fields_pack(object, request_fields, COUNT(request_fields), request);
	if (rc == 0)
		rc = nl_nb_request_unpack(object, request, err);
	json_decref(object);
	if (rc && err) {
		err->code = NL_E_CONFIG;
		snprintf(err->what, sizeof(err->what), "set up the test");
	}
	return rc ? NL_E_CONFIG : 0;
}

int nl_nb_request_unpack(const json_t *frame, struct nl_nb_request *request, struct nl_error *err)
{
	int rc = nl_nb_fields_unpack(frame, request_fields, COUNT(request_fields), request, err);

	if (rc)
		return rc;
	if ((request->duration_ns + request->omit_ns) / request->interval_ns >= NL_NETBENCH_INTERVALS_MAX)
		return malformed(err, "the test would have more than 100000 intervals: use a longer interval");
	return 0;
}

json_t *nl_nb_request_pack(const struct nl_nb_auth *auth, const struct nl_nb_request *request)
{
	json_t *object = nl_nb_message("request");

	if (object && nl_nb_fields_pack(object, request_fields, COUNT(request_fields), request)) {
		json_decref(object);
		return NULL;
	}
	return nl_nb_proof_add(object, auth, NL_NB_PROOF_CLIENT);
}

/* ---- Intervals and results ---- */

json_t *nl_nb_interval_pack(const struct nl_netbench_interval *interval)
{
	json_t *object = nl_nb_message("interval");

	if (object && nl_nb_fields_pack(object, interval_fields, COUNT(interval_fields), interval) == 0)
		return object;
	json_decref(object);
	return NULL;
}

int nl_nb_interval_unpack(const json_t *frame, struct nl_netbench_interval *interval, struct nl_error *err)
{
	int rc = nl_nb_fields_unpack(frame, interval_fields, COUNT(interval_fields), interval, err);

	if (rc == 0 && interval->end_ns < interval->start_ns)
		return malformed(err, "an interval ends before it begins");
	return rc;
}

/* The server's side of a flow: it receives what goes to it, and sends the rest. */
static struct nl_netbench_side *server_side(struct nl_netbench_flow *flow, int direction)
{
	return direction == NL_NETBENCH_TO_SERVER ? &flow->receiver : &flow->sender;
}

static json_t *stream_pack(const struct nl_netbench_stream *stream)
{
	json_t *object = json_object(), *tcp = json_object();

	if (nl_nb_fields_pack(object, stream_fields, COUNT(stream_fields), stream) ||
	    nl_nb_fields_pack(tcp, tcp_fields, COUNT(tcp_fields), &stream->tcp) ||
	    json_object_set(object, "tcp", tcp)) {
		json_decref(object);
		object = NULL;
	}
	json_decref(tcp);
	return object;
}

static json_t *side_pack(const struct nl_netbench_side *side)
{
	json_t *object = json_object(), *streams = json_array();
	int failed = nl_nb_fields_pack(object, side_fields, COUNT(side_fields), side);

	for (unsigned i = 0; !failed && i < side->stream_count; i++)
		failed = json_array_append_new(streams, stream_pack(&side->streams[i]));
	if (!failed)
		failed = json_object_set(object, "streams", streams);
	json_decref(streams);
	if (!failed)
		return object;
	json_decref(object);
	return NULL;
}

static json_t *host_pack(const struct nl_netbench_host *host)
{
	json_t *object = json_object(), *link = json_object();
	int failed = nl_nb_fields_pack(object, host_fields, COUNT(host_fields), host) ||
		     nl_nb_fields_pack(link, link_fields, COUNT(link_fields), &host->link) ||
		     json_object_set(object, "link", link);

	json_decref(link);
	if (!failed)
		return object;
	json_decref(object);
	return NULL;
}

json_t *nl_nb_result_pack(const struct nl_netbench_result *result, bool broken)
{
	json_t *object = nl_nb_message("result");
	int failed = json_object_set_new(object, "host", host_pack(&result->server)) ||
		     json_object_set_new(object, "broken", json_boolean(broken));

	for (int i = 0; i < NL_NETBENCH_FLOWS && !failed; i++) {
		struct nl_netbench_flow flow = result->flows[i];

		if (flow.used)
			failed = json_object_set_new(object, nl_netbench_direction_text((enum nl_netbench_direction)i),
						     side_pack(server_side(&flow, i)));
	}
	if (!failed)
		return object;
	json_decref(object);
	return NULL;
}

static int stream_unpack(const json_t *object, struct nl_netbench_stream *stream, struct nl_error *err)
{
	int rc = nl_nb_fields_unpack(object, stream_fields, COUNT(stream_fields), stream, err);

	if (rc)
		return rc;
	if (stream->window_bytes > stream->bytes)
		return malformed(err, "a stream measured more than it moved");
	return nl_nb_fields_unpack(json_object_get(object, "tcp"), tcp_fields, COUNT(tcp_fields), &stream->tcp, err);
}

static int side_unpack(const json_t *object, unsigned streams, struct nl_netbench_side *side, struct nl_error *err)
{
	const json_t *list = json_object_get(object, "streams");
	int rc = nl_nb_fields_unpack(object, side_fields, COUNT(side_fields), side, err);

	if (rc)
		return rc;
	if (json_array_size(list) != streams)
		return malformed(err, "a result has another number of streams than the test");
	if (!side->streams)
		side->streams = calloc(streams, sizeof(*side->streams));
	if (!side->streams)
		return nl_error_set(err, NL_E_SYSTEM, "make room for a result");
	side->stream_count = streams;
	for (unsigned i = 0; i < streams && rc == 0; i++)
		rc = stream_unpack(json_array_get(list, i), &side->streams[i], err);
	return rc;
}

int nl_nb_result_unpack(const json_t *frame, unsigned streams, struct nl_netbench_result *result, bool *broken,
			struct nl_error *err)
{
	const json_t *host = json_object_get(frame, "host");
	int rc = nl_nb_fields_unpack(host, host_fields, COUNT(host_fields), &result->server, err);

	if (rc == 0)
		rc = nl_nb_fields_unpack(json_object_get(host, "link"), link_fields, COUNT(link_fields),
					 &result->server.link, err);
	*broken = json_is_true(json_object_get(frame, "broken"));
	for (int i = 0; i < NL_NETBENCH_FLOWS && rc == 0; i++) {
		const char *name = nl_netbench_direction_text((enum nl_netbench_direction)i);

		if (result->flows[i].used)
			rc = side_unpack(json_object_get(frame, name), streams, server_side(&result->flows[i], i), err);
	}
	return rc;
}
