/* Any text as /proc/stat. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "agent/telemetry/procstat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	const char *cursor = text;
	struct nl_procstat_cpu row;
	while (nl_procstat_next(&cursor, &row))
		if (row.cpu > 65535)
			abort();
	free(text);
	return 0;
}
