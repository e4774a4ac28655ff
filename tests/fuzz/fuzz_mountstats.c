/* Any text as /proc/self/mountstats. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "agent/telemetry/mountstats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	const char *cursor = text;
	struct nl_mountstats block;
	while (nl_mountstats_next(&cursor, &block))
		if (strnlen(block.path, sizeof block.path) == sizeof block.path)
			abort();
	free(text);
	return 0;
}
