/*
 * report: renders a model: for the terminal, as Markdown, as one self-contained HTML page, as JSON.
 *
 * All four say the same in the same order with the same numbers: terminal, Markdown and HTML render one document that
 * is built from the model, JSON carries the values that the document's numbers are shown from. A model may have gaps:
 * NULL texts, no figures, values that are not numbers; every renderer then says "not known". No renderer changes the
 * model; all of them may run at once on the same one. Every text of a model is taken for hostile (names come from other
 * machines).
 */
#ifndef NL_CONTROLLER_REPORT_REPORT_H
#define NL_CONTROLLER_REPORT_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "controller/reconcile/model.h"

/* How the terminal is written to. The caller knows it: isatty, NO_COLOR, nl_langinfo(CODESET). */
struct nl_report_style {
	unsigned width; /* columns; taken as 60 when less, as 160 when more; 0: 80 */
	bool colour;    /* ANSI colours; nothing is told by colour alone */
	bool unicode;   /* UTF-8 bars and dashes; otherwise plain ASCII */
};

/* Each returns 0, NL_E_IO when `out` cannot be written, or NL_E_SYSTEM when memory is short. `out` stays open. */
int nl_report_terminal(const struct nl_model *model, FILE *out, const struct nl_report_style *style,
		       struct nl_error *err);
int nl_report_markdown(const struct nl_model *model, FILE *out, struct nl_error *err);
int nl_report_html(const struct nl_model *model, FILE *out, struct nl_error *err);
int nl_report_json(const struct nl_model *model, FILE *out, struct nl_error *err);

/*
 * nl_report_write_files writes report.md, report.html and report.json (mode 0600) into `directory`, which is made with
 * its parents when missing (mode 0700). Each file appears whole or not at all; one that exists is replaced. Errors name
 * the file.
 */
int nl_report_write_files(const struct nl_model *model, const char *directory, struct nl_error *err);

#endif
