/*
 * auth: proofs of the shared key. The key itself never crosses the wire.
 */
#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include <mbedtls/md.h>
#include <mbedtls/platform_util.h>

#include "netbench/auth.h"

static const char *const labels[] = {
	[NL_NB_PROOF_HELLO] = "netbench 1 hello",
	[NL_NB_PROOF_SERVER] = "netbench 1 server",
	[NL_NB_PROOF_CLIENT] = "netbench 1 client",
};

int nl_nb_random(void *buf, size_t len, struct nl_error *err)
{
	unsigned char *at = buf;

	while (len > 0) {
		ssize_t n = getrandom(at, len, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return nl_error_sys(err, errno, "get random bytes");
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

int nl_nb_proof(const struct nl_nb_auth *auth, enum nl_nb_prover prover, unsigned char proof[NL_NB_PROOF_BYTES],
		struct nl_error *err)
{
	const mbedtls_md_info_t *sha256 = mbedtls_md_info_from_type(MBEDTLS_MD_SHA256);
	const unsigned char *label = (const unsigned char *)labels[prover];
	mbedtls_md_context_t md;
	int failed;

	mbedtls_md_init(&md);
	failed = !sha256 || mbedtls_md_setup(&md, sha256, 1) || mbedtls_md_hmac_starts(&md, auth->key, auth->key_len) ||
		 mbedtls_md_hmac_update(&md, label, strlen(labels[prover]) + 1) ||
		 mbedtls_md_hmac_update(&md, auth->client_nonce, NL_NB_NONCE_BYTES) ||
		 (prover != NL_NB_PROOF_HELLO && mbedtls_md_hmac_update(&md, auth->server_nonce, NL_NB_NONCE_BYTES)) ||
		 mbedtls_md_hmac_finish(&md, proof);
	mbedtls_md_free(&md);
	return failed ? nl_error_set(err, NL_E_INTERNAL, "compute an HMAC-SHA256") : 0;
}

bool nl_nb_equal(const void *a, const void *b, size_t len)
{
	const volatile unsigned char *x = a, *y = b;
	unsigned char difference = 0;

	for (size_t i = 0; i < len; i++)
		difference |= (unsigned char)(x[i] ^ y[i]);
	return difference == 0;
}

bool nl_nb_proof_check(const struct nl_nb_auth *auth, enum nl_nb_prover prover,
		       const unsigned char proof[NL_NB_PROOF_BYTES])
{
	unsigned char right[NL_NB_PROOF_BYTES];
	bool equal = nl_nb_proof(auth, prover, right, NULL) == 0 && nl_nb_equal(right, proof, sizeof(right));

	mbedtls_platform_zeroize(right, sizeof(right));
	return equal;
}

void nl_nb_hex(const unsigned char *bytes, size_t len, char *text)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < len; i++) {
		*text++ = digits[bytes[i] >> 4];
		*text++ = digits[bytes[i] & 15];
	}
	*text = '\0';
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

bool nl_nb_unhex(const char *text, unsigned char *bytes, size_t len)
{
	if (strlen(text) != 2 * len)
		return false;
	for (size_t i = 0; i < len; i++) {
		int high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		bytes[i] = (unsigned char)(high << 4 | low);
	}
	return true;
}
