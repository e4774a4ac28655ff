/* Any text as what a helper program of mounting wrote. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "agent/mount/mount_error.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	struct nl_error err;
	for (int smb = 0; smb < 2; smb++)
		if (nl_mount_error_from(smb, "source", text, &err) >= 0)
			abort();
	free(text);
	return 0;
}
