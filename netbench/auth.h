/*
 * auth: randomness and the proofs that both ends hold the same key (HMAC-SHA256 over both ends' nonces).
 */
#ifndef NL_NETBENCH_AUTH_H
#define NL_NETBENCH_AUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define NL_NB_NONCE_BYTES 32
#define NL_NB_PROOF_BYTES 32
#define NL_NB_TOKEN_BYTES 16

/* Who proves: each proof is made under its own label, so none can be replayed as another. */
enum nl_nb_prover {
	NL_NB_PROOF_HELLO,  /* the client's first word, over its nonce alone: who cannot make it gets no answer */
	NL_NB_PROOF_SERVER, /* over both nonces */
	NL_NB_PROOF_CLIENT, /* over both nonces */
};

struct nl_nb_auth {
	const unsigned char *key; /* NULL: no key; the caller's, must outlive this */
	size_t key_len;
	unsigned char client_nonce[NL_NB_NONCE_BYTES];
	unsigned char server_nonce[NL_NB_NONCE_BYTES];
};

/* nl_nb_random fills buf from the kernel's random source. */
int nl_nb_random(void *buf, size_t len, struct nl_error *err);

/* nl_nb_proof makes the proof; needs auth->key. */
int nl_nb_proof(const struct nl_nb_auth *auth, enum nl_nb_prover prover, unsigned char proof[NL_NB_PROOF_BYTES],
		struct nl_error *err);

/* nl_nb_proof_check is whether `proof` is the right one; false on any fault. Takes the same time for every wrong one.
 */
bool nl_nb_proof_check(const struct nl_nb_auth *auth, enum nl_nb_prover prover,
		       const unsigned char proof[NL_NB_PROOF_BYTES]);

/* nl_nb_equal compares two secrets of the same length in constant time. */
bool nl_nb_equal(const void *a, const void *b, size_t len);

/* nl_nb_hex writes 2 * len digits and a zero to text. nl_nb_unhex reads exactly 2 * len of them; false on anything
 * else. */
void nl_nb_hex(const unsigned char *bytes, size_t len, char *text);
bool nl_nb_unhex(const char *text, unsigned char *bytes, size_t len);

#endif
