/*
 * message: what the control frames say. Every message is a JSON object with a "type"; every field is checked when read.
 *
 *   client                          server
 *   hello {version, nonce, proof}                          a wrong proof is answered by closing, without a byte
 *                                   challenge {version, nonce, proof}
 *   request {proof, test}
 *                                   ready {token} or refused {why, code}
 *   (data connections, each with the token)
 *                                   connected
 *   start
 *   alive, stop                     alive, interval           while measuring
 *                                   result {host, sides}
 *   bye
 *
 * An nl_error must be given wherever the returned code matters.
 */
#ifndef NL_NETBENCH_MESSAGE_H
#define NL_NETBENCH_MESSAGE_H

#include <jansson.h>

#include "netbench/auth.h"
#include "netbench/netbench.h"

#define NL_NB_VERSION 1

/* The first bytes of a connection tell its kind; a data connection goes on with token, direction, stream number. */
#define NL_NB_PREFACE_BYTES     8
#define NL_NB_PREFACE_CONTROL   "netbnchC"
#define NL_NB_PREFACE_DATA      "netbnchD"
#define NL_NB_DATA_HEADER_BYTES (NL_NB_PREFACE_BYTES + NL_NB_TOKEN_BYTES + 2)

#define NL_NB_HANDSHAKE_NS (2 * NL_NS_PER_S) /* a peer must have proved itself by then; data connections be there */
#define NL_NB_ALIVE_NS     (NL_NS_PER_S / 2) /* how often each end says so */
#define NL_NB_SILENCE_NS   (2 * NL_NS_PER_S) /* the server gives a silent client up */
#define NL_NB_LOST_NS      (5 * NL_NS_PER_S) /* the client gives a silent server up */
#define NL_NB_DRAIN_NS     (3 * NL_NS_PER_S) /* after the end, for what is still in the buffers */

/* What a client asks for. Texts are zero-terminated, "" for none. */
struct nl_nb_request {
	unsigned direction, streams;
	int64_t duration_ns, omit_ns, interval_ns;
	uint32_t block_bytes, window_bytes;
	char congestion[16];
};

/* nl_nb_type is the frame's "type" or "". */
const char *nl_nb_type(const json_t *frame);
/* nl_nb_message makes {"type": type}. NULL only without memory. */
json_t *nl_nb_message(const char *type);

/* Handshake. The _check functions of the server give NL_E_ACCESS with the reason for its own log. */
json_t *nl_nb_hello_pack(const struct nl_nb_auth *auth);
int nl_nb_hello_check(struct nl_nb_auth *auth, const json_t *frame, struct nl_error *err);
json_t *nl_nb_challenge_pack(const struct nl_nb_auth *auth);
int nl_nb_challenge_check(struct nl_nb_auth *auth, const json_t *frame, struct nl_error *err);
json_t *nl_nb_request_pack(const struct nl_nb_auth *auth, const struct nl_nb_request *request);
/* nl_nb_request_check proves the client; nl_nb_request_unpack reads what it wants, in range (else NL_E_PROTOCOL). */
int nl_nb_request_check(const struct nl_nb_auth *auth, const json_t *frame, struct nl_error *err);
int nl_nb_request_unpack(const json_t *frame, struct nl_nb_request *request, struct nl_error *err);

/* nl_nb_request_from makes a request of a client's configuration, refusing values out of range with NL_E_CONFIG. */
int nl_nb_request_from(const struct nl_netbench_config *config, struct nl_nb_request *request, struct nl_error *err);

/* nl_nb_proof_add adds the proof when there is a key. Takes `object` (NULL allowed) and returns it, NULL on failure. */
json_t *nl_nb_proof_add(json_t *object, const struct nl_nb_auth *auth, enum nl_nb_prover prover);

json_t *nl_nb_refused_pack(enum nl_code code, const char *why);
/* nl_nb_refused_unpack fills *err from a "refused" frame and returns its code. */
int nl_nb_refused_unpack(const json_t *frame, struct nl_error *err);

json_t *nl_nb_ready_pack(const unsigned char token[NL_NB_TOKEN_BYTES]);
int nl_nb_ready_unpack(const json_t *frame, unsigned char token[NL_NB_TOKEN_BYTES], struct nl_error *err);

json_t *nl_nb_interval_pack(const struct nl_netbench_interval *interval);
int nl_nb_interval_unpack(const json_t *frame, struct nl_netbench_interval *interval, struct nl_error *err);

/*
 * nl_nb_result_pack packs the server's sides (TO_SERVER receiver, FROM_SERVER sender) of the flows used, without their
 * intervals, and result->server. nl_nb_result_unpack reads them into *result, whose flows' `used` are set; each side
 * must have exactly `streams` streams.
 */
json_t *nl_nb_result_pack(const struct nl_netbench_result *result, bool broken);
int nl_nb_result_unpack(const json_t *frame, unsigned streams, struct nl_netbench_result *result, bool *broken,
			struct nl_error *err);

/* nl_nb_data_header writes NL_NB_DATA_HEADER_BYTES. nl_nb_data_header_read gives false when token or numbers are wrong.
 */
void nl_nb_data_header(unsigned char *header, const unsigned char token[NL_NB_TOKEN_BYTES], unsigned flow,
		       unsigned stream);
bool nl_nb_data_header_read(const unsigned char *header, const unsigned char token[NL_NB_TOKEN_BYTES], unsigned streams,
			    unsigned *flow, unsigned *stream);

#endif
