/*
 * telemetry: the sampling thread and the ring.
 *
 * Locking: `round` is held for a round of sampling and guards the collectors (the thread's rounds and sample_now
 * exclude each other). `ring_lock` guards the ring and `stopping`, and is held for copying only, so that draining never
 * waits for /proc. `round` is taken first where both are. `missing` is written before the thread starts and never
 * after.
 */
#include "agent/telemetry/telemetry.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent/telemetry/collectors.h"
#include "base/time.h"

/* 7 MB. A NAS with 60 disks and 16 cores gives 520 samples a round: four minutes at 1 Hz, 25 s at 10 Hz. */
#define RING_SAMPLES  131072u
#define PERIOD_MIN_NS (100 * NL_NS_PER_MS)
#define PERIOD_MAX_NS (60 * NL_NS_PER_S)

struct nl_telemetry {
	pthread_mutex_t round, ring_lock;
	pthread_cond_t wake;
	pthread_t thread;
	bool stopping;
	int64_t period_ns;
	struct nl_collectors *collectors;
	struct nl_sample *ring;
	unsigned size, first, count;
	uint64_t lost;
	char missing[512];
};

/* --- the ring -------------------------------------------------------------------------------------------------- */

static void push(void *context, const struct nl_sample *samples, unsigned count)
{
	struct nl_telemetry *t = context;
	pthread_mutex_lock(&t->ring_lock);
	for (unsigned i = 0; i < count; i++) {
		if (t->count == t->size) {
			t->first = (t->first + 1) % t->size;
			t->count--;
			t->lost++;
		}
		t->ring[(t->first + t->count++) % t->size] = samples[i];
	}
	pthread_mutex_unlock(&t->ring_lock);
}

unsigned nl_telemetry_drain(struct nl_telemetry *t, struct nl_sample *samples, unsigned max, uint64_t *lost)
{
	pthread_mutex_lock(&t->ring_lock);
	unsigned n = t->count < max ? t->count : max;
	for (unsigned i = 0; i < n; i++)
		samples[i] = t->ring[(t->first + i) % t->size];
	t->first = (t->first + n) % t->size;
	t->count -= n;
	if (lost)
		*lost = t->lost;
	t->lost = 0;
	pthread_mutex_unlock(&t->ring_lock);
	return n;
}

/* --- the thread ------------------------------------------------------------------------------------------------ */

void nl_telemetry_sample_now(struct nl_telemetry *t)
{
	pthread_mutex_lock(&t->round);
	nl_collectors_round(t->collectors, push, t);
	pthread_mutex_unlock(&t->round);
}

/* Waits until the instant; false when it is time to stop. */
static bool wait_until(struct nl_telemetry *t, int64_t mono_ns)
{
	struct timespec ts = {.tv_sec = mono_ns / NL_NS_PER_S, .tv_nsec = mono_ns % NL_NS_PER_S};
	int rc = 0;
	pthread_mutex_lock(&t->ring_lock);
	while (!t->stopping && rc != ETIMEDOUT)
		rc = pthread_cond_timedwait(&t->wake, &t->ring_lock, &ts);
	bool go_on = !t->stopping;
	pthread_mutex_unlock(&t->ring_lock);
	return go_on;
}

/* Instants that passed while the machine was too busy, or asleep, are left out, not caught up. */
static int64_t next_instant(int64_t due, int64_t period_ns)
{
	int64_t late = nl_mono_ns() - due;
	return due + period_ns * (1 + (late > 0 ? late / period_ns : 0));
}

static void *sample_loop(void *context)
{
	struct nl_telemetry *t = context;
	int64_t due = nl_mono_ns() + t->period_ns;
	while (wait_until(t, due)) {
		nl_telemetry_sample_now(t);
		due = next_instant(due, t->period_ns);
	}
	return NULL;
}

/* --- life ------------------------------------------------------------------------------------------------------ */

static void init_locks(struct nl_telemetry *t)
{
	pthread_condattr_t attributes;
	pthread_mutex_init(&t->round, NULL);
	pthread_mutex_init(&t->ring_lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&t->wake, &attributes);
	pthread_condattr_destroy(&attributes);
}

static void dispose(struct nl_telemetry *t)
{
	nl_collectors_free(t->collectors);
	pthread_cond_destroy(&t->wake);
	pthread_mutex_destroy(&t->ring_lock);
	pthread_mutex_destroy(&t->round);
	free(t->ring);
	free(t);
}

/* Signals are the main thread's. */
static int start_thread(struct nl_telemetry *t)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int failed = pthread_create(&t->thread, NULL, sample_loop, t);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return failed;
}

static int check_period(int64_t period_ns, struct nl_error *err)
{
	if (period_ns >= PERIOD_MIN_NS && period_ns <= PERIOD_MAX_NS)
		return 0;
	nl_error_set(err, NL_E_CONFIG, "the period of telemetry is out of range");
	nl_error_why(err, "it is %lld ns", (long long)period_ns);
	nl_error_todo(err, "choose from 100 ms to 60 s");
	return NL_E_CONFIG;
}

int nl_telemetry_start(const struct nl_telemetry_config *config, struct nl_telemetry **telemetry, struct nl_error *err)
{
	*telemetry = NULL;
	if (check_period(config->period_ns, err))
		return NL_E_CONFIG;
	struct nl_telemetry *t = calloc(1, sizeof *t);
	if (!t)
		return nl_error_sys(err, ENOMEM, "start telemetry");
	init_locks(t);
	t->period_ns = config->period_ns;
	t->size = config->ring_samples ? config->ring_samples : RING_SAMPLES;
	t->ring = calloc(t->size, sizeof *t->ring);
	int code = t->ring ? nl_collectors_alloc(config, &t->collectors, err)
			   : nl_error_sys(err, ENOMEM, "start telemetry");
	if (code) {
		dispose(t);
		return code;
	}
	nl_telemetry_sample_now(t);
	nl_collectors_missing(t->collectors, t->missing, sizeof t->missing);
	int failed = start_thread(t);
	if (failed) {
		dispose(t);
		return nl_error_sys(err, failed, "start the thread of telemetry");
	}
	*telemetry = t;
	return 0;
}

const char *nl_telemetry_missing(const struct nl_telemetry *t)
{
	return t->missing;
}

void nl_telemetry_stop(struct nl_telemetry *t)
{
	if (!t)
		return;
	pthread_mutex_lock(&t->ring_lock);
	t->stopping = true;
	pthread_cond_signal(&t->wake);
	pthread_mutex_unlock(&t->ring_lock);
	pthread_join(t->thread, NULL);
	dispose(t);
}
