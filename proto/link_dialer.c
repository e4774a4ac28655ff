/*
 * link_dialer: an agent's end. One REQ socket that dials again by itself; each call has a context of its own, so that
 * several may wait at once.
 *
 * Locking: `lock` guards `calls`, `stopping` and `pipes`. The pipe events come on NNG's threads. Stopping closes the
 * socket, which wakes every call, and waits until the last one has left.
 */
#include <errno.h>
#include <nng/nng.h>
#include <nng/protocol/reqrep0/req.h>
#include <nng/supplemental/tls/tls.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "base/time.h"
#include "proto/identity.h"
#include "proto/link.h"
#include "proto/link_common.h"
#include "proto/link_pipes.h"
#include "proto/message.h"

#define RECONNECT_MIN_MS 100
#define RECONNECT_MAX_MS 2000
#define RESEND_MS        60000

/* A socket and the book of its connections. It is replaced when NNG has wedged it (see link_pipes.h). */
struct line {
	nng_socket socket;
	struct nl_pipes *pipes;
};

struct nl_dialer {
	struct line line;
	nng_tls_config *tls;
	char url[320];
	char *dir;    /* NULL for enrolment */
	char *ca_pem; /* what the peer is checked against; NULL: not at all */
	pthread_mutex_t lock;
	pthread_cond_t idle; /* the last call has left */
	unsigned calls;
};

static int load_ca(struct nl_dialer *dialer, const char *dir, const char *ca_pem, struct nl_error *err)
{
	char path[PATH_MAX];
	if (dir) {
		dialer->dir = strdup(dir);
		if (!dialer->dir)
			return nl_error_sys(err, ENOMEM, "dial");
		int n = snprintf(path, sizeof path, "%s/ca.crt", dir);
		if (n < 0 || (size_t)n >= sizeof path)
			return nl_error_sys(err, ENAMETOOLONG, "read the CA certificate");
		return nl_file_read(path, NL_IDENTITY_PEM_MAX, &dialer->ca_pem, NULL, err);
	}
	if (!ca_pem)
		return 0;
	dialer->ca_pem = strdup(ca_pem);
	return dialer->ca_pem ? 0 : nl_error_sys(err, ENOMEM, "dial");
}

static int configure_tls(struct nl_dialer *dialer, struct nl_error *err)
{
	int result = nng_tls_config_alloc(&dialer->tls, NNG_TLS_MODE_CLIENT);
	if (!result)
		result = nng_tls_config_auth_mode(dialer->tls,
						  dialer->ca_pem ? NNG_TLS_AUTH_MODE_REQUIRED : NNG_TLS_AUTH_MODE_NONE);
	if (!result)
		result = nng_tls_config_server_name(dialer->tls, NL_IDENTITY_CONTROLLER_NAME);
	if (!result && dialer->ca_pem && !dialer->dir)
		result = nng_tls_config_ca_chain(dialer->tls, dialer->ca_pem, NULL);
	if (result)
		return nl_link_refuse(err, result, "prepare TLS", dialer->url);
	return dialer->dir ? nl_link_own_identity(dialer->tls, dialer->dir, "agent", err) : 0;
}

static int dial(const struct nl_dialer *dialer, nng_socket socket)
{
	nng_dialer end;
	int result = nng_socket_set_size(socket, NNG_OPT_RECVMAXSZ, NL_MESSAGE_MAX_BYTES + NL_LINK_HEADER_BYTES);
	if (!result)
		result = nng_socket_set_ms(socket, NNG_OPT_REQ_RESENDTIME, RESEND_MS);
	if (!result)
		result = nng_dialer_create(&end, socket, dialer->url);
	if (!result)
		result = nng_dialer_set_ptr(end, NNG_OPT_TLS_CONFIG, dialer->tls);
	if (!result)
		result = nng_dialer_set_bool(end, NNG_OPT_TCP_NODELAY, true);
	if (!result)
		result = nng_dialer_set_bool(end, NNG_OPT_TCP_KEEPALIVE, true);
	if (!result)
		result = nng_dialer_set_ms(end, NNG_OPT_RECONNMINT, RECONNECT_MIN_MS);
	if (!result)
		result = nng_dialer_set_ms(end, NNG_OPT_RECONNMAXT, RECONNECT_MAX_MS);
	return result ? result : nng_dialer_start(end, NNG_FLAG_NONBLOCK);
}

static int open_line(const struct nl_dialer *dialer, struct line *line, struct nl_error *err)
{
	*line = (struct line){NNG_SOCKET_INITIALIZER, NULL};
	int result = nng_req0_open(&line->socket);
	if (result)
		return nl_link_refuse(err, result, "open a socket", dialer->url);
	int code = nl_pipes_start(line->socket, &line->pipes, err);
	if (code)
		return code;
	result = dial(dialer, line->socket);
	if (!result)
		return 0;
	nl_pipes_close(line->pipes);
	nl_pipes_free(line->pipes);
	line->pipes = NULL;
	return nl_link_refuse(err, result, "dial", dialer->url);
}

/* Replaces a wedged line. When that fails the old one stays, and the next call tries again. */
static void renew_line(struct nl_dialer *dialer)
{
	struct line fresh, old = {NNG_SOCKET_INITIALIZER, NULL};
	pthread_mutex_lock(&dialer->lock);
	if (nl_pipes_wedged(dialer->line.pipes) && open_line(dialer, &fresh, NULL) == 0) {
		old = dialer->line;
		dialer->line = fresh;
	}
	pthread_mutex_unlock(&dialer->lock);
	if (old.pipes)
		nl_pipes_abandon(old.pipes);
}

int nl_dialer_start(const char *url, const char *dir, const char *ca_pem, struct nl_dialer **dialer,
		    struct nl_error *err)
{
	*dialer = NULL;
	struct nl_dialer *d = calloc(1, sizeof *d);
	if (!d)
		return nl_error_sys(err, ENOMEM, "dial");
	pthread_mutex_init(&d->lock, NULL);
	pthread_cond_init(&d->idle, NULL);
	int code = nl_link_url(url, d->url, sizeof d->url, err);
	if (!code)
		code = load_ca(d, dir, ca_pem, err);
	if (!code)
		code = configure_tls(d, err);
	if (!code)
		code = open_line(d, &d->line, err);
	if (code) {
		nl_dialer_stop(d);
		return code;
	}
	*dialer = d;
	return 0;
}

void nl_dialer_stop(struct nl_dialer *dialer)
{
	if (!dialer)
		return;
	nl_pipes_close(dialer->line.pipes);
	pthread_mutex_lock(&dialer->lock);
	while (dialer->calls > 0)
		pthread_cond_wait(&dialer->idle, &dialer->lock);
	pthread_mutex_unlock(&dialer->lock);
	nl_pipes_free(dialer->line.pipes);
	if (dialer->tls)
		nng_tls_config_free(dialer->tls);
	pthread_cond_destroy(&dialer->idle);
	pthread_mutex_destroy(&dialer->lock);
	free(dialer->ca_pem);
	free(dialer->dir);
	free(dialer);
}

bool nl_dialer_connected(const struct nl_dialer *dialer)
{
	/* The mutex is the one part of a dialer that looking at it changes. */
	pthread_mutex_t *lock = (pthread_mutex_t *)&dialer->lock;
	pthread_mutex_lock(lock);
	bool connected = nl_pipes_count(dialer->line.pipes) > 0;
	pthread_mutex_unlock(lock);
	return connected;
}

unsigned nl_dialer_calls(struct nl_dialer *dialer)
{
	pthread_mutex_lock(&dialer->lock);
	unsigned calls = dialer->calls;
	pthread_mutex_unlock(&dialer->lock);
	return calls;
}

const char *nl_dialer_reason(const struct nl_dialer *dialer, char *buf, size_t size)
{
	char name[NL_IDENTITY_NAME_MAX + 1];
	struct nl_error own;
	if (size > 0)
		buf[0] = '\0';
	if (nl_dialer_connected(dialer))
		return buf;
	nl_link_probe(dialer->url, dialer->ca_pem, buf, size);
	/* With its own files at fault an agent reaches the controller, but only to be refused. */
	if (!buf[0] && dialer->dir && nl_identity_check_agent(dialer->dir, name, &own) != 0)
		nl_error_line(&own, buf, size);
	return buf;
}

/* Sends the request and receives the reply, each within what is left of the time. */
static int exchange(nng_ctx context, nng_aio *aio, nng_msg *request, int64_t until_ns, nng_msg **reply)
{
	nng_aio_set_msg(aio, request);
	nng_aio_set_timeout(aio, nl_link_ms(until_ns - nl_mono_ns()));
	nng_ctx_send(context, aio);
	nng_aio_wait(aio);
	int result = nng_aio_result(aio);
	if (result) {
		nng_msg_free(request);
		return result;
	}
	nng_aio_set_timeout(aio, nl_link_ms(until_ns - nl_mono_ns()));
	nng_ctx_recv(context, aio);
	nng_aio_wait(aio);
	result = nng_aio_result(aio);
	if (!result)
		*reply = nng_aio_get_msg(aio);
	return result;
}

static int request_and_reply(nng_socket socket, const void *data, size_t len, int64_t until_ns, nng_msg **reply)
{
	nng_ctx context = NNG_CTX_INITIALIZER;
	nng_aio *aio = NULL;
	nng_msg *request = NULL;
	int result = nng_ctx_open(&context, socket);
	if (!result)
		result = nng_aio_alloc(&aio, NULL, NULL);
	if (!result)
		result = nng_msg_alloc(&request, 0);
	if (!result)
		result = nng_msg_append(request, data, len);
	if (!result)
		result = exchange(context, aio, request, until_ns, reply);
	else if (request)
		nng_msg_free(request);
	if (aio)
		nng_aio_free(aio);
	if (context.id)
		nng_ctx_close(context);
	return result;
}

static int refuse_timeout(const struct nl_dialer *dialer, int64_t timeout_ns, struct nl_error *err)
{
	char reason[300];
	nl_error_set(err, NL_E_TIMEOUT, "reach the controller");
	nl_error_where(err, "%s", dialer->url);
	nl_dialer_reason(dialer, reason, sizeof reason);
	if (reason[0])
		nl_error_why(err, "%s", reason);
	else
		nl_error_why(err, "there was no answer within %.1f s", (double)timeout_ns / 1e9);
	return NL_E_TIMEOUT;
}

static nng_socket enter(struct nl_dialer *dialer)
{
	renew_line(dialer);
	pthread_mutex_lock(&dialer->lock);
	dialer->calls++;
	nng_socket socket = dialer->line.socket;
	pthread_mutex_unlock(&dialer->lock);
	return socket;
}

static void leave(struct nl_dialer *dialer)
{
	pthread_mutex_lock(&dialer->lock);
	if (--dialer->calls == 0)
		pthread_cond_broadcast(&dialer->idle);
	pthread_mutex_unlock(&dialer->lock);
}

static int take_reply(nng_msg *message, void **reply, size_t *reply_len, struct nl_error *err)
{
	size_t len = nng_msg_len(message);
	*reply = malloc(len ? len : 1);
	if (*reply) {
		memcpy(*reply, nng_msg_body(message), len);
		*reply_len = len;
	}
	nng_msg_free(message);
	return *reply ? 0 : nl_error_sys(err, ENOMEM, "take the controller's reply");
}

int nl_dialer_call(struct nl_dialer *dialer, const void *data, size_t len, int64_t timeout_ns, void **reply,
		   size_t *reply_len, int64_t *received_mono_ns, struct nl_error *err)
{
	nng_msg *message = NULL;
	*reply = NULL;
	*reply_len = 0;
	if (len > NL_MESSAGE_MAX_BYTES) {
		nl_error_set(err, NL_E_PROTOCOL, "send a request");
		nl_error_why(err, "it has %zu bytes, at most %u are allowed", len, NL_MESSAGE_MAX_BYTES);
		return NL_E_PROTOCOL;
	}
	int64_t until_ns;
	if (__builtin_add_overflow(nl_mono_ns(), timeout_ns, &until_ns))
		until_ns = INT64_MAX;
	nng_socket socket = enter(dialer);
	int code, result = request_and_reply(socket, data, len, until_ns, &message);
	if (received_mono_ns)
		*received_mono_ns = nl_mono_ns();
	if (!result)
		code = take_reply(message, reply, reply_len, err);
	else if (result == NNG_ETIMEDOUT)
		code = refuse_timeout(dialer, timeout_ns, err);
	else
		code = nl_link_refuse(err, result, "ask the controller", dialer->url);
	leave(dialer);
	return code;
}
