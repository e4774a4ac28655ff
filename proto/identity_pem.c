/*
 * identity_pem: certificates from DER to PEM and back.
 */
#include <string.h>

#include <mbedtls/pem.h>
#include <mbedtls/x509_crt.h>

#include "proto/identity.h"

int nl_identity_pem(const void *cert_der, size_t len, char pem[NL_IDENTITY_PEM_MAX], struct nl_error *err)
{
	size_t written = 0;
	int rc = mbedtls_pem_write_buffer("-----BEGIN CERTIFICATE-----\n", "-----END CERTIFICATE-----\n", cert_der, len,
					  (unsigned char *)pem, NL_IDENTITY_PEM_MAX, &written);
	if (rc != 0) {
		nl_error_set(err, NL_E_PROTOCOL, "a certificate cannot be written as PEM");
		return nl_error_why(err, "it is longer than %d bytes of text", NL_IDENTITY_PEM_MAX);
	}
	return NL_E_OK;
}

int nl_identity_der(const char *pem, size_t len, uint8_t der[NL_IDENTITY_DER_MAX], size_t *der_len, struct nl_error *err)
{
	mbedtls_x509_crt crt;
	mbedtls_x509_crt_init(&crt);
	int rc = mbedtls_x509_crt_parse(&crt, (const unsigned char *)pem, len + 1);
	if (rc == 0 && crt.raw.len <= NL_IDENTITY_DER_MAX) {
		memcpy(der, crt.raw.p, crt.raw.len);
		*der_len = crt.raw.len;
	}
	bool fits = rc == 0 && crt.raw.len <= NL_IDENTITY_DER_MAX;
	mbedtls_x509_crt_free(&crt);
	return fits ? NL_E_OK : nl_error_set(err, NL_E_IDENTITY, "a certificate file cannot be read as PEM");
}
