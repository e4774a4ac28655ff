/*
 * terminal: what the terminal renderer's parts share. Markdown borrows the bars for a code block.
 */
#ifndef NL_CONTROLLER_REPORT_TERMINAL_H
#define NL_CONTROLLER_REPORT_TERMINAL_H

#include <stdio.h>

#include "controller/report/document.h"
#include "controller/report/report.h"

enum nl_paint {
	NL_PAINT_PLAIN,
	NL_PAINT_HEADING,
	NL_PAINT_FAINT,
	NL_PAINT_ALERT,
	NL_PAINT_LINE,
	NL_PAINT_POOL,
	NL_PAINT_NFS,
	NL_PAINT_SMB,
	NL_PAINT_GENERATOR
};

struct nl_terminal {
	FILE *out;
	struct nl_report_style style;
	unsigned pending;             /* spaces to write before the next text of this line; none is left at its end */
	struct nl_document *document; /* its memory is used for converted texts */
};

/* The text as this terminal can show it: itself, or its ASCII likeness. */
const char *nl_terminal_text(struct nl_terminal *terminal, const char *text);
/* Writes in a colour, or plainly when the style has none. */
void nl_terminal_paint(struct nl_terminal *terminal, enum nl_paint paint, const char *text);
void nl_terminal_line_end(struct nl_terminal *terminal);
void nl_terminal_spaces(struct nl_terminal *terminal, unsigned count);
void nl_terminal_repeat(struct nl_terminal *terminal, const char *unicode, char ascii, unsigned count);

/*
 * nl_terminal_wrap finds the first line of `text` that is at most `width` columns wide (at least 1): returns its bytes,
 * *next is where the following line begins (NULL after the last). Breaks at spaces and '\n', inside a word only when it
 * is longer than a line.
 */
size_t nl_terminal_wrap(const char *text, unsigned width, const char **next);

void nl_terminal_table(struct nl_terminal *terminal, const struct nl_table *table);
void nl_terminal_bars(struct nl_terminal *terminal, const struct nl_bars *bars);

#endif
