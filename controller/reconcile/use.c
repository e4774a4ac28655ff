/*
 * use: how far disks, interfaces and processors were used in a window.
 */
#include <stdio.h>
#include <string.h>

#include "controller/reconcile/work.h"

#define DISKS_MAX 64

unsigned nl_pool_disks(const struct nl_work *work, char names[][64], unsigned max)
{
	const char *list = nl_fact(work, nl_work_nas(work), "watch", "disks");
	unsigned count = 0;
	while (list && *list && count < max) {
		size_t len = strcspn(list, ", ");
		if (len && len < 64)
			snprintf(names[count++], 64, "%.*s", (int)len, list);
		list += len;
		list += strspn(list, ", ");
	}
	return count;
}

const char *nl_nic_name(const struct nl_work *work, const char *agent)
{
	const char *name = agent[0] ? nl_fact(work, agent, "watch", "nic") : NULL;
	return name ? name : "";
}

static double rise_of(const struct nl_work *work, const char *agent, uint32_t metric, const char *subject,
		      const struct nl_window *window, enum nl_edges edges)
{
	return nl_counter_rise_edges(nl_series_find(work, agent, metric, subject), window, edges);
}

double nl_disks_rise(const struct nl_work *work, bool written, const struct nl_window *window, enum nl_edges edges)
{
	char names[DISKS_MAX][64];
	unsigned count = nl_pool_disks(work, names, DISKS_MAX);
	double sum = 0;
	for (unsigned i = 0; i < count; i++) {
		double rise = rise_of(work, nl_work_nas(work),
				      written ? NL_METRIC_DISK_WRITE_BYTES : NL_METRIC_DISK_READ_BYTES, names[i],
				      window, edges);
		if (rise < 0)
			return NL_UNKNOWN;
		sum += rise;
	}
	return count ? sum : NL_UNKNOWN;
}

/* Share of a window's time that a counter of nanoseconds rose by. */
static double share_of_time(const struct nl_series *series, int64_t from_ns, int64_t to_ns)
{
	nl_window_between_samples(series, &from_ns, &to_ns);
	double rise = nl_counter_rise(series, from_ns, to_ns);
	return rise < 0 ? NL_UNKNOWN : rise / (double)(to_ns - from_ns);
}

/* The mean over the disks: one full disk of many does not make the pool full. */
double nl_disks_busy(const struct nl_work *work, int64_t from_ns, int64_t to_ns)
{
	char names[DISKS_MAX][64];
	unsigned count = nl_pool_disks(work, names, DISKS_MAX);
	double sum = 0;
	for (unsigned i = 0; i < count; i++) {
		double share = share_of_time(nl_series_find(work, nl_work_nas(work), NL_METRIC_DISK_BUSY_NS, names[i]),
					     from_ns, to_ns);
		if (share < 0)
			return NL_UNKNOWN;
		sum += share < 1 ? share : 1;
	}
	return count ? sum / count : NL_UNKNOWN;
}

/*
 * An interface counts packets as it hands them over: large ones that are cut later count as one, in bytes and in
 * packets alike. So bytes less headers times packets is the payload in either case. Without packet counters every
 * packet is taken for a full frame.
 */
double nl_nic_rise(const struct nl_work *work, const char *agent, bool sent, const struct nl_window *window,
		   enum nl_edges edges, double *payload)
{
	struct nl_frame frame = nl_frame_of(work);
	const char *name = nl_nic_name(work, agent);
	*payload = NL_UNKNOWN;
	if (!name[0])
		return NL_UNKNOWN;
	double bytes = rise_of(work, agent, sent ? NL_METRIC_NIC_SENT_BYTES : NL_METRIC_NIC_RECEIVED_BYTES, name,
			       window, edges);
	double packets = rise_of(work, agent, sent ? NL_METRIC_NIC_SENT_PACKETS : NL_METRIC_NIC_RECEIVED_PACKETS, name,
				 window, edges);
	if (bytes < 0)
		return NL_UNKNOWN;
	*payload = packets >= 0 ? bytes - packets * nl_frame_header_bytes(&frame)
				: bytes * nl_goodput_share_shaper(&frame);
	if (*payload < 0)
		*payload = 0;
	return bytes;
}

static double core_share(const struct nl_work *work, const char *agent, uint32_t metric, const char *core,
			 int64_t from_ns, int64_t to_ns)
{
	double share = share_of_time(nl_series_find(work, agent, metric, core), from_ns, to_ns);
	return share > 0 ? share : 0;
}

struct nl_cpu_use nl_cpu_use(const struct nl_work *work, const char *agent, int64_t from_ns, int64_t to_ns)
{
	struct nl_cpu_use use = {NL_UNKNOWN, NL_UNKNOWN, NL_UNKNOWN};
	double sum = 0, steal = 0;
	unsigned cores = 0;
	for (size_t i = 0; i < work->series_count && to_ns > from_ns; i++) {
		const struct nl_series *series = &work->series[i];
		if (series->metric != NL_METRIC_CPU_USER_NS || strcmp(series->agent, agent) ||
		    share_of_time(series, from_ns, to_ns) < 0)
			continue;
		double busy = core_share(work, agent, NL_METRIC_CPU_USER_NS, series->subject, from_ns, to_ns) +
			      core_share(work, agent, NL_METRIC_CPU_SYSTEM_NS, series->subject, from_ns, to_ns) +
			      core_share(work, agent, NL_METRIC_CPU_SOFTIRQ_NS, series->subject, from_ns, to_ns);
		busy = busy < 1 ? busy : 1;
		steal += core_share(work, agent, NL_METRIC_CPU_STEAL_NS, series->subject, from_ns, to_ns);
		sum += busy;
		use.core = busy > use.core ? busy : use.core;
		cores++;
	}
	if (cores) {
		use.all = sum / cores;
		use.steal = steal / cores;
	}
	return use;
}
