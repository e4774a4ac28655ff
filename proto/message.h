/*
 * message: encodes and defensively decodes what nasline.proto describes.
 *
 * Every string, byte field and repeated field has a limit in one table; the memory that decoding may take is limited by
 * a budget allocator, so that a small hostile message cannot become a large one. Generated names: nl__request__... ;
 * types Nl__Request ...
 */
#ifndef NL_PROTO_MESSAGE_H
#define NL_PROTO_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "proto/nasline.pb-c.h"

#define NL_PROTOCOL_VERSION  1u
#define NL_MESSAGE_MAX_BYTES (1024u * 1024u) /* either direction; the receiving socket's NNG_OPT_RECVMAXSZ */

/*
 * nl_request_decode / nl_reply_decode unpack `len` bytes into a message that the caller frees with nl_request_free /
 * nl_reply_free. Refuses, with the field named in `why`: bytes that are no message, a version other than ours
 * (NL_E_PROTOCOL, both versions said), no body, a field that this version does not have or that is above its limit, an
 * enum or nl_code out of range, series whose delta and value counts differ, NUL or invalid UTF-8 in strings, non-finite
 * doubles, negative durations. Any thread.
 */
int nl_request_decode(const void *data, size_t len, Nl__Request **request, struct nl_error *err);
int nl_reply_decode(const void *data, size_t len, Nl__Reply **reply, struct nl_error *err);
void nl_request_free(Nl__Request *request);
void nl_reply_free(Nl__Reply *reply);

/* nl_order_decode / nl_order_free: the same for an Order alone (the agent keeps the bytes of an order beyond its
 * reply). */
int nl_order_decode(const void *data, size_t len, Nl__Order **order, struct nl_error *err);
void nl_order_free(Nl__Order *order);

/*
 * nl_request_encode / nl_reply_encode pack into a fresh buffer (caller frees with free). What the receiver would refuse
 * (a field above its limit, text that is not UTF-8: clean foreign text with nl_text_clean) and a message above
 * NL_MESSAGE_MAX_BYTES is NL_E_PROTOCOL: the receiver would drop the connection and NNG would send it again for ever.
 * version and body are not looked at.
 */
int nl_request_encode(const Nl__Request *request, void **data, size_t *len, struct nl_error *err);
int nl_reply_encode(const Nl__Reply *reply, void **data, size_t *len, struct nl_error *err);

/* nl_failure_from_error points the fields of *failure into *err (valid as long as err is); nl_error_from_failure copies
 * back. */
void nl_failure_from_error(Nl__Failure *failure, const struct nl_error *err);
void nl_error_from_failure(struct nl_error *err, const Nl__Failure *failure);

/*
 * nl_secret_wipe_order overwrites every secret in a decoded order; call before nl_order_free.
 */
void nl_secret_wipe_order(Nl__Order *order);

#endif
