/* Any text as /proc/net/dev, its first line as the name that is looked for. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "agent/telemetry/netdev.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	char *rest = text + strcspn(text, "\n");
	struct nl_netdev counters;
	if (*rest)
		*rest++ = '\0';
	(void)nl_netdev_find(rest, text, &counters);
	free(text);
	return 0;
}
