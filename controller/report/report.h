/*
 * report: renders a model: for the terminal, as Markdown, as one self-contained HTML page, as JSON.
 */
#ifndef NL_CONTROLLER_REPORT_REPORT_H
#define NL_CONTROLLER_REPORT_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "controller/reconcile/model.h"

/* width: columns; colour: only when `out` is a terminal (caller decides; NO_COLOR is honoured by the caller). */
int nl_report_terminal(const struct nl_model *model, FILE *out, unsigned width, bool colour, struct nl_error *err);
int nl_report_markdown(const struct nl_model *model, FILE *out, struct nl_error *err);
int nl_report_html(const struct nl_model *model, FILE *out, struct nl_error *err);
int nl_report_json(const struct nl_model *model, FILE *out, struct nl_error *err);

/* nl_report_write_files writes report.md, report.html and report.json into `directory` (made when missing, mode 0700), atomically each. */
int nl_report_write_files(const struct nl_model *model, const char *directory, struct nl_error *err);

#endif
