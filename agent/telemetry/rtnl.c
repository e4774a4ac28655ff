/*
 * rtnl: one socket per question, so that nothing is shared between threads or namespaces.
 */
#include "agent/telemetry/rtnl.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define ANSWER_BYTES 32768 /* the most that the kernel puts into one datagram of a dump */
#define TIMEOUT_S    2

/* What a question is sent with, and where each answer goes; take returns false when it wants no more. */
struct question {
	struct nlmsghdr head;
	union {
		struct ifinfomsg link;
		struct tcmsg tc;
		struct rtmsg route;
	} body;
	unsigned char attributes[32];
};

typedef bool answer_sink(void *context, const void *message, size_t len);

static int fail(struct nl_error *err, int sys_errno, const char *what)
{
	int code = nl_error_sys(err, sys_errno, "%s", what);
	nl_error_where(err, "rtnetlink");
	return code;
}

/* Hands the messages of one datagram on; *done at the end of the dump. Returns an errno value or 0. */
static int take_datagram(const unsigned char *data, size_t len, bool dump, answer_sink *sink, void *context, bool *done)
{
	while (len >= sizeof(struct nlmsghdr)) {
		struct nlmsghdr head;
		memcpy(&head, data, sizeof head);
		if (head.nlmsg_len < sizeof head || head.nlmsg_len > len)
			return EBADMSG;
		if (head.nlmsg_type == NLMSG_DONE) {
			*done = true;
			return 0;
		}
		if (head.nlmsg_type == NLMSG_ERROR) {
			struct nlmsgerr error;
			if (head.nlmsg_len < NLMSG_LENGTH(sizeof error))
				return EBADMSG;
			memcpy(&error, data + NLMSG_HDRLEN, sizeof error);
			*done = true;
			return -error.error;
		}
		if (!sink(context, data, head.nlmsg_len) || !dump)
			*done = true;
		size_t step = NLMSG_ALIGN(head.nlmsg_len);
		if (step > len)
			step = len;
		data += step;
		len -= step;
	}
	return 0;
}

static int receive(int fd, bool dump, answer_sink *sink, void *context)
{
	unsigned char answer[ANSWER_BYTES];
	bool done = false;
	while (!done) {
		ssize_t n = recv(fd, answer, sizeof answer, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN ? ETIMEDOUT : errno;
		int failed = take_datagram(answer, (size_t)n, dump, sink, context, &done);
		if (failed)
			return failed;
	}
	return 0;
}

static int ask(struct question *q, bool dump, answer_sink *sink, void *context, const char *what, struct nl_error *err)
{
	struct timeval limit = {.tv_sec = TIMEOUT_S};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	if (fd < 0)
		return fail(err, errno, what);
	int failed = 0;
	q->head.nlmsg_flags = NLM_F_REQUEST | (dump ? NLM_F_DUMP : 0);
	q->head.nlmsg_seq = 1;
	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) < 0 || send(fd, q, q->head.nlmsg_len, 0) < 0)
		failed = errno;
	else
		failed = receive(fd, dump, sink, context);
	close(fd);
	return failed ? fail(err, failed, what) : 0;
}

/* --- dumps ----------------------------------------------------------------------------------------------------- */

struct collected {
	void *array;
	unsigned max, count;
	int link;
};

static bool collect_link(void *context, const void *message, size_t len)
{
	struct collected *c = context;
	struct nl_rtnl_link *links = c->array;
	if (c->count < c->max && nl_rtnl_parse_link(message, len, &links[c->count]))
		c->count++;
	return true;
}

int nl_rtnl_links(struct nl_rtnl_link *links, unsigned max, unsigned *count, struct nl_error *err)
{
	struct question q = {.head = {.nlmsg_len = NLMSG_LENGTH(sizeof q.body.link), .nlmsg_type = RTM_GETLINK}};
	struct collected c = {.array = links, .max = max};
	int code = ask(&q, true, collect_link, &c, "list the network interfaces", err);
	*count = c.count;
	return code;
}

/* Old kernels ignore the interface in the question and tell of all. */
static bool collect_tc(struct collected *c, bool (*parse)(const void *, size_t, struct nl_rtnl_qdisc *),
		       const void *message, size_t len)
{
	struct nl_rtnl_qdisc *array = c->array;
	if (c->count < c->max && parse(message, len, &array[c->count]) && array[c->count].link == c->link)
		c->count++;
	return true;
}

static bool collect_qdisc(void *context, const void *message, size_t len)
{
	return collect_tc(context, nl_rtnl_parse_qdisc, message, len);
}

static bool collect_class(void *context, const void *message, size_t len)
{
	return collect_tc(context, nl_rtnl_parse_class, message, len);
}

int nl_rtnl_qdiscs(int link, struct nl_rtnl_qdisc *qdiscs, unsigned max, unsigned *count, struct nl_error *err)
{
	struct question q = {.head = {.nlmsg_len = NLMSG_LENGTH(sizeof q.body.tc), .nlmsg_type = RTM_GETQDISC},
			     .body.tc.tcm_ifindex = link};
	struct collected c = {.array = qdiscs, .max = max, .link = link};
	int code = ask(&q, true, collect_qdisc, &c, "list the queues of an interface", err);
	*count = c.count;
	return code;
}

int nl_rtnl_classes(int link, struct nl_rtnl_qdisc *classes, unsigned max, unsigned *count, struct nl_error *err)
{
	struct question q = {.head = {.nlmsg_len = NLMSG_LENGTH(sizeof q.body.tc), .nlmsg_type = RTM_GETTCLASS},
			     .body.tc.tcm_ifindex = link};
	struct collected c = {.array = classes, .max = max, .link = link};
	int code = ask(&q, true, collect_class, &c, "list the traffic classes of an interface", err);
	*count = c.count;
	return code;
}

/* --- one route ------------------------------------------------------------------------------------------------- */

static bool take_route(void *context, const void *message, size_t len)
{
	int *link = context;
	(void)nl_rtnl_parse_route(message, len, link);
	return false;
}

int nl_rtnl_route(int family, const void *address, int *link, struct nl_error *err)
{
	size_t size = family == AF_INET6 ? 16 : 4;
	struct nlattr attribute = {.nla_len = (uint16_t)(NLA_HDRLEN + size), .nla_type = RTA_DST};
	struct question q = {
		.head = {.nlmsg_type = RTM_GETROUTE},
		.body.route = {.rtm_family = (unsigned char)family, .rtm_dst_len = (unsigned char)(size * 8)}};
	unsigned char *where = (unsigned char *)&q + NLMSG_LENGTH(sizeof q.body.route);
	memcpy(where, &attribute, sizeof attribute);
	memcpy(where + NLA_HDRLEN, address, size);
	q.head.nlmsg_len = (uint32_t)(NLMSG_LENGTH(sizeof q.body.route) + NLA_HDRLEN + size);
	*link = 0;
	int code = ask(&q, false, take_route, link, "find the route to an address", err);
	if (!code && *link == 0)
		code = nl_error_set(err, NL_E_NOT_FOUND, "the kernel has no route to the address");
	return code;
}
