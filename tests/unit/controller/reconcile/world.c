/*
 * world: flows of bytes and time, sampled as agents sample them.
 */
#include "world.h"

#include <math.h>
#include <unistd.h>

#include "base/time.h"
#include "proto/histogram.h"
#include "proto/message.h"

#define HEADER_BYTES 66.0
#define PAYLOAD      1448.0
#define AHEAD_NS     (100 * NL_NS_PER_MS)

/* Each agent's monotonic clock has an origin of its own. */
static int64_t offset_of(const char *agent)
{
	return WORLD_START_NS - (strcmp(agent, "nas") ? INT64_C(7777000000000) : INT64_C(123456789));
}

static int64_t mono(const char *agent, int64_t ns)
{
	return ns - offset_of(agent);
}

static void ok(int code, const struct nl_error *err)
{
	char line[1400];
	if (code)
		fail_msg("%s", nl_error_line(err, line, sizeof(line)));
}
#define OK(call)                                                                                                       \
	do {                                                                                                           \
		struct nl_error err = {0};                                                                             \
		ok(call, &err);                                                                                        \
	} while (0)

int world_setup(void **state)
{
	struct world *world = calloc(1, sizeof(*world));
	const char *base = getenv("TMPDIR");
	snprintf(world->directory, sizeof(world->directory), "%.40s/nl-world-XXXXXX", base ? base : "/tmp");
	if (!mkdtemp(world->directory))
		return -1;
	snprintf(world->path, sizeof(world->path), "%s/nasline.db", world->directory);
	world->now_ns = WORLD_START_NS + 10 * NL_NS_PER_S;
	world->period_ns = NL_NS_PER_S;
	world->link_bps = 1e9;
	world->plan.phases = calloc(64, sizeof(*world->plan.phases));
	OK(nl_campaign_parse(
		"campaign: made up\npreset: quick\nnas: { agent: nas, pool: /pool }\nclients: [ { agent: client } ]\n"
		"shares:\n  - { name: nfs, protocol: nfs, server: 10.0.0.1, share: /pool }\n"
		"  - { name: smb, protocol: smb, server: 10.0.0.1, share: pool, user: u }\n",
		strlen("campaign: made up\npreset: quick\nnas: { agent: nas, pool: /pool }\nclients: [ { agent: client "
		       "} ]\n"
		       "shares:\n  - { name: nfs, protocol: nfs, server: 10.0.0.1, share: /pool }\n"
		       "  - { name: smb, protocol: smb, server: 10.0.0.1, share: pool, user: u }\n"),
		"test", &world->campaign, &err));
	*state = world;
	return nl_store_open(world->path, &world->store, NULL);
}

int world_teardown(void **state)
{
	static const char *const suffixes[] = {"", "-wal", "-shm"};
	struct world *world = *state;
	char name[128];
	nl_store_close(world->store);
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		snprintf(name, sizeof(name), "%s%s", world->path, suffixes[i]);
		unlink(name);
	}
	int failed = rmdir(world->directory);
	nl_plan_fini(&world->plan);
	free(world->flows);
	free(world);
	return failed;
}

/* --- the plan --- */

static struct nl_phase *add_phase(struct world *world, enum nl_phase_kind kind, const char *figure)
{
	struct nl_phase *phase = &world->plan.phases[world->plan.phase_count];
	memset(phase, 0, sizeof(*phase));
	phase->index = world->plan.phase_count++;
	phase->kind = kind;
	snprintf(phase->figure, sizeof(phase->figure), "%s", figure);
	phase->iteration = 1;
	for (unsigned i = 0; i < phase->index; i++)
		phase->iteration += !strcmp(world->plan.phases[i].figure, figure);
	phase->streams = 1;
	phase->block_bytes = 1 << 20;
	phase->file_bytes = 1 << 30;
	phase->duration_ns = 5 * NL_NS_PER_S;
	phase->queue_depth = 8;
	return phase;
}

unsigned world_line(struct world *world, bool to_nas, unsigned streams)
{
	char figure[64];
	snprintf(figure, sizeof(figure), "line %s %u streams", to_nas ? "to-nas" : "from-nas", streams);
	struct nl_phase *phase = add_phase(world, NL_PHASE_LINE, figure);
	phase->layer = NL_LAYER_LINE;
	phase->direction = to_nas ? NL_DIRECTION_TO_NAS : NL_DIRECTION_FROM_NAS;
	phase->streams = streams;
	return phase->index;
}

unsigned world_self_load(struct world *world, bool on_nas, bool write)
{
	char figure[64];
	snprintf(figure, sizeof(figure), "generator %s %s", on_nas ? "nas" : "client", write ? "write" : "read");
	struct nl_phase *phase = add_phase(world, NL_PHASE_SELF_LOAD, figure);
	phase->layer = NL_LAYER_GENERATOR;
	phase->direction = write ? NL_DIRECTION_WRITE : NL_DIRECTION_READ;
	phase->workload = write ? NL_WORKLOAD_SEQ_WRITE : NL_WORKLOAD_SEQ_READ;
	phase->on_nas = on_nas;
	return phase->index;
}

static unsigned add_load(struct world *world, struct nl_phase *phase, enum nl_workload workload, unsigned streams)
{
	(void)world;
	phase->workload = workload;
	phase->direction = workload == NL_WORKLOAD_SEQ_WRITE ? NL_DIRECTION_WRITE : NL_DIRECTION_READ;
	phase->streams = streams;
	return phase->index;
}

unsigned world_pool(struct world *world, enum nl_workload workload, unsigned streams)
{
	char figure[64];
	snprintf(figure, sizeof(figure), "pool %s %u", nl_workload_name(workload), streams);
	struct nl_phase *phase = add_phase(world, NL_PHASE_POOL, figure);
	phase->layer = NL_LAYER_POOL;
	phase->on_nas = true;
	return add_load(world, phase, workload, streams);
}

unsigned world_share(struct world *world, unsigned share, enum nl_workload workload, unsigned streams)
{
	char figure[96];
	snprintf(figure, sizeof(figure), "%s %s %u", world->campaign.shares[share].name, nl_workload_name(workload),
		 streams);
	struct nl_phase *phase = add_phase(world, NL_PHASE_SHARE, figure);
	phase->layer = strcmp(world->campaign.shares[share].protocol, "nfs") ? NL_LAYER_SMB : NL_LAYER_NFS;
	phase->share = share;
	return add_load(world, phase, workload, streams);
}

void world_fact(struct world *world, const char *agent, const char *subject, const char *key, const char *value)
{
	OK(nl_store_fact_put(world->store, "r", 0, agent, subject, key, value, &err));
}

void world_begin(struct world *world)
{
	struct nl_store_run run = {.id = "r", .title = "made up", .version = "1", .started_ns = WORLD_START_NS};
	char *yaml, *plan = NULL, bps[32];
	size_t len;
	FILE *out = open_memstream(&plan, &len);
	OK(nl_campaign_to_yaml(&world->campaign, &yaml, &err));
	OK(nl_plan_print_json(&world->plan, &world->campaign, out, &err));
	fclose(out);
	OK(nl_store_run_add(world->store, &run, yaml, plan, &err));
	free(yaml);
	free(plan);
	snprintf(bps, sizeof(bps), "%.0f", world->link_bps);
	for (int i = 0; i < 2; i++) {
		const char *agent = i ? "nas" : "client";
		if (!world->no_nics)
			world_fact(world, agent, "watch", "nic", "wire");
		world_fact(world, agent, "nic:wire", "mtu", "1500");
		world_fact(world, agent, "nic:wire", "virtual", "yes");
		world_fact(world, agent, "nic:wire", "speed_bps", "10000000000");
		world_fact(world, agent, "nic:wire", "shaper", "tbf");
		world_fact(world, agent, "nic:wire", "shaper_rate_bps", bps);
		world_fact(world, agent, "cpu", "cores", "2");
	}
	if (!world->no_disks)
		world_fact(world, "nas", "watch", "disks", "loop1");
}

/* --- what happens --- */

static void flow(struct world *world, const char *agent, uint32_t metric, const char *subject, int64_t from_ns,
		 int64_t to_ns, double amount)
{
	world->flows = reallocarray(world->flows, world->flow_count + 1, sizeof(*world->flows));
	struct flow *fresh = &world->flows[world->flow_count++];
	*fresh = (struct flow){.metric = metric, .from_ns = from_ns, .to_ns = to_ns, .amount = amount};
	snprintf(fresh->agent, sizeof(fresh->agent), "%s", agent);
	snprintf(fresh->subject, sizeof(fresh->subject), "%s", subject);
}

static void edge(struct world *world, const char *agent, int64_t ns)
{
	snprintf(world->edges[world->edge_count].agent, 16, "%s", agent);
	world->edges[world->edge_count++].ns = ns;
}

/* Bytes on the wire, as both interfaces count them: as many packets as full segments. */
static void wire_flow(struct world *world, bool to_nas, int64_t from_ns, int64_t to_ns, double payload)
{
	double packets = payload / PAYLOAD, bytes = payload + packets * HEADER_BYTES;
	const char *sender = to_nas ? "client" : "nas", *receiver = to_nas ? "nas" : "client";
	flow(world, sender, NL_METRIC_NIC_SENT_BYTES, "wire", from_ns, to_ns, bytes);
	flow(world, sender, NL_METRIC_NIC_SENT_PACKETS, "wire", from_ns, to_ns, packets);
	flow(world, receiver, NL_METRIC_NIC_RECEIVED_BYTES, "wire", from_ns, to_ns, bytes);
	flow(world, receiver, NL_METRIC_NIC_RECEIVED_PACKETS, "wire", from_ns, to_ns, packets);
}

static void cpu_flow(struct world *world, const char *agent, int64_t from_ns, int64_t to_ns, double core)
{
	double length = (double)(to_ns - from_ns);
	flow(world, agent, NL_METRIC_CPU_USER_NS, "cpu0", from_ns, to_ns, length * core / 2);
	flow(world, agent, NL_METRIC_CPU_SYSTEM_NS, "cpu0", from_ns, to_ns, length * core / 2);
	flow(world, agent, NL_METRIC_CPU_USER_NS, "cpu1", from_ns, to_ns, length * core / 4);
	flow(world, agent, NL_METRIC_CPU_SYSTEM_NS, "cpu1", from_ns, to_ns, 0);
}

static void stream_flows(struct world *world, const char *agent, unsigned streams, int64_t from_ns,
			 const struct load *load)
{
	for (unsigned i = 0; i < streams; i++) {
		char subject[24];
		snprintf(subject, sizeof(subject), "stream%u", i);
		for (int second = 0; second < (int)ceil(load->seconds); second++) {
			int64_t at = from_ns + second * NL_NS_PER_S;
			double share = load->dip > 0 && second % 2 ? load->dip : 1;
			double length = fmin(1, load->seconds - second);
			flow(world, agent, NL_METRIC_STREAM_BYTES, subject, at, at + (int64_t)(length * 1e9),
			     load->rate * length * share / streams);
		}
	}
}

static void store_result(struct world *world, unsigned phase, const char *agent, const char *role, Nl__Result *result,
			 int64_t started_ns, int64_t ended_ns)
{
	result->started_mono_ns = mono(agent, started_ns);
	result->ended_mono_ns = mono(agent, ended_ns);
	result->offset_ns = offset_of(agent);
	result->offset_error_ns = 200000;
	size_t len = nl__result__get_packed_size(result);
	uint8_t *data = malloc(len + 1);
	nl__result__pack(result, data);
	OK(nl_store_result_add(world->store, "r", phase, agent, role, data, len, &err));
	free(data);
}

static void store_plain(struct world *world, unsigned phase, const char *agent, const char *role, int64_t started_ns,
			int64_t ended_ns)
{
	Nl__Result result = NL__RESULT__INIT;
	store_result(world, phase, agent, role, &result, started_ns, ended_ns);
}

static void store_load(struct world *world, const struct nl_phase *phase, const char *agent, int64_t start_ns,
		       int64_t end_ns, const struct load *load)
{
	Nl__Result result = NL__RESULT__INIT;
	Nl__LoadResult body = NL__LOAD_RESULT__INIT;
	Nl__StreamResult streams[16], *pointers[16];
	Nl__Failure failure = NL__FAILURE__INIT;
	struct nl_histogram *latency = malloc(sizeof(*latency));
	void *encoded;
	size_t encoded_len;
	double total = load->rate * load->seconds;
	nl_histogram_init(latency);
	for (int i = 1; i <= 100; i++)
		nl_histogram_record(latency, (uint64_t)i * 100000);
	OK(nl_histogram_encode(latency, &encoded, &encoded_len, &err));
	free(latency);
	body.engine = "null";
	body.start_mono_ns = body.window_start_mono_ns = mono(agent, start_ns);
	body.window_end_mono_ns = mono(agent, end_ns);
	body.busiest_thread_share = load->thread;
	body.n_stream = phase->streams;
	body.stream = pointers;
	for (unsigned i = 0; i < phase->streams; i++) {
		nl__stream_result__init(&streams[i]);
		streams[i].stream = i;
		streams[i].bytes = streams[i].window_bytes = (uint64_t)(total / phase->streams);
		streams[i].operations = 100;
		streams[i].first_done_mono_ns = mono(agent, start_ns + 1000);
		streams[i].last_done_mono_ns = mono(agent, end_ns);
		streams[i].durable_mono_ns =
			load->fsync_s > 0 ? mono(agent, end_ns + (int64_t)(load->fsync_s * 1e9)) : 0;
		streams[i].latency = (ProtobufCBinaryData){encoded_len, encoded};
		pointers[i] = &streams[i];
	}
	failure.code = NL_E_IO;
	failure.what = "read at offset 4096";
	failure.where = failure.todo = "";
	failure.why = "Input/output error";
	if (load->failed)
		result.failure = &failure;
	result.load = &body;
	store_result(world, phase->index, agent, phase->kind == NL_PHASE_SELF_LOAD ? "self-load" : "load", &result,
		     start_ns - AHEAD_NS, end_ns);
	free(encoded);
}

static void store_line(struct world *world, const struct nl_phase *phase, int64_t start_ns, int64_t end_ns,
		       const struct load *load)
{
	Nl__Result result = NL__RESULT__INIT;
	Nl__LineResult line = NL__LINE_RESULT__INIT;
	Nl__LineStream stream = NL__LINE_STREAM__INIT, *streams[] = {&stream};
	Nl__Fact fact = NL__FACT__INIT, *facts[] = {&fact};
	line.to_server = phase->direction == NL_DIRECTION_TO_NAS;
	line.received_bytes = (uint64_t)(load->rate * load->seconds);
	line.window_start_mono_ns = mono("client", start_ns);
	line.window_end_mono_ns = mono("client", end_ns);
	line.busiest_thread_share = load->thread;
	stream.retransmits = 3;
	line.n_stream = 1;
	line.stream = streams;
	fact.subject = "local";
	fact.key = "timestamps";
	fact.value = "on";
	result.n_fact = 1;
	result.fact = facts;
	result.line = &line;
	store_result(world, phase->index, "client", "line", &result, start_ns, end_ns);
}

static void layers(struct world *world, const struct nl_phase *phase, int64_t start_ns, int64_t end_ns, int64_t done_ns,
		   const struct load *load)
{
	bool write = phase->direction == NL_DIRECTION_WRITE || phase->direction == NL_DIRECTION_TO_NAS;
	double total = load->rate * load->seconds;
	bool wire = phase->kind == NL_PHASE_LINE || phase->kind == NL_PHASE_SHARE;
	bool disks = phase->kind == NL_PHASE_POOL || phase->kind == NL_PHASE_SHARE;
	if (wire)
		wire_flow(world, write, start_ns, end_ns + (int64_t)(load->fsync_s * 1e9), total * load->wire);
	if (wire && load->foreign_wire > 0)
		wire_flow(world, write, start_ns, end_ns, load->foreign_wire);
	if (disks)
		flow(world, "nas", write ? NL_METRIC_DISK_WRITE_BYTES : NL_METRIC_DISK_READ_BYTES, "loop1", start_ns,
		     done_ns, total * load->disks);
	if (disks)
		flow(world, "nas", NL_METRIC_DISK_BUSY_NS, "loop1", start_ns, done_ns,
		     (double)(done_ns - start_ns) * load->disk_busy);
	cpu_flow(world, "client", start_ns, done_ns, load->client_core);
	cpu_flow(world, "nas", start_ns, done_ns, load->nas_core);
}

/* As the conductor does: caches dropped on the NAS before a cold read, the load with edge samples around it, the flush
 * after a write. */
void world_does(struct world *world, unsigned index, const struct load *load)
{
	const struct nl_phase *phase = &world->plan.phases[index];
	bool load_phase = phase->kind == NL_PHASE_POOL || phase->kind == NL_PHASE_SHARE;
	bool write = phase->workload == NL_WORKLOAD_SEQ_WRITE && load_phase;
	const char *agent = phase->on_nas ? "nas" : "client";
	if (load->lay > 0)
		wire_flow(world, true, world->now_ns + 10 * NL_NS_PER_MS, world->now_ns + 360 * NL_NS_PER_MS,
			  load->lay);
	if (load->lay > 0)
		flow(world, "nas", NL_METRIC_DISK_WRITE_BYTES, "loop1", world->now_ns + 10 * NL_NS_PER_MS,
		     world->now_ns + 360 * NL_NS_PER_MS, load->lay);
	world->now_ns += 370 * NL_NS_PER_MS;
	if (load_phase && phase->workload == NL_WORKLOAD_SEQ_READ) {
		store_plain(world, index, "nas", "evict", world->now_ns - 50 * NL_NS_PER_MS, world->now_ns);
		edge(world, "nas", world->now_ns);
	}
	int64_t start_ns = world->now_ns + AHEAD_NS, end_ns = start_ns + (int64_t)(load->seconds * 1e9);
	int64_t done_ns = end_ns + (write ? (int64_t)(load->flush_s * 1e9) : 0);
	edge(world, agent, start_ns - AHEAD_NS + NL_NS_PER_MS);
	edge(world, agent, end_ns + (int64_t)(load->fsync_s * 1e9) + NL_NS_PER_MS);
	if (load->cut_off) {
		OK(nl_store_phase_set(world->store, "r", index, NL_PHASE_RUNNING, 0, 0, "", &err));
		return;
	}
	layers(world, phase, start_ns, end_ns, done_ns, load);
	if (phase->kind == NL_PHASE_LINE)
		store_line(world, phase, start_ns, end_ns, load);
	else
		store_load(world, phase, agent, start_ns, end_ns, load);
	if (phase->kind != NL_PHASE_LINE)
		stream_flows(world, agent, phase->streams, start_ns, load);
	if (write && !load->no_flush) {
		store_plain(world, index, "nas", "flush", end_ns, done_ns);
		edge(world, "nas", done_ns + NL_NS_PER_MS);
	}
	OK(nl_store_phase_set(world->store, "r", index, load->failed ? NL_PHASE_FAILED : NL_PHASE_DONE, start_ns,
			      done_ns, load->failed ? "it failed" : "", &err));
	world->now_ns = done_ns;
}

/* --- samples --- */

static double value_at(const struct world *world, const struct flow *like, int64_t ns)
{
	double value = 1e9;
	for (size_t i = 0; i < world->flow_count; i++) {
		const struct flow *one = &world->flows[i];
		if (one->metric != like->metric || strcmp(one->agent, like->agent) ||
		    strcmp(one->subject, like->subject) || ns <= one->from_ns)
			continue;
		double share = ns >= one->to_ns ? 1 : (double)(ns - one->from_ns) / (double)(one->to_ns - one->from_ns);
		value += one->amount * share;
	}
	return floor(value);
}

static int compare_ns(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return x < y ? -1 : x > y;
}

static void sample_series(struct world *world, const struct flow *like)
{
	int64_t end_ns = world->now_ns + 2 * NL_NS_PER_S;
	size_t most = (size_t)((end_ns - WORLD_START_NS) / world->period_ns) + world->edge_count + 2, count = 0;
	int64_t *times = calloc(most, sizeof(*times));
	double *values = calloc(most, sizeof(*values));
	for (int64_t ns = WORLD_START_NS + 3; ns < end_ns; ns += world->period_ns)
		times[count++] = ns;
	for (size_t i = 0; i < world->edge_count; i++)
		if (!strcmp(world->edges[i].agent, like->agent))
			times[count++] = world->edges[i].ns;
	qsort(times, count, sizeof(*times), compare_ns);
	for (size_t i = 0; i < count; i++)
		values[i] = value_at(world, like, times[i]);
	OK(nl_store_samples_add(world->store, "r", like->agent, like->metric, like->subject, times, values, count,
				&err));
	free(times);
	free(values);
}

static bool seen_before(const struct world *world, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (world->flows[i].metric == world->flows[index].metric &&
		    !strcmp(world->flows[i].agent, world->flows[index].agent) &&
		    !strcmp(world->flows[i].subject, world->flows[index].subject))
			return true;
	return false;
}

void world_end(struct world *world, enum nl_run_state state, struct nl_model *model)
{
	for (size_t i = 0; i < world->flow_count && !world->no_samples; i++)
		if (!seen_before(world, i))
			sample_series(world, &world->flows[i]);
	OK(nl_store_run_end(world->store, "r", state, world->now_ns, "", &err));
	OK(nl_reconcile(world->store, "last", model, &err));
}

/* --- looking at the model --- */

const struct nl_figure *world_figure(const struct nl_model *model, const char *name)
{
	for (size_t i = 0; i < model->path_count; i++)
		if (!strcmp(model->paths[i].name, name))
			return &model->paths[i];
	for (size_t i = 0; i < model->ceiling_count; i++)
		if (!strcmp(model->ceilings[i].name, name))
			return &model->ceilings[i];
	fail_msg("there is no figure '%s'", name);
	return NULL;
}

bool world_says(const struct nl_texts *texts, const char *part)
{
	for (size_t i = 0; i < texts->count; i++)
		if (strstr(texts->text[i], part))
			return true;
	for (size_t i = 0; i < texts->count; i++)
		print_message("  said: %s\n", texts->text[i]);
	return false;
}

void world_is(const struct nl_model *model, const char *name, enum nl_verdict verdict, enum nl_bottleneck bottleneck)
{
	const struct nl_figure *figure = world_figure(model, name);
	if (figure->verdict == verdict && figure->bottleneck == bottleneck)
		return;
	for (size_t i = 0; i < figure->verdict_reasons.count; i++)
		print_message("  reason: %s\n", figure->verdict_reasons.text[i]);
	for (size_t i = 0; i < figure->evidence.count; i++)
		print_message("  evidence: %s\n", figure->evidence.text[i]);
	fail_msg("%s is %s by %s, not %s by %s", name, nl_verdict_name(figure->verdict),
		 nl_bottleneck_name(figure->bottleneck), nl_verdict_name(verdict), nl_bottleneck_name(bottleneck));
}
