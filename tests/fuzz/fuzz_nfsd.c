/* Any text as /proc/net/rpc/nfsd. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "agent/telemetry/nfsd.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	struct nl_nfsd nfsd;
	(void)nl_nfsd_parse(text, &nfsd);
	free(text);
	return 0;
}
