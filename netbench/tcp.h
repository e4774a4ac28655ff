/*
 * tcp: sockets for control and data connections, and what TCP says about them.
 */
#ifndef NL_NETBENCH_TCP_H
#define NL_NETBENCH_TCP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "netbench/netbench.h"

/* An address of either family, as the socket calls want it. */
struct nl_nb_address {
	struct sockaddr_storage storage;
	socklen_t len;
};

/*
 * nl_nb_tcp_listen gives a listening, non-blocking socket. bind NULL: all addresses, both families where the system has
 * IPv6. *port is the port that it got.
 */
int nl_nb_tcp_listen(const char *bind, uint16_t port, int *fd, uint16_t *bound_port, struct nl_error *err);

/*
 * nl_nb_tcp_connect_host tries every address of `host` within deadline_mono_ns. *fd is non-blocking, *address the one
 * that answered. bind NULL: local address by route. *stop (may be NULL) is looked at ten times a second:
 * NL_E_CANCELLED.
 */
int nl_nb_tcp_connect_host(const char *host, uint16_t port, const char *bind, int64_t deadline_mono_ns,
			   const atomic_bool *stop, int *fd, struct nl_nb_address *address, struct nl_error *err);

/* nl_nb_tcp_connect is the same to one address, with socket buffers of window_bytes (0: automatic) set before. */
int nl_nb_tcp_connect(const struct nl_nb_address *address, const char *bind, uint32_t window_bytes,
		      int64_t deadline_mono_ns, const atomic_bool *stop, int *fd, struct nl_error *err);

/* nl_nb_tcp_window sets both socket buffers; 0 leaves them to the kernel. */
int nl_nb_tcp_window(int fd, uint32_t window_bytes, struct nl_error *err);
/* nl_nb_tcp_congestion_set chooses the congestion control ("" leaves it); _get reads it into buf ("" unknown). */
int nl_nb_tcp_congestion_set(int fd, const char *name, struct nl_error *err);
void nl_nb_tcp_congestion_get(int fd, char *buf, size_t size);
int nl_nb_tcp_blocking(int fd, bool blocking, struct nl_error *err);

/* nl_nb_tcp_info reads TCP_INFO; what the kernel does not tell is -1. */
void nl_nb_tcp_info(int fd, struct nl_netbench_tcp *tcp);

/* nl_nb_tcp_text writes "ADDRESS:PORT" or, without port, "ADDRESS"; IPv4 mapped into IPv6 shows as IPv4. */
void nl_nb_tcp_text(const struct nl_nb_address *address, bool port, char *buf, size_t size);
void nl_nb_tcp_local(int fd, struct nl_nb_address *address);
void nl_nb_tcp_peer(int fd, struct nl_nb_address *address);
/* nl_nb_tcp_unmap turns an IPv4 address mapped into IPv6 into plain IPv4. */
void nl_nb_tcp_unmap(struct nl_nb_address *address);

#endif
