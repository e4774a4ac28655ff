/*
 * html_charts: the samples of a run as charts on one time axis: a place for each chart, its numbers as a table for
 * those who do not see it, and one block of JSON with the data. Series of one group and unit share a chart.
 */
#include "controller/report/html.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "controller/report/escape.h"
#include "controller/report/shown.h"

/* No screen shows more points; a longer series is drawn as means of as many samples as it takes. */
#define POINTS_MAX 4000

struct chart {
	const char *group, *title, *unit;
	double scale; /* from the series' unit to the chart's */
	const struct nl_chart_series **series;
	size_t count;
};

struct charts {
	struct chart *chart;
	size_t count;
};

/* Rates come in bytes per second and are shown in MB/s; other units are shown as they are. */
static const char *unit_of(const struct nl_chart_series *series, double *scale)
{
	bool bytes = strcmp(series->unit, "B/s") == 0;
	*scale = bytes ? 1e-6 : 1;
	return bytes ? "MB/s" : series->unit;
}

static const char *title_of(const char *group)
{
	static const char *const titles[][2] = {
		{"streams", "Streams"}, {"wire", "Wire"}, {"disks", "Disks"}, {"cpu", "Processors"}};
	for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++)
		if (strcmp(group, titles[i][0]) == 0)
			return titles[i][1];
	return group;
}

static bool add_series(struct nl_document *document, struct charts *charts, size_t series_count,
		       const struct nl_chart_series *series)
{
	double scale;
	const char *unit = unit_of(series, &scale);
	struct chart *chart = NULL;
	for (size_t i = 0; i < charts->count && !chart; i++)
		if (strcmp(charts->chart[i].group, series->group) == 0 && strcmp(charts->chart[i].unit, unit) == 0)
			chart = &charts->chart[i];
	if (!chart) {
		chart = &charts->chart[charts->count++];
		chart->series = nl_document_alloc(document, series_count * sizeof(*chart->series));
		if (!chart->series)
			return false;
		chart->group = series->group;
		chart->title = nl_document_name(document, title_of(series->group));
		chart->unit = nl_document_name(document, unit);
		chart->scale = scale;
	}
	chart->series[chart->count++] = series;
	return true;
}

static bool is_known_group(const char *group)
{
	return strcmp(title_of(group), group) != 0;
}

/* From the program down to the disks, then what else there is. */
static struct charts collect(struct nl_document *document, const struct nl_model *model)
{
	static const char *const order[] = {"streams", "wire", "disks", "cpu"};
	struct charts charts = {nl_document_alloc(document, model->chart_count * sizeof(struct chart)), 0};
	bool good = charts.chart;
	for (size_t g = 0; g <= sizeof order / sizeof order[0]; g++) {
		bool others = g == sizeof order / sizeof order[0];
		for (size_t i = 0; i < model->chart_count && good; i++) {
			const struct nl_chart_series *series = &model->charts[i];
			bool mine = others ? !is_known_group(series->group) : strcmp(series->group, order[g]) == 0;
			if (mine && series->count)
				good = add_series(document, &charts, model->chart_count, series);
		}
	}
	return charts;
}

struct digest {
	double mean, largest;
	size_t count;
};

static struct digest digest_of(const struct chart *chart, const struct nl_chart_series *series)
{
	struct digest digest = {NAN, NAN, 0};
	double sum = 0;
	for (size_t i = 0; i < series->count; i++) {
		double value = series->values[i] * chart->scale;
		if (!isfinite(value))
			continue;
		sum += value;
		digest.largest = digest.count && digest.largest > value ? digest.largest : value;
		digest.count++;
	}
	if (digest.count)
		digest.mean = sum / (double)digest.count;
	return digest;
}

static const char *number(struct nl_document *document, double value)
{
	if (!isfinite(value))
		return NL_NOT_KNOWN;
	return nl_document_text(document, "%.*f", fabs(value) < 9.995 ? 2 : fabs(value) < 999.95 ? 1 : 0, value);
}

static void numbers(struct nl_document *document, const struct chart *chart, FILE *out)
{
	fputs("<details><summary>Numbers of this chart</summary>\n<div class=\"table\"><table "
	      "class=\"numbers\"><thead><tr>"
	      "<th scope=\"col\">Series</th><th scope=\"col\" class=\"num\">Mean, ",
	      out);
	nl_escape_html(chart->unit, out);
	fputs("</th><th scope=\"col\" class=\"num\">Largest</th><th scope=\"col\" "
	      "class=\"num\">Samples</th></tr></thead>"
	      "<tbody>\n",
	      out);
	for (size_t i = 0; i < chart->count; i++) {
		struct digest digest = digest_of(chart, chart->series[i]);
		fputs("<tr><th scope=\"row\">", out);
		nl_escape_html(nl_document_name(document, chart->series[i]->name), out);
		fprintf(out, "</th><td class=\"num\">%s</td><td class=\"num\">%s</td><td class=\"num\">%zu</td></tr>\n",
			number(document, digest.mean), number(document, digest.largest), digest.count);
	}
	fputs("</tbody></table></div></details>\n", out);
}

static void place(struct nl_document *document, const struct chart *chart, size_t index, FILE *out)
{
	fputs("<figure class=\"chart\"><figcaption>", out);
	nl_escape_html(chart->title, out);
	fputs(", <span class=\"unit\">", out);
	nl_escape_html(chart->unit, out);
	fprintf(out,
		"</span></figcaption>\n<div class=\"plot\" id=\"chart-%zu\" tabindex=\"0\" role=\"img\" aria-label=\"",
		index);
	nl_escape_html(chart->title, out);
	fputs(" over time:", out);
	for (size_t i = 0; i < chart->count; i++) {
		fputs(i ? ", " : " ", out);
		nl_escape_html(nl_document_name(document, chart->series[i]->name), out);
		fprintf(out, " up to %s ", number(document, digest_of(chart, chart->series[i]).largest));
		nl_escape_html(chart->unit, out);
	}
	fputs("\"></div>\n", out);
	numbers(document, chart, out);
	fputs("</figure>\n", out);
}

static json_t *point(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *series_data(struct nl_document *document, const struct chart *chart,
			   const struct nl_chart_series *series)
{
	json_t *times = json_array(), *values = json_array();
	size_t step = (series->count + POINTS_MAX - 1) / POINTS_MAX;
	for (size_t i = 0; i < series->count; i += step) {
		double sum = 0;
		size_t count = 0, end = i + step < series->count ? i + step : series->count;
		for (size_t j = i; j < end; j++) {
			if (!isfinite(series->values[j]))
				continue;
			sum += series->values[j] * chart->scale;
			count++;
		}
		json_array_append_new(times, point(series->times_s[i]));
		json_array_append_new(values, count ? point(sum / (double)count) : json_null());
	}
	return json_pack("{s:s, s:I, s:o, s:o}", "name", nl_document_name(document, series->name), "samples",
			 (json_int_t)step, "times", times, "values", values);
}

static const char *stage_of(struct nl_document *document, const struct nl_figure *figure)
{
	if (figure->layer != NL_LAYER_NFS && figure->layer != NL_LAYER_SMB)
		return nl_layer_name(figure->layer);
	return nl_document_text(document, "%s ×%u", nl_workload_name(figure->workload), figure->streams);
}

static void add_phases(struct nl_document *document, const struct nl_model *model, const struct nl_figure *figures,
		       size_t count, json_t *phases)
{
	for (size_t i = 0; i < count; i++) {
		for (unsigned j = 0; j < figures[i].iteration_count; j++) {
			const struct nl_iteration *iteration = &figures[i].iterations[j];
			if (iteration->start_ns < model->run.started_ns || iteration->end_ns <= iteration->start_ns)
				continue;
			json_array_append_new(
				phases, json_pack("{s:o, s:s, s:f, s:f}", "name",
						  json_string(nl_document_text(
							  document, "%s, run %u",
							  nl_document_name(document, figures[i].name), j + 1)),
						  "stage", stage_of(document, &figures[i]), "from",
						  (double)(iteration->start_ns - model->run.started_ns) / 1e9, "to",
						  (double)(iteration->end_ns - model->run.started_ns) / 1e9));
		}
	}
}

static json_t *data_of(struct nl_document *document, const struct nl_model *model, const struct charts *charts)
{
	json_t *list = json_array(), *phases = json_array();
	for (size_t i = 0; i < charts->count; i++) {
		json_t *series = json_array();
		for (size_t j = 0; j < charts->chart[i].count; j++)
			json_array_append_new(series,
					      series_data(document, &charts->chart[i], charts->chart[i].series[j]));
		json_array_append_new(list, json_pack("{s:s, s:s, s:o}", "title", charts->chart[i].title, "unit",
						      charts->chart[i].unit, "series", series));
	}
	add_phases(document, model, model->ceilings, model->ceiling_count, phases);
	add_phases(document, model, model->paths, model->path_count, phases);
	return json_pack("{s:o, s:o}", "charts", list, "phases", phases);
}

/* JSON inside a page: '<', '>' and '&' stand in strings only, where they may be written as escapes. */
static int write_escaped(const char *text, size_t len, void *data)
{
	FILE *out = data;
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '<' || text[i] == '>' || text[i] == '&')
			fprintf(out, "\\u%04x", (unsigned)text[i]);
		else
			fputc(text[i], out);
	}
	return ferror(out) ? -1 : 0;
}

void nl_html_charts(struct nl_document *document, const struct nl_model *model, FILE *out)
{
	struct charts charts = collect(document, model);
	json_t *data = charts.chart ? data_of(document, model, &charts) : NULL;
	if (!data) {
		document->failed = true;
		return;
	}
	fputs("<p class=\"readout\" id=\"readout\" aria-live=\"polite\"></p>\n<noscript><p class=\"note\">The charts "
	      "need "
	      "JavaScript; their numbers are in the tables below.</p></noscript>\n",
	      out);
	for (size_t i = 0; i < charts.count; i++)
		place(document, &charts.chart[i], i, out);
	fputs("<script type=\"application/json\" id=\"chart-data\">", out);
	json_dump_callback(data, write_escaped, out, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(7));
	fputs("</script>\n", out);
	json_decref(data);
}
