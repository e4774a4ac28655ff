/*
 * render_sample: writes a sample model in one format to standard output, to be looked at:
 * render_sample run|hostile|failed|broken terminal|markdown|html|json [WIDTH [colour] [ascii]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/report/report.h"
#include "sample.h"

static struct nl_model *pick(const char *name)
{
	if (strcmp(name, "hostile") == 0)
		return nl_sample_hostile();
	if (strcmp(name, "failed") == 0)
		return nl_sample_failed();
	return strcmp(name, "broken") == 0 ? nl_sample_broken() : nl_sample_run();
}

static int render(const struct nl_model *model, const char *format, const struct nl_report_style *style,
		  struct nl_error *err)
{
	if (strcmp(format, "markdown") == 0)
		return nl_report_markdown(model, stdout, err);
	if (strcmp(format, "html") == 0)
		return nl_report_html(model, stdout, err);
	if (strcmp(format, "json") == 0)
		return nl_report_json(model, stdout, err);
	return nl_report_terminal(model, stdout, style, err);
}

int main(int argc, char **argv)
{
	struct nl_error err = {0};
	struct nl_report_style style = {.width = 80, .unicode = true};
	if (argc < 3) {
		fputs("usage: render_sample run|hostile|failed|broken terminal|markdown|html|json [WIDTH [colour] "
		      "[ascii]]\n",
		      stderr);
		return 2;
	}
	if (argc > 3)
		style.width = (unsigned)strtoul(argv[3], NULL, 10);
	for (int i = 4; i < argc; i++) {
		style.colour = style.colour || strcmp(argv[i], "colour") == 0;
		style.unicode = style.unicode && strcmp(argv[i], "ascii") != 0;
	}
	struct nl_model *model = pick(argv[1]);
	int rc = render(model, argv[2], &style, &err);
	nl_sample_free(model);
	if (rc)
		nl_error_print(&err, "render_sample", stderr);
	return rc ? 1 : 0;
}
