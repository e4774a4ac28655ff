/*
 * share: names that the functions of a share agree on, whatever the protocol.
 */
#ifndef NL_AGENT_IO_SHARE_H
#define NL_AGENT_IO_SHARE_H

#include <stddef.h>

/* nl_share_check_name makes the name of a file with which a share is tried: ".nasline-check-" and 16 random digits. */
void nl_share_check_name(char *name, size_t size);
void nl_share_file_name(const char *file_prefix, unsigned index, char *name, size_t size);
/* nl_share_directory_above cuts the last part off: "a/b" gives "a", "a" gives "". */
void nl_share_directory_above(const char *directory, char *above, size_t size);

#endif
