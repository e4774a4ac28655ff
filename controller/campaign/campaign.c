/*
 * campaign: reads a campaign file: initial values, then its preset, then the file itself, each by the table of keys;
 * then check.c.
 */
#include "controller/campaign/campaign.h"

#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "base/parse.h"
#include "controller/campaign/check.h"
#include "controller/campaign/key.h"
#include "controller/campaign/preset.h"
#include "controller/campaign/tree.h"

#define PATH_MAX_BYTES 160

static int read_map(struct nl_campaign_draft *draft, const char *prefix, const struct nl_tree_node *map, char *base);

/* A row's initial value is YAML like any other and goes through the same reader. */
static int set_initial(const struct nl_key *key, char *base, struct nl_error *err)
{
	struct nl_tree_node *node = NULL;
	struct nl_key_source source = {.name = key->path, .err = err};
	int code = nl_tree_parse(key->initial, strlen(key->initial), key->path, &node, err);
	if (!code)
		code = key->type->read(&source, key, node, base + key->offset);
	nl_tree_free(node);
	return code;
}

/* Sets every initial value of the campaign itself (prefix "") or of an element of a list of maps ("shares[]."). */
static int set_initials(const char *prefix, char *base, struct nl_error *err)
{
	int code = 0;
	for (size_t i = 0; i < nl_key_count && !code; i++) {
		const struct nl_key *key = &nl_keys[i];
		bool element = strstr(key->path, "[].") != NULL;
		if (*prefix ? strncmp(key->path, prefix, strlen(prefix)) != 0 : element)
			continue;
		if (key->type == &nl_type_section && key->size)
			*(bool *)(base + key->offset) = true;
		if (key->initial)
			code = set_initial(key, base, err);
	}
	return code;
}

/* What stands there is not repeated: it could be the password. */
static int refuse_password(const struct nl_campaign_draft *draft, int line, int column)
{
	struct nl_error *err = draft->source.err;
	nl_error_set(err, NL_E_CONFIG, "a password must not stand in a campaign");
	nl_error_where(err, "%s:%d:%d", draft->source.name, line, column);
	nl_error_why(err, "campaigns are stored, shown and passed on");
	nl_error_todo(err, "put it in a file that only you can read: password: { file: PATH }");
	return NL_E_CONFIG;
}

static int refuse_unknown(const struct nl_campaign_draft *draft, const char *prefix, const struct nl_tree_node *node)
{
	char leaves[32][64], list[300] = "";
	const char *names[32];
	size_t count = 0, used = 0;
	if (!strcmp(prefix, "shares[].password."))
		return refuse_password(draft, node->key_line, node->key_column);
	for (size_t i = 0; i < nl_key_count && count < 32; i++) {
		if (!nl_key_in(&nl_keys[i], prefix))
			continue;
		names[count] = nl_key_leaf(&nl_keys[i], leaves[count]);
		if (used < sizeof list)
			used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", count ? ", " : "",
						 names[count]);
		count++;
	}
	struct nl_error *err = draft->source.err;
	const char *near = nl_nearest(node->key, names, count);
	nl_error_set(err, NL_E_CONFIG, "unknown key \"%.60s\"", node->key);
	nl_error_where(err, "%s:%d:%d", draft->source.name, node->key_line, node->key_column);
	if (*prefix)
		nl_error_why(err, "\"%.*s\" has the keys %s", (int)strcspn(prefix, "[."), prefix, list);
	else
		nl_error_why(err, "a campaign has the keys %s", list);
	if (near)
		nl_error_todo(err, "did you mean \"%s\"?", near);
	return NL_E_CONFIG;
}

static int want_required(const struct nl_campaign_draft *draft, const char *prefix, const struct nl_tree_node *map)
{
	char leaf[64];
	for (size_t i = 0; i < nl_key_count; i++) {
		const struct nl_key *key = &nl_keys[i];
		if (!key->required || !nl_key_in(key, prefix) || nl_tree_get(map, nl_key_leaf(key, leaf)))
			continue;
		nl_key_refuse(&draft->source, map, "the key \"%s\" is missing", leaf);
		nl_error_why(draft->source.err, "%s", key->meaning);
		return NL_E_CONFIG;
	}
	return 0;
}

/* `line: off`, or something else that is no map. */
static int read_switch(struct nl_campaign_draft *draft, const struct nl_key *key, const struct nl_tree_node *node,
		       char *base)
{
	struct nl_key flag = *key;
	flag.type = &nl_type_flag;
	if (key->size && node->kind == NL_TREE_SCALAR && !nl_tree_null(node))
		return nl_type_flag.read(&draft->source, &flag, node, base + key->offset);
	if (!strcmp(key->path, "shares[].password"))
		return refuse_password(draft, node->line, node->column);
	nl_key_refuse(&draft->source, node, "%s takes a map of keys", key->path);
	nl_error_why(draft->source.err, "%s stands here", nl_tree_null(node) ? "nothing" : nl_tree_kind_name(node));
	return NL_E_CONFIG;
}

static int read_section(struct nl_campaign_draft *draft, const struct nl_key *key, const struct nl_tree_node *node,
			char *base)
{
	char prefix[PATH_MAX_BYTES];
	if (node->kind != NL_TREE_MAP)
		return read_switch(draft, key, node, base);
	if (key->size)
		*(bool *)(base + key->offset) = true;
	snprintf(prefix, sizeof prefix, "%s.", key->path);
	return read_map(draft, prefix, node, base);
}

/* A share whose nconnect is a list stands for one share for each number. */
static unsigned variants_of(const struct nl_tree_node *element, char *suffix, size_t size, unsigned variant)
{
	const struct nl_tree_node *list = nl_tree_get(element, "nconnect");
	suffix[0] = '\0';
	if (!list || list->kind != NL_TREE_LIST)
		return 1;
	unsigned count = 0;
	for (const struct nl_tree_node *item = list->child; item; item = item->next, count++)
		if (count == variant && item->kind == NL_TREE_SCALAR)
			snprintf(suffix, size, "-nconnect%s", item->text);
	return count ? count : 1;
}

static int add_suffix(const struct nl_campaign_draft *draft, struct nl_campaign_share *share, const char *suffix,
		      const struct nl_tree_node *node)
{
	size_t used = strlen(share->name), len = strlen(suffix);
	if (used + len > nl_key_find("shares[].name")->max)
		return nl_key_refuse(&draft->source, node, "the name is too long to take \"%.40s\"", suffix);
	memcpy(share->name + used, suffix, len + 1);
	return 0;
}

static int read_element(struct nl_campaign_draft *draft, const struct nl_key *key, const struct nl_tree_node *node,
			char *base)
{
	char prefix[PATH_MAX_BYTES], suffix[48] = "";
	unsigned *count = (unsigned *)(void *)(base + key->count_offset);
	bool shares = key->size == sizeof(struct nl_campaign_share);
	unsigned variants = 1;
	snprintf(prefix, sizeof prefix, "%s.", key->path);
	for (unsigned variant = 0; variant < variants; variant++) {
		char *element = base + key->offset + (size_t)*count * key->size;
		if (*count >= key->max)
			return nl_key_refuse(&draft->source, node, "%s has more than %d elements", key->path,
					     NL_CAMPAIGN_LIST_MAX);
		if (node->kind != NL_TREE_MAP)
			return nl_key_refuse(&draft->source, node, "an element of %s is a map of keys", key->path);
		variants = shares ? variants_of(node, suffix, sizeof suffix, variant) : 1;
		memset(element, 0, key->size);
		draft->source.variant = variant;
		int code = set_initials(prefix, element, draft->source.err);
		if (!code)
			code = read_map(draft, prefix, node, element);
		if (!code && *suffix)
			code = add_suffix(draft, (struct nl_campaign_share *)(void *)element, suffix, node);
		if (code)
			return code;
		(shares ? draft->shares : draft->clients)[(*count)++] = node;
	}
	return 0;
}

static int read_list(struct nl_campaign_draft *draft, const struct nl_key *key, const struct nl_tree_node *node,
		     char *base)
{
	int code = 0;
	if (node->kind != NL_TREE_LIST)
		return nl_key_refuse(&draft->source, node, "%s is a list of maps", key->path);
	for (const struct nl_tree_node *item = node->child; item && !code; item = item->next)
		code = read_element(draft, key, item, base);
	return code;
}

static int read_value(struct nl_campaign_draft *draft, const struct nl_key *key, const struct nl_tree_node *map,
		      const struct nl_tree_node *node, char *base)
{
	char leaf[64];
	const struct nl_key *other = key->alias_of ? nl_key_find(key->alias_of) : NULL;
	if (other && nl_tree_get(map, nl_key_leaf(other, leaf)))
		return nl_key_refuse(&draft->source, node, "%s is given as \"%s\" too", key->path, leaf);
	return key->type->read(&draft->source, key, node, base + key->offset);
}

/* Reads a map by the rows that begin with `prefix`; `base` is the campaign or the list's element. */
static int read_map(struct nl_campaign_draft *draft, const char *prefix, const struct nl_tree_node *map, char *base)
{
	char path[PATH_MAX_BYTES];
	for (const struct nl_tree_node *node = map->child; node; node = node->next) {
		snprintf(path, sizeof path, "%s%.100s", prefix, node->key);
		const struct nl_key *key = strpbrk(node->key, ".[]") ? NULL : nl_key_find(path);
		int code;
		if (!key) {
			snprintf(path, sizeof path, "%s%.100s[]", prefix, node->key);
			key = strpbrk(node->key, ".[]") ? NULL : nl_key_find(path);
		}
		if (!key)
			code = refuse_unknown(draft, prefix, node);
		else if (key->type == &nl_type_section)
			code = read_section(draft, key, node, base);
		else if (key->type == &nl_type_list)
			code = read_list(draft, key, node, base);
		else
			code = read_value(draft, key, map, node, base);
		if (code)
			return code;
	}
	return *prefix ? want_required(draft, prefix, map) : 0;
}

/* A part that is off says nothing, so that two campaigns which do the same are the same. */
static void clear_what_is_off(struct nl_campaign *campaign)
{
	if (!campaign->line.enabled)
		memset(&campaign->line, 0, sizeof campaign->line);
	if (!campaign->pool.enabled)
		memset(&campaign->pool, 0, sizeof campaign->pool);
}

static int refuse_preset(const char *name, struct nl_error *err)
{
	char list[200] = "";
	size_t used = 0;
	const char *near = nl_preset_nearest(name);
	for (size_t i = 0; i < nl_preset_count && used < sizeof list; i++)
		used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", nl_presets[i].name);
	nl_error_set(err, NL_E_NOT_FOUND, "there is no preset \"%.60s\"", name);
	nl_error_why(err, "presets are %s", list);
	if (near)
		nl_error_todo(err, "did you mean \"%s\"?", near);
	return NL_E_NOT_FOUND;
}

/* Initial values and the preset's own, which may leave out what only a campaign knows. */
static int begin_from(const char *name, struct nl_campaign *campaign, struct nl_error *err)
{
	struct nl_tree_node *root = NULL;
	const struct nl_preset *preset = nl_preset_find(name);
	memset(campaign, 0, sizeof *campaign);
	if (!preset)
		return refuse_preset(name, err);
	int code = set_initials("", (char *)campaign, err);
	if (!code)
		code = nl_tree_parse(preset->text, preset->len, name, &root, err);
	struct nl_campaign_draft draft = {{name, 0, err}, root, {NULL}, {NULL}, campaign};
	if (!code && root->kind == NL_TREE_MAP)
		code = read_map(&draft, "", root, (char *)campaign);
	nl_tree_free(root);
	snprintf(campaign->preset, sizeof campaign->preset, "%s", preset->name);
	return code;
}

int nl_campaign_preset(const char *preset, struct nl_campaign *campaign, struct nl_error *err)
{
	int code = begin_from(preset, campaign, err);
	clear_what_is_off(campaign);
	return code;
}

static int begin_from_file(struct nl_campaign_draft *draft)
{
	const struct nl_tree_node *node = nl_tree_get(draft->root, "preset");
	char name[sizeof draft->campaign->preset] = "quick";
	const struct nl_key *key = nl_key_find("preset");
	int code = node ? key->type->read(&draft->source, key, node, name) : 0;
	if (code)
		return code;
	code = begin_from(name, draft->campaign, draft->source.err);
	if (code == NL_E_NOT_FOUND) {
		if (draft->source.err)
			draft->source.err->code = NL_E_CONFIG;
		nl_error_where(draft->source.err, "%s:%d:%d", draft->source.name, node ? node->line : 1,
			       node ? node->column : 1);
		code = NL_E_CONFIG;
	}
	memset(draft->campaign->title, 0, sizeof draft->campaign->title);
	return code;
}

int nl_campaign_parse(const char *text, size_t len, const char *name, struct nl_campaign *campaign,
		      struct nl_error *err)
{
	struct nl_tree_node *root = NULL;
	struct nl_campaign_draft draft = {{name, 0, err}, NULL, {NULL}, {NULL}, campaign};
	if (len > NL_CAMPAIGN_FILE_MAX) {
		nl_key_refuse(&draft.source, NULL, "the campaign is too long");
		nl_error_why(err, "it has more than 1 MiB");
		return NL_E_CONFIG;
	}
	int code = nl_tree_parse(text, len, name, &root, err);
	if (!code && root->kind != NL_TREE_MAP)
		code = nl_key_refuse(&draft.source, root, "a campaign is a map of keys");
	draft.root = root;
	if (!code)
		code = begin_from_file(&draft);
	if (!code)
		code = read_map(&draft, "", root, (char *)campaign);
	if (!code)
		code = want_required(&draft, "", root);
	if (!code)
		code = nl_campaign_check(&draft);
	if (!code)
		clear_what_is_off(campaign);
	nl_tree_free(root);
	return code;
}

int nl_campaign_load(const char *path, struct nl_campaign *campaign, struct nl_error *err)
{
	char *text = NULL;
	size_t len = 0;
	int code = nl_file_read(path, NL_CAMPAIGN_FILE_MAX, &text, &len, err);
	if (code == NL_E_PROTOCOL) {
		nl_error_set(err, NL_E_CONFIG, "the campaign is too long");
		nl_error_where(err, "%s:1:1", path);
		nl_error_why(err, "it has more than 1 MiB");
		return NL_E_CONFIG;
	}
	if (!code)
		code = nl_campaign_parse(text, len, path, campaign, err);
	free(text);
	return code;
}

const char *nl_workload_name(enum nl_workload workload)
{
	const struct nl_key *key = nl_key_find("streams.workloads");
	return (unsigned)workload < NL_WORKLOAD_COUNT ? key->words[workload] : "unknown";
}
