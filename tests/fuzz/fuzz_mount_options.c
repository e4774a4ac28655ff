/* Any text as the options of a share; none that is accepted may smuggle in a secret or a path. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "agent/mount/mount_options.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size), out[4096];
	struct nl_error err;
	for (int smb = 0; smb < 2; smb++) {
		struct nl_mount_request request = {.protocol = smb ? "smb" : "nfs", .options = text};
		if (nl_mount_options_write(&request, NULL, out, sizeof out, &err) == 0 &&
		    (strchr(out, '/') || strstr(out, "pass") || strstr(out, "cred")))
			abort();
	}
	free(text);
	return 0;
}
