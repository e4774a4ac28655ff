/*
 * link: the TLS sockets between agents and the controller (NNG REQ/REP with contexts over tls+tcp).
 *
 * Theory: NNG owns the threads. Each nl_call and each nl_serving is used by one thread at a time; several may run on
 * one dialer or listener at once (contexts). A REQ is sent again by NNG after a broken connection, so the controller
 * must answer a repeated sequence number with the same effect once (that is the caller's duty: see
 * controller/conduct/session.h).
 */
#ifndef NL_PROTO_LINK_H
#define NL_PROTO_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define NL_LINK_DEFAULT_PORT 7443
#define NL_LINK_LONG_POLL_NS (INT64_C(5) * 1000000000) /* well below the resend time of 60 s */

struct nl_listener;
struct nl_dialer;
struct nl_serving; /* one context of a listener, with at most one request in hand */

/*
 * nl_link_url parses "HOST", "HOST:PORT", "tls+tcp://HOST:PORT" (IPv6 in brackets) into an NNG URL of at most `size`
 * bytes.
 */
int nl_link_url(const char *text, char *url, size_t size, struct nl_error *err);

/*
 * nl_listener_start listens on `address` ("0.0.0.0:7443", "127.0.0.1:0") with DIR/controller.crt,.key and DIR/ca.crt.
 * Peers without a certificate of the CA get through the handshake only as "unverified" (they may enrol, nothing else:
 * nl_serving_receive tells). A peer with a certificate of another CA or out of its dates is unverified too, so that it
 * can be told why. Sets RECVMAXSZ to NL_MESSAGE_MAX_BYTES, TCP keepalive and nodelay. *port is the bound port.
 */
int nl_listener_start(const char *dir, const char *address, struct nl_listener **listener, uint16_t *port,
		      struct nl_error *err);
/*
 * nl_listener_stop wakes all receives with NL_E_CANCELLED and frees; NULL allowed. Replies given just before may be
 * lost with the connections: the peers ask again. Takes a few seconds at most.
 */
void nl_listener_stop(struct nl_listener *listener);

/* One serving per thread. nl_serving_free may come after nl_listener_stop, when its thread has left nl_serving_receive.
 */
int nl_serving_alloc(struct nl_listener *listener, struct nl_serving **serving, struct nl_error *err);
void nl_serving_free(struct nl_serving *serving);

struct nl_received {
	const void *data; /* valid until the reply is sent */
	size_t len;
	bool verified; /* the peer's certificate was checked against our CA */
	uint32_t pipe; /* identifies the connection */
	char peer[64]; /* address:port for messages */
};
/* nl_serving_receive waits at most timeout_ns (NL_E_TIMEOUT) for the next request. */
int nl_serving_receive(struct nl_serving *serving, int64_t timeout_ns, struct nl_received *received,
		       struct nl_error *err);
/* nl_serving_reply answers the request in hand; the data is copied. */
int nl_serving_reply(struct nl_serving *serving, const void *data, size_t len, struct nl_error *err);

/*
 * nl_dialer_start begins dialling `url` in the background and dials again by itself (100 ms to 2 s) for as long as it
 * lives. With `dir` the certificate DIR/agent.crt/.key is shown and the peer must be NL_IDENTITY_CONTROLLER_NAME of
 * DIR/ca.crt. With dir NULL: for enrolment; `ca_pem` NULL connects without checking the peer (only to fetch the CA
 * certificate), else the peer must be of that CA.
 */
int nl_dialer_start(const char *url, const char *dir, const char *ca_pem, struct nl_dialer **dialer,
		    struct nl_error *err);
/* nl_dialer_stop wakes all calls in progress (NL_E_CANCELLED) and waits until they have left; no new one may begin.
 * NULL allowed. */
void nl_dialer_stop(struct nl_dialer *dialer);
/*
 * nl_dialer_connected: whether a connection is up now. nl_dialer_reason: why there is none, in plain words; "" when
 * there is one or when the cause is gone already. It makes one connection of its own to find out, so it takes up to
 * some four seconds. Any thread.
 */
bool nl_dialer_connected(const struct nl_dialer *dialer);
const char *nl_dialer_reason(const struct nl_dialer *dialer, char *buf, size_t size);

/*
 * nl_dialer_call sends one request and waits for its reply, at most timeout_ns, in a context of its own. *reply is
 * freed by the caller with free(). A request above NL_MESSAGE_MAX_BYTES is NL_E_PROTOCOL before it is sent.
 * NL_E_TIMEOUT carries the dialer's reason. Any thread, several at once. *received_mono_ns (NULL allowed) is when the
 * reply arrived.
 */
int nl_dialer_call(struct nl_dialer *dialer, const void *data, size_t len, int64_t timeout_ns, void **reply,
		   size_t *reply_len, int64_t *received_mono_ns, struct nl_error *err);

#endif
