/*
 * html: what the parts of the HTML renderer share.
 */
#ifndef NL_CONTROLLER_REPORT_HTML_H
#define NL_CONTROLLER_REPORT_HTML_H

#include <stdio.h>

#include "controller/reconcile/model.h"
#include "controller/report/document.h"

/* The bars as a table of name, rate, bar and verdict, which reads well without the bars. */
void nl_html_bars(const struct nl_bars *bars, FILE *out);
/* The places of the charts, each with its numbers as a table, and the data that the script draws. */
void nl_html_charts(struct nl_document *document, const struct nl_model *model, FILE *out);

#endif
