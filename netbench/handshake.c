/*
 * handshake: the messages by which both ends prove themselves, and the first bytes of a data connection.
 */
#include <string.h>

#include "netbench/fields.h"
#include "netbench/message.h"

static int malformed(struct nl_error *err, const char *what)
{
	nl_error_set(err, NL_E_PROTOCOL, "read a control message");
	return nl_error_why(err, "%s", what);
}

static int set_hex(json_t *object, const char *name, const unsigned char *bytes, size_t len)
{
	char text[2 * NL_NB_NONCE_BYTES + 1];

	nl_nb_hex(bytes, len, text);
	return json_object_set_new(object, name, json_string(text));
}

static bool get_hex(const json_t *object, const char *name, unsigned char *bytes, size_t len)
{
	const char *text = json_string_value(json_object_get(object, name));

	return text && nl_nb_unhex(text, bytes, len);
}

json_t *nl_nb_proof_add(json_t *object, const struct nl_nb_auth *auth, enum nl_nb_prover prover)
{
	unsigned char proof[NL_NB_PROOF_BYTES];

	if (object && (!auth->key || (nl_nb_proof(auth, prover, proof, NULL) == 0 &&
				      set_hex(object, "proof", proof, sizeof(proof)) == 0)))
		return object;
	json_decref(object);
	return NULL;
}

enum proof_state {
	PROOF_NONE,
	PROOF_RIGHT,
	PROOF_WRONG,
};

static enum proof_state proof_state(const struct nl_nb_auth *auth, const json_t *frame, enum nl_nb_prover prover)
{
	unsigned char proof[NL_NB_PROOF_BYTES];

	if (!json_object_get(frame, "proof"))
		return PROOF_NONE;
	if (!auth->key || !get_hex(frame, "proof", proof, sizeof(proof)) || !nl_nb_proof_check(auth, prover, proof))
		return PROOF_WRONG;
	return PROOF_RIGHT;
}

static int refuse(struct nl_error *err, const char *why)
{
	nl_error_set(err, NL_E_ACCESS, "authenticate");
	return nl_error_why(err, "%s", why);
}

static int check_client(const struct nl_nb_auth *auth, const json_t *frame, enum nl_nb_prover prover,
			struct nl_error *err)
{
	if (!auth->key)
		return 0;
	switch (proof_state(auth, frame, prover)) {
	case PROOF_RIGHT:
		return 0;
	case PROOF_NONE:
		return refuse(err, "it has no key");
	case PROOF_WRONG:
		break;
	}
	return refuse(err, "its key is not ours");
}

static json_t *nonce_message(const char *type, const unsigned char nonce[NL_NB_NONCE_BYTES])
{
	json_t *object = json_pack("{s:s, s:i}", "type", type, "version", NL_NB_VERSION);

	if (object && set_hex(object, "nonce", nonce, NL_NB_NONCE_BYTES) == 0)
		return object;
	json_decref(object);
	return NULL;
}

json_t *nl_nb_hello_pack(const struct nl_nb_auth *auth)
{
	return nl_nb_proof_add(nonce_message("hello", auth->client_nonce), auth, NL_NB_PROOF_HELLO);
}

int nl_nb_hello_check(struct nl_nb_auth *auth, const json_t *frame, struct nl_error *err)
{
	if (strcmp(nl_nb_type(frame), "hello") || !get_hex(frame, "nonce", auth->client_nonce, NL_NB_NONCE_BYTES))
		return malformed(err, "it is no hello");
	return check_client(auth, frame, NL_NB_PROOF_HELLO, err);
}

json_t *nl_nb_challenge_pack(const struct nl_nb_auth *auth)
{
	return nl_nb_proof_add(nonce_message("challenge", auth->server_nonce), auth, NL_NB_PROOF_SERVER);
}

int nl_nb_challenge_check(struct nl_nb_auth *auth, const json_t *frame, struct nl_error *err)
{
	json_int_t version = json_integer_value(json_object_get(frame, "version"));

	if (strcmp(nl_nb_type(frame), "challenge") || !get_hex(frame, "nonce", auth->server_nonce, NL_NB_NONCE_BYTES))
		return malformed(err, "it is no challenge");
	if (version != NL_NB_VERSION) {
		nl_error_set(err, NL_E_UNSUPPORTED, "talk to the server");
		return nl_error_why(err, "it speaks netbench protocol %lld, this client %d", (long long)version,
				    NL_NB_VERSION);
	}
	if (!auth->key)
		return 0;
	switch (proof_state(auth, frame, NL_NB_PROOF_SERVER)) {
	case PROOF_RIGHT:
		return 0;
	case PROOF_NONE:
		refuse(err, "this client has a key, the server has none, so it cannot prove who it is");
		return nl_error_todo(err, "start the server with the same --key-file, or leave it out here");
	case PROOF_WRONG:
		break;
	}
	return refuse(err, "the server has another key");
}

int nl_nb_request_check(const struct nl_nb_auth *auth, const json_t *frame, struct nl_error *err)
{
	if (strcmp(nl_nb_type(frame), "request"))
		return malformed(err, "it is no request");
	return check_client(auth, frame, NL_NB_PROOF_CLIENT, err);
}

json_t *nl_nb_refused_pack(enum nl_code code, const char *why)
{
	return json_pack("{s:s, s:i, s:s}", "type", "refused", "code", (int)code, "why", why);
}

int nl_nb_refused_unpack(const json_t *frame, struct nl_error *err)
{
	struct refusal {
		int64_t code;
		char why[300];
	} refusal;
	static const struct nl_nb_field fields[] = {
		NL_NB_FIELD(struct refusal, code, NL_NB_INT64, -NL_CODE_INTERNAL, -1),
		NL_NB_FIELD(struct refusal, why, NL_NB_TEXT, 0, 0),
	};
	int rc = nl_nb_fields_unpack(frame, fields, sizeof(fields) / sizeof(fields[0]), &refusal, err);

	if (rc)
		return rc;
	nl_error_set(err, nl_code_valid((int)refusal.code) ? (enum nl_code)refusal.code : NL_E_PEER,
		     "have the server run the test");
	nl_error_why(err, "%s", refusal.why);
	return err ? err->code : NL_E_PEER;
}

json_t *nl_nb_ready_pack(const unsigned char token[NL_NB_TOKEN_BYTES])
{
	json_t *object = nl_nb_message("ready");

	if (object && set_hex(object, "token", token, NL_NB_TOKEN_BYTES) == 0)
		return object;
	json_decref(object);
	return NULL;
}

int nl_nb_ready_unpack(const json_t *frame, unsigned char token[NL_NB_TOKEN_BYTES], struct nl_error *err)
{
	if (!get_hex(frame, "token", token, NL_NB_TOKEN_BYTES))
		return malformed(err, "it has no token");
	return 0;
}

/* ---- Data connections ---- */

void nl_nb_data_header(unsigned char *header, const unsigned char token[NL_NB_TOKEN_BYTES], unsigned flow,
		       unsigned stream)
{
	memcpy(header, NL_NB_PREFACE_DATA, NL_NB_PREFACE_BYTES);
	memcpy(header + NL_NB_PREFACE_BYTES, token, NL_NB_TOKEN_BYTES);
	header[NL_NB_PREFACE_BYTES + NL_NB_TOKEN_BYTES] = (unsigned char)flow;
	header[NL_NB_PREFACE_BYTES + NL_NB_TOKEN_BYTES + 1] = (unsigned char)stream;
}

bool nl_nb_data_header_read(const unsigned char *header, const unsigned char token[NL_NB_TOKEN_BYTES], unsigned streams,
			    unsigned *flow, unsigned *stream)
{
	*flow = header[NL_NB_PREFACE_BYTES + NL_NB_TOKEN_BYTES];
	*stream = header[NL_NB_PREFACE_BYTES + NL_NB_TOKEN_BYTES + 1];
	return memcmp(header, NL_NB_PREFACE_DATA, NL_NB_PREFACE_BYTES) == 0 &&
	       nl_nb_equal(header + NL_NB_PREFACE_BYTES, token, NL_NB_TOKEN_BYTES) && *flow < NL_NETBENCH_FLOWS &&
	       *stream < streams;
}
