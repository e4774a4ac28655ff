/*
 * cifs: line by line, each line known by how it begins; see fs/smb/client/cifs_debug.c of the kernel.
 */
#include "agent/telemetry/cifs.h"

#include <ctype.h>
#include <stdlib.h>

#include "agent/scan.h"

static size_t line_length(const char *line)
{
	return strcspn(line, "\n");
}

/* Whether `word` stands in this line as a word of its own. */
static bool line_has_word(const char *line, const char *word)
{
	const char *found;
	size_t len;
	while (nl_scan_word(&line, &found, &len))
		if (len == strlen(word) && memcmp(found, word, len) == 0)
			return true;
	return false;
}

/* "1) \\server\share" : *name points at the backslashes. Share names may hold blanks, so it goes to the line's end. */
static bool share_line(const char *line, const char **name, size_t *len)
{
	uint64_t number;
	if (!nl_scan_u64(&line, &number) || !nl_scan_is(&line, ") ") || strncmp(line, "\\\\", 2) != 0)
		return false;
	*name = line;
	*len = strcspn(line, "\t\n");
	return true;
}

/* --- Stats ----------------------------------------------------------------------------------------------------- */

static void stats_line(const char *line, struct nl_cifs_stats *row)
{
	uint64_t value;
	const char *p = line;
	if (nl_scan_is(&p, "Bytes read:") && nl_scan_u64(&p, &value)) {
		row->read_bytes = value;
		nl_scan_blanks(&p);
		if (nl_scan_is(&p, "Bytes written:") && nl_scan_u64(&p, &value)) {
			row->write_bytes = value;
			row->has_bytes = true;
		}
	} else if ((p = line, nl_scan_is(&p, "Reads:")) && nl_scan_u64(&p, &value)) {
		row->reads = value;
	} else if ((p = line, nl_scan_is(&p, "Writes:")) && nl_scan_u64(&p, &value)) {
		row->writes = value;
	}
}

bool nl_cifs_stats_next(const char **cursor, struct nl_cifs_stats *row)
{
	const char *name;
	size_t len;
	while (!share_line(*cursor, &name, &len))
		if (!nl_scan_line(cursor))
			return false;
	*row = (struct nl_cifs_stats){0};
	(void)nl_scan_copy(row->share, sizeof row->share, name, len);
	while (nl_scan_line(cursor)) {
		const char *other;
		/* The next share, or the next connection, ends this share. */
		if (share_line(*cursor, &other, &len) || strncmp(*cursor, "Max requests", 12) == 0)
			break;
		stats_line(*cursor, row);
	}
	return true;
}

/* --- DebugData ------------------------------------------------------------------------------------------------- */

static bool same_share(const char *a, size_t len, const char *b)
{
	if (strlen(b) != len)
		return false;
	for (size_t i = 0; i < len; i++) {
		char left = a[i] == '/' ? '\\' : a[i], right = b[i] == '/' ? '\\' : b[i];
		if (tolower((unsigned char)left) != tolower((unsigned char)right))
			return false;
	}
	return true;
}

bool nl_cifs_same_share(const char *a, const char *b)
{
	return same_share(a, strlen(a), b);
}

/* In "1) \\server\share Mounts: 2 ..." the name ends before " Mounts:". */
static size_t debug_share_length(const char *name)
{
	size_t line = line_length(name);
	const char *end = memmem(name, line, " Mounts:", 8);
	return end ? (size_t)(end - name) : line;
}

static void credits_line(const char *line, struct nl_cifs_debug *debug)
{
	const char *p = memmem(line, line_length(line), "credits:", 8);
	if (!p || debug->dialect)
		return; /* only the first connection's; extra channels have such a line too */
	p += 8;
	(void)nl_scan_u64(&p, &debug->credits);
	const char *dialect = memmem(line, line_length(line), "Dialect 0x", 10);
	if (dialect)
		debug->dialect = (unsigned)strtoul(dialect + 10, NULL, 16);
	debug->is_signed = line_has_word(line, "signed");
}

/* "Speed: 1Gbps" (6.12) or "Speed: 1000000000 bps". */
static void speed_line(const char *p, struct nl_cifs_debug *debug)
{
	static const struct {
		const char *suffix;
		uint64_t factor;
	} units[] = {{"Gbps", 1000000000}, {"Mbps", 1000000}, {"Kbps", 1000}, {"bps", 1}};
	uint64_t value, bps;
	if (!nl_scan_u64(&p, &value))
		return;
	nl_scan_blanks(&p);
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (nl_scan_is(&p, units[i].suffix)) {
			if (!__builtin_mul_overflow(value, units[i].factor, &bps) && bps > debug->server_speed_bps)
				debug->server_speed_bps = bps;
			return;
		}
}

static void security_line(const char *p, const char *line, struct nl_cifs_debug *debug)
{
	const char *word;
	size_t len;
	if (nl_scan_word(&p, &word, &len))
		(void)nl_scan_copy(debug->security, sizeof debug->security, word, len);
	debug->encrypted |= line_has_word(line, "encrypted");
	debug->is_signed |= line_has_word(line, "signed");
}

static void server_line(const char *line, struct nl_cifs_debug *debug)
{
	uint64_t value;
	const char *p = line;
	if (nl_scan_is(&p, "Number of credits:"))
		credits_line(line, debug);
	else if (nl_scan_is(&p, "Security type:"))
		security_line(p, line, debug);
	else if (nl_scan_is(&p, "Extra Channels:") && nl_scan_u64(&p, &value))
		debug->channels = value < 1000 ? 1 + (unsigned)value : 1;
	else if ((p = line, nl_scan_is(&p, "Capabilities:"))) {
		debug->server_rss |= line_has_word(p, "rss");
		debug->server_rdma |= line_has_word(p, "rdma");
	} else if ((p = memmem(line, line_length(line), "Speed: ", 7)))
		speed_line(p + 7, debug);
}

/* Reads one connection, from the line behind its head to the next head; whether it carries the share. */
static bool server_block(const char **cursor, const char *share, struct nl_cifs_debug *debug)
{
	bool carries = false, within = false;
	*debug = (struct nl_cifs_debug){.channels = 1};
	/* A head is not indented; everything about sessions, shares and interfaces is. */
	for (; **cursor && !isdigit((unsigned char)**cursor); (void)nl_scan_line(cursor)) {
		const char *line = *cursor, *name;
		size_t len;
		nl_scan_blanks(&line);
		if (share_line(line, &name, &len)) {
			within = same_share(name, debug_share_length(name), share);
			carries |= within;
		} else if (within && strncmp(line, "PathComponentMax:", 17) == 0) {
			debug->encrypted |= line_has_word(line, "encrypted") || line_has_word(line, "Encrypted");
		} else {
			server_line(line, debug);
		}
	}
	return carries;
}

bool nl_cifs_debug_find(const char *text, const char *share, struct nl_cifs_debug *debug)
{
	while (*text) {
		bool head = isdigit((unsigned char)*text);
		(void)nl_scan_line(&text);
		if (head && server_block(&text, share, debug))
			return true;
	}
	*debug = (struct nl_cifs_debug){0};
	return false;
}

const char *nl_cifs_dialect_text(unsigned dialect)
{
	static const struct {
		unsigned dialect;
		const char *text;
	} dialects[] = {{0x202, "2.0.2"}, {0x210, "2.1"}, {0x300, "3.0"}, {0x302, "3.0.2"}, {0x311, "3.1.1"}};
	for (size_t i = 0; i < sizeof dialects / sizeof dialects[0]; i++)
		if (dialects[i].dialect == dialect)
			return dialects[i].text;
	return NULL;
}
