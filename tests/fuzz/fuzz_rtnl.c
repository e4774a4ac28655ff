/* Any bytes as a message of rtnetlink. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "agent/telemetry/rtnl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* A copy of its own, so that reading past its end is seen. */
	void *message = malloc(size ? size : 1);
	struct nl_rtnl_link link;
	struct nl_rtnl_qdisc qdisc;
	int index;
	memcpy(message, data, size);
	(void)nl_rtnl_parse_link(message, size, &link);
	(void)nl_rtnl_parse_qdisc(message, size, &qdisc);
	(void)nl_rtnl_parse_class(message, size, &qdisc);
	(void)nl_rtnl_parse_route(message, size, &index);
	free(message);
	return 0;
}
