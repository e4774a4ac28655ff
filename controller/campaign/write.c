/*
 * write: a campaign back to YAML, by the table of keys. Every key that says something is written, so that the file
 * means the same whatever becomes of its preset later.
 */
#include <stdlib.h>
#include <string.h>

#include "controller/campaign/campaign.h"
#include "controller/campaign/key.h"

static void write_map(const char *prefix, const char *base, int indent, FILE *out);

static bool says_something(const struct nl_key *key, const char *base)
{
	if (key->alias_of || !key->type->write)
		return false;
	/* In an element no preset stands behind a flag, and some elements must not have it. */
	if (key->type == &nl_type_flag && strstr(key->path, "[]."))
		return *(const bool *)(base + key->offset);
	return !key->type->given || key->type->given(key, base + key->offset);
}

static bool section_says_something(const char *prefix, const char *base)
{
	for (size_t i = 0; i < nl_key_count; i++)
		if (nl_key_in(&nl_keys[i], prefix) && says_something(&nl_keys[i], base))
			return true;
	return false;
}

static void write_section(const struct nl_key *key, const char *base, int indent, FILE *out)
{
	char prefix[80], leaf[64];
	snprintf(prefix, sizeof prefix, "%s.", key->path);
	nl_key_leaf(key, leaf);
	if (key->size && !*(const bool *)(base + key->offset)) {
		fprintf(out, "%*s%s: off\n", indent, "", leaf);
	} else if (section_says_something(prefix, base)) {
		fprintf(out, "%*s%s:\n", indent, "", leaf);
		write_map(prefix, base, indent + 2, out);
	}
}

static void write_list(const struct nl_key *key, const char *base, int indent, FILE *out)
{
	char prefix[80], leaf[64];
	unsigned count;
	snprintf(prefix, sizeof prefix, "%s.", key->path);
	memcpy(&count, base + key->count_offset, sizeof count);
	if (count)
		fprintf(out, "%*s%s:\n", indent, "", nl_key_leaf(key, leaf));
	for (unsigned i = 0; i < count && i < key->max; i++) {
		fprintf(out, "%*s-\n", indent + 2, "");
		write_map(prefix, base + key->offset + i * key->size, indent + 4, out);
	}
}

static void write_map(const char *prefix, const char *base, int indent, FILE *out)
{
	char leaf[64];
	for (size_t i = 0; i < nl_key_count; i++) {
		const struct nl_key *key = &nl_keys[i];
		if (!nl_key_in(key, prefix))
			continue;
		if (key->type == &nl_type_section) {
			write_section(key, base, indent, out);
		} else if (key->type == &nl_type_list) {
			write_list(key, base, indent, out);
		} else if (says_something(key, base)) {
			fprintf(out, "%*s%s: ", indent, "", nl_key_leaf(key, leaf));
			key->type->write(key, base + key->offset, out);
			fputc('\n', out);
		}
	}
}

int nl_campaign_to_yaml(const struct nl_campaign *campaign, char **text, struct nl_error *err)
{
	size_t len = 0;
	*text = NULL;
	FILE *out = open_memstream(text, &len);
	if (!out)
		return nl_error_set(err, NL_E_SYSTEM, "out of memory while writing the campaign");
	write_map("", (const char *)campaign, 0, out);
	if (!fclose(out))
		return 0;
	free(*text);
	*text = NULL;
	return nl_error_set(err, NL_E_SYSTEM, "out of memory while writing the campaign");
}
