/*
 * rendered: a model rendered into memory, for the tests of the report.
 */
#ifndef NL_TESTS_REPORT_RENDERED_H
#define NL_TESTS_REPORT_RENDERED_H

#include "controller/report/report.h"

/* Each asserts that rendering succeeds and returns fresh text, which the caller frees. */
char *nl_rendered_terminal(const struct nl_model *model, unsigned width, bool colour, bool unicode);
char *nl_rendered_markdown(const struct nl_model *model);
char *nl_rendered_html(const struct nl_model *model);
char *nl_rendered_json(const struct nl_model *model);

#endif
