/*
 * uplink: drains telemetry and load counters into Samples, sends Results after the samples that were taken before them.
 *
 * Only this thread sends requests with a sequence number, so the controller may rely on their order; a request that got
 * no answer is sent again under the same number.
 */
#include "agent/uplink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent/bench/load_task.h"
#include "agent/call.h"
#include "agent/series.h"
#include "base/time.h"

#define TICK_NS       (250 * NL_NS_PER_MS)
#define PING_EVERY_NS (2 * NL_NS_PER_S)

struct uplink {
	struct nl_agent *agent;
	uint64_t seq;
	int64_t next_ping_mono_ns;
	uint64_t lost; /* samples dropped since the last message that arrived */
	struct nl_series_group group;
};

/* Sends until acknowledged. NL_E_CANCELLED when the session is over; any other error: it will never be taken. */
static int send_surely(struct uplink *up, Nl__Request *request, struct nl_error *err)
{
	struct nl_agent *agent = up->agent;
	request->seq = ++up->seq;
	while (!atomic_load(&agent->session_over)) {
		Nl__Reply *reply = NULL;
		int rc = nl_call(agent, request, 2 * NL_NS_PER_S, &reply, NULL, err);
		if (rc == NL_E_OK)
			nl_reply_free(reply);
		if (rc != NL_E_TIMEOUT && !atomic_load(&agent->session_over))
			return rc;
	}
	return nl_error_set(err, NL_E_CANCELLED, "the session is over");
}

static void note_dropped(const struct nl_agent *agent, const char *what, const struct nl_error *err)
{
	char line[1200];
	nl_agent_note(agent, "%s dropped: %s", what, nl_error_line(err, line, sizeof line));
}

static void clock_of(struct nl_agent *agent, int64_t *offset_ns, int64_t *error_ns)
{
	pthread_mutex_lock(&agent->lock);
	*offset_ns = agent->clock.offset_ns;
	*error_ns = nl_clock_error_ns(&agent->clock);
	pthread_mutex_unlock(&agent->lock);
}

static unsigned gather(struct uplink *up, uint64_t *lost)
{
	struct nl_agent *agent = up->agent;
	unsigned count = 0;
	pthread_mutex_lock(&agent->lock);
	if (agent->telemetry)
		count = nl_telemetry_drain(agent->telemetry, up->group.sample, NL_SAMPLES_MAX - 2 * NL_LOAD_STREAMS_MAX,
					   lost);
	if (agent->load)
		count += nl_ready_load_samples(agent->load, up->group.sample + count, NL_SAMPLES_MAX - count);
	pthread_mutex_unlock(&agent->lock);
	return count;
}

/* Sends what there is; an empty message is the heartbeat. Returns whether there was more than fits. */
static bool send_samples(struct uplink *up)
{
	Nl__Samples samples = NL__SAMPLES__INIT;
	Nl__Request request = NL__REQUEST__INIT;
	struct nl_error err;
	uint64_t lost = 0;
	unsigned count = gather(up, &lost);
	samples.n_series = nl_series_group(&up->group, count, &lost);
	samples.series = up->group.pointer;
	samples.order = atomic_load(&up->agent->running_order);
	samples.lost = up->lost += lost;
	clock_of(up->agent, &samples.offset_ns, &samples.offset_error_ns);
	request.body_case = NL__REQUEST__BODY_SAMPLES;
	request.samples = &samples;
	int rc = send_surely(up, &request, &err);
	if (rc == NL_E_OK) {
		up->lost = 0;
	} else if (rc != NL_E_CANCELLED) {
		up->lost += count;
		note_dropped(up->agent, "samples", &err);
	}
	return count > NL_SAMPLES_MAX / 2;
}

static struct nl_outcome *next_outcome(struct nl_agent *agent)
{
	struct nl_outcome *outcome = NULL;
	pthread_mutex_lock(&agent->lock);
	if (agent->done_count > 0) {
		outcome = agent->done[0];
		agent->done_count--;
		memmove(agent->done, agent->done + 1, agent->done_count * sizeof *agent->done);
	}
	pthread_mutex_unlock(&agent->lock);
	return outcome;
}

static int send_result(struct uplink *up, Nl__Result *result, struct nl_error *err)
{
	Nl__Request request = NL__REQUEST__INIT;
	clock_of(up->agent, &result->offset_ns, &result->offset_error_ns);
	request.body_case = NL__REQUEST__BODY_RESULT;
	request.result = result;
	return send_surely(up, &request, err);
}

/* The controller waits for each order's result: one that it cannot take, or that is too large, is told as a failure. */
static void send_outcome(struct uplink *up, struct nl_outcome *outcome)
{
	struct nl_error err, again;
	Nl__Result *result = nl_outcome_result(outcome);
	int rc = send_result(up, result, &err);
	if (rc != NL_E_OK && rc != NL_E_CANCELLED) {
		Nl__Result failed = NL__RESULT__INIT;
		note_dropped(up->agent, "a result", &err);
		failed.order = result->order;
		failed.failure = nl_outcome_failure(outcome, &err);
		send_result(up, &failed, &again);
	}
	nl_outcome_free(outcome);
}

/* Waits for a result to send or for the next tick, whichever comes first. */
static void wait_tick(struct nl_agent *agent, int64_t until_mono_ns)
{
	struct timespec until = {.tv_sec = until_mono_ns / NL_NS_PER_S, .tv_nsec = until_mono_ns % NL_NS_PER_S};
	pthread_mutex_lock(&agent->lock);
	while (agent->done_count == 0 && !atomic_load(&agent->session_over))
		if (pthread_cond_timedwait(&agent->changed, &agent->lock, &until) == ETIMEDOUT)
			break;
	pthread_mutex_unlock(&agent->lock);
}

static void *uplink_main(void *context)
{
	struct uplink *up = context;
	struct nl_agent *agent = up->agent;
	int64_t tick = nl_mono_ns();
	while (!atomic_load(&agent->session_over)) {
		tick += TICK_NS;
		if (tick < nl_mono_ns())
			tick = nl_mono_ns();
		wait_tick(agent, tick);
		/* Outcomes taken before the samples are gathered, so that the samples of an order's end precede its
		 * result. */
		struct nl_outcome *outcome = next_outcome(agent);
		while (send_samples(up) && !atomic_load(&agent->session_over))
			;
		if (outcome)
			send_outcome(up, outcome);
		if (nl_mono_ns() >= up->next_ping_mono_ns) {
			nl_call_ping(agent, 2 * NL_NS_PER_S, NULL);
			up->next_ping_mono_ns = nl_mono_ns() + PING_EVERY_NS;
		}
	}
	free(up);
	return NULL;
}

int nl_uplink_start(struct nl_agent *agent, pthread_t *thread, struct nl_error *err)
{
	struct uplink *up = calloc(1, sizeof *up);
	if (!up)
		return nl_error_sys(err, ENOMEM, "start the uplink");
	up->agent = agent;
	int rc = pthread_create(thread, NULL, uplink_main, up);
	if (rc != 0) {
		free(up);
		return nl_error_sys(err, rc, "start the uplink's thread");
	}
	return NL_E_OK;
}
