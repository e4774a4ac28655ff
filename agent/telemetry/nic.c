/*
 * nic: what an interface is, how fast it says it is, and what limits it.
 *
 * Everything comes by ioctl and netlink from the thread's network namespace. /sys/class/net is that of whoever mounted
 * /sys, which after `nsenter -n` is another namespace with other interfaces of the same names.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/ethtool.h>
#include <linux/pkt_sched.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/telemetry/rtnl.h"
#include "agent/telemetry/telemetry.h"

#define LINKS_MAX  1024
#define QUEUES_MAX 256
#define DEPTH_MAX  4
#define MASK_WORDS 127 /* the kernel's field is a signed byte */

/* One description on its way: the sink, all links of the namespace, a socket for ioctls. */
struct description {
	nl_storage_fact_sink *sink;
	void *context;
	struct nl_rtnl_link *links;
	unsigned link_count;
	int socket;
	char subject[48];
};

static void fact(const struct description *d, const char *key, const char *value)
{
	d->sink(d->context, d->subject, key, value);
}

static void fact_u64(const struct description *d, const char *key, uint64_t value)
{
	char text[24];
	snprintf(text, sizeof text, "%" PRIu64, value);
	fact(d, key, text);
}

/* --- ethtool --------------------------------------------------------------------------------------------------- */

static bool ethtool(const struct description *d, const char *name, void *command)
{
	struct ifreq request = {0};
	snprintf(request.ifr_name, sizeof request.ifr_name, "%.15s", name);
	request.ifr_data = command;
	return ioctl(d->socket, SIOCETHTOOL, &request) == 0;
}

/* The kernel first tells how many words of masks it wants to give (as a negative number), then gives all. */
static bool link_settings(const struct description *d, const char *name, struct ethtool_link_settings *settings)
{
	union {
		struct ethtool_link_settings s;
		unsigned char room[sizeof(struct ethtool_link_settings) + 3 * MASK_WORDS * sizeof(uint32_t)];
	} command = {.s.cmd = ETHTOOL_GLINKSETTINGS};
	if (!ethtool(d, name, &command) || command.s.link_mode_masks_nwords >= 0)
		return false;
	int words = -command.s.link_mode_masks_nwords;
	memset(&command, 0, sizeof command);
	command.s.cmd = ETHTOOL_GLINKSETTINGS;
	command.s.link_mode_masks_nwords = (int8_t)words;
	if (words > MASK_WORDS || !ethtool(d, name, &command) || command.s.link_mode_masks_nwords <= 0)
		return false;
	memcpy(settings, &command.s, sizeof *settings);
	return true;
}

static void speed_facts(const struct description *d, const char *name)
{
	struct ethtool_link_settings settings;
	bool known = link_settings(d, name, &settings);
	if (known && settings.speed != 0 && settings.speed != (uint32_t)SPEED_UNKNOWN)
		fact_u64(d, "speed_bps", settings.speed * UINT64_C(1000000));
	else
		fact(d, "speed_bps", "unknown");
	if (known && settings.duplex == DUPLEX_FULL)
		fact(d, "duplex", "full");
	else
		fact(d, "duplex", known && settings.duplex == DUPLEX_HALF ? "half" : "unknown");
}

static void offload_facts(const struct description *d, const char *name)
{
	static const struct {
		uint32_t command;
		const char *key;
	} offloads[] = {{ETHTOOL_GTSO, "tso"}, {ETHTOOL_GGSO, "gso"}, {ETHTOOL_GGRO, "gro"}};
	for (size_t i = 0; i < sizeof offloads / sizeof offloads[0]; i++) {
		struct ethtool_value value = {.cmd = offloads[i].command};
		if (ethtool(d, name, &value))
			fact(d, offloads[i].key, value.data ? "on" : "off");
	}
}

static void driver_name(const struct description *d, const struct nl_rtnl_link *link, char driver[32])
{
	struct ethtool_drvinfo info = {.cmd = ETHTOOL_GDRVINFO};
	bool known = ethtool(d, link->name, &info) && info.driver[0];
	snprintf(driver, 32, "%.31s", known ? info.driver : link->kind);
}

/* --- what it is ------------------------------------------------------------------------------------------------ */

static const struct nl_rtnl_link *link_by_name(const struct description *d, const char *name)
{
	for (unsigned i = 0; i < d->link_count; i++)
		if (strcmp(d->links[i].name, name) == 0)
			return &d->links[i];
	return NULL;
}

static bool one_of(const char *word, const char *const *words)
{
	for (; *words; words++)
		if (strcmp(word, *words) == 0)
			return true;
	return false;
}

static bool stands_on_a_lower(const struct nl_rtnl_link *link)
{
	static const char *const kinds[] = {"vlan", "macvlan", "macvtap", "ipvlan", "macsec", NULL};
	return one_of(link->kind, kinds);
}

static bool has_members(const struct nl_rtnl_link *link)
{
	static const char *const kinds[] = {"bridge", "bond", "team", NULL};
	return one_of(link->kind, kinds);
}

static bool is_member(const struct nl_rtnl_link *link, const struct nl_rtnl_link *of)
{
	return has_members(of) ? link->master == of->index : stands_on_a_lower(of) && link->index == of->lower;
}

/* Whether no wire is behind it: made of software, or the NIC of a virtual machine, whose speed is a name only. */
static bool is_virtual(const struct description *d, const struct nl_rtnl_link *link, unsigned depth)
{
	static const char *const drivers[] = {"virtio_net",   "vmxnet3",    "vif",
					      "xen_netfront", "hv_netvsc",  "uml_vector",
					      "uml-vector",   "uml-netdev", NULL};
	char driver[32];
	if (link->loopback)
		return true;
	if (!link->kind[0]) {
		driver_name(d, link, driver);
		return one_of(driver, drivers);
	}
	for (unsigned i = 0; depth < DEPTH_MAX && i < d->link_count; i++)
		if (is_member(&d->links[i], link) && !is_virtual(d, &d->links[i], depth + 1))
			return false;
	return true;
}

static void bond_facts(const struct description *d, const struct nl_rtnl_link *link)
{
	static const char *const modes[] = {"balance-rr", "active-backup", "balance-xor", "broadcast",
					    "802.3ad",    "balance-tlb",   "balance-alb"};
	static const char *const hashes[] = {"layer2", "layer3+4", "layer2+3", "encap2+3", "encap3+4", "vlan+srcmac"};
	if (strcmp(link->kind, "bond") != 0)
		return;
	if (link->bond_mode < sizeof modes / sizeof modes[0])
		fact(d, "bond_mode", modes[link->bond_mode]);
	if (link->bond_hash < sizeof hashes / sizeof hashes[0])
		fact(d, "bond_hash", hashes[link->bond_hash]);
}

static void kind_facts(const struct description *d, const struct nl_rtnl_link *link)
{
	char driver[32];
	driver_name(d, link, driver);
	fact(d, "kind", link->kind[0] ? link->kind : link->loopback ? "loopback" : "ethernet");
	fact(d, "driver", driver[0] ? driver : "unknown");
	fact(d, "virtual", is_virtual(d, link, 0) ? "yes" : "no");
	fact(d, "carrier", link->carrier ? "up" : "down");
	fact_u64(d, "mtu", link->mtu);
	if (link->address[0])
		fact(d, "address", link->address);
	bond_facts(d, link);
}

/* --- what limits it -------------------------------------------------------------------------------------------- */

static const struct nl_rtnl_qdisc *qdisc_below(const struct nl_rtnl_qdisc *qdiscs, unsigned count, uint32_t parent)
{
	for (unsigned i = 0; i < count; i++) {
		uint32_t p = qdiscs[i].parent;
		if (parent == TC_H_ROOT ? p == TC_H_ROOT : p != TC_H_ROOT && TC_H_MAJ(p) == TC_H_MAJ(parent))
			return &qdiscs[i];
	}
	return NULL;
}

/* The widest of the outermost classes: what traffic of this interface can get at most. */
static uint64_t htb_rate(const struct nl_rtnl_link *link)
{
	struct nl_rtnl_qdisc *classes = calloc(QUEUES_MAX, sizeof *classes);
	unsigned count = 0;
	uint64_t widest = 0;
	if (classes && nl_rtnl_classes(link->index, classes, QUEUES_MAX, &count, NULL) == 0)
		for (unsigned i = 0; i < count; i++) {
			bool outermost = classes[i].parent == TC_H_ROOT || TC_H_MIN(classes[i].parent) == 0;
			if (outermost && classes[i].rate_bps > widest)
				widest = classes[i].rate_bps;
		}
	free(classes);
	return widest;
}

/* Follows the queues that everything passes, root first: the lowest rate on the way is the limit. */
static void shaper_facts(const struct description *d, const struct nl_rtnl_link *link,
			 const struct nl_rtnl_qdisc *qdiscs, unsigned count)
{
	const struct nl_rtnl_qdisc *q = qdisc_below(qdiscs, count, TC_H_ROOT), *narrowest = NULL;
	uint64_t limit = 0;
	for (unsigned depth = 0; q && depth < DEPTH_MAX; depth++) {
		uint64_t rate = strcmp(q->kind, "htb") == 0 ? htb_rate(link) : q->rate_bps;
		if (rate && (!limit || rate < limit)) {
			limit = rate;
			narrowest = q;
		}
		if (strcmp(q->kind, "tbf") != 0 && strcmp(q->kind, "netem") != 0)
			break; /* below others, a queue has only a part of the traffic */
		q = q->handle ? qdisc_below(qdiscs, count, q->handle) : NULL;
	}
	if (!narrowest)
		return;
	fact(d, "shaper", narrowest->kind);
	fact_u64(d, "shaper_rate_bps", limit);
}

static void queue_facts(const struct description *d, const struct nl_rtnl_link *link)
{
	struct nl_rtnl_qdisc *qdiscs = calloc(QUEUES_MAX, sizeof *qdiscs);
	unsigned count = 0;
	if (qdiscs && nl_rtnl_qdiscs(link->index, qdiscs, QUEUES_MAX, &count, NULL) == 0) {
		const struct nl_rtnl_qdisc *root = qdisc_below(qdiscs, count, TC_H_ROOT);
		if (root) {
			fact(d, "qdisc", root->kind);
			fact_u64(d, "qdisc_drops", root->drops);
		}
		shaper_facts(d, link, qdiscs, count);
	}
	free(qdiscs);
}

/* --- description ----------------------------------------------------------------------------------------------- */

static void members_fact(const struct description *d, const struct nl_rtnl_link *link)
{
	char list[400] = "";
	size_t used = 0;
	for (unsigned i = 0; i < d->link_count; i++)
		if (is_member(&d->links[i], link) && used < sizeof list)
			used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? "," : "",
						 d->links[i].name);
	if (list[0])
		fact(d, "members", list);
}

static void describe_link(struct description *d, const struct nl_rtnl_link *link, unsigned depth)
{
	snprintf(d->subject, sizeof d->subject, "nic:%s", link->name);
	kind_facts(d, link);
	speed_facts(d, link->name);
	offload_facts(d, link->name);
	queue_facts(d, link);
	members_fact(d, link);
	/* The taps of virtual machines on a bridge are many and limit nothing. */
	for (unsigned i = 0; depth < DEPTH_MAX && i < d->link_count; i++)
		if (is_member(&d->links[i], link) && !is_virtual(d, &d->links[i], 0))
			describe_link(d, &d->links[i], depth + 1);
}

int nl_nic_describe(const char *name, nl_storage_fact_sink *sink, void *context, struct nl_error *err)
{
	struct description d = {.sink = sink, .context = context, .socket = -1};
	int code = 0;
	d.links = calloc(LINKS_MAX, sizeof *d.links);
	d.socket = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (d.socket < 0)
		d.socket = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (!d.links || d.socket < 0)
		code = nl_error_sys(err, d.links ? errno : ENOMEM, "describe a network interface");
	if (!code)
		code = nl_rtnl_links(d.links, LINKS_MAX, &d.link_count, err);
	const struct nl_rtnl_link *link = code ? NULL : link_by_name(&d, name);
	if (link) {
		describe_link(&d, link, 0);
	} else if (!code) {
		code = nl_error_set(err, NL_E_NOT_FOUND, "no such network interface");
		nl_error_where(err, "%s", name);
	}
	if (d.socket >= 0)
		close(d.socket);
	free(d.links);
	return code;
}

/* --- which one ------------------------------------------------------------------------------------------------- */

static int route_of(const struct sockaddr *address, int *link, struct nl_error *err)
{
	if (address->sa_family == AF_INET)
		return nl_rtnl_route(AF_INET, &((const struct sockaddr_in *)(const void *)address)->sin_addr, link,
				     err);
	const struct sockaddr_in6 *six = (const void *)address;
	if (six->sin6_scope_id) {
		*link = (int)six->sin6_scope_id;
		return 0;
	}
	return nl_rtnl_route(AF_INET6, &six->sin6_addr, link, err);
}

int nl_nic_for_peer(const char *peer, char name[32], struct nl_error *err)
{
	struct addrinfo hints = {.ai_socktype = SOCK_DGRAM}, *found = NULL;
	int link = 0, code = NL_E_NOT_FOUND;
	char found_name[IF_NAMESIZE] = "";
	int failed = getaddrinfo(peer, NULL, &hints, &found);
	if (failed) {
		code = nl_error_set(err, NL_E_NOT_FOUND, "the address of the peer is not known");
		nl_error_where(err, "%s", peer);
		nl_error_why(err, "%s", gai_strerror(failed));
		return code;
	}
	/* A name may have addresses of a family that has no route here. */
	for (struct addrinfo *a = found; a && code; a = a->ai_next)
		if (a->ai_family == AF_INET || a->ai_family == AF_INET6)
			code = route_of(a->ai_addr, &link, err);
	freeaddrinfo(found);
	if (!code && !if_indextoname((unsigned)link, found_name))
		code = nl_error_sys(err, errno, "find the interface of a route");
	if (code)
		nl_error_where(err, "%s", peer);
	snprintf(name, 32, "%s", found_name);
	return code;
}
