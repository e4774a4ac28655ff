/* Any text as the two files of the SMB client, its first line as the share that is looked for. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "agent/telemetry/cifs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	char *rest = text + strcspn(text, "\n");
	const char *cursor = text;
	struct nl_cifs_stats row;
	struct nl_cifs_debug debug;
	while (nl_cifs_stats_next(&cursor, &row))
		if (strnlen(row.share, sizeof row.share) == sizeof row.share)
			abort();
	if (*rest)
		*rest++ = '\0';
	(void)nl_cifs_debug_find(rest, text, &debug);
	free(text);
	return 0;
}
