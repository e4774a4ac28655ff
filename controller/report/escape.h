/*
 * escape: what every renderer does to a text before it shows it. Texts come from other machines: they may hold control
 * characters, broken UTF-8, or characters that reorder what a reader sees.
 */
#ifndef NL_CONTROLLER_REPORT_ESCAPE_H
#define NL_CONTROLLER_REPORT_ESCAPE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * nl_escape_next decodes the character at `text` (not at its end) into *character and returns how many bytes it took.
 * What is no valid UTF-8 takes one byte and reads as U+FFFD.
 */
size_t nl_escape_next(const char *text, uint32_t *character);

/* nl_escape_width is the number of terminal columns of a text: one per character, two for the wide ones of East Asia.
 */
unsigned nl_escape_width(const char *text);

/*
 * nl_escape_clean writes `text` as valid UTF-8 in which nothing but '\n' controls anything: a tab is a space, control
 * characters and invisible or reordering ones are U+FFFD. NULL writes nothing.
 */
void nl_escape_clean(const char *text, FILE *out);

/* nl_escape_ascii writes a clean text as ASCII: dashes, dots and signs by their likes, what has none as '?'. */
void nl_escape_ascii(const char *text, FILE *out);

/* nl_escape_html escapes for element content and quoted attributes. */
void nl_escape_html(const char *text, FILE *out);

/* nl_escape_markdown escapes for a GFM paragraph or table cell; '\n' becomes `line_break`. */
void nl_escape_markdown(const char *text, const char *line_break, FILE *out);

#endif
