/*
 * run_commands: plan, run, resume, local: a campaign from its file to its report.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/time.h"
#include "controller/campaign/campaign.h"
#include "controller/campaign/plan.h"
#include "controller/commands.h"
#include "controller/conduct/conduct.h"
#include "controller/conduct/local.h"
#include "controller/home.h"
#include "proto/link.h"

int nl_command_plan(int argc, char **argv, struct nl_error *err)
{
	const char *arguments[NL_PROGRAM_ARGUMENTS_MAX];
	size_t count = 0;
	bool json = false, done = false;
	uint64_t cores = 0;
	struct nl_plan plan;
	static const char *const examples[] = {
		"nasline plan campaign.yaml\n    phases, time and space; touches nothing", NULL};
	const struct nl_option options[] = {
		{"json", 0, NL_OPTION_FLAG, &json, NULL, "as one JSON document", 0, 0},
		{"nas-cores", 0, NL_OPTION_UINT, &cores, "N",
		 "cores of the NAS, for `streams: max` (default: unknown, 4 is taken)", 0, 4096},
	};
	const struct nl_command command = {
		"nasline plan",
		"CAMPAIGN.yaml",
		"Prints what a campaign will do, and the time and space it takes; touches nothing.",
		examples,
		options,
		sizeof options / sizeof *options,
		1,
		1};
	int rc = nl_program_options(&command, argc, argv, arguments, &count, &done, err);
	if (rc != NL_E_OK || done)
		return rc;
	struct nl_campaign *campaign = calloc(1, sizeof *campaign);
	if (!campaign)
		return nl_error_set(err, NL_E_SYSTEM, "not enough memory");
	struct nl_plan_facts facts = {.nas_cores = (unsigned)cores};
	rc = nl_campaign_load(arguments[0], campaign, err);
	if (rc == NL_E_OK)
		rc = nl_plan_make(campaign, &facts, &plan, err);
	if (rc == NL_E_OK) {
		if (json)
			rc = nl_plan_print_json(&plan, campaign, stdout, err);
		else
			nl_plan_print(&plan, campaign, stdout);
		nl_plan_fini(&plan);
	}
	free(campaign);
	return rc;
}

struct run_options {
	const char *home, *listen, *output;
};

static void print_event(void *context, const char *text)
{
	(void)context;
	fprintf(stderr, "          %s\n", text);
}

/* The report of whatever was measured; a run that was cut off reports what there is. */
static int report(struct nl_server *server, const char *run_id, const char *output, struct nl_error *err)
{
	char directory[PATH_MAX];
	snprintf(directory, sizeof directory, "nasline-%s", run_id);
	int rc = nl_report_run(nl_server_store_lock(server), run_id, output ? output : directory, err);
	nl_server_store_unlock(server);
	return rc;
}

static int conduct(const struct run_options *options, struct nl_store *store, const struct nl_campaign *campaign,
		   const char *resume_run_id, bool with_local_agent, struct nl_error *err)
{
	struct nl_server_config config = {.state_dir = options->home,
					  .listen = options->listen,
					  .store = store,
					  .lease_ns = campaign->lease_ns,
					  .event = with_local_agent ? NULL : print_event};
	struct nl_server *server = NULL;
	struct nl_local_agent local = {0};
	char run_id[NL_STORE_RUN_ID_MAX] = "";
	uint16_t port = 0;
	struct nl_error other;
	int rc = nl_server_start(&config, &server, &port, err);
	if (rc != NL_E_OK)
		return rc;
	nl_commands_catch_signals();
	if (with_local_agent)
		rc = nl_local_start(&local, options->home, store, port, err);
	if (with_local_agent && rc == NL_E_OK)
		rc = nl_local_wait(&local, server, &nl_commands_stop, err);
	if (!with_local_agent)
		fprintf(stderr, "listening on port %u for the campaign's agents\n", port);
	struct nl_conduct_request request = {.server = server,
					     .campaign = campaign,
					     .resume_run_id = resume_run_id,
					     .stop = &nl_commands_stop,
					     .progress = stderr};
	if (rc == NL_E_OK)
		rc = nl_conduct(&request, run_id, err);
	int stopped = nl_local_stop(&local, &other);
	if (local.cleaned_after)
		fprintf(stderr, "          the agent was killed; what it left was removed\n");
	if (rc == NL_E_OK && stopped != NL_E_OK) {
		rc = stopped;
		*err = other;
	}
	if (run_id[0]) {
		int reported = report(server, run_id, options->output, &other);
		if (rc == NL_E_OK && reported != NL_E_OK) {
			rc = reported;
			*err = other;
		}
		if (rc != NL_E_OK && err->todo[0] == '\0')
			nl_error_todo(err, "go on with: nasline resume %s", run_id);
	}
	nl_server_stop(server);
	return rc;
}

#define RUN_OPTIONS(options, listen_text)                                                                              \
	NL_STATE_OPTION((options).home),                                                                               \
	{                                                                                                              \
		"output", 'o', NL_OPTION_TEXT, &(options).output, "DIR",                                               \
			"where report.md, report.html and report.json go (default ./nasline-RUN)", 0, 0                \
	}

#define LISTEN_OPTION(options)                                                                                         \
	{                                                                                                              \
		"listen", 0, NL_OPTION_TEXT, &(options).listen, "ADDR:PORT",                                           \
			"where to listen for agents (default 0.0.0.0:7443)", 0, 0                                      \
	}

int nl_command_run(int argc, char **argv, struct nl_error *err)
{
	char home_text[1024], listen_text[64];
	struct run_options run = {.home = nl_home_default(home_text, sizeof home_text), .listen = listen_text};
	const char *arguments[NL_PROGRAM_ARGUMENTS_MAX];
	size_t count = 0;
	bool done = false;
	struct nl_store *store = NULL;
	static const char *const examples[] = {"nasline run campaign.yaml",
					       "nasline run campaign.yaml --output /root/reports/tank\n    see first "
					       "what it will do: nasline plan campaign.yaml",
					       NULL};
	const struct nl_option options[] = {RUN_OPTIONS(run, listen_text), LISTEN_OPTION(run)};
	const struct nl_command command = {"nasline run",
					   "CAMPAIGN.yaml",
					   "Runs a campaign with the agents that it names, and reports.",
					   examples,
					   options,
					   sizeof options / sizeof *options,
					   1,
					   1};
	snprintf(listen_text, sizeof listen_text, "0.0.0.0:%d", NL_LINK_DEFAULT_PORT);
	int rc = nl_program_options(&command, argc, argv, arguments, &count, &done, err);
	if (rc != NL_E_OK || done)
		return rc;
	struct nl_campaign *campaign = calloc(1, sizeof *campaign);
	if (!campaign)
		return nl_error_set(err, NL_E_SYSTEM, "not enough memory");
	rc = nl_campaign_load(arguments[0], campaign, err);
	if (rc == NL_E_OK)
		rc = nl_home_check(run.home, err);
	if (rc == NL_E_OK)
		rc = nl_home_store(run.home, &store, err);
	if (rc == NL_E_OK)
		rc = conduct(&run, store, campaign, NULL, false, err);
	nl_store_close(store);
	free(campaign);
	return rc;
}

/* A stored campaign says which agents it needs: one that ran with the local agent alone is resumed with it. */
static bool is_local(const struct nl_campaign *campaign)
{
	return strcmp(campaign->nas_agent, NL_LOCAL_AGENT) == 0 && campaign->client_count <= 1 &&
	       campaign->share_count == 0;
}

int nl_command_resume(int argc, char **argv, struct nl_error *err)
{
	char home_text[1024], listen_text[64], *yaml = NULL;
	struct run_options run = {.home = nl_home_default(home_text, sizeof home_text), .listen = listen_text};
	const char *arguments[NL_PROGRAM_ARGUMENTS_MAX];
	size_t count = 0;
	bool done = false;
	struct nl_store *store = NULL;
	struct nl_store_run stored;
	static const char *const examples[] = {"nasline resume\n    the newest run",
					       "nasline resume 20261130-184512-7f3a", NULL};
	const struct nl_option options[] = {RUN_OPTIONS(run, listen_text), LISTEN_OPTION(run)};
	const struct nl_command command = {
		"nasline resume",
		"[RUN]",
		"Finishes an interrupted campaign; phases that were measured are not measured again.",
		examples,
		options,
		sizeof options / sizeof *options,
		0,
		1};
	snprintf(listen_text, sizeof listen_text, "0.0.0.0:%d", NL_LINK_DEFAULT_PORT);
	int rc = nl_program_options(&command, argc, argv, arguments, &count, &done, err);
	if (rc != NL_E_OK || done)
		return rc;
	struct nl_campaign *campaign = calloc(1, sizeof *campaign);
	if (!campaign)
		return nl_error_set(err, NL_E_SYSTEM, "not enough memory");
	rc = nl_home_check(run.home, err);
	if (rc == NL_E_OK)
		rc = nl_home_store(run.home, &store, err);
	if (rc == NL_E_OK)
		rc = nl_store_run_get(store, count ? arguments[0] : NULL, &stored, &yaml, NULL, err);
	if (rc == NL_E_OK)
		rc = nl_campaign_parse(yaml, strlen(yaml), "the stored campaign", campaign, err);
	/* Said before any agent is waited for; whether it still holds then is looked at again. */
	if (rc == NL_E_OK && stored.state == NL_RUN_DONE) {
		rc = nl_error_set(err, NL_E_CONFIG, "run %s is complete; there is nothing to resume", stored.id);
		nl_error_todo(err, "see its report with: nasline report %s", stored.id);
	}
	bool local = rc == NL_E_OK && is_local(campaign);
	if (local && strcmp(run.listen, listen_text) == 0)
		run.listen = "127.0.0.1:0";
	if (rc == NL_E_OK)
		rc = conduct(&run, store, campaign, stored.id, local, err);
	nl_store_close(store);
	free(yaml);
	free(campaign);
	return rc;
}

static int local_campaign(struct nl_campaign *campaign, const char *pool, int64_t duration_ns, struct nl_error *err)
{
	char absolute[PATH_MAX];
	int rc = nl_campaign_preset("quick", campaign, err);
	if (rc != NL_E_OK)
		return rc;
	struct stat st;
	if (!realpath(pool, absolute) || strlen(absolute) >= sizeof campaign->nas_pool || stat(absolute, &st) != 0 ||
	    !S_ISDIR(st.st_mode)) {
		nl_error_set(err, NL_E_NOT_FOUND, "the pool directory cannot be used");
		nl_error_where(err, "%s", pool);
		nl_error_todo(err, "name an existing directory on the file system to be measured");
		return NL_E_NOT_FOUND;
	}
	snprintf(campaign->title, sizeof campaign->title, "%.100s on this machine", absolute);
	snprintf(campaign->nas_agent, sizeof campaign->nas_agent, "%s", NL_LOCAL_AGENT);
	memcpy(campaign->nas_pool, absolute, strlen(absolute) + 1);
	campaign->client_count = 0;
	campaign->share_count = 0;
	campaign->line.enabled = false;
	campaign->pool.enabled = true;
	campaign->self_load = true;
	if (duration_ns)
		campaign->pool.duration_ns = duration_ns;
	return NL_E_OK;
}

int nl_command_local(int argc, char **argv, struct nl_error *err)
{
	char home_text[1024];
	struct run_options run = {.home = nl_home_default(home_text, sizeof home_text), .listen = "127.0.0.1:0"};
	const char *pool = NULL, *arguments[NL_PROGRAM_ARGUMENTS_MAX];
	size_t count = 0;
	bool done = false;
	int64_t duration_ns = 0;
	struct nl_store *store = NULL;
	static const char *const examples[] = {"nasline local --pool /mnt/tank/scratch\n    pool and self-load "
					       "ceilings of this machine; needs no root for a directory of yours",
					       NULL};
	const struct nl_option options[] = {
		{"pool", 'p', NL_OPTION_TEXT, &pool, "DIR",
		 "directory on the file system to be measured; scratch data is made in it and removed", 0, 0},
		RUN_OPTIONS(run, ""),
		{"duration", 't', NL_OPTION_DURATION, &duration_ns, "TIME",
		 "measured time of each pool phase (default: the preset's)", NL_NS_PER_S, 3600 * (uint64_t)NL_NS_PER_S},
	};
	const struct nl_command command = {"nasline local",
					   "--pool DIR",
					   "Measures this machine's pool and load generator with an agent of its own.",
					   examples,
					   options,
					   sizeof options / sizeof *options,
					   0,
					   0};
	int rc = nl_program_options(&command, argc, argv, arguments, &count, &done, err);
	if (rc != NL_E_OK || done)
		return rc;
	if (!pool)
		return nl_error_set(err, NL_E_USAGE, "which directory? give --pool DIR");
	struct nl_campaign *campaign = calloc(1, sizeof *campaign);
	if (!campaign)
		return nl_error_set(err, NL_E_SYSTEM, "not enough memory");
	rc = local_campaign(campaign, pool, duration_ns, err);
	if (rc == NL_E_OK)
		rc = nl_home_make(run.home, NULL, err);
	if (rc == NL_E_OK)
		rc = nl_home_store(run.home, &store, err);
	if (rc == NL_E_OK)
		rc = conduct(&run, store, campaign, NULL, true, err);
	nl_store_close(store);
	free(campaign);
	return rc;
}
