/*
 * warnings: what a reader must know before the figures: audit findings, sources and phases that are missing, clocks,
 * drops.
 */
#include <string.h>

#include "base/time.h"
#include "controller/reconcile/work.h"

#define CLOCK_ERROR_NS (5 * NL_NS_PER_MS) /* above it the layers' windows no longer fit together well */

static void warn_of_run(struct nl_work *work)
{
	const struct nl_store_run *run = &work->model->run;
	struct nl_texts *warnings = &work->model->warnings;
	const char *why = run->message[0] ? ": " : "";
	if (run->state == NL_RUN_FAILED)
		nl_say(work, warnings, "the run failed%s%s", why, run->message);
	else if (run->state == NL_RUN_INTERRUPTED)
		nl_say(work, warnings, "the run was interrupted%s%s", why, run->message);
	else if (run->state == NL_RUN_RUNNING)
		nl_say(work, warnings, "the run had not ended when this report was made, or its controller was killed");
}

static void warn_of_audit(struct nl_work *work)
{
	struct nl_texts *warnings = &work->model->warnings;
	for (size_t i = 0; i < work->fact_count; i++) {
		const struct nl_store_fact *fact = &work->facts[i];
		if (!strcmp(fact->subject, "audit"))
			nl_say(work, warnings, "%s: %s: %s", fact->agent, fact->key, fact->value);
		if (!strcmp(fact->subject, "watch") && !strcmp(fact->key, "missing") && fact->value[0])
			nl_say(work, warnings, "%s: not sampled: %s", fact->agent, fact->value);
	}
}

static bool has_samples(const struct nl_work *work, const char *agent)
{
	for (size_t i = 0; i < work->series_count; i++)
		if (!strcmp(work->series[i].agent, agent))
			return true;
	return false;
}

static void warn_of_agent(struct nl_work *work, const char *agent, bool wire)
{
	struct nl_texts *warnings = &work->model->warnings;
	if (!agent[0])
		return;
	if (!has_samples(work, agent))
		nl_say(work, warnings, "%s: no samples are stored", agent);
	else if (wire && !nl_nic_name(work, agent)[0])
		nl_say(work, warnings,
		       "%s: the interface towards the other end is not known, so its bytes are missing in the ledgers",
		       agent);
}

static void warn_of_sources(struct nl_work *work)
{
	const struct nl_campaign *campaign = &work->campaign;
	char names[1][64];
	if (!work->campaign_known || work->study_count == 0)
		return;
	bool wire = false;
	for (unsigned i = 0; i < campaign->client_count; i++) {
		if (!strcmp(campaign->clients[i], campaign->nas_agent))
			continue;
		warn_of_agent(work, campaign->clients[i], true);
		wire = true;
	}
	warn_of_agent(work, campaign->nas_agent, wire);
	if (campaign->nas_pool[0] && nl_pool_disks(work, names, 1) == 0)
		nl_say(work, &work->model->warnings,
		       "the disks under the pool are not known: nothing can be proved cold or durable");
}

static void warn_of_phases(struct nl_work *work)
{
	struct nl_texts *warnings = &work->model->warnings;
	unsigned open = 0;
	const char *first = NULL;
	for (unsigned i = 0; i < work->plan.phase_count; i++) {
		const struct nl_phase_view *view = &work->phases[i];
		const char *name = view->plan->figure[0] ? view->plan->figure : nl_phase_kind_name(view->plan->kind);
		if (view->state == NL_PHASE_FAILED)
			nl_say(work, warnings, "phase %u (%s) failed%s%s", view->plan->index, name,
			       view->message[0] ? ": " : "", view->message);
		if ((view->state != NL_PHASE_PENDING && view->state != NL_PHASE_RUNNING &&
		     view->state != NL_PHASE_SKIPPED) ||
		    view->plan->optional)
			continue;
		first = first ? first : name;
		open++;
	}
	if (open)
		nl_say(work, warnings, "%u of %u phases were not finished, the first of them: %s", open,
		       work->plan.phase_count, first);
}

static void warn_of_clocks(struct nl_work *work)
{
	struct nl_model *model = work->model;
	const char *worst = "";
	for (size_t i = 0; i < work->answer_count; i++) {
		const struct nl_answer *answer = &work->answers[i];
		if ((double)answer->result->offset_error_ns <= model->clock_error_ns)
			continue;
		model->clock_error_ns = (double)answer->result->offset_error_ns;
		worst = answer->agent;
	}
	if (model->clock_error_ns > (double)CLOCK_ERROR_NS)
		nl_say(work, &model->warnings,
		       "%s: its clock is known to %.1f ms only, so windows of the layers do not fit well", worst,
		       model->clock_error_ns / 1e6);
}

static void warn_of_drops(struct nl_work *work)
{
	for (size_t i = 0; i < work->series_count; i++) {
		const struct nl_series *series = &work->series[i];
		if ((series->metric != NL_METRIC_NIC_RECEIVE_DROPS && series->metric != NL_METRIC_NIC_SEND_DROPS) ||
		    series->count < 2 || strcmp(series->subject, nl_nic_name(work, series->agent)))
			continue;
		double drops = nl_counter_rise(series, series->times_ns[0], series->times_ns[series->count - 1]);
		if (drops > 0)
			nl_say(work, &work->model->warnings, "%s: the interface %s dropped %.0f packets it %s",
			       series->agent, series->subject, drops,
			       series->metric == NL_METRIC_NIC_SEND_DROPS ? "was to send" : "received");
	}
}

void nl_warnings_make(struct nl_work *work)
{
	warn_of_run(work);
	warn_of_phases(work);
	warn_of_audit(work);
	warn_of_sources(work);
	warn_of_clocks(work);
	warn_of_drops(work);
}
