/*
 * link_common: what the two ends of a link and the probe share. Only for proto/link_*.c.
 */
#ifndef NL_PROTO_LINK_COMMON_H
#define NL_PROTO_LINK_COMMON_H

#include <nng/nng.h>
#include <nng/supplemental/tls/tls.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* What NNG and its REQ protocol put before a message counts against NNG_OPT_RECVMAXSZ too. */
#define NL_LINK_HEADER_BYTES 64
#define NL_LINK_SCHEME       "tls+tcp://"

/* nl_link_refuse fills the error for NNG's `result`, picks the code from it and returns it. */
int nl_link_refuse(struct nl_error *err, int result, const char *what, const char *where);

/* nl_link_ms turns a timeout into NNG's milliseconds, rounded up, at least 0. */
nng_duration nl_link_ms(int64_t timeout_ns);

/* nl_link_split cuts an NNG URL into host (without brackets) and port. */
int nl_link_split(const char *url, char *host, size_t host_size, char *port, size_t port_size, struct nl_error *err);

/*
 * nl_link_own_identity gives `tls` the key and certificate DIR/NAME.key, .crt and the CA DIR/ca.crt.
 */
int nl_link_own_identity(nng_tls_config *tls, const char *dir, const char *name, struct nl_error *err);

/*
 * nl_link_probe makes one TLS connection of its own to `url` and writes why it fails, in plain words, or "" when it
 * works. The peer is checked against `ca_pem`, not at all when it is NULL. Takes at most about four seconds.
 */
void nl_link_probe(const char *url, const char *ca_pem, char *why, size_t size);

struct nl_dialer;
/* nl_dialer_calls: how many calls are in progress. For tests. */
unsigned nl_dialer_calls(struct nl_dialer *dialer);

#endif
