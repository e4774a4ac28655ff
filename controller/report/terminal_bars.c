/*
 * terminal_bars: bars of block characters (or '#') on one scale, the line rate and the pool's rate marked in each.
 *
 * A bar of a figure that must not be quoted is lighter ('-') and has its verdict behind it, so that the mark does not
 * depend on colour.
 */
#include "controller/report/terminal.h"

#include <string.h>

#include "controller/reconcile/model.h"
#include "controller/report/escape.h"

#define MARGIN_MIN 9 /* right of the bars: room for a marker's label */
#define AREA_MAX   200

struct geometry {
	unsigned label, rate; /* columns of the label and of the rate */
	unsigned left;        /* columns before the bars */
	unsigned area;        /* columns of the bars */
	unsigned margin;      /* columns behind them */
};

static unsigned max_of(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

static struct geometry measure(struct nl_terminal *terminal, const struct nl_bars *bars)
{
	struct geometry geometry = {.margin = MARGIN_MIN};
	unsigned title = 0;
	for (size_t g = 0; g < bars->group_count; g++) {
		const struct nl_bar_group *group = &bars->groups[g];
		title = max_of(title, nl_escape_width(group->title));
		for (size_t i = 0; i < group->count; i++) {
			const struct nl_bar *bar = &group->bars[i];
			geometry.label =
				max_of(geometry.label, nl_escape_width(nl_terminal_text(terminal, bar->label)));
			geometry.rate = max_of(geometry.rate, nl_escape_width(nl_terminal_text(terminal, bar->rate)));
			if (bar->verdict)
				geometry.margin = max_of(geometry.margin, nl_escape_width(bar->verdict) + 1);
		}
	}
	unsigned most = terminal->style.width / 2 - 4 - geometry.rate;
	if (geometry.label > most)
		geometry.label = most;
	geometry.left = max_of(2 + geometry.label + 2 + geometry.rate, title) + 2;
	geometry.label = geometry.left - 2 - 2 - 2 - geometry.rate;
	unsigned rest = geometry.left + geometry.margin;
	geometry.area = terminal->style.width > rest + 12 ? terminal->style.width - rest : 12;
	return geometry;
}

/* The column in which a value lies; -1 for nothing to mark, or nothing on this scale. */
static int column_of(const struct nl_bars *bars, const struct geometry *geometry, double value)
{
	double column = value / bars->scale * geometry->area;
	return column <= 0 || column >= geometry->area ? -1 : (int)column;
}

/* "P 40.1" from its column on, or "40.1 P" up to it: the letter stands over the marker. */
struct label {
	char text[32];
	int start, len;
};

static struct label starting(char letter, const char *rate, int column)
{
	struct label label = {.start = column};
	label.len = snprintf(label.text, sizeof label.text, "%c %.20s", letter, rate);
	return label;
}

static struct label ending(char letter, const char *rate, int column)
{
	struct label label = {{0}, 0, 0};
	label.len = snprintf(label.text, sizeof label.text, "%.20s %c", rate, letter);
	label.start = column + 1 - label.len;
	return label;
}

static struct label beyond(const char *rate, int column)
{
	struct label label = {{0}, 0, 0};
	label.len = snprintf(label.text, sizeof label.text, "P %.16s beyond", rate);
	label.start = column - label.len;
	return label;
}

/* Places the two labels of one line so that they never run into each other; the right one gives way last. */
static void place(struct label *left, char left_letter, const char *left_rate, int left_column, struct label *right,
		  char right_letter, const char *right_rate, int right_column)
{
	*left = starting(left_letter, left_rate, left_column);
	*right = starting(right_letter, right_rate, right_column);
	if (left->start + left->len < right->start)
		return;
	*left = ending(left_letter, left_rate, left_column - (left_column == right_column ? 2 : 0));
	if (left->start + left->len == right->start)
		right->start++;
	if (left->start >= 0)
		return;
	*left = starting(left_letter, left_rate, left_column);
	right->start = left->start + left->len + 1;
}

static void put_label(char *text, int room, const struct label *label, int *end)
{
	if (label->len == 0 || label->start < 0 || label->start + label->len > room)
		return;
	memcpy(text + label->start, label->text, (size_t)label->len);
	if (label->start + label->len > *end)
		*end = label->start + label->len;
}

/* The end of the line above a group's bars, where the markers' letters stand over their columns. */
static void write_markers(struct nl_terminal *terminal, const struct geometry *geometry, const struct nl_bars *bars,
			  const struct nl_bar_group *group, int line, int pool)
{
	char text[AREA_MAX + 64];
	struct label first = {.len = 0}, second = {.len = 0};
	int end = 0, room = (int)(geometry->area + geometry->margin);
	if (line >= 0 && pool >= 0 && pool <= line)
		place(&first, 'P', group->pool_rate, pool, &second, 'L', bars->line_rate, line);
	else if (line >= 0 && pool >= 0)
		place(&first, 'L', bars->line_rate, line, &second, 'P', group->pool_rate, pool);
	else if (pool >= 0)
		first = starting('P', group->pool_rate, pool);
	else if (line >= 0)
		first = starting('L', bars->line_rate, line);
	if (pool < 0 && group->pool > 0)
		second = beyond(group->pool_rate, line >= 0 ? line - 1 : (int)geometry->area);
	memset(text, ' ', sizeof text);
	put_label(text, room, &first, &end);
	put_label(text, room, &second, &end);
	text[end] = '\0';
	nl_terminal_paint(terminal, NL_PAINT_FAINT, text);
}

struct bar_look {
	int full;    /* filled columns */
	int eighths; /* of the column behind them */
	bool beyond; /* runs over the end */
	bool quotable;
};

static struct bar_look look_of(const struct nl_bars *bars, const struct geometry *geometry, const struct nl_bar *bar)
{
	struct bar_look look = {.quotable = !bar->verdict};
	double columns = bar->value / bars->scale * geometry->area;
	if (columns > geometry->area)
		return (struct bar_look){(int)geometry->area, 0, true, look.quotable};
	look.full = (int)columns;
	look.eighths = (int)((columns - look.full) * 8);
	if (bar->value > 0 && look.full == 0 && look.eighths == 0)
		look.eighths = 1;
	return look;
}

static const char *cell_of(bool unicode, const struct bar_look *look, int column, int line, int pool, int last)
{
	static const char *const parts[] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
	if (look->beyond && column == last)
		return unicode ? "▶" : ">";
	if (column == line)
		return unicode ? "│" : "|";
	if (column == pool)
		return unicode ? "┊" : ":";
	if (column < look->full) {
		if (look->quotable)
			return unicode ? "█" : "#";
		return unicode ? "░" : "-";
	}
	if (column > look->full || look->eighths == 0)
		return " ";
	if (unicode)
		return look->quotable ? parts[look->eighths] : "░";
	return look->eighths >= 4 || look->full == 0 ? (look->quotable ? "#" : "-") : " ";
}

static enum nl_paint paint_of(const struct nl_bar *bar)
{
	static const enum nl_paint paints[] = {[NL_LAYER_LINE] = NL_PAINT_LINE,
					       [NL_LAYER_POOL] = NL_PAINT_POOL,
					       [NL_LAYER_NFS] = NL_PAINT_NFS,
					       [NL_LAYER_SMB] = NL_PAINT_SMB,
					       [NL_LAYER_GENERATOR] = NL_PAINT_GENERATOR};
	return paints[bar->figure->layer];
}

static void write_bar(struct nl_terminal *terminal, const struct nl_bars *bars, const struct geometry *geometry,
		      const struct nl_bar *bar, int line, int pool)
{
	char cells[4 * AREA_MAX + 1] = "";
	size_t used = 0;
	struct bar_look look = look_of(bars, geometry, bar);
	int last = (int)geometry->area - 1;
	for (int column = 0; column <= last; column++) {
		const char *cell = cell_of(terminal->style.unicode, &look, column, line, pool, last);
		memcpy(cells + used, cell, strlen(cell));
		used += strlen(cell);
	}
	if (!bar->verdict)
		while (used > 0 && cells[used - 1] == ' ')
			used--;
	cells[used] = '\0';
	nl_terminal_paint(terminal, paint_of(bar), cells);
	if (!bar->verdict)
		return;
	nl_terminal_spaces(terminal, 1);
	nl_terminal_paint(terminal, NL_PAINT_ALERT, bar->verdict);
}

static void write_row(struct nl_terminal *terminal, const struct nl_bars *bars, const struct geometry *geometry,
		      const struct nl_bar *bar, int line, int pool)
{
	const char *label = nl_terminal_text(terminal, bar->label), *rate = nl_terminal_text(terminal, bar->rate);
	const char *next;
	size_t len = nl_terminal_wrap(label, geometry->label, &next);
	const char *shown = nl_document_text(terminal->document, "%.*s", (int)len, label);
	nl_terminal_spaces(terminal, 2);
	nl_terminal_paint(terminal, NL_PAINT_PLAIN, shown);
	nl_terminal_spaces(terminal,
			   geometry->label - nl_escape_width(shown) + 2 + geometry->rate - nl_escape_width(rate));
	nl_terminal_paint(terminal, NL_PAINT_PLAIN, rate);
	nl_terminal_spaces(terminal, 2);
	write_bar(terminal, bars, geometry, bar, line, pool);
	nl_terminal_line_end(terminal);
}

void nl_terminal_bars(struct nl_terminal *terminal, const struct nl_bars *bars)
{
	struct geometry geometry = measure(terminal, bars);
	int line = column_of(bars, &geometry, bars->line);
	for (size_t g = 0; g < bars->group_count; g++) {
		const struct nl_bar_group *group = &bars->groups[g];
		int pool = column_of(bars, &geometry, group->pool);
		nl_terminal_paint(terminal, NL_PAINT_HEADING, group->title);
		nl_terminal_spaces(terminal, geometry.left - nl_escape_width(group->title));
		write_markers(terminal, &geometry, bars, group, line, pool);
		nl_terminal_line_end(terminal);
		for (size_t i = 0; i < group->count; i++)
			write_row(terminal, bars, &geometry, &group->bars[i], line, pool);
	}
}
