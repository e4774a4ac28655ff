/*
 * key_parts: the steps of reading single values that lists are read with too. Arguments and results are those of struct
 * nl_key_type.
 */
#ifndef NL_CONTROLLER_CAMPAIGN_KEY_PARTS_H
#define NL_CONTROLLER_CAMPAIGN_KEY_PARTS_H

#include "controller/campaign/key.h"

/* nl_key_want_kind refuses a node of another kind, or one that says nothing. */
int nl_key_want_kind(const struct nl_key_source *source, const struct nl_key *key, const struct nl_tree_node *node,
		     enum nl_tree_kind kind);
/* nl_key_find_word gives the index of the node's word in key->words; the refusal names them all, and the nearest. */
int nl_key_find_word(const struct nl_key_source *source, const struct nl_key *key, const struct nl_tree_node *node,
		     size_t *index);

/* Whole numbers in fields of 4 or 8 bytes, as key->size says. */
void nl_key_store_number(const struct nl_key *key, uint64_t value, void *field);
int nl_key_uint_read(const struct nl_key_source *source, const struct nl_key *key, const struct nl_tree_node *node,
		     void *field);
void nl_key_uint_write(const struct nl_key *key, const void *field, FILE *out);
void nl_key_uint_limit(uint64_t value, FILE *out);
/* nl_key_number_given: zero in a field whose smallest value is above it means that nothing was said. */
bool nl_key_number_given(const struct nl_key *key, const void *field);

#endif
