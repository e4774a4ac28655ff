/*
 * line_task: the raw TCP ceiling between two agents, by the netbench library: one serves, the other measures.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/task.h"
#include "base/time.h"

#define LINE_INTERVAL_NS (250 * NL_NS_PER_MS)

/* The longest test that the server takes; an order that does not say gets an hour. */
static unsigned longest_s(int64_t longest_ns)
{
	int64_t seconds = longest_ns > 0 ? longest_ns / NL_NS_PER_S + 1 : 3600;
	return seconds > 86400 ? 86400 : (unsigned)seconds;
}

int nl_task_line_server(struct nl_agent *agent, const Nl__Order *order, struct nl_outcome *outcome,
			struct nl_error *err)
{
	const Nl__LineServer *ask = order->line_server;
	struct nl_netbench_server_config config = {
		.bind = ask->bind[0] ? ask->bind : NULL,
		.key = ask->key.len ? ask->key.data : NULL,
		.key_len = ask->key.len,
		.max_seconds = longest_s(ask->longest_ns),
	};
	nl_netbench_server_free(agent->line_server);
	agent->line_server = NULL;
	if (!config.key)
		return nl_error_set(err, NL_E_PROTOCOL, "an order to serve the line test carries no key");
	int rc = nl_netbench_server_start(&config, &agent->line_server, err);
	if (rc == NL_E_OK)
		nl_outcome_factf(outcome, "line", "port", "%u", nl_netbench_server_port(agent->line_server));
	return rc;
}

static int64_t known(int64_t value)
{
	return value > 0 ? value : 0;
}

static int pack_streams(struct nl_outcome *outcome, const struct nl_netbench_flow *flow, bool to_server,
			Nl__LineResult *line, struct nl_error *err)
{
	unsigned count = flow->sender.stream_count;
	Nl__LineStream *streams = nl_outcome_memory(outcome, count * sizeof *streams);
	line->stream = nl_outcome_memory(outcome, count * sizeof *line->stream);
	if (!streams || !line->stream)
		return nl_error_sys(err, ENOMEM, "pack the line's result");
	for (unsigned i = 0; i < count; i++) {
		const struct nl_netbench_stream *sender = &flow->sender.streams[i];
		nl__line_stream__init(&streams[i]);
		streams[i].stream = i;
		streams[i].to_server = to_server;
		streams[i].sent_bytes = sender->bytes;
		if (i < flow->receiver.stream_count)
			streams[i].received_bytes = flow->receiver.streams[i].bytes;
		streams[i].retransmits = (uint64_t)known(sender->tcp.retransmits);
		streams[i].rtt_ns = known(sender->tcp.rtt_ns);
		streams[i].rtt_min_ns = known(sender->tcp.min_rtt_ns);
		streams[i].cwnd_bytes = (uint64_t)known(sender->tcp.cwnd_bytes);
		streams[i].busy_ns = known(sender->tcp.busy_ns);
		streams[i].receive_window_limited_ns = known(sender->tcp.rwnd_limited_ns);
		streams[i].send_buffer_limited_ns = known(sender->tcp.sndbuf_limited_ns);
		line->stream[line->n_stream++] = &streams[i];
	}
	return NL_E_OK;
}

static int pack_intervals(struct nl_outcome *outcome, const struct nl_netbench_side *receiver, Nl__LineResult *line,
			  struct nl_error *err)
{
	line->interval_ns = LINE_INTERVAL_NS;
	line->interval_bytes_per_s = nl_outcome_memory(outcome, receiver->interval_count * sizeof(double));
	if (!line->interval_bytes_per_s)
		return nl_error_sys(err, ENOMEM, "pack the line's intervals");
	for (size_t i = 0; i < receiver->interval_count; i++) {
		const struct nl_netbench_interval *interval = &receiver->intervals[i];
		int64_t span = interval->end_ns - interval->start_ns;
		/* A cut-off last interval says little about steadiness. */
		if (!interval->omitted && span >= LINE_INTERVAL_NS / 2)
			line->interval_bytes_per_s[line->n_interval_bytes_per_s++] =
				(double)interval->bytes * 1e9 / (double)span;
	}
	return NL_E_OK;
}

static void pack_host(struct nl_outcome *outcome, const char *subject, const struct nl_netbench_host *host)
{
	nl_outcome_fact(outcome, subject, "interface", host->link.interface);
	nl_outcome_factf(outcome, subject, "speed_bps", "%lld", (long long)host->link.speed_bps);
	nl_outcome_factf(outcome, subject, "mtu", "%lld", (long long)host->link.mtu_bytes);
	nl_outcome_factf(outcome, subject, "mss", "%lld", (long long)host->mss_bytes);
	nl_outcome_fact(outcome, subject, "timestamps", host->timestamps ? "on" : "off");
	nl_outcome_fact(outcome, subject, "congestion", host->congestion);
	nl_outcome_fact(outcome, subject, "ip", host->link.ipv6 ? "6" : "4");
	nl_outcome_fact(outcome, subject, "vlan", host->link.vlan ? "yes" : "no");
}

static int pack_line(struct nl_outcome *outcome, const struct nl_netbench_result *from, bool to_server,
		     struct nl_error *err)
{
	const struct nl_netbench_flow *flow = &from->flows[to_server ? NL_NETBENCH_TO_SERVER : NL_NETBENCH_FROM_SERVER];
	const struct nl_netbench_side *sender = &flow->sender, *receiver = &flow->receiver;
	Nl__LineResult *line = nl_outcome_memory(outcome, sizeof *line);
	if (!line)
		return nl_error_sys(err, ENOMEM, "pack the line's result");
	nl__line_result__init(line);
	line->to_server = to_server;
	line->received_bytes = receiver->window_bytes;
	line->sent_bytes = sender->bytes;
	line->window_start_mono_ns = from->start_mono_ns + known(receiver->first_ns);
	line->window_end_mono_ns = from->start_mono_ns + known(receiver->last_ns);
	line->sender_cpu_s = sender->cpu_user_s + sender->cpu_system_s;
	line->receiver_cpu_s = receiver->cpu_user_s + receiver->cpu_system_s;
	line->busiest_thread_share =
		sender->busiest_thread > receiver->busiest_thread ? sender->busiest_thread : receiver->busiest_thread;
	int rc = pack_streams(outcome, flow, to_server, line, err);
	if (rc == NL_E_OK)
		rc = pack_intervals(outcome, receiver, line, err);
	if (rc == NL_E_OK)
		nl_outcome_result(outcome)->line = line;
	pack_host(outcome, "local", &from->client);
	pack_host(outcome, "remote", &from->server);
	return rc;
}

int nl_task_line_client(struct nl_agent *agent, const Nl__Order *order, struct nl_outcome *outcome,
			struct nl_error *err)
{
	const Nl__LineClient *ask = order->line_client;
	struct nl_netbench_config config;
	struct nl_netbench_result result;
	nl_netbench_config_default(&config);
	config.direction = ask->to_server ? NL_NETBENCH_TO_SERVER : NL_NETBENCH_FROM_SERVER;
	config.streams = ask->streams;
	config.duration_ns = ask->duration_ns;
	config.omit_ns = ask->omit_ns;
	config.interval_ns = LINE_INTERVAL_NS;
	config.bind = ask->bind[0] ? ask->bind : NULL;
	config.port = (uint16_t)ask->port;
	config.key = ask->key.len ? ask->key.data : NULL;
	config.key_len = ask->key.len;
	config.start_mono_ns = nl_agent_to_mono(agent, order->start_ns);
	nl_agent_edge(agent);
	int rc = nl_netbench_client_run(&config, ask->host, &result, NULL, NULL, &agent->cancel, err);
	nl_agent_edge(agent);
	if (rc == NL_E_OK && result.partial)
		rc = nl_error_set(err, NL_E_CANCELLED, "the line test was stopped before its time");
	if (rc == NL_E_OK)
		rc = pack_line(outcome, &result, ask->to_server, err);
	nl_netbench_result_fini(&result);
	return rc;
}
