/*
 * fuzz_reply: any bytes as a reply. What is accepted must be encoded again and accepted again.
 */
#include <stdint.h>
#include <stdlib.h>

#include "proto/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Nl__Reply *reply, *again;
	void *encoded;
	size_t len;
	if (nl_reply_decode(data, size, &reply, NULL) != 0)
		return 0;
	if (nl_reply_encode(reply, &encoded, &len, NULL) == 0) {
		if (nl_reply_decode(encoded, len, &again, NULL) != 0)
			abort();
		nl_reply_free(again);
		free(encoded);
	}
	if (reply->body_case == NL__REPLY__BODY_ORDER)
		nl_secret_wipe_order(reply->order);
	nl_reply_free(reply);
	return 0;
}
