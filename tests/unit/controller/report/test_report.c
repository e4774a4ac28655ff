/*
 * Tests of the report: one model, four renderers, the same numbers; hostile, broken and empty models.
 *
 * The golden files are written anew with NASLINE_GOLDEN=update.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <jansson.h>

#include "controller/report/escape.h"
#include "controller/report/shown.h"
#include "rendered.h"
#include "sample.h"

static struct nl_model *(*const samples[])(void) = {nl_sample_run, nl_sample_hostile, nl_sample_failed,
						    nl_sample_broken};
#define SAMPLE_COUNT (sizeof samples / sizeof samples[0])

static char *read_file(const char *path)
{
	FILE *file = fopen(path, "re");
	if (!file)
		return NULL;
	char *text = NULL;
	size_t len = 0, got;
	char block[4096];
	FILE *out = open_memstream(&text, &len);
	assert_non_null(out);
	while ((got = fread(block, 1, sizeof block, file)) > 0)
		fwrite(block, 1, got, out);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void compare_golden(const char *name, char *text)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/%s", NL_GOLDEN, name);
	const char *update = getenv("NASLINE_GOLDEN");
	if (update && strcmp(update, "update") == 0) {
		FILE *file = fopen(path, "we");
		assert_non_null(file);
		fputs(text, file);
		assert_int_equal(fclose(file), 0);
	}
	char *golden = read_file(path);
	assert_non_null(golden);
	assert_string_equal(text, golden);
	free(golden);
	free(text);
}

static void terminal_and_markdown_are_as_the_golden_files(void **state)
{
	(void)state;
	struct nl_model *model = nl_sample_run();
	compare_golden("run-80.txt", nl_rendered_terminal(model, 80, false, true));
	compare_golden("run-120.txt", nl_rendered_terminal(model, 120, false, true));
	compare_golden("run-80-ascii.txt", nl_rendered_terminal(model, 80, false, false));
	compare_golden("run.md", nl_rendered_markdown(model));
	nl_sample_free(model);
	model = nl_sample_failed();
	compare_golden("failed-80.txt", nl_rendered_terminal(model, 80, false, true));
	compare_golden("failed.md", nl_rendered_markdown(model));
	nl_sample_free(model);
}

/* What the row of a figure shows behind its name, in the section of the terminal report. */
static void expect_terminal(const char *text, const char *section, const char *name, const char *rate)
{
	char line_start[160];
	const char *from = strstr(text, section);
	assert_non_null(from);
	snprintf(line_start, sizeof line_start, "\n%s ", name);
	const char *word = strstr(from, line_start);
	assert_non_null(word);
	word += strlen(line_start);
	word += strspn(word, " ");
	assert_int_equal(strncmp(word, rate, strlen(rate)), 0);
	assert_int_equal(word[strlen(rate)], ' ');
}

static void expect_formatted(const char *text, const char *format, const char *name, const char *rate)
{
	char wanted[512];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(wanted, sizeof wanted, format, name, rate);
#pragma GCC diagnostic pop
	assert_non_null(strstr(text, wanted));
}

static void expect_json(const json_t *list, size_t i, const char *name, const char *rate)
{
	char shown[NL_SHOWN_SIZE];
	json_t *figure = json_array_get(list, i);
	assert_string_equal(json_string_value(json_object_get(figure, "name")), name);
	double value = json_number_value(json_object_get(figure, "bytes_per_second"));
	assert_string_equal(nl_shown_mbps(value, shown, sizeof shown), rate);
}

static void every_renderer_shows_the_same_numbers(void **state)
{
	(void)state;
	struct nl_model *model = nl_sample_run();
	char *terminal = nl_rendered_terminal(model, 120, false, true), *markdown = nl_rendered_markdown(model);
	char *html = nl_rendered_html(model), *json = nl_rendered_json(model);
	json_t *object = json_loads(json, 0, NULL);
	assert_non_null(object);
	for (size_t i = 0; i < model->ceiling_count + model->path_count; i++) {
		bool path = i >= model->ceiling_count;
		size_t at = path ? i - model->ceiling_count : i;
		const struct nl_figure *figure = path ? &model->paths[at] : &model->ceilings[at];
		char rate[NL_SHOWN_SIZE];
		nl_shown_mbps(figure->bytes_per_second, rate, sizeof rate);
		expect_terminal(terminal, path ? "\nPaths\n" : "\nCeilings\n", figure->name, rate);
		if (path)
			expect_terminal(terminal, "\nWhat limits each path\n", figure->name, rate);
		expect_formatted(markdown, "| %s | %s |", figure->name, rate);
		expect_formatted(html,
				 "<th scope=\"row\" role=\"rowheader\">%s</th><td role=\"cell\" class=\"num\" "
				 "data-label=\"MB/s\">%s</td>",
				 figure->name, rate);
		expect_json(json_object_get(object, path ? "paths" : "ceilings"), at, figure->name, rate);
	}
	json_decref(object);
	free(terminal);
	free(markdown);
	free(html);
	free(json);
	nl_sample_free(model);
}

static void no_line_is_wider_than_the_terminal(void **state)
{
	(void)state;
	static const unsigned widths[] = {60, 72, 80, 100, 120, 160};
	for (size_t s = 0; s < SAMPLE_COUNT; s++) {
		struct nl_model *model = samples[s]();
		for (size_t w = 0; w < 2 * sizeof widths / sizeof widths[0]; w++) {
			unsigned width = widths[w / 2];
			char *text = nl_rendered_terminal(model, width, false, w % 2);
			for (char *save = NULL, *line = strtok_r(text, "\n", &save); line;
			     line = strtok_r(NULL, "\n", &save)) {
				bool code = strncmp(line, "    ", 4) == 0 && line[4] != ' ';
				if (!code)
					assert_in_range(nl_escape_width(line), 0, width);
				assert_int_not_equal(line[strlen(line) - 1], ' ');
			}
			free(text);
		}
		nl_sample_free(model);
	}
}

static void colour_adds_nothing_but_colour(void **state)
{
	(void)state;
	struct nl_model *model = nl_sample_run();
	char *plain = nl_rendered_terminal(model, 100, false, true),
	     *colour = nl_rendered_terminal(model, 100, true, true);
	assert_null(strchr(plain, '\033'));
	assert_non_null(strchr(colour, '\033'));
	char *to = colour;
	for (const char *from = colour; *from;) {
		if (*from == '\033')
			from += strcspn(from, "m") + 1;
		else
			*to++ = *from++;
	}
	*to = '\0';
	assert_string_equal(colour, plain);
	free(plain);
	free(colour);
	nl_sample_free(model);
}

static void ascii_is_ascii(void **state)
{
	(void)state;
	for (size_t s = 0; s < SAMPLE_COUNT; s++) {
		struct nl_model *model = samples[s]();
		char *text = nl_rendered_terminal(model, 80, false, false);
		for (const char *at = text; *at; at++)
			assert_true(*at == '\n' || (*at >= ' ' && *at <= '~'));
		free(text);
		nl_sample_free(model);
	}
}

static unsigned count_of(const char *text, const char *part)
{
	unsigned count = 0;
	for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
		count++;
	return count;
}

/* The text without the page's own scripts and styles, which are full of characters that mean something. */
static void hostile_names_open_nothing_in_the_page(void **state)
{
	(void)state;
	struct nl_model *model = nl_sample_hostile(), *tame = nl_sample_run();
	char *html = nl_rendered_html(model), *tame_html = nl_rendered_html(tame);
	assert_int_equal(count_of(html, "<script"), 3);
	assert_int_equal(count_of(html, "</script"), 3);
	assert_int_equal(count_of(tame_html, "<script"), 3);
	assert_null(strstr(html, "alert(\"1\")"));
	assert_null(strchr(html, '\033'));
	assert_null(strchr(html, '\xff'));
	nl_sample_free(model);
	nl_sample_free(tame);
	free(html);
	free(tame_html);
}

static void the_page_needs_nothing_from_elsewhere(void **state)
{
	(void)state;
	struct nl_model *model = nl_sample_run();
	char *html = nl_rendered_html(model);
	assert_non_null(strstr(html, "default-src 'none'; script-src 'sha256-"));
	assert_null(strstr(html, " src="));
	assert_null(strstr(html, "<link"));
	assert_null(strstr(html, "@import"));
	assert_null(strstr(html, "url("));
	assert_null(strstr(html, "unsafe"));
	assert_null(strstr(html, " style="));
	free(html);
	nl_sample_free(model);
}

static void the_pages_data_is_json_with_every_series(void **state)
{
	(void)state;
	for (size_t s = 0; s < SAMPLE_COUNT; s++) {
		struct nl_model *model = samples[s]();
		char *html = nl_rendered_html(model);
		char *data = strstr(html, "id=\"chart-data\">");
		if (model->chart_count == 0) {
			assert_null(data);
		} else {
			assert_non_null(data);
			data = strchr(data, '>') + 1;
			*strstr(data, "</script>") = '\0';
			json_t *object = json_loads(data, 0, NULL);
			assert_non_null(object);
			json_t *charts = json_object_get(object, "charts");
			size_t count = 0;
			for (size_t i = 0; i < json_array_size(charts); i++)
				count += json_array_size(json_object_get(json_array_get(charts, i), "series"));
			assert_int_equal(count, model->chart_count);
			json_decref(object);
		}
		free(html);
		nl_sample_free(model);
	}
}

/* Pipes that divide cells, that is, those without an odd number of backslashes before them. */
static unsigned cell_count(const char *line)
{
	unsigned count = 0, slashes = 0;
	for (; *line; line++) {
		if (*line == '|' && slashes % 2 == 0)
			count++;
		slashes = *line == '\\' ? slashes + 1 : 0;
	}
	return count;
}

static void markdown_tables_keep_their_shape_with_any_name(void **state)
{
	(void)state;
	for (size_t s = 0; s < SAMPLE_COUNT; s++) {
		struct nl_model *model = samples[s]();
		char *text = nl_rendered_markdown(model);
		unsigned columns = 0;
		for (char *next = text, *line = strsep(&next, "\n"); line; line = strsep(&next, "\n")) {
			if (line[0] != '|') {
				columns = 0;
				continue;
			}
			if (columns == 0)
				columns = cell_count(line);
			assert_int_equal(cell_count(line), columns);
		}
		free(text);
		nl_sample_free(model);
	}
}

static void numbers_that_are_none_are_never_shown(void **state)
{
	(void)state;
	struct nl_model *model = nl_sample_broken();
	char *texts[] = {nl_rendered_terminal(model, 120, false, true), nl_rendered_markdown(model),
			 nl_rendered_json(model)};
	for (size_t i = 0; i < 3; i++) {
		assert_null(strstr(texts[i], "nan"));
		assert_null(strstr(texts[i], "inf,"));
		assert_null(strstr(texts[i], "inf "));
		assert_null(strstr(texts[i], "e+300"));
		free(texts[i]);
	}
	nl_sample_free(model);
}

static void a_run_without_figures_says_so(void **state)
{
	(void)state;
	struct nl_model *model = nl_sample_failed();
	char *texts[] = {nl_rendered_terminal(model, 80, false, true), nl_rendered_markdown(model),
			 nl_rendered_html(model)};
	for (size_t i = 0; i < 3; i++) {
		assert_non_null(strstr(texts[i], "No figure was measured in this run."));
		assert_non_null(strstr(texts[i], "agent client did not come within 60 s"));
		free(texts[i]);
	}
	nl_sample_free(model);
}

static void a_full_disk_is_an_error_of_every_renderer(void **state)
{
	(void)state;
	struct nl_model *model = nl_sample_run();
	struct nl_report_style style = {.width = 80};
	for (int i = 0; i < 4; i++) {
		struct nl_error err = {0};
		FILE *full = fopen("/dev/full", "we");
		assert_non_null(full);
		int rc = i == 0   ? nl_report_terminal(model, full, &style, &err)
			 : i == 1 ? nl_report_markdown(model, full, &err)
			 : i == 2 ? nl_report_html(model, full, &err)
				  : nl_report_json(model, full, &err);
		assert_int_equal(rc, NL_E_IO);
		assert_int_equal(err.code, NL_E_IO);
		assert_true(err.why[0]);
		fclose(full);
	}
	nl_sample_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(terminal_and_markdown_are_as_the_golden_files),
		cmocka_unit_test(every_renderer_shows_the_same_numbers),
		cmocka_unit_test(no_line_is_wider_than_the_terminal),
		cmocka_unit_test(colour_adds_nothing_but_colour),
		cmocka_unit_test(ascii_is_ascii),
		cmocka_unit_test(hostile_names_open_nothing_in_the_page),
		cmocka_unit_test(the_page_needs_nothing_from_elsewhere),
		cmocka_unit_test(the_pages_data_is_json_with_every_series),
		cmocka_unit_test(markdown_tables_keep_their_shape_with_any_name),
		cmocka_unit_test(numbers_that_are_none_are_never_shown),
		cmocka_unit_test(a_run_without_figures_says_so),
		cmocka_unit_test(a_full_disk_is_an_error_of_every_renderer),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
