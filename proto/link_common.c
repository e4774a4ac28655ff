/*
 * link_common: addresses, errors and TLS configuration for both ends of a link.
 */
#include "proto/link_common.h"

#include <arpa/inet.h>
#include <limits.h>
#include <mbedtls/platform_util.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "base/time.h"
#include "proto/identity.h"
#include "proto/link.h"

struct result_row {
	int result;
	enum nl_code code;
};

static const struct result_row result_rows[] = {
	{NNG_ETIMEDOUT, NL_E_TIMEOUT},  {NNG_ECLOSED, NL_E_CANCELLED}, {NNG_ECANCELED, NL_E_CANCELLED},
	{NNG_EPEERAUTH, NL_E_IDENTITY}, {NNG_ECRYPTO, NL_E_IDENTITY},  {NNG_ECONNREFUSED, NL_E_PEER},
	{NNG_ECONNRESET, NL_E_PEER},    {NNG_ECONNSHUT, NL_E_PEER},    {NNG_ECONNABORTED, NL_E_PEER},
	{NNG_EUNREACHABLE, NL_E_PEER},  {NNG_EPERM, NL_E_ACCESS},      {NNG_EMSGSIZE, NL_E_PROTOCOL},
	{NNG_EPROTO, NL_E_PROTOCOL},    {NNG_EADDRINVAL, NL_E_USAGE},  {NNG_ENOTSUP, NL_E_UNSUPPORTED},
};

int nl_link_refuse(struct nl_error *err, int result, const char *what, const char *where)
{
	enum nl_code code = NL_E_SYSTEM;
	for (size_t i = 0; i < sizeof result_rows / sizeof result_rows[0]; i++)
		if (result_rows[i].result == result)
			code = result_rows[i].code;
	nl_error_set(err, code, "%s", what);
	nl_error_where(err, "%s", where);
	nl_error_why(err, "%s", nng_strerror(result));
	return code;
}

nng_duration nl_link_ms(int64_t timeout_ns)
{
	if (timeout_ns <= 0)
		return 0;
	int64_t ms = timeout_ns / NL_NS_PER_MS + (timeout_ns % NL_NS_PER_MS != 0);
	return ms > INT32_MAX ? INT32_MAX : (nng_duration)ms;
}

static int refuse_address(const char *text, const char *why, struct nl_error *err)
{
	nl_error_set(err, NL_E_USAGE, "\"%.100s\" is not an address", text);
	nl_error_why(err, "%s", why);
	nl_error_todo(err, "write HOST, HOST:PORT or [IPv6]:PORT");
	return NL_E_USAGE;
}

/* Finds host and port in HOST, HOST:PORT, [V6], [V6]:PORT, V6. The port is NULL when there is none. */
static bool find_parts(const char *text, const char **host, size_t *host_len, const char **port)
{
	struct in6_addr unused;
	*port = NULL;
	*host = text;
	if (text[0] == '[') {
		const char *close = strchr(text, ']');
		if (!close || (close[1] != '\0' && close[1] != ':'))
			return false;
		*host = text + 1;
		*host_len = (size_t)(close - text) - 1;
		*port = close[1] ? close + 2 : NULL;
		return true;
	}
	const char *colon = strchr(text, ':');
	if (!colon || inet_pton(AF_INET6, text, &unused) == 1) {
		*host_len = strlen(text);
		return true;
	}
	*host_len = (size_t)(colon - text);
	*port = colon + 1;
	return true;
}

int nl_link_url(const char *text, char *url, size_t size, struct nl_error *err)
{
	const char *rest = text, *host, *port_text;
	char copy[320];
	size_t host_len = 0;
	if (!strncmp(rest, NL_LINK_SCHEME, sizeof NL_LINK_SCHEME - 1))
		rest += sizeof NL_LINK_SCHEME - 1;
	else if (strstr(rest, "://"))
		return refuse_address(text, "only " NL_LINK_SCHEME " is spoken", err);
	size_t len = strlen(rest);
	if (len > 0 && rest[len - 1] == '/')
		len--;
	if (len >= sizeof copy)
		return refuse_address(text, "it is too long", err);
	memcpy(copy, rest, len);
	copy[len] = '\0';
	if (!find_parts(copy, &host, &host_len, &port_text))
		return refuse_address(text, "its brackets are wrong", err);
	if (host_len == 0 || host_len > 253)
		return refuse_address(text, "it has no host, or too long a one", err);
	bool six = memchr(host, ':', host_len) != NULL;
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
	for (size_t i = 0; i < host_len; i++)
		if (!strchr(six ? "0123456789abcdefABCDEF:." : letters, host[i]))
			return refuse_address(text, "a host name cannot hold such a character", err);
	uint64_t port = NL_LINK_DEFAULT_PORT;
	if (port_text && (!nl_parse_u64(port_text, &port) || port > UINT16_MAX || strpbrk(port_text, " \t\n")))
		return refuse_address(text, "the port must be a number up to 65535", err);
	int n = snprintf(url, size, NL_LINK_SCHEME "%s%.*s%s:%u", six ? "[" : "", (int)host_len, host, six ? "]" : "",
			 (unsigned)port);
	return n >= 0 && (size_t)n < size ? 0 : refuse_address(text, "it is too long", err);
}

int nl_link_split(const char *url, char *host, size_t host_size, char *port, size_t port_size, struct nl_error *err)
{
	const char *host_at, *port_at;
	size_t host_len = 0;
	const char *rest =
		strncmp(url, NL_LINK_SCHEME, sizeof NL_LINK_SCHEME - 1) ? url : url + sizeof NL_LINK_SCHEME - 1;
	if (!find_parts(rest, &host_at, &host_len, &port_at) || !port_at || host_len >= host_size ||
	    strlen(port_at) >= port_size)
		return refuse_address(url, "it has no port, or is too long", err);
	snprintf(host, host_size, "%.*s", (int)host_len, host_at);
	snprintf(port, port_size, "%s", port_at);
	return 0;
}

static int read_file(const char *dir, const char *name, const char *suffix, char **text, struct nl_error *err)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof path, "%s/%s%s", dir, name, suffix);
	if (n < 0 || (size_t)n >= sizeof path)
		return nl_error_set(err, NL_E_USAGE, "use the directory %s: its name is too long", dir);
	return nl_file_read(path, NL_IDENTITY_PEM_MAX, text, NULL, err);
}

int nl_link_own_identity(nng_tls_config *tls, const char *dir, const char *name, struct nl_error *err)
{
	char *ca = NULL, *certificate = NULL, *key = NULL;
	int code = read_file(dir, "ca", ".crt", &ca, err);
	if (!code)
		code = read_file(dir, name, ".crt", &certificate, err);
	if (!code)
		code = read_file(dir, name, ".key", &key, err);
	if (!code) {
		int result = nng_tls_config_ca_chain(tls, ca, NULL);
		if (!result)
			result = nng_tls_config_own_cert(tls, certificate, key, NULL);
		if (result)
			code = nl_link_refuse(err, result, "use the key and the certificates", dir);
	}
	if (key)
		mbedtls_platform_zeroize(key, strlen(key));
	free(key);
	free(certificate);
	free(ca);
	return code;
}
