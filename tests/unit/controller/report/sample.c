/*
 * sample: constructed models. Everything is owned by the model and freed by nl_sample_free.
 */
#include "sample.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STARTED_NS INT64_C(1796064312000000000)
#define MB         1e6

static void *fresh(size_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size);
	if (!memory)
		abort();
	return memory;
}

/* Cuts what is too long, as the store does. */
static void set(char *to, size_t size, const char *text)
{
	size_t len = strnlen(text, size - 1);
	memcpy(to, text, len);
	to[len] = '\0';
}

static void add_text(struct nl_texts *texts, const char *text)
{
	char **grown = realloc(texts->text, (texts->count + 1) * sizeof *grown);
	if (!grown)
		abort();
	texts->text = grown;
	texts->text[texts->count++] = strdup(text);
}

/* What a figure of the sample is made of. */
struct row {
	const char *name, *share, *agent;
	enum nl_layer layer;
	enum nl_direction direction;
	enum nl_workload workload;
	unsigned streams;
	double rate; /* MB/s */
	enum nl_verdict verdict;
	enum nl_bottleneck bottleneck;
	double disk_share; /* disks over application; negative: not known */
	double nas_cache;
	const char *reason, *evidence, *evidence2;
};

#define LINE      NL_LAYER_LINE
#define POOL      NL_LAYER_POOL
#define WRITE     NL_DIRECTION_WRITE, NL_WORKLOAD_SEQ_WRITE
#define COLD      NL_DIRECTION_READ, NL_WORKLOAD_SEQ_READ
#define CACHED    NL_DIRECTION_READ, NL_WORKLOAD_CACHED_READ
#define VALID     NL_VERDICT_VALID
#define BY_CACHE  NL_VERDICT_NAS_CACHED
#define STEADY    "2 iterations of 8.0 s within 1.1 %"
#define DISK_BUSY "the pool's disk was busy 99.2 % of the window, median wait 6.21 ms"

static const struct row ceiling_rows[] = {
	{"line to-nas 1 stream", "", "client", LINE, NL_DIRECTION_TO_NAS, 0, 1, 116.4, VALID, NL_BOTTLENECK_WIRE, -1,
	 -1, STEADY, "99.0 % of the goodput by arithmetic", NULL},
	{"line to-nas 4 streams", "", "client", LINE, NL_DIRECTION_TO_NAS, 0, 4, 117.1, VALID, NL_BOTTLENECK_WIRE, -1,
	 -1, STEADY, "99.6 % of the goodput by arithmetic", NULL},
	{"line from-nas 1 stream", "", "client", LINE, NL_DIRECTION_FROM_NAS, 0, 1, 116.9, VALID, NL_BOTTLENECK_WIRE,
	 -1, -1, STEADY, "99.4 % of the goodput by arithmetic", NULL},
	{"line from-nas 4 streams", "", "client", LINE, NL_DIRECTION_FROM_NAS, 0, 4, 117.2, VALID, NL_BOTTLENECK_WIRE,
	 -1, -1, STEADY, "99.7 % of the goodput by arithmetic", NULL},
	{"pool durable-write 1 stream", "", "nas", POOL, WRITE, 1, 40.12, VALID, NL_BOTTLENECK_DISKS, 1.004, -1, STEADY,
	 DISK_BUSY, NULL},
	{"pool cold-read 1 stream", "", "nas", POOL, COLD, 1, 41.87, VALID, NL_BOTTLENECK_DISKS, 1.001, 0, STEADY,
	 DISK_BUSY, NULL},
	{"pool cached-read 1 stream", "", "nas", POOL, CACHED, 1, 5213, BY_CACHE, NL_BOTTLENECK_UNKNOWN, 0, 1,
	 "the disks delivered 0 B of 2.15 GB: the NAS's cache served 100.0 %", "no counter was at its limit", NULL},
};

static const struct row path_rows[] = {
	{"nfs seq-write 1 stream", "nfs", "client", NL_LAYER_NFS, WRITE, 1, 38.92, VALID, NL_BOTTLENECK_DISKS, 1.012,
	 -1, STEADY, DISK_BUSY, "97.0 % of the pool's durable write (40.1 MB/s), 33.1 % of the line (117.7 MB/s)"},
	{"smb seq-write 1 stream", "smb", "client", NL_LAYER_SMB, WRITE, 1, 37.44, VALID, NL_BOTTLENECK_DISKS, 1.02, -1,
	 STEADY, DISK_BUSY, "93.3 % of the pool's durable write (40.1 MB/s), 31.8 % of the line (117.7 MB/s)"},
	{"nfs seq-write 4 streams", "nfs", "client", NL_LAYER_NFS, WRITE, 4, 39.51, VALID, NL_BOTTLENECK_DISKS, 1.015,
	 -1, STEADY, DISK_BUSY, "98.5 % of the pool's durable write (40.1 MB/s)"},
	{"smb seq-write 4 streams", "smb", "client", NL_LAYER_SMB, WRITE, 4, 36.08, NL_VERDICT_UNSTEADY,
	 NL_BOTTLENECK_UNKNOWN, 1.02, -1, "2 iterations of 31.2 MB/s and 40.9 MB/s differ by 26.9 %, more than 10 %",
	 "the disks were busy 71.0 %, the wire 30.6 %, the busiest core 22.4 %: none at its limit", NULL},
	{"nfs seq-read 1 stream", "nfs", "client", NL_LAYER_NFS, COLD, 1, 41.03, VALID, NL_BOTTLENECK_DISKS, 1.001, 0,
	 STEADY, DISK_BUSY, "98.0 % of the pool's cold read (41.9 MB/s)"},
	{"smb seq-read 1 stream", "smb", "client", NL_LAYER_SMB, COLD, 1, 40.66, VALID, NL_BOTTLENECK_DISKS, 1.001, 0,
	 STEADY, DISK_BUSY, "97.1 % of the pool's cold read (41.9 MB/s)"},
	{"nfs cached-read 4 streams", "nfs", "client", NL_LAYER_NFS, CACHED, 4, 115.8, BY_CACHE, NL_BOTTLENECK_WIRE, 0,
	 1, "the disks delivered 0 B of 1.85 GB: the NAS's cache served 100.0 %",
	 "the NAS's NIC sent 122.1 MB/s, 98.9 % of what the link carries", NULL},
	{"smb cached-read 4 streams", "smb", "client", NL_LAYER_SMB, CACHED, 4, 0, NL_VERDICT_FAILED,
	 NL_BOTTLENECK_UNKNOWN, -1, -1, "both iterations failed: the server closed the connection",
	 "nothing was measured", NULL},
};

static void fill_iterations(struct nl_figure *figure, const struct row *row, int64_t *at_ns)
{
	unsigned count = row->rate > 0 ? 2 : 0;
	figure->iterations = fresh(count, sizeof *figure->iterations);
	figure->iteration_count = count;
	figure->failed_count = count ? 0 : 2;
	for (unsigned i = 0; i < count; i++) {
		struct nl_iteration *iteration = &figure->iterations[i];
		iteration->bytes_per_second = figure->bytes_per_second * (i ? 1.0052 : 0.9948);
		iteration->start_ns = *at_ns;
		iteration->end_ns = *at_ns + 4000000000;
		*at_ns += 4500000000;
	}
	figure->interval.low = figure->bytes_per_second * 0.9948;
	figure->interval.high = figure->bytes_per_second * 1.0052;
	figure->spread = count ? 0.0104 : -1;
	if (row->verdict == NL_VERDICT_UNSTEADY) {
		figure->interval = (struct nl_interval){31.2 * MB, 40.9 * MB};
		figure->spread = 0.269;
	}
	set(figure->interval_method, sizeof figure->interval_method, "range of 2 iterations");
}

static void fill_figure(struct nl_figure *figure, const struct row *row, int64_t *at_ns)
{
	bool wire = row->layer != NL_LAYER_POOL;
	double bytes = row->rate * MB * 8;
	set(figure->name, sizeof figure->name, row->name);
	set(figure->agent, sizeof figure->agent, row->agent);
	set(figure->share, sizeof figure->share, row->share);
	figure->layer = row->layer;
	figure->direction = row->direction;
	figure->workload = row->workload;
	figure->streams = row->streams;
	figure->bytes_per_second = row->rate * MB;
	fill_iterations(figure, row, at_ns);
	figure->verdict = row->verdict;
	figure->bottleneck = row->bottleneck;
	add_text(&figure->verdict_reasons, row->reason);
	add_text(&figure->evidence, row->evidence);
	if (row->evidence2)
		add_text(&figure->evidence, row->evidence2);
	figure->ledger.application = bytes > 0 ? bytes : -1;
	figure->ledger.client_nic = wire && bytes > 0 ? bytes * 1.054 : -1;
	figure->ledger.nas_nic = wire && bytes > 0 ? bytes * 1.0541 : -1;
	figure->ledger.disks = row->disk_share >= 0 && bytes > 0 ? bytes * row->disk_share : -1;
	figure->client_cache_share = row->layer == NL_LAYER_NFS || row->layer == NL_LAYER_SMB ? 0 : -1;
	figure->nas_cache_share = row->nas_cache;
	figure->client_cpu = figure->nas_cpu = -1;
	figure->retransmits = row->layer == LINE ? 12 : -1;
	if (!wire || row->layer == LINE || bytes <= 0)
		return;
	figure->latency_p50_ns = 21000000;
	figure->latency_p99_ns = 68300000;
	figure->latency_p999_ns = 121000000;
}

static void add_setting(struct nl_model *model, const char *layer, const char *key, const char *nas, const char *client)
{
	struct nl_setting *setting = &model->settings[model->setting_count++];
	set(setting->layer, sizeof setting->layer, layer);
	set(setting->key, sizeof setting->key, key);
	set(setting->nas, sizeof setting->nas, nas);
	set(setting->client, sizeof setting->client, client);
}

static void fill_settings(struct nl_model *model)
{
	model->settings = fresh(16, sizeof *model->settings);
	add_setting(model, "machine", "model", "Supermicro X11SSH-F", "QEMU Standard PC (Q35 + ICH9, 2009)");
	add_setting(model, "machine", "cpu", "Intel(R) Xeon(R) CPU E3-1230 v6 @ 3.50GHz, 8 threads", "2 threads");
	add_setting(model, "machine", "memory", "33.6 GB", "8.59 GB");
	add_setting(model, "machine", "kernel", "6.12.33-production+truenas", "6.8.12-4-pve");
	add_setting(model, "wire", "speed", "1 Gbit/s", "1 Gbit/s");
	add_setting(model, "wire", "mtu", "1500", "1500");
	add_setting(model, "pool", "filesystem", "ext4 on loop0, throttled", "");
	add_setting(model, "nfs", "version", "4.2", "4.2");
	add_setting(model, "nfs", "nconnect", "", "4");
	add_setting(model, "nfs", "rsize, wsize", "", "1 MiB, 1 MiB");
	add_setting(model, "smb", "dialect", "3.1.1", "3.1.1");
	add_setting(model, "smb", "encryption", "off", "off");
}

static void fill_comparisons(struct nl_model *model)
{
	model->comparisons = fresh(2, sizeof *model->comparisons);
	model->comparison_count = 2;
	struct nl_comparison *comparison = &model->comparisons[0];
	set(comparison->a, sizeof comparison->a, "nfs seq-write 1 stream");
	set(comparison->b, sizeof comparison->b, "smb seq-write 1 stream");
	comparison->direction = NL_DIRECTION_WRITE;
	comparison->streams = 1;
	comparison->ratio = 37.44 / 38.92;
	comparison->verdict = NL_VERDICT_VALID;
	set(comparison->sentence, sizeof comparison->sentence,
	    "smb wrote 37.4 MB/s, nfs 38.9 MB/s: 3.8 % less; their intervals do not overlap");
	comparison = &model->comparisons[1];
	*comparison = model->comparisons[0];
	comparison->differences = (struct nl_texts){0};
	set(comparison->a, sizeof comparison->a, "nfs seq-read 1 stream");
	set(comparison->b, sizeof comparison->b, "smb seq-read 1 stream");
	comparison->direction = NL_DIRECTION_READ;
	comparison->ratio = 40.66 / 41.03;
	comparison->verdict = NL_VERDICT_SETTINGS_DIFFER;
	set(comparison->sentence, sizeof comparison->sentence, "measures the setting, not the protocol");
	add_text(&comparison->differences, "encryption: off / required");
}

/* One sample per second: the rate while some figure of the given layers ran, else almost nothing. */
static double rate_at(const struct nl_model *model, double second, double scale, bool disks)
{
	int64_t at_ns = model->run.started_ns + (int64_t)(second * 1e9);
	size_t count = model->ceiling_count + model->path_count;
	for (size_t i = 0; i < count; i++) {
		const struct nl_figure *figure =
			i < model->ceiling_count ? &model->ceilings[i] : &model->paths[i - model->ceiling_count];
		bool applies = disks ? figure->ledger.disks > 0 : figure->layer != NL_LAYER_POOL;
		for (unsigned j = 0; applies && j < figure->iteration_count; j++)
			if (at_ns >= figure->iterations[j].start_ns && at_ns < figure->iterations[j].end_ns)
				return figure->bytes_per_second * scale * (1 + 0.02 * sin(second * 1.7));
	}
	return 0.02 * MB * (1 + sin(second));
}

static void add_series(struct nl_model *model, const char *name, const char *group, const char *unit, double scale)
{
	struct nl_chart_series *series = &model->charts[model->chart_count++];
	double length = (double)(model->run.ended_ns - model->run.started_ns) / 1e9;
	set(series->name, sizeof series->name, name);
	set(series->group, sizeof series->group, group);
	set(series->unit, sizeof series->unit, unit);
	series->count = (size_t)length;
	series->times_s = fresh(series->count, sizeof *series->times_s);
	series->values = fresh(series->count, sizeof *series->values);
	for (size_t i = 0; i < series->count; i++) {
		series->times_s[i] = (double)i + 0.1 * (double)model->chart_count;
		double rate = rate_at(model, series->times_s[i], scale, strcmp(group, "disks") == 0);
		series->values[i] = strcmp(unit, "%") == 0 ? rate / (1.6 * MB) : rate;
	}
}

static void fill_charts(struct nl_model *model)
{
	model->charts = fresh(8, sizeof *model->charts);
	add_series(model, "client: all streams", "streams", "B/s", 1);
	add_series(model, "client eth0 sent", "wire", "B/s", 1.054);
	add_series(model, "nas eth0 received", "wire", "B/s", 1.0541);
	add_series(model, "nas loop0 written", "disks", "B/s", 1.01);
	add_series(model, "nas loop0 read", "disks", "B/s", 0.3);
	add_series(model, "nas busiest core", "cpu", "%", 1);
	add_series(model, "client busiest core", "cpu", "%", 0.7);
}

static void fill_events(struct nl_model *model)
{
	model->events = fresh(2, sizeof *model->events);
	model->event_count = 2;
	model->events[0].at_ns = STARTED_NS + 2000000000;
	set(model->events[0].severity, sizeof model->events[0].severity, "info");
	set(model->events[0].text, sizeof model->events[0].text, "agents nas and client are here");
	model->events[1].at_ns = STARTED_NS + 127000000000;
	set(model->events[1].severity, sizeof model->events[1].severity, "warning");
	set(model->events[1].text, sizeof model->events[1].text,
	    "smb cached-read 4 streams, iteration 2: the server closed the connection");
}

static void fill_texts(struct nl_model *model)
{
	model->summary = strdup("The wire between client and nas carries 117.2 MB/s, 99.6 % of what 1 Gbit/s at MTU "
				"1500 allows. The pool "
				"writes 40.1 MB/s durably and reads 41.9 MB/s cold. Over NFS the client writes 38.9 to "
				"39.5 MB/s and reads "
				"41.0 MB/s, over SMB 37.4 MB/s and 40.7 MB/s: the disks limit all of them, the wire "
				"has 76 MB/s to spare.");
	add_text(&model->warnings,
		 "No counter of the NFS server: /proc/fs/nfsd is not there, the server is in user space.");
	add_text(&model->reproduction, "nasline run campaign.yaml");
	add_text(&model->reproduction, "netbench client 10.77.0.1 -P 4 -t 4 --json");
	model->campaign_yaml =
		strdup("campaign: lab, NFS against SMB\npreset: quick\nnas: { agent: nas, pool: /srv/pool }\n"
		       "clients: [ { agent: client } ]\n");
}

struct nl_model *nl_sample_run(void)
{
	struct nl_model *model = fresh(1, sizeof *model);
	int64_t at_ns = STARTED_NS + 5000000000;
	set(model->run.id, sizeof model->run.id, "20261130-184512-7f3a");
	set(model->run.title, sizeof model->run.title, "lab, NFS against SMB");
	set(model->run.version, sizeof model->run.version, "0.1.0");
	model->run.state = NL_RUN_DONE;
	model->run.started_ns = STARTED_NS;
	model->ceiling_count = sizeof ceiling_rows / sizeof ceiling_rows[0];
	model->path_count = sizeof path_rows / sizeof path_rows[0];
	model->ceilings = fresh(model->ceiling_count, sizeof *model->ceilings);
	model->paths = fresh(model->path_count, sizeof *model->paths);
	for (size_t i = 0; i < model->ceiling_count; i++)
		fill_figure(&model->ceilings[i], &ceiling_rows[i], &at_ns);
	for (size_t i = 0; i < model->path_count; i++)
		fill_figure(&model->paths[i], &path_rows[i], &at_ns);
	model->run.ended_ns = at_ns + 3000000000;
	model->link = (struct nl_link){.speed_bps = 1e9, .mtu = 1500, .goodput_bytes_per_second = 117.67 * MB};
	set(model->link.client_nic, sizeof model->link.client_nic, "eth0");
	set(model->link.nas_nic, sizeof model->link.nas_nic, "eth0");
	set(model->link.explanation, sizeof model->link.explanation,
	    "1 Gbit/s by the tbf shaper of eth0, MTU 1500, TCP timestamps on");
	model->clock_error_ns = 41000;
	fill_texts(model);
	fill_settings(model);
	fill_comparisons(model);
	fill_charts(model);
	fill_events(model);
	return model;
}

static void attack(struct nl_texts *texts)
{
	for (size_t i = 0; i < texts->count; i++) {
		free(texts->text[i]);
		texts->text[i] = strdup(NL_SAMPLE_ATTACK);
	}
}

static void attack_figures(struct nl_figure *figures, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		set(figures[i].name, sizeof figures[i].name, NL_SAMPLE_ATTACK);
		set(figures[i].agent, sizeof figures[i].agent, NL_SAMPLE_ATTACK);
		set(figures[i].share, sizeof figures[i].share, NL_SAMPLE_ATTACK);
		set(figures[i].interval_method, sizeof figures[i].interval_method, NL_SAMPLE_ATTACK);
		attack(&figures[i].verdict_reasons);
		attack(&figures[i].evidence);
	}
}

struct nl_model *nl_sample_hostile(void)
{
	struct nl_model *model = nl_sample_run();
	set(model->run.id, sizeof model->run.id, NL_SAMPLE_ATTACK);
	set(model->run.title, sizeof model->run.title, NL_SAMPLE_ATTACK);
	set(model->run.version, sizeof model->run.version, NL_SAMPLE_ATTACK);
	set(model->run.message, sizeof model->run.message, NL_SAMPLE_ATTACK);
	model->run.state = NL_RUN_FAILED;
	set(model->link.explanation, sizeof model->link.explanation, NL_SAMPLE_ATTACK);
	set(model->link.client_nic, sizeof model->link.client_nic, NL_SAMPLE_ATTACK);
	free(model->summary);
	model->summary = strdup(NL_SAMPLE_ATTACK);
	free(model->campaign_yaml);
	model->campaign_yaml = strdup(NL_SAMPLE_ATTACK "\n````\n");
	attack_figures(model->ceilings, model->ceiling_count);
	attack_figures(model->paths, model->path_count);
	attack(&model->warnings);
	attack(&model->reproduction);
	for (size_t i = 0; i < model->setting_count; i++) {
		set(model->settings[i].layer, sizeof model->settings[i].layer, NL_SAMPLE_ATTACK);
		set(model->settings[i].key, sizeof model->settings[i].key, NL_SAMPLE_ATTACK);
		set(model->settings[i].nas, sizeof model->settings[i].nas, NL_SAMPLE_ATTACK);
	}
	for (size_t i = 0; i < model->comparison_count; i++) {
		set(model->comparisons[i].a, sizeof model->comparisons[i].a, NL_SAMPLE_ATTACK);
		set(model->comparisons[i].sentence, sizeof model->comparisons[i].sentence, NL_SAMPLE_ATTACK);
		attack(&model->comparisons[i].differences);
	}
	for (size_t i = 0; i < model->event_count; i++)
		set(model->events[i].text, sizeof model->events[i].text, NL_SAMPLE_ATTACK);
	for (size_t i = 0; i < model->chart_count; i++)
		set(model->charts[i].name, sizeof model->charts[i].name, NL_SAMPLE_ATTACK);
	return model;
}

struct nl_model *nl_sample_failed(void)
{
	struct nl_model *model = fresh(1, sizeof *model);
	model->run.state = NL_RUN_FAILED;
	set(model->run.message, sizeof model->run.message, "agent client did not come within 60 s");
	return model;
}

struct nl_model *nl_sample_broken(void)
{
	static const double odd[] = {NAN, INFINITY, -INFINITY, -1, 0, 1e300};
	struct nl_model *model = nl_sample_run();
	model->link = (struct nl_link){.speed_bps = NAN, .goodput_bytes_per_second = INFINITY};
	model->clock_error_ns = NAN;
	for (size_t i = 0; i < model->path_count; i++) {
		struct nl_figure *figure = &model->paths[i];
		double value = odd[i % (sizeof odd / sizeof odd[0])];
		figure->bytes_per_second = value;
		figure->interval = (struct nl_interval){value, NAN};
		figure->spread = value;
		figure->ledger = (struct nl_ledger){value, value, value, value};
		figure->client_cache_share = figure->nas_cache_share = value;
		figure->retransmits = value;
		figure->latency_p50_ns = UINT64_MAX;
		for (unsigned j = 0; j < figure->iteration_count; j++)
			figure->iterations[j].bytes_per_second = value;
	}
	model->comparisons[0].ratio = NAN;
	for (size_t i = 0; i < model->chart_count; i++)
		for (size_t j = 0; j < model->charts[i].count; j += 3)
			model->charts[i].values[j] = odd[j % 3];
	free(model->warnings.text[0]);
	model->warnings.text[0] = NULL;
	return model;
}

void nl_sample_free(struct nl_model *model)
{
	nl_model_fini(model);
	free(model);
}
