/*
 * tree: builds the tree from libfyaml's events; the only file that knows libfyaml. Events rather than libfyaml's own
 * documents, so that the bounds hold while reading and not after.
 */
#include "controller/campaign/tree.h"

#include <assert.h>
#include <libfyaml.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct builder {
	struct fy_parser *parser;
	struct fy_diag *diag;
	const char *name;
	struct nl_error *err;
	unsigned nodes;
};

static int refuse_at(const struct builder *b, int line, int column, const char *what, const char *why)
{
	nl_error_set(b->err, NL_E_CONFIG, "%s", what);
	nl_error_where(b->err, "%s:%d:%d", b->name, line, column);
	nl_error_why(b->err, "%s", why);
	return NL_E_CONFIG;
}

/* Marks count from 0, and those of quoted texts and aliases stand behind the sign that opens them. */
static void position_of(struct fy_event *event, int *line, int *column)
{
	const struct fy_mark *mark = fy_event_start_mark(event);
	bool behind = event->type == FYET_ALIAS;
	if (event->type == FYET_SCALAR && event->scalar.value) {
		enum fy_scalar_style style = fy_token_scalar_style(event->scalar.value);
		behind = style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED;
	}
	*line = mark ? mark->line + 1 : 1;
	*column = mark ? mark->column + (behind && mark->column > 0 ? 0 : 1) : 1;
}

static int refuse_event(const struct builder *b, struct fy_event *event, const char *what, const char *why)
{
	int line, column;
	position_of(event, &line, &column);
	return refuse_at(b, line, column, what, why);
}

/* The parser gave up: its first collected error has the position and the reason. */
static int refuse_syntax(const struct builder *b)
{
	void *cursor = NULL;
	const struct fy_diag_error *found = fy_diag_errors_iterate(b->diag, &cursor);
	if (!found)
		return refuse_at(b, 1, 1, "this is not readable as YAML or JSON",
				 "the text breaks off or is malformed");
	/* Unlike marks, these count from 1. */
	return refuse_at(b, found->line > 0 ? found->line : 1, found->column > 0 ? found->column : 1,
			 "this is not readable as YAML or JSON", found->msg ? found->msg : "the text is malformed");
}

/* The next event, to be freed by the caller; NULL after an error, which is then set. */
static struct fy_event *next_event(const struct builder *b, int *code)
{
	struct fy_event *event = fy_parser_parse(b->parser);
	*code = event ? 0 : refuse_syntax(b);
	return event;
}

static char *copy_token(struct fy_token *token)
{
	size_t len = 0;
	const char *text = token ? fy_token_get_text(token, &len) : "";
	return text ? strndup(text, len) : NULL;
}

static bool has_anchor_or_tag(const struct fy_event *event)
{
	switch (event->type) {
	case FYET_SCALAR:
		return event->scalar.anchor || event->scalar.tag;
	case FYET_SEQUENCE_START:
		return event->sequence_start.anchor || event->sequence_start.tag;
	case FYET_MAPPING_START:
		return event->mapping_start.anchor || event->mapping_start.tag;
	default:
		return false;
	}
}

static struct nl_tree_node *make_node(struct fy_event *event)
{
	struct nl_tree_node *node = calloc(1, sizeof *node);
	if (!node)
		return NULL;
	position_of(event, &node->line, &node->column);
	node->key_line = node->line;
	node->key_column = node->column;
	if (event->type == FYET_SEQUENCE_START)
		node->kind = NL_TREE_LIST;
	else if (event->type == FYET_MAPPING_START)
		node->kind = NL_TREE_MAP;
	else
		node->text = copy_token(event->scalar.value);
	if (event->type == FYET_SCALAR)
		node->quoted = event->scalar.value && fy_token_scalar_style(event->scalar.value) != FYSS_PLAIN;
	if (node->kind == NL_TREE_SCALAR && !node->text) {
		free(node);
		return NULL;
	}
	return node;
}

static int build(struct builder *b, struct fy_event *event, unsigned depth, struct nl_tree_node **node);

static int build_list(struct builder *b, unsigned depth, struct nl_tree_node *list)
{
	struct nl_tree_node **tail = &list->child;
	for (;;) {
		int code;
		struct fy_event *event = next_event(b, &code);
		if (!event)
			return code;
		bool end = event->type == FYET_SEQUENCE_END;
		if (!end)
			code = build(b, event, depth, tail);
		fy_parser_event_free(b->parser, event);
		if (code || end)
			return code;
		assert(*tail);
		tail = &(*tail)->next;
	}
}

static int take_key(const struct builder *b, struct fy_event *event, const struct nl_tree_node *map, char **key)
{
	if (event->type != FYET_SCALAR || has_anchor_or_tag(event))
		return refuse_event(b, event, "a key is not a plain word", "only simple keys are understood");
	*key = copy_token(event->scalar.value);
	if (!*key)
		return refuse_event(b, event, "a key cannot be read", "out of memory");
	const struct nl_tree_node *before = nl_tree_get(map, *key);
	if (!before)
		return 0;
	refuse_event(b, event, "a key is given twice", "");
	nl_error_why(b->err, "\"%.60s\" stands at line %d, column %d already", *key, before->key_line,
		     before->key_column);
	return NL_E_CONFIG;
}

static int build_pair(struct builder *b, struct fy_event *key_event, unsigned depth, struct nl_tree_node *map,
		      struct nl_tree_node **tail)
{
	char *key = NULL;
	int code = take_key(b, key_event, map, &key);
	struct fy_event *event = code ? NULL : next_event(b, &code);
	if (event)
		code = build(b, event, depth, tail);
	fy_parser_event_free(b->parser, event);
	if (code) {
		free(key);
		return code;
	}
	assert(*tail);
	(*tail)->key = key;
	position_of(key_event, &(*tail)->key_line, &(*tail)->key_column);
	return 0;
}

static int build_map(struct builder *b, unsigned depth, struct nl_tree_node *map)
{
	struct nl_tree_node **tail = &map->child;
	for (;;) {
		int code;
		struct fy_event *event = next_event(b, &code);
		if (!event)
			return code;
		bool end = event->type == FYET_MAPPING_END;
		if (!end)
			code = build_pair(b, event, depth, map, tail);
		fy_parser_event_free(b->parser, event);
		if (code || end)
			return code;
		assert(*tail);
		tail = &(*tail)->next;
	}
}

/* On failure *node may hold a part, linked where the caller frees it. */
static int build(struct builder *b, struct fy_event *event, unsigned depth, struct nl_tree_node **node)
{
	if (event->type == FYET_ALIAS || has_anchor_or_tag(event))
		return refuse_event(b, event, "anchors, aliases and tags are not understood here",
				    "write the value itself");
	if (depth >= NL_TREE_DEPTH_MAX)
		return refuse_event(b, event, "this is nested too deeply", "a campaign needs 4 levels");
	if (++b->nodes > NL_TREE_NODES_MAX)
		return refuse_event(b, event, "there are too many values", "a campaign needs some hundreds");
	*node = make_node(event);
	if (!*node)
		return refuse_event(b, event, "a value cannot be read", "out of memory, or its text is malformed");
	if ((*node)->kind == NL_TREE_LIST)
		return build_list(b, depth + 1, *node);
	if ((*node)->kind == NL_TREE_MAP)
		return build_map(b, depth + 1, *node);
	return 0;
}

/* Walks the stream: exactly one document. */
static int build_stream(struct builder *b, struct nl_tree_node **root)
{
	for (;;) {
		int code = 0;
		struct fy_event *event = next_event(b, &code);
		if (!event)
			return code;
		enum fy_event_type type = event->type;
		if (type == FYET_STREAM_END && !*root)
			code = refuse_at(b, 1, 1, "there is nothing in it", "the text is empty");
		else if (type == FYET_DOCUMENT_START && *root)
			code = refuse_event(b, event, "a second document begins", "one file is one campaign");
		else if (type != FYET_STREAM_START && type != FYET_STREAM_END && type != FYET_DOCUMENT_START &&
			 type != FYET_DOCUMENT_END)
			code = build(b, event, 0, root);
		fy_parser_event_free(b->parser, event);
		if (code || type == FYET_STREAM_END)
			return code;
	}
}

/* The length of the well-formed UTF-8 sequence at p (at most `left` bytes), or 0. */
static size_t utf8_length(const unsigned char *p, size_t left)
{
	size_t len = p[0] < 0x80 ? 1 : p[0] >= 0xc2 && p[0] < 0xe0 ? 2 : (p[0] & 0xf0) == 0xe0 ? 3 : 0;
	if (p[0] >= 0xf0 && p[0] < 0xf5)
		len = 4;
	if (len == 0 || len > left)
		return 0;
	for (size_t i = 1; i < len; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) || (p[0] == 0xf0 && p[1] < 0x90) ||
	    (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return len;
}

/* Texts that no editor writes never reach libfyaml: bytes that are not UTF-8, and control characters. */
static int check_characters(const struct builder *b, const char *text, size_t len)
{
	int line = 1, column = 1;
	for (size_t i = 0; i < len;) {
		unsigned char c = (unsigned char)text[i];
		size_t length = utf8_length((const unsigned char *)text + i, len - i);
		if (length == 0)
			return refuse_at(b, line, column, "this is not text", "a byte is not UTF-8");
		if ((c < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0x7f)
			return refuse_at(b, line, column, "this is not text", "it has a control character");
		i += length;
		column = c == '\n' ? 1 : column + 1;
		line += c == '\n';
	}
	return 0;
}

static int open_parser(struct builder *b, const char *text, size_t len)
{
	struct fy_diag_cfg diag_cfg;
	fy_diag_cfg_default(&diag_cfg);
	diag_cfg.fp = NULL;
	diag_cfg.level = FYET_ERROR;
	b->diag = fy_diag_create(&diag_cfg);
	if (!b->diag)
		return nl_error_set(b->err, NL_E_SYSTEM, "out of memory while reading %s", b->name);
	fy_diag_set_collect_errors(b->diag, true);
	struct fy_parse_cfg cfg = {.search_path = "", .flags = FYPCF_COLLECT_DIAG, .diag = b->diag};
	b->parser = fy_parser_create(&cfg);
	if (!b->parser || fy_parser_set_string(b->parser, text, len))
		return nl_error_set(b->err, NL_E_SYSTEM, "out of memory while reading %s", b->name);
	return 0;
}

int nl_tree_parse(const char *text, size_t len, const char *name, struct nl_tree_node **root, struct nl_error *err)
{
	struct builder b = {.name = name, .err = err};
	*root = NULL;
	int code = check_characters(&b, text, len);
	if (!code && len == 0)
		code = refuse_at(&b, 1, 1, "there is nothing in it", "the text is empty");
	if (!code)
		code = open_parser(&b, text, len);
	if (!code)
		code = build_stream(&b, root);
	if (b.parser)
		fy_parser_destroy(b.parser);
	if (b.diag)
		fy_diag_destroy(b.diag);
	if (code) {
		nl_tree_free(*root);
		*root = NULL;
	}
	return code;
}

void nl_tree_free(struct nl_tree_node *root)
{
	while (root) {
		struct nl_tree_node *next = root->next;
		nl_tree_free(root->child);
		free(root->text);
		free(root->key);
		free(root);
		root = next;
	}
}

const struct nl_tree_node *nl_tree_get(const struct nl_tree_node *map, const char *key)
{
	if (!map || map->kind != NL_TREE_MAP)
		return NULL;
	for (const struct nl_tree_node *node = map->child; node; node = node->next)
		if (node->key && !strcmp(node->key, key))
			return node;
	return NULL;
}

bool nl_tree_null(const struct nl_tree_node *node)
{
	return node->kind == NL_TREE_SCALAR && !node->quoted &&
	       (!*node->text || !strcmp(node->text, "~") || !strcmp(node->text, "null"));
}

const char *nl_tree_kind_name(const struct nl_tree_node *node)
{
	static const char *const names[] = {"a value", "a list", "a map"};
	return names[node->kind];
}
