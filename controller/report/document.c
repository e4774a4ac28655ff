/*
 * document: memory and blocks of a report. Chunks are kept in a list and freed together.
 */
#include "controller/report/document.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/report/escape.h"
#include "controller/report/shown.h"

struct nl_document_chunk {
	struct nl_document_chunk *next;
	_Alignas(max_align_t) char bytes[];
};

void nl_document_fini(struct nl_document *document)
{
	while (document->chunks) {
		struct nl_document_chunk *chunk = document->chunks;
		document->chunks = chunk->next;
		free(chunk);
	}
	free(document->blocks);
	*document = (struct nl_document){0};
}

int nl_document_written(const struct nl_document *document, FILE *out, struct nl_error *err)
{
	if (document->failed) {
		nl_error_set(err, NL_E_SYSTEM, "render the report");
		nl_error_why(err, "memory is short");
		return NL_E_SYSTEM;
	}
	errno = 0;
	if (fflush(out) == 0 && !ferror(out))
		return 0;
	int reason = errno;
	nl_error_set(err, NL_E_IO, "write the report");
	nl_error_why(err, "%s", reason ? strerror(reason) : "not all of it could be written");
	return NL_E_IO;
}

void *nl_document_alloc(struct nl_document *document, size_t size)
{
	struct nl_document_chunk *chunk = calloc(1, sizeof *chunk + size);
	if (!chunk) {
		document->failed = true;
		return NULL;
	}
	chunk->next = document->chunks;
	document->chunks = chunk;
	return chunk->bytes;
}

/* Takes what was written to a memory stream over into the document, cleaned. */
static const char *keep_clean(struct nl_document *document, const char *raw)
{
	char *clean = NULL;
	size_t len = 0;
	FILE *stream = open_memstream(&clean, &len);
	if (!stream) {
		document->failed = true;
		return "";
	}
	nl_escape_clean(raw, stream);
	bool bad = fclose(stream) != 0 || !clean;
	char *kept = bad ? NULL : nl_document_alloc(document, len + 1);
	if (kept)
		memcpy(kept, clean, len + 1);
	else
		document->failed = true;
	free(clean);
	return kept ? kept : "";
}

const char *nl_document_text(struct nl_document *document, const char *format, ...)
{
	char *raw = NULL;
	va_list arguments;
	va_start(arguments, format);
	int len = vasprintf(&raw, format, arguments);
	va_end(arguments);
	if (len < 0) {
		document->failed = true;
		return "";
	}
	const char *kept = keep_clean(document, raw);
	free(raw);
	return kept;
}

const char *nl_document_name(struct nl_document *document, const char *name)
{
	char *raw = strdup(name);
	if (!raw) {
		document->failed = true;
		return "";
	}
	for (char *at = strchr(raw, '\n'); at; at = strchr(at, '\n'))
		*at = ' ';
	const char *kept = keep_clean(document, raw);
	free(raw);
	return kept;
}

const char *nl_document_join(struct nl_document *document, char *const *texts, size_t count, const char *separator)
{
	char *raw = NULL;
	size_t len = 0;
	FILE *stream = open_memstream(&raw, &len);
	if (!stream) {
		document->failed = true;
		return "";
	}
	bool first = true;
	for (size_t i = 0; texts && i < count; i++) {
		if (!texts[i])
			continue;
		fprintf(stream, "%s%s", first ? "" : separator, texts[i]);
		first = false;
	}
	bool bad = fclose(stream) != 0 || !raw;
	if (bad)
		document->failed = true;
	const char *kept = bad ? "" : keep_clean(document, raw);
	free(raw);
	return kept;
}

static struct nl_block *add_block(struct nl_document *document, enum nl_block_kind kind)
{
	if (document->block_count == document->block_space) {
		size_t space = document->block_space ? 2 * document->block_space : 32;
		struct nl_block *blocks = reallocarray(document->blocks, space, sizeof *blocks);
		if (!blocks) {
			document->failed = true;
			return NULL;
		}
		document->blocks = blocks;
		document->block_space = space;
	}
	struct nl_block *block = &document->blocks[document->block_count++];
	*block = (struct nl_block){.kind = kind, .text = "", .anchor = ""};
	return block;
}

void nl_document_heading(struct nl_document *document, const char *text, const char *anchor)
{
	struct nl_block *block = add_block(document, NL_BLOCK_HEADING);
	if (!block)
		return;
	block->text = text;
	block->anchor = anchor;
}

void nl_document_add_text(struct nl_document *document, enum nl_block_kind kind, const char *text)
{
	struct nl_block *block = add_block(document, kind);
	if (block)
		block->text = text;
}

void nl_document_add_list(struct nl_document *document, const char **items, size_t count)
{
	struct nl_block *block = items ? add_block(document, NL_BLOCK_LIST) : NULL;
	if (!block)
		return;
	block->items = items;
	block->item_count = count;
}

void nl_document_add_file(struct nl_document *document, const char *caption, const char *text)
{
	const char **items = nl_document_alloc(document, sizeof *items);
	struct nl_block *block = items ? add_block(document, NL_BLOCK_FILE) : NULL;
	if (!block)
		return;
	items[0] = caption;
	block->items = items;
	block->item_count = 1;
	block->text = text;
}

void nl_document_add_bars(struct nl_document *document, struct nl_bars *bars)
{
	struct nl_block *block = bars ? add_block(document, NL_BLOCK_BARS) : NULL;
	if (block)
		block->bars = bars;
}

struct nl_table *nl_document_add_table(struct nl_document *document, const char *caption,
				       const struct nl_column *columns, size_t count)
{
	struct nl_table *table = nl_document_alloc(document, sizeof *table);
	struct nl_block *block = table ? add_block(document, NL_BLOCK_TABLE) : NULL;
	if (!block)
		return NULL;
	*table = (struct nl_table){.caption = caption, .columns = columns, .column_count = count};
	block->table = table;
	return table;
}

void nl_table_add(struct nl_document *document, struct nl_table *table, bool marked, const char *const *cells)
{
	if (!table)
		return;
	if (table->row_count == table->row_space) {
		size_t space = table->row_space ? 2 * table->row_space : 16;
		struct nl_row *rows = nl_document_alloc(document, space * sizeof *rows);
		if (!rows)
			return;
		if (table->row_count)
			memcpy(rows, table->rows, table->row_count * sizeof *rows);
		table->rows = rows;
		table->row_space = space;
	}
	const char **copy = nl_document_alloc(document, table->column_count * sizeof *copy);
	if (!copy)
		return;
	memcpy(copy, cells, table->column_count * sizeof *copy);
	table->rows[table->row_count++] = (struct nl_row){.cells = copy, .marked = marked};
}

bool nl_table_is_blank(const struct nl_table *table, size_t column)
{
	if (table->columns[column].spare == 0)
		return false;
	for (size_t i = 0; i < table->row_count; i++) {
		const char *cell = table->rows[i].cells[column];
		if (cell[0] && strcmp(cell, NL_NOT_KNOWN) != 0)
			return false;
	}
	return true;
}
