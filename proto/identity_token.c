/*
 * identity_token: join tokens. Text: "nl1-" and base64url (RFC 4648, no padding) of fingerprint, secret and the first
 * four bytes of the SHA-256 of both.
 */
#include <mbedtls/platform_util.h>
#include <mbedtls/sha256.h>
#include <string.h>

#include "proto/identity_pki.h"

#define PREFIX     "nl1-"
#define BODY_BYTES (NL_IDENTITY_FINGERPRINT_BYTES + NL_IDENTITY_SECRET_BYTES)
#define SUM_BYTES  4
#define RAW_BYTES  (BODY_BYTES + SUM_BYTES)
#define TEXT_CHARS ((RAW_BYTES * 8 + 5) / 6)

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

int nl_token_make(const char *dir, struct nl_token *token, struct nl_error *err)
{
	mbedtls_x509_crt ca;
	mbedtls_x509_crt_init(&ca);
	int code = nl_pki_load_certificate(dir, "ca.crt", &ca, err);
	if (!code)
		code = nl_identity_fingerprint(ca.raw.p, ca.raw.len, token->ca_fingerprint, err);
	if (!code)
		code = nl_identity_random(token->secret, sizeof token->secret, err);
	mbedtls_x509_crt_free(&ca);
	return code;
}

/* The body as bytes with its checksum behind it. False only when mbedtls fails. */
static bool add_sum(uint8_t raw[RAW_BYTES])
{
	uint8_t hash[32];
	if (mbedtls_sha256_ret(raw, BODY_BYTES, hash, 0) != 0)
		return false;
	memcpy(raw + BODY_BYTES, hash, SUM_BYTES);
	return true;
}

char *nl_token_text(const struct nl_token *token, char *buf, size_t size)
{
	uint8_t raw[RAW_BYTES + 1] = {0};
	memcpy(raw, token->ca_fingerprint, NL_IDENTITY_FINGERPRINT_BYTES);
	memcpy(raw + NL_IDENTITY_FINGERPRINT_BYTES, token->secret, NL_IDENTITY_SECRET_BYTES);
	if (size > 0)
		buf[0] = '\0';
	if (size < sizeof PREFIX + TEXT_CHARS || !add_sum(raw))
		return buf;
	memcpy(buf, PREFIX, sizeof PREFIX - 1);
	for (size_t i = 0; i < TEXT_CHARS; i++) {
		size_t bit = i * 6;
		unsigned pair = (unsigned)raw[bit / 8] << 8 | raw[bit / 8 + 1];
		buf[sizeof PREFIX - 1 + i] = alphabet[pair >> (10 - bit % 8) & 63];
	}
	buf[sizeof PREFIX - 1 + TEXT_CHARS] = '\0';
	mbedtls_platform_zeroize(raw, sizeof raw);
	return buf;
}

static int refuse(const char *why, struct nl_error *err)
{
	nl_error_set(err, NL_E_USAGE, "read the join token");
	nl_error_why(err, "%s", why);
	nl_error_todo(err, "copy it whole from the output of 'nasline token'");
	return NL_E_USAGE;
}

static bool decode(const char *text, uint8_t raw[RAW_BYTES])
{
	unsigned held = 0, bits = 0;
	size_t used = 0;
	for (size_t i = 0; i < TEXT_CHARS; i++) {
		const char *at = text[i] ? strchr(alphabet, text[i]) : NULL;
		if (!at)
			return false;
		held = held << 6 | (unsigned)(at - alphabet);
		bits += 6;
		if (bits < 8)
			continue;
		bits -= 8;
		raw[used++] = (uint8_t)(held >> bits);
		held &= (1u << bits) - 1;
	}
	/* Bits beyond the last byte must be zero, or two texts would be one token. */
	return held == 0;
}

int nl_token_parse(const char *text, struct nl_token *token, struct nl_error *err)
{
	uint8_t raw[RAW_BYTES], sum[SUM_BYTES];
	text += strspn(text, " \t\r\n");
	if (strncmp(text, PREFIX, sizeof PREFIX - 1) != 0)
		return refuse("it does not begin with " PREFIX, err);
	text += sizeof PREFIX - 1;
	size_t len = strcspn(text, " \t\r\n");
	if (len != TEXT_CHARS || text[len + strspn(text + len, " \t\r\n")] != '\0')
		return refuse("it is not of the right length: a part is missing, or something was added", err);
	if (!decode(text, raw))
		return refuse("it holds a character that no token has", err);
	memcpy(sum, raw + BODY_BYTES, SUM_BYTES);
	if (!add_sum(raw) || memcmp(sum, raw + BODY_BYTES, SUM_BYTES) != 0)
		return refuse("it was mistyped: its checksum does not fit", err);
	memcpy(token->ca_fingerprint, raw, NL_IDENTITY_FINGERPRINT_BYTES);
	memcpy(token->secret, raw + NL_IDENTITY_FINGERPRINT_BYTES, NL_IDENTITY_SECRET_BYTES);
	mbedtls_platform_zeroize(raw, sizeof raw);
	return 0;
}

int nl_token_hash(const uint8_t secret[NL_IDENTITY_SECRET_BYTES], uint8_t hash[32], struct nl_error *err)
{
	int result = mbedtls_sha256_ret(secret, NL_IDENTITY_SECRET_BYTES, hash, 0);
	return result ? nl_pki_refuse(err, NL_E_INTERNAL, result, "hash the token", "") : 0;
}
