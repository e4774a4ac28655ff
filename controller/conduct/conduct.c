/*
 * conduct: the order of things in a campaign, and what happens when something fails.
 */
#include "controller/conduct/conduct.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "base/units.h"
#include "controller/conduct/conductor.h"
#include "proto/clock.h"
#include "proto/identity.h"

#define SOON_NS (3 * NL_NS_PER_S)

static void live(void *context, double *bytes, int64_t *at_ns)
{
	struct nl_conductor *conductor = context;
	const char *agent = atomic_load(&conductor->live_agent);
	nl_server_live(conductor->server, agent ? agent : "", bytes, at_ns);
}

/* While the status line is there, the server's events go above it. */
static void show_event(void *context, const char *text)
{
	nl_progress_note(context, "%s", text);
}

static bool has_joined(struct nl_conductor *conductor, const char *name)
{
	struct nl_store_agent *agents = NULL;
	size_t count = 0;
	bool found = false;
	struct nl_store *store = nl_server_store_lock(conductor->server);
	int rc = nl_store_agents(store, &agents, &count, NULL);
	nl_server_store_unlock(conductor->server);
	for (size_t i = 0; rc == NL_E_OK && i < count && !found; i++)
		found = strcmp(agents[i].name, name) == 0;
	free(agents);
	return found || rc != NL_E_OK;
}

/* An agent that runs is here within moments; for another one the user is told what is waited for. */
static int wait_agent(struct nl_conductor *conductor, const char *name, FILE *progress, struct nl_error *err)
{
	int64_t patience_ns = conductor->campaign->agents_wait_ns;
	int64_t moment_ns = patience_ns < SOON_NS ? patience_ns : SOON_NS;
	int rc = nl_server_wait_agent(conductor->server, name, moment_ns, conductor->stop, err);
	if (rc != NL_E_TIMEOUT || patience_ns <= moment_ns)
		return rc;
	bool joined = has_joined(conductor, name);
	fprintf(progress, "waiting %.0f s for agent %s%s%s\n", (double)patience_ns / 1e9, name,
		joined ? "" : ", which has not joined yet: nasline token ", joined ? "" : name);
	fflush(progress);
	rc = nl_server_wait_agent(conductor->server, name, patience_ns - moment_ns, conductor->stop, err);
	if (rc != NL_E_TIMEOUT)
		return rc;
	nl_error_why(err, "it did not say hello within %.0f s", (double)patience_ns / 1e9);
	if (!joined)
		nl_error_todo(err, "let it join first, by a token of: nasline token %s", name);
	return rc;
}

static int wait_agents(struct nl_conductor *conductor, FILE *progress, struct nl_error *err)
{
	const struct nl_campaign *campaign = conductor->campaign;
	int rc = NL_E_OK;
	if (campaign->nas_agent[0])
		rc = wait_agent(conductor, campaign->nas_agent, progress, err);
	for (unsigned i = 0; rc == NL_E_OK && i < campaign->client_count; i++)
		rc = wait_agent(conductor, campaign->clients[i], progress, err);
	return rc;
}

/* --- the run in the store --- */

static int plan_text(struct nl_conductor *conductor, char **text, struct nl_error *err)
{
	size_t size = 0;
	FILE *memory = open_memstream(text, &size);
	if (!memory)
		return nl_error_sys(err, errno, "write down the plan");
	int rc = nl_plan_print_json(&conductor->plan, conductor->campaign, memory, err);
	if (fclose(memory) != 0 && rc == NL_E_OK)
		rc = nl_error_sys(err, errno, "write down the plan");
	return rc;
}

static int new_run(struct nl_conductor *conductor, struct nl_error *err)
{
	char *yaml = NULL, *plan = NULL;
	struct nl_store_run run = {.state = NL_RUN_RUNNING, .started_ns = nl_clock_controller_ns()};
	int rc = nl_setup_look(conductor, err);
	if (rc == NL_E_OK)
		rc = nl_plan_make(conductor->campaign, &conductor->facts, &conductor->plan, err);
	if (rc == NL_E_OK)
		rc = plan_text(conductor, &plan, err);
	if (rc == NL_E_OK)
		rc = nl_campaign_to_yaml(conductor->campaign, &yaml, err);
	if (rc == NL_E_OK) {
		struct nl_store *store = nl_server_store_lock(conductor->server);
		rc = nl_store_run_id(store, run.id, err);
		snprintf(run.title, sizeof run.title, "%s", conductor->campaign->title);
		snprintf(run.version, sizeof run.version, "%s", NASLINE_VERSION);
		if (rc == NL_E_OK)
			rc = nl_store_run_add(store, &run, yaml, plan, err);
		nl_server_store_unlock(conductor->server);
	}
	if (rc == NL_E_OK)
		memcpy(conductor->run_id, run.id, sizeof conductor->run_id);
	if (rc == NL_E_OK)
		memcpy(conductor->tag, run.id, sizeof conductor->tag);
	free(yaml);
	free(plan);
	return rc;
}

static int old_run(struct nl_conductor *conductor, const char *run_id, struct nl_error *err)
{
	struct nl_store_run run;
	char *plan = NULL;
	struct nl_store *store = nl_server_store_lock(conductor->server);
	int rc = nl_store_run_get(store, run_id, &run, NULL, &plan, err);
	if (rc == NL_E_OK && run.state == NL_RUN_DONE) {
		rc = nl_error_set(err, NL_E_CONFIG, "run %s is complete; there is nothing to resume", run.id);
		nl_error_todo(err, "see its report with: nasline report %s", run.id);
	}
	if (rc == NL_E_OK)
		rc = nl_plan_from_json(plan, &conductor->plan, err);
	if (rc == NL_E_OK)
		rc = nl_store_run_end(store, run.id, NL_RUN_RUNNING, 0, "", err);
	nl_server_store_unlock(conductor->server);
	free(plan);
	uint16_t attempt = 0;
	if (rc == NL_E_OK)
		rc = nl_identity_random(&attempt, sizeof attempt, err);
	if (rc == NL_E_OK) {
		memcpy(conductor->run_id, run.id, sizeof conductor->run_id);
		snprintf(conductor->tag, sizeof conductor->tag, "%.32s-r%04x", run.id, attempt);
		conductor->resumed = true;
		rc = nl_phases_recall(conductor, err);
	}
	return rc;
}

static void set_phase(struct nl_conductor *conductor, unsigned phase, enum nl_phase_state state, int64_t start_ns,
		      int64_t end_ns, const char *message)
{
	struct nl_error err;
	struct nl_store *store = nl_server_store_lock(conductor->server);
	int rc = nl_store_phase_set(store, conductor->run_id, phase, state, start_ns, end_ns, message, &err);
	nl_server_store_unlock(conductor->server);
	if (rc != NL_E_OK)
		nl_progress_note(conductor->progress, "the state of phase %u could not be stored: %s", phase, err.why);
}

static bool measured_before(struct nl_conductor *conductor, unsigned phase)
{
	enum nl_phase_state state = NL_PHASE_PENDING;
	int64_t start_ns, end_ns;
	char message[1024];
	struct nl_store *store = nl_server_store_lock(conductor->server);
	int rc = nl_store_phase_get(store, conductor->run_id, phase, &state, &start_ns, &end_ns, message, NULL);
	bool done = rc == NL_E_OK && (state == NL_PHASE_DONE || state == NL_PHASE_SKIPPED);
	if (!done)
		nl_store_phase_reset(store, conductor->run_id, phase, NULL);
	nl_server_store_unlock(conductor->server);
	return done;
}

/* --- phases --- */

static bool is_setup(enum nl_phase_kind kind)
{
	return kind == NL_PHASE_INVENTORY || kind == NL_PHASE_PREPARE;
}

static int run_phase(struct nl_conductor *conductor, const struct nl_phase *phase, char *outcome, size_t size,
		     struct nl_error *err)
{
	int64_t start_ns = nl_clock_controller_ns(), end_ns = 0;
	double rate = 0;
	int rc;
	snprintf(outcome, size, "done");
	set_phase(conductor, phase->index, NL_PHASE_RUNNING, 0, 0, "");
	if (phase->kind == NL_PHASE_INVENTORY)
		rc = nl_setup_inventory(conductor, phase->index, err);
	else if (phase->kind == NL_PHASE_PREPARE)
		rc = nl_setup_prepare(conductor, phase->index, err);
	else {
		rc = nl_phase_measure(conductor, phase, &rate, &start_ns, &end_ns, err);
		nl_units_mbps(rate, outcome, size);
	}
	if (rc == NL_E_OK) {
		set_phase(conductor, phase->index, NL_PHASE_DONE, start_ns, end_ns ? end_ns : nl_clock_controller_ns(),
			  "");
	} else {
		char line[1024];
		snprintf(outcome, size, "failed");
		set_phase(conductor, phase->index, NL_PHASE_FAILED, start_ns, nl_clock_controller_ns(),
			  nl_error_line(err, line, sizeof line));
	}
	return rc;
}

static int64_t remaining_ns(const struct nl_conductor *conductor, unsigned from)
{
	int64_t sum = 0;
	for (unsigned i = from; i < conductor->plan.phase_count; i++)
		if (!conductor->plan.phases[i].optional)
			sum += conductor->plan.phases[i].expected_ns;
	return sum;
}

static const char *phase_title(const struct nl_phase *phase, char *buf, size_t size)
{
	if (phase->figure[0] && phase->iteration > 0)
		snprintf(buf, size, "%s #%u", phase->figure, phase->iteration);
	else
		snprintf(buf, size, "%s", nl_phase_kind_name(phase->kind));
	return buf;
}

static int run_phases(struct nl_conductor *conductor, unsigned *measured, struct nl_error *err)
{
	int rc = NL_E_OK;
	for (unsigned i = 0; rc == NL_E_OK && i < conductor->plan.phase_count; i++) {
		const struct nl_phase *phase = &conductor->plan.phases[i];
		char title[160], outcome[64];
		if (phase->kind == NL_PHASE_CLEANUP)
			continue;
		if (conductor->resumed && !is_setup(phase->kind) && measured_before(conductor, i)) {
			(*measured)++;
			continue;
		}
		if (!nl_phase_wanted(conductor, phase)) {
			set_phase(conductor, i, NL_PHASE_SKIPPED, 0, 0, "steady enough");
			continue;
		}
		if (atomic_load(conductor->stop))
			return nl_error_set(err, NL_E_CANCELLED, "stopped on request");
		nl_progress_phase(conductor->progress, i + 1, phase_title(phase, title, sizeof title),
				  remaining_ns(conductor, i));
		rc = run_phase(conductor, phase, outcome, sizeof outcome, err);
		nl_progress_done(conductor->progress, outcome);
		*measured += rc == NL_E_OK && !is_setup(phase->kind);
	}
	return rc;
}

/* --- the end --- */

static int clean_up(struct nl_conductor *conductor, struct nl_error *err)
{
	unsigned index = conductor->plan.phase_count ? conductor->plan.phase_count - 1 : 0;
	char line[1024];
	nl_progress_phase(conductor->progress, index + 1, "cleanup", 0);
	set_phase(conductor, index, NL_PHASE_RUNNING, 0, 0, "");
	int rc = nl_setup_cleanup(conductor, index, err);
	set_phase(conductor, index, rc == NL_E_OK ? NL_PHASE_DONE : NL_PHASE_FAILED, 0, nl_clock_controller_ns(),
		  rc == NL_E_OK ? "" : nl_error_line(err, line, sizeof line));
	nl_progress_done(conductor->progress, rc == NL_E_OK ? "nothing is left" : "something is left");
	if (rc != NL_E_OK)
		nl_conduct_event(conductor, "error", "cleanup: %s", nl_error_line(err, line, sizeof line));
	return rc;
}

static enum nl_run_state end_state(int rc, unsigned measured)
{
	if (rc == NL_E_OK)
		return NL_RUN_DONE;
	return measured > 0 || rc == NL_E_CANCELLED || rc == NL_E_PEER ? NL_RUN_INTERRUPTED : NL_RUN_FAILED;
}

/* Writes down how the run ended. A run that went well and cannot be written down has not: the error is then the
 * store's. */
static int end_run(struct nl_conductor *conductor, int rc, unsigned measured, struct nl_error *err)
{
	char line[1024] = "";
	struct nl_error store_err;
	if (rc != NL_E_OK)
		nl_error_line(err, line, sizeof line);
	struct nl_store *store = nl_server_store_lock(conductor->server);
	int stored = nl_store_run_end(store, conductor->run_id, end_state(rc, measured), nl_clock_controller_ns(), line,
				      &store_err);
	nl_server_store_unlock(conductor->server);
	if (rc == NL_E_OK && stored != NL_E_OK) {
		rc = stored;
		*err = store_err;
	}
	return rc;
}

static int conduct_run(struct nl_conductor *conductor, FILE *progress, struct nl_error *err)
{
	unsigned measured = 0;
	struct nl_error cleanup_err;
	int rc = nl_progress_start(progress, conductor->plan.phase_count, conductor->plan.expected_ns, live, conductor,
				   &conductor->progress, err);
	if (rc != NL_E_OK)
		return end_run(conductor, rc, measured, err);
	nl_server_divert(conductor->server, show_event, conductor->progress);
	nl_server_attach(conductor->server, conductor->run_id);
	nl_conduct_event(conductor, "info", "run %s %s", conductor->run_id, conductor->resumed ? "resumed" : "begun");
	rc = run_phases(conductor, &measured, err);
	if (rc != NL_E_OK) {
		char line[1200];
		nl_conduct_event(conductor, "error", "%s", nl_error_line(err, line, sizeof line));
	}
	int cleanup_rc = clean_up(conductor, &cleanup_err);
	if (rc == NL_E_OK && cleanup_rc != NL_E_OK) {
		rc = cleanup_rc;
		*err = cleanup_err;
	}
	rc = end_run(conductor, rc, measured, err);
	nl_server_attach(conductor->server, "");
	nl_server_divert(conductor->server, NULL, NULL);
	nl_progress_stop(conductor->progress);
	return rc;
}

int nl_conduct(const struct nl_conduct_request *request, char *run_id, struct nl_error *err)
{
	struct nl_conductor *conductor = calloc(1, sizeof *conductor);
	run_id[0] = '\0';
	if (!conductor)
		return nl_error_sys(err, ENOMEM, "run the campaign");
	conductor->server = request->server;
	conductor->campaign = request->campaign;
	conductor->stop = request->stop;
	int rc = nl_setup_secrets(conductor, err);
	if (rc == NL_E_OK)
		rc = wait_agents(conductor, request->progress, err);
	if (rc == NL_E_OK)
		rc = request->resume_run_id ? old_run(conductor, request->resume_run_id, err) : new_run(conductor, err);
	if (rc == NL_E_OK) {
		snprintf(run_id, NL_STORE_RUN_ID_MAX, "%s", conductor->run_id);
		rc = conduct_run(conductor, request->progress, err);
	}
	nl_plan_fini(&conductor->plan);
	explicit_bzero(conductor, sizeof *conductor);
	free(conductor);
	return rc;
}
