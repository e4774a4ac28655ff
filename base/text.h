/*
 * text: what may be shown on a terminal and sent as a string.
 */
#ifndef NL_BASE_TEXT_H
#define NL_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* nl_text_valid: whether `len` bytes are UTF-8 (shortest forms, no surrogates, at most U+10FFFF) without a NUL. Any
 * thread. */
bool nl_text_valid(const char *text, size_t len);

/*
 * nl_text_clean makes a zero-terminated text fit to be shown and sent, in place, never longer: white space becomes a
 * blank, every other control character and every byte that is not UTF-8 a '?'. Returns text. For names that come from
 * disks, files and peers, and for texts that were cut.
 */
char *nl_text_clean(char *text);

#endif
