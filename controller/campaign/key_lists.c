/*
 * key_lists: lists of numbers and words in a campaign file.
 */
#include <string.h>

#include "controller/campaign/campaign.h"
#include "controller/campaign/key.h"
#include "controller/campaign/key_parts.h"

static int want_list(const struct nl_key_source *source, const struct nl_key *key, const struct nl_tree_node *node)
{
	int code = nl_key_want_kind(source, key, node, NL_TREE_LIST);
	if (!code && !node->child)
		code = nl_key_refuse(source, node, "%s is an empty list", key->path);
	return code;
}

/* Every workload once, kept in the order of the enum: a write comes before the reads of what it wrote. */
static int words_read(const struct nl_key_source *source, const struct nl_key *key, const struct nl_tree_node *node,
		      void *field)
{
	bool seen[NL_WORKLOAD_COUNT] = {false};
	int code = want_list(source, key, node);
	if (code)
		return code;
	for (const struct nl_tree_node *item = node->child; item; item = item->next) {
		size_t index = 0;
		code = nl_key_find_word(source, key, item, &index);
		if (code)
			return code;
		if (seen[index])
			return nl_key_refuse(source, item, "%s has \"%s\" twice", key->path, key->words[index]);
		seen[index] = true;
	}
	struct nl_workload_list list = {.count = 0};
	for (unsigned i = 0; i < NL_WORKLOAD_COUNT; i++)
		if (seen[i])
			list.value[list.count++] = (enum nl_workload)i;
	memcpy(field, &list, sizeof list);
	return 0;
}

static void words_write(const struct nl_key *key, const void *field, FILE *out)
{
	const struct nl_workload_list *list = field;
	for (unsigned i = 0; i < list->count; i++)
		fprintf(out, "%s%s", i ? ", " : "[", key->words[list->value[i]]);
	fputs("]", out);
}

static bool words_given(const struct nl_key *key, const void *field)
{
	(void)key;
	return ((const struct nl_workload_list *)field)->count > 0;
}

const struct nl_key_type nl_type_words = {"a list of words", words_read, words_write, words_given, NULL};

/* One bool for each word, side by side. */
static int flags_read(const struct nl_key_source *source, const struct nl_key *key, const struct nl_tree_node *node,
		      void *field)
{
	bool *flags = field;
	int code = want_list(source, key, node);
	if (code)
		return code;
	for (size_t i = 0; i < key->size; i++)
		flags[i] = false;
	for (const struct nl_tree_node *item = node->child; item; item = item->next) {
		size_t index = 0;
		code = nl_key_find_word(source, key, item, &index);
		if (code)
			return code;
		if (flags[index])
			return nl_key_refuse(source, item, "%s has \"%s\" twice", key->path, key->words[index]);
		flags[index] = true;
	}
	return 0;
}

static void flags_write(const struct nl_key *key, const void *field, FILE *out)
{
	const bool *flags = field;
	const char *before = "[";
	for (size_t i = 0; i < key->size; i++)
		if (flags[i]) {
			fprintf(out, "%s%s", before, key->words[i]);
			before = ", ";
		}
	fputs("]", out);
}

static bool flags_given(const struct nl_key *key, const void *field)
{
	return memchr(field, 1, key->size) != NULL;
}

const struct nl_key_type nl_type_flags = {"a list of words", flags_read, flags_write, flags_given, NULL};

/* Ascending, each once; with words the first of them ends the list and is kept as NL_CAMPAIGN_STREAMS_ALL_CORES. */
static int counts_read(const struct nl_key_source *source, const struct nl_key *key, const struct nl_tree_node *node,
		       void *field)
{
	struct nl_count_list list = {.count = 0};
	struct nl_key one = *key;
	one.type = &nl_type_uint;
	one.size = sizeof list.value[0];
	int code = want_list(source, key, node);
	for (const struct nl_tree_node *item = node->child; item && !code; item = item->next) {
		unsigned value = NL_CAMPAIGN_STREAMS_ALL_CORES;
		bool word = key->words && item->kind == NL_TREE_SCALAR && !strcmp(item->text, key->words[0]);
		if (list.count == NL_CAMPAIGN_LIST_MAX)
			return nl_key_refuse(source, item, "%s has more than %d numbers", key->path,
					     NL_CAMPAIGN_LIST_MAX);
		if (!word)
			code = nl_key_uint_read(source, &one, item, &value);
		if (!code && list.count &&
		    (list.value[list.count - 1] == NL_CAMPAIGN_STREAMS_ALL_CORES ||
		     (!word && value <= list.value[list.count - 1])))
			return nl_key_refuse(source, item,
					     "%s does not ascend: write each number once, smallest first%s", key->path,
					     key->words ? ", max last" : "");
		list.value[list.count++] = value;
	}
	if (!code)
		memcpy(field, &list, sizeof list);
	return code;
}

static void counts_write(const struct nl_key *key, const void *field, FILE *out)
{
	const struct nl_count_list *list = field;
	for (unsigned i = 0; i < list->count; i++) {
		fputs(i ? ", " : "[", out);
		if (list->value[i] == NL_CAMPAIGN_STREAMS_ALL_CORES && key->words)
			fputs(key->words[0], out);
		else
			fprintf(out, "%u", list->value[i]);
	}
	fputs("]", out);
}

static bool counts_given(const struct nl_key *key, const void *field)
{
	(void)key;
	return ((const struct nl_count_list *)field)->count > 0;
}

const struct nl_key_type nl_type_counts = {"a list of numbers", counts_read, counts_write, counts_given,
					   nl_key_uint_limit};

/* One number, or a list of which the source says which one is wanted. */
static int variants_read(const struct nl_key_source *source, const struct nl_key *key, const struct nl_tree_node *node,
			 void *field)
{
	if (node->kind != NL_TREE_LIST)
		return nl_key_uint_read(source, key, node, field);
	struct nl_count_list list = {.count = 0};
	int code = counts_read(source, key, node, &list);
	if (!code)
		nl_key_store_number(key, list.value[source->variant < list.count ? source->variant : 0], field);
	return code;
}

const struct nl_key_type nl_type_variants = {"a whole number, or a list of them", variants_read, nl_key_uint_write,
					     nl_key_number_given, nl_key_uint_limit};
