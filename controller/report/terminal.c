/*
 * terminal: the report as text of 60 to 160 columns.
 */
#include "controller/report/terminal.h"

#include <stdlib.h>
#include <string.h>

#include "controller/report/escape.h"

/* Lines of prose longer than this are hard to read, however wide the terminal is. */
#define PROSE_WIDTH 100

const char *nl_terminal_text(struct nl_terminal *terminal, const char *text)
{
	if (terminal->style.unicode)
		return text;
	char *ascii = NULL;
	size_t len = 0;
	FILE *stream = open_memstream(&ascii, &len);
	if (!stream) {
		terminal->document->failed = true;
		return "";
	}
	nl_escape_ascii(text, stream);
	const char *kept = fclose(stream) == 0 && ascii ? nl_document_text(terminal->document, "%s", ascii) : "";
	free(ascii);
	return kept;
}

void nl_terminal_paint(struct nl_terminal *terminal, enum nl_paint paint, const char *text)
{
	static const char *const codes[] = {
		[NL_PAINT_PLAIN] = "",   [NL_PAINT_HEADING] = "1", [NL_PAINT_FAINT] = "2",
		[NL_PAINT_ALERT] = "33", [NL_PAINT_LINE] = "36",   [NL_PAINT_POOL] = "32",
		[NL_PAINT_NFS] = "34",   [NL_PAINT_SMB] = "35",    [NL_PAINT_GENERATOR] = "37",
	};
	if (!text[0])
		return;
	fprintf(terminal->out, "%*s", (int)terminal->pending, "");
	terminal->pending = 0;
	if (!terminal->style.colour || paint == NL_PAINT_PLAIN)
		fputs(text, terminal->out);
	else
		fprintf(terminal->out, "\033[%sm%s\033[0m", codes[paint], text);
}

void nl_terminal_spaces(struct nl_terminal *terminal, unsigned count)
{
	terminal->pending += count;
}

void nl_terminal_line_end(struct nl_terminal *terminal)
{
	terminal->pending = 0;
	fputc('\n', terminal->out);
}

void nl_terminal_repeat(struct nl_terminal *terminal, const char *unicode, char ascii, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		if (terminal->style.unicode)
			fputs(unicode, terminal->out);
		else
			fputc(ascii, terminal->out);
	}
}

/* Whether the space at `at` stands between a number and its unit, which belong on one line. */
static bool before_unit(const char *text, const char *at)
{
	static const char *const units[] = {"%",  "B",  "kB", "MB", "GB",     "TB",     "MB/s",   "MiB/s",
					    "ns", "us", "ms", "s",  "Mbit/s", "Gbit/s", "stream", "streams"};
	if (at == text || at[-1] < '0' || at[-1] > '9')
		return false;
	size_t len = strcspn(at + 1, " \n.,:;)");
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (strlen(units[i]) == len && strncmp(units[i], at + 1, len) == 0)
			return true;
	return false;
}

size_t nl_terminal_wrap(const char *text, unsigned width, const char **next)
{
	const char *at = text, *space = NULL;
	unsigned used = 0;
	while (*at && *at != '\n') {
		char one[5] = "";
		uint32_t character;
		size_t len = nl_escape_next(at, &character);
		memcpy(one, at, len);
		unsigned columns = nl_escape_width(one);
		if (*at == ' ' && !before_unit(text, at))
			space = at;
		if (used + columns > width && at > text) {
			const char *end = space ? space : at;
			*next = end + (*end == ' ');
			return (size_t)(end - text);
		}
		used += columns;
		at += len;
	}
	*next = *at ? at + 1 : NULL;
	return (size_t)(at - text);
}

/* Writes prose with `first` before its first line and as many spaces before the others. */
static void prose(struct nl_terminal *terminal, const char *first, enum nl_paint paint, const char *raw)
{
	const char *text = nl_terminal_text(terminal, raw);
	unsigned indent = nl_escape_width(first);
	unsigned width = terminal->style.width < PROSE_WIDTH ? terminal->style.width : PROSE_WIDTH;
	bool begun = false;
	while (text) {
		const char *next;
		size_t len = nl_terminal_wrap(text, width - indent, &next);
		nl_terminal_spaces(terminal, begun ? indent : 0);
		nl_terminal_paint(terminal, NL_PAINT_PLAIN, begun ? "" : first);
		nl_terminal_paint(terminal, paint, nl_document_text(terminal->document, "%.*s", (int)len, text));
		nl_terminal_line_end(terminal);
		begun = true;
		text = next;
	}
}

static void heading(struct nl_terminal *terminal, const char *text)
{
	fputc('\n', terminal->out);
	nl_terminal_paint(terminal, NL_PAINT_HEADING, nl_terminal_text(terminal, text));
	fputc('\n', terminal->out);
}

static void code(struct nl_terminal *terminal, const char *raw)
{
	const char *text = nl_terminal_text(terminal, raw);
	while (*text) {
		size_t len = strcspn(text, "\n");
		fprintf(terminal->out, "    %.*s\n", (int)len, text);
		text += len + (text[len] == '\n');
	}
}

static void list(struct nl_terminal *terminal, const struct nl_block *block)
{
	for (size_t i = 0; i < block->item_count; i++)
		prose(terminal, "- ", NL_PAINT_PLAIN, block->items[i]);
}

static void render(struct nl_terminal *terminal, const struct nl_block *block)
{
	bool gap = block > terminal->document->blocks && block[-1].kind == NL_BLOCK_TABLE;
	if (gap && block->kind == NL_BLOCK_LIST)
		fputc('\n', terminal->out);
	switch (block->kind) {
	case NL_BLOCK_HEADING:
		heading(terminal, block->text);
		break;
	case NL_BLOCK_PARAGRAPH:
		prose(terminal, "", NL_PAINT_PLAIN, block->text);
		break;
	case NL_BLOCK_NOTE:
		prose(terminal, "", NL_PAINT_FAINT, block->text);
		break;
	case NL_BLOCK_LIST:
		list(terminal, block);
		break;
	case NL_BLOCK_TABLE:
		nl_terminal_table(terminal, block->table);
		break;
	case NL_BLOCK_BARS:
		nl_terminal_bars(terminal, block->bars);
		break;
	case NL_BLOCK_CODE:
		code(terminal, block->text);
		break;
	case NL_BLOCK_FILE:
	case NL_BLOCK_CHARTS:
		break;
	}
}

static bool left_out(const struct nl_document *document, size_t i)
{
	const struct nl_block *block = &document->blocks[i];
	if (block->kind == NL_BLOCK_CHARTS)
		return true;
	return block->kind == NL_BLOCK_HEADING && i + 1 < document->block_count &&
	       document->blocks[i + 1].kind == NL_BLOCK_CHARTS;
}

static void render_all(struct nl_terminal *terminal)
{
	struct nl_document *document = terminal->document;
	prose(terminal, "", NL_PAINT_HEADING, document->title);
	prose(terminal, "", NL_PAINT_FAINT, document->meta);
	fputc('\n', terminal->out);
	if (document->alarm) {
		prose(terminal, "! ", NL_PAINT_ALERT, document->alarm);
		fputc('\n', terminal->out);
	}
	prose(terminal, "", NL_PAINT_PLAIN, document->summary);
	for (size_t i = 0; i < document->block_count; i++)
		if (!left_out(document, i))
			render(terminal, &document->blocks[i]);
}

static struct nl_report_style sane(const struct nl_report_style *style)
{
	struct nl_report_style result = *style;
	if (result.width == 0)
		result.width = 80;
	if (result.width < 60)
		result.width = 60;
	if (result.width > 160)
		result.width = 160;
	return result;
}

int nl_report_terminal(const struct nl_model *model, FILE *out, const struct nl_report_style *style,
		       struct nl_error *err)
{
	struct nl_document document;
	int rc = nl_document_build(model, &document, err);
	if (!rc) {
		struct nl_terminal terminal = {.out = out, .style = sane(style), .document = &document};
		render_all(&terminal);
		rc = nl_document_written(&document, out, err);
	}
	nl_document_fini(&document);
	return rc;
}
