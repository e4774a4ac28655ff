/*
 * json: the model as report.json, whose fields docs/report.schema.json describes. Values are whole, not rounded for
 * reading.
 */
#include "controller/report/report.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "controller/report/json.h"
#include "controller/report/shown.h"
#include "controller/report/escape.h"

/* jansson refuses what is no UTF-8; names from other machines may be anything. */
static json_t *text(const char *raw)
{
	char *clean = NULL;
	size_t len = 0;
	FILE *stream = open_memstream(&clean, &len);
	if (!stream)
		return NULL;
	nl_escape_clean(raw, stream);
	json_t *value = fclose(stream) == 0 && clean ? json_stringn(clean, len) : NULL;
	free(clean);
	return value;
}

static json_t *text_or_null(const char *raw)
{
	return raw && raw[0] ? text(raw) : json_null();
}

static json_t *number(double value)
{
	if (!isfinite(value))
		return json_null();
	return value == floor(value) && fabs(value) < 0x1p53 ? json_integer((json_int_t)value) : json_real(value);
}

/* A number that is not known when it is negative. */
static json_t *known(double value)
{
	return value >= 0 ? number(value) : json_null();
}

/* A number that is not known when it is 0 or less. */
static json_t *positive(double value)
{
	return value > 0 ? number(value) : json_null();
}

/* Bytes are whole numbers. */
static json_t *bytes(double value)
{
	return isfinite(value) && value >= 0 && value < 0x1p63 ? json_integer((json_int_t)value) : json_null();
}

static json_t *nanoseconds(uint64_t ns)
{
	return ns > 0 && ns <= INT64_MAX ? json_integer((json_int_t)ns) : json_null();
}

static json_t *texts(const struct nl_texts *list)
{
	json_t *array = json_array();
	for (size_t i = 0; i < list->count; i++)
		if (list->text[i])
			json_array_append_new(array, text(list->text[i]));
	return array;
}

static json_t *instant(int64_t ns)
{
	char label[32];
	return ns > 0 ? text(nl_wall_text(ns, label, sizeof label)) : json_null();
}

static json_t *link_of(const struct nl_link *link)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "speed_bps", positive(link->speed_bps), "mtu",
			 link->mtu ? json_integer(link->mtu) : json_null(), "goodput_bytes_per_second",
			 positive(link->goodput_bytes_per_second), "explanation", text(link->explanation), "client_nic",
			 text_or_null(link->client_nic), "nas_nic", text_or_null(link->nas_nic));
}

static json_t *iteration_values(const struct nl_figure *figure)
{
	json_t *array = json_array();
	for (unsigned i = 0; i < figure->iteration_count; i++)
		json_array_append_new(array, number(figure->iterations[i].bytes_per_second));
	return array;
}

static void add_evidence(json_t *object, const struct nl_figure *figure)
{
	const struct nl_ledger *ledger = &figure->ledger;
	json_object_set_new(object, "ledger",
			    json_pack("{s:o, s:o, s:o, s:o}", "application", bytes(ledger->application), "client_nic",
				      bytes(ledger->client_nic), "nas_nic", bytes(ledger->nas_nic), "disks",
				      bytes(ledger->disks)));
	json_object_set_new(object, "client_cache_share", known(figure->client_cache_share));
	json_object_set_new(object, "nas_cache_share", known(figure->nas_cache_share));
	json_object_set_new(object, "client_cpu", known(figure->client_cpu));
	json_object_set_new(object, "nas_cpu", known(figure->nas_cpu));
	json_object_set_new(object, "retransmits",
			    figure->layer == NL_LAYER_LINE ? bytes(figure->retransmits) : json_null());
	json_object_set_new(object, "latency_ns",
			    json_pack("{s:o, s:o, s:o}", "p50", nanoseconds(figure->latency_p50_ns), "p99",
				      nanoseconds(figure->latency_p99_ns), "p999",
				      nanoseconds(figure->latency_p999_ns)));
}

static json_t *figure_of(const struct nl_figure *figure)
{
	bool files = figure->layer != NL_LAYER_LINE;
	json_t *object = json_pack("{s:o, s:s, s:s, s:o, s:i, s:o, s:o, s:o, s:o}", "name", text(figure->name), "layer",
				   nl_layer_name(figure->layer), "direction", nl_direction_name(figure->direction),
				   "workload", files ? text(nl_workload_name(figure->workload)) : json_null(),
				   "streams", (int)figure->streams, "agent", text_or_null(figure->agent), "share",
				   text_or_null(figure->share), "bytes_per_second", positive(figure->bytes_per_second),
				   "interval",
				   json_pack("{s:o, s:o, s:o}", "low", positive(figure->interval.low), "high",
					     positive(figure->interval.high), "method", text(figure->interval_method)));
	json_object_set_new(object, "iterations", json_integer(figure->iteration_count));
	json_object_set_new(object, "iteration_values", iteration_values(figure));
	json_object_set_new(object, "failed_iterations", json_integer(figure->failed_count));
	json_object_set_new(object, "spread", known(figure->spread));
	json_object_set_new(object, "verdict", text(nl_verdict_name(figure->verdict)));
	json_object_set_new(object, "verdict_reasons", texts(&figure->verdict_reasons));
	json_object_set_new(object, "quotable", json_boolean(nl_verdict_quotable(figure->verdict)));
	json_object_set_new(object, "bottleneck", text(nl_bottleneck_name(figure->bottleneck)));
	json_object_set_new(object, "evidence", texts(&figure->evidence));
	add_evidence(object, figure);
	return object;
}

static json_t *figures(const struct nl_figure *list, size_t count)
{
	json_t *array = json_array();
	for (size_t i = 0; i < count; i++)
		json_array_append_new(array, figure_of(&list[i]));
	return array;
}

static json_t *comparisons(const struct nl_model *model)
{
	json_t *array = json_array();
	for (size_t i = 0; i < model->comparison_count; i++) {
		const struct nl_comparison *comparison = &model->comparisons[i];
		json_array_append_new(
			array, json_pack("{s:o, s:o, s:s, s:i, s:o, s:s, s:o, s:o}", "a", text(comparison->a), "b",
					 text(comparison->b), "direction", nl_direction_name(comparison->direction),
					 "streams", (int)comparison->streams, "ratio", positive(comparison->ratio),
					 "verdict", nl_verdict_name(comparison->verdict), "differences",
					 texts(&comparison->differences), "sentence", text(comparison->sentence)));
	}
	return array;
}

static json_t *settings(const struct nl_model *model)
{
	json_t *array = json_array();
	for (size_t i = 0; i < model->setting_count; i++) {
		const struct nl_setting *setting = &model->settings[i];
		json_array_append_new(array, json_pack("{s:o, s:o, s:o, s:o}", "layer", text(setting->layer), "key",
						       text(setting->key), "nas", text_or_null(setting->nas), "client",
						       text_or_null(setting->client)));
	}
	return array;
}

static json_t *events(const struct nl_model *model)
{
	json_t *array = json_array();
	for (size_t i = 0; i < model->event_count; i++) {
		const struct nl_store_event *event = &model->events[i];
		json_array_append_new(array, json_pack("{s:o, s:I, s:o, s:o}", "at", instant(event->at_ns), "at_ns",
						       (json_int_t)event->at_ns, "severity", text(event->severity),
						       "text", text(event->text)));
	}
	return array;
}

json_t *nl_report_json_object(const struct nl_model *model)
{
	const struct nl_store_run *run = &model->run;
	json_t *object = json_pack(
		"{s:s, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "schema_version", NL_SCHEMA_VERSION,
		"run_id", text(run->id), "title", text(run->title), "state", nl_shown_state(run->state), "message",
		text_or_null(run->message), "nasline_version", text_or_null(run->version), "started",
		instant(run->started_ns), "ended", instant(run->ended_ns), "started_ns",
		run->started_ns > 0 ? json_integer(run->started_ns) : json_null(), "ended_ns",
		run->ended_ns > 0 ? json_integer(run->ended_ns) : json_null(), "summary", text(model->summary));
	json_object_set_new(object, "clock_error_ns", positive(model->clock_error_ns));
	json_object_set_new(object, "link", link_of(&model->link));
	json_object_set_new(object, "ceilings", figures(model->ceilings, model->ceiling_count));
	json_object_set_new(object, "paths", figures(model->paths, model->path_count));
	json_object_set_new(object, "comparisons", comparisons(model));
	json_object_set_new(object, "settings", settings(model));
	json_object_set_new(object, "warnings", texts(&model->warnings));
	json_object_set_new(object, "events", events(model));
	json_object_set_new(object, "reproduction", texts(&model->reproduction));
	json_object_set_new(object, "campaign", text_or_null(model->campaign_yaml));
	return object;
}

int nl_report_json(const struct nl_model *model, FILE *out, struct nl_error *err)
{
	json_t *object = nl_report_json_object(model);
	if (!object) {
		nl_error_set(err, NL_E_SYSTEM, "build report.json");
		nl_error_why(err, "memory is short");
		return NL_E_SYSTEM;
	}
	int rc = json_dumpf(object, out, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
	json_decref(object);
	if (rc == 0 && fputc('\n', out) != EOF && fflush(out) == 0 && !ferror(out))
		return 0;
	nl_error_set(err, NL_E_IO, "write report.json");
	nl_error_why(err, "not all of it could be written");
	return NL_E_IO;
}
