/*
 * markdown: the report as GitHub-flavoured Markdown. The bars are text in a code block.
 */
#include "controller/report/report.h"

#include <string.h>

#include "controller/report/document.h"
#include "controller/report/terminal.h"
#include "controller/report/escape.h"

#define BARS_WIDTH 100

static void paragraph(const char *text, FILE *out)
{
	nl_escape_markdown(text, "  \n", out);
	fputs("\n\n", out);
}

static void table_row(const struct nl_table *table, const char *const *cells, FILE *out)
{
	for (size_t c = 0; c < table->column_count; c++) {
		if (nl_table_is_blank(table, c))
			continue;
		fputs("| ", out);
		nl_escape_markdown(cells[c], "<br>", out);
		fputc(' ', out);
	}
	fputs("|\n", out);
}

static void write_table(const struct nl_table *table, FILE *out)
{
	for (size_t c = 0; c < table->column_count; c++)
		if (!nl_table_is_blank(table, c))
			fprintf(out, "| %s ", table->columns[c].title);
	fputs("|\n", out);
	for (size_t c = 0; c < table->column_count; c++)
		if (!nl_table_is_blank(table, c))
			fputs(table->columns[c].kind == NL_COLUMN_NUMBER ? "| ---: " : "| --- ", out);
	fputs("|\n", out);
	for (size_t r = 0; r < table->row_count; r++)
		table_row(table, table->rows[r].cells, out);
	fputc('\n', out);
}

/* A fence longer than every run of backticks in the text. */
static void write_fence(const char *text, FILE *out)
{
	size_t longest = 2;
	for (const char *at = strchr(text, '`'); at; at = strchr(at, '`')) {
		size_t run = strspn(at, "`");
		longest = run > longest ? run : longest;
		at += run;
	}
	for (size_t i = 0; i <= longest; i++)
		fputc('`', out);
}

static void write_code(const char *text, FILE *out)
{
	size_t len = strlen(text);
	write_fence(text, out);
	fprintf(out, "\n%s%s", text, len && text[len - 1] == '\n' ? "" : "\n");
	write_fence(text, out);
	fputs("\n\n", out);
}

static void write_bars(struct nl_document *document, const struct nl_bars *bars, FILE *out)
{
	struct nl_terminal terminal = {
		.out = out, .style = {.width = BARS_WIDTH, .unicode = true}, .document = document};
	fputs("```text\n", out);
	nl_terminal_bars(&terminal, bars);
	fputs("```\n\n", out);
}

static void write_list(const struct nl_block *block, FILE *out)
{
	for (size_t i = 0; i < block->item_count; i++) {
		fputs("- ", out);
		nl_escape_markdown(block->items[i], " ", out);
		fputc('\n', out);
	}
	fputc('\n', out);
}

static void write_block(struct nl_document *document, size_t i, FILE *out)
{
	const struct nl_block *block = &document->blocks[i];
	switch (block->kind) {
	case NL_BLOCK_HEADING:
		if (i + 1 < document->block_count && document->blocks[i + 1].kind == NL_BLOCK_CHARTS)
			break;
		fprintf(out, "## %s\n\n", block->text);
		break;
	case NL_BLOCK_PARAGRAPH:
	case NL_BLOCK_NOTE:
		paragraph(block->text, out);
		break;
	case NL_BLOCK_LIST:
		write_list(block, out);
		break;
	case NL_BLOCK_TABLE:
		write_table(block->table, out);
		break;
	case NL_BLOCK_BARS:
		write_bars(document, block->bars, out);
		break;
	case NL_BLOCK_CODE:
		write_code(block->text, out);
		break;
	case NL_BLOCK_FILE:
		paragraph(block->items[0], out);
		write_code(block->text, out);
		break;
	case NL_BLOCK_CHARTS:
		break;
	}
}

int nl_report_markdown(const struct nl_model *model, FILE *out, struct nl_error *err)
{
	struct nl_document document;
	int rc = nl_document_build(model, &document, err);
	if (rc)
		goto done;
	fputs("# ", out);
	nl_escape_markdown(document.title, " ", out);
	fputs("\n\n", out);
	paragraph(document.meta, out);
	if (document.alarm) {
		fputs("> ", out);
		nl_escape_markdown(document.alarm, " ", out);
		fputs("\n\n", out);
	}
	paragraph(document.summary, out);
	for (size_t i = 0; i < document.block_count; i++)
		write_block(&document, i, out);
	rc = nl_document_written(&document, out, err);
done:
	nl_document_fini(&document);
	return rc;
}
