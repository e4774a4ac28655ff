/*
 * identity_pki: random numbers, and keys and certificates in files.
 */
#include "proto/identity_pki.h"

#include <errno.h>
#include <limits.h>
#include <mbedtls/error.h>
#include <mbedtls/pem.h>
#include <mbedtls/platform_util.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/parse.h"

int nl_rng_init(struct nl_rng *rng, struct nl_error *err)
{
	static const char personal[] = "nasline identity";
	mbedtls_entropy_init(&rng->entropy);
	mbedtls_ctr_drbg_init(&rng->drbg);
	int result = mbedtls_ctr_drbg_seed(&rng->drbg, mbedtls_entropy_func, &rng->entropy,
					   (const unsigned char *)personal, sizeof personal - 1);
	return result ? nl_pki_refuse(err, NL_E_SYSTEM, result, "seed the random number generator", "") : 0;
}

void nl_rng_fini(struct nl_rng *rng)
{
	mbedtls_ctr_drbg_free(&rng->drbg);
	mbedtls_entropy_free(&rng->entropy);
}

int nl_identity_random(void *buf, size_t len, struct nl_error *err)
{
	struct nl_rng rng;
	unsigned char *p = buf;
	int result = 0, code = nl_rng_init(&rng, err);
	while (!code && len > 0) {
		size_t n = len < MBEDTLS_CTR_DRBG_MAX_REQUEST ? len : MBEDTLS_CTR_DRBG_MAX_REQUEST;
		result = mbedtls_ctr_drbg_random(&rng.drbg, p, n);
		if (result)
			code = nl_pki_refuse(err, NL_E_SYSTEM, result, "make random numbers", "");
		p += n;
		len -= n;
	}
	nl_rng_fini(&rng);
	return code;
}

int nl_pki_refuse(struct nl_error *err, enum nl_code code, int result, const char *what, const char *where)
{
	nl_error_set(err, code, "%s", what);
	nl_error_where(err, "%s", where);
	if (result) {
		char text[160];
		mbedtls_strerror(result, text, sizeof text);
		nl_error_why(err, "%s", text);
	}
	return code;
}

int nl_pki_path(const char *dir, const char *file, char *path, size_t size, struct nl_error *err)
{
	int n = snprintf(path, size, "%s/%s", dir, file);
	if (n >= 0 && (size_t)n < size)
		return 0;
	nl_error_sys(err, ENAMETOOLONG, "find %s", file);
	nl_error_where(err, "%s", dir);
	return NL_E_SYSTEM;
}

bool nl_pki_exists(const char *dir, const char *file)
{
	char path[PATH_MAX];
	struct stat st;
	return nl_pki_path(dir, file, path, sizeof path, NULL) == 0 && lstat(path, &st) == 0;
}

int nl_pki_make_directory(const char *dir, struct nl_error *err)
{
	char path[PATH_MAX];
	int code = nl_pki_path(dir, "", path, sizeof path, err);
	if (code)
		return code;
	int failed = 0;
	for (char *slash = strchr(path + 1, '/'); slash && !failed; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(path, 0700) < 0 && errno != EEXIST)
			failed = errno;
		*slash = '/';
	}
	if (!failed)
		return 0;
	code = nl_error_sys(err, failed, "create the directory");
	nl_error_where(err, "%s", dir);
	return code;
}

/* Others that can read a private key can be us. */
static int check_private(const char *path, struct nl_error *err)
{
	struct stat st;
	if (stat(path, &st) < 0) {
		int code = nl_error_sys(err, errno, "look at the private key");
		nl_error_where(err, "%s", path);
		return code;
	}
	if ((st.st_mode & 077) == 0)
		return 0;
	nl_error_set(err, NL_E_ACCESS, "use the private key");
	nl_error_where(err, "%s", path);
	nl_error_why(err, "others may read it (mode %04o)", (unsigned)(st.st_mode & 07777));
	nl_error_todo(err, "if nobody else has seen it: chmod 600 %s", path);
	return NL_E_ACCESS;
}

int nl_pki_load_key(const char *dir, const char *file, mbedtls_pk_context *key, struct nl_error *err)
{
	char path[PATH_MAX], *text = NULL;
	size_t len = 0;
	int code = nl_pki_path(dir, file, path, sizeof path, err);
	if (!code)
		code = check_private(path, err);
	if (!code)
		code = nl_file_read(path, NL_IDENTITY_PEM_MAX, &text, &len, err);
	if (code)
		return code;
	int result = mbedtls_pk_parse_key(key, (const unsigned char *)text, len + 1, NULL, 0);
	mbedtls_platform_zeroize(text, len);
	free(text);
	if (result)
		return nl_pki_refuse(err, NL_E_IDENTITY, result, "understand the private key", path);
	if (nl_pki_is_p256(key))
		return 0;
	nl_pki_refuse(err, NL_E_IDENTITY, 0, "use the private key", path);
	nl_error_why(err, "it is not an ECDSA key on P-256");
	return NL_E_IDENTITY;
}

int nl_pki_load_certificate(const char *dir, const char *file, mbedtls_x509_crt *certificate, struct nl_error *err)
{
	char path[PATH_MAX], *text = NULL;
	size_t len = 0;
	int code = nl_pki_path(dir, file, path, sizeof path, err);
	if (!code)
		code = nl_file_read(path, NL_IDENTITY_PEM_MAX, &text, &len, err);
	if (code)
		return code;
	int result = mbedtls_x509_crt_parse(certificate, (const unsigned char *)text, len + 1);
	free(text);
	/* A positive result is a number of certificates in a chain that were not understood. */
	return result ? nl_pki_refuse(err, NL_E_IDENTITY, result < 0 ? result : 0, "understand the certificate", path)
		      : 0;
}

int nl_pki_parse_certificate(const void *der, size_t len, mbedtls_x509_crt *certificate, struct nl_error *err)
{
	int result = mbedtls_x509_crt_parse_der(certificate, der, len);
	if (result)
		return nl_pki_refuse(err, NL_E_IDENTITY, result, "understand the certificate", "");
	if (certificate->raw.len == len)
		return 0;
	nl_pki_refuse(err, NL_E_IDENTITY, 0, "understand the certificate", "");
	nl_error_why(err, "something follows it");
	return NL_E_IDENTITY;
}

int nl_pki_make_key(mbedtls_pk_context *key, struct nl_rng *rng, struct nl_error *err)
{
	int result = mbedtls_pk_setup(key, mbedtls_pk_info_from_type(MBEDTLS_PK_ECKEY));
	if (!result)
		result = mbedtls_ecp_gen_key(MBEDTLS_ECP_DP_SECP256R1, mbedtls_pk_ec(*key), mbedtls_ctr_drbg_random,
					     &rng->drbg);
	return result ? nl_pki_refuse(err, NL_E_SYSTEM, result, "make a private key", "") : 0;
}

int nl_pki_save_key(const char *dir, const char *file, mbedtls_pk_context *key, struct nl_error *err)
{
	char path[PATH_MAX];
	unsigned char pem[NL_IDENTITY_PEM_MAX];
	int code = nl_pki_path(dir, file, path, sizeof path, err);
	if (code)
		return code;
	int result = mbedtls_pk_write_key_pem(key, pem, sizeof pem);
	if (result)
		code = nl_pki_refuse(err, NL_E_INTERNAL, result, "write the private key", path);
	else
		code = nl_file_write_atomic(path, pem, strlen((const char *)pem), 0600, err);
	mbedtls_platform_zeroize(pem, sizeof pem);
	return code;
}

int nl_pki_save_certificate(const char *dir, const char *file, const void *der, size_t len, struct nl_error *err)
{
	char path[PATH_MAX];
	unsigned char pem[NL_IDENTITY_PEM_MAX];
	size_t pem_len = 0;
	int code = nl_pki_path(dir, file, path, sizeof path, err);
	if (code)
		return code;
	int result = mbedtls_pem_write_buffer("-----BEGIN CERTIFICATE-----\n", "-----END CERTIFICATE-----\n", der, len,
					      pem, sizeof pem, &pem_len);
	if (result)
		return nl_pki_refuse(err, NL_E_IDENTITY, result, "write the certificate", path);
	return nl_file_write_atomic(path, pem, strlen((const char *)pem), 0644, err);
}
