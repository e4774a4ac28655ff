/*
 * plan: the phases of a campaign in their order, with the space and the time they take.
 */
#include "controller/campaign/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"

#define ASSUMED_BYTES_PER_S 1.25e9 /* 10 Gbit/s: files sized for it last on anything slower */
#define SIZE_MARGIN         1.2    /* of a timed write above the assumed rate */
#define UNEVEN_MARGIN       1.5    /* one of several streams may be that much above its part */
#define FILE_BYTES_MAX      (UINT64_C(16) << 40)
#define ASSUMED_CORES       4
#define STREAMS_MAX         256
#define GENERATOR_MIN_NS    (NL_NS_PER_S / 2)
#define GENERATOR_MAX_NS    (5 * NL_NS_PER_S)

/* What surrounds the measured time: orders, barrier, eviction, the results' way home. Taken from runs in the lab. */
static const int64_t around_ns[] = {
	[NL_PHASE_INVENTORY] = 1500 * NL_NS_PER_MS, [NL_PHASE_PREPARE] = 2000 * NL_NS_PER_MS,
	[NL_PHASE_SELF_LOAD] = 700 * NL_NS_PER_MS,  [NL_PHASE_LINE] = 700 * NL_NS_PER_MS,
	[NL_PHASE_POOL] = 700 * NL_NS_PER_MS,       [NL_PHASE_SHARE] = 700 * NL_NS_PER_MS,
	[NL_PHASE_CLEANUP] = 1500 * NL_NS_PER_MS,
};

struct planner {
	const struct nl_campaign *campaign;
	struct nl_plan *plan;
	struct nl_error *err;
	unsigned capacity, cores;
	double rate;
	int code;
};

/* A new phase at the end, or NULL after a failure, which stays in planner->code. Valid until the next call. */
static struct nl_phase *add_phase(struct planner *p, enum nl_phase_kind kind)
{
	struct nl_plan *plan = p->plan;
	if (p->code)
		return NULL;
	if (plan->phase_count >= NL_PLAN_PHASES_MAX) {
		p->code = nl_error_set(p->err, NL_E_CONFIG, "the campaign has more than %d phases", NL_PLAN_PHASES_MAX);
		nl_error_todo(p->err, "take fewer shares, numbers of streams or iterations");
		return NULL;
	}
	if (plan->phase_count == p->capacity) {
		unsigned capacity = p->capacity ? 2 * p->capacity : 64;
		struct nl_phase *grown = realloc(plan->phases, capacity * sizeof *grown);
		if (!grown) {
			p->code = nl_error_set(p->err, NL_E_SYSTEM, "out of memory while planning");
			return NULL;
		}
		plan->phases = grown;
		p->capacity = capacity;
	}
	struct nl_phase *phase = &plan->phases[plan->phase_count];
	memset(phase, 0, sizeof *phase);
	phase->index = plan->phase_count++;
	phase->kind = kind;
	phase->layer = NL_LAYER_GENERATOR;
	snprintf(phase->figure, sizeof phase->figure, "%s", nl_phase_kind_name(kind));
	return phase;
}

/* Every phase ends here: its time is known now. `extra_ns` is work before the load. */
static void finish_phase(struct planner *p, struct nl_phase *phase, int64_t extra_ns)
{
	phase->optional = phase->iteration > p->campaign->iterations.min;
	phase->expected_ns = phase->duration_ns + phase->ramp_ns + around_ns[phase->kind] + extra_ns;
	if (!phase->optional)
		p->plan->expected_ns += phase->expected_ns;
}

static void add_plain(struct planner *p, enum nl_phase_kind kind)
{
	struct nl_phase *phase = add_phase(p, kind);
	if (phase)
		finish_phase(p, phase, 0);
}

static const char *plural(unsigned streams)
{
	return streams == 1 ? "" : "s";
}

static unsigned iterations_of(const struct nl_campaign *campaign)
{
	bool more = campaign->iterations.until > 0 && campaign->iterations.max > campaign->iterations.min;
	return more ? campaign->iterations.max : campaign->iterations.min;
}

/* Size of each file so that a write at the assumed rate does not come to its end. */
static uint64_t file_bytes_of(const struct planner *p, uint64_t given, uint64_t block, int64_t ns, unsigned streams)
{
	double need = p->rate * ((double)ns / 1e9) * SIZE_MARGIN / streams * (streams > 1 ? UNEVEN_MARGIN : 1);
	uint64_t bytes = given;
	if (block == 0)
		block = 1;
	if (!bytes)
		bytes = need < (double)FILE_BYTES_MAX ? (uint64_t)ceil(need) : FILE_BYTES_MAX;
	return (bytes + block - 1) / block * block;
}

/* --- the generator and the line --- */

static int64_t generator_ns(int64_t duration_ns)
{
	int64_t ns = duration_ns / 5;
	if (ns < GENERATOR_MIN_NS)
		return GENERATOR_MIN_NS;
	return ns > GENERATOR_MAX_NS ? GENERATOR_MAX_NS : ns;
}

/* The null engine as the real load has it; writes, because they make their payload. */
static struct nl_phase *add_generator(struct planner *p, uint64_t block, unsigned depth, int64_t duration_ns)
{
	struct nl_phase *phase = add_phase(p, NL_PHASE_SELF_LOAD);
	if (!phase)
		return NULL;
	phase->direction = NL_DIRECTION_WRITE;
	phase->workload = NL_WORKLOAD_SEQ_WRITE;
	phase->streams = phase->iteration = 1;
	phase->block_bytes = phase->file_bytes = block;
	phase->queue_depth = depth;
	phase->duration_ns = generator_ns(duration_ns);
	finish_phase(p, phase, 0);
	return phase;
}

static void add_generators(struct planner *p)
{
	const struct nl_campaign *c = p->campaign;
	struct nl_phase *phase;
	if (!c->self_load)
		return;
	if (c->pool.enabled) {
		phase = add_generator(p, c->pool.block_bytes, c->pool.queue_depth, c->pool.duration_ns);
		if (phase) {
			phase->on_nas = true;
			snprintf(phase->figure, sizeof phase->figure, "generator nas 1 stream");
		}
	}
	for (unsigned i = 0; i < c->client_count && c->share_count; i++) {
		phase = add_generator(p, c->streams.block_bytes, c->streams.queue_depth, c->streams.duration_ns);
		if (!phase)
			return;
		phase->client = i;
		snprintf(phase->figure, sizeof phase->figure, "generator client%s%s 1 stream",
			 c->client_count > 1 ? " " : "", c->client_count > 1 ? c->clients[i] : "");
	}
}

static void add_line(struct planner *p, unsigned client, unsigned streams, bool to_nas, unsigned iteration)
{
	const struct nl_campaign *c = p->campaign;
	struct nl_phase *phase = add_phase(p, NL_PHASE_LINE);
	if (!phase)
		return;
	phase->layer = NL_LAYER_LINE;
	phase->direction = to_nas ? NL_DIRECTION_TO_NAS : NL_DIRECTION_FROM_NAS;
	phase->client = client;
	phase->streams = streams;
	phase->iteration = iteration;
	phase->duration_ns = c->line.duration_ns;
	phase->ramp_ns = c->line.omit_ns;
	snprintf(phase->figure, sizeof phase->figure, "line %s %u stream%s%s%s", nl_direction_name(phase->direction),
		 streams, plural(streams), c->client_count > 1 ? " " : "",
		 c->client_count > 1 ? c->clients[client] : "");
	finish_phase(p, phase, 0);
}

static void add_lines(struct planner *p)
{
	const struct nl_campaign *c = p->campaign;
	if (!c->line.enabled)
		return;
	for (unsigned client = 0; client < c->client_count; client++)
		for (unsigned s = 0; s < c->line.streams.count; s++)
			for (unsigned i = 1; i <= iterations_of(c); i++)
				for (unsigned turn = 0; turn < 2; turn++) {
					bool to_nas = (turn + i) % 2 == 1;
					if (to_nas ? c->line.to_nas : c->line.from_nas)
						add_line(p, client, c->line.streams.value[s], to_nas, i);
				}
}

/* --- the pool --- */

static bool has_workload(const struct nl_workload_list *list, enum nl_workload workload)
{
	for (unsigned i = 0; i < list->count; i++)
		if (list->value[i] == workload)
			return true;
	return false;
}

/* What both kinds of file phases have in common. A write has no ramp: a durable rate counts from the first byte. */
static void set_workload(struct nl_phase *phase, enum nl_workload workload, unsigned streams, unsigned iteration,
			 int64_t ramp_ns)
{
	bool write = workload == NL_WORKLOAD_SEQ_WRITE;
	phase->workload = workload;
	phase->direction = write ? NL_DIRECTION_WRITE : NL_DIRECTION_READ;
	phase->streams = streams;
	phase->iteration = iteration;
	phase->ramp_ns = write ? 0 : ramp_ns;
}

/* Laying files when no write leaves any: once, at the size that a write may have. */
static int64_t laying_ns(const struct planner *p, const struct nl_phase *phase, const struct nl_workload_list *list)
{
	if (phase->iteration != 1 || has_workload(list, NL_WORKLOAD_SEQ_WRITE) || phase->workload != list->value[0])
		return 0;
	double seconds = (double)phase->file_bytes * phase->streams / p->rate;
	return seconds < 1e6 ? (int64_t)(seconds * 1e9) : INT64_C(1000000) * NL_NS_PER_S;
}

static void add_pool(struct planner *p, enum nl_workload mode, unsigned streams, unsigned iteration)
{
	static const char *const names[] = {"durable-write", "cold-read", "cached-read"};
	const struct nl_campaign *c = p->campaign;
	struct nl_phase *phase = mode <= NL_WORKLOAD_CACHED_READ ? add_phase(p, NL_PHASE_POOL) : NULL;
	if (!phase)
		return;
	set_workload(phase, mode, streams, iteration, c->pool.ramp_ns);
	phase->layer = NL_LAYER_POOL;
	phase->on_nas = true;
	phase->duration_ns = c->pool.duration_ns;
	phase->block_bytes = c->pool.block_bytes;
	phase->queue_depth = c->pool.queue_depth;
	phase->file_bytes = file_bytes_of(p, c->pool.file_bytes, c->pool.block_bytes,
					  c->pool.duration_ns + c->pool.ramp_ns, streams);
	snprintf(phase->file_prefix, sizeof phase->file_prefix, "pool-s%u", streams);
	snprintf(phase->figure, sizeof phase->figure, "pool %s %u stream%s", names[mode], streams, plural(streams));
	/* A cold read has just filled the cache; without one the cache is filled first. */
	bool warm = mode == NL_WORKLOAD_CACHED_READ && !has_workload(&c->pool.modes, NL_WORKLOAD_SEQ_READ);
	finish_phase(p, phase, (warm ? phase->duration_ns : 0) + laying_ns(p, phase, &c->pool.modes));
}

/* The numbers of streams with `max` resolved: ascending, each once. */
static struct nl_count_list pool_streams(const struct planner *p)
{
	struct nl_count_list list = {.count = 0};
	const struct nl_count_list *given = &p->campaign->pool.streams;
	for (unsigned i = 0; i < given->count && i < NL_CAMPAIGN_LIST_MAX; i++) {
		unsigned value = given->value[i] == NL_CAMPAIGN_STREAMS_ALL_CORES ? p->cores : given->value[i];
		unsigned at = 0;
		while (at < list.count && list.value[at] < value)
			at++;
		if (at < list.count && list.value[at] == value)
			continue;
		memmove(&list.value[at + 1], &list.value[at], (list.count - at) * sizeof list.value[0]);
		list.value[at] = value;
		list.count++;
	}
	return list;
}

static void add_pools(struct planner *p)
{
	const struct nl_campaign *c = p->campaign;
	struct nl_count_list streams = pool_streams(p);
	for (unsigned s = 0; s < streams.count && c->pool.enabled; s++)
		for (unsigned i = 1; i <= iterations_of(c); i++)
			for (unsigned m = 0; m < c->pool.modes.count; m++)
				add_pool(p, c->pool.modes.value[m], streams.value[s], i);
}

/* --- the shares --- */

static unsigned client_of(const struct nl_campaign *campaign, const struct nl_campaign_share *share)
{
	for (unsigned i = 0; i < campaign->client_count && *share->client; i++)
		if (!strcmp(campaign->clients[i], share->client))
			return i;
	return 0;
}

static void add_share(struct planner *p, unsigned index, enum nl_workload workload, unsigned streams,
		      unsigned iteration)
{
	const struct nl_campaign *c = p->campaign;
	const struct nl_campaign_share *share = &c->shares[index];
	struct nl_phase *phase = add_phase(p, NL_PHASE_SHARE);
	if (!phase)
		return;
	set_workload(phase, workload, streams, iteration, c->streams.ramp_ns);
	phase->layer = !strcmp(share->protocol, "smb") ? NL_LAYER_SMB : NL_LAYER_NFS;
	phase->share = index;
	phase->client = client_of(c, share);
	phase->duration_ns = c->streams.duration_ns;
	phase->block_bytes = c->streams.block_bytes;
	phase->queue_depth = c->streams.queue_depth;
	phase->file_bytes = file_bytes_of(p, c->streams.file_bytes, c->streams.block_bytes,
					  c->streams.duration_ns + c->streams.ramp_ns, streams);
	snprintf(phase->file_prefix, sizeof phase->file_prefix, "%.48s-s%u", share->name, streams);
	snprintf(phase->figure, sizeof phase->figure, "%.48s %s %u stream%s", share->name, nl_workload_name(workload),
		 streams, plural(streams));
	/* The cache that shall be warm is filled by reading once over the same way. */
	bool warm = workload == NL_WORKLOAD_CACHED_READ || workload == NL_WORKLOAD_CLIENT_WARM_READ;
	finish_phase(p, phase, (warm ? phase->duration_ns : 0) + laying_ns(p, phase, &c->streams.workloads));
}

static void add_visit(struct planner *p, unsigned share, unsigned streams, unsigned iteration)
{
	const struct nl_workload_list *workloads = &p->campaign->streams.workloads;
	for (unsigned w = 0; w < workloads->count; w++)
		add_share(p, share, workloads->value[w], streams, iteration);
}

static void add_shares(struct planner *p)
{
	const struct nl_campaign *c = p->campaign;
	for (unsigned s = 0; s < c->streams.streams.count; s++)
		for (unsigned i = 1; i <= iterations_of(c); i++)
			for (unsigned k = 0; k < c->share_count; k++) {
				bool back = c->streams.abba && i % 2 == 0;
				add_visit(p, back ? c->share_count - 1 - k : k, c->streams.streams.value[s], i);
			}
}

/* --- the whole --- */

/* Files of a prefix are made once and stay until cleanup, so the need is one set of files for each prefix. */
static uint64_t space_of(const struct nl_plan *plan)
{
	uint64_t space = 0;
	for (unsigned i = 0; i < plan->phase_count; i++) {
		const struct nl_phase *phase = &plan->phases[i];
		/* The first workload of the first iteration stands for all phases of its prefix. */
		bool first = phase->iteration == 1 && *phase->file_prefix &&
			     (i == 0 || strcmp(plan->phases[i - 1].file_prefix, phase->file_prefix) != 0);
		uint64_t bytes;
		if (first && (__builtin_mul_overflow(phase->file_bytes, (uint64_t)phase->streams, &bytes) ||
			      __builtin_add_overflow(space, bytes, &space)))
			return UINT64_MAX >> 1;
	}
	return space;
}

static int check_campaign(const struct nl_campaign *c, struct nl_error *err)
{
	if (!c->line.enabled && !c->pool.enabled && !c->share_count)
		return nl_error_set(err, NL_E_CONFIG,
				    "there is nothing to measure: line and pool are off, there are no shares");
	if ((c->line.enabled || c->share_count) && !c->client_count)
		return nl_error_set(err, NL_E_CONFIG,
				    "the line and the shares need a client, and the campaign has none");
	if (c->iterations.min == 0)
		return nl_error_set(err, NL_E_CONFIG, "the campaign measures nothing: iterations.min is 0");
	return 0;
}

int nl_plan_make(const struct nl_campaign *campaign, const struct nl_plan_facts *facts, struct nl_plan *plan,
		 struct nl_error *err)
{
	double rate = facts ? facts->assumed_bytes_per_s : 0;
	unsigned cores = facts && facts->nas_cores ? facts->nas_cores : ASSUMED_CORES;
	struct planner p = {
		.campaign = campaign,
		.plan = plan,
		.err = err,
		.cores = cores < STREAMS_MAX ? cores : STREAMS_MAX,
		.rate = isfinite(rate) && rate > 0 ? rate : ASSUMED_BYTES_PER_S,
	};
	memset(plan, 0, sizeof *plan);
	p.code = check_campaign(campaign, err);
	add_plain(&p, NL_PHASE_INVENTORY);
	add_plain(&p, NL_PHASE_PREPARE);
	add_generators(&p);
	add_lines(&p);
	add_pools(&p);
	add_shares(&p);
	add_plain(&p, NL_PHASE_CLEANUP);
	if (p.code)
		nl_plan_fini(plan);
	else
		plan->space_bytes = space_of(plan);
	return p.code;
}

void nl_plan_fini(struct nl_plan *plan)
{
	free(plan->phases);
	memset(plan, 0, sizeof *plan);
}
