/*
 * mountstats: a "device" line opens a block, tab-indented lines follow. Numbers by position, as net/sunrpc/stats.c and
 * fs/nfs/super.c of the kernel print them.
 */
#include "agent/telemetry/mountstats.h"

#include "agent/scan.h"

enum byte_field { SERVER_READ = 4, SERVER_WRITTEN = 5, BYTE_FIELDS };
enum op_field { OPS, TRANSMISSIONS, TIMEOUTS, BYTES_SENT, BYTES_RECEIVED, QUEUE_MS, RTT_MS, EXECUTE_MS, OP_FIELDS };

static bool word_is(const char *word, size_t len, const char *text)
{
	return strlen(text) == len && memcmp(word, text, len) == 0;
}

/* "device SOURCE mounted on PATH with fstype TYPE statvers=1.1"; false for other lines and other file systems. */
static bool parse_device(const char *line, struct nl_mountstats *block)
{
	const char *source, *path, *type;
	size_t source_len, path_len, type_len;
	if (!nl_scan_is(&line, "device ") || !nl_scan_word(&line, &source, &source_len) ||
	    !nl_scan_is(&line, " mounted on ") || !nl_scan_word(&line, &path, &path_len) ||
	    !nl_scan_is(&line, " with fstype ") || !nl_scan_word(&line, &type, &type_len))
		return false;
	if (!word_is(type, type_len, "nfs") && !word_is(type, type_len, "nfs4"))
		return false;
	(void)nl_scan_copy(block->fstype, sizeof block->fstype, type, type_len);
	(void)nl_scan_copy_unescaped(block->source, sizeof block->source, source, source_len);
	return nl_scan_copy_unescaped(block->path, sizeof block->path, path, path_len);
}

static void parse_options(const char *line, struct nl_mountstats *block)
{
	const char *word;
	size_t len;
	if (nl_scan_word(&line, &word, &len))
		(void)nl_scan_copy(block->options, sizeof block->options, word, len);
}

static void parse_bytes(const char *line, struct nl_mountstats *block)
{
	uint64_t field[BYTE_FIELDS];
	if (nl_scan_u64s(&line, field, BYTE_FIELDS) < BYTE_FIELDS)
		return;
	block->read_bytes = field[SERVER_READ];
	block->write_bytes = field[SERVER_WRITTEN];
	block->has_bytes = true;
}

static void parse_transport(const char *line, struct nl_mountstats *block)
{
	const char *word;
	size_t len;
	if (nl_scan_word(&line, &word, &len) && block->connections++ == 0)
		(void)nl_scan_copy(block->transport, sizeof block->transport, word, len);
}

/* The kernel's sums of time can go below zero and are printed without a sign; such a figure is none. */
static uint64_t plausible(uint64_t value)
{
	return value > INT64_MAX ? 0 : value;
}

/* "READ: 9 numbers" (8 before 5.3). The name is right-aligned, and may be longer than its column. */
static void parse_operation(const char *line, struct nl_mountstats *block)
{
	const char *name = line;
	uint64_t field[OP_FIELDS];
	size_t len = strcspn(line, ":\n");
	line += len;
	if (*line++ != ':' || nl_scan_u64s(&line, field, OP_FIELDS) < OP_FIELDS)
		return;
	block->has_operations = true;
	if (field[TRANSMISSIONS] > field[OPS])
		block->retransmits += field[TRANSMISSIONS] - field[OPS];
	bool write = word_is(name, len, "WRITE");
	if (!write && !word_is(name, len, "READ") && !word_is(name, len, "READ_PLUS"))
		return;
	*(write ? &block->writes : &block->reads) += field[OPS];
	block->rtt_ms += plausible(field[RTT_MS]);
	block->queue_ms += plausible(field[QUEUE_MS]);
}

static const struct {
	const char *key;
	void (*parse)(const char *line, struct nl_mountstats *block);
} lines[] = {
	{"opts:", parse_options},
	{"bytes:", parse_bytes},
	{"xprt:", parse_transport},
};
#define LINE_COUNT (sizeof lines / sizeof lines[0])

/* Takes the indented lines of a block and stops at the first that is neither indented nor empty. */
static void parse_body(const char **cursor, struct nl_mountstats *block)
{
	bool operations = false;
	for (; **cursor == '\t' || **cursor == ' ' || **cursor == '\n'; (void)nl_scan_line(cursor)) {
		const char *line = *cursor;
		nl_scan_blanks(&line);
		if (nl_scan_is(&line, "per-op statistics")) {
			operations = true;
			continue;
		}
		if (operations) {
			parse_operation(line, block);
			continue;
		}
		for (size_t i = 0; i < LINE_COUNT; i++)
			if (nl_scan_is(&line, lines[i].key)) {
				lines[i].parse(line, block);
				break;
			}
	}
}

bool nl_mountstats_next(const char **cursor, struct nl_mountstats *block)
{
	while (**cursor) {
		const char *line = *cursor;
		(void)nl_scan_line(cursor);
		if (strncmp(line, "device ", 7) != 0)
			continue;
		*block = (struct nl_mountstats){0};
		if (!parse_device(line, block))
			continue;
		parse_body(cursor, block);
		return true;
	}
	return false;
}
