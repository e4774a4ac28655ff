/*
 * identity_pki: what the identity_*.c files share: random numbers, keys and certificates in files, and the check of a
 * certificate against a CA. Only for them. Every object of mbedtls belongs to one call, so nothing here needs a lock.
 */
#ifndef NL_PROTO_IDENTITY_PKI_H
#define NL_PROTO_IDENTITY_PKI_H

#include <mbedtls/ctr_drbg.h>
#include <mbedtls/entropy.h>
#include <mbedtls/pk.h>
#include <mbedtls/x509_crt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "proto/identity.h"

struct nl_rng {
	mbedtls_entropy_context entropy;
	mbedtls_ctr_drbg_context drbg;
};

/* nl_rng_init seeds a generator from the kernel. nl_rng_fini after any outcome of it. */
int nl_rng_init(struct nl_rng *rng, struct nl_error *err);
void nl_rng_fini(struct nl_rng *rng);

/* nl_pki_refuse fills the error for something that mbedtls refused; `result` is what it returned, 0 when it plays no
 * part. Returns code. */
int nl_pki_refuse(struct nl_error *err, enum nl_code code, int result, const char *what, const char *where);

int nl_pki_path(const char *dir, const char *file, char *path, size_t size, struct nl_error *err);
bool nl_pki_exists(const char *dir, const char *file);
/* nl_pki_make_directory makes dir and what is missing above it, mode 0700. */
int nl_pki_make_directory(const char *dir, struct nl_error *err);

/* The parsed object must be initialised before and freed after any outcome. load_key refuses a file that others may
 * read (NL_E_ACCESS). */
int nl_pki_load_key(const char *dir, const char *file, mbedtls_pk_context *key, struct nl_error *err);
int nl_pki_load_certificate(const char *dir, const char *file, mbedtls_x509_crt *certificate, struct nl_error *err);
/* nl_pki_parse_certificate: exactly one certificate in DER. */
int nl_pki_parse_certificate(const void *der, size_t len, mbedtls_x509_crt *certificate, struct nl_error *err);

int nl_pki_make_key(mbedtls_pk_context *key, struct nl_rng *rng, struct nl_error *err);
int nl_pki_save_key(const char *dir, const char *file, mbedtls_pk_context *key, struct nl_error *err);
int nl_pki_save_certificate(const char *dir, const char *file, const void *der, size_t len, struct nl_error *err);

bool nl_pki_is_p256(const mbedtls_pk_context *key);
/* nl_pki_common_name: the subject must be one common name that is a valid agent or controller name. */
bool nl_pki_common_name(const mbedtls_x509_name *subject, char name[NL_IDENTITY_NAME_MAX + 1]);

enum nl_pki_usage { NL_PKI_SERVER, NL_PKI_CLIENT };
/*
 * nl_pki_verify: the certificate is signed by the CA, in its dates, made for this usage, and no CA itself. `where`
 * names it. NL_E_IDENTITY with the reason.
 */
int nl_pki_verify(mbedtls_x509_crt *certificate, mbedtls_x509_crt *ca, enum nl_pki_usage usage, const char *where,
		  struct nl_error *err);
/* nl_pki_match: the private key belongs to the certificate. */
int nl_pki_match(const mbedtls_x509_crt *certificate, const mbedtls_pk_context *key, const char *where,
		 struct nl_error *err);

#endif
