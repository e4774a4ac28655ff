/*
 * tcp: listen, connect with a deadline, socket settings, TCP_INFO.
 */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <linux/tcp.h>

#include "netbench/tcp.h"

#define BACKLOG      512
#define STOP_LOOK_MS 100

static int set_option(int fd, int level, int option, int value)
{
	return setsockopt(fd, level, option, &value, sizeof(value));
}

static int resolve(const char *host, uint16_t port, int flags, struct addrinfo **list, struct nl_error *err)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = flags | AI_NUMERICSERV};
	char service[8];
	int rc;

	snprintf(service, sizeof(service), "%u", port);
	rc = getaddrinfo(host, service, &hints, list);
	if (rc == 0)
		return 0;
	nl_error_set(err, NL_E_NOT_FOUND, "look up the address");
	nl_error_where(err, "%s", host ? host : "any");
	return nl_error_why(err, "%s", rc == EAI_SYSTEM ? strerror(errno) : gai_strerror(rc));
}

static int listen_on(const struct addrinfo *at, int *fd)
{
	int saved;

	*fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP);
	if (*fd < 0)
		return errno;
	set_option(*fd, SOL_SOCKET, SO_REUSEADDR, 1);
	if (at->ai_family == AF_INET6)
		set_option(*fd, IPPROTO_IPV6, IPV6_V6ONLY, 0);
	if (bind(*fd, at->ai_addr, at->ai_addrlen) == 0 && listen(*fd, BACKLOG) == 0)
		return 0;
	saved = errno;
	close(*fd);
	*fd = -1;
	return saved;
}

int nl_nb_tcp_listen(const char *bind_to, uint16_t port, int *fd, uint16_t *bound_port, struct nl_error *err)
{
	/* "::" takes IPv4 too; "0.0.0.0" is for a system without IPv6. */
	const char *hosts[] = {bind_to ? bind_to : "::", bind_to ? NULL : "0.0.0.0"};
	struct nl_nb_address local;
	int rc = 0, failed = EADDRNOTAVAIL;

	*fd = -1;
	for (size_t i = 0; i < 2 && hosts[i] && *fd < 0; i++) {
		struct addrinfo *list;

		rc = resolve(hosts[i], port, AI_PASSIVE, &list, err);
		if (rc)
			continue;
		for (struct addrinfo *at = list; at && *fd < 0; at = at->ai_next)
			failed = listen_on(at, fd);
		freeaddrinfo(list);
	}
	if (*fd >= 0) {
		nl_nb_tcp_local(*fd, &local);
		*bound_port = ntohs(((struct sockaddr_in *)&local.storage)->sin_port);
		return 0;
	}
	if (rc)
		return rc;
	rc = nl_error_sys(err, failed, "listen for netbench clients");
	nl_error_where(err, "%s port %u", bind_to ? bind_to : "any address", port);
	if (failed == EADDRINUSE)
		nl_error_todo(err, "another server has this port: stop it, or choose one with --port");
	return rc;
}

static int bind_local(int fd, int family, const char *bind_to, struct nl_error *err)
{
	struct addrinfo *list;
	int rc = resolve(bind_to, 0, 0, &list, err);

	if (rc)
		return rc;
	rc = EADDRNOTAVAIL;
	for (struct addrinfo *at = list; at && rc; at = at->ai_next)
		if (at->ai_family == family)
			rc = bind(fd, at->ai_addr, at->ai_addrlen) ? errno : 0;
	freeaddrinfo(list);
	if (rc == 0)
		return 0;
	rc = nl_error_sys(err, rc, "use the local address");
	nl_error_where(err, "%s", bind_to);
	return rc;
}

/* Waits until the connection stands. */
static int finish_connect(int fd, int64_t deadline_ns, const atomic_bool *stop, struct nl_error *err)
{
	socklen_t len = sizeof(int);
	int failed = 0;

	for (;;) {
		struct pollfd p = {.fd = fd, .events = POLLOUT};
		int64_t left_ms = (deadline_ns - nl_mono_ns()) / NL_NS_PER_MS + 1;

		if (stop && atomic_load_explicit(stop, memory_order_relaxed))
			return nl_error_set(err, NL_E_CANCELLED, "connect to the server");
		if (left_ms <= 0)
			return nl_error_sys(err, ETIMEDOUT, "connect to the server");
		if (poll(&p, 1, left_ms < STOP_LOOK_MS ? (int)left_ms : STOP_LOOK_MS) > 0)
			break;
	}
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &failed, &len))
		failed = errno;
	return failed ? nl_error_sys(err, failed, "connect to the server") : 0;
}

/* What the user can do about a server that does not answer; the code is PEER where something is there but says no. */
static int explain_connect(int rc, const struct nl_nb_address *address, struct nl_error *err)
{
	char text[80];

	if (rc == 0 || rc == NL_E_CANCELLED || !err || err->where[0])
		return rc;
	nl_nb_tcp_text(address, true, text, sizeof(text));
	nl_error_where(err, "%s", text);
	if (err->sys_errno == ECONNREFUSED) {
		err->code = NL_E_PEER;
		nl_error_todo(err, "start it there: netbench server");
	} else if (err->sys_errno == ETIMEDOUT || err->sys_errno == EHOSTUNREACH) {
		nl_error_todo(err, "check the address, and that no firewall drops this port");
	}
	return err->code;
}

int nl_nb_tcp_connect(const struct nl_nb_address *address, const char *bind_to, uint32_t window_bytes,
		      int64_t deadline_mono_ns, const atomic_bool *stop, int *fd, struct nl_error *err)
{
	int rc = 0;

	*fd = socket(address->storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP);
	if (*fd < 0)
		return nl_error_sys(err, errno, "open a socket");
	if (bind_to)
		rc = bind_local(*fd, address->storage.ss_family, bind_to, err);
	if (rc == 0)
		rc = nl_nb_tcp_window(*fd, window_bytes, err);
	if (rc == 0 && connect(*fd, (const struct sockaddr *)&address->storage, address->len) && errno != EINPROGRESS)
		rc = nl_error_sys(err, errno, "connect to the server");
	if (rc == 0)
		rc = finish_connect(*fd, deadline_mono_ns, stop, err);
	if (rc == 0)
		return 0;
	close(*fd);
	*fd = -1;
	return explain_connect(rc, address, err);
}

int nl_nb_tcp_connect_host(const char *host, uint16_t port, const char *bind_to, int64_t deadline_mono_ns,
			   const atomic_bool *stop, int *fd, struct nl_nb_address *address, struct nl_error *err)
{
	struct addrinfo *list;
	int rc = resolve(host, port, 0, &list, err);

	*fd = -1;
	if (rc)
		return rc;
	for (struct addrinfo *at = list; at; at = at->ai_next) {
		memset(address, 0, sizeof(*address));
		memcpy(&address->storage, at->ai_addr, at->ai_addrlen);
		address->len = at->ai_addrlen;
		rc = nl_nb_tcp_connect(address, bind_to, 0, deadline_mono_ns, stop, fd, err);
		if (rc == 0 || rc == NL_E_CANCELLED)
			break;
	}
	freeaddrinfo(list);
	if (rc == 0)
		set_option(*fd, IPPROTO_TCP, TCP_NODELAY, 1);
	return rc;
}

int nl_nb_tcp_window(int fd, uint32_t window_bytes, struct nl_error *err)
{
	if (window_bytes == 0)
		return 0;
	if (set_option(fd, SOL_SOCKET, SO_SNDBUF, (int)window_bytes) ||
	    set_option(fd, SOL_SOCKET, SO_RCVBUF, (int)window_bytes))
		return nl_error_sys(err, errno, "set the socket buffers to %u bytes", window_bytes);
	return 0;
}

int nl_nb_tcp_congestion_set(int fd, const char *name, struct nl_error *err)
{
	if (!name[0] || setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, (socklen_t)strlen(name)) == 0)
		return 0;
	nl_error_set(err, NL_E_UNSUPPORTED, "use congestion control %s", name);
	nl_error_why(err, "%s", errno == ENOENT ? "this kernel has none of that name" : strerror(errno));
	return nl_error_todo(err, "see net.ipv4.tcp_allowed_congestion_control on both ends");
}

void nl_nb_tcp_congestion_get(int fd, char *buf, size_t size)
{
	socklen_t len = (socklen_t)size - 1;

	memset(buf, 0, size);
	if (getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, buf, &len))
		buf[0] = '\0';
}

int nl_nb_tcp_blocking(int fd, bool blocking, struct nl_error *err)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETFL, blocking ? flags & ~O_NONBLOCK : flags | O_NONBLOCK))
		return nl_error_sys(err, errno, "set up a data connection");
	return 0;
}

void nl_nb_tcp_info(int fd, struct nl_netbench_tcp *tcp)
{
	struct tcp_info info;
	socklen_t len = sizeof(info);

	memset(&info, 0, sizeof(info));
	*tcp = (struct nl_netbench_tcp){-1, -1, -1, -1, -1, -1, -1, -1, -1, false};
	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len))
		return;
/* The structure grew over the years: what lies beyond the returned length is unknown. */
#define KNOWS(member) (len >= offsetof(struct tcp_info, member) + sizeof(info.member))
	tcp->timestamps = info.tcpi_options & TCPI_OPT_TIMESTAMPS;
	tcp->mss_bytes = info.tcpi_snd_mss;
	tcp->rtt_ns = (int64_t)info.tcpi_rtt * 1000;
	tcp->cwnd_bytes = (int64_t)info.tcpi_snd_cwnd * info.tcpi_snd_mss;
	if (KNOWS(tcpi_total_retrans))
		tcp->retransmits = info.tcpi_total_retrans;
	if (KNOWS(tcpi_min_rtt) && info.tcpi_min_rtt != UINT32_MAX)
		tcp->min_rtt_ns = (int64_t)info.tcpi_min_rtt * 1000;
	if (KNOWS(tcpi_bytes_acked))
		tcp->delivered_bytes = (int64_t)info.tcpi_bytes_acked;
	if (KNOWS(tcpi_sndbuf_limited)) {
		tcp->busy_ns = (int64_t)info.tcpi_busy_time * 1000;
		tcp->rwnd_limited_ns = (int64_t)info.tcpi_rwnd_limited * 1000;
		tcp->sndbuf_limited_ns = (int64_t)info.tcpi_sndbuf_limited * 1000;
	}
#undef KNOWS
}

void nl_nb_tcp_unmap(struct nl_nb_address *address)
{
	struct sockaddr_in6 six;
	struct sockaddr_in four = {.sin_family = AF_INET};

	if (address->storage.ss_family != AF_INET6)
		return;
	memcpy(&six, &address->storage, sizeof(six));
	if (!IN6_IS_ADDR_V4MAPPED(&six.sin6_addr))
		return;
	four.sin_port = six.sin6_port;
	memcpy(&four.sin_addr, &six.sin6_addr.s6_addr[12], 4);
	memset(&address->storage, 0, sizeof(address->storage));
	memcpy(&address->storage, &four, sizeof(four));
	address->len = sizeof(four);
}

void nl_nb_tcp_text(const struct nl_nb_address *address, bool port, char *buf, size_t size)
{
	struct nl_nb_address plain = *address;
	char host[64], service[8];
	bool six;

	nl_nb_tcp_unmap(&plain);
	six = plain.storage.ss_family == AF_INET6;
	if (plain.len == 0 || getnameinfo((struct sockaddr *)&plain.storage, plain.len, host, sizeof(host), service,
					  sizeof(service), NI_NUMERICHOST | NI_NUMERICSERV))
		snprintf(buf, size, "unknown");
	else if (!port)
		snprintf(buf, size, "%s", host);
	else
		snprintf(buf, size, six ? "[%s]:%s" : "%s:%s", host, service);
}

void nl_nb_tcp_local(int fd, struct nl_nb_address *address)
{
	memset(address, 0, sizeof(*address));
	address->len = sizeof(address->storage);
	if (getsockname(fd, (struct sockaddr *)&address->storage, &address->len))
		address->len = 0;
}

void nl_nb_tcp_peer(int fd, struct nl_nb_address *address)
{
	memset(address, 0, sizeof(*address));
	address->len = sizeof(address->storage);
	if (getpeername(fd, (struct sockaddr *)&address->storage, &address->len))
		address->len = 0;
}
