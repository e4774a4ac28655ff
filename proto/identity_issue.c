/*
 * identity_issue: the controller's CA: makes itself, and signs agents' requests.
 */
#include <fcntl.h>
#include <errno.h>
#include <mbedtls/bignum.h>
#include <mbedtls/oid.h>
#include <mbedtls/x509_csr.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/time.h"
#include "proto/identity_pki.h"

#define CA_NAME         "CN=nasline CA"
#define DAY_S           (24 * 60 * 60)
#define SKEW_S          (60 * 60) /* clocks of hosts differ: certificates are valid from an hour ago */
#define CA_DAYS         3650
#define CONTROLLER_DAYS 730
#define SERIAL_BYTES    16

/* What one certificate is to say. */
struct order {
	const char *name;                     /* common name; NULL: it is the CA's own certificate */
	mbedtls_pk_context *subject, *issuer; /* keys; of the subject only the public half is used */
	enum nl_pki_usage usage;
	int days;
};

static void time_text(int64_t seconds, char text[16])
{
	time_t t = (time_t)seconds;
	struct tm tm;
	gmtime_r(&t, &tm);
	if (strftime(text, 16, "%Y%m%d%H%M%S", &tm) == 0)
		text[0] = '\0';
}

static int set_dates(mbedtls_x509write_cert *writer, int days)
{
	char from_text[16], to_text[16];
	int64_t now = nl_wall_ns() / NL_NS_PER_S;
	int64_t to = now + (int64_t)days * DAY_S, from = (days < 0 ? to : now) - SKEW_S;
	time_text(from, from_text);
	time_text(to, to_text);
	return mbedtls_x509write_crt_set_validity(writer, from_text, to_text);
}

static int set_serial(mbedtls_x509write_cert *writer, struct nl_rng *rng)
{
	unsigned char bytes[SERIAL_BYTES];
	mbedtls_mpi serial;
	mbedtls_mpi_init(&serial);
	int result = mbedtls_ctr_drbg_random(&rng->drbg, bytes, sizeof bytes);
	/* Positive, and of full length. */
	bytes[0] = (unsigned char)((bytes[0] & 0x7f) | 0x40);
	if (!result)
		result = mbedtls_mpi_read_binary(&serial, bytes, sizeof bytes);
	if (!result)
		result = mbedtls_x509write_crt_set_serial(writer, &serial);
	mbedtls_mpi_free(&serial);
	return result;
}

/* Extended key usage: SEQUENCE { OID }. mbedtls 2.28 has no helper for it, nor for the alternative name below. */
static int set_usage(mbedtls_x509write_cert *writer, enum nl_pki_usage usage)
{
	static const char client[] = MBEDTLS_OID_CLIENT_AUTH, server[] = MBEDTLS_OID_SERVER_AUTH;
	unsigned char der[4 + sizeof client - 1] = {0x30, sizeof client - 1 + 2, MBEDTLS_ASN1_OID, sizeof client - 1};
	memcpy(der + 4, usage == NL_PKI_CLIENT ? client : server, sizeof client - 1);
	return mbedtls_x509write_crt_set_extension(writer, MBEDTLS_OID_EXTENDED_KEY_USAGE,
						   MBEDTLS_OID_SIZE(MBEDTLS_OID_EXTENDED_KEY_USAGE), 0, der,
						   sizeof der);
}

/* Subject alternative name: SEQUENCE { [2] IA5String } (a DNS name). */
static int set_alternative_name(mbedtls_x509write_cert *writer, const char *name)
{
	size_t len = strlen(name);
	unsigned char der[4 + NL_IDENTITY_NAME_MAX] = {0x30, (unsigned char)(len + 2), 0x82, (unsigned char)len};
	memcpy(der + 4, name, len);
	return mbedtls_x509write_crt_set_extension(writer, MBEDTLS_OID_SUBJECT_ALT_NAME,
						   MBEDTLS_OID_SIZE(MBEDTLS_OID_SUBJECT_ALT_NAME), 0, der, 4 + len);
}

static int set_names(mbedtls_x509write_cert *writer, const struct order *order)
{
	char subject[4 + NL_IDENTITY_NAME_MAX];
	snprintf(subject, sizeof subject, "CN=%s", order->name ? order->name : "");
	int result = mbedtls_x509write_crt_set_issuer_name(writer, CA_NAME);
	return result ? result : mbedtls_x509write_crt_set_subject_name(writer, order->name ? subject : CA_NAME);
}

static int set_extensions(mbedtls_x509write_cert *writer, const struct order *order)
{
	bool ca = order->name == NULL;
	int result = mbedtls_x509write_crt_set_basic_constraints(writer, ca, ca ? 0 : -1);
	if (!result)
		result = mbedtls_x509write_crt_set_key_usage(writer, ca ? MBEDTLS_X509_KU_KEY_CERT_SIGN |
										     MBEDTLS_X509_KU_CRL_SIGN
									: MBEDTLS_X509_KU_DIGITAL_SIGNATURE);
	if (!result)
		result = mbedtls_x509write_crt_set_subject_key_identifier(writer);
	if (!result)
		result = mbedtls_x509write_crt_set_authority_key_identifier(writer);
	if (!result && !ca)
		result = set_usage(writer, order->usage);
	return result || ca ? result : set_alternative_name(writer, order->name);
}

static int issue(const struct order *order, struct nl_rng *rng, uint8_t der[NL_IDENTITY_DER_MAX], size_t *len,
		 struct nl_error *err)
{
	mbedtls_x509write_cert writer;
	mbedtls_x509write_crt_init(&writer);
	mbedtls_x509write_crt_set_version(&writer, MBEDTLS_X509_CRT_VERSION_3);
	mbedtls_x509write_crt_set_md_alg(&writer, MBEDTLS_MD_SHA256);
	mbedtls_x509write_crt_set_subject_key(&writer, order->subject);
	mbedtls_x509write_crt_set_issuer_key(&writer, order->issuer);
	int code = 0, result = set_serial(&writer, rng);
	if (!result)
		result = set_dates(&writer, order->days);
	if (!result)
		result = set_names(&writer, order);
	if (!result)
		result = set_extensions(&writer, order);
	if (!result)
		result = mbedtls_x509write_crt_der(&writer, der, NL_IDENTITY_DER_MAX, mbedtls_ctr_drbg_random,
						   &rng->drbg);
	if (result > 0) {
		/* mbedtls writes from the end of the buffer. */
		*len = (size_t)result;
		memmove(der, der + NL_IDENTITY_DER_MAX - *len, *len);
	} else {
		code = nl_pki_refuse(err, NL_E_INTERNAL, result, "make a certificate",
				     order->name ? order->name : CA_NAME);
	}
	mbedtls_x509write_crt_free(&writer);
	return code;
}

/* Two programs that make a CA in one directory at once would mix their files. The lock goes with the descriptor. */
static int lock_directory(const char *dir, struct nl_error *err)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0 && flock(fd, LOCK_EX) == 0)
		return fd;
	int code = nl_error_sys(err, errno, "lock the directory");
	nl_error_where(err, "%s", dir);
	if (fd >= 0)
		close(fd);
	return code;
}

/*
 * Makes and writes all four files. The key of the CA comes last: only with it is the identity whole, and without it
 * everything is made anew.
 */
static int make_ca(const char *dir, mbedtls_pk_context *ca, mbedtls_pk_context *controller, struct nl_rng *rng,
		   struct nl_error *err)
{
	uint8_t der[NL_IDENTITY_DER_MAX];
	size_t len = 0;
	const struct order ca_order = {NULL, ca, ca, NL_PKI_SERVER, CA_DAYS};
	const struct order controller_order = {NL_IDENTITY_CONTROLLER_NAME, controller, ca, NL_PKI_SERVER,
					       CONTROLLER_DAYS};
	int code = nl_pki_make_key(ca, rng, err);
	if (!code)
		code = nl_pki_make_key(controller, rng, err);
	if (!code)
		code = nl_pki_save_key(dir, "controller.key", controller, err);
	if (!code)
		code = issue(&controller_order, rng, der, &len, err);
	if (!code)
		code = nl_pki_save_certificate(dir, "controller.crt", der, len, err);
	if (!code)
		code = issue(&ca_order, rng, der, &len, err);
	if (!code)
		code = nl_pki_save_certificate(dir, "ca.crt", der, len, err);
	return code ? code : nl_pki_save_key(dir, "ca.key", ca, err);
}

int nl_identity_ca_create(const char *dir, struct nl_error *err)
{
	int code = nl_pki_make_directory(dir, err);
	if (code)
		return code;
	int lock = lock_directory(dir, err);
	if (lock < 0)
		return lock;
	if (nl_pki_exists(dir, "ca.key")) {
		close(lock);
		nl_error_set(err, NL_E_CONFIG, "make the controller's identity");
		nl_error_where(err, "%s", dir);
		nl_error_why(err, "there is one already, and every agent that joined trusts it");
		return NL_E_CONFIG;
	}
	mbedtls_pk_context ca, controller;
	struct nl_rng rng;
	mbedtls_pk_init(&ca);
	mbedtls_pk_init(&controller);
	code = nl_rng_init(&rng, err);
	if (!code)
		code = make_ca(dir, &ca, &controller, &rng, err);
	nl_rng_fini(&rng);
	mbedtls_pk_free(&controller);
	mbedtls_pk_free(&ca);
	close(lock);
	return code;
}

static int refuse_request(const char *name, const char *why, int result, struct nl_error *err)
{
	nl_pki_refuse(err, NL_E_IDENTITY, result, "sign the certificate request", name);
	if (!result)
		nl_error_why(err, "%s", why);
	return NL_E_IDENTITY;
}

/* mbedtls parses a request, but leaves its self-signature (the proof that the sender has the key) to us. */
static int check_request(mbedtls_x509_csr *request, const void *der, size_t len, const char *name, struct nl_error *err)
{
	char subject[NL_IDENTITY_NAME_MAX + 1];
	unsigned char hash[32];
	if (!nl_identity_name_valid(name))
		return refuse_request(name, "the name may only hold a-z, 0-9 and '-', 1 to 63 of them", 0, err);
	if (len > NL_IDENTITY_DER_MAX)
		return refuse_request(name, "it is too large", 0, err);
	int result = mbedtls_x509_csr_parse_der(request, der, len);
	if (result)
		return refuse_request(name, "", result, err);
	if (!nl_pki_is_p256(&request->pk) || request->sig_md != MBEDTLS_MD_SHA256)
		return refuse_request(name, "its key is not ECDSA on P-256 with SHA-256", 0, err);
	if (!nl_pki_common_name(&request->subject, subject) || strcmp(subject, name) != 0)
		return refuse_request(name, "it asks for another name", 0, err);
	result = mbedtls_md(mbedtls_md_info_from_type(MBEDTLS_MD_SHA256), request->cri.p, request->cri.len, hash);
	if (!result)
		result = mbedtls_pk_verify(&request->pk, MBEDTLS_MD_SHA256, hash, sizeof hash, request->sig.p,
					   request->sig.len);
	return result ? refuse_request(name, "", result, err) : 0;
}

int nl_identity_sign(const char *dir, const void *request_der, size_t request_len, const char *name, int days,
		     uint8_t cert_der[NL_IDENTITY_DER_MAX], size_t *cert_len, struct nl_error *err)
{
	mbedtls_x509_csr request;
	mbedtls_pk_context ca;
	struct nl_rng rng;
	mbedtls_x509_csr_init(&request);
	mbedtls_pk_init(&ca);
	int code = nl_rng_init(&rng, err);
	if (!code)
		code = check_request(&request, request_der, request_len, name, err);
	if (!code)
		code = nl_pki_load_key(dir, "ca.key", &ca, err);
	const struct order order = {name, &request.pk, &ca, NL_PKI_CLIENT, days};
	if (!code)
		code = issue(&order, &rng, cert_der, cert_len, err);
	nl_rng_fini(&rng);
	mbedtls_pk_free(&ca);
	mbedtls_x509_csr_free(&request);
	return code;
}
