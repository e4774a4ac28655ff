/*
 * peers: makes and removes the directories of the tests.
 */
#include "peers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "proto/identity_pki.h"

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st;
	(void)kind;
	(void)ftw;
	return remove(path);
}

void peers_init(struct peers *peers)
{
	const char *base = getenv("TMPDIR");
	struct nl_error err;
	snprintf(peers->root, sizeof peers->root, "%s/nasline-test-XXXXXX", base && *base ? base : "/tmp");
	assert_non_null(mkdtemp(peers->root));
	snprintf(peers->controller, sizeof peers->controller, "%s/controller", peers->root);
	snprintf(peers->other, sizeof peers->other, "%s/other", peers->root);
	assert_int_equal(nl_identity_ca_create(peers->controller, &err), 0);
	assert_int_equal(nl_identity_ca_create(peers->other, &err), 0);
}

void peers_fini(struct peers *peers)
{
	assert_int_equal(nftw(peers->root, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

void peers_agent(const struct peers *peers, const char *ca, const char *name, int days, char dir[PEERS_PATH])
{
	struct nl_error err;
	uint8_t request[NL_IDENTITY_DER_MAX], certificate[NL_IDENTITY_DER_MAX];
	size_t request_len, certificate_len;
	snprintf(dir, PEERS_PATH, "%s/%s", peers->root, name);
	assert_int_equal(nl_identity_request_create(dir, name, request, &request_len, &err), 0);
	assert_int_equal(nl_identity_sign(ca, request, request_len, name, days, certificate, &certificate_len, &err),
			 0);
	/* Not by nl_identity_agent_install, which would refuse an expired one. */
	assert_int_equal(nl_pki_save_certificate(dir, "agent.crt", certificate, certificate_len, &err), 0);
	peers_copy(ca, dir, "ca.crt");
}

void peers_copy(const char *from, const char *to, const char *file)
{
	char path[PEERS_PATH + 32], *text;
	size_t len;
	snprintf(path, sizeof path, "%s/%s", from, file);
	assert_int_equal(nl_file_read(path, 1 << 16, &text, &len, NULL), 0);
	snprintf(path, sizeof path, "%s/%s", to, file);
	assert_int_equal(nl_file_write_atomic(path, text, len, 0600, NULL), 0);
	free(text);
}
