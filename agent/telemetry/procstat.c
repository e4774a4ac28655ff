/*
 * procstat: user nice system idle iowait irq softirq steal guest guest_nice; guest time is part of user already.
 */
#include "agent/telemetry/procstat.h"

#include "agent/scan.h"

enum field { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, FIELD_COUNT };

static bool parse_row(const char *line, struct nl_procstat_cpu *row)
{
	uint64_t cpu, field[FIELD_COUNT] = {0};
	if (!nl_scan_is(&line, "cpu") || *line < '0' || *line > '9' || !nl_scan_u64(&line, &cpu) || cpu > 65535)
		return false;
	if (nl_scan_u64s(&line, field, FIELD_COUNT) <= IDLE)
		return false;
	*row = (struct nl_procstat_cpu){
		.cpu = (unsigned)cpu,
		.user = field[USER] + field[NICE],
		.system = field[SYSTEM],
		.idle = field[IDLE] + field[IOWAIT],
		.softirq = field[IRQ] + field[SOFTIRQ],
		.steal = field[STEAL],
	};
	return true;
}

bool nl_procstat_next(const char **cursor, struct nl_procstat_cpu *row)
{
	while (**cursor) {
		const char *line = *cursor;
		/* The rows of cores come first; the rest (interrupts) is long and not ours. */
		if (strncmp(line, "cpu", 3) != 0)
			return false;
		(void)nl_scan_line(cursor);
		if (parse_row(line, row))
			return true;
	}
	return false;
}
