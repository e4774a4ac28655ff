/*
 * fuzz_units: any text as a number, size, duration and rate, and as a text to be cleaned; any number as something to be
 * shown.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "base/text.h"
#include "base/units.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void show(uint64_t bits)
{
	char buf[32];
	double real;
	memcpy(&real, &bits, sizeof real);
	char *const shown[] = {
		nl_units_bytes(bits, buf, sizeof buf),
		nl_units_bytes_binary(bits, buf, sizeof buf),
		nl_units_mbps(real, buf, sizeof buf),
		nl_units_mibps(real, buf, sizeof buf),
		nl_units_bps(real, buf, sizeof buf),
		nl_units_ns((int64_t)bits, buf, sizeof buf),
		nl_units_clock((int64_t)bits, buf, sizeof buf),
		nl_units_count(bits, buf, sizeof buf),
		nl_units_percent(real, buf, sizeof buf),
	};
	(void)shown;
	if (strnlen(buf, sizeof buf) == sizeof buf)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	uint64_t u = 0;
	int64_t i;
	double d;
	if (!text)
		return 0;
	(void)nl_parse_u64(text, &u);
	(void)nl_parse_i64(text, &i);
	if (nl_parse_double(text, &d) && !isfinite(d))
		abort();
	if (nl_units_parse_ns(text, &i, NULL) == 0 && i < 0)
		abort();
	(void)nl_units_parse_bytes(text, &u, NULL);
	(void)nl_units_parse_bps(text, &u, NULL);
	memcpy(&u, data, size < sizeof u ? size : sizeof u);
	show(u);
	size_t len = strlen(text);
	nl_text_clean(text);
	if (strlen(text) > len || !nl_text_valid(text, strlen(text)))
		abort();
	free(text);
	return 0;
}
