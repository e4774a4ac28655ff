/*
 * local_address: ask the routing table by connecting a socket that sends nothing.
 */
#include "agent/local_address.h"

#include <errno.h>
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int source_towards(const struct addrinfo *to, char *address, size_t size)
{
	struct sockaddr_storage from;
	socklen_t len = sizeof from;
	int fd = socket(to->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return errno;
	int failed = 0;
	if (connect(fd, to->ai_addr, to->ai_addrlen) != 0 || getsockname(fd, (struct sockaddr *)&from, &len) != 0)
		failed = errno;
	close(fd);
	if (!failed && getnameinfo((struct sockaddr *)&from, len, address, (socklen_t)size, NULL, 0, NI_NUMERICHOST) != 0)
		failed = EADDRNOTAVAIL;
	return failed;
}

int nl_local_address(const char *peer, char *address, size_t size, struct nl_error *err)
{
	struct addrinfo hints = {.ai_socktype = SOCK_DGRAM}, *found = NULL;
	int failed = EHOSTUNREACH;
	/* Any port will do: nothing is sent. */
	int rc = getaddrinfo(peer, "9", &hints, &found);
	if (rc != 0) {
		nl_error_set(err, NL_E_NOT_FOUND, "the address of the peer is not known");
		nl_error_where(err, "%s", peer);
		nl_error_why(err, "%s", gai_strerror(rc));
		return NL_E_NOT_FOUND;
	}
	for (const struct addrinfo *to = found; to && failed; to = to->ai_next)
		failed = source_towards(to, address, size);
	freeaddrinfo(found);
	if (!failed)
		return NL_E_OK;
	rc = nl_error_sys(err, failed, "find the way to the peer");
	nl_error_where(err, "%s", peer);
	return rc;
}
