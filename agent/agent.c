/*
 * agent: the shared state: made and freed, aborts, deliveries, and what the operator is told.
 */
#include "agent/agent.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/text.h"
#include "base/time.h"

__attribute__((format(printf, 2, 0))) static void say(const struct nl_agent *agent, const char *format, va_list args)
{
	char line[1400];
	vsnprintf(line, sizeof line, format, args);
	nl_text_clean(line);
	fprintf(stderr, "nasline-agent%s%s: %s\n", agent->name[0] ? " " : "", agent->name, line);
}

void nl_agent_note(const struct nl_agent *agent, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	say(agent, format, args);
	va_end(args);
}

void nl_agent_info(const struct nl_agent *agent, const char *format, ...)
{
	va_list args;
	if (agent->quiet)
		return;
	va_start(args, format);
	say(agent, format, args);
	va_end(args);
}

/* The journal would be made with its directories: a mistyped name is not to become one. */
static int check_state_dir(const struct nl_agent *agent, const char *state_dir, struct nl_error *err)
{
	struct stat st;
	int failed = strlen(state_dir) >= sizeof agent->state_dir ? ENAMETOOLONG : 0;
	if (!failed && stat(state_dir, &st) != 0)
		failed = errno;
	if (!failed && !S_ISDIR(st.st_mode))
		failed = ENOTDIR;
	if (!failed)
		return NL_E_OK;
	int rc = nl_error_sys(err, failed, "open the state directory");
	nl_error_where(err, "%s", state_dir);
	nl_error_todo(err, "join a controller first: nasline-agent join URL TOKEN; or name the directory with --state");
	return rc;
}

int nl_agent_init(struct nl_agent *agent, const char *state_dir, bool quiet, struct nl_error *err)
{
	pthread_condattr_t monotonic;
	int rc = check_state_dir(agent, state_dir, err);
	if (rc != NL_E_OK)
		return rc;
	memset(agent, 0, sizeof *agent);
	snprintf(agent->state_dir, sizeof agent->state_dir, "%s", state_dir);
	agent->quiet = quiet;
	pthread_mutex_init(&agent->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&agent->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
	rc = nl_journal_open(state_dir, &agent->journal, err);
	if (rc != NL_E_OK)
		nl_agent_fini(agent);
	return rc;
}

void nl_agent_fini(struct nl_agent *agent)
{
	nl_dialer_stop(agent->dialer);
	agent->dialer = NULL;
	nl_journal_close(agent->journal);
	agent->journal = NULL;
	nl_keepsake_wipe(&agent->keepsake);
	pthread_cond_destroy(&agent->changed);
	pthread_mutex_destroy(&agent->lock);
}

void nl_agent_abort(struct nl_agent *agent, uint64_t order)
{
	pthread_mutex_lock(&agent->lock);
	bool all = order == UINT64_MAX;
	if (all || atomic_load(&agent->running_order) == order)
		atomic_store(&agent->cancel, true);
	/*
	 * The abort may overtake the order, which comes by another thread's call: an order that is not here yet is not
	 * taken any more. Orders are given one at a time, so older ones are not wanted either.
	 */
	if (!all && order > agent->newest_order)
		agent->newest_order = order;
	unsigned kept = 0;
	for (unsigned i = 0; i < agent->order_count; i++) {
		if (!all && agent->orders[i]->order->id != order) {
			agent->orders[kept++] = agent->orders[i];
			continue;
		}
		nl_secret_wipe_order(agent->orders[i]->order);
		nl_reply_free(agent->orders[i]);
	}
	agent->order_count = kept;
	pthread_mutex_unlock(&agent->lock);
}

bool nl_agent_stopped(struct nl_agent *agent)
{
	int64_t deadline = atomic_load(&agent->deadline_mono_ns);
	return atomic_load(&agent->cancel) || atomic_load(&agent->session_over) ||
	       (deadline && nl_mono_ns() > deadline);
}

void nl_agent_deliver(struct nl_agent *agent, struct nl_outcome *outcome)
{
	pthread_mutex_lock(&agent->lock);
	bool room = agent->done_count < sizeof agent->done / sizeof *agent->done;
	if (room)
		agent->done[agent->done_count++] = outcome;
	pthread_cond_broadcast(&agent->changed);
	pthread_mutex_unlock(&agent->lock);
	if (!room)
		nl_outcome_free(outcome);
}

int64_t nl_agent_to_mono(struct nl_agent *agent, int64_t controller_ns)
{
	if (controller_ns == 0)
		return 0;
	pthread_mutex_lock(&agent->lock);
	int64_t mono = nl_clock_to_mono(&agent->clock, controller_ns);
	pthread_mutex_unlock(&agent->lock);
	return mono;
}

void nl_agent_edge(struct nl_agent *agent)
{
	/* The worker, which calls this, is also the only one that replaces agent->telemetry. */
	if (agent->telemetry)
		nl_telemetry_sample_now(agent->telemetry);
}
