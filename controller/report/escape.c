/*
 * escape: cleaning and escaping of texts that other machines chose.
 */
#include "controller/report/escape.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#define REPLACEMENT UINT32_C(0xFFFD)

struct range {
	uint32_t first, last;
};

static bool in_ranges(uint32_t character, const struct range *ranges, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (character >= ranges[i].first && character <= ranges[i].last)
			return true;
	return false;
}

#define IN(character, table) in_ranges(character, table, sizeof(table) / sizeof((table)[0]))

size_t nl_escape_next(const char *text, uint32_t *character)
{
	const unsigned char *byte = (const unsigned char *)text;
	*character = REPLACEMENT;
	if (byte[0] < 0x80) {
		*character = byte[0];
		return 1;
	}
	size_t len = byte[0] >= 0xF0 ? 4 : byte[0] >= 0xE0 ? 3 : 2;
	if (byte[0] < 0xC2 || byte[0] > 0xF4)
		return 1;
	uint32_t value = byte[0] & (0xFFu >> (len + 1));
	for (size_t i = 1; i < len; i++) {
		if ((byte[i] & 0xC0) != 0x80)
			return 1;
		value = value << 6 | (byte[i] & 0x3Fu);
	}
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	if (value < smallest[len] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF))
		return 1;
	*character = value;
	return len;
}

unsigned nl_escape_width(const char *text)
{
	static const struct range wide[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},  {0xAC00, 0xD7A3},
					    {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},  {0xFFE0, 0xFFE6},
					    {0x1F300, 0x1F64F}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};
	static const struct range none[] = {{0x300, 0x36F}, {0x1AB0, 0x1AFF}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}};
	unsigned width = 0;
	uint32_t character;
	while (*text) {
		text += nl_escape_next(text, &character);
		width += IN(character, wide) ? 2 : IN(character, none) ? 0 : 1;
	}
	return width;
}

static void put_utf8(uint32_t c, FILE *out)
{
	if (c < 0x80) {
		fputc((int)c, out);
	} else if (c < 0x800) {
		fputc((int)(0xC0 | c >> 6), out);
		fputc((int)(0x80 | (c & 0x3F)), out);
	} else if (c < 0x10000) {
		fputc((int)(0xE0 | c >> 12), out);
		fputc((int)(0x80 | (c >> 6 & 0x3F)), out);
		fputc((int)(0x80 | (c & 0x3F)), out);
	} else {
		fputc((int)(0xF0 | c >> 18), out);
		fputc((int)(0x80 | (c >> 12 & 0x3F)), out);
		fputc((int)(0x80 | (c >> 6 & 0x3F)), out);
		fputc((int)(0x80 | (c & 0x3F)), out);
	}
}

void nl_escape_clean(const char *text, FILE *out)
{
	/* Controls, then what is invisible or turns the reading order around, then noncharacters. */
	static const struct range unwanted[] = {{0x01, 0x09},      {0x0B, 0x1F},     {0x7F, 0x9F},     {0xAD, 0xAD},
						{0x61C, 0x61C},    {0x180E, 0x180E}, {0x200B, 0x200F}, {0x2028, 0x202E},
						{0x2060, 0x206F},  {0xFEFF, 0xFEFF}, {0xFFF0, 0xFFFB}, {0xFFFE, 0xFFFF},
						{0xE0000, 0xE007F}};
	uint32_t character;
	while (text && *text) {
		text += nl_escape_next(text, &character);
		if (character == '\t')
			character = ' ';
		else if (IN(character, unwanted))
			character = REPLACEMENT;
		put_utf8(character, out);
	}
}

void nl_escape_ascii(const char *text, FILE *out)
{
	static const struct {
		uint32_t character;
		const char *ascii;
	} likes[] = {{0x2013, "-"}, {0x2014, "-"},  {0x2212, "-"}, {0xB1, "+-"},    {0xD7, "x"},
		     {0xB5, "u"},   {0x3BC, "u"},   {0xB7, "."},   {0x2026, "..."}, {0x2019, "'"},
		     {0xA0, " "},   {0x2265, ">="}, {0x2264, "<="}};
	uint32_t character;
	while (*text) {
		text += nl_escape_next(text, &character);
		const char *ascii = "?";
		for (size_t i = 0; i < sizeof likes / sizeof likes[0]; i++)
			if (likes[i].character == character)
				ascii = likes[i].ascii;
		if (character < 0x80)
			fputc((int)character, out);
		else
			fputs(ascii, out);
	}
}

void nl_escape_html(const char *text, FILE *out)
{
	for (; *text; text++) {
		switch (*text) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		case '\'':
			fputs("&#39;", out);
			break;
		default:
			fputc(*text, out);
		}
	}
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || (unsigned char)c >= 0x80;
}

/* Whether GFM gives the character a meaning where it stands. An underscore inside a word and a lone '&' have none. */
static bool markdown_special(const char *at, char before)
{
	switch (*at) {
	case '\\':
	case '`':
	case '*':
	case '<':
	case '>':
	case '[':
	case ']':
	case '|':
	case '~':
	case '$':
		return true;
	case '_':
		return !is_word(before) || !is_word(at[1]);
	case '&':
		return isalnum((unsigned char)at[1]) || at[1] == '#';
	case '#':
	case '+':
	case '-':
	case '=':
		return before == '\0';
	default:
		return false;
	}
}

void nl_escape_markdown(const char *text, const char *line_break, FILE *out)
{
	/* "12." and "12)" would begin a numbered list. */
	size_t digits = strspn(text, "0123456789");
	const char *list = digits && (text[digits] == '.' || text[digits] == ')') &&
					   (text[digits + 1] == ' ' || text[digits + 1] == '\0')
				   ? text + digits
				   : NULL;
	char before = '\0';
	for (; *text; text++) {
		if (*text == '\n') {
			fputs(line_break, out);
			before = '\0';
			continue;
		}
		if (text == list || markdown_special(text, before))
			fputc('\\', out);
		fputc(*text, out);
		before = *text;
	}
}
