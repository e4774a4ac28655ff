/*
 * figures: what a run's numbers mean: theoretical goodput, steadiness, verdict.
 */
#include <math.h>

#include "netbench/figures.h"

#define ETHERNET_OVERHEAD (14 + 4 + 8 + 12) /* header, FCS, preamble and SFD, gap */
#define VLAN_TAG          4
#define CPU_BOUND_SHARE   0.95

static const char *const direction_texts[] = {
	[NL_NETBENCH_TO_SERVER] = "to-server",
	[NL_NETBENCH_FROM_SERVER] = "from-server",
	[NL_NETBENCH_BOTH] = "both",
};

struct evidence {
	double measured_s;
	double variation; /* -1: unknown */
	size_t intervals;
};

/* A test of one second measures a little less than that: from the first call's return to the last one's. */
static bool is_too_short(const struct evidence *evidence)
{
	return evidence->measured_s < 0.95;
}

static bool is_unsteady(const struct evidence *evidence)
{
	return evidence->intervals >= 5 && evidence->variation > 0.10;
}

static bool is_valid(const struct evidence *evidence)
{
	(void)evidence;
	return true;
}

/* The rule of the verdict: the first row that holds. */
static const struct {
	enum nl_netbench_verdict verdict;
	bool (*holds)(const struct evidence *evidence);
} verdict_rules[] = {
	{NL_NETBENCH_TOO_SHORT, is_too_short},
	{NL_NETBENCH_UNSTEADY, is_unsteady},
	{NL_NETBENCH_VALID, is_valid},
};

static const char *const verdict_texts[] = {
	[NL_NETBENCH_VALID] = "valid",
	[NL_NETBENCH_TOO_SHORT] = "too-short",
	[NL_NETBENCH_UNSTEADY] = "unsteady",
};

/* How bad a verdict is, so that the worst of the flows stands for the run. */
static const int verdict_rank[] = {
	[NL_NETBENCH_VALID] = 0,
	[NL_NETBENCH_UNSTEADY] = 1,
	[NL_NETBENCH_TOO_SHORT] = 2,
};

const char *nl_netbench_direction_text(enum nl_netbench_direction direction)
{
	return (unsigned)direction <= NL_NETBENCH_BOTH ? direction_texts[direction] : "unknown";
}

const char *nl_netbench_verdict_text(enum nl_netbench_verdict verdict)
{
	return (unsigned)verdict <= NL_NETBENCH_UNSTEADY ? verdict_texts[verdict] : "unknown";
}

double nl_netbench_goodput_bytes_per_s(int64_t speed_bps, int64_t mtu_bytes, bool ipv6, bool timestamps, bool vlan)
{
	int64_t headers = (ipv6 ? 40 : 20) + (timestamps ? 32 : 20);
	int64_t wire = mtu_bytes + ETHERNET_OVERHEAD + (vlan ? VLAN_TAG : 0);

	if (speed_bps <= 0 || mtu_bytes <= headers)
		return -1;
	return (double)speed_bps / 8 * (double)(mtu_bytes - headers) / (double)wire;
}

double nl_nb_variation(const struct nl_netbench_interval *intervals, size_t count, size_t *used)
{
	double sum = 0, squares = 0, mean;
	int64_t nominal_ns = 0;
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		if (!intervals[i].omitted && intervals[i].end_ns - intervals[i].start_ns > nominal_ns)
			nominal_ns = intervals[i].end_ns - intervals[i].start_ns;
	for (size_t i = 0; i < count; i++) {
		int64_t length_ns = intervals[i].end_ns - intervals[i].start_ns;
		double rate;

		/* The last interval may be a stub, whose rate says little. */
		if (intervals[i].omitted || length_ns <= 0 || length_ns < nominal_ns / 2)
			continue;
		rate = (double)intervals[i].bytes / (double)length_ns;
		sum += rate;
		squares += rate * rate;
		n++;
	}
	*used = n;
	if (n < 2 || sum <= 0)
		return -1;
	mean = sum / (double)n;
	return sqrt(fmax(0, (squares - sum * mean) / (double)(n - 1))) / mean;
}

/* Totals of a flow's sending streams, as TCP tells them. */
static void flow_tcp(struct nl_netbench_flow *flow)
{
	int64_t retransmits = 0, rtt = 0, known = 0;

	flow->retransmits = flow->rtt_ns = flow->min_rtt_ns = -1;
	for (unsigned i = 0; i < flow->sender.stream_count; i++) {
		const struct nl_netbench_tcp *tcp = &flow->sender.streams[i].tcp;

		if (tcp->retransmits < 0 || tcp->rtt_ns < 0)
			continue;
		retransmits += tcp->retransmits;
		rtt += tcp->rtt_ns;
		known++;
		if (tcp->min_rtt_ns >= 0 && (flow->min_rtt_ns < 0 || tcp->min_rtt_ns < flow->min_rtt_ns))
			flow->min_rtt_ns = tcp->min_rtt_ns;
	}
	if (known == 0)
		return;
	flow->retransmits = retransmits;
	flow->rtt_ns = rtt / known;
}

void nl_nb_side_conclude(struct nl_netbench_side *side)
{
	side->bytes = side->window_bytes = 0;
	side->first_ns = side->last_ns = -1;
	side->busiest_thread = 0;
	for (unsigned i = 0; i < side->stream_count; i++) {
		const struct nl_netbench_stream *stream = &side->streams[i];
		double cpu = (double)(stream->cpu_user_ns + stream->cpu_system_ns);

		side->bytes += stream->bytes;
		side->window_bytes += stream->window_bytes;
		if (stream->first_ns >= 0 && (side->first_ns < 0 || stream->first_ns < side->first_ns))
			side->first_ns = stream->first_ns;
		if (stream->last_ns > side->last_ns)
			side->last_ns = stream->last_ns;
		if (stream->wall_ns > 0 && cpu / (double)stream->wall_ns > side->busiest_thread)
			side->busiest_thread = cpu / (double)stream->wall_ns;
	}
	side->bytes_per_second = 0;
	if (side->first_ns >= 0 && side->last_ns > side->first_ns)
		side->bytes_per_second =
			(double)side->window_bytes / ((double)(side->last_ns - side->first_ns) / NL_NS_PER_S);
}

void nl_nb_flow_conclude(struct nl_netbench_flow *flow)
{
	const struct nl_netbench_side *receiver = &flow->receiver;
	struct evidence evidence = {0};

	flow_tcp(flow);
	flow->variation = nl_nb_variation(receiver->intervals, receiver->interval_count, &evidence.intervals);
	evidence.variation = flow->variation;
	if (receiver->first_ns >= 0 && receiver->last_ns > receiver->first_ns)
		evidence.measured_s = (double)(receiver->last_ns - receiver->first_ns) / NL_NS_PER_S;
	for (size_t i = 0; i < sizeof(verdict_rules) / sizeof(verdict_rules[0]); i++) {
		if (!verdict_rules[i].holds(&evidence))
			continue;
		flow->verdict = verdict_rules[i].verdict;
		break;
	}
	flow->cpu_bound = flow->sender.busiest_thread > CPU_BOUND_SHARE || receiver->busiest_thread > CPU_BOUND_SHARE;
}

/* The slower of the two links is the ceiling; an end that does not know its speed has no say. */
static double result_goodput(const struct nl_netbench_result *result)
{
	const struct nl_netbench_host *hosts[] = {&result->client, &result->server};
	double goodput = -1;

	for (size_t i = 0; i < 2; i++) {
		const struct nl_netbench_link *link = &hosts[i]->link;
		double rate = nl_netbench_goodput_bytes_per_s(link->speed_bps, link->mtu_bytes, link->ipv6,
							      hosts[i]->timestamps, link->vlan);

		if (rate >= 0 && (goodput < 0 || rate < goodput))
			goodput = rate;
	}
	return goodput;
}

void nl_nb_result_conclude(struct nl_netbench_result *result)
{
	result->verdict = NL_NETBENCH_VALID;
	result->cpu_bound = false;
	for (int i = 0; i < NL_NETBENCH_FLOWS; i++) {
		struct nl_netbench_flow *flow = &result->flows[i];

		if (!flow->used)
			continue;
		nl_nb_flow_conclude(flow);
		result->cpu_bound = result->cpu_bound || flow->cpu_bound;
		if (verdict_rank[flow->verdict] > verdict_rank[result->verdict])
			result->verdict = flow->verdict;
	}
	result->goodput_bytes_per_second = result_goodput(result);
}
