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
		      const struct nl_window *window, bool quiet)
{
	const struct nl_series *series = nl_series_find(work, agent, metric, subject);
	return quiet ? nl_counter_rise_quiet(series, window) : nl_counter_rise(series, window->from_ns, window->to_ns);
}

double nl_disks_rise(const struct nl_work *work, bool written, const struct nl_window *window, bool quiet)
{
	char names[DISKS_MAX][64];
	unsigned count = nl_pool_disks(work, names, DISKS_MAX);
	double sum = 0;
	for (unsigned i = 0; i < count; i++) {
		double rise = rise_of(work, nl_work_nas(work),
				      written ? NL_METRIC_DISK_WRITE_BYTES : NL_METRIC_DISK_READ_BYTES, names[i],
				      window, quiet);
		if (rise < 0)
			return NL_UNKNOWN;
		sum += rise;
	}
	return count ? sum : NL_UNKNOWN;
}

/* The mean over the disks: one full disk of many does not make the pool full. */
double nl_disks_busy(const struct nl_work *work, int64_t from_ns, int64_t to_ns)
{
	char names[DISKS_MAX][64];
	unsigned count = nl_pool_disks(work, names, DISKS_MAX);
	const struct nl_window window = {.from_ns = from_ns, .to_ns = to_ns};
	double sum = 0;
	for (unsigned i = 0; i < count; i++) {
		double rise = rise_of(work, nl_work_nas(work), NL_METRIC_DISK_BUSY_NS, names[i], &window, false);
		if (rise < 0)
			return NL_UNKNOWN;
		sum += rise / (double)(to_ns - from_ns);
	}
	return count ? sum / count : NL_UNKNOWN;
}

/*
 * An interface counts packets as it hands them over: large ones that are cut later count as one, in bytes and in
 * packets alike. So bytes less headers times packets is the payload in either case. Without packet counters every
 * packet is taken for a full frame.
 */
double nl_nic_rise(const struct nl_work *work, const char *agent, bool sent, const struct nl_window *window, bool quiet,
		   double *payload)
{
	struct nl_frame frame = nl_frame_of(work);
	const char *name = nl_nic_name(work, agent);
	*payload = NL_UNKNOWN;
	if (!name[0])
		return NL_UNKNOWN;
	double bytes = rise_of(work, agent, sent ? NL_METRIC_NIC_SENT_BYTES : NL_METRIC_NIC_RECEIVED_BYTES, name,
			       window, quiet);
	double packets = rise_of(work, agent, sent ? NL_METRIC_NIC_SENT_PACKETS : NL_METRIC_NIC_RECEIVED_PACKETS, name,
				 window, quiet);
	if (bytes < 0)
		return NL_UNKNOWN;
	*payload = packets >= 0 ? bytes - packets * nl_frame_header_bytes(&frame)
				: bytes * nl_goodput_share_shaper(&frame);
	if (*payload < 0)
		*payload = 0;
	return bytes;
}

struct nl_cpu_use nl_cpu_use(const struct nl_work *work, const char *agent, int64_t from_ns, int64_t to_ns)
{
	static const uint32_t busy_metrics[] = {NL_METRIC_CPU_USER_NS, NL_METRIC_CPU_SYSTEM_NS,
						NL_METRIC_CPU_SOFTIRQ_NS};
	struct nl_cpu_use use = {NL_UNKNOWN, NL_UNKNOWN, NL_UNKNOWN};
	double sum = 0, steal = 0, length = (double)(to_ns - from_ns);
	unsigned cores = 0;
	for (size_t i = 0; i < work->series_count && length > 0; i++) {
		const struct nl_series *series = &work->series[i];
		if (series->metric != NL_METRIC_CPU_USER_NS || strcmp(series->agent, agent) ||
		    !strcmp(series->subject, "cpu"))
			continue;
		double busy = 0;
		for (size_t m = 0; m < sizeof(busy_metrics) / sizeof(busy_metrics[0]); m++) {
			double rise = nl_counter_rise(nl_series_find(work, agent, busy_metrics[m], series->subject),
						      from_ns, to_ns);
			busy += rise > 0 ? rise / length : 0;
		}
		if (nl_counter_rise(series, from_ns, to_ns) < 0)
			continue;
		double taken = nl_counter_rise(nl_series_find(work, agent, NL_METRIC_CPU_STEAL_NS, series->subject),
					       from_ns, to_ns);
		steal += taken > 0 ? taken / length : 0;
		sum += busy < 1 ? busy : 1;
		use.core = busy > use.core ? (busy < 1 ? busy : 1) : use.core;
		cores++;
	}
	if (cores) {
		use.all = sum / cores;
		use.steal = steal / cores;
	}
	return use;
}
