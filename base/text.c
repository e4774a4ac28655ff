/*
 * text: checks and cleans UTF-8 (RFC 3629).
 */
#include "base/text.h"

#include <stdint.h>
#include <string.h>

/* Lead bytes of sequences of one length, and the range that the second byte must lie in (it rules out long forms and
 * surrogates). */
struct lead_row {
	uint8_t first, last, length, second_low, second_high;
};

static const struct lead_row lead_rows[] = {
	{0x01, 0x7f, 1, 0, 0},       {0xc2, 0xdf, 2, 0x80, 0xbf}, {0xe0, 0xe0, 3, 0xa0, 0xbf},
	{0xe1, 0xec, 3, 0x80, 0xbf}, {0xed, 0xed, 3, 0x80, 0x9f}, {0xee, 0xef, 3, 0x80, 0xbf},
	{0xf0, 0xf0, 4, 0x90, 0xbf}, {0xf1, 0xf3, 4, 0x80, 0xbf}, {0xf4, 0xf4, 4, 0x80, 0x8f},
};

/* Length of the character that begins at p, 0 when none does. */
static size_t character(const uint8_t *p, size_t left)
{
	for (size_t i = 0; i < sizeof lead_rows / sizeof lead_rows[0]; i++) {
		const struct lead_row *row = &lead_rows[i];
		if (p[0] < row->first || p[0] > row->last)
			continue;
		if (row->length > left || (row->length > 1 && (p[1] < row->second_low || p[1] > row->second_high)))
			return 0;
		for (size_t j = 2; j < row->length; j++)
			if (p[j] < 0x80 || p[j] > 0xbf)
				return 0;
		return row->length;
	}
	return 0;
}

bool nl_text_valid(const char *text, size_t len)
{
	const uint8_t *p = (const uint8_t *)text;
	for (size_t at = 0, n; at < len; at += n)
		if ((n = character(p + at, len - at)) == 0)
			return false;
	return true;
}

char *nl_text_clean(char *text)
{
	uint8_t *in = (uint8_t *)text, *out = in;
	size_t left = strlen(text);
	while (left > 0) {
		size_t n = character(in, left), taken = n ? n : 1;
		/* U+0080 to U+009F are control characters too: some terminals obey them. */
		bool control = n == 0 || *in < 0x20 || *in == 0x7f || (n == 2 && in[0] == 0xc2 && in[1] < 0xa0);
		bool blank = n == 1 && *in >= '\t' && *in <= '\r';
		if (control)
			*out++ = blank ? ' ' : '?';
		else
			for (size_t i = 0; i < n; i++)
				*out++ = in[i];
		in += taken;
		left -= taken;
	}
	*out = '\0';
	return text;
}
