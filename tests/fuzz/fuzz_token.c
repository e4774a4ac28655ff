/*
 * fuzz_token: any text as a join token and as an address; any bytes as a certificate and as a certificate request.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "proto/identity.h"
#include "proto/link.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nl_token token;
	char *text = strndup((const char *)data, size), again[128], url[300], url_again[300];
	uint8_t print[NL_IDENTITY_FINGERPRINT_BYTES], certificate[NL_IDENTITY_DER_MAX];
	size_t len;
	if (!text)
		return 0;
	if (nl_token_parse(text, &token, NULL) == 0) {
		nl_token_text(&token, again, sizeof again);
		if (!strstr(text, again))
			abort();
	}
	if (nl_link_url(text, url, sizeof url, NULL) == 0)
		if (nl_link_url(url, url_again, sizeof url_again, NULL) != 0 || strcmp(url, url_again) != 0)
			abort();
	(void)nl_identity_name_valid(text);
	(void)nl_identity_fingerprint(data, size, print, NULL);
	if (nl_identity_sign("/nonexistent", data, size, "a", 1, certificate, &len, NULL) == 0)
		abort();
	free(text);
	return 0;
}
