/*
 * session: one connection's life, seen from the agent.
 */
#include "agent/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/bench/load_task.h"
#include "agent/call.h"
#include "agent/uplink.h"
#include "agent/worker.h"
#include "base/parse.h"
#include "base/time.h"

#define CLOCK_EXCHANGES  16
#define LEASE_MIN_NS     (1 * NL_NS_PER_S)
#define CAPABILITIES_MAX 16
#define DEFAULT_CALL_NS  (5 * NL_NS_PER_S)

/* An order comes at once however long a poll is, but a request to stop the agent waits for its end. */
#define POLL_NS (1 * NL_NS_PER_S)

static size_t capabilities(char *list[CAPABILITIES_MAX], char text[CAPABILITIES_MAX][40])
{
	static const enum nl_engine_id engines[] = {NL_ENGINE_IO_URING, NL_ENGINE_PSYNC, NL_ENGINE_LIBNFS,
						    NL_ENGINE_LIBSMBCLIENT, NL_ENGINE_NULL};
	size_t count = 0;
	for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
		char reason[200];
		if (nl_engine_probe(engines[i], reason, sizeof reason))
			snprintf(text[count++], sizeof text[0], "engine:%s", nl_engine_name(engines[i]));
	}
	if (access("/sbin/mount.nfs", X_OK) == 0 && geteuid() == 0)
		snprintf(text[count++], sizeof text[0], "mount:nfs");
	if (access("/sbin/mount.cifs", X_OK) == 0 && geteuid() == 0)
		snprintf(text[count++], sizeof text[0], "mount:smb");
	snprintf(text[count++], sizeof text[0], "line");
	snprintf(text[count++], sizeof text[0], "storage:directory");
	for (size_t i = 0; i < count; i++)
		list[i] = text[i];
	return count;
}

/* The agent's certificate as DER, from its PEM file. */
static int own_certificate(const struct nl_agent *agent, uint8_t der[NL_IDENTITY_DER_MAX], size_t *len,
			   struct nl_error *err)
{
	char path[1100], *pem = NULL;
	size_t pem_len = 0;
	snprintf(path, sizeof path, "%s/agent.crt", agent->state_dir);
	int rc = nl_file_read(path, NL_IDENTITY_PEM_MAX, &pem, &pem_len, err);
	if (rc == NL_E_OK)
		rc = nl_identity_der(pem, pem_len, der, len, err);
	free(pem);
	return rc;
}

static int say_hello(struct nl_agent *agent, int64_t timeout_ns, uint8_t nonce[NL_IDENTITY_NONCE_BYTES],
		     struct nl_error *err)
{
	char text[CAPABILITIES_MAX][40], *list[CAPABILITIES_MAX], host[256] = "";
	uint8_t der[NL_IDENTITY_DER_MAX];
	size_t der_len = 0;
	Nl__Hello hello = NL__HELLO__INIT;
	Nl__Request request = NL__REQUEST__INIT;
	Nl__Reply *reply = NULL;

	int rc = own_certificate(agent, der, &der_len, err);
	if (rc != NL_E_OK)
		return rc;
	gethostname(host, sizeof host - 1);
	hello.agent_name = agent->name;
	hello.program_version = (char *)NASLINE_VERSION;
	hello.host_name = host;
	hello.n_capabilities = capabilities(list, text);
	hello.capabilities = list;
	hello.certificate_der.data = der;
	hello.certificate_der.len = der_len;
	request.body_case = NL__REQUEST__BODY_HELLO;
	request.hello = &hello;
	rc = nl_call(agent, &request, timeout_ns, &reply, NULL, err);
	if (rc != NL_E_OK)
		return rc;
	if (reply->body_case == NL__REPLY__BODY_CHALLENGE && reply->challenge->nonce.len == NL_IDENTITY_NONCE_BYTES)
		memcpy(nonce, reply->challenge->nonce.data, NL_IDENTITY_NONCE_BYTES);
	else
		rc = nl_error_set(err, NL_E_PROTOCOL, "the controller's answer to hello makes no sense");
	nl_reply_free(reply);
	return rc;
}

static int prove(struct nl_agent *agent, uint8_t nonce[NL_IDENTITY_NONCE_BYTES], struct nl_error *err)
{
	uint8_t signature[NL_IDENTITY_SIGNATURE_MAX];
	size_t signature_len = 0;
	Nl__Proof proof = NL__PROOF__INIT;
	Nl__Request request = NL__REQUEST__INIT;
	Nl__Reply *reply = NULL;

	int rc = nl_identity_prove(agent->state_dir, agent->name, nonce, signature, &signature_len, err);
	if (rc != NL_E_OK)
		return rc;
	proof.agent_name = agent->name;
	proof.nonce.data = nonce;
	proof.nonce.len = NL_IDENTITY_NONCE_BYTES;
	proof.signature_der.data = signature;
	proof.signature_der.len = signature_len;
	request.body_case = NL__REQUEST__BODY_PROOF;
	request.proof = &proof;
	rc = nl_call(agent, &request, DEFAULT_CALL_NS, &reply, NULL, err);
	if (rc != NL_E_OK)
		return rc;
	if (reply->body_case == NL__REPLY__BODY_WELCOME && reply->welcome->session != 0) {
		int64_t lease = reply->welcome->lease_ns;
		atomic_store(&agent->session, reply->welcome->session);
		atomic_store(&agent->lease_ns, lease < LEASE_MIN_NS ? LEASE_MIN_NS : lease);
	} else {
		rc = nl_error_set(err, NL_E_PROTOCOL, "the controller's answer to the proof makes no sense");
	}
	nl_reply_free(reply);
	return rc;
}

int nl_session_open(struct nl_agent *agent, int64_t timeout_ns, struct nl_error *err)
{
	uint8_t nonce[NL_IDENTITY_NONCE_BYTES];
	atomic_store(&agent->session, 0);
	atomic_store(&agent->session_over, false);
	/* A controller that was started again has another clock: what was learned of the old one would be believed. */
	pthread_mutex_lock(&agent->lock);
	agent->clock = (struct nl_clock){.known = false};
	pthread_mutex_unlock(&agent->lock);
	int rc = say_hello(agent, timeout_ns, nonce, err);
	if (rc == NL_E_OK)
		rc = prove(agent, nonce, err);
	for (int i = 0; rc == NL_E_OK && i < CLOCK_EXCHANGES; i++)
		rc = nl_call_ping(agent, DEFAULT_CALL_NS, err);
	return rc;
}

static int64_t lease_left_ns(struct nl_agent *agent)
{
	return atomic_load(&agent->contact_mono_ns) + atomic_load(&agent->lease_ns) - nl_mono_ns();
}

/* One long poll. NL_E_TIMEOUT is no end as long as the lease holds. */
static int poll_orders(struct nl_agent *agent, struct nl_error *err)
{
	Nl__Await await = NL__AWAIT__INIT;
	Nl__Request request = NL__REQUEST__INIT;
	Nl__Reply *reply = NULL;
	int64_t lease = atomic_load(&agent->lease_ns), left = lease_left_ns(agent);
	await.longest_ns = lease / 4 < POLL_NS ? lease / 4 : POLL_NS;
	pthread_mutex_lock(&agent->lock);
	await.newest_order = agent->newest_order;
	pthread_mutex_unlock(&agent->lock);
	request.body_case = NL__REQUEST__BODY_AWAIT;
	request.await = &await;
	if (left <= 0)
		return nl_error_set(err, NL_E_PEER, "the controller was not reached for %.1f s", (double)lease / 1e9);
	int64_t patience = await.longest_ns + lease / 4;
	int rc = nl_call(agent, &request, patience < left ? patience : left, &reply, NULL, err);
	if (rc == NL_E_TIMEOUT)
		return NL_E_OK;
	if (rc != NL_E_OK)
		return rc;
	if (reply->body_case == NL__REPLY__BODY_ORDER)
		nl_worker_take(agent, reply);
	else
		nl_reply_free(reply);
	return NL_E_OK;
}

static void end_session(struct nl_agent *agent, pthread_t worker, pthread_t uplink)
{
	atomic_store(&agent->session_over, true);
	nl_agent_abort(agent, UINT64_MAX);
	pthread_mutex_lock(&agent->lock);
	pthread_cond_broadcast(&agent->changed);
	pthread_mutex_unlock(&agent->lock);
	pthread_join(worker, NULL);
	pthread_join(uplink, NULL);
	nl_ready_load_drop(agent);
	nl_telemetry_stop(agent->telemetry);
	agent->telemetry = NULL;
	nl_netbench_server_free(agent->line_server);
	agent->line_server = NULL;
	for (unsigned i = 0; i < agent->done_count; i++)
		nl_outcome_free(agent->done[i]);
	agent->done_count = 0;
	agent->newest_order = 0;
}

int nl_session_serve(struct nl_agent *agent, const atomic_bool *quit, struct nl_error *err)
{
	pthread_t worker, uplink;
	int rc = nl_worker_start(agent, &worker, err);
	if (rc != NL_E_OK)
		return rc;
	rc = nl_uplink_start(agent, &uplink, err);
	if (rc != NL_E_OK) {
		atomic_store(&agent->session_over, true);
		pthread_mutex_lock(&agent->lock);
		pthread_cond_broadcast(&agent->changed);
		pthread_mutex_unlock(&agent->lock);
		pthread_join(worker, NULL);
		return rc;
	}
	while (rc == NL_E_OK && !atomic_load(quit) && !atomic_load(&agent->session_over))
		rc = poll_orders(agent, err);
	if (rc == NL_E_OK && atomic_load(quit))
		rc = nl_error_set(err, NL_E_CANCELLED, "stopped on request");
	else if (rc == NL_E_OK)
		rc = nl_error_set(err, NL_E_PEER, "the controller ended the session");
	end_session(agent, worker, uplink);
	return rc;
}
