/*
 * rendered: rendering into memory.
 */
#include "rendered.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

typedef int (*renderer)(const struct nl_model *model, FILE *out, struct nl_error *err);

static char *render(renderer function, const struct nl_model *model, const struct nl_report_style *style)
{
	char *text = NULL;
	size_t len = 0;
	struct nl_error err = {0};
	FILE *out = open_memstream(&text, &len);
	assert_non_null(out);
	int rc = style ? nl_report_terminal(model, out, style, &err) : function(model, out, &err);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(rc, 0);
	return text;
}

char *nl_rendered_terminal(const struct nl_model *model, unsigned width, bool colour, bool unicode)
{
	struct nl_report_style style = {.width = width, .colour = colour, .unicode = unicode};
	return render(NULL, model, &style);
}

char *nl_rendered_markdown(const struct nl_model *model)
{
	return render(nl_report_markdown, model, NULL);
}

char *nl_rendered_html(const struct nl_model *model)
{
	return render(nl_report_html, model, NULL);
}

char *nl_rendered_json(const struct nl_model *model)
{
	return render(nl_report_json, model, NULL);
}
