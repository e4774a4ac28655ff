/*
 * identity_agent: the agent's key and request, the certificate it is given, and the proof of its name; and the
 * controller's check of that proof.
 */
#include <mbedtls/md.h>
#include <mbedtls/x509_csr.h>
#include <stdio.h>
#include <string.h>

#include "proto/identity_pki.h"

/* An agent that joins again keeps its key. */
static int load_or_make_key(const char *dir, mbedtls_pk_context *key, struct nl_rng *rng, struct nl_error *err)
{
	if (nl_pki_exists(dir, "agent.key"))
		return nl_pki_load_key(dir, "agent.key", key, err);
	int code = nl_pki_make_key(key, rng, err);
	return code ? code : nl_pki_save_key(dir, "agent.key", key, err);
}

static int write_request(mbedtls_pk_context *key, const char *name, struct nl_rng *rng,
			 uint8_t der[NL_IDENTITY_DER_MAX], size_t *len, struct nl_error *err)
{
	char subject[4 + NL_IDENTITY_NAME_MAX];
	snprintf(subject, sizeof subject, "CN=%s", name);
	mbedtls_x509write_csr writer;
	mbedtls_x509write_csr_init(&writer);
	mbedtls_x509write_csr_set_md_alg(&writer, MBEDTLS_MD_SHA256);
	mbedtls_x509write_csr_set_key(&writer, key);
	int result = mbedtls_x509write_csr_set_subject_name(&writer, subject);
	if (!result)
		result = mbedtls_x509write_csr_der(&writer, der, NL_IDENTITY_DER_MAX, mbedtls_ctr_drbg_random,
						   &rng->drbg);
	mbedtls_x509write_csr_free(&writer);
	if (result <= 0)
		return nl_pki_refuse(err, NL_E_INTERNAL, result, "make a certificate request", name);
	*len = (size_t)result;
	memmove(der, der + NL_IDENTITY_DER_MAX - *len, *len);
	return 0;
}

int nl_identity_request_create(const char *dir, const char *name, uint8_t der[NL_IDENTITY_DER_MAX], size_t *len,
			       struct nl_error *err)
{
	if (!nl_identity_name_valid(name)) {
		nl_error_set(err, NL_E_USAGE, "use \"%.80s\" as this agent's name", name);
		nl_error_why(err, "a name is 1 to 63 of a-z, 0-9 and '-', and does not begin or end with '-'");
		return NL_E_USAGE;
	}
	mbedtls_pk_context key;
	struct nl_rng rng;
	mbedtls_pk_init(&key);
	int code = nl_rng_init(&rng, err);
	if (!code)
		code = nl_pki_make_directory(dir, err);
	if (!code)
		code = load_or_make_key(dir, &key, &rng, err);
	if (!code)
		code = write_request(&key, name, &rng, der, len, err);
	nl_rng_fini(&rng);
	mbedtls_pk_free(&key);
	return code;
}

int nl_identity_agent_install(const char *dir, const void *ca_der, size_t ca_len, const void *cert_der, size_t cert_len,
			      struct nl_error *err)
{
	mbedtls_x509_crt ca, certificate;
	mbedtls_pk_context key;
	char name[NL_IDENTITY_NAME_MAX + 1];
	mbedtls_x509_crt_init(&ca);
	mbedtls_x509_crt_init(&certificate);
	mbedtls_pk_init(&key);
	int code = nl_pki_parse_certificate(ca_der, ca_len, &ca, err);
	if (!code)
		code = nl_pki_parse_certificate(cert_der, cert_len, &certificate, err);
	if (!code)
		code = nl_pki_load_key(dir, "agent.key", &key, err);
	if (!code)
		code = nl_pki_verify(&certificate, &ca, NL_PKI_CLIENT, "the certificate that the controller sent", err);
	if (!code)
		code = nl_pki_match(&certificate, &key, "the certificate that the controller sent", err);
	if (!code && !nl_pki_common_name(&certificate.subject, name))
		code = nl_pki_refuse(err, NL_E_IDENTITY, 0,
				     "use the certificate that the controller sent: it has no valid name", dir);
	if (!code)
		code = nl_pki_save_certificate(dir, "ca.crt", ca_der, ca_len, err);
	if (!code)
		code = nl_pki_save_certificate(dir, "agent.crt", cert_der, cert_len, err);
	mbedtls_pk_free(&key);
	mbedtls_x509_crt_free(&certificate);
	mbedtls_x509_crt_free(&ca);
	return code;
}

static int proof_hash(const char *name, const uint8_t nonce[NL_IDENTITY_NONCE_BYTES], unsigned char hash[32],
		      struct nl_error *err)
{
	unsigned char text[32 + NL_IDENTITY_NAME_MAX + NL_IDENTITY_NONCE_BYTES];
	int head = snprintf((char *)text, sizeof text - NL_IDENTITY_NONCE_BYTES, "nasline agent proof 1\n%s\n", name);
	if (!nl_identity_name_valid(name) || head < 0)
		return nl_pki_refuse(err, NL_E_IDENTITY, 0, "use the agent's name", "");
	memcpy(text + head, nonce, NL_IDENTITY_NONCE_BYTES);
	int result = mbedtls_md(mbedtls_md_info_from_type(MBEDTLS_MD_SHA256), text,
				(size_t)head + NL_IDENTITY_NONCE_BYTES, hash);
	return result ? nl_pki_refuse(err, NL_E_INTERNAL, result, "hash the proof", "") : 0;
}

int nl_identity_prove(const char *dir, const char *name, const uint8_t nonce[NL_IDENTITY_NONCE_BYTES],
		      uint8_t signature[NL_IDENTITY_SIGNATURE_MAX], size_t *len, struct nl_error *err)
{
	unsigned char hash[32], buf[MBEDTLS_PK_SIGNATURE_MAX_SIZE];
	mbedtls_pk_context key;
	struct nl_rng rng;
	size_t used = 0;
	mbedtls_pk_init(&key);
	int code = nl_rng_init(&rng, err);
	if (!code)
		code = proof_hash(name, nonce, hash, err);
	if (!code)
		code = nl_pki_load_key(dir, "agent.key", &key, err);
	if (!code) {
		int result = mbedtls_pk_sign(&key, MBEDTLS_MD_SHA256, hash, sizeof hash, buf, &used,
					     mbedtls_ctr_drbg_random, &rng.drbg);
		if (result || used > NL_IDENTITY_SIGNATURE_MAX)
			code = nl_pki_refuse(err, NL_E_INTERNAL, result, "sign the proof", dir);
	}
	if (!code) {
		memcpy(signature, buf, used);
		*len = used;
	}
	nl_rng_fini(&rng);
	mbedtls_pk_free(&key);
	return code;
}

static int check_proof(mbedtls_x509_crt *certificate, const char *name, const uint8_t nonce[NL_IDENTITY_NONCE_BYTES],
		       const uint8_t *signature, size_t signature_len, struct nl_error *err)
{
	char subject[NL_IDENTITY_NAME_MAX + 1];
	unsigned char hash[32];
	int code = proof_hash(name, nonce, hash, err);
	if (code)
		return code;
	if (!nl_pki_common_name(&certificate->subject, subject) || strcmp(subject, name) != 0) {
		nl_pki_refuse(err, NL_E_IDENTITY, 0, "accept the agent's name", name);
		nl_error_why(err, "its certificate carries another name");
		return NL_E_IDENTITY;
	}
	if (nl_pki_is_p256(&certificate->pk) &&
	    mbedtls_pk_verify(&certificate->pk, MBEDTLS_MD_SHA256, hash, sizeof hash, signature, signature_len) == 0)
		return 0;
	nl_pki_refuse(err, NL_E_IDENTITY, 0, "accept the agent's proof", name);
	nl_error_why(err, "the signature is wrong: it does not have the certificate's private key");
	return NL_E_IDENTITY;
}

int nl_identity_verify(const char *dir, const char *name, const void *cert_der, size_t cert_len,
		       const uint8_t nonce[NL_IDENTITY_NONCE_BYTES], const uint8_t *signature, size_t signature_len,
		       struct nl_error *err)
{
	mbedtls_x509_crt ca, certificate;
	mbedtls_x509_crt_init(&ca);
	mbedtls_x509_crt_init(&certificate);
	int code = nl_pki_load_certificate(dir, "ca.crt", &ca, err);
	if (!code)
		code = nl_pki_parse_certificate(cert_der, cert_len, &certificate, err);
	if (!code)
		code = nl_pki_verify(&certificate, &ca, NL_PKI_CLIENT, name, err);
	if (!code)
		code = check_proof(&certificate, name, nonce, signature, signature_len, err);
	mbedtls_x509_crt_free(&certificate);
	mbedtls_x509_crt_free(&ca);
	return code;
}
