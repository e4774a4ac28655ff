/*
 * key: the table of everything that a campaign file can say. The parser, the writer and the reference in
 * docs/campaign.md are made from it.
 */
#ifndef NL_CONTROLLER_CAMPAIGN_KEY_H
#define NL_CONTROLLER_CAMPAIGN_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "controller/campaign/tree.h"

/* Where a value is being read from, for errors. */
struct nl_key_source {
	const char *name; /* of the file */
	unsigned variant; /* of a key that takes one value or a list of variants: which one is wanted */
	struct nl_error *err;
};

struct nl_key;

/* How one type of value is read from a tree and written to YAML. */
struct nl_key_type {
	const char *name; /* in the reference */
	/* Reads `node` into the field. NL_E_CONFIG with the position otherwise. NULL for sections and lists of maps. */
	int (*read)(const struct nl_key_source *source, const struct nl_key *key, const struct nl_tree_node *node,
		    void *field);
	/* Writes the field as a YAML value that reads back to the same. */
	void (*write)(const struct nl_key *key, const void *field, FILE *out);
	/* Whether the field says something; NULL: always. */
	bool (*given)(const struct nl_key *key, const void *field);
	/* Writes a limit (min or max) for people; NULL: the type has no limits. */
	void (*limit)(uint64_t value, FILE *out);
};

extern const struct nl_key_type nl_type_section, nl_type_list, nl_type_text, nl_type_name, nl_type_uint, nl_type_bytes,
	nl_type_duration, nl_type_percent, nl_type_flag, nl_type_word, nl_type_word_text, nl_type_words, nl_type_flags,
	nl_type_counts, nl_type_variants;

struct nl_key {
	const char *path; /* "line.streams", "shares[].name"; a list of maps is "shares[]" */
	const struct nl_key_type *type;
	size_t offset, size;      /* of the field in struct nl_campaign, or in the element of the list of maps that it
				     belongs to; of a section: its      `enabled` flag, size 0 when it cannot be switched
				     off; of      a list: the array and one element */
	size_t count_offset;      /* of a list of maps: its count */
	uint64_t min, max;        /* both 0: no limit */
	const char *const *words; /* NULL-terminated; what a word can be */
	const char *initial;      /* the value when neither file nor preset gives one, as YAML; NULL: none */
	bool required;            /* in a campaign file */
	const char *alias_of;     /* another path with the same meaning; the key is then never written */
	const char *meaning;      /* one sentence for the reference */
};

extern const struct nl_key nl_keys[];
extern const size_t nl_key_count;

/* nl_key_find gives the row of a path, or NULL. */
const struct nl_key *nl_key_find(const char *path);
/* nl_key_leaf is the last word of a path: "streams" of "line.streams", "shares" of "shares[]". Writes into buf (64
 * bytes), returns it. */
const char *nl_key_leaf(const struct nl_key *key, char buf[64]);
/* nl_key_in: the row stands directly in the map `prefix` ("", "line.", "shares[]."). */
bool nl_key_in(const struct nl_key *key, const char *prefix);

/* nl_key_refuse sets NL_E_CONFIG at the node's position. `what` is a format. Returns the code; add why and todo
 * afterwards. */
int nl_key_refuse(const struct nl_key_source *source, const struct nl_tree_node *node, const char *what, ...)
	__attribute__((format(printf, 3, 4)));

#endif
