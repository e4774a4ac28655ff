/*
 * run: sessions one after the other, and cleaning before, between and after them.
 */
#include "agent/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/session.h"
#include "agent/undo.h"
#include "base/parse.h"
#include "base/time.h"

#define DIAL_STEP_NS     (1 * NL_NS_PER_S)
#define REFUSED_PAUSE_NS (2 * NL_NS_PER_S)
#define REASON_PAUSE_NS  (30 * NL_NS_PER_S)

static int read_url(struct nl_agent *agent, struct nl_error *err)
{
	char path[1100], *text = NULL;
	snprintf(path, sizeof path, "%s/controller", agent->state_dir);
	int rc = nl_file_read(path, sizeof agent->url - 1, &text, NULL, err);
	if (rc != NL_E_OK) {
		nl_error_todo(err, "join a controller first: nasline-agent join URL TOKEN");
		return rc;
	}
	text[strcspn(text, "\n")] = '\0';
	rc = nl_link_url(text, agent->url, sizeof agent->url, err);
	free(text);
	return rc;
}

/* Removes what the journal holds, and says what could not be removed: the agent goes on. */
static int clean(struct nl_agent *agent, const char *when, struct nl_error *err)
{
	struct nl_undo_scope everything = {.run_id = NULL};
	unsigned undone = 0;
	int rc = nl_undo(agent, &everything, &undone, err);
	if (undone > 0)
		nl_agent_note(agent, "%s: removed %u thing%s that a campaign had left", when, undone,
			      undone == 1 ? "" : "s");
	if (rc != NL_E_OK && err) {
		char line[1200];
		nl_agent_note(agent, "%s", nl_error_line(err, line, sizeof line));
	}
	nl_keepsake_wipe(&agent->keepsake);
	return rc;
}

static void pause_for(const atomic_bool *quit, int64_t pause_ns)
{
	int64_t until = nl_mono_ns() + pause_ns;
	while (!atomic_load(quit) && nl_mono_ns() < until)
		nl_sleep_until_mono(nl_mono_ns() + 100 * NL_NS_PER_MS);
}

struct reason {
	char text[1200];
	int64_t said_mono_ns;
};

/* Says a reason once, not at every attempt, and of reasons that take turns no more than one in a while. */
static void note_reason(const struct nl_agent *agent, struct reason *last, const struct nl_error *err)
{
	char line[sizeof last->text];
	int64_t now = nl_mono_ns();
	nl_error_line(err, line, sizeof line);
	if (strcmp(last->text, line) == 0 || (last->text[0] && now - last->said_mono_ns < REASON_PAUSE_NS))
		return;
	snprintf(last->text, sizeof last->text, "%s", line);
	last->said_mono_ns = now;
	if (err->code == NL_E_TIMEOUT)
		nl_agent_info(agent, "%s", line); /* nobody there: what an agent waits for, and at times more */
	else
		nl_agent_note(agent, "%s", line);
}

static int one_session(struct nl_agent *agent, const atomic_bool *quit, struct nl_error *err)
{
	char line[1200];
	nl_agent_info(agent, "ready for orders from %s", agent->url);
	nl_session_serve(agent, quit, err);
	nl_agent_info(agent, "session over: %s", nl_error_line(err, line, sizeof line));
	return clean(agent, "after the session", err);
}

int nl_agent_run(struct nl_agent *agent, const atomic_bool *quit, bool once, struct nl_error *err)
{
	struct reason reason = {.text = ""};
	int left = clean(agent, "at start", err);
	int rc = nl_identity_check_agent(agent->state_dir, agent->name, err);
	if (rc == NL_E_OK)
		rc = read_url(agent, err);
	if (rc == NL_E_OK)
		rc = nl_dialer_start(agent->url, agent->state_dir, NULL, &agent->dialer, err);
	if (rc != NL_E_OK)
		return rc;
	nl_agent_info(agent, "dialling %s", agent->url);
	while (!atomic_load(quit)) {
		struct nl_error why;
		rc = nl_session_open(agent, DIAL_STEP_NS, &why);
		if (rc != NL_E_OK) {
			note_reason(agent, &reason, &why);
			if (rc != NL_E_TIMEOUT)
				pause_for(quit, REFUSED_PAUSE_NS);
			continue;
		}
		reason.text[0] = '\0';
		left = one_session(agent, quit, err);
		if (once)
			break;
	}
	return left;
}
