/* Any text as /proc/meminfo. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "agent/telemetry/meminfo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	struct nl_meminfo info;
	(void)nl_meminfo_parse(text, &info);
	free(text);
	return 0;
}
