/*
 * fuzz_request: any bytes as a request and as an order. What is accepted must be encoded again and accepted again.
 */
#include <stdint.h>
#include <stdlib.h>

#include "proto/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Nl__Request *request, *again;
	Nl__Order *order;
	void *encoded;
	size_t len;
	if (nl_request_decode(data, size, &request, NULL) == 0) {
		if (nl_request_encode(request, &encoded, &len, NULL) == 0) {
			if (nl_request_decode(encoded, len, &again, NULL) != 0)
				abort();
			nl_request_free(again);
			free(encoded);
		}
		nl_request_free(request);
	}
	if (nl_order_decode(data, size, &order, NULL) == 0) {
		nl_secret_wipe_order(order);
		nl_order_free(order);
	}
	return 0;
}
