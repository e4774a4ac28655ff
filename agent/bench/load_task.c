/*
 * load_task: turns an order into a job of the load generator, makes it ready, runs it, and packs its result.
 *
 * The worker thread alone makes and frees a load; agent->load is published under the agent's lock so that the uplink
 * can read the streams' counters, and taken away under the lock before it is freed.
 */
#include "agent/bench/load_task.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/task.h"
#include "agent/undo.h"
#include "base/time.h"

#define WAIT_STEP_NS (50 * NL_NS_PER_MS)
#define STUCK_NS     (5 * NL_NS_PER_S)

struct nl_ready_load {
	uint64_t order;
	struct nl_job job;
	struct nl_kept_share kept;
	struct nl_share_target target;
	char directory[1024], prefix[128], journal_id[40];
	struct nl_load *load;
	bool running;
};

unsigned nl_ready_load_samples(const struct nl_ready_load *ready, struct nl_sample *samples, unsigned max)
{
	struct nl_stream_progress progress[NL_LOAD_STREAMS_MAX];
	unsigned count = 0;
	if (!ready->running)
		return 0;
	nl_load_progress(ready->load, progress, ready->job.streams);
	for (unsigned i = 0; i < ready->job.streams && count + 2 <= max; i++) {
		struct nl_sample sample = {.metric = NL_METRIC_STREAM_BYTES,
					   .mono_ns = progress[i].read_mono_ns,
					   .value = (double)progress[i].bytes};
		snprintf(sample.subject, sizeof sample.subject, "stream%u", i);
		samples[count++] = sample;
		sample.metric = NL_METRIC_STREAM_OPERATIONS;
		sample.value = (double)progress[i].operations;
		samples[count++] = sample;
	}
	return count;
}

static struct nl_ready_load *take_away(struct nl_agent *agent)
{
	pthread_mutex_lock(&agent->lock);
	struct nl_ready_load *ready = agent->load;
	agent->load = NULL;
	pthread_mutex_unlock(&agent->lock);
	return ready;
}

static void ready_free(struct nl_ready_load *ready)
{
	if (!ready)
		return;
	nl_load_free(ready->load);
	explicit_bzero(&ready->kept, sizeof ready->kept);
	free(ready);
}

void nl_ready_load_drop(struct nl_agent *agent)
{
	ready_free(take_away(agent));
}

static int job_from(const Nl__Load *ask, struct nl_ready_load *ready, struct nl_error *err)
{
	static const enum nl_engine_id engines[] = {
		[NL__ENGINE__ENGINE_AUTO] = NL_ENGINE_AUTO,
		[NL__ENGINE__ENGINE_IO_URING] = NL_ENGINE_IO_URING,
		[NL__ENGINE__ENGINE_PSYNC] = NL_ENGINE_PSYNC,
		[NL__ENGINE__ENGINE_LIBNFS] = NL_ENGINE_LIBNFS,
		[NL__ENGINE__ENGINE_LIBSMBCLIENT] = NL_ENGINE_LIBSMBCLIENT,
		[NL__ENGINE__ENGINE_NULL] = NL_ENGINE_NULL,
	};
	int rc = NL_E_OK;
	if ((unsigned)ask->engine >= sizeof engines / sizeof *engines)
		return nl_error_set(err, NL_E_UNSUPPORTED, "unknown engine %d", (int)ask->engine);
	if (strlen(ask->directory) >= sizeof ready->directory || strlen(ask->file_prefix) >= sizeof ready->prefix ||
	    strpbrk(ask->file_prefix, "/\t\n"))
		return nl_error_set(err, NL_E_CONFIG, "the load's directory or file prefix cannot be used");
	snprintf(ready->directory, sizeof ready->directory, "%s", ask->directory);
	snprintf(ready->prefix, sizeof ready->prefix, "%s", ask->file_prefix);
	if (ask->share) {
		rc = nl_kept_share_from(&ready->kept, ask->share, err);
		ready->target = nl_kept_share_target(&ready->kept);
	}
	ready->job = (struct nl_job){
		.engine = ask->share && ask->engine == NL__ENGINE__ENGINE_AUTO ? ready->kept.engine
									       : engines[ask->engine],
		.directory = ready->directory,
		.file_prefix = ready->prefix,
		.share = ask->share ? &ready->target : NULL,
		.write = ask->write,
		.read_percent = ask->read_percent,
		.random = ask->random,
		.block_bytes = ask->block_bytes,
		.queue_depth = ask->queue_depth,
		.streams = ask->streams,
		.file_bytes = ask->file_bytes,
		.duration_ns = ask->duration_ns,
		.ramp_ns = ask->ramp_ns,
		.direct = ask->cache == NL__CACHE__CACHE_DIRECT,
		.fsync_end = ask->fsync_end,
		.sync_writes = ask->sync_writes,
		.lay_files = ask->lay_files,
		.warm = ask->warm,
		.loop_files = ask->loop_files,
		.rate_limit_bytes_per_s = ask->rate_limit_bytes_per_s,
		.payload_seed = ask->payload_seed,
	};
	return rc;
}

/* Files that the load may create are in the journal before it opens them. */
static int journal_files(struct nl_agent *agent, const char *run_id, struct nl_ready_load *ready, struct nl_error *err)
{
	struct nl_journal_entry entry = {.kind = NL_JOURNAL_SHARE_FILES};
	char label[700] = "";
	if (ready->job.engine == NL_ENGINE_NULL)
		return NL_E_OK;
	if (ready->job.share)
		nl_kept_share_label(&ready->kept, label, sizeof label);
	snprintf(entry.run_id, sizeof entry.run_id, "%s", run_id);
	snprintf(entry.path, sizeof entry.path, "%s", ready->directory);
	nl_undo_detail(entry.detail, sizeof entry.detail, ready->prefix, ready->job.streams, label);
	int rc = nl_journal_add(agent->journal, &entry, err);
	if (rc != NL_E_OK)
		return rc;
	snprintf(ready->journal_id, sizeof ready->journal_id, "%s", entry.id);
	if (ready->job.share) {
		pthread_mutex_lock(&agent->lock);
		nl_keepsake_put(&agent->keepsake, &ready->kept);
		pthread_mutex_unlock(&agent->lock);
	}
	return NL_E_OK;
}

static bool journal_knows(struct nl_agent *agent, const char *run_id, const struct nl_ready_load *ready)
{
	struct nl_journal_entry *entries = NULL;
	size_t count = 0, damaged = 0;
	char label[700] = "", detail[1024];
	bool known = false;
	if (ready->job.share)
		nl_kept_share_label(&ready->kept, label, sizeof label);
	nl_undo_detail(detail, sizeof detail, ready->prefix, ready->job.streams, label);
	if (nl_journal_list(agent->journal, &entries, &count, &damaged, NULL) != NL_E_OK)
		return false;
	for (size_t i = 0; i < count && !known; i++)
		known = entries[i].kind == NL_JOURNAL_SHARE_FILES && strcmp(entries[i].run_id, run_id) == 0 &&
			strcmp(entries[i].path, ready->directory) == 0 && strcmp(entries[i].detail, detail) == 0;
	free(entries);
	return known;
}

int nl_task_load(struct nl_agent *agent, const Nl__Order *order, struct nl_outcome *outcome, struct nl_error *err)
{
	struct nl_ready_load *ready = calloc(1, sizeof *ready);
	if (!ready)
		return nl_error_sys(err, ENOMEM, "make a load ready");
	nl_ready_load_drop(agent);
	ready->order = order->id;
	int rc = job_from(order->load, ready, err);
	if (rc == NL_E_OK)
		rc = nl_job_check(&ready->job, err);
	if (rc == NL_E_OK && ready->job.engine != NL_ENGINE_NULL)
		rc = nl_undo_inside_scratch(ready->directory, order->run_id, err);
	if (rc == NL_E_OK && !journal_knows(agent, order->run_id, ready))
		rc = journal_files(agent, order->run_id, ready, err);
	if (rc == NL_E_OK)
		rc = nl_load_make(&ready->job, &agent->cancel, &ready->load, err);
	if (rc != NL_E_OK) {
		ready_free(ready);
		return rc;
	}
	nl_outcome_fact(outcome, "load", "ready", "yes");
	pthread_mutex_lock(&agent->lock);
	agent->load = ready;
	pthread_mutex_unlock(&agent->lock);
	return NL_E_OK;
}

/* --- go --- */

static int pack_stream(struct nl_outcome *outcome, unsigned index, const struct nl_stream_result *from,
		       Nl__StreamResult *to, struct nl_error *err)
{
	void *latency = NULL;
	size_t latency_len = 0;
	int rc = nl_histogram_encode(&from->latency, &latency, &latency_len, err);
	if (rc != NL_E_OK)
		return rc;
	rc = nl_outcome_keep(outcome, latency);
	if (rc != NL_E_OK)
		return nl_error_sys(err, ENOMEM, "pack a stream's result");
	nl__stream_result__init(to);
	to->stream = index;
	to->bytes = from->bytes;
	to->operations = from->operations;
	to->short_operations = from->short_operations;
	to->window_bytes = from->window_bytes;
	to->first_done_mono_ns = from->first_done_mono_ns;
	to->last_done_mono_ns = from->last_done_mono_ns;
	to->durable_mono_ns = from->durable_mono_ns;
	to->reached_end = from->reached_end;
	to->latency.data = latency;
	to->latency.len = latency_len;
	if (from->failure.code != NL_E_OK)
		to->failure = nl_outcome_failure(outcome, &from->failure);
	return NL_E_OK;
}

static int pack(struct nl_outcome *outcome, const struct nl_load_result *from, struct nl_error *err)
{
	Nl__LoadResult *to = nl_outcome_memory(outcome, sizeof *to);
	Nl__StreamResult *streams = nl_outcome_memory(outcome, from->stream_count * sizeof *streams);
	Nl__StreamResult **pointers = nl_outcome_memory(outcome, from->stream_count * sizeof *pointers);
	if (!to || !streams || !pointers)
		return nl_error_sys(err, ENOMEM, "pack a load's result");
	nl__load_result__init(to);
	to->engine = nl_outcome_text(outcome, nl_engine_name(from->engine), 32);
	to->start_mono_ns = from->start_mono_ns;
	to->window_start_mono_ns = from->window_start_mono_ns;
	to->window_end_mono_ns = from->window_end_mono_ns;
	to->cpu_user_s = from->cpu_user_s;
	to->cpu_system_s = from->cpu_system_s;
	to->busiest_thread_share = from->busiest_thread_share;
	to->stream = pointers;
	for (unsigned i = 0; i < from->stream_count; i++) {
		int rc = pack_stream(outcome, i, &from->stream[i], &streams[i], err);
		if (rc != NL_E_OK)
			return rc;
		pointers[to->n_stream++] = &streams[i];
	}
	nl_outcome_result(outcome)->load = to;
	return NL_E_OK;
}

/* A stream stuck in the kernel is given up after STUCK_NS; nl_load_free then abandons it. */
static int wait_for_end(struct nl_agent *agent, struct nl_load *load, struct nl_error *err)
{
	int64_t stopped_mono_ns = 0;
	for (;;) {
		int rc = nl_load_wait(load, WAIT_STEP_NS, err);
		if (rc == NL_E_OK && stopped_mono_ns)
			return nl_error_set(err, NL_E_CANCELLED, "the load was stopped");
		if (rc != NL_E_TIMEOUT)
			return rc;
		if (stopped_mono_ns && nl_mono_ns() > stopped_mono_ns + STUCK_NS)
			return nl_error_set(err, NL_E_TIMEOUT, "a stopped load does not end");
		if (!stopped_mono_ns && nl_agent_stopped(agent)) {
			nl_load_stop(load);
			stopped_mono_ns = nl_mono_ns();
		}
	}
}

static int first_failure(const struct nl_load_result *result, struct nl_error *err)
{
	for (unsigned i = 0; i < result->stream_count; i++) {
		if (result->stream[i].failure.code == NL_E_OK)
			continue;
		*err = result->stream[i].failure;
		return err->code;
	}
	return NL_E_OK;
}

static void set_running(struct nl_agent *agent, struct nl_ready_load *ready, bool running)
{
	pthread_mutex_lock(&agent->lock);
	ready->running = running;
	pthread_mutex_unlock(&agent->lock);
}

int nl_task_go(struct nl_agent *agent, const Nl__Order *order, struct nl_outcome *outcome, struct nl_error *err)
{
	struct nl_load_result result;
	struct nl_ready_load *ready = agent->load; /* this thread alone changes it */
	if (!ready || ready->order != order->go->load_order)
		return nl_error_set(err, NL_E_PROTOCOL, "no load %llu is ready to start",
				    (unsigned long long)order->go->load_order);
	nl_agent_edge(agent);
	set_running(agent, ready, true);
	nl_load_start(ready->load, nl_agent_to_mono(agent, order->start_ns));
	int rc = wait_for_end(agent, ready->load, err);
	nl_agent_edge(agent);
	if (rc == NL_E_OK)
		rc = nl_load_read_out(ready->load, &result, err);
	if (rc == NL_E_OK) {
		rc = pack(outcome, &result, err);
		if (rc == NL_E_OK)
			rc = first_failure(&result, err);
		nl_load_result_fini(&result);
	}
	nl_outcome_result(outcome)->ended_mono_ns = nl_mono_ns();
	nl_ready_load_drop(agent);
	return rc;
}
