/*
 * measure: what one phase measured: its rate, the windows, and the evidence of each layer in them.
 *
 * Reads and the line: bytes in the measured window over its length. Writes: all bytes over the time from the start
 * until all was durable on the NAS, as the NAS itself said (flush), the same for every protocol and for the pool.
 */
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "controller/reconcile/work.h"
#include "controller/stats/stats.h"

#define BLOCK_NS       NL_NS_PER_S
#define BLOCK_SLACK_NS (50 * NL_NS_PER_MS) /* a period of 1 s is never met exactly */
#define BLOCKS_MIN     5
#define BLOCKS_MAX     (sizeof(((struct nl_measure *)0)->blocks) / sizeof(double))
#define STREAMS_MAX    4096

bool nl_phase_writes(const struct nl_phase *phase)
{
	return phase->direction == NL_DIRECTION_TO_NAS || phase->direction == NL_DIRECTION_WRITE;
}

/* The newest answer of a role; of loads the one that carries a load's result, not the one that it was made ready. */
const struct nl_answer *nl_phase_answer(const struct nl_work *work, unsigned phase, const char *role)
{
	const struct nl_answer *found = NULL;
	bool load = !strcmp(role, "load") || !strcmp(role, "self-load");
	for (size_t i = 0; i < work->answer_count; i++) {
		const struct nl_answer *answer = &work->answers[i];
		if (answer->phase != phase || strcmp(answer->role, role))
			continue;
		if (!load || answer->result->load || answer->result->failure)
			found = answer;
	}
	return found;
}

static bool failed(const Nl__Failure *failure, char *why, size_t size)
{
	if (!failure)
		return false;
	snprintf(why, size, "%s%s%s", failure->what, failure->why[0] ? ": " : "", failure->why);
	return true;
}

static double seconds(int64_t from_ns, int64_t to_ns)
{
	return (double)(to_ns - from_ns) / (double)NL_NS_PER_S;
}

/* --- rates inside the window --- */

static void add_block(struct nl_measure *measure, double rate)
{
	if (measure->block_count < BLOCKS_MAX)
		measure->blocks[measure->block_count++] = rate;
}

static void conclude_blocks(struct nl_measure *measure)
{
	measure->variation = measure->block_count < BLOCKS_MIN
				     ? NL_UNKNOWN
				     : nl_stats_variation(measure->blocks, measure->block_count);
}

static double streams_rise(const struct nl_work *work, const char *agent, unsigned streams, int64_t from_ns,
			   int64_t to_ns)
{
	double sum = 0;
	for (unsigned i = 0; i < streams; i++) {
		char subject[32];
		snprintf(subject, sizeof(subject), "stream%u", i);
		double rise =
			nl_counter_rise(nl_series_find(work, agent, NL_METRIC_STREAM_BYTES, subject), from_ns, to_ns);
		if (rise < 0)
			return NL_UNKNOWN;
		sum += rise;
	}
	return sum;
}

/* Blocks of a second or more that begin and end at samples of the first stream. */
static void load_blocks(const struct nl_work *work, struct nl_measure *measure, unsigned streams)
{
	const char *agent = measure->answer->agent;
	const struct nl_series *first = nl_series_find(work, agent, NL_METRIC_STREAM_BYTES, "stream0");
	int64_t begin = -1;
	for (size_t i = 0; first && i < first->count && first->times_ns[i] <= measure->window_end_ns; i++) {
		int64_t at = first->times_ns[i];
		if (at < measure->window_start_ns || (begin >= 0 && at - begin < BLOCK_NS - BLOCK_SLACK_NS))
			continue;
		double rise = begin < 0 ? NL_UNKNOWN : streams_rise(work, agent, streams, begin, at);
		if (rise >= 0)
			add_block(measure, rise / seconds(begin, at));
		begin = at;
	}
	conclude_blocks(measure);
}

static void line_blocks(struct nl_measure *measure, const Nl__LineResult *line)
{
	int64_t length = 0;
	double bytes = 0;
	for (size_t i = 0; line->interval_ns > 0 && i < line->n_interval_bytes_per_s; i++) {
		length += line->interval_ns;
		bytes += line->interval_bytes_per_s[i] * seconds(0, line->interval_ns);
		if (length < BLOCK_NS)
			continue;
		add_block(measure, bytes / seconds(0, length));
		length = 0;
		bytes = 0;
	}
	conclude_blocks(measure);
}

/* --- line --- */

/* The rate is that of the window; the ledger holds the whole test, the omitted start included, which is what counters
 * around it saw. */
static void line_ledger(struct nl_measure *measure, const Nl__LineResult *line)
{
	double whole = 0;
	measure->retransmits = 0;
	for (size_t i = 0; i < line->n_stream; i++) {
		whole += (double)line->stream[i]->received_bytes;
		measure->retransmits += (double)line->stream[i]->retransmits;
	}
	int64_t started_ns = nl_answer_ns(measure->answer, measure->answer->result->started_mono_ns);
	measure->application_bytes = (double)line->received_bytes;
	measure->load_start_ns = measure->window_start_ns;
	measure->load_end_ns = measure->window_end_ns;
	if (whole < measure->application_bytes || started_ns > measure->window_start_ns)
		return;
	measure->application_bytes = whole;
	measure->load_start_ns = started_ns;
}

static bool measure_line(struct nl_measure *measure, char *why, size_t size)
{
	const Nl__LineResult *line = measure->answer->result->line;
	if (!line || line->window_end_mono_ns <= line->window_start_mono_ns || line->received_bytes == 0) {
		snprintf(why, size, "the result holds no measured window");
		return false;
	}
	measure->window_start_ns = nl_answer_ns(measure->answer, line->window_start_mono_ns);
	measure->window_end_ns = nl_answer_ns(measure->answer, line->window_end_mono_ns);
	if (measure->window_end_ns <= measure->window_start_ns) {
		snprintf(why, size, "the measured window lies at no possible time");
		return false;
	}
	measure->bytes_per_second =
		(double)line->received_bytes / seconds(measure->window_start_ns, measure->window_end_ns);
	measure->thread_share = line->busiest_thread_share;
	measure->cpu_user_s = line->sender_cpu_s;
	measure->cpu_system_s = line->receiver_cpu_s;
	line_ledger(measure, line);
	line_blocks(measure, line);
	return true;
}

/* --- loads --- */

static bool stream_failed(const Nl__LoadResult *load, char *why, size_t size)
{
	char reason[600];
	for (size_t i = 0; i < load->n_stream; i++) {
		if (!failed(load->stream[i]->failure, reason, sizeof(reason)))
			continue;
		snprintf(why, size, "stream %u: %s", load->stream[i]->stream, reason);
		return true;
	}
	return false;
}

/* When the last byte was moved, and when the last was durable by the load's own fsync (0: some were not). */
static void load_ends(const Nl__LoadResult *load, int64_t *last_mono_ns, int64_t *durable_mono_ns)
{
	bool all_durable = true;
	*last_mono_ns = *durable_mono_ns = 0;
	for (size_t i = 0; i < load->n_stream; i++) {
		const Nl__StreamResult *stream = load->stream[i];
		if (stream->last_done_mono_ns > *last_mono_ns)
			*last_mono_ns = stream->last_done_mono_ns;
		if (stream->durable_mono_ns > *durable_mono_ns)
			*durable_mono_ns = stream->durable_mono_ns;
		all_durable = all_durable && stream->durable_mono_ns > 0;
	}
	if (!all_durable)
		*durable_mono_ns = 0;
}

/* A kernel mount writes from the client's page cache: what the program wrote last goes over the wire as late as its
 * fsync. */
static bool writes_behind(const struct nl_work *work, const struct nl_phase *phase)
{
	const struct nl_campaign_share *share = nl_work_share(work, phase);
	return share && share->access != NL_ACCESS_USERLAND;
}

static void measure_durable(struct nl_measure *measure, int64_t last_ns, int64_t sent_ns, int64_t fsync_ns)
{
	bool flushed = measure->flush && !measure->flush->result->failure;
	int64_t flushed_ns = flushed ? nl_answer_ns(measure->flush, measure->flush->result->ended_mono_ns) : 0;
	measure->flush_missing = !flushed && fsync_ns == 0;
	measure->sent_ns = sent_ns;
	measure->client_done_ns = fsync_ns > last_ns ? fsync_ns : last_ns;
	measure->load_end_ns = last_ns;
	if (fsync_ns > measure->load_end_ns)
		measure->load_end_ns = fsync_ns;
	if (flushed_ns > measure->load_end_ns)
		measure->load_end_ns = flushed_ns;
	measure->window_start_ns = measure->load_start_ns;
	measure->window_end_ns = measure->load_end_ns;
	measure->bytes_per_second =
		measure->application_bytes / seconds(measure->window_start_ns, measure->window_end_ns);
}

static bool measure_read(struct nl_measure *measure, const Nl__LoadResult *load, int64_t last_ns, char *why,
			 size_t size)
{
	uint64_t window_bytes = 0;
	for (size_t i = 0; i < load->n_stream; i++)
		window_bytes += load->stream[i]->window_bytes;
	measure->load_end_ns = last_ns;
	measure->window_start_ns = nl_answer_ns(measure->answer, load->window_start_mono_ns);
	measure->window_end_ns = nl_answer_ns(measure->answer, load->window_end_mono_ns);
	if (measure->window_end_ns <= measure->window_start_ns || window_bytes == 0) {
		snprintf(why, size, "the load ended before the measured window began: the files are too small");
		return false;
	}
	measure->bytes_per_second = (double)window_bytes / seconds(measure->window_start_ns, measure->window_end_ns);
	return true;
}

static bool measure_load(struct nl_work *work, const struct nl_phase *phase, struct nl_measure *measure, char *why,
			 size_t size)
{
	const Nl__LoadResult *load = measure->answer->result->load;
	int64_t last_mono_ns, durable_mono_ns;
	if (!load || load->n_stream == 0 || load->n_stream > STREAMS_MAX) {
		snprintf(why, size, "the result holds no load");
		return false;
	}
	if (stream_failed(load, why, size))
		return false;
	load_ends(load, &last_mono_ns, &durable_mono_ns);
	for (size_t i = 0; i < load->n_stream; i++)
		measure->application_bytes += (double)load->stream[i]->bytes;
	measure->load_start_ns = nl_answer_ns(measure->answer, load->start_mono_ns);
	int64_t last_ns = nl_answer_ns(measure->answer, last_mono_ns);
	if (measure->application_bytes <= 0 || last_ns <= measure->load_start_ns) {
		snprintf(why, size, "nothing was moved");
		return false;
	}
	measure->thread_share = load->busiest_thread_share;
	measure->cpu_user_s = load->cpu_user_s;
	measure->cpu_system_s = load->cpu_system_s;
	if (nl_phase_writes(phase) && phase->kind != NL_PHASE_SELF_LOAD) {
		int64_t fsync_ns = durable_mono_ns ? nl_answer_ns(measure->answer, durable_mono_ns) : 0;
		bool behind = writes_behind(work, phase) && fsync_ns > last_ns;
		measure_durable(measure, last_ns, behind ? fsync_ns : last_ns, fsync_ns);
		return true;
	}
	if (!measure_read(measure, load, last_ns, why, size))
		return false;
	load_blocks(work, measure, (unsigned)load->n_stream);
	return true;
}

/* --- the phase --- */

static const struct nl_answer *answer_of(const struct nl_work *work, const struct nl_phase *phase)
{
	if (phase->kind == NL_PHASE_LINE)
		return nl_phase_answer(work, phase->index, "line");
	const struct nl_answer *answer = nl_phase_answer(work, phase->index, "load");
	return answer ? answer : nl_phase_answer(work, phase->index, "self-load");
}

static bool phase_failed(const struct nl_phase_view *view, const struct nl_measure *measure, char *why, size_t size)
{
	if (measure->answer && failed(measure->answer->result->failure, why, size))
		return true;
	if (view->state == NL_PHASE_FAILED) {
		snprintf(why, size, "%s", view->message[0] ? view->message : "the phase failed");
		return true;
	}
	if (view->state != NL_PHASE_DONE) {
		snprintf(why, size, "the run was cut off in this phase");
		return true;
	}
	if (!measure->answer)
		snprintf(why, size, "no result is stored");
	return !measure->answer;
}

bool nl_measure_phase(struct nl_work *work, const struct nl_phase_view *view, struct nl_measure *measure, char *why,
		      size_t size)
{
	const struct nl_phase *phase = view->plan;
	*measure = (struct nl_measure){.phase = phase->index,
				       .answer = answer_of(work, phase),
				       .flush = nl_phase_answer(work, phase->index, "flush"),
				       .evict = nl_phase_answer(work, phase->index, "evict"),
				       .variation = NL_UNKNOWN,
				       .resident_share = NL_UNKNOWN,
				       .retransmits = NL_UNKNOWN};
	if (phase_failed(view, measure, why, size))
		return false;
	bool ok = phase->kind == NL_PHASE_LINE ? measure_line(measure, why, size)
					       : measure_load(work, phase, measure, why, size);
	if (ok)
		nl_measure_ledger(work, view, measure);
	return ok;
}
