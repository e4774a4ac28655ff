/*
 * rtnl_parse: messages of rtnetlink. Every attribute is copied out before use, for alignment and for its length.
 */
#include <linux/gen_stats.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "agent/telemetry/rtnl.h"

/* A run of attributes, and one of them. */
struct run {
	const unsigned char *data;
	size_t len;
};

struct attribute {
	unsigned type;
	const unsigned char *data;
	size_t len;
};

static bool next(struct run *run, struct attribute *attribute)
{
	struct nlattr head;
	if (run->len < sizeof head)
		return false;
	memcpy(&head, run->data, sizeof head);
	if (head.nla_len < sizeof head || head.nla_len > run->len)
		return false;
	attribute->type = head.nla_type & NLA_TYPE_MASK;
	attribute->data = run->data + NLA_HDRLEN;
	attribute->len = head.nla_len - NLA_HDRLEN;
	size_t step = NLA_ALIGN(head.nla_len);
	if (step > run->len)
		step = run->len;
	run->data += step;
	run->len -= step;
	return true;
}

static struct run inside(const struct attribute *attribute)
{
	return (struct run){attribute->data, attribute->len};
}

/* Copies a fixed-size value; kernels of other ages may give more or fewer bytes. False when it is shorter. */
static bool value(const struct attribute *attribute, void *out, size_t size)
{
	if (attribute->len < size)
		return false;
	memcpy(out, attribute->data, size);
	return true;
}

static void text(const struct attribute *attribute, char *out, size_t size)
{
	size_t len = strnlen((const char *)attribute->data, attribute->len);
	if (len >= size)
		len = size - 1;
	memcpy(out, attribute->data, len);
	out[len] = '\0';
}

/* Checks the header and the fixed part of a message and gives what follows. */
static bool open_message(const void *message, size_t len, unsigned type, void *fixed, size_t fixed_size,
			 struct run *run)
{
	struct nlmsghdr head;
	if (len < sizeof head)
		return false;
	memcpy(&head, message, sizeof head);
	if (head.nlmsg_type != type || head.nlmsg_len > len || head.nlmsg_len < NLMSG_LENGTH(fixed_size))
		return false;
	memcpy(fixed, (const unsigned char *)message + NLMSG_HDRLEN, fixed_size);
	size_t skip = NLMSG_HDRLEN + NLMSG_ALIGN(fixed_size);
	if (skip > head.nlmsg_len)
		skip = head.nlmsg_len;
	*run = (struct run){(const unsigned char *)message + skip, head.nlmsg_len - skip};
	return true;
}

/* --- links ----------------------------------------------------------------------------------------------------- */

static void bond_data(struct run run, struct nl_rtnl_link *link)
{
	struct attribute a;
	uint8_t byte;
	while (next(&run, &a)) {
		if (a.type == IFLA_BOND_MODE && value(&a, &byte, 1))
			link->bond_mode = byte;
		else if (a.type == IFLA_BOND_XMIT_HASH_POLICY && value(&a, &byte, 1))
			link->bond_hash = byte;
	}
}

static void link_info(struct run run, struct nl_rtnl_link *link)
{
	struct attribute a;
	while (next(&run, &a)) {
		if (a.type == IFLA_INFO_KIND)
			text(&a, link->kind, sizeof link->kind);
		else if (a.type == IFLA_INFO_DATA && strcmp(link->kind, "bond") == 0)
			bond_data(inside(&a), link);
	}
}

static void link_address(const struct attribute *a, struct nl_rtnl_link *link)
{
	if (a->len == 6)
		snprintf(link->address, sizeof link->address, "%02x:%02x:%02x:%02x:%02x:%02x", a->data[0], a->data[1],
			 a->data[2], a->data[3], a->data[4], a->data[5]);
}

bool nl_rtnl_parse_link(const void *message, size_t len, struct nl_rtnl_link *link)
{
	struct ifinfomsg fixed;
	struct run run;
	struct attribute a;
	uint32_t number;
	uint8_t byte;
	if (!open_message(message, len, RTM_NEWLINK, &fixed, sizeof fixed, &run))
		return false;
	*link = (struct nl_rtnl_link){.index = fixed.ifi_index,
				      .up = fixed.ifi_flags & IFF_UP,
				      .carrier = fixed.ifi_flags & IFF_RUNNING,
				      .loopback = fixed.ifi_flags & IFF_LOOPBACK};
	while (next(&run, &a)) {
		if (a.type == IFLA_IFNAME)
			text(&a, link->name, sizeof link->name);
		else if (a.type == IFLA_MTU && value(&a, &number, sizeof number))
			link->mtu = number;
		else if (a.type == IFLA_MASTER && value(&a, &number, sizeof number))
			link->master = (int)number;
		else if (a.type == IFLA_LINK && value(&a, &number, sizeof number))
			link->lower = (int)number;
		else if (a.type == IFLA_CARRIER && value(&a, &byte, 1))
			link->carrier = byte != 0;
		else if (a.type == IFLA_LINKINFO)
			link_info(inside(&a), link);
		else if (a.type == IFLA_ADDRESS)
			link_address(&a, link);
	}
	return link->name[0] != '\0';
}

/* --- queues ---------------------------------------------------------------------------------------------------- */

/* Where each queue keeps its rate: a structure whose rate field is bytes per second in 32 bits, and the 64-bit one. */
struct limit {
	const char *kind;
	unsigned parms, rate64;
	size_t rate_offset; /* of the 32-bit rate in the structure */
};

static const struct limit qdisc_limits[] = {
	{"tbf", TCA_TBF_PARMS, TCA_TBF_RATE64, offsetof(struct tc_tbf_qopt, rate.rate)},
	{"netem", TCA_NETEM_RATE, TCA_NETEM_RATE64, offsetof(struct tc_netem_rate, rate)},
	{"cake", 0, TCA_CAKE_BASE_RATE64, 0},
};

/* The ceiling is what a class can get at most. */
static const struct limit class_limits[] = {
	{"htb", TCA_HTB_PARMS, TCA_HTB_CEIL64, offsetof(struct tc_htb_opt, ceil.rate)},
};

static uint64_t rate_of(const struct limit *limit, struct run run)
{
	struct attribute a;
	uint64_t bytes_per_s = 0, wide = 0;
	uint32_t narrow;
	while (next(&run, &a)) {
		if (a.type == limit->rate64 && value(&a, &wide, sizeof wide))
			continue;
		if (limit->parms && a.type == limit->parms && a.len >= limit->rate_offset + sizeof narrow) {
			memcpy(&narrow, a.data + limit->rate_offset, sizeof narrow);
			bytes_per_s = narrow;
		}
	}
	if (wide)
		bytes_per_s = wide;
	/* All ones is "no limit" in both widths. */
	if (bytes_per_s == UINT32_MAX && !wide)
		return 0;
	return bytes_per_s > UINT64_MAX / 8 ? 0 : bytes_per_s * 8;
}

static void options(const struct attribute *a, const struct limit *limits, size_t count, struct nl_rtnl_qdisc *qdisc)
{
	struct run run = inside(a);
	/* netem's options begin with a structure of its own, and attributes follow. */
	if (strcmp(qdisc->kind, "netem") == 0) {
		size_t skip = NLA_ALIGN(sizeof(struct tc_netem_qopt));
		if (run.len < skip)
			return;
		run.data += skip;
		run.len -= skip;
	}
	for (size_t i = 0; i < count; i++)
		if (strcmp(limits[i].kind, qdisc->kind) == 0)
			qdisc->rate_bps = rate_of(&limits[i], run);
}

static void statistics(struct run run, struct nl_rtnl_qdisc *qdisc)
{
	struct attribute a;
	struct gnet_stats_queue queue;
	while (next(&run, &a))
		if (a.type == TCA_STATS_QUEUE && value(&a, &queue, sizeof queue))
			qdisc->drops = queue.drops;
}

static bool parse_tc(const void *message, size_t len, unsigned type, const struct limit *limits, size_t count,
		     struct nl_rtnl_qdisc *qdisc)
{
	struct tcmsg fixed;
	struct run run;
	struct attribute a;
	if (!open_message(message, len, type, &fixed, sizeof fixed, &run))
		return false;
	*qdisc = (struct nl_rtnl_qdisc){
		.link = fixed.tcm_ifindex, .handle = fixed.tcm_handle, .parent = fixed.tcm_parent};
	while (next(&run, &a)) {
		if (a.type == TCA_KIND)
			text(&a, qdisc->kind, sizeof qdisc->kind);
		else if (a.type == TCA_OPTIONS)
			options(&a, limits, count, qdisc);
		else if (a.type == TCA_STATS2)
			statistics(inside(&a), qdisc);
	}
	return qdisc->kind[0] != '\0';
}

bool nl_rtnl_parse_qdisc(const void *message, size_t len, struct nl_rtnl_qdisc *qdisc)
{
	return parse_tc(message, len, RTM_NEWQDISC, qdisc_limits, sizeof qdisc_limits / sizeof qdisc_limits[0], qdisc);
}

bool nl_rtnl_parse_class(const void *message, size_t len, struct nl_rtnl_qdisc *class)
{
	return parse_tc(message, len, RTM_NEWTCLASS, class_limits, sizeof class_limits / sizeof class_limits[0], class);
}

/* --- routes ---------------------------------------------------------------------------------------------------- */

bool nl_rtnl_parse_route(const void *message, size_t len, int *link)
{
	struct rtmsg fixed;
	struct run run;
	struct attribute a;
	bool found = false;
	if (!open_message(message, len, RTM_NEWROUTE, &fixed, sizeof fixed, &run))
		return false;
	while (next(&run, &a))
		if (a.type == RTA_OIF && value(&a, link, sizeof *link))
			found = true;
	return found;
}
