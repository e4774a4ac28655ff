/*
 * meminfo: "Name:   N kB", where kB means KiB.
 */
#include "agent/telemetry/meminfo.h"

#include "agent/scan.h"

static const struct {
	const char *name;
	size_t offset;
} rows[] = {
	{"MemTotal:", offsetof(struct nl_meminfo, total_bytes)},
	{"MemAvailable:", offsetof(struct nl_meminfo, available_bytes)},
	{"Cached:", offsetof(struct nl_meminfo, cached_bytes)},
	{"Dirty:", offsetof(struct nl_meminfo, dirty_bytes)},
	{"Writeback:", offsetof(struct nl_meminfo, writeback_bytes)},
};
#define ROW_COUNT (sizeof rows / sizeof rows[0])

bool nl_meminfo_parse(const char *text, struct nl_meminfo *info)
{
	bool found = false;
	*info = (struct nl_meminfo){UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
	for (; *text; (void)nl_scan_line(&text))
		for (size_t i = 0; i < ROW_COUNT; i++) {
			const char *p = text;
			uint64_t kib, bytes;
			if (!nl_scan_is(&p, rows[i].name) || !nl_scan_u64(&p, &kib))
				continue;
			if (__builtin_mul_overflow(kib, UINT64_C(1024), &bytes))
				continue;
			memcpy((char *)info + rows[i].offset, &bytes, sizeof bytes);
			found = true;
		}
	return found;
}
