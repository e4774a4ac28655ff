/*
 * call: encode, send, decode, check.
 */
#include "agent/call.h"

#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "proto/clock.h"
#include "proto/link.h"

static int refused(struct nl_agent *agent, const Nl__Refusal *refusal, struct nl_error *err)
{
	enum nl_code code = refusal->code < 0 && nl_code_valid(refusal->code) ? (enum nl_code)refusal->code : NL_E_PEER;
	if (refusal->session_unknown)
		atomic_store(&agent->session_over, true);
	nl_error_set(err, code, "the controller refused: %s", refusal->what);
	nl_error_why(err, "%s", refusal->why);
	nl_error_todo(err, "%s", refusal->todo);
	return code;
}

int nl_call(struct nl_agent *agent, Nl__Request *request, int64_t timeout_ns, Nl__Reply **reply,
	    int64_t *returned_mono_ns, struct nl_error *err)
{
	void *data = NULL, *answer = NULL;
	size_t len = 0, answer_len = 0;
	int64_t returned = 0;
	Nl__Reply *decoded = NULL;

	request->version = NL_PROTOCOL_VERSION;
	request->session = atomic_load(&agent->session);
	request->sent_mono_ns = nl_mono_ns();
	int rc = nl_request_encode(request, &data, &len, err);
	if (rc == NL_E_OK)
		rc = nl_dialer_call(agent->dialer, data, len, timeout_ns, &answer, &answer_len, &returned, err);
	free(data);
	if (rc != NL_E_OK)
		return rc;
	rc = nl_reply_decode(answer, answer_len, &decoded, err);
	/* An order may carry a password. */
	explicit_bzero(answer, answer_len);
	free(answer);
	if (rc != NL_E_OK)
		return rc;
	atomic_store(&agent->contact_mono_ns, returned);
	if (decoded->abort_order)
		nl_agent_abort(agent, decoded->abort_order);
	if (decoded->body_case == NL__REPLY__BODY_REFUSAL) {
		rc = refused(agent, decoded->refusal, err);
		nl_reply_free(decoded);
		return rc;
	}
	if (returned_mono_ns)
		*returned_mono_ns = returned;
	*reply = decoded;
	return NL_E_OK;
}

int nl_call_ping(struct nl_agent *agent, int64_t timeout_ns, struct nl_error *err)
{
	Nl__Ping ping = NL__PING__INIT;
	Nl__Request request = NL__REQUEST__INIT;
	request.body_case = NL__REQUEST__BODY_PING;
	request.ping = &ping;
	Nl__Reply *reply = NULL;
	int64_t returned = 0;
	int rc = nl_call(agent, &request, timeout_ns, &reply, &returned, err);
	if (rc != NL_E_OK)
		return rc;
	struct nl_clock_exchange exchange = {
		.sent_mono_ns = request.sent_mono_ns,
		.received_ns = reply->received_ns,
		.replied_ns = reply->sent_ns,
		.returned_mono_ns = returned,
	};
	pthread_mutex_lock(&agent->lock);
	nl_clock_learn(&agent->clock, &exchange);
	pthread_mutex_unlock(&agent->lock);
	nl_reply_free(reply);
	return NL_E_OK;
}
