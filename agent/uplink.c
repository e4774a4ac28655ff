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
#include "base/time.h"

#define SAMPLES_MAX   4096
#define SERIES_MAX    1024
#define TICK_NS       (250 * NL_NS_PER_MS)
#define PING_EVERY_NS (2 * NL_NS_PER_S)

struct uplink {
	struct nl_agent *agent;
	uint64_t seq;
	int64_t next_ping_mono_ns;
	struct nl_sample sample[SAMPLES_MAX];
	unsigned order[SAMPLES_MAX];
	Nl__Series series[SERIES_MAX];
	Nl__Series *series_pointer[SERIES_MAX];
	int64_t delta_ns[SAMPLES_MAX];
	double value[SAMPLES_MAX];
};

static int compare_samples(const void *a, const void *b, void *context)
{
	const struct nl_sample *sample = context;
	const struct nl_sample *x = &sample[*(const unsigned *)a], *y = &sample[*(const unsigned *)b];
	if (x->metric != y->metric)
		return x->metric < y->metric ? -1 : 1;
	int by_subject = strcmp(x->subject, y->subject);
	if (by_subject)
		return by_subject;
	return x->mono_ns < y->mono_ns ? -1 : x->mono_ns > y->mono_ns;
}

/* Groups `count` samples into series; returns how many series. Samples beyond SERIES_MAX series are counted in *lost.
 */
static unsigned group(struct uplink *up, unsigned count, uint64_t *lost)
{
	unsigned series_count = 0;
	const struct nl_sample *last = NULL;
	for (unsigned i = 0; i < count; i++)
		up->order[i] = i;
	qsort_r(up->order, count, sizeof *up->order, compare_samples, up->sample);
	for (unsigned i = 0; i < count; i++) {
		struct nl_sample *sample = &up->sample[up->order[i]];
		bool same = last && last->metric == sample->metric && strcmp(last->subject, sample->subject) == 0;
		if (!same && series_count == SERIES_MAX) {
			*lost += count - i;
			break;
		}
		if (!same) {
			Nl__Series *series = &up->series[series_count];
			nl__series__init(series);
			series->metric = sample->metric;
			series->subject = sample->subject;
			series->first_mono_ns = sample->mono_ns;
			series->delta_ns = &up->delta_ns[i];
			series->value = &up->value[i];
			up->series_pointer[series_count++] = series;
		}
		up->delta_ns[i] = same ? sample->mono_ns - last->mono_ns : 0;
		up->value[i] = sample->value;
		up->series[series_count - 1].n_delta_ns++;
		up->series[series_count - 1].n_value++;
		last = sample;
	}
	return series_count;
}

/* Sends until acknowledged or the session is over. */
static bool send_surely(struct uplink *up, Nl__Request *request)
{
	struct nl_agent *agent = up->agent;
	request->seq = ++up->seq;
	while (!atomic_load(&agent->session_over)) {
		struct nl_error err;
		Nl__Reply *reply = NULL;
		int rc = nl_call(agent, request, 2 * NL_NS_PER_S, &reply, NULL, &err);
		if (rc == NL_E_OK) {
			nl_reply_free(reply);
			return true;
		}
		if (rc != NL_E_TIMEOUT && !atomic_load(&agent->session_over)) {
			char line[1200];
			nl_agent_note(agent, "a message was refused and is dropped: %s",
				      nl_error_line(&err, line, sizeof line));
			return false;
		}
	}
	return false;
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
		count = nl_telemetry_drain(agent->telemetry, up->sample, SAMPLES_MAX - 2 * NL_LOAD_STREAMS_MAX, lost);
	if (agent->load)
		count += nl_ready_load_samples(agent->load, up->sample + count, SAMPLES_MAX - count);
	pthread_mutex_unlock(&agent->lock);
	return count;
}

/* Sends what there is; an empty message is the heartbeat. Returns whether there was more than fits. */
static bool send_samples(struct uplink *up)
{
	Nl__Samples samples = NL__SAMPLES__INIT;
	Nl__Request request = NL__REQUEST__INIT;
	uint64_t lost = 0;
	unsigned count = gather(up, &lost);
	samples.n_series = group(up, count, &lost);
	samples.series = up->series_pointer;
	samples.order = atomic_load(&up->agent->running_order);
	samples.lost = lost;
	clock_of(up->agent, &samples.offset_ns, &samples.offset_error_ns);
	request.body_case = NL__REQUEST__BODY_SAMPLES;
	request.samples = &samples;
	send_surely(up, &request);
	return count > SAMPLES_MAX / 2;
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

static void send_outcome(struct uplink *up, struct nl_outcome *outcome)
{
	Nl__Request request = NL__REQUEST__INIT;
	Nl__Result *result = nl_outcome_result(outcome);
	clock_of(up->agent, &result->offset_ns, &result->offset_error_ns);
	request.body_case = NL__REQUEST__BODY_RESULT;
	request.result = result;
	send_surely(up, &request);
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
