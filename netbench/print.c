/*
 * print: a client's run as text: a line per interval, then what it comes to and what it is compared with.
 */
#include <inttypes.h>

#include "base/units.h"
#include "netbench/main.h"

#define GBIT 1e9

static void print_rate(FILE *out, double bytes_per_second)
{
	char rate[32];

	fprintf(out, "%12s %8.3f Gbit/s", nl_units_mbps(bytes_per_second, rate, sizeof(rate)),
		bytes_per_second * 8 / GBIT);
}

static void print_tcp(FILE *out, int64_t retransmits, int64_t rtt_ns)
{
	char rtt[32];

	if (retransmits >= 0)
		fprintf(out, "   retransmits %4" PRId64, retransmits);
	if (rtt_ns >= 0)
		fprintf(out, "   rtt %s", nl_units_ns(rtt_ns, rtt, sizeof(rtt)));
}

void nl_netbench_print_start(struct nl_netbench_print *print, const struct nl_netbench_config *config, const char *host)
{
	char duration[32], omit[32], block[32];

	fprintf(print->out, "netbench: %s, port %u, %s, %u stream%s%s, %s", host, config->port,
		nl_netbench_direction_text(config->direction), config->streams, config->streams == 1 ? "" : "s",
		print->both_ways ? " each way" : "", nl_units_ns(config->duration_ns, duration, sizeof(duration)));
	if (config->omit_ns)
		fprintf(print->out, " after %s not counted", nl_units_ns(config->omit_ns, omit, sizeof(omit)));
	fprintf(print->out, ", blocks of %s\n", nl_units_bytes_binary(config->block_bytes, block, sizeof(block)));
}

static void print_pair(struct nl_netbench_print *print, const struct nl_netbench_interval *received,
		       const struct nl_netbench_interval *sent)
{
	double seconds = (double)(received->end_ns - received->start_ns) / NL_NS_PER_S;

	if (print->both_ways)
		fprintf(print->out, "%-12s ", nl_netbench_direction_text(received->direction));
	fprintf(print->out, "%7.2f-%-7.2f s", (double)received->start_ns / NL_NS_PER_S,
		(double)received->end_ns / NL_NS_PER_S);
	print_rate(print->out, seconds > 0 ? (double)received->bytes / seconds : 0);
	print_tcp(print->out, sent->retransmits, sent->rtt_ns);
	fprintf(print->out, "%s\n", received->omitted ? "   (not counted)" : "");
}

void nl_netbench_print_interval(void *context, const struct nl_netbench_interval *interval)
{
	struct nl_netbench_print *print = context;
	unsigned flow = interval->direction, place = interval->index % NL_NETBENCH_PRINT_LATE;
	struct nl_netbench_interval *other = &print->sides[flow][!interval->receiver][place];

	if (print->known[flow][!interval->receiver][place] && other->index == interval->index) {
		print_pair(print, interval->receiver ? interval : other, interval->receiver ? other : interval);
		return;
	}
	print->sides[flow][interval->receiver][place] = *interval;
	print->known[flow][interval->receiver][place] = true;
}

static void print_side(FILE *out, const char *name, const struct nl_netbench_side *side)
{
	char bytes[32], seconds[32];

	fprintf(out, "  %-12s", name);
	if (side->stream_count == 0) {
		fprintf(out, " unknown: its figures did not arrive\n");
		return;
	}
	print_rate(out, side->bytes_per_second);
	fprintf(out, "   %s in %s", nl_units_bytes(side->window_bytes, bytes, sizeof(bytes)),
		nl_units_ns(side->last_ns > side->first_ns ? side->last_ns - side->first_ns : 0, seconds,
			    sizeof(seconds)));
	fprintf(out, "   CPU %.2f s (busiest thread %.0f %%)\n", side->cpu_user_s + side->cpu_system_s,
		side->busiest_thread * 100);
}

static void print_flow(FILE *out, enum nl_netbench_direction direction, const struct nl_netbench_flow *flow)
{
	char min_rtt[32];

	fprintf(out, "%s:\n", nl_netbench_direction_text(direction));
	print_side(out, "received", &flow->receiver);
	print_side(out, "sent", &flow->sender);
	fprintf(out, "  %-12s", "TCP");
	print_tcp(out, flow->retransmits, flow->rtt_ns);
	if (flow->min_rtt_ns >= 0)
		fprintf(out, "   smallest %s", nl_units_ns(flow->min_rtt_ns, min_rtt, sizeof(min_rtt)));
	fprintf(out, "\n  %-12s %s", "verdict", nl_netbench_verdict_text(flow->verdict));
	if (flow->variation >= 0)
		fprintf(out, "   intervals vary by %.1f %%", flow->variation * 100);
	fprintf(out, "%s\n", flow->cpu_bound ? "   cpu-bound: a thread used over 95 % of a CPU" : "");
}

static void print_host(FILE *out, const char *role, const struct nl_netbench_host *host)
{
	char speed[32];

	if (!host->address[0])
		return;
	fprintf(out, "%-8s %s (%s)   interface %s   link %s   MTU ", role, host->name, host->address,
		host->link.interface[0] ? host->link.interface : "unknown",
		host->link.speed_bps > 0 ? nl_units_bps((double)host->link.speed_bps, speed, sizeof(speed))
					 : "of unknown speed");
	if (host->link.mtu_bytes > 0)
		fprintf(out, "%" PRId64, host->link.mtu_bytes);
	else
		fputs("unknown", out);
	if (host->mss_bytes > 0)
		fprintf(out, "   MSS %" PRId64, host->mss_bytes);
	fprintf(out, "   %s   CPU %.2f s\n", host->congestion, host->cpu_user_s + host->cpu_system_s);
}

static void print_ceiling(FILE *out, const struct nl_netbench_result *result)
{
	double goodput = result->goodput_bytes_per_second;

	if (goodput < 0) {
		fputs("ceiling  no theoretical goodput: neither end knows its link's speed\n", out);
		return;
	}
	fputs("ceiling ", out);
	print_rate(out, goodput);
	fputs("   theoretical goodput of the slower link", out);
	for (int i = 0; i < NL_NETBENCH_FLOWS; i++)
		if (result->flows[i].used)
			fprintf(out, "; %s reached %.1f %%", nl_netbench_direction_text((enum nl_netbench_direction)i),
				result->flows[i].receiver.bytes_per_second / goodput * 100);
	fputc('\n', out);
}

void nl_netbench_print_result(struct nl_netbench_print *print, const struct nl_netbench_result *result)
{
	FILE *out = print->out;

	fputc('\n', out);
	if (result->partial)
		fputs("Partial result: the test ended before its time.\n", out);
	for (int i = 0; i < NL_NETBENCH_FLOWS; i++)
		if (result->flows[i].used)
			print_flow(out, (enum nl_netbench_direction)i, &result->flows[i]);
	print_host(out, "client", &result->client);
	print_host(out, "server", &result->server);
	print_ceiling(out, result);
}
