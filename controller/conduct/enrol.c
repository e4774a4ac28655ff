/*
 * enrol: who may take part: tokens become certificates, certificates and a signature become a session.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "base/text.h"
#include "base/time.h"
#include "controller/conduct/server_private.h"

#define CERTIFICATE_DAYS  825
#define CHALLENGE_LIFE_NS (30 * NL_NS_PER_S)

static int ca_der(const struct nl_server *server, uint8_t der[NL_IDENTITY_DER_MAX], size_t *len, struct nl_error *err)
{
	char path[1100], *pem = NULL;
	size_t pem_len = 0;
	snprintf(path, sizeof path, "%s/ca.crt", server->state_dir);
	int rc = nl_file_read(path, NL_IDENTITY_PEM_MAX, &pem, &pem_len, err);
	if (rc == NL_E_OK)
		rc = nl_identity_der(pem, pem_len, der, len, err);
	free(pem);
	return rc;
}

/* A request seen before, with the same token, gets what it got. */
static bool repeated(struct nl_server *server, const uint8_t hash[32], const Nl__Enrol *enrol, struct nl_answer *answer,
		     size_t *len)
{
	bool found = false;
	pthread_mutex_lock(&server->lock);
	for (unsigned i = 0; i < NL_ENROLMENTS_MAX && !found; i++) {
		const struct nl_enrolment *old = &server->enrolment[i];
		found = old->certificate_len && memcmp(old->token_hash, hash, 32) == 0 &&
			old->request_len == enrol->request_der.len &&
			memcmp(old->request, enrol->request_der.data, old->request_len) == 0;
		if (found) {
			memcpy(answer->bytes_b, old->certificate, old->certificate_len);
			*len = old->certificate_len;
		}
	}
	pthread_mutex_unlock(&server->lock);
	return found;
}

static void remember(struct nl_server *server, const uint8_t hash[32], const Nl__Enrol *enrol,
		     const uint8_t *certificate, size_t len)
{
	if (enrol->request_der.len > NL_IDENTITY_DER_MAX)
		return;
	pthread_mutex_lock(&server->lock);
	struct nl_enrolment *slot = &server->enrolment[server->next_enrolment++ % NL_ENROLMENTS_MAX];
	memcpy(slot->token_hash, hash, 32);
	memcpy(slot->request, enrol->request_der.data, enrol->request_der.len);
	slot->request_len = enrol->request_der.len;
	memcpy(slot->certificate, certificate, len);
	slot->certificate_len = len;
	pthread_mutex_unlock(&server->lock);
}

/* The token is used up and the agent written down in one transaction. */
static int admit(struct nl_server *server, const uint8_t hash[32], const char *name, const uint8_t *certificate,
		 size_t len, struct nl_error *err)
{
	struct nl_store *store = nl_server_store_lock(server);
	int rc = nl_store_begin(store, err);
	if (rc == NL_E_OK) {
		rc = nl_store_token_use(store, hash, name, nl_wall_ns(), err);
		if (rc == NL_E_OK)
			rc = nl_store_agent_put(store, name, certificate, len, nl_wall_ns(), err);
		if (rc == NL_E_OK)
			rc = nl_store_commit(store, err);
		if (rc != NL_E_OK)
			nl_store_rollback(store);
	}
	nl_server_store_unlock(server);
	return rc;
}

static int sign_and_admit(struct nl_server *server, const Nl__Enrol *enrol, struct nl_answer *answer, size_t *len)
{
	uint8_t hash[32];
	struct nl_error *err = &answer->error;
	if (enrol->token_secret.len != NL_IDENTITY_SECRET_BYTES)
		return nl_error_set(err, NL_E_IDENTITY, "the join token is not whole");
	int rc = nl_token_hash(enrol->token_secret.data, hash, err);
	if (rc == NL_E_OK && repeated(server, hash, enrol, answer, len))
		return NL_E_OK;
	if (rc == NL_E_OK)
		rc = nl_identity_sign(server->state_dir, enrol->request_der.data, enrol->request_der.len,
				      enrol->agent_name, CERTIFICATE_DAYS, answer->bytes_b, len, err);
	if (rc == NL_E_OK)
		rc = admit(server, hash, enrol->agent_name, answer->bytes_b, *len, err);
	if (rc == NL_E_OK)
		remember(server, hash, enrol, answer->bytes_b, *len);
	return rc;
}

void nl_server_enrol(struct nl_server *server, const Nl__Enrol *enrol, const char *where, struct nl_answer *answer)
{
	size_t ca_len = 0, certificate_len = 0;
	bool asks_ca = enrol->agent_name[0] == '\0' && enrol->token_secret.len == 0;
	int rc = ca_der(server, answer->bytes_a, &ca_len, &answer->error);
	if (rc == NL_E_OK && !asks_ca)
		rc = sign_and_admit(server, enrol, answer, &certificate_len);
	if (rc != NL_E_OK) {
		char line[1200];
		nl_server_event(server, "%s may not join: %s", where, nl_error_line(&answer->error, line, sizeof line));
		nl_answer_refuse(answer, false);
		return;
	}
	if (!asks_ca)
		nl_server_event(server, "agent %s joined from %s", enrol->agent_name, where);
	nl__enrolled__init(&answer->body.enrolled);
	answer->body.enrolled.ca_der = (ProtobufCBinaryData){ca_len, answer->bytes_a};
	answer->body.enrolled.certificate_der = (ProtobufCBinaryData){certificate_len, answer->bytes_b};
	answer->reply.body_case = NL__REPLY__BODY_ENROLLED;
	answer->reply.enrolled = &answer->body.enrolled;
}

/* Why an agent's certificate does not do, said as well as we can. */
static void refuse_certificate(struct nl_server *server, const Nl__Hello *hello, const char *where,
			       struct nl_answer *answer)
{
	static const uint8_t no_nonce[NL_IDENTITY_NONCE_BYTES];
	char line[1200];
	int rc = nl_identity_verify(server->state_dir, hello->agent_name, hello->certificate_der.data,
				    hello->certificate_der.len, no_nonce, no_nonce, 0, &answer->error);
	if (rc == NL_E_OK)
		nl_error_set(&answer->error, NL_E_IDENTITY, "the connection showed no certificate of this controller");
	nl_error_todo(&answer->error, "join again with a fresh token: nasline token %s", hello->agent_name);
	nl_server_event(server, "%s (%s) is refused: %s", hello->agent_name, where,
			nl_error_line(&answer->error, line, sizeof line));
	nl_answer_refuse(answer, false);
}

void nl_server_hello(struct nl_server *server, const Nl__Hello *hello, bool verified, const char *where,
		     struct nl_answer *answer)
{
	uint8_t nonce[NL_IDENTITY_NONCE_BYTES];
	if (!verified || hello->certificate_der.len > NL_IDENTITY_DER_MAX ||
	    !nl_identity_name_valid(hello->agent_name)) {
		refuse_certificate(server, hello, where, answer);
		return;
	}
	if (nl_identity_random(nonce, sizeof nonce, &answer->error) != NL_E_OK) {
		nl_answer_refuse(answer, false);
		return;
	}
	pthread_mutex_lock(&server->lock);
	struct nl_challenge *challenge = &server->peers.challenge[server->peers.next_challenge++ % NL_CHALLENGES_MAX];
	memset(challenge, 0, sizeof *challenge);
	snprintf(challenge->name, sizeof challenge->name, "%s", hello->agent_name);
	snprintf(challenge->host, sizeof challenge->host, "%s", hello->host_name);
	nl_text_clean(challenge->host);
	snprintf(challenge->version, sizeof challenge->version, "%s", hello->program_version);
	nl_text_clean(challenge->version);
	size_t used = 0;
	for (size_t i = 0; i < hello->n_capabilities && used < sizeof challenge->capabilities - 1; i++)
		used += (size_t)snprintf(challenge->capabilities + used, sizeof challenge->capabilities - used, "%s%s",
					 i ? " " : "", hello->capabilities[i]);
	nl_text_clean(challenge->capabilities);
	memcpy(challenge->nonce, nonce, sizeof nonce);
	memcpy(challenge->certificate, hello->certificate_der.data, hello->certificate_der.len);
	challenge->certificate_len = hello->certificate_der.len;
	challenge->made_mono_ns = nl_mono_ns();
	pthread_mutex_unlock(&server->lock);
	memcpy(answer->bytes_a, nonce, sizeof nonce);
	nl__challenge__init(&answer->body.challenge);
	answer->body.challenge.nonce = (ProtobufCBinaryData){sizeof nonce, answer->bytes_a};
	answer->reply.body_case = NL__REPLY__BODY_CHALLENGE;
	answer->reply.challenge = &answer->body.challenge;
}

static void welcome(struct nl_server *server, uint64_t session, struct nl_answer *answer)
{
	nl__welcome__init(&answer->body.welcome);
	answer->body.welcome.session = session;
	answer->body.welcome.lease_ns = server->config.lease_ns;
	answer->body.welcome.controller_version = (char *)NASLINE_VERSION;
	answer->reply.body_case = NL__REPLY__BODY_WELCOME;
	answer->reply.welcome = &answer->body.welcome;
}

static int begin_session(struct nl_server *server, const struct nl_challenge *challenge, uint64_t session,
			 struct nl_error *err)
{
	pthread_mutex_lock(&server->lock);
	struct nl_peer *peer = nl_peers_put(&server->peers, challenge->name);
	if (peer) {
		snprintf(peer->host, sizeof peer->host, "%s", challenge->host);
		snprintf(peer->version, sizeof peer->version, "%s", challenge->version);
		snprintf(peer->capabilities, sizeof peer->capabilities, "%s", challenge->capabilities);
		peer->session = session;
		peer->seen_mono_ns = nl_mono_ns();
		peer->abort_order = 0;
		peer->abort_told = false;
		peer->live_at_ns = 0;
		nl_peer_order_forget(peer);
		struct nl_challenge *proved = nl_peers_challenge(&server->peers, challenge->name, challenge->nonce);
		if (proved)
			proved->session = session;
		pthread_cond_broadcast(&server->changed);
	}
	pthread_mutex_unlock(&server->lock);
	if (!peer)
		return nl_error_set(err, NL_E_UNSUPPORTED, "more than %d agents", NL_PEERS_MAX);
	struct nl_store *store = nl_server_store_lock(server);
	int rc = nl_store_agent_seen(store, challenge->name, challenge->host, challenge->version,
				     challenge->capabilities, nl_wall_ns(), err);
	nl_server_store_unlock(server);
	return rc;
}

void nl_server_proof(struct nl_server *server, const Nl__Proof *proof, struct nl_answer *answer)
{
	struct nl_challenge copy = {0};
	uint64_t session = 0;
	int rc = NL_E_OK;
	pthread_mutex_lock(&server->lock);
	struct nl_challenge *challenge =
		proof->nonce.len == NL_IDENTITY_NONCE_BYTES
			? nl_peers_challenge(&server->peers, proof->agent_name, proof->nonce.data)
			: NULL;
	if (challenge && nl_mono_ns() - challenge->made_mono_ns < CHALLENGE_LIFE_NS)
		copy = *challenge;
	pthread_mutex_unlock(&server->lock);
	if (copy.made_mono_ns == 0)
		rc = nl_error_set(&answer->error, NL_E_IDENTITY, "the proof answers no challenge of this controller");
	if (rc == NL_E_OK && copy.session) {
		welcome(server, copy.session, answer);
		return;
	}
	if (rc == NL_E_OK)
		rc = nl_identity_verify(server->state_dir, copy.name, copy.certificate, copy.certificate_len,
					copy.nonce, proof->signature_der.data, proof->signature_der.len,
					&answer->error);
	while (rc == NL_E_OK && session == 0)
		rc = nl_identity_random(&session, sizeof session, &answer->error);
	if (rc == NL_E_OK)
		rc = begin_session(server, &copy, session, &answer->error);
	if (rc != NL_E_OK) {
		char line[1200];
		nl_server_event(server, "%s is refused: %s", proof->agent_name,
				nl_error_line(&answer->error, line, sizeof line));
		nl_answer_refuse(answer, false);
		return;
	}
	nl_server_event(server, "agent %s is here (%s)", copy.name, copy.host);
	welcome(server, session, answer);
}
