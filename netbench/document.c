/*
 * document: a client's run as one JSON document. Times in seconds, rates in bytes per second, null for what is unknown.
 */
#include <jansson.h>
#include <string.h>

#include "netbench/main.h"

#define SCHEMA_VERSION 1

static json_t *number_or_null(int64_t value)
{
	return value < 0 ? json_null() : json_integer(value);
}

static json_t *seconds_or_null(int64_t ns)
{
	return ns < 0 ? json_null() : json_real((double)ns / NL_NS_PER_S);
}

static json_t *start_object(const struct nl_netbench_config *config, const char *host,
			    const struct nl_netbench_result *result)
{
	char time[32] = "";

	if (result->start_wall_ns)
		nl_wall_text(result->start_wall_ns, time, sizeof(time));
	return json_pack("{s:s, s:i, s:s, s:s, s:i, s:s, s:i, s:f, s:f, s:f, s:i, s:i, s:s*}", "version",
			 NASLINE_VERSION, "schema_version", SCHEMA_VERSION, "time", time, "host", host, "port",
			 config->port, "direction", nl_netbench_direction_text(config->direction), "streams",
			 (int)config->streams, "duration_seconds", (double)config->duration_ns / NL_NS_PER_S,
			 "omit_seconds", (double)config->omit_ns / NL_NS_PER_S, "interval_seconds",
			 (double)config->interval_ns / NL_NS_PER_S, "block_bytes", (int)config->block_bytes,
			 "window_bytes", (int)config->window_bytes, "congestion", config->congestion);
}

static double interval_rate(const struct nl_netbench_interval *interval)
{
	int64_t ns = interval->end_ns - interval->start_ns;

	return ns > 0 ? (double)interval->bytes / ((double)ns / NL_NS_PER_S) : 0;
}

static void add_received(json_t *object, const struct nl_netbench_interval *interval)
{
	json_object_set_new(object, "received_bytes", json_integer((json_int_t)interval->bytes));
	json_object_set_new(object, "received_bytes_per_second", json_real(interval_rate(interval)));
}

static void add_sent(json_t *object, const struct nl_netbench_interval *interval)
{
	json_object_set_new(object, "sent_bytes", json_integer((json_int_t)interval->bytes));
	json_object_set_new(object, "sent_bytes_per_second", json_real(interval_rate(interval)));
	json_object_set_new(object, "retransmits", number_or_null(interval->retransmits));
	json_object_set_new(object, "rtt_seconds", seconds_or_null(interval->rtt_ns));
	json_object_set_new(object, "min_rtt_seconds", seconds_or_null(interval->min_rtt_ns));
	json_object_set_new(object, "cwnd_bytes", number_or_null(interval->cwnd_bytes));
}

/* The n-th interval of a flow, both sides of it; the times are the receiver's where it is known. */
static json_t *interval_object(const struct nl_netbench_flow *flow, const char *direction, size_t n)
{
	const struct nl_netbench_interval *received =
		n < flow->receiver.interval_count ? &flow->receiver.intervals[n] : NULL;
	const struct nl_netbench_interval *sent = n < flow->sender.interval_count ? &flow->sender.intervals[n] : NULL;
	const struct nl_netbench_interval *either = received ? received : sent;
	json_t *object = json_pack("{s:s, s:f, s:f, s:b}", "direction", direction, "start_seconds",
				   (double)either->start_ns / NL_NS_PER_S, "end_seconds",
				   (double)either->end_ns / NL_NS_PER_S, "omitted", either->omitted);

	if (received)
		add_received(object, received);
	if (sent)
		add_sent(object, sent);
	return object;
}

static json_t *intervals_array(const struct nl_netbench_result *result)
{
	json_t *array = json_array();

	for (int i = 0; i < NL_NETBENCH_FLOWS; i++) {
		const struct nl_netbench_flow *flow = &result->flows[i];
		size_t count = flow->receiver.interval_count > flow->sender.interval_count
				       ? flow->receiver.interval_count
				       : flow->sender.interval_count;

		for (size_t n = 0; flow->used && n < count; n++)
			json_array_append_new(
				array,
				interval_object(flow, nl_netbench_direction_text((enum nl_netbench_direction)i), n));
	}
	return array;
}

static double cpu_seconds(const struct nl_netbench_side *side)
{
	return side->cpu_user_s + side->cpu_system_s;
}

static json_t *tcp_object(const struct nl_netbench_tcp *tcp)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "retransmits", number_or_null(tcp->retransmits),
			 "rtt_seconds", seconds_or_null(tcp->rtt_ns), "min_rtt_seconds",
			 seconds_or_null(tcp->min_rtt_ns), "cwnd_bytes", number_or_null(tcp->cwnd_bytes), "mss_bytes",
			 number_or_null(tcp->mss_bytes), "busy_seconds", seconds_or_null(tcp->busy_ns),
			 "rwnd_limited_seconds", seconds_or_null(tcp->rwnd_limited_ns), "sndbuf_limited_seconds",
			 seconds_or_null(tcp->sndbuf_limited_ns));
}

static json_t *streams_array(const struct nl_netbench_flow *flow)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < flow->receiver.stream_count && i < flow->sender.stream_count; i++) {
		const struct nl_netbench_stream *received = &flow->receiver.streams[i],
						*sent = &flow->sender.streams[i];

		json_array_append_new(array,
				      json_pack("{s:I, s:I, s:I, s:o}", "received_bytes", (json_int_t)received->bytes,
						"measured_bytes", (json_int_t)received->window_bytes, "sent_bytes",
						(json_int_t)sent->bytes, "tcp", tcp_object(&sent->tcp)));
	}
	return array;
}

static json_t *flow_object(const struct nl_netbench_flow *flow)
{
	const struct nl_netbench_side *in = &flow->receiver, *out = &flow->sender;

	return json_pack("{s:f, s:f, s:I, s:I, s:I, s:f, s:o, s:o, s:o, s:f, s:f, s:f, s:f, s:o, s:s, s:b, s:o}",
			 "received_bytes_per_second", in->bytes_per_second, "sent_bytes_per_second",
			 out->bytes_per_second, "received_bytes", (json_int_t)in->bytes, "sent_bytes",
			 (json_int_t)out->bytes, "measured_bytes", (json_int_t)in->window_bytes, "measured_seconds",
			 in->last_ns > in->first_ns ? (double)(in->last_ns - in->first_ns) / NL_NS_PER_S : 0.0,
			 "retransmits", number_or_null(flow->retransmits), "rtt_seconds", seconds_or_null(flow->rtt_ns),
			 "min_rtt_seconds", seconds_or_null(flow->min_rtt_ns), "sender_cpu_seconds", cpu_seconds(out),
			 "receiver_cpu_seconds", cpu_seconds(in), "sender_busiest_thread", out->busiest_thread,
			 "receiver_busiest_thread", in->busiest_thread, "variation",
			 flow->variation < 0 ? json_null() : json_real(flow->variation), "verdict",
			 nl_netbench_verdict_text(flow->verdict), "cpu_bound", flow->cpu_bound, "streams",
			 streams_array(flow));
}

static json_t *host_object(const struct nl_netbench_host *host)
{
	return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:b, s:b, s:b, s:s, s:f, s:f}", "name", host->name, "address",
			 host->address, "interface", host->link.interface, "speed_bps",
			 number_or_null(host->link.speed_bps), "mtu_bytes", number_or_null(host->link.mtu_bytes),
			 "mss_bytes", number_or_null(host->mss_bytes), "timestamps", host->timestamps, "vlan",
			 host->link.vlan, "ipv6", host->link.ipv6, "congestion", host->congestion, "cpu_user_seconds",
			 host->cpu_user_s, "cpu_system_seconds", host->cpu_system_s);
}

/* Sums over the directions that were used. */
struct totals {
	double received, sent, sender_cpu, receiver_cpu;
	int64_t retransmits;
};

static struct totals add_up(const struct nl_netbench_result *result)
{
	struct totals totals = {0};

	for (int i = 0; i < NL_NETBENCH_FLOWS; i++) {
		const struct nl_netbench_flow *flow = &result->flows[i];

		if (!flow->used)
			continue;
		totals.received += flow->receiver.bytes_per_second;
		totals.sent += flow->sender.bytes_per_second;
		totals.sender_cpu += cpu_seconds(&flow->sender);
		totals.receiver_cpu += cpu_seconds(&flow->receiver);
		if (flow->retransmits < 0 || totals.retransmits < 0)
			totals.retransmits = -1;
		else
			totals.retransmits += flow->retransmits;
	}
	return totals;
}

static json_t *end_object(const struct nl_netbench_result *result)
{
	struct totals totals = add_up(result);
	double goodput = result->goodput_bytes_per_second;
	json_t *end = json_pack(
		"{s:f, s:f, s:o, s:f, s:f, s:s, s:b, s:b, s:o, s:o, s:o}", "received_bytes_per_second", totals.received,
		"sent_bytes_per_second", totals.sent, "retransmits", number_or_null(totals.retransmits),
		"sender_cpu_seconds", totals.sender_cpu, "receiver_cpu_seconds", totals.receiver_cpu, "verdict",
		nl_netbench_verdict_text(result->verdict), "cpu_bound", result->cpu_bound, "partial", result->partial,
		"goodput_bytes_per_second", goodput < 0 ? json_null() : json_real(goodput), "client",
		host_object(&result->client), "server", host_object(&result->server));

	for (int i = 0; i < NL_NETBENCH_FLOWS; i++)
		if (result->flows[i].used)
			json_object_set_new(end, nl_netbench_direction_text((enum nl_netbench_direction)i),
					    flow_object(&result->flows[i]));
	return end;
}

static json_t *error_object(const struct nl_error *failure)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:s}", "code", nl_code_name(failure->code), "what", failure->what,
			 "where", failure->where, "why", failure->why, "todo", failure->todo);
}

int nl_netbench_document(FILE *out, const struct nl_netbench_config *config, const char *host,
			 const struct nl_netbench_result *result, const struct nl_error *failure, struct nl_error *err)
{
	json_t *document = json_pack("{s:o}", "start", start_object(config, host, result));
	int rc = 0;

	if (failure)
		json_object_set_new(document, "error", error_object(failure));
	if (result->start_mono_ns) {
		json_object_set_new(document, "intervals", intervals_array(result));
		json_object_set_new(document, "end", end_object(result));
	}
	if (!document || json_dumpf(document, out, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) ||
	    fputc('\n', out) == EOF || fflush(out))
		rc = nl_error_set(err, NL_E_IO, "write the result");
	json_decref(document);
	return rc;
}
