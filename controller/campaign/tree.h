/*
 * tree: a YAML or JSON text as a small bounded tree in which every node knows its line and column.
 *
 * What a campaign does not need is refused here: anchors, aliases and tags (so no text can grow when it is read), a
 * second document, keys that are not plain texts, duplicate keys, more than NL_TREE_DEPTH_MAX levels or
 * NL_TREE_NODES_MAX nodes, control characters.
 */
#ifndef NL_CONTROLLER_CAMPAIGN_TREE_H
#define NL_CONTROLLER_CAMPAIGN_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#define NL_TREE_DEPTH_MAX 12
#define NL_TREE_NODES_MAX 8192

enum nl_tree_kind { NL_TREE_SCALAR, NL_TREE_LIST, NL_TREE_MAP };

struct nl_tree_node {
	enum nl_tree_kind kind;
	char *text;                        /* of a scalar, without quotes; never NULL for one */
	bool quoted;                       /* the scalar stood in quotes or in a block */
	char *key;                         /* when the node is a value of a map */
	int line, column;                  /* from 1, of the value */
	int key_line, key_column;          /* from 1, of the key; those of the value when it has none */
	struct nl_tree_node *child, *next; /* owned */
};

/*
 * nl_tree_parse reads `len` bytes of text; `name` stands for the file in errors (NL_E_CONFIG with NAME:LINE:COLUMN).
 * *root belongs to the caller (nl_tree_free). An empty text is an error. Any thread.
 */
int nl_tree_parse(const char *text, size_t len, const char *name, struct nl_tree_node **root, struct nl_error *err);
/* nl_tree_free takes NULL too. */
void nl_tree_free(struct nl_tree_node *root);

/* nl_tree_get gives the value of `key` in a map, or NULL (also when `map` is NULL or no map). */
const struct nl_tree_node *nl_tree_get(const struct nl_tree_node *map, const char *key);
/* nl_tree_null: the scalar says nothing at all (empty, `~` or `null`). */
bool nl_tree_null(const struct nl_tree_node *node);
/* nl_tree_kind_name: "a value", "a list", "a map". */
const char *nl_tree_kind_name(const struct nl_tree_node *node);

#endif
