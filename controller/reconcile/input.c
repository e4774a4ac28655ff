/*
 * input: reads a run whole from the store. What cannot be understood becomes a warning, never an error: a report of a
 * damaged run is better than none.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/reconcile/work.h"

static void warn(struct nl_work *work, const char *what, const struct nl_error *err)
{
	nl_say(work, &work->model->warnings, "%s: %s%s%s", what, err->what, err->why[0] ? ": " : "", err->why);
}

/*
 * Results are kept as they came, a packed nl.Result. Around it is put the head of the Request in which it came
 * (version, session, seq, then field 16), so that the same limits hold when it is decoded as when it was received.
 */
static int decode_result(const void *data, size_t len, Nl__Request **request, struct nl_error *err)
{
	uint8_t head[32] = {1 << 3, NL_PROTOCOL_VERSION, 2 << 3, 1, 3 << 3, 1, 0x82, 0x01};
	size_t used = 8;
	*request = NULL;
	if (len > NL_MESSAGE_MAX_BYTES)
		return nl_error_set(err, NL_E_PROTOCOL, "understand a stored result of %zu bytes", len);
	for (size_t rest = len;; rest >>= 7) {
		head[used++] = (uint8_t)(rest & 0x7f) | (rest >= 0x80 ? 0x80 : 0);
		if (rest < 0x80)
			break;
	}
	uint8_t *whole = malloc(used + len);
	if (!whole)
		return nl_error_set(err, NL_E_SYSTEM, "understand a stored result");
	memcpy(whole, head, used);
	if (len)
		memcpy(whole + used, data, len);
	int code = nl_request_decode(whole, used + len, request, err);
	free(whole);
	if (code || (*request)->body_case == NL__REQUEST__BODY_RESULT)
		return code;
	nl_request_free(*request);
	*request = NULL;
	return nl_error_set(err, NL_E_PROTOCOL, "understand a stored result");
}

static void keep_answer(struct nl_work *work, const struct nl_store_result *stored)
{
	struct nl_error err = {0};
	Nl__Request *request;
	char what[160];
	if (decode_result(stored->data, stored->len, &request, &err)) {
		snprintf(what, sizeof(what), "the result '%s' of agent %s in phase %u cannot be read and is left out",
			 stored->role, stored->agent, stored->phase);
		warn(work, what, &err);
		return;
	}
	struct nl_answer *answer =
		nl_work_append(work, (void **)&work->answers, &work->answer_count, sizeof(*work->answers));
	if (!answer) {
		nl_request_free(request);
		return;
	}
	answer->phase = stored->phase;
	memcpy(answer->agent, stored->agent, sizeof(answer->agent));
	memcpy(answer->role, stored->role, sizeof(answer->role));
	answer->request = request;
	answer->result = request->result;
}

static int read_answers(struct nl_work *work, struct nl_store *store, const char *run_id, struct nl_error *err)
{
	struct nl_store_result *stored;
	size_t count;
	int code = nl_store_results(store, run_id, &stored, &count, err);
	if (code)
		return code;
	for (size_t i = 0; i < count; i++)
		keep_answer(work, &stored[i]);
	nl_store_results_free(stored, count);
	return 0;
}

static int64_t within_instants(int64_t ns)
{
	return ns < NL_INSTANT_MIN ? NL_INSTANT_MIN : ns > NL_INSTANT_MAX ? NL_INSTANT_MAX : ns;
}

static int read_phases(struct nl_work *work, struct nl_store *store, const char *run_id, struct nl_error *err)
{
	if (work->plan.phase_count == 0)
		return 0;
	work->phases = calloc(work->plan.phase_count, sizeof(*work->phases));
	if (!work->phases)
		return nl_error_set(err, NL_E_SYSTEM, "read the phases of a run");
	for (unsigned i = 0; i < work->plan.phase_count; i++) {
		struct nl_phase_view *view = &work->phases[i];
		view->plan = &work->plan.phases[i];
		int code = nl_store_phase_get(store, run_id, view->plan->index, &view->state, &view->start_ns,
					      &view->end_ns, view->message, err);
		if (code)
			return code;
		view->start_ns = within_instants(view->start_ns);
		view->end_ns = within_instants(view->end_ns);
	}
	return 0;
}

static void read_campaign(struct nl_work *work, const char *yaml)
{
	struct nl_error err = {0};
	if (!yaml[0])
		return;
	work->campaign_known = nl_campaign_parse(yaml, strlen(yaml), "stored campaign", &work->campaign, &err) == 0;
	if (!work->campaign_known) {
		work->campaign = (struct nl_campaign){0};
		warn(work, "the stored campaign cannot be read, so agents and shares are not known by name", &err);
	}
}

static void read_plan(struct nl_work *work, const char *json)
{
	struct nl_error err = {0};
	if (json[0] && nl_plan_from_json(json, &work->plan, &err) == 0)
		return;
	work->plan = (struct nl_plan){0};
	if (json[0])
		warn(work, "the stored plan cannot be read, so no figure can be made", &err);
	else
		nl_say(work, &work->model->warnings, "no plan is stored for this run, so no figure can be made");
}

static void read_series(struct nl_work *work, struct nl_store *store, const char *run_id)
{
	struct nl_error err = {0};
	if (nl_store_series(store, run_id, 0, NL_INSTANT_MIN, NL_INSTANT_MAX, &work->series, &work->series_count,
			    &err) == 0)
		return;
	work->series = NULL;
	work->series_count = 0;
	warn(work, "the samples cannot be read: no ledger, no bottleneck", &err);
}

int nl_work_read(struct nl_work *work, struct nl_store *store, const char *run_id, struct nl_error *err)
{
	struct nl_model *model = work->model;
	char *plan_json = NULL;
	int code = nl_store_run_get(store, run_id, &model->run, &model->campaign_yaml, &plan_json, err);
	if (code)
		return code;
	run_id = model->run.id;
	read_campaign(work, model->campaign_yaml);
	read_plan(work, plan_json);
	free(plan_json);
	code = read_phases(work, store, run_id, err);
	if (!code)
		code = read_answers(work, store, run_id, err);
	if (!code)
		code = nl_store_facts(store, run_id, &work->facts, &work->fact_count, err);
	if (!code)
		code = nl_store_events(store, run_id, &model->events, &model->event_count, err);
	if (!code)
		read_series(work, store, run_id);
	return code;
}

void nl_work_fini(struct nl_work *work)
{
	for (size_t i = 0; i < work->answer_count; i++)
		nl_request_free(work->answers[i].request);
	free(work->answers);
	free(work->facts);
	free(work->phases);
	nl_store_series_free(work->series, work->series_count);
	for (size_t i = 0; i < work->study_count; i++)
		nl_study_fini(&work->studies[i]);
	free(work->studies);
	nl_plan_fini(&work->plan);
}

int64_t nl_answer_ns(const struct nl_answer *answer, int64_t mono_ns)
{
	int64_t ns;
	if (__builtin_add_overflow(mono_ns, answer->result->offset_ns, &ns))
		return NL_INSTANT_MIN;
	return within_instants(ns);
}

const char *nl_work_nas(const struct nl_work *work)
{
	return work->campaign.nas_agent;
}

const char *nl_work_client(const struct nl_work *work, const struct nl_phase *phase)
{
	if (phase->on_nas)
		return nl_work_nas(work);
	return phase->client < work->campaign.client_count ? work->campaign.clients[phase->client] : "";
}

const struct nl_campaign_share *nl_work_share(const struct nl_work *work, const struct nl_phase *phase)
{
	return phase->share < work->campaign.share_count ? &work->campaign.shares[phase->share] : NULL;
}
