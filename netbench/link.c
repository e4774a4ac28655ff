/*
 * link: link facts from netlink (route), ioctl (MTU, driver, speed: always of our own network namespace, which /sys
 * need not be) and sysfs (members of a bridge, lower devices).
 */
#include <dirent.h>
#include <net/if.h>
#include <netinet/in.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/ethtool.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>

#include "base/parse.h"
#include "netbench/link.h"

#define SYSFS_NET       "/sys/class/net"
#define MASKS_MAX_BYTES (3 * SCHAR_MAX * sizeof(__u32)) /* what the kernel may append to its link settings */
#define FOLLOW_LEVELS   4                               /* bridge -> VLAN -> bond -> port */

/* How to find an interface's speed, by its driver. */
enum speed_source {
	SPEED_NONE,    /* the number the driver gives means nothing */
	SPEED_MEMBERS, /* the fastest of its members or lower devices that has one */
	SPEED_DRIVER,  /* what the driver says */
};

static const struct {
	const char *driver;
	enum speed_source source;
} speed_sources[] = {
	{"", SPEED_NONE},           {"veth", SPEED_NONE},
	{"tun", SPEED_NONE},        {"dummy", SPEED_NONE},
	{"bridge", SPEED_MEMBERS},  {"openvswitch", SPEED_NONE},
	{"macvlan", SPEED_MEMBERS}, {"802.1Q VLAN Support", SPEED_MEMBERS},
};

/* ---- Route ---- */

struct route_request {
	struct nlmsghdr header;
	struct rtmsg route;
	char attributes[64];
};

static void add_attribute(struct route_request *request, unsigned short type, const void *data, size_t len)
{
	struct rtattr *attribute = (struct rtattr *)((char *)request + NLMSG_ALIGN(request->header.nlmsg_len));

	attribute->rta_type = type;
	attribute->rta_len = (unsigned short)RTA_LENGTH(len);
	memcpy(RTA_DATA(attribute), data, len);
	request->header.nlmsg_len = NLMSG_ALIGN(request->header.nlmsg_len) + RTA_ALIGN(attribute->rta_len);
}

static size_t address_bytes(const struct nl_nb_address *address, const void **bytes)
{
	if (address->storage.ss_family == AF_INET) {
		*bytes = &((const struct sockaddr_in *)&address->storage)->sin_addr;
		return 4;
	}
	*bytes = &((const struct sockaddr_in6 *)&address->storage)->sin6_addr;
	return 16;
}

int nl_nb_link_route(const void *answer, size_t len)
{
	struct nlmsghdr header;
	const char *at = answer;
	size_t end, skip = NLMSG_SPACE(sizeof(struct rtmsg));

	if (len < skip)
		return 0;
	memcpy(&header, at, sizeof(header));
	if (header.nlmsg_type != RTM_NEWROUTE || header.nlmsg_len < skip)
		return 0;
	end = header.nlmsg_len < len ? header.nlmsg_len : len;
	while (skip + sizeof(struct rtattr) <= end) {
		struct rtattr attribute;
		int index;

		memcpy(&attribute, at + skip, sizeof(attribute));
		if (attribute.rta_len < sizeof(attribute) || attribute.rta_len > end - skip)
			return 0;
		if (attribute.rta_type == RTA_OIF && attribute.rta_len >= RTA_LENGTH(sizeof(index))) {
			memcpy(&index, at + skip + RTA_LENGTH(0), sizeof(index));
			return index > 0 ? index : 0;
		}
		skip += RTA_ALIGN(attribute.rta_len);
	}
	return 0;
}

/* The index of the interface by which `local` reaches `peer`, as the routing tables have it; 0 unknown. */
static int route_interface(const struct nl_nb_address *local, const struct nl_nb_address *peer)
{
	struct timeval patience = {.tv_sec = 1};
	struct route_request request = {
		.header = {.nlmsg_len = NLMSG_LENGTH(sizeof(struct rtmsg)),
			   .nlmsg_type = RTM_GETROUTE,
			   .nlmsg_flags = NLM_F_REQUEST},
		.route = {.rtm_family = (unsigned char)peer->storage.ss_family},
	};
	_Alignas(struct nlmsghdr) char answer[4096];
	const void *bytes;
	size_t len;
	ssize_t n = -1;
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

	if (fd < 0)
		return 0;
	len = address_bytes(peer, &bytes);
	request.route.rtm_dst_len = (unsigned char)(8 * len);
	add_attribute(&request, RTA_DST, bytes, len);
	len = address_bytes(local, &bytes);
	request.route.rtm_src_len = (unsigned char)(8 * len);
	add_attribute(&request, RTA_SRC, bytes, len);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (send(fd, &request, request.header.nlmsg_len, 0) > 0)
		n = recv(fd, answer, sizeof(answer), 0);
	close(fd);
	return n > 0 ? nl_nb_link_route(answer, (size_t)n) : 0;
}

/* ---- Speed ---- */

static int interface_ioctl(int fd, const char *interface, unsigned long request, void *data, struct ifreq *ifreq)
{
	memset(ifreq, 0, sizeof(*ifreq));
	snprintf(ifreq->ifr_name, sizeof(ifreq->ifr_name), "%s", interface);
	if (data)
		ifreq->ifr_data = data;
	return ioctl(fd, request, ifreq);
}

static void driver_name(int fd, const char *interface, char *driver, size_t size)
{
	struct ethtool_drvinfo info = {.cmd = ETHTOOL_GDRVINFO};
	struct ifreq ifreq;

	driver[0] = '\0';
	if (interface_ioctl(fd, interface, SIOCETHTOOL, &info, &ifreq) == 0) {
		info.driver[sizeof(info.driver) - 1] = '\0';
		snprintf(driver, size, "%s", info.driver);
	}
}

/* ETHTOOL_GLINKSETTINGS is asked twice: first for the number of words of its link mode masks, then for the settings. */
static int64_t driver_speed(int fd, const char *interface)
{
	struct ethtool_link_settings *ask = calloc(1, sizeof(*ask) + MASKS_MAX_BYTES);
	struct ifreq ifreq;
	int64_t speed_bps = -1;

	if (!ask)
		return -1;
	ask->cmd = ETHTOOL_GLINKSETTINGS;
	if (interface_ioctl(fd, interface, SIOCETHTOOL, ask, &ifreq) == 0 && ask->link_mode_masks_nwords < 0) {
		ask->cmd = ETHTOOL_GLINKSETTINGS;
		ask->link_mode_masks_nwords = (__s8)-ask->link_mode_masks_nwords;
		/* 0 and SPEED_UNKNOWN (all ones) both mean that it does not know. */
		if (interface_ioctl(fd, interface, SIOCETHTOOL, ask, &ifreq) == 0 && ask->speed > 0 &&
		    ask->speed < INT32_MAX)
			speed_bps = (int64_t)ask->speed * 1000000;
	}
	free(ask);
	return speed_bps;
}

static enum speed_source speed_source(const char *driver)
{
	for (size_t i = 0; i < sizeof(speed_sources) / sizeof(speed_sources[0]); i++)
		if (strcmp(driver, speed_sources[i].driver) == 0)
			return speed_sources[i].source;
	return SPEED_DRIVER;
}

/* /sys may be that of another namespace, where the same name is another interface: the index tells. */
static bool sysfs_is_ours(const char *interface)
{
	char path[128];
	uint64_t index;

	snprintf(path, sizeof(path), SYSFS_NET "/%s/ifindex", interface);
	return nl_file_read_u64(path, &index, NULL) == 0 && index == if_nametoindex(interface);
}

static int64_t interface_speed(int fd, const char *interface, int levels);

/* Fastest of the interfaces named by the entries of `directory` that begin with `prefix`. */
static int64_t fastest(int fd, const char *directory, const char *prefix, int levels)
{
	DIR *entries = opendir(directory);
	int64_t best = -1;
	struct dirent *entry;

	while (entries && (entry = readdir(entries))) {
		int64_t speed;

		if (entry->d_name[0] == '.' || strncmp(entry->d_name, prefix, strlen(prefix)))
			continue;
		speed = interface_speed(fd, entry->d_name + strlen(prefix), levels);
		if (speed > best)
			best = speed;
	}
	if (entries)
		closedir(entries);
	return best;
}

static int64_t members_speed(int fd, const char *interface, int levels)
{
	char path[128];
	int64_t ports, lower;

	if (levels == 0 || !sysfs_is_ours(interface))
		return -1;
	snprintf(path, sizeof(path), SYSFS_NET "/%s/brif", interface);
	ports = fastest(fd, path, "", levels - 1);
	snprintf(path, sizeof(path), SYSFS_NET "/%s", interface);
	lower = fastest(fd, path, "lower_", levels - 1);
	return ports > lower ? ports : lower;
}

static int64_t interface_speed(int fd, const char *interface, int levels)
{
	char driver[40];

	driver_name(fd, interface, driver, sizeof(driver));
	switch (speed_source(driver)) {
	case SPEED_NONE:
		return -1;
	case SPEED_MEMBERS:
		return members_speed(fd, interface, levels);
	case SPEED_DRIVER:
		return driver_speed(fd, interface);
	}
	return -1;
}

/* ---- All of it ---- */

void nl_nb_link_facts(const struct nl_nb_address *local, const struct nl_nb_address *peer,
		      struct nl_netbench_link *link)
{
	struct nl_nb_address from = *local, to = *peer;
	char name[IF_NAMESIZE], driver[40];
	struct ifreq ifreq;
	int index, fd;

	memset(link, 0, sizeof(*link));
	link->speed_bps = link->mtu_bytes = -1;
	nl_nb_tcp_unmap(&from);
	nl_nb_tcp_unmap(&to);
	link->ipv6 = to.storage.ss_family == AF_INET6;
	index = route_interface(&from, &to);
	if (index == 0 || !if_indextoname((unsigned)index, name))
		return;
	snprintf(link->interface, sizeof(link->interface), "%s", name);
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	if (interface_ioctl(fd, name, SIOCGIFMTU, NULL, &ifreq) == 0)
		link->mtu_bytes = ifreq.ifr_mtu;
	driver_name(fd, name, driver, sizeof(driver));
	link->vlan = strcmp(driver, "802.1Q VLAN Support") == 0;
	link->speed_bps = interface_speed(fd, name, FOLLOW_LEVELS);
	close(fd);
}
