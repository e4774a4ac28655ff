/*
 * fuzz_histogram: any bytes as an encoded histogram. What is accepted must be encoded to the same bytes, for there is
 * one form only.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "proto/histogram.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct nl_histogram histogram, sum;
	void *encoded;
	size_t len;
	if (nl_histogram_decode(data, size, &histogram, NULL) != 0)
		return 0;
	uint64_t before = 0;
	for (int percent = 0; percent <= 100; percent++) {
		uint64_t value = nl_histogram_percentile(&histogram, percent);
		if (value < before)
			abort();
		before = value;
	}
	nl_histogram_init(&sum);
	nl_histogram_merge(&sum, &histogram);
	if (nl_histogram_encode(&sum, &encoded, &len, NULL) != 0)
		return 0;
	/* The sum may be a negative zero on its way in, and that is lost by adding. */
	if (len != size || (memcmp(encoded, data, len) != 0 && histogram.sum_ns != 0))
		abort();
	free(encoded);
	return 0;
}
