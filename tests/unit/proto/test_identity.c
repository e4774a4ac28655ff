/*
 * Tests of proto/identity: the CA, requests, certificates, tokens, proofs, and what is told about files that are wrong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/parse.h"
#include "peers.h"
#include "proto/identity.h"
#include "proto/identity_pki.h"

static struct peers peers;
static struct nl_error err;

static int set_up(void **state)
{
	(void)state;
	peers_init(&peers);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	peers_fini(&peers);
	return 0;
}

static void join_path(char path[PEERS_PATH + 32], const char *dir, const char *file)
{
	snprintf(path, PEERS_PATH + 32, "%s/%s", dir, file);
}

static unsigned mode_of(const char *dir, const char *file)
{
	char path[PEERS_PATH + 32];
	struct stat st;
	join_path(path, dir, file);
	assert_int_equal(stat(path, &st), 0);
	return st.st_mode & 07777;
}

static void expect(int code, int wanted, const char *part)
{
	char line[1400];
	assert_int_equal(code, wanted);
	if (!strstr(nl_error_line(&err, line, sizeof line), part))
		fail_msg("\"%s\" does not say \"%s\"", line, part);
}

static void a_new_ca_is_whole_and_private(void **state)
{
	(void)state;
	assert_int_equal(nl_identity_check_controller(peers.controller, &err), 0);
	assert_int_equal(mode_of(peers.controller, ""), 0700);
	assert_int_equal(mode_of(peers.controller, "ca.key"), 0600);
	assert_int_equal(mode_of(peers.controller, "controller.key"), 0600);
	assert_int_equal(mode_of(peers.controller, "ca.crt"), 0644);
	assert_int_equal(mode_of(peers.controller, "controller.crt"), 0644);
}

static void a_ca_is_not_made_twice(void **state)
{
	(void)state;
	expect(nl_identity_ca_create(peers.controller, &err), NL_E_CONFIG, "there is one already");
	assert_int_equal(nl_identity_check_controller(peers.controller, &err), 0);
}

static void a_ca_whose_making_broke_off_is_made_anew(void **state)
{
	(void)state;
	char dir[PEERS_PATH], path[PEERS_PATH + 32];
	snprintf(dir, sizeof dir, "%s/broken/deeper", peers.root);
	assert_int_equal(nl_identity_ca_create(dir, &err), 0);
	join_path(path, dir, "ca.key");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(nl_identity_ca_create(dir, &err), 0);
	assert_int_equal(nl_identity_check_controller(dir, &err), 0);
}

static void an_agent_joins_and_its_files_are_good(void **state)
{
	(void)state;
	char dir[PEERS_PATH], name[NL_IDENTITY_NAME_MAX + 1], *pem;
	char path[PEERS_PATH + 32];
	uint8_t request[NL_IDENTITY_DER_MAX], certificate[NL_IDENTITY_DER_MAX];
	size_t request_len, certificate_len;
	mbedtls_x509_crt ca;
	snprintf(dir, sizeof dir, "%s/joins", peers.root);
	expect(nl_identity_check_agent(dir, name, &err), NL_E_NOT_FOUND, "nasline-agent join");
	assert_int_equal(nl_identity_request_create(dir, "pve1", request, &request_len, &err), 0);
	assert_int_equal(nl_identity_sign(peers.controller, request, request_len, "pve1", 30, certificate,
					  &certificate_len, &err),
			 0);
	mbedtls_x509_crt_init(&ca);
	assert_int_equal(nl_pki_load_certificate(peers.controller, "ca.crt", &ca, &err), 0);
	assert_int_equal(nl_identity_agent_install(dir, ca.raw.p, ca.raw.len, certificate, certificate_len, &err), 0);
	mbedtls_x509_crt_free(&ca);
	assert_int_equal(nl_identity_check_agent(dir, name, &err), 0);
	assert_string_equal(name, "pve1");
	assert_int_equal(mode_of(dir, "agent.key"), 0600);
	assert_int_equal(mode_of(dir, ""), 0700);
	/* Joining again keeps the key. */
	join_path(path, dir, "agent.key");
	assert_int_equal(nl_file_read(path, 4096, &pem, NULL, &err), 0);
	assert_int_equal(nl_identity_request_create(dir, "pve1", request, &request_len, &err), 0);
	char *again;
	assert_int_equal(nl_file_read(path, 4096, &again, NULL, &err), 0);
	assert_string_equal(pem, again);
	free(pem);
	free(again);
}

static void a_certificate_that_does_not_fit_is_not_installed(void **state)
{
	(void)state;
	char dir[PEERS_PATH], other[PEERS_PATH], path[PEERS_PATH + 32];
	uint8_t request[NL_IDENTITY_DER_MAX], certificate[NL_IDENTITY_DER_MAX];
	size_t request_len, certificate_len;
	mbedtls_x509_crt ca;
	struct stat st;
	mbedtls_x509_crt_init(&ca);
	assert_int_equal(nl_pki_load_certificate(peers.controller, "ca.crt", &ca, &err), 0);
	snprintf(dir, sizeof dir, "%s/misfit", peers.root);
	snprintf(other, sizeof other, "%s/misfit2", peers.root);
	assert_int_equal(nl_identity_request_create(dir, "misfit", request, &request_len, &err), 0);
	assert_int_equal(
		nl_identity_sign(peers.other, request, request_len, "misfit", 30, certificate, &certificate_len, &err),
		0);
	expect(nl_identity_agent_install(dir, ca.raw.p, ca.raw.len, certificate, certificate_len, &err), NL_E_IDENTITY,
	       "not signed by this controller's CA");
	assert_int_equal(nl_identity_request_create(other, "misfit", request, &request_len, &err), 0);
	assert_int_equal(nl_identity_sign(peers.controller, request, request_len, "misfit", 30, certificate,
					  &certificate_len, &err),
			 0);
	expect(nl_identity_agent_install(dir, ca.raw.p, ca.raw.len, certificate, certificate_len, &err), NL_E_IDENTITY,
	       "another one's");
	expect(nl_identity_agent_install(other, ca.raw.p, ca.raw.len, certificate, certificate_len - 1, &err),
	       NL_E_IDENTITY, "understand");
	join_path(path, dir, "agent.crt");
	assert_int_equal(stat(path, &st), -1);
	mbedtls_x509_crt_free(&ca);
}

static void requests_that_lie_are_not_signed(void **state)
{
	(void)state;
	char dir[PEERS_PATH];
	uint8_t request[NL_IDENTITY_DER_MAX + 1], certificate[NL_IDENTITY_DER_MAX];
	size_t len, certificate_len;
	snprintf(dir, sizeof dir, "%s/liar", peers.root);
	assert_int_equal(nl_identity_request_create(dir, "liar", request, &len, &err), 0);
	expect(nl_identity_sign(peers.controller, request, len, "honest", 30, certificate, &certificate_len, &err),
	       NL_E_IDENTITY, "another name");
	expect(nl_identity_sign(peers.controller, request, len, "../liar", 30, certificate, &certificate_len, &err),
	       NL_E_IDENTITY, "the name may only hold");
	assert_true(nl_identity_sign(peers.controller, request, len - 1, "liar", 30, certificate, &certificate_len,
				     &err) < 0);
	assert_true(nl_identity_sign(peers.controller, "", 0, "liar", 30, certificate, &certificate_len, &err) < 0);
	request[len] = 0;
	assert_true(nl_identity_sign(peers.controller, request, len + 1, "liar", 30, certificate, &certificate_len,
				     &err) < 0);
	/* Each byte of it matters: nothing changed is signed. */
	for (size_t i = 0; i < len; i++) {
		request[i] ^= 1;
		assert_true(nl_identity_sign(peers.controller, request, len, "liar", 30, certificate, &certificate_len,
					     &err) < 0);
		request[i] ^= 1;
	}
	assert_int_equal(
		nl_identity_sign(peers.controller, request, len, "liar", 30, certificate, &certificate_len, &err), 0);
}

static void names_are_checked(void **state)
{
	(void)state;
	static const char *const good[] = {"a", "pve1", "my-nas", "0",
					   "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
	static const char *const bad[] = {
		"",    "-a",  "a-",       "A",      "a b",
		"a/b", "a.b", "\xc3\xa9", "a,CN=b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
	uint8_t request[NL_IDENTITY_DER_MAX];
	size_t len;
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
		assert_true(nl_identity_name_valid(good[i]));
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		assert_false(nl_identity_name_valid(bad[i]));
		assert_int_equal(nl_identity_request_create(peers.root, bad[i], request, &len, &err), NL_E_USAGE);
	}
}

static void a_token_survives_writing_and_reading(void **state)
{
	(void)state;
	struct nl_token token, back, second;
	char text[128], padded[160];
	assert_int_equal(nl_token_make(peers.controller, &token, &err), 0);
	nl_token_text(&token, text, sizeof text);
	assert_int_equal(strncmp(text, "nl1-", 4), 0);
	assert_int_equal(nl_token_parse(text, &back, &err), 0);
	assert_memory_equal(&token, &back, sizeof token);
	snprintf(padded, sizeof padded, "  %s\n", text);
	assert_int_equal(nl_token_parse(padded, &back, &err), 0);
	assert_int_equal(nl_token_make(peers.controller, &second, &err), 0);
	assert_memory_not_equal(token.secret, second.secret, sizeof token.secret);
	assert_memory_equal(token.ca_fingerprint, second.ca_fingerprint, sizeof token.ca_fingerprint);
	assert_string_equal(nl_token_text(&token, text, 20), "");
}

static void every_mistyped_token_is_noticed(void **state)
{
	(void)state;
	struct nl_token token, back;
	char text[128];
	assert_int_equal(nl_token_make(peers.controller, &token, &err), 0);
	nl_token_text(&token, text, sizeof text);
	size_t len = strlen(text);
	for (size_t i = 0; i < len; i++) {
		char kept = text[i];
		text[i] = kept == 'A' ? 'B' : 'A';
		assert_int_equal(nl_token_parse(text, &back, &err), NL_E_USAGE);
		text[i] = '!';
		assert_int_equal(nl_token_parse(text, &back, &err), NL_E_USAGE);
		text[i] = kept;
	}
	for (size_t cut = 0; cut < len; cut++) {
		char kept = text[cut];
		text[cut] = '\0';
		assert_int_equal(nl_token_parse(text, &back, &err), NL_E_USAGE);
		text[cut] = kept;
	}
	text[len] = 'A';
	text[len + 1] = '\0';
	expect(nl_token_parse(text, &back, &err), NL_E_USAGE, "length");
}

static void the_token_carries_the_fingerprint_of_the_ca(void **state)
{
	(void)state;
	struct nl_token token;
	uint8_t pem_print[NL_IDENTITY_FINGERPRINT_BYTES], der_print[NL_IDENTITY_FINGERPRINT_BYTES], hash[32], other[32];
	char path[PEERS_PATH + 32], *pem;
	size_t len;
	mbedtls_x509_crt ca;
	mbedtls_x509_crt_init(&ca);
	assert_int_equal(nl_token_make(peers.controller, &token, &err), 0);
	join_path(path, peers.controller, "ca.crt");
	assert_int_equal(nl_file_read(path, 4096, &pem, &len, &err), 0);
	assert_int_equal(nl_identity_fingerprint(pem, len, pem_print, &err), 0);
	assert_int_equal(nl_pki_load_certificate(peers.controller, "ca.crt", &ca, &err), 0);
	assert_int_equal(nl_identity_fingerprint(ca.raw.p, ca.raw.len, der_print, &err), 0);
	assert_memory_equal(pem_print, der_print, sizeof der_print);
	assert_memory_equal(token.ca_fingerprint, der_print, sizeof der_print);
	assert_int_equal(nl_identity_fingerprint("garbage", 7, der_print, &err), NL_E_IDENTITY);
	assert_int_equal(nl_identity_fingerprint("", 0, der_print, &err), NL_E_IDENTITY);
	assert_int_equal(nl_token_hash(token.secret, hash, &err), 0);
	token.secret[3] ^= 1;
	assert_int_equal(nl_token_hash(token.secret, other, &err), 0);
	assert_memory_not_equal(hash, other, sizeof hash);
	mbedtls_x509_crt_free(&ca);
	free(pem);
}

/* Loads an agent's certificate as DER. */
static size_t certificate_of(const char *dir, uint8_t der[NL_IDENTITY_DER_MAX])
{
	mbedtls_x509_crt certificate;
	mbedtls_x509_crt_init(&certificate);
	assert_int_equal(nl_pki_load_certificate(dir, "agent.crt", &certificate, &err), 0);
	size_t len = certificate.raw.len;
	assert_true(len <= NL_IDENTITY_DER_MAX);
	memcpy(der, certificate.raw.p, len);
	mbedtls_x509_crt_free(&certificate);
	return len;
}

static void an_agent_proves_its_name(void **state)
{
	(void)state;
	char dir[PEERS_PATH];
	uint8_t der[NL_IDENTITY_DER_MAX], nonce[NL_IDENTITY_NONCE_BYTES], signature[NL_IDENTITY_SIGNATURE_MAX];
	size_t len;
	peers_agent(&peers, peers.controller, "prover", 30, dir);
	size_t der_len = certificate_of(dir, der);
	assert_int_equal(nl_identity_random(nonce, sizeof nonce, &err), 0);
	assert_int_equal(nl_identity_prove(dir, "prover", nonce, signature, &len, &err), 0);
	assert_int_equal(nl_identity_verify(peers.controller, "prover", der, der_len, nonce, signature, len, &err), 0);

	expect(nl_identity_verify(peers.controller, "somebody", der, der_len, nonce, signature, len, &err),
	       NL_E_IDENTITY, "another name");
	expect(nl_identity_verify(peers.other, "prover", der, der_len, nonce, signature, len, &err), NL_E_IDENTITY,
	       "not signed by this controller's CA");
	nonce[0] ^= 1;
	expect(nl_identity_verify(peers.controller, "prover", der, der_len, nonce, signature, len, &err), NL_E_IDENTITY,
	       "signature is wrong");
	nonce[0] ^= 1;
	signature[len - 1] ^= 1;
	expect(nl_identity_verify(peers.controller, "prover", der, der_len, nonce, signature, len, &err), NL_E_IDENTITY,
	       "signature is wrong");
	expect(nl_identity_verify(peers.controller, "prover", der, der_len, nonce, signature, 0, &err), NL_E_IDENTITY,
	       "signature");
	expect(nl_identity_verify(peers.controller, "prover", der, der_len - 1, nonce, signature, len, &err),
	       NL_E_IDENTITY, "understand");
	expect(nl_identity_verify(peers.controller, "prover", "", 0, nonce, signature, 0, &err), NL_E_IDENTITY,
	       "understand");
}

static void the_name_in_a_proof_cannot_be_moved_into_the_nonce(void **state)
{
	(void)state;
	char dir[PEERS_PATH];
	uint8_t der[NL_IDENTITY_DER_MAX], nonce[NL_IDENTITY_NONCE_BYTES], signature[NL_IDENTITY_SIGNATURE_MAX];
	size_t len;
	peers_agent(&peers, peers.controller, "mover", 30, dir);
	size_t der_len = certificate_of(dir, der);
	memset(nonce, 'n', sizeof nonce);
	assert_int_equal(nl_identity_prove(dir, "mover", nonce, signature, &len, &err), 0);
	assert_int_equal(nl_identity_verify(peers.controller, "mover\nn", der, der_len, nonce, signature, len, &err),
			 NL_E_IDENTITY);
	assert_true(nl_identity_prove(dir, "mover\nx", nonce, signature, &len, &err) < 0);
}

static void an_expired_certificate_is_told_with_its_date(void **state)
{
	(void)state;
	char dir[PEERS_PATH], name[NL_IDENTITY_NAME_MAX + 1];
	uint8_t der[NL_IDENTITY_DER_MAX], nonce[NL_IDENTITY_NONCE_BYTES] = {0}, signature[NL_IDENTITY_SIGNATURE_MAX];
	size_t len;
	peers_agent(&peers, peers.controller, "old", -3, dir);
	size_t der_len = certificate_of(dir, der);
	assert_int_equal(nl_identity_prove(dir, "old", nonce, signature, &len, &err), 0);
	expect(nl_identity_verify(peers.controller, "old", der, der_len, nonce, signature, len, &err), NL_E_IDENTITY,
	       "it expired on 20");
	expect(nl_identity_check_agent(dir, name, &err), NL_E_IDENTITY, "it expired on 20");
	assert_non_null(strstr(err.todo, "clock"));
}

static void the_controllers_certificate_is_no_agents(void **state)
{
	(void)state;
	uint8_t nonce[NL_IDENTITY_NONCE_BYTES] = {0};
	mbedtls_x509_crt certificate;
	static const char *const files[] = {"controller.crt", "ca.crt"};
	for (size_t i = 0; i < 2; i++) {
		mbedtls_x509_crt_init(&certificate);
		assert_int_equal(nl_pki_load_certificate(peers.controller, files[i], &certificate, &err), 0);
		expect(nl_identity_verify(peers.controller, "nasline-controller", certificate.raw.p,
					  certificate.raw.len, nonce, nonce, 10, &err),
		       NL_E_IDENTITY, "no agent's certificate");
		mbedtls_x509_crt_free(&certificate);
	}
}

static void wrong_files_are_told_apart(void **state)
{
	(void)state;
	char dir[PEERS_PATH], second[PEERS_PATH], path[PEERS_PATH + 32], name[NL_IDENTITY_NAME_MAX + 1];
	peers_agent(&peers, peers.controller, "files", 30, dir);
	peers_agent(&peers, peers.controller, "files2", 30, second);
	join_path(path, dir, "agent.key");
	assert_int_equal(chmod(path, 0644), 0);
	expect(nl_identity_check_agent(dir, name, &err), NL_E_ACCESS, "others may read it");
	assert_int_equal(chmod(path, 0600), 0);
	assert_int_equal(nl_identity_check_agent(dir, name, &err), 0);
	peers_copy(second, dir, "agent.key");
	expect(nl_identity_check_agent(dir, name, &err), NL_E_IDENTITY, "another one's");
	peers_copy(peers.other, second, "ca.crt");
	expect(nl_identity_check_agent(second, name, &err), NL_E_IDENTITY, "not signed by this controller's CA");
	assert_int_equal(nl_file_write_atomic(path, "garbage", 7, 0600, &err), 0);
	expect(nl_identity_check_agent(dir, name, &err), NL_E_IDENTITY, "agent.key");
	assert_int_equal(unlink(path), 0);
	expect(nl_identity_check_agent(dir, name, &err), NL_E_NOT_FOUND, "agent.key");
	expect(nl_identity_check_controller(dir, &err), NL_E_NOT_FOUND, "nasline init");
}

static void serials_and_keys_are_never_the_same(void **state)
{
	(void)state;
	char first[PEERS_PATH], second[PEERS_PATH];
	mbedtls_x509_crt a, b;
	peers_agent(&peers, peers.controller, "first", 30, first);
	peers_agent(&peers, peers.controller, "second", 30, second);
	mbedtls_x509_crt_init(&a);
	mbedtls_x509_crt_init(&b);
	assert_int_equal(nl_pki_load_certificate(first, "agent.crt", &a, &err), 0);
	assert_int_equal(nl_pki_load_certificate(second, "agent.crt", &b, &err), 0);
	assert_int_equal(a.serial.len, 16);
	assert_int_equal(b.serial.len, 16);
	assert_memory_not_equal(a.serial.p, b.serial.p, 16);
	assert_int_equal(a.version, 3);
	assert_false(a.ca_istrue);
	mbedtls_x509_crt_free(&a);
	mbedtls_x509_crt_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_ca_is_whole_and_private),
		cmocka_unit_test(a_ca_is_not_made_twice),
		cmocka_unit_test(a_ca_whose_making_broke_off_is_made_anew),
		cmocka_unit_test(an_agent_joins_and_its_files_are_good),
		cmocka_unit_test(a_certificate_that_does_not_fit_is_not_installed),
		cmocka_unit_test(requests_that_lie_are_not_signed),
		cmocka_unit_test(names_are_checked),
		cmocka_unit_test(a_token_survives_writing_and_reading),
		cmocka_unit_test(every_mistyped_token_is_noticed),
		cmocka_unit_test(the_token_carries_the_fingerprint_of_the_ca),
		cmocka_unit_test(an_agent_proves_its_name),
		cmocka_unit_test(the_name_in_a_proof_cannot_be_moved_into_the_nonce),
		cmocka_unit_test(an_expired_certificate_is_told_with_its_date),
		cmocka_unit_test(the_controllers_certificate_is_no_agents),
		cmocka_unit_test(wrong_files_are_told_apart),
		cmocka_unit_test(serials_and_keys_are_never_the_same),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
