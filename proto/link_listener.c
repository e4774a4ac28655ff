/*
 * link_listener: the controller's end. One REP socket on one TLS port; a context per thread that answers.
 *
 * Locking: none of ours. A listener is started and stopped by one thread, a serving belongs to one thread at a time,
 * NNG locks what they share. A serving knows its context only, so it may be freed after the listener stopped.
 */
#include <inttypes.h>
#include <nng/nng.h>
#include <nng/protocol/reqrep0/rep.h>
#include <nng/supplemental/tls/tls.h>
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "proto/link.h"
#include "proto/link_common.h"
#include "proto/link_pipes.h"
#include "proto/message.h"

/* A peer that does not take its reply for this long has lost it; it asks again. */
#define REPLY_TIMEOUT_NS (30 * NL_NS_PER_S)

struct nl_listener {
	nng_socket socket;
	struct nl_pipes *pipes;
	nng_tls_config *tls;
};

struct nl_serving {
	nng_ctx context;
	nng_aio *aio;
	nng_msg *request;
	bool in_hand;
};

/* Optional: a peer without a good certificate must get through to enrol and to be told what is wrong with the one it
 * has. */
static int configure_tls(struct nl_listener *listener, const char *dir, struct nl_error *err)
{
	int result = nng_tls_config_alloc(&listener->tls, NNG_TLS_MODE_SERVER);
	if (!result)
		result = nng_tls_config_auth_mode(listener->tls, NNG_TLS_AUTH_MODE_OPTIONAL);
	if (result)
		return nl_link_refuse(err, result, "prepare TLS", dir);
	return nl_link_own_identity(listener->tls, dir, "controller", err);
}

static int listen_on(struct nl_listener *listener, const char *url, uint16_t *port, struct nl_error *err)
{
	nng_listener end;
	int number = 0, result = nng_socket_set_size(listener->socket, NNG_OPT_RECVMAXSZ,
						     NL_MESSAGE_MAX_BYTES + NL_LINK_HEADER_BYTES);
	if (!result)
		result = nng_listener_create(&end, listener->socket, url);
	if (!result)
		result = nng_listener_set_ptr(end, NNG_OPT_TLS_CONFIG, listener->tls);
	if (!result)
		result = nng_listener_set_bool(end, NNG_OPT_TCP_NODELAY, true);
	if (!result)
		result = nng_listener_set_bool(end, NNG_OPT_TCP_KEEPALIVE, true);
	if (!result)
		result = nng_listener_start(end, 0);
	if (!result)
		result = nng_listener_get_int(end, NNG_OPT_TCP_BOUND_PORT, &number);
	*port = (uint16_t)number;
	if (!result)
		return 0;
	int code = nl_link_refuse(err, result, "listen", url);
	if (result == NNG_EADDRINUSE)
		nl_error_todo(err, "another program listens there; stop it or choose another port");
	return code;
}

int nl_listener_start(const char *dir, const char *address, struct nl_listener **listener, uint16_t *port,
		      struct nl_error *err)
{
	char url[320];
	*listener = NULL;
	int code = nl_link_url(address, url, sizeof url, err);
	if (code)
		return code;
	struct nl_listener *l = calloc(1, sizeof *l);
	if (!l)
		return nl_error_sys(err, ENOMEM, "listen");
	int result = nng_rep0_open(&l->socket);
	if (result)
		code = nl_link_refuse(err, result, "open a socket", url);
	if (!code)
		code = nl_pipes_start(l->socket, &l->pipes, err);
	if (!code)
		code = configure_tls(l, dir, err);
	if (!code)
		code = listen_on(l, url, port, err);
	if (code) {
		nl_listener_stop(l);
		return code;
	}
	*listener = l;
	return 0;
}

void nl_listener_stop(struct nl_listener *listener)
{
	if (!listener)
		return;
	nl_pipes_close(listener->pipes);
	nl_pipes_free(listener->pipes);
	if (listener->tls)
		nng_tls_config_free(listener->tls);
	free(listener);
}

int nl_serving_alloc(struct nl_listener *listener, struct nl_serving **serving, struct nl_error *err)
{
	*serving = NULL;
	struct nl_serving *s = calloc(1, sizeof *s);
	if (!s)
		return nl_error_sys(err, ENOMEM, "prepare to serve");
	int result = nng_ctx_open(&s->context, listener->socket);
	if (!result)
		result = nng_aio_alloc(&s->aio, NULL, NULL);
	if (result) {
		nl_serving_free(s);
		return nl_link_refuse(err, result, "prepare to serve", "");
	}
	*serving = s;
	return 0;
}

void nl_serving_free(struct nl_serving *serving)
{
	if (!serving)
		return;
	if (serving->context.id)
		nng_ctx_close(serving->context);
	if (serving->request)
		nng_msg_free(serving->request);
	if (serving->aio)
		nng_aio_free(serving->aio);
	free(serving);
}

static void peer_text(nng_pipe pipe, char *text, size_t size)
{
	nng_sockaddr address;
	char host[INET6_ADDRSTRLEN] = "?";
	snprintf(text, size, "unknown");
	if (nng_pipe_get_addr(pipe, NNG_OPT_REMADDR, &address) != 0)
		return;
	if (address.s_family == NNG_AF_INET) {
		inet_ntop(AF_INET, &address.s_in.sa_addr, host, sizeof host);
		snprintf(text, size, "%s:%u", host, ntohs(address.s_in.sa_port));
	} else if (address.s_family == NNG_AF_INET6) {
		inet_ntop(AF_INET6, address.s_in6.sa_addr, host, sizeof host);
		snprintf(text, size, "[%s]:%u", host, ntohs(address.s_in6.sa_port));
	}
}

int nl_serving_receive(struct nl_serving *serving, int64_t timeout_ns, struct nl_received *received,
		       struct nl_error *err)
{
	if (serving->request)
		nng_msg_free(serving->request);
	serving->request = NULL;
	serving->in_hand = false;
	nng_aio_set_timeout(serving->aio, nl_link_ms(timeout_ns));
	nng_ctx_recv(serving->context, serving->aio);
	nng_aio_wait(serving->aio);
	int result = nng_aio_result(serving->aio);
	if (result)
		return nl_link_refuse(err, result, "receive a request", "");
	serving->request = nng_aio_get_msg(serving->aio);
	serving->in_hand = true;
	nng_pipe pipe = nng_msg_get_pipe(serving->request);
	*received = (struct nl_received){
		.data = nng_msg_body(serving->request),
		.len = nng_msg_len(serving->request),
		.pipe = (uint32_t)nng_pipe_id(pipe),
	};
	/* A pipe that is gone already tells nothing: then the peer counts as unverified. */
	if (nng_pipe_get_bool(pipe, NNG_OPT_TLS_VERIFIED, &received->verified) != 0)
		received->verified = false;
	peer_text(pipe, received->peer, sizeof received->peer);
	return 0;
}

static int refuse_reply(const char *why, enum nl_code code, struct nl_error *err)
{
	nl_error_set(err, code, "send a reply");
	nl_error_why(err, "%s", why);
	return code;
}

int nl_serving_reply(struct nl_serving *serving, const void *data, size_t len, struct nl_error *err)
{
	if (!serving->in_hand)
		return refuse_reply("there is no request to answer", NL_E_INTERNAL, err);
	if (len > NL_MESSAGE_MAX_BYTES)
		return refuse_reply("it is larger than any message may be", NL_E_PROTOCOL, err);
	nng_msg *reply;
	int result = nng_msg_alloc(&reply, 0);
	if (result)
		return nl_link_refuse(err, result, "send a reply", "");
	result = nng_msg_append(reply, data, len);
	if (!result) {
		nng_aio_set_msg(serving->aio, reply);
		nng_aio_set_timeout(serving->aio, nl_link_ms(REPLY_TIMEOUT_NS));
		nng_ctx_send(serving->context, serving->aio);
		nng_aio_wait(serving->aio);
		result = nng_aio_result(serving->aio);
	}
	serving->in_hand = false;
	nng_msg_free(serving->request);
	serving->request = NULL;
	if (!result)
		return 0;
	nng_msg_free(reply);
	return nl_link_refuse(err, result, "send a reply", "");
}
