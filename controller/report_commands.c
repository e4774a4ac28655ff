/*
 * report_commands: report and runs: everything that is derived from the store.
 */
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/time.h"
#include "controller/commands.h"
#include "controller/home.h"
#include "controller/reconcile/model.h"
#include "controller/report/report.h"

static struct nl_report_style style_of(FILE *out)
{
	struct winsize size;
	const char *no_colour = getenv("NO_COLOR");
	struct nl_report_style style = {.width = 100};
	setlocale(LC_CTYPE, "");
	if (isatty(fileno(out))) {
		style.colour = !(no_colour && no_colour[0]);
		if (ioctl(fileno(out), TIOCGWINSZ, &size) == 0)
			style.width = size.ws_col;
	}
	style.unicode = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	return style;
}

int nl_report_run(struct nl_store *store, const char *run_id, const char *output, struct nl_error *err)
{
	struct nl_model model;
	struct nl_report_style style = style_of(stdout);
	int rc = nl_reconcile(store, run_id, &model, err);
	if (rc != NL_E_OK)
		return rc;
	rc = nl_report_terminal(&model, stdout, &style, err);
	fflush(stdout);
	if (rc == NL_E_OK && output)
		rc = nl_report_write_files(&model, output, err);
	if (rc == NL_E_OK && output)
		fprintf(stderr, "\n%s/report.md\n%s/report.html\n%s/report.json\n", output, output, output);
	nl_model_fini(&model);
	return rc;
}

static int render_terminal(const struct nl_model *model, FILE *out, struct nl_error *err)
{
	struct nl_report_style style = style_of(out);
	return nl_report_terminal(model, out, &style, err);
}

struct format_row {
	const char *name;
	int (*render)(const struct nl_model *model, FILE *out, struct nl_error *err);
};
static const struct format_row formats[] = {
	{"terminal", render_terminal},
	{"md", nl_report_markdown},
	{"html", nl_report_html},
	{"json", nl_report_json},
};

static int find_format(const char *name, const struct format_row **format, struct nl_error *err)
{
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (strcmp(formats[i].name, name) == 0) {
			*format = &formats[i];
			return NL_E_OK;
		}
	nl_error_set(err, NL_E_USAGE, "unknown format \"%s\"", name);
	nl_error_todo(err, "formats: terminal, md, html, json");
	return NL_E_USAGE;
}

static int render(struct nl_store *store, const char *run_id, const struct format_row *format, struct nl_error *err)
{
	struct nl_model model;
	int rc = nl_reconcile(store, run_id, &model, err);
	if (rc != NL_E_OK)
		return rc;
	rc = format->render(&model, stdout, err);
	nl_model_fini(&model);
	return rc;
}

int nl_command_report(int argc, char **argv, struct nl_error *err)
{
	char home_text[1024];
	const char *home = nl_home_default(home_text, sizeof home_text), *name = "terminal", *output = NULL;
	const char *arguments[NL_PROGRAM_ARGUMENTS_MAX];
	size_t count = 0;
	bool done = false, json = false;
	struct nl_store *store = NULL;
	struct nl_store_run run;
	const struct format_row *format = NULL;
	static const char *const examples[] = {
		"nasline report\n    the newest run, on the terminal",
		"nasline report 20261130-184512-7f3a --format md",
		"nasline report last --output /root/reports/tank\n    writes report.md, report.html and report.json",
		NULL};
	const struct nl_option options[] = {
		NL_STATE_OPTION(home),
		{"format", 'f', NL_OPTION_TEXT, &name, "FORMAT",
		 "terminal (default), md, html or json, to standard output", 0, 0},
		{"json", 0, NL_OPTION_FLAG, &json, NULL, "the same as --format json", 0, 0},
		{"output", 'o', NL_OPTION_TEXT, &output, "DIR", "write the three files there as well", 0, 0},
	};
	const struct nl_command command = {"nasline report",
					   "[RUN]",
					   "Derives a run's report again from what was stored.",
					   examples,
					   options,
					   sizeof options / sizeof *options,
					   0,
					   1};
	int rc = nl_program_options(&command, argc, argv, arguments, &count, &done, err);
	if (rc != NL_E_OK || done)
		return rc;
	rc = find_format(json ? "json" : name, &format, err);
	if (rc == NL_E_OK)
		rc = nl_home_store_read(home, &store, err);
	if (rc == NL_E_OK)
		rc = nl_store_run_get(store, count ? arguments[0] : NULL, &run, NULL, NULL, err);
	if (rc == NL_E_OK)
		rc = output ? nl_report_run(store, run.id, output, err) : render(store, run.id, format, err);
	nl_store_close(store);
	return rc;
}

int nl_command_runs(int argc, char **argv, struct nl_error *err)
{
	static const char *const states[] = {[NL_RUN_RUNNING] = "running",
					     [NL_RUN_DONE] = "done",
					     [NL_RUN_FAILED] = "failed",
					     [NL_RUN_INTERRUPTED] = "interrupted"};
	char home_text[1024];
	const char *home = nl_home_default(home_text, sizeof home_text), *arguments[NL_PROGRAM_ARGUMENTS_MAX];
	size_t count = 0, run_count = 0;
	bool done = false;
	struct nl_store *store = NULL;
	struct nl_store_run *runs = NULL;
	static const char *const examples[] = {"nasline runs", NULL};
	const struct nl_option options[] = {NL_STATE_OPTION(home)};
	const struct nl_command command = {"nasline runs",
					   "",
					   "Lists the runs in the store, newest first.",
					   examples,
					   options,
					   sizeof options / sizeof *options,
					   0,
					   0};
	int rc = nl_program_options(&command, argc, argv, arguments, &count, &done, err);
	if (rc != NL_E_OK || done)
		return rc;
	rc = nl_home_store_read(home, &store, err);
	if (rc == NL_E_OK)
		rc = nl_store_runs(store, &runs, &run_count, err);
	if (rc == NL_E_OK && run_count == 0)
		fprintf(stderr,
			"no run is stored yet; measure with: nasline run CAMPAIGN.yaml, or nasline local --pool DIR\n");
	for (size_t i = 0; rc == NL_E_OK && i < run_count; i++) {
		char started[32];
		nl_wall_text(runs[i].started_ns, started, sizeof started);
		printf("%-24s %-22s %-12s %s\n", runs[i].id, started, states[runs[i].state], runs[i].title);
	}
	free(runs);
	nl_store_close(store);
	return rc;
}
