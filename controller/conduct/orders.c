/*
 * orders: gives one order, waits for its result, and finds facts in it.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "controller/conduct/conductor.h"
#include "proto/clock.h"

int nl_conduct_order(struct nl_conductor *conductor, const struct nl_order_call *call, Nl__Order *order,
		     Nl__Result **result, struct nl_error *err)
{
	struct nl_order_keeping keeping = {.run_id = conductor->run_id,
					   .phase = call->phase,
					   .role = call->role,
					   .label = call->label ? call->label : ""};
	Nl__Result *own = NULL;
	uint64_t id = 0;
	order->run_id = conductor->tag;
	order->phase = call->phase;
	order->deadline_ns = call->timeout_ns;
	int rc = nl_server_order(conductor->server, call->agent, order, &keeping, &id, err);
	if (rc == NL_E_OK)
		rc = nl_server_await(conductor->server, call->agent, id, call->timeout_ns,
				     call->stop ? call->stop : conductor->stop, &own, err);
	if (rc != NL_E_OK && rc != NL_E_CANCELLED && err && err->where[0] == '\0' && !strstr(err->what, call->agent))
		nl_error_where(err, "agent %s", call->agent);
	if (rc == NL_E_OK && result)
		*result = own;
	else
		nl_server_result_free(own);
	return rc;
}

const char *nl_conduct_fact(const Nl__Result *result, const char *subject, const char *key)
{
	for (size_t i = 0; result && i < result->n_fact; i++)
		if (strcmp(result->fact[i]->subject, subject) == 0 && strcmp(result->fact[i]->key, key) == 0)
			return result->fact[i]->value;
	return NULL;
}

const char *nl_conduct_client(const struct nl_conductor *conductor, unsigned share)
{
	const char *named = conductor->campaign->shares[share].client;
	return named[0] ? named : conductor->campaign->clients[0];
}

void nl_conduct_share_target(struct nl_conductor *conductor, unsigned index, Nl__ShareTarget *target)
{
	const struct nl_campaign_share *share = &conductor->campaign->shares[index];
	struct nl_conduct_share *state = &conductor->share[index];
	nl__share_target__init(target);
	target->protocol = (char *)share->protocol;
	target->server = (char *)share->server;
	target->share = (char *)share->share;
	target->port = share->port;
	target->version = (char *)share->version;
	target->user = (char *)share->user;
	target->secret.data = (uint8_t *)state->password;
	target->secret.len = strlen(state->password);
	target->encrypt = share->encrypt;
}

void nl_conduct_event(struct nl_conductor *conductor, const char *severity, const char *format, ...)
{
	char text[1024];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (conductor->progress)
		nl_progress_note(conductor->progress, "%s", text);
	if (conductor->run_id[0]) {
		struct nl_store *store = nl_server_store_lock(conductor->server);
		nl_store_event_add(store, conductor->run_id, nl_clock_controller_ns(), severity, text, NULL);
		nl_server_store_unlock(conductor->server);
	}
}
