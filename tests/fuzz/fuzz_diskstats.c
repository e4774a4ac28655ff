/* Any text as /proc/diskstats. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "agent/telemetry/diskstats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	const char *cursor = text;
	struct nl_diskstats row;
	while (nl_diskstats_next(&cursor, &row))
		if (memchr(row.name, '\0', sizeof row.name) == NULL)
			abort();
	free(text);
	return 0;
}
