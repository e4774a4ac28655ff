/*
 * html: the report as one page that needs nothing from anywhere. Every text is escaped where it is written; should one
 * slip through, the content security policy names the scripts that may run by their hashes.
 */
#include "controller/report/html.h"

#include "controller/report/escape.h"
#include "controller/report/html_assets.h"
#include "controller/report/report.h"

static void element(FILE *out, const char *open, const char *text, const char *close)
{
	fputs(open, out);
	nl_escape_html(text, out);
	fputs(close, out);
}

static void asset(FILE *out, const char *open, enum nl_html_asset_index index, const char *close)
{
	fputs(open, out);
	fwrite(nl_html_assets[index].text, 1, nl_html_assets[index].len, out);
	fputs(close, out);
}

/* Cell and paragraph texts: each line on its own. */
static void lines(FILE *out, const char *text)
{
	for (; *text; text++) {
		char one[2] = {*text, '\0'};
		if (*text == '\n')
			fputs("<br>", out);
		else
			nl_escape_html(one, out);
	}
}

static void head(const struct nl_document *document, FILE *out)
{
	fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n", out);
	fprintf(out,
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src '%s' '%s'; "
		"style-src '%s' '%s'; base-uri 'none'; form-action 'none'\">\n",
		nl_html_assets[NL_HTML_CHART_SCRIPT].hash, nl_html_assets[NL_HTML_PAGE_SCRIPT].hash,
		nl_html_assets[NL_HTML_CHART_STYLE].hash, nl_html_assets[NL_HTML_PAGE_STYLE].hash);
	fputs("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n",
	      out);
	element(out, "<title>", document->title, " – nasline</title>\n");
	asset(out, "<style>", NL_HTML_CHART_STYLE, "</style>\n");
	asset(out, "<style>", NL_HTML_PAGE_STYLE, "</style>\n</head>\n");
}

static void navigation(const struct nl_document *document, FILE *out)
{
	fputs("<nav aria-label=\"Sections\"><ul>\n", out);
	for (size_t i = 0; i < document->block_count; i++) {
		const struct nl_block *block = &document->blocks[i];
		if (block->kind != NL_BLOCK_HEADING)
			continue;
		fprintf(out, "<li><a href=\"#%s\">", block->anchor);
		element(out, "", block->text, "</a></li>\n");
	}
	fputs("</ul></nav>\n", out);
}

static bool is_elastic(const struct nl_table *table)
{
	for (size_t c = 0; c < table->column_count; c++)
		if (table->columns[c].kind == NL_COLUMN_ELASTIC)
			return true;
	return false;
}

static void cell(const struct nl_table *table, const struct nl_row *row, size_t c, FILE *out)
{
	const struct nl_column *column = &table->columns[c];
	if (c == 0) {
		fputs("<th scope=\"row\" role=\"rowheader\">", out);
		lines(out, row->cells[c]);
		fputs("</th>", out);
		return;
	}
	fprintf(out, "<td role=\"cell\"%s data-label=\"", column->kind == NL_COLUMN_NUMBER ? " class=\"num\"" : "");
	nl_escape_html(column->title, out);
	fputs("\">", out);
	if (column->kind == NL_COLUMN_VERDICT)
		fprintf(out, "<span class=\"verdict%s\">", row->marked ? " alert" : "");
	lines(out, row->cells[c]);
	fputs(column->kind == NL_COLUMN_VERDICT ? "</span></td>" : "</td>", out);
}

/* Tables of prose become cards on a phone; tables of numbers scroll sideways under their names. */
static void table_of(const struct nl_table *table, FILE *out)
{
	fputs("<div class=\"table\" role=\"region\" tabindex=\"0\" aria-label=\"", out);
	nl_escape_html(table->caption, out);
	fprintf(out, "\">\n<table role=\"table\" class=\"%s\">\n", is_elastic(table) ? "cards" : "numbers");
	element(out, "<caption>", table->caption, "</caption>\n<thead role=\"rowgroup\"><tr role=\"row\">");
	for (size_t c = 0; c < table->column_count; c++) {
		if (nl_table_is_blank(table, c))
			continue;
		bool number = table->columns[c].kind == NL_COLUMN_NUMBER;
		fprintf(out, "<th scope=\"col\" role=\"columnheader\"%s>", number ? " class=\"num\"" : "");
		element(out, "", table->columns[c].title, "</th>");
	}
	fputs("</tr></thead>\n<tbody role=\"rowgroup\">\n", out);
	for (size_t r = 0; r < table->row_count; r++) {
		fprintf(out, "<tr role=\"row\"%s>", table->rows[r].marked ? " class=\"marked\"" : "");
		for (size_t c = 0; c < table->column_count; c++)
			if (!nl_table_is_blank(table, c))
				cell(table, &table->rows[r], c, out);
		fputs("</tr>\n", out);
	}
	fputs("</tbody>\n</table>\n</div>\n", out);
}

static void list(const struct nl_block *block, FILE *out)
{
	fputs("<ul>\n", out);
	for (size_t i = 0; i < block->item_count; i++)
		element(out, "<li>", block->items[i], "</li>\n");
	fputs("</ul>\n", out);
}

static void heading(const struct nl_block *block, bool first, FILE *out)
{
	fprintf(out, "%s<section aria-labelledby=\"%s\">\n<h2 id=\"%s\">", first ? "" : "</section>\n", block->anchor,
		block->anchor);
	element(out, "", block->text, "</h2>\n");
}

static void file_of(const struct nl_block *block, FILE *out)
{
	element(out, "<details><summary>", block->items[0], "</summary>\n");
	element(out, "<pre><code>", block->text, "</code></pre></details>\n");
}

static void block_of(struct nl_document *document, const struct nl_model *model, size_t i, FILE *out)
{
	const struct nl_block *block = &document->blocks[i];
	switch (block->kind) {
	case NL_BLOCK_HEADING:
		heading(block, i == 0, out);
		break;
	case NL_BLOCK_PARAGRAPH:
		element(out, "<p>", block->text, "</p>\n");
		break;
	case NL_BLOCK_NOTE:
		element(out, "<p class=\"note\">", block->text, "</p>\n");
		break;
	case NL_BLOCK_LIST:
		list(block, out);
		break;
	case NL_BLOCK_TABLE:
		table_of(block->table, out);
		break;
	case NL_BLOCK_BARS:
		nl_html_bars(block->bars, out);
		break;
	case NL_BLOCK_CHARTS:
		nl_html_charts(document, model, out);
		break;
	case NL_BLOCK_CODE:
		element(out, "<pre tabindex=\"0\"><code>", block->text, "</code></pre>\n");
		break;
	case NL_BLOCK_FILE:
		file_of(block, out);
		break;
	}
}

static void body(struct nl_document *document, const struct nl_model *model, FILE *out)
{
	fputs("<body>\n<a class=\"skip\" href=\"#summary\">To the summary</a>\n<header>\n", out);
	element(out, "<h1>", document->title, "</h1>\n");
	element(out, "<p class=\"meta\">", document->meta, "</p>\n</header>\n<main>\n");
	if (document->alarm)
		element(out, "<p class=\"alarm\" role=\"note\">", document->alarm, "</p>\n");
	element(out, "<p class=\"summary\" id=\"summary\">", document->summary, "</p>\n");
	navigation(document, out);
	for (size_t i = 0; i < document->block_count; i++)
		block_of(document, model, i, out);
	fputs(document->block_count ? "</section>\n</main>\n" : "</main>\n", out);
	if (model->chart_count) {
		asset(out, "<script>", NL_HTML_CHART_SCRIPT, "</script>\n");
		asset(out, "<script>", NL_HTML_PAGE_SCRIPT, "</script>\n");
	}
	fputs("</body>\n</html>\n", out);
}

int nl_report_html(const struct nl_model *model, FILE *out, struct nl_error *err)
{
	struct nl_document document;
	int rc = nl_document_build(model, &document, err);
	if (!rc) {
		head(&document, out);
		body(&document, model, out);
		rc = nl_document_written(&document, out, err);
	}
	nl_document_fini(&document);
	return rc;
}
