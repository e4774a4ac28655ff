/*
 * document: the report as blocks of text, tables and bars, before anybody decides how it looks. Built once from a model
 * (nl_document_build), walked by the terminal, Markdown and HTML renderers. Every text in it is clean (escape.h) and
 * owned by it.
 */
#ifndef NL_CONTROLLER_REPORT_DOCUMENT_H
#define NL_CONTROLLER_REPORT_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"
#include "controller/report/bars.h"

struct nl_model;

enum nl_block_kind {
	NL_BLOCK_HEADING,
	NL_BLOCK_PARAGRAPH,
	NL_BLOCK_NOTE, /* a paragraph of lesser weight: how to read what stands above or below */
	NL_BLOCK_LIST,
	NL_BLOCK_TABLE,
	NL_BLOCK_BARS,
	NL_BLOCK_CHARTS, /* only HTML can draw them */
	NL_BLOCK_CODE,
	NL_BLOCK_FILE, /* a file's text under its caption (items[0]): for the record, the terminal leaves it out */
};

enum nl_column_kind { NL_COLUMN_TEXT, NL_COLUMN_NUMBER, NL_COLUMN_ELASTIC /* text that may wrap */, NL_COLUMN_VERDICT };

struct nl_column {
	const char *title;
	enum nl_column_kind kind;
	unsigned spare; /* 0: always shown; the terminal leaves out the columns with the largest first when it is narrow
			 */
};

struct nl_row {
	const char **cells; /* one per column; '\n' separates lines */
	bool marked;        /* holds a figure that must not be quoted */
};

struct nl_table {
	const char *caption; /* for readers who do not see the heading above it */
	const struct nl_column *columns;
	size_t column_count;
	struct nl_row *rows;
	size_t row_count, row_space;
};

struct nl_block {
	enum nl_block_kind kind;
	const char *text;   /* heading, paragraph, note, code */
	const char *anchor; /* heading */
	const char **items; /* list */
	size_t item_count;
	struct nl_table *table;
	struct nl_bars *bars;
};

struct nl_document {
	const char *title, *meta; /* what was measured; run, time, state */
	const char *alarm;        /* why the run is not complete, or NULL */
	const char *summary;
	struct nl_block *blocks;
	size_t block_count, block_space;
	struct nl_document_chunk *chunks;
	bool failed; /* memory was short: the document must not be used */
};

/* nl_document_build makes the whole report of a model. NL_E_SYSTEM when memory is short; nl_document_fini in any case.
 */
int nl_document_build(const struct nl_model *model, struct nl_document *document, struct nl_error *err);
void nl_document_fini(struct nl_document *document);
/* nl_document_written closes a rendering: 0 when all of it reached `out` and memory sufficed; NL_E_IO or NL_E_SYSTEM
 * otherwise. */
int nl_document_written(const struct nl_document *document, FILE *out, struct nl_error *err);

/*
 * For the builders. All memory lasts as long as the document. When memory is short `failed` is set and kept:
 * nl_document_alloc returns NULL, texts are "", blocks and rows are dropped, so that builders need not look.
 */
void *nl_document_alloc(struct nl_document *document, size_t size); /* zeroed */
const char *nl_document_text(struct nl_document *document, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* A name: nl_document_text on one line. */
const char *nl_document_name(struct nl_document *document, const char *name);
/* The `count` texts joined by `separator`; NULL texts are left out. */
const char *nl_document_join(struct nl_document *document, char *const *texts, size_t count, const char *separator);
void nl_document_heading(struct nl_document *document, const char *text, const char *anchor);
void nl_document_add_text(struct nl_document *document, enum nl_block_kind kind, const char *text);
void nl_document_add_list(struct nl_document *document, const char **items, size_t count);
void nl_document_add_file(struct nl_document *document, const char *caption, const char *text);
void nl_document_add_bars(struct nl_document *document, struct nl_bars *bars);
/* The table is added at once; columns must outlive the document. NULL when memory is short (nl_table_add takes it). */
struct nl_table *nl_document_add_table(struct nl_document *document, const char *caption,
				       const struct nl_column *columns, size_t count);
/* cells: as many as the table has columns, owned by the document or static. */
void nl_table_add(struct nl_document *document, struct nl_table *table, bool marked, const char *const *cells);
/* Whether a spare column has nothing to tell: every cell is empty or not known. No renderer shows it then. */
bool nl_table_is_blank(const struct nl_table *table, size_t column);

#endif
