/*
 * terminal_table: a table in columns. What does not fit: first the spare columns go, then the elastic ones wrap.
 */
#include "controller/report/terminal.h"

#include <string.h>

#include "controller/report/escape.h"

#define COLUMN_MAX  16
#define GAP         2
#define ELASTIC_MIN 18 /* an elastic column is not squeezed below this */
#define CELL_INDENT 2  /* of the lines after the first of one wrapped item */

struct layout {
	unsigned width[COLUMN_MAX]; /* 0: left out */
	unsigned total;
};

/* The widest line of a cell. */
static unsigned cell_width(const char *text)
{
	unsigned widest = 0;
	while (text) {
		const char *next;
		size_t len = nl_terminal_wrap(text, 100000, &next);
		char line[1024];
		if (len >= sizeof line)
			len = sizeof line - 1;
		memcpy(line, text, len);
		line[len] = '\0';
		unsigned width = nl_escape_width(line);
		widest = width > widest ? width : widest;
		text = next;
	}
	return widest;
}

static unsigned sum(const struct layout *layout, size_t count)
{
	unsigned total = 0;
	for (size_t i = 0; i < count; i++)
		if (layout->width[i])
			total += layout->width[i] + (total ? GAP : 0);
	return total;
}

static void measure(struct nl_terminal *terminal, const struct nl_table *table, struct layout *layout)
{
	for (size_t c = 0; c < table->column_count; c++) {
		if (nl_table_is_blank(table, c))
			continue;
		layout->width[c] = cell_width(nl_terminal_text(terminal, table->columns[c].title));
		for (size_t r = 0; r < table->row_count; r++) {
			unsigned width = cell_width(nl_terminal_text(terminal, table->rows[r].cells[c]));
			layout->width[c] = width > layout->width[c] ? width : layout->width[c];
		}
	}
}

/* What the table needs when every elastic column is at its least. */
static unsigned least(const struct nl_table *table, const struct layout *layout)
{
	struct layout squeezed = *layout;
	for (size_t c = 0; c < table->column_count; c++)
		if (table->columns[c].kind == NL_COLUMN_ELASTIC && squeezed.width[c] > ELASTIC_MIN)
			squeezed.width[c] = ELASTIC_MIN;
	return sum(&squeezed, table->column_count);
}

static bool drop_spare(const struct nl_table *table, struct layout *layout)
{
	size_t drop = table->column_count;
	unsigned spare = 0;
	for (size_t c = 0; c < table->column_count; c++) {
		if (layout->width[c] && table->columns[c].spare > spare) {
			spare = table->columns[c].spare;
			drop = c;
		}
	}
	if (drop == table->column_count)
		return false;
	layout->width[drop] = 0;
	return true;
}

/* Takes columns off the widest column of the kind, one at a time, until the table fits or nothing more can be taken. */
static void squeeze(const struct nl_table *table, struct layout *layout, unsigned width, bool elastic,
		    unsigned least_width)
{
	while (sum(layout, table->column_count) > width) {
		size_t widest = table->column_count;
		for (size_t c = 0; c < table->column_count; c++) {
			bool eligible = elastic ? table->columns[c].kind == NL_COLUMN_ELASTIC
						: table->columns[c].kind == NL_COLUMN_TEXT;
			if (eligible && layout->width[c] > least_width &&
			    (widest == table->column_count || layout->width[c] > layout->width[widest]))
				widest = c;
		}
		if (widest == table->column_count)
			return;
		layout->width[widest]--;
	}
}

static void fit(const struct nl_table *table, struct layout *layout, unsigned width)
{
	while (least(table, layout) > width && drop_spare(table, layout))
		;
	squeeze(table, layout, width, true, ELASTIC_MIN);
	squeeze(table, layout, width, false, 12);
	squeeze(table, layout, width, true, 8);
	squeeze(table, layout, width, false, 8);
	layout->total = sum(layout, table->column_count);
	if (layout->total > width)
		layout->total = width;
}

/* A cell while its row is written line by line. */
struct cursor {
	const char *text;  /* NULL: nothing more */
	bool continuation; /* inside an item that was wrapped */
};

static enum nl_paint paint_of(const struct nl_row *row, enum nl_column_kind kind, bool header)
{
	if (header)
		return NL_PAINT_FAINT;
	return row->marked && kind == NL_COLUMN_VERDICT ? NL_PAINT_ALERT : NL_PAINT_PLAIN;
}

static void write_cell(struct nl_terminal *terminal, struct cursor *cursor, const struct nl_column *column,
		       unsigned width, enum nl_paint paint)
{
	const char *next = NULL, *line = "";
	unsigned indent = 0;
	if (cursor->text) {
		indent = cursor->continuation ? CELL_INDENT : 0;
		size_t len = nl_terminal_wrap(cursor->text, width - indent, &next);
		line = nl_document_text(terminal->document, "%.*s", (int)len, cursor->text);
		cursor->continuation = next && next[-1] != '\n';
		cursor->text = next;
	}
	unsigned used = nl_escape_width(line) + indent;
	unsigned pad = used < width ? width - used : 0;
	nl_terminal_spaces(terminal, indent);
	if (column->kind == NL_COLUMN_NUMBER)
		nl_terminal_spaces(terminal, pad);
	nl_terminal_paint(terminal, paint, line);
	if (column->kind != NL_COLUMN_NUMBER)
		nl_terminal_spaces(terminal, pad);
}

static void write_row(struct nl_terminal *terminal, const struct nl_table *table, const struct layout *layout,
		      const struct nl_row *row, bool header)
{
	struct cursor cursors[COLUMN_MAX] = {{0}};
	size_t last = 0;
	for (size_t c = 0; c < table->column_count; c++) {
		const char *text = header ? table->columns[c].title : row->cells[c];
		cursors[c].text = layout->width[c] ? nl_terminal_text(terminal, text) : NULL;
		last = layout->width[c] ? c : last;
	}
	for (bool more = true; more;) {
		more = false;
		bool first = true;
		for (size_t c = 0; c <= last; c++) {
			if (!layout->width[c])
				continue;
			nl_terminal_spaces(terminal, first ? 0 : GAP);
			first = false;
			write_cell(terminal, &cursors[c], &table->columns[c], layout->width[c],
				   paint_of(row, table->columns[c].kind, header));
			more = more || cursors[c].text;
		}
		nl_terminal_line_end(terminal);
	}
}

void nl_terminal_table(struct nl_terminal *terminal, const struct nl_table *table)
{
	struct layout layout = {{0}, 0};
	if (table->column_count == 0 || table->column_count > COLUMN_MAX)
		return;
	measure(terminal, table, &layout);
	fit(table, &layout, terminal->style.width);
	write_row(terminal, table, &layout, NULL, true);
	if (terminal->style.colour)
		fputs("\033[2m", terminal->out);
	nl_terminal_repeat(terminal, "─", '-', layout.total);
	if (terminal->style.colour)
		fputs("\033[0m", terminal->out);
	fputc('\n', terminal->out);
	for (size_t r = 0; r < table->row_count; r++)
		write_row(terminal, table, &layout, &table->rows[r], false);
}
