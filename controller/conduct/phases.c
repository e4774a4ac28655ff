/*
 * phases: the measured phases: make the load ready, drop the caches that must be cold, start at an instant, wait until
 * all is durable.
 */
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "controller/conduct/conductor.h"
#include "proto/clock.h"
#include "proto/identity.h"

#define READY_TIMEOUT_NS  (1800 * NL_NS_PER_S)
#define FLUSH_TIMEOUT_NS  (600 * NL_NS_PER_S)
#define LOAD_SLACK_NS     (300 * NL_NS_PER_S)
#define START_AHEAD_NS    (100 * NL_NS_PER_MS)
#define LINE_SLACK_NS     (20 * NL_NS_PER_S)
#define LAY_DEFAULT_BYTES (UINT64_C(256) << 20)
#define LAY_HEADROOM      1.15
#define WRITE_HEADROOM    2.0
#define SELF_LOAD_BLOCKS  (UINT64_C(1) << 30) /* no I/O happens: more than can be done in any time */

static bool reads(const struct nl_phase *phase)
{
	return phase->workload != NL_WORKLOAD_SEQ_WRITE;
}

static const char *load_agent(const struct nl_conductor *conductor, const struct nl_phase *phase)
{
	if (phase->kind == NL_PHASE_SHARE)
		return nl_conduct_client(conductor, phase->share);
	return phase->on_nas ? conductor->campaign->nas_agent : conductor->campaign->clients[phase->client];
}

/* --- what is known from phases before --- */

static struct nl_file_set *file_set(struct nl_conductor *conductor, const char *prefix)
{
	for (unsigned i = 0; i < conductor->file_set_count; i++)
		if (strcmp(conductor->files[i].prefix, prefix) == 0)
			return &conductor->files[i];
	return NULL;
}

static void remember_files(struct nl_conductor *conductor, const char *prefix, uint64_t bytes)
{
	struct nl_file_set *set = file_set(conductor, prefix);
	if (!set && conductor->file_set_count < NL_FILE_SETS_MAX) {
		set = &conductor->files[conductor->file_set_count++];
		snprintf(set->prefix, sizeof set->prefix, "%s", prefix);
	}
	if (set)
		set->bytes = bytes;
}

static const struct nl_rates *rates_of(const struct nl_conductor *conductor, const char *figure)
{
	for (unsigned i = 0; i < conductor->rates_count; i++)
		if (strcmp(conductor->rates[i].figure, figure) == 0)
			return &conductor->rates[i];
	return NULL;
}

static void remember_rate(struct nl_conductor *conductor, const char *figure, double rate)
{
	struct nl_rates *rates = (struct nl_rates *)rates_of(conductor, figure);
	if (!rates && conductor->rates_count < NL_RATES_MAX) {
		rates = &conductor->rates[conductor->rates_count++];
		snprintf(rates->figure, sizeof rates->figure, "%s", figure);
		rates->low = rates->high = rate;
	}
	if (!rates)
		return;
	rates->low = rate < rates->low ? rate : rates->low;
	rates->high = rate > rates->high ? rate : rates->high;
	rates->last = rate;
	rates->count++;
}

bool nl_phase_wanted(const struct nl_conductor *conductor, const struct nl_phase *phase)
{
	const struct nl_rates *rates = rates_of(conductor, phase->figure);
	if (!phase->optional)
		return true;
	/* Nothing is said to be steady that is not known to be. */
	if (!rates || rates->low <= 0)
		return true;
	return (rates->high - rates->low) / ((rates->high + rates->low) / 2) > conductor->campaign->iterations.until;
}

static double highest_rate(const struct nl_conductor *conductor, const char *figure_start)
{
	double highest = 0;
	for (unsigned i = 0; i < conductor->rates_count; i++)
		if (strncmp(conductor->rates[i].figure, figure_start, strlen(figure_start)) == 0 &&
		    conductor->rates[i].high > highest)
			highest = conductor->rates[i].high;
	return highest;
}

/* A rate comes of what an agent says: it may be larger than any number of bytes. */
static uint64_t whole_bytes(double bytes, uint64_t most)
{
	return bytes < (double)most ? (uint64_t)bytes : most;
}

/*
 * How large each file must be for a read to last its time: what this figure gave before, or what the pool and the line
 * can deliver at most; never smaller than what the write left, never larger than planned.
 */
static uint64_t read_size(struct nl_conductor *conductor, const struct nl_phase *phase)
{
	const struct nl_file_set *left = file_set(conductor, phase->file_prefix);
	const struct nl_rates *before = rates_of(conductor, phase->figure);
	double rate = before ? before->last : highest_rate(conductor, "pool cold-read");
	double line = highest_rate(conductor, "line from-nas");
	if (!before && phase->kind == NL_PHASE_SHARE && line > 0 && (rate <= 0 || line < rate))
		rate = line;
	double seconds = (double)(phase->ramp_ns + phase->duration_ns) / 1e9;
	uint64_t bytes = whole_bytes(rate * seconds * LAY_HEADROOM / phase->streams, phase->file_bytes);
	bool loops = phase->workload == NL_WORKLOAD_CACHED_READ || phase->workload == NL_WORKLOAD_CLIENT_WARM_READ;
	if (left && (loops || left->bytes > bytes))
		bytes = left->bytes;
	if (bytes == 0 || (loops && !left))
		bytes = LAY_DEFAULT_BYTES / phase->streams;
	if (bytes > phase->file_bytes)
		bytes = phase->file_bytes;
	bytes -= bytes % phase->block_bytes;
	return bytes ? bytes : phase->block_bytes;
}

/*
 * The bound of a timed write through a share. What a server's cache takes faster than its disks must still be written
 * back before the phase ends, so no more is sent than the slower of pool and line can make durable in the phase's time,
 * with room for what they do better together.
 */
static uint64_t write_size(struct nl_conductor *conductor, const struct nl_phase *phase)
{
	double rate = highest_rate(conductor, "pool durable-write"), line = highest_rate(conductor, "line to-nas");
	uint64_t bytes;
	if (phase->kind != NL_PHASE_SHARE || rate <= 0)
		return phase->file_bytes;
	if (line > 0 && line < rate)
		rate = line;
	bytes = whole_bytes(rate * WRITE_HEADROOM * (double)phase->duration_ns / 1e9 / phase->streams,
			    phase->file_bytes);
	bytes -= bytes % phase->block_bytes;
	if (bytes < phase->block_bytes)
		bytes = phase->block_bytes;
	return bytes < phase->file_bytes ? bytes : phase->file_bytes;
}

/* --- the steps of a load --- */

struct load_step {
	const struct nl_phase *phase;
	const char *agent;
	char directory[1200];
	uint64_t file_bytes, load_order;
	int64_t start_ns, end_ns;
	double bytes, window_bytes, window_s;
	uint64_t smallest_file, payload_seed;
};

static void describe_load(struct nl_conductor *conductor, struct load_step *step, Nl__Load *load,
			  Nl__ShareTarget *target)
{
	const struct nl_phase *phase = step->phase;
	nl__load__init(load);
	load->engine = phase->kind == NL_PHASE_SELF_LOAD ? NL__ENGINE__ENGINE_NULL : NL__ENGINE__ENGINE_AUTO;
	load->directory = step->directory;
	load->file_prefix = (char *)phase->file_prefix;
	load->write = !reads(phase);
	load->block_bytes = phase->block_bytes;
	load->queue_depth = phase->queue_depth;
	load->streams = phase->streams;
	load->file_bytes = phase->kind == NL_PHASE_SELF_LOAD ? phase->block_bytes * SELF_LOAD_BLOCKS : step->file_bytes;
	load->duration_ns = phase->duration_ns;
	load->ramp_ns = phase->ramp_ns;
	load->fsync_end = !reads(phase) && phase->kind != NL_PHASE_SELF_LOAD;
	load->lay_files = reads(phase) && phase->kind != NL_PHASE_SELF_LOAD;
	load->warm = phase->workload == NL_WORKLOAD_CACHED_READ || phase->workload == NL_WORKLOAD_CLIENT_WARM_READ;
	load->loop_files = load->warm || phase->kind == NL_PHASE_SELF_LOAD;
	load->payload_seed = step->payload_seed;
	if (phase->kind == NL_PHASE_SHARE && !conductor->share[phase->share].local) {
		nl_conduct_share_target(conductor, phase->share, target);
		load->share = target;
	}
}

static int make_ready(struct nl_conductor *conductor, struct load_step *step, struct nl_error *err)
{
	Nl__Load load;
	Nl__ShareTarget target;
	Nl__Order order = NL__ORDER__INIT;
	struct nl_order_call call = {step->agent, step->phase->index, "", "", READY_TIMEOUT_NS, NULL};
	describe_load(conductor, step, &load, &target);
	order.task_case = NL__ORDER__TASK_LOAD;
	order.load = &load;
	int rc = nl_conduct_order(conductor, &call, &order, NULL, err);
	step->load_order = order.id;
	return rc;
}

static int evict(struct nl_conductor *conductor, const struct load_step *step, const char *agent, const char *directory,
		 struct nl_error *err)
{
	Nl__Evict ask = NL__EVICT__INIT;
	Nl__Order order = NL__ORDER__INIT;
	struct nl_order_call call = {agent, step->phase->index, "evict", "", FLUSH_TIMEOUT_NS, NULL};
	ask.directory = (char *)directory;
	ask.file_prefix = (char *)step->phase->file_prefix;
	order.task_case = NL__ORDER__TASK_EVICT;
	order.evict = &ask;
	return nl_conduct_order(conductor, &call, &order, NULL, err);
}

/* The caches that this workload must find empty. */
static int drop_caches(struct nl_conductor *conductor, const struct load_step *step, struct nl_error *err)
{
	const struct nl_phase *phase = step->phase;
	char on_nas[1200];
	int rc = NL_E_OK;
	bool share = phase->kind == NL_PHASE_SHARE;
	bool nas_cold = phase->workload == NL_WORKLOAD_SEQ_READ && phase->kind != NL_PHASE_SELF_LOAD;
	bool client_cold = share && conductor->share[phase->share].local &&
			   (phase->workload == NL_WORKLOAD_SEQ_READ || phase->workload == NL_WORKLOAD_CACHED_READ);
	snprintf(on_nas, sizeof on_nas, "%s/%s", conductor->scratch, share ? "share" : "pool");
	if (client_cold)
		rc = evict(conductor, step, step->agent, step->directory, err);
	if (rc == NL_E_OK && nas_cold)
		rc = evict(conductor, step, conductor->campaign->nas_agent, on_nas, err);
	return rc;
}

static int64_t on_controller_clock(const Nl__Result *result, int64_t mono_ns)
{
	const struct nl_clock clock = {.offset_ns = result->offset_ns, .known = true};
	return nl_clock_to_controller(&clock, mono_ns);
}

static void take_result(struct load_step *step, const Nl__Result *result)
{
	const Nl__LoadResult *load = result->load;
	step->smallest_file = UINT64_MAX;
	if (!load)
		return;
	step->start_ns = on_controller_clock(result, load->start_mono_ns);
	step->end_ns = on_controller_clock(result, result->ended_mono_ns);
	step->window_s = (double)(load->window_end_mono_ns - load->window_start_mono_ns) / 1e9;
	for (size_t i = 0; i < load->n_stream; i++) {
		step->bytes += (double)load->stream[i]->bytes;
		step->window_bytes += (double)load->stream[i]->window_bytes;
		if (load->stream[i]->bytes < step->smallest_file)
			step->smallest_file = load->stream[i]->bytes;
	}
}

static int go(struct nl_conductor *conductor, struct load_step *step, struct nl_error *err)
{
	const struct nl_phase *phase = step->phase;
	Nl__Go ask = NL__GO__INIT;
	Nl__Order order = NL__ORDER__INIT;
	Nl__Result *result = NULL;
	struct nl_order_call call = {step->agent,
				     phase->index,
				     phase->kind == NL_PHASE_SELF_LOAD ? "self-load" : "load",
				     "",
				     phase->ramp_ns + phase->duration_ns + LOAD_SLACK_NS,
				     NULL};
	ask.load_order = step->load_order;
	order.task_case = NL__ORDER__TASK_GO;
	order.go = &ask;
	order.start_ns = nl_clock_controller_ns() + START_AHEAD_NS;
	int rc = nl_conduct_order(conductor, &call, &order, &result, err);
	if (rc == NL_E_OK && (!result->load || result->load->n_stream != phase->streams))
		rc = nl_error_set(err, NL_E_PROTOCOL, "agent %s sent no result of each of its %u streams", call.agent,
				  phase->streams);
	if (rc == NL_E_OK)
		take_result(step, result);
	nl_server_result_free(result);
	return rc;
}

static void take_flush(struct load_step *step, const Nl__Result *result)
{
	int64_t durable_ns = on_controller_clock(result, result->ended_mono_ns);
	step->end_ns = durable_ns > step->end_ns ? durable_ns : step->end_ns;
}

static int flush(struct nl_conductor *conductor, struct load_step *step, struct nl_error *err)
{
	Nl__Flush ask = NL__FLUSH__INIT;
	Nl__Order order = NL__ORDER__INIT;
	Nl__Result *result = NULL;
	struct nl_order_call call = {
		conductor->campaign->nas_agent, step->phase->index, "flush", "", FLUSH_TIMEOUT_NS, NULL};
	ask.directory = conductor->scratch;
	order.task_case = NL__ORDER__TASK_FLUSH;
	order.flush = &ask;
	int rc = nl_conduct_order(conductor, &call, &order, &result, err);
	if (rc == NL_E_OK)
		take_flush(step, result);
	nl_server_result_free(result);
	return rc;
}

/* Of a write what is durable counts, of a read what was moved in the window. */
static double rate_of_load(const struct load_step *step)
{
	const struct nl_phase *phase = step->phase;
	double durable_s = (double)(step->end_ns - step->start_ns) / 1e9;
	if (phase->kind != NL_PHASE_SELF_LOAD && !reads(phase))
		return durable_s > 0 ? step->bytes / durable_s : 0;
	return step->window_s > 0 ? step->window_bytes / step->window_s : 0;
}

static int measure_load(struct nl_conductor *conductor, const struct nl_phase *phase, double *rate, int64_t *start_ns,
			int64_t *end_ns, struct nl_error *err)
{
	struct load_step step = {
		.phase = phase, .agent = load_agent(conductor, phase), .file_bytes = phase->file_bytes};
	bool files = phase->kind != NL_PHASE_SELF_LOAD;
	if (phase->kind == NL_PHASE_SHARE)
		snprintf(step.directory, sizeof step.directory, "%s", conductor->share[phase->share].directory);
	else if (files)
		snprintf(step.directory, sizeof step.directory, "%s/pool", conductor->scratch);
	if (files)
		step.file_bytes = reads(phase) ? read_size(conductor, phase) : write_size(conductor, phase);
	int rc = nl_identity_random(&step.payload_seed, sizeof step.payload_seed, err);
	if (rc == NL_E_OK)
		rc = make_ready(conductor, &step, err);
	if (rc == NL_E_OK && files && reads(phase))
		remember_files(conductor, phase->file_prefix, step.file_bytes);
	if (rc == NL_E_OK)
		rc = drop_caches(conductor, &step, err);
	if (rc == NL_E_OK)
		rc = go(conductor, &step, err);
	if (rc == NL_E_OK && files && !reads(phase))
		rc = flush(conductor, &step, err);
	if (rc != NL_E_OK)
		return rc;
	if (files && !reads(phase))
		remember_files(conductor, phase->file_prefix,
			       step.smallest_file - step.smallest_file % phase->block_bytes);
	*start_ns = step.start_ns;
	*end_ns = step.end_ns;
	*rate = rate_of_load(&step);
	return NL_E_OK;
}

static double rate_of_line(const Nl__LineResult *line)
{
	double seconds = (double)(line->window_end_mono_ns - line->window_start_mono_ns) / 1e9;
	return seconds > 0 ? (double)line->received_bytes / seconds : 0;
}

static int measure_line(struct nl_conductor *conductor, const struct nl_phase *phase, double *rate, int64_t *start_ns,
			int64_t *end_ns, struct nl_error *err)
{
	Nl__LineClient ask = NL__LINE_CLIENT__INIT;
	Nl__Order order = NL__ORDER__INIT;
	Nl__Result *result = NULL;
	struct nl_order_call call = {load_agent(conductor, phase),
				     phase->index,
				     "line",
				     "",
				     phase->ramp_ns + phase->duration_ns + LINE_SLACK_NS,
				     NULL};
	ask.host = (char *)conductor->campaign->nas_address;
	ask.port = conductor->line_port;
	ask.streams = phase->streams;
	ask.to_server = phase->direction == NL_DIRECTION_TO_NAS;
	ask.duration_ns = phase->duration_ns;
	ask.omit_ns = phase->ramp_ns;
	ask.key = (ProtobufCBinaryData){sizeof conductor->line_key, conductor->line_key};
	order.task_case = NL__ORDER__TASK_LINE_CLIENT;
	order.line_client = &ask;
	order.start_ns = nl_clock_controller_ns() + START_AHEAD_NS;
	*start_ns = order.start_ns;
	int rc = nl_conduct_order(conductor, &call, &order, &result, err);
	if (rc == NL_E_OK && !result->line)
		rc = nl_error_set(err, NL_E_PROTOCOL, "agent %s sent no result of the line test", call.agent);
	if (rc == NL_E_OK) {
		*rate = rate_of_line(result->line);
		*end_ns = on_controller_clock(result, result->ended_mono_ns);
	}
	nl_server_result_free(result);
	return rc;
}

int nl_phase_measure(struct nl_conductor *conductor, const struct nl_phase *phase, double *rate, int64_t *start_ns,
		     int64_t *end_ns, struct nl_error *err)
{
	*rate = 0;
	*start_ns = *end_ns = 0;
	atomic_store(&conductor->live_agent, load_agent(conductor, phase));
	int rc = phase->kind == NL_PHASE_LINE ? measure_line(conductor, phase, rate, start_ns, end_ns, err)
					      : measure_load(conductor, phase, rate, start_ns, end_ns, err);
	if (rc == NL_E_OK)
		remember_rate(conductor, phase->figure, *rate);
	return rc;
}

/* --- what was measured before a resume --- */

/* The rate that a phase's stored results gave; 0 when they say nothing. */
static double rate_of_stored(const struct nl_phase *phase, const struct nl_store_result *results, size_t count)
{
	struct load_step step = {.phase = phase};
	double line_rate = 0;
	for (size_t i = 0; i < count; i++) {
		if (results[i].phase != phase->index)
			continue;
		Nl__Result *result = nl__result__unpack(NULL, results[i].len, results[i].data);
		if (!result)
			continue;
		if (result->line)
			line_rate = rate_of_line(result->line);
		if (result->load)
			take_result(&step, result);
		if (strcmp(results[i].role, "flush") == 0)
			take_flush(&step, result);
		nl__result__free_unpacked(result, NULL);
	}
	return phase->kind == NL_PHASE_LINE ? line_rate : rate_of_load(&step);
}

int nl_phases_recall(struct nl_conductor *conductor, struct nl_error *err)
{
	struct nl_store_result *results = NULL;
	size_t count = 0;
	struct nl_store *store = nl_server_store_lock(conductor->server);
	int rc = nl_store_results(store, conductor->run_id, &results, &count, err);
	for (unsigned i = 0; rc == NL_E_OK && i < conductor->plan.phase_count; i++) {
		const struct nl_phase *phase = &conductor->plan.phases[i];
		enum nl_phase_state state = NL_PHASE_PENDING;
		int64_t start_ns, end_ns;
		char message[1024];
		bool measures = phase->kind == NL_PHASE_SELF_LOAD || phase->kind == NL_PHASE_LINE ||
				phase->kind == NL_PHASE_POOL || phase->kind == NL_PHASE_SHARE;
		if (!measures)
			continue;
		rc = nl_store_phase_get(store, conductor->run_id, phase->index, &state, &start_ns, &end_ns, message,
					err);
		double rate = rc == NL_E_OK && state == NL_PHASE_DONE ? rate_of_stored(phase, results, count) : 0;
		if (rate > 0)
			remember_rate(conductor, phase->figure, rate);
	}
	nl_server_store_unlock(conductor->server);
	nl_store_results_free(results, count);
	return rc;
}
