/*
 * join: fetch the CA, check it, show the secret.
 */
#include "agent/join.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/parse.h"
#include "base/time.h"
#include "proto/identity.h"
#include "proto/link.h"
#include "proto/message.h"

#define STATE_DIR_MAX 1000

struct joining {
	const char *url, *name, *state_dir;
	struct nl_token token;
	int64_t timeout_ns;
};

/* One Enrol over a connection of its own, so that the secret never travels over the unchecked one. */
static int enrol(const struct joining *joining, const char *ca_pem, Nl__Enrol *enrol_message, Nl__Reply **reply,
		 struct nl_error *err)
{
	struct nl_dialer *dialer = NULL;
	void *data = NULL, *answer = NULL;
	size_t len = 0, answer_len = 0;
	Nl__Request request = NL__REQUEST__INIT;
	request.version = NL_PROTOCOL_VERSION;
	request.sent_mono_ns = nl_mono_ns();
	request.body_case = NL__REQUEST__BODY_ENROL;
	request.enrol = enrol_message;

	int rc = nl_request_encode(&request, &data, &len, err);
	if (rc == NL_E_OK)
		rc = nl_dialer_start(joining->url, NULL, ca_pem, &dialer, err);
	if (rc == NL_E_OK)
		rc = nl_dialer_call(dialer, data, len, joining->timeout_ns, &answer, &answer_len, NULL, err);
	if (rc == NL_E_OK)
		rc = nl_reply_decode(answer, answer_len, reply, err);
	nl_dialer_stop(dialer);
	if (data)
		explicit_bzero(data, len);
	free(data);
	free(answer);
	if (rc != NL_E_OK)
		return rc;
	if ((*reply)->body_case == NL__REPLY__BODY_ENROLLED)
		return NL_E_OK;
	if ((*reply)->body_case == NL__REPLY__BODY_REFUSAL) {
		rc = nl_error_set(err, NL_E_IDENTITY, "the controller refused: %s", (*reply)->refusal->what);
		nl_error_why(err, "%s", (*reply)->refusal->why);
		nl_error_todo(err, "%s", (*reply)->refusal->todo);
	} else {
		rc = nl_error_set(err, NL_E_PROTOCOL, "the controller's answer to the enrolment makes no sense");
	}
	nl_reply_free(*reply);
	*reply = NULL;
	return rc;
}

static int fetch_ca(const struct joining *joining, char pem[NL_IDENTITY_PEM_MAX], struct nl_error *err)
{
	Nl__Enrol empty = NL__ENROL__INIT;
	Nl__Reply *reply = NULL;
	uint8_t fingerprint[NL_IDENTITY_FINGERPRINT_BYTES];
	int rc = enrol(joining, NULL, &empty, &reply, err);
	if (rc != NL_E_OK)
		return rc;
	const ProtobufCBinaryData *ca = &reply->enrolled->ca_der;
	rc = nl_identity_fingerprint(ca->data, ca->len, fingerprint, err);
	if (rc == NL_E_OK && memcmp(fingerprint, joining->token.ca_fingerprint, sizeof fingerprint) != 0) {
		rc = nl_error_set(err, NL_E_IDENTITY, "the controller is not the one that made the token");
		nl_error_where(err, "%s", joining->url);
		nl_error_why(err, "its CA certificate has another fingerprint");
		nl_error_todo(err,
			      "check the address, and that the token comes from `nasline token` on that controller");
	}
	if (rc == NL_E_OK)
		rc = nl_identity_pem(ca->data, ca->len, pem, err);
	nl_reply_free(reply);
	return rc;
}

static int be_signed(const struct joining *joining, const char *ca_pem, struct nl_error *err)
{
	uint8_t der[NL_IDENTITY_DER_MAX];
	size_t len = 0;
	Nl__Reply *reply = NULL;
	int rc = nl_identity_request_create(joining->state_dir, joining->name, der, &len, err);
	if (rc != NL_E_OK)
		return rc;
	Nl__Enrol message = NL__ENROL__INIT;
	message.agent_name = (char *)joining->name;
	message.token_secret.data = (uint8_t *)joining->token.secret;
	message.token_secret.len = sizeof joining->token.secret;
	message.request_der.data = der;
	message.request_der.len = len;
	rc = enrol(joining, ca_pem, &message, &reply, err);
	if (rc != NL_E_OK)
		return rc;
	const Nl__Enrolled *enrolled = reply->enrolled;
	rc = nl_identity_agent_install(joining->state_dir, enrolled->ca_der.data, enrolled->ca_der.len,
				       enrolled->certificate_der.data, enrolled->certificate_der.len, err);
	nl_reply_free(reply);
	return rc;
}

static int make_state_dir(const char *state_dir, bool again, struct nl_error *err)
{
	char path[1100];
	int failed = strlen(state_dir) > STATE_DIR_MAX ? ENAMETOOLONG : 0;
	if (!failed && mkdir(state_dir, 0700) != 0 && errno != EEXIST)
		failed = errno;
	if (failed) {
		int rc = nl_error_sys(err, failed, "create the state directory");
		nl_error_where(err, "%s", state_dir);
		return rc;
	}
	/* Written last: without it the agent has not joined, whatever else a crash left. */
	snprintf(path, sizeof path, "%s/controller", state_dir);
	if (!again && access(path, F_OK) == 0) {
		int rc = nl_error_set(err, NL_E_CONFIG, "this agent has joined a controller already");
		nl_error_where(err, "%s", state_dir);
		nl_error_todo(err, "use --again to replace its identity, or another --state directory");
		return rc;
	}
	return NL_E_OK;
}

int nl_join(const char *url, const char *token_text, const char *name, const char *state_dir, bool again,
	    int64_t timeout_ns, struct nl_error *err)
{
	struct joining joining = {.name = name, .state_dir = state_dir, .timeout_ns = timeout_ns};
	char full_url[300], pem[NL_IDENTITY_PEM_MAX], path[1100], line[310];

	int rc = nl_link_url(url, full_url, sizeof full_url, err);
	joining.url = full_url;
	if (rc == NL_E_OK)
		rc = nl_token_parse(token_text, &joining.token, err);
	if (rc == NL_E_OK && !nl_identity_name_valid(name)) {
		rc = nl_error_set(err, NL_E_USAGE, "\"%s\" is no agent name", name);
		nl_error_why(err, "a name has 1 to 63 of a-z, 0-9 and -, not at its ends");
	}
	if (rc == NL_E_OK)
		rc = make_state_dir(state_dir, again, err);
	if (rc == NL_E_OK)
		rc = fetch_ca(&joining, pem, err);
	if (rc == NL_E_OK)
		rc = be_signed(&joining, pem, err);
	explicit_bzero(&joining.token, sizeof joining.token);
	if (rc != NL_E_OK)
		return rc;
	snprintf(path, sizeof path, "%s/controller", state_dir);
	int len = snprintf(line, sizeof line, "%s\n", full_url);
	return nl_file_write_atomic(path, line, (size_t)len, 0600, err);
}

void nl_join_default_name(char *name)
{
	char host[256] = "";
	size_t used = 0;
	gethostname(host, sizeof host - 1);
	for (const char *p = host; *p && *p != '.' && used < NL_IDENTITY_NAME_MAX; p++) {
		char c = (char)tolower((unsigned char)*p);
		if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c == '-' && used > 0))
			name[used++] = c;
	}
	while (used > 0 && name[used - 1] == '-')
		used--;
	name[used] = '\0';
	if (used == 0)
		snprintf(name, NL_IDENTITY_NAME_MAX + 1, "agent");
}
