/*
 * link_probe: finds out why a connection cannot be made. NNG knows only "cryptographic error" and keeps even that to
 * itself, so the probe makes the same connection once more with its own hands and looks where it breaks.
 */
#include <errno.h>
#include <fcntl.h>
#include <mbedtls/net_sockets.h>
#include <mbedtls/ssl.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/time.h"
#include "proto/identity_pki.h"
#include "proto/link_common.h"

#define STEP_MS 2000

struct errno_row {
	int number;
	const char *text;
};

static const struct errno_row errno_rows[] = {
	{ECONNREFUSED, "the connection was refused: nothing listens there, or a firewall rejects it"},
	{ETIMEDOUT, "the host does not answer: it is down, or a firewall drops the packets"},
	{EHOSTUNREACH, "the host cannot be reached: there is no route, or it does not answer on its own network"},
	{ENETUNREACH, "there is no route to that network"},
	{ECONNRESET, "the other side closed the connection"},
};

static void tell_errno(int number, char *why, size_t size)
{
	for (size_t i = 0; i < sizeof errno_rows / sizeof errno_rows[0]; i++) {
		if (errno_rows[i].number != number)
			continue;
		snprintf(why, size, "%s", errno_rows[i].text);
		return;
	}
	const char *text = strerrordesc_np(number);
	snprintf(why, size, "%s", text ? text : "the connection failed");
}

/* Connects within STEP_MS. A negative value is minus errno. The socket stays non-blocking. */
static int connect_one(const struct addrinfo *address)
{
	int fd = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	int failed = connect(fd, address->ai_addr, address->ai_addrlen) < 0 ? errno : 0;
	if (failed == EINPROGRESS) {
		struct pollfd p = {fd, POLLOUT, 0};
		socklen_t len = sizeof failed;
		if (poll(&p, 1, STEP_MS) <= 0)
			failed = ETIMEDOUT;
		else if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &failed, &len) < 0)
			failed = errno;
	}
	if (!failed)
		return fd;
	close(fd);
	return -failed;
}

static int connect_to(const char *url, char *why, size_t size)
{
	char host[256], port[8];
	struct nl_error err;
	if (nl_link_split(url, host, sizeof host, port, sizeof port, &err)) {
		nl_error_line(&err, why, size);
		return -1;
	}
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV}, *list = NULL;
	int result = getaddrinfo(host, port, &hints, &list);
	if (result) {
		snprintf(why, size, "the name %s cannot be resolved: %s", host, gai_strerror(result));
		return -1;
	}
	int fd = -ENETUNREACH;
	for (const struct addrinfo *a = list; a && fd < 0; a = a->ai_next)
		fd = connect_one(a);
	freeaddrinfo(list);
	if (fd < 0)
		tell_errno(-fd, why, size);
	return fd;
}

/* mbedtls' own net_send raises SIGPIPE when the peer is gone. */
static int send_bytes(void *arg, const unsigned char *data, size_t len)
{
	ssize_t n = send(*(int *)arg, data, len, MSG_NOSIGNAL);
	if (n >= 0)
		return (int)n;
	return errno == EAGAIN || errno == EINTR ? MBEDTLS_ERR_SSL_WANT_WRITE : MBEDTLS_ERR_NET_SEND_FAILED;
}

static int receive_bytes(void *arg, unsigned char *data, size_t len)
{
	ssize_t n = recv(*(int *)arg, data, len, 0);
	if (n > 0)
		return (int)n;
	if (n == 0)
		return MBEDTLS_ERR_SSL_CONN_EOF;
	return errno == EAGAIN || errno == EINTR ? MBEDTLS_ERR_SSL_WANT_READ : MBEDTLS_ERR_NET_CONN_RESET;
}

static int shake_hands(mbedtls_ssl_context *ssl, int fd)
{
	int64_t until_ns = nl_mono_ns() + STEP_MS * NL_NS_PER_MS;
	for (;;) {
		int result = mbedtls_ssl_handshake(ssl);
		if (result != MBEDTLS_ERR_SSL_WANT_READ && result != MBEDTLS_ERR_SSL_WANT_WRITE)
			return result;
		int64_t left_ns = until_ns - nl_mono_ns();
		struct pollfd p = {fd, result == MBEDTLS_ERR_SSL_WANT_READ ? POLLIN : POLLOUT, 0};
		if (left_ns <= 0 || poll(&p, 1, (int)(left_ns / NL_NS_PER_MS) + 1) == 0)
			return MBEDTLS_ERR_SSL_TIMEOUT;
	}
}

static void tell_certificate(const mbedtls_ssl_context *ssl, char *why, size_t size)
{
	uint32_t flags = mbedtls_ssl_get_verify_result(ssl);
	if (flags & MBEDTLS_X509_BADCERT_EXPIRED)
		snprintf(why, size, "the controller's certificate has expired, or this host's clock is ahead");
	else if (flags & MBEDTLS_X509_BADCERT_FUTURE)
		snprintf(why, size, "the controller's certificate is not valid yet: this host's clock is behind");
	else if (flags & MBEDTLS_X509_BADCERT_NOT_TRUSTED)
		snprintf(why, size, "what answers there is not the controller that this agent joined (another CA)");
	else if (flags & MBEDTLS_X509_BADCERT_CN_MISMATCH)
		snprintf(why, size,
			 "what answers there has a certificate for another purpose than a nasline controller's");
	else
		snprintf(why, size, "the controller's certificate was not accepted");
}

static void tell_tls(const mbedtls_ssl_context *ssl, int result, char *why, size_t size)
{
	switch (result) {
	case MBEDTLS_ERR_X509_CERT_VERIFY_FAILED:
		tell_certificate(ssl, why, size);
		return;
	case MBEDTLS_ERR_SSL_TIMEOUT:
		snprintf(why, size, "something listens there, but does not speak TLS, or is overloaded");
		return;
	case MBEDTLS_ERR_SSL_INVALID_RECORD:
	case MBEDTLS_ERR_SSL_UNEXPECTED_MESSAGE:
		snprintf(why, size, "what answers there does not speak TLS: it is another service");
		return;
	case MBEDTLS_ERR_SSL_FATAL_ALERT_MESSAGE:
		snprintf(why, size, "the controller refused TLS: compare dates, CA and name of the certificates");
		return;
	case MBEDTLS_ERR_SSL_CONN_EOF:
	case MBEDTLS_ERR_NET_CONN_RESET:
	case MBEDTLS_ERR_NET_SEND_FAILED:
		snprintf(why, size, "the other side closed the connection during the TLS handshake");
		return;
	default:
		snprintf(why, size, "the TLS handshake failed (-0x%04x)", (unsigned)-result);
	}
}

static int configure(mbedtls_ssl_config *config, mbedtls_ssl_context *ssl, mbedtls_x509_crt *ca, const char *ca_pem,
		     struct nl_rng *rng)
{
	int result = mbedtls_ssl_config_defaults(config, MBEDTLS_SSL_IS_CLIENT, MBEDTLS_SSL_TRANSPORT_STREAM,
						 MBEDTLS_SSL_PRESET_DEFAULT);
	if (!result && ca_pem)
		result = mbedtls_x509_crt_parse(ca, (const unsigned char *)ca_pem, strlen(ca_pem) + 1);
	if (result)
		return result;
	mbedtls_ssl_conf_authmode(config, ca_pem ? MBEDTLS_SSL_VERIFY_REQUIRED : MBEDTLS_SSL_VERIFY_NONE);
	mbedtls_ssl_conf_ca_chain(config, ca, NULL);
	mbedtls_ssl_conf_rng(config, mbedtls_ctr_drbg_random, &rng->drbg);
	result = mbedtls_ssl_setup(ssl, config);
	return result ? result : mbedtls_ssl_set_hostname(ssl, NL_IDENTITY_CONTROLLER_NAME);
}

void nl_link_probe(const char *url, const char *ca_pem, char *why, size_t size)
{
	if (size > 0)
		why[0] = '\0';
	int fd = connect_to(url, why, size);
	if (fd < 0)
		return;
	mbedtls_ssl_config config;
	mbedtls_ssl_context ssl;
	mbedtls_x509_crt ca;
	struct nl_rng rng;
	mbedtls_ssl_config_init(&config);
	mbedtls_ssl_init(&ssl);
	mbedtls_x509_crt_init(&ca);
	int result = nl_rng_init(&rng, NULL);
	if (!result)
		result = configure(&config, &ssl, &ca, ca_pem, &rng);
	if (!result) {
		mbedtls_ssl_set_bio(&ssl, &fd, send_bytes, receive_bytes, NULL);
		result = shake_hands(&ssl, fd);
	}
	if (result)
		tell_tls(&ssl, result, why, size);
	mbedtls_ssl_free(&ssl);
	mbedtls_ssl_config_free(&config);
	mbedtls_x509_crt_free(&ca);
	nl_rng_fini(&rng);
	close(fd);
}
