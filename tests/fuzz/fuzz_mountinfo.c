/* Any text as /proc/self/mountinfo, and as a list of options. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "agent/storage/mountinfo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	const char *cursor = text;
	struct nl_mountinfo row;
	char value[16];
	while (nl_mountinfo_next(&cursor, &row))
		if (strnlen(row.path, sizeof row.path) == sizeof row.path)
			abort();
	(void)nl_mountinfo_find(text, "/mnt/a/b", &row);
	(void)nl_mountinfo_option(text, "vers", value, sizeof value);
	free(text);
	return 0;
}
