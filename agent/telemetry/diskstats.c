/*
 * diskstats: fields by position, see Documentation/admin-guide/iostats.rst of the kernel.
 */
#include "agent/telemetry/diskstats.h"

#include "agent/scan.h"

#define SECTOR_BYTES 512 /* always, whatever the disk's own sectors are */

enum field {
	READS,
	READS_MERGED,
	SECTORS_READ,
	READ_MS,
	WRITES,
	WRITES_MERGED,
	SECTORS_WRITTEN,
	WRITE_MS,
	IN_FLIGHT,
	BUSY_MS,
	QUEUE_MS,
	FIELDS_OLDEST,
	FLUSHES = 15,
	FIELDS_MAX = 17,
};

static bool parse_row(const char *line, struct nl_diskstats *row)
{
	uint64_t field[FIELDS_MAX];
	const char *name;
	size_t len;
	*row = (struct nl_diskstats){0};
	if (!nl_scan_u64(&line, &row->major) || !nl_scan_u64(&line, &row->minor) || !nl_scan_word(&line, &name, &len))
		return false;
	unsigned n = nl_scan_u64s(&line, field, FIELDS_MAX);
	if (n < FIELDS_OLDEST || !nl_scan_copy(row->name, sizeof row->name, name, len))
		return false;
	row->reads = field[READS];
	row->read_bytes = field[SECTORS_READ] * SECTOR_BYTES;
	row->writes = field[WRITES];
	row->write_bytes = field[SECTORS_WRITTEN] * SECTOR_BYTES;
	row->busy_ms = field[BUSY_MS];
	row->queue_ms = field[QUEUE_MS];
	row->has_flushes = n > FLUSHES;
	if (row->has_flushes)
		row->flushes = field[FLUSHES];
	return true;
}

bool nl_diskstats_next(const char **cursor, struct nl_diskstats *row)
{
	while (**cursor) {
		const char *line = *cursor;
		(void)nl_scan_line(cursor);
		if (parse_row(line, row))
			return true;
	}
	return false;
}
