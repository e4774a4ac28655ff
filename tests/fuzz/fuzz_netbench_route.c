/*
 * Fuzz target: the kernel's answer to netbench's route request.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "netbench/link.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (nl_nb_link_route(data, size) < 0)
		abort();
	return 0;
}
