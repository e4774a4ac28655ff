/* Any text as a row of mountinfo, and as what the kernel says of the mount. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "agent/mount/mount_facts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void sink(void *context, const char *key, const char *value)
{
	(void)context;
	if (key[0] == '\0' || value[0] == '\0')
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	const char *cursor = text;
	struct nl_mountinfo mount;
	struct nl_mount_texts texts = {text, text, text};
	while (nl_mountinfo_next(&cursor, &mount))
		nl_mount_facts_from(&mount, &texts, sink, NULL);
	free(text);
	return 0;
}
