/*
 * identity: who may talk to whom. The controller's own CA (ECDSA P-256), certificates signed by it, one-time join
 * tokens that carry the CA's fingerprint, and the signature by which an agent proves its name.
 *
 * mbedtls does all cryptography; random numbers come from its CTR-DRBG seeded by the kernel. Private keys are PEM files
 * of mode 0600; everything else PEM of mode 0644; directories 0700.
 */
#ifndef NL_PROTO_IDENTITY_H
#define NL_PROTO_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define NL_IDENTITY_FINGERPRINT_BYTES 32
#define NL_IDENTITY_NONCE_BYTES       32
#define NL_IDENTITY_SECRET_BYTES      16
#define NL_IDENTITY_NAME_MAX          63
#define NL_IDENTITY_SIGNATURE_MAX     80
#define NL_IDENTITY_DER_MAX           2048
#define NL_IDENTITY_PEM_MAX           4096
/* The name in the controller's certificate; agents verify it whatever address they dial. */
#define NL_IDENTITY_CONTROLLER_NAME "nasline-controller"

struct nl_token {
	uint8_t ca_fingerprint[NL_IDENTITY_FINGERPRINT_BYTES]; /* SHA-256 of the CA certificate's DER */
	uint8_t secret[NL_IDENTITY_SECRET_BYTES];
};

/* nl_identity_random fills buf from the DRBG. */
int nl_identity_random(void *buf, size_t len, struct nl_error *err);

/* nl_identity_name_valid: 1..63 of [a-z0-9-], not beginning or ending with '-'. */
bool nl_identity_name_valid(const char *name);

/*
 * nl_identity_ca_create makes in directory `dir` (created 0700): ca.key, ca.crt (10 years), controller.key,
 * controller.crt (2 years, server usage, SAN NL_IDENTITY_CONTROLLER_NAME). Refuses when ca.key exists (NL_E_CONFIG). A
 * crash in the middle leaves no half pair that is taken for whole.
 */
int nl_identity_ca_create(const char *dir, struct nl_error *err);

/* nl_identity_fingerprint: SHA-256 of the certificate in `cert` (PEM or DER). */
int nl_identity_fingerprint(const void *cert, size_t len, uint8_t fingerprint[NL_IDENTITY_FINGERPRINT_BYTES],
			    struct nl_error *err);

/* nl_identity_pem writes a certificate given as DER as PEM text. */
int nl_identity_pem(const void *cert_der, size_t len, char pem[NL_IDENTITY_PEM_MAX], struct nl_error *err);
/* nl_identity_der gives the first certificate of PEM text (`len` without a closing zero; the text must have one) as
 * DER. */
int nl_identity_der(const char *pem, size_t len, uint8_t der[NL_IDENTITY_DER_MAX], size_t *der_len,
		    struct nl_error *err);

/* nl_token_make: fresh secret, fingerprint of the CA in `dir`. */
int nl_token_make(const char *dir, struct nl_token *token, struct nl_error *err);
/* nl_token_text: "nl1-" and URL-safe text with a checksum, so that a mistyped token is told from a wrong one. 128 bytes
 * suffice. */
char *nl_token_text(const struct nl_token *token, char *buf, size_t size);
int nl_token_parse(const char *text, struct nl_token *token, struct nl_error *err);
/* nl_token_hash: SHA-256 of the secret, the only form in which the controller keeps it. */
int nl_token_hash(const uint8_t secret[NL_IDENTITY_SECRET_BYTES], uint8_t hash[32], struct nl_error *err);

/*
 * Agent side. nl_identity_request_create makes DIR/agent.key (if there is none) and a PKCS#10 request for `name` in der
 * (DER, *len).
 */
int nl_identity_request_create(const char *dir, const char *name, uint8_t der[NL_IDENTITY_DER_MAX], size_t *len,
			       struct nl_error *err);
/* nl_identity_agent_install checks that the certificate matches agent.key and the CA, then writes DIR/ca.crt and
 * DIR/agent.crt. */
int nl_identity_agent_install(const char *dir, const void *ca_der, size_t ca_len, const void *cert_der, size_t cert_len,
			      struct nl_error *err);

/*
 * Controller side. nl_identity_sign checks the request (P-256, self-signature, name equal to `name`) and gives a client
 * certificate, DER, valid from an hour ago for `days` (negative: already expired, for tests).
 */
int nl_identity_sign(const char *dir, const void *request_der, size_t request_len, const char *name, int days,
		     uint8_t cert_der[NL_IDENTITY_DER_MAX], size_t *cert_len, struct nl_error *err);

/*
 * nl_identity_prove signs, with DIR/agent.key, SHA-256("nasline agent proof 1\n" name "\n" nonce). nl_identity_verify
 * checks it with the certificate (DER), that the certificate is signed by the CA in `dir`, in its dates, and carries
 * `name`; NL_E_IDENTITY with the reason (wrong CA, expired since DATE, other name, bad signature).
 */
int nl_identity_prove(const char *dir, const char *name, const uint8_t nonce[NL_IDENTITY_NONCE_BYTES],
		      uint8_t signature[NL_IDENTITY_SIGNATURE_MAX], size_t *len, struct nl_error *err);
int nl_identity_verify(const char *dir, const char *name, const void *cert_der, size_t cert_len,
		       const uint8_t nonce[NL_IDENTITY_NONCE_BYTES], const uint8_t *signature, size_t signature_len,
		       struct nl_error *err);

/*
 * nl_identity_check_agent / _check_controller look at the files in `dir` before a connection is tried and say what is
 * wrong in plain words: missing, readable by others, expired since DATE, not yet valid, key does not match, not signed
 * by this CA.
 */
int nl_identity_check_agent(const char *dir, char name[NL_IDENTITY_NAME_MAX + 1], struct nl_error *err);
int nl_identity_check_controller(const char *dir, struct nl_error *err);

#endif
