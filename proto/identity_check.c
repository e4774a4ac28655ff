/*
 * identity_check: judges certificates, names and keys, and says in plain words what is wrong with them.
 */
#include <mbedtls/oid.h>
#include <mbedtls/sha256.h>
#include <stdio.h>
#include <string.h>

#include "proto/identity_pki.h"

bool nl_identity_name_valid(const char *name)
{
	size_t len = strlen(name);
	if (len == 0 || len > NL_IDENTITY_NAME_MAX || name[0] == '-' || name[len - 1] == '-')
		return false;
	return strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == len;
}

bool nl_pki_is_p256(const mbedtls_pk_context *key)
{
	return mbedtls_pk_get_type(key) == MBEDTLS_PK_ECKEY && mbedtls_pk_ec(*key)->grp.id == MBEDTLS_ECP_DP_SECP256R1;
}

bool nl_pki_common_name(const mbedtls_x509_name *subject, char name[NL_IDENTITY_NAME_MAX + 1])
{
	if (subject->next || MBEDTLS_OID_CMP(MBEDTLS_OID_AT_CN, &subject->oid) != 0)
		return false;
	size_t len = subject->val.len;
	if (len > NL_IDENTITY_NAME_MAX || memchr(subject->val.p, 0, len))
		return false;
	memcpy(name, subject->val.p, len);
	name[len] = '\0';
	return nl_identity_name_valid(name);
}

static int refuse(const char *where, const char *why, struct nl_error *err)
{
	nl_error_set(err, NL_E_IDENTITY, "accept the certificate");
	nl_error_where(err, "%s", where);
	nl_error_why(err, "%s", why);
	return NL_E_IDENTITY;
}

static int refuse_date(const char *where, const char *why, const mbedtls_x509_time *t, struct nl_error *err)
{
	char text[100];
	snprintf(text, sizeof text, "%s %04d-%02d-%02d %02d:%02d UTC", why, t->year, t->mon, t->day, t->hour, t->min);
	refuse(where, text, err);
	nl_error_todo(err, "compare the clocks of both hosts; if they are right, the certificate must be renewed");
	return NL_E_IDENTITY;
}

static bool made_for(const mbedtls_x509_crt *certificate, enum nl_pki_usage usage)
{
	static const char client[] = MBEDTLS_OID_CLIENT_AUTH, server[] = MBEDTLS_OID_SERVER_AUTH;
	const char *oid = usage == NL_PKI_CLIENT ? client : server;
	return (certificate->ext_types & MBEDTLS_X509_EXT_EXTENDED_KEY_USAGE) && !certificate->ca_istrue &&
	       mbedtls_x509_crt_check_extended_key_usage(certificate, oid, sizeof client - 1) == 0;
}

int nl_pki_verify(mbedtls_x509_crt *certificate, mbedtls_x509_crt *ca, enum nl_pki_usage usage, const char *where,
		  struct nl_error *err)
{
	uint32_t flags = 0;
	int result = mbedtls_x509_crt_verify(certificate, ca, NULL, NULL, &flags, NULL, NULL);
	if (mbedtls_x509_time_is_past(&certificate->valid_to))
		return refuse_date(where, "it expired on", &certificate->valid_to, err);
	if (mbedtls_x509_time_is_future(&certificate->valid_from))
		return refuse_date(where, "it is not valid before", &certificate->valid_from, err);
	if (mbedtls_x509_time_is_past(&ca->valid_to))
		return refuse_date(where, "the CA that signed it expired on", &ca->valid_to, err);
	if (flags & MBEDTLS_X509_BADCERT_NOT_TRUSTED)
		return refuse(where, "it was not signed by this controller's CA", err);
	if (result || flags) {
		char text[200];
		mbedtls_x509_crt_verify_info(text, sizeof text, "", flags);
		return refuse(where, flags ? text : "it could not be checked", err);
	}
	if (!made_for(certificate, usage))
		return refuse(where,
			      usage == NL_PKI_CLIENT ? "it is no agent's certificate"
						     : "it is no controller's certificate",
			      err);
	return 0;
}

int nl_pki_match(const mbedtls_x509_crt *certificate, const mbedtls_pk_context *key, const char *where,
		 struct nl_error *err)
{
	if (mbedtls_pk_check_pair(&certificate->pk, key) == 0)
		return 0;
	refuse(where, "the private key beside it is another one's", err);
	return NL_E_IDENTITY;
}

int nl_identity_fingerprint(const void *cert, size_t len, uint8_t fingerprint[NL_IDENTITY_FINGERPRINT_BYTES],
			    struct nl_error *err)
{
	unsigned char copy[NL_IDENTITY_PEM_MAX + 1];
	if (len > NL_IDENTITY_PEM_MAX)
		return refuse("", "it is too large", err);
	memcpy(copy, cert, len);
	copy[len] = '\0';
	mbedtls_x509_crt certificate;
	mbedtls_x509_crt_init(&certificate);
	/* PEM is recognised by its terminating zero, which DER must not have. */
	bool pem = strstr((const char *)copy, "-----BEGIN ") != NULL;
	int code = 0, result = mbedtls_x509_crt_parse(&certificate, copy, pem ? len + 1 : len);
	if (!result)
		result = mbedtls_sha256_ret(certificate.raw.p, certificate.raw.len, fingerprint, 0);
	if (result)
		code = nl_pki_refuse(err, NL_E_IDENTITY, result < 0 ? result : 0, "understand the certificate", "");
	mbedtls_x509_crt_free(&certificate);
	return code;
}

/* The files of one side of a connection. */
struct side {
	const char *key, *certificate, *todo;
	enum nl_pki_usage usage;
};

static int check_side(const char *dir, const struct side *side, char name[NL_IDENTITY_NAME_MAX + 1],
		      struct nl_error *err)
{
	char where[300];
	snprintf(where, sizeof where, "%.200s/%s", dir, side->certificate);
	mbedtls_x509_crt ca, certificate;
	mbedtls_pk_context key;
	mbedtls_x509_crt_init(&ca);
	mbedtls_x509_crt_init(&certificate);
	mbedtls_pk_init(&key);
	int code = nl_pki_load_certificate(dir, "ca.crt", &ca, err);
	if (!code)
		code = nl_pki_load_certificate(dir, side->certificate, &certificate, err);
	if (!code)
		code = nl_pki_load_key(dir, side->key, &key, err);
	if (code == NL_E_NOT_FOUND)
		nl_error_todo(err, "%s", side->todo);
	if (!code)
		code = nl_pki_verify(&certificate, &ca, side->usage, where, err);
	if (!code)
		code = nl_pki_match(&certificate, &key, where, err);
	if (!code && !nl_pki_common_name(&certificate.subject, name))
		code = refuse(where, "it does not carry one valid name", err);
	mbedtls_pk_free(&key);
	mbedtls_x509_crt_free(&certificate);
	mbedtls_x509_crt_free(&ca);
	return code;
}

int nl_identity_check_agent(const char *dir, char name[NL_IDENTITY_NAME_MAX + 1], struct nl_error *err)
{
	static const struct side side = {"agent.key", "agent.crt",
					 "join a controller first: nasline-agent join URL TOKEN", NL_PKI_CLIENT};
	name[0] = '\0';
	return check_side(dir, &side, name, err);
}

int nl_identity_check_controller(const char *dir, struct nl_error *err)
{
	static const struct side side = {"controller.key", "controller.crt",
					 "make the controller's identity first: nasline init", NL_PKI_SERVER};
	char name[NL_IDENTITY_NAME_MAX + 1];
	return check_side(dir, &side, name, err);
}
