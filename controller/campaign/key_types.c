/*
 * key_types: how each type of value is read from a campaign file, checked, and written back.
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/options.h"
#include "base/parse.h"
#include "base/units.h"
#include "controller/campaign/campaign.h"
#include "controller/campaign/key.h"
#include "controller/campaign/key_parts.h"

int nl_key_refuse(const struct nl_key_source *source, const struct nl_tree_node *node, const char *what, ...)
{
	char text[200];
	va_list args;
	va_start(args, what);
	vsnprintf(text, sizeof text, what, args);
	va_end(args);
	nl_error_set(source->err, NL_E_CONFIG, "%s", text);
	nl_error_where(source->err, "%s:%d:%d", source->name, node ? node->line : 1, node ? node->column : 1);
	return NL_E_CONFIG;
}

/* Moves the reason that a parser of base gave behind the position in the file. */
static int refuse_with_reason(const struct nl_key_source *source, const struct nl_key *key,
			      const struct nl_tree_node *node, const struct nl_error *reason)
{
	nl_key_refuse(source, node, "%s is wrong", key->path);
	nl_error_why(source->err, "%s%s%s", reason->what, *reason->why ? ": " : "", reason->why);
	nl_error_todo(source->err, "%s", reason->todo);
	return NL_E_CONFIG;
}

int nl_key_want_kind(const struct nl_key_source *source, const struct nl_key *key, const struct nl_tree_node *node,
		     enum nl_tree_kind kind)
{
	if (node->kind == kind && !nl_tree_null(node))
		return 0;
	nl_key_refuse(source, node, "%s takes %s", key->path, key->type->name);
	nl_error_why(source->err, "%s stands here", nl_tree_null(node) ? "nothing" : nl_tree_kind_name(node));
	return NL_E_CONFIG;
}

/* A number or a switch must not stand in quotes: in JSON and YAML alike that makes it a text. */
static int want_plain(const struct nl_key_source *source, const struct nl_key *key, const struct nl_tree_node *node)
{
	int code = nl_key_want_kind(source, key, node, NL_TREE_SCALAR);
	if (code || !node->quoted)
		return code;
	nl_key_refuse(source, node, "%s takes %s", key->path, key->type->name);
	nl_error_why(source->err, "a text in quotes stands here");
	return NL_E_CONFIG;
}

static void print_limit(const struct nl_key *key, uint64_t value, char *buf, size_t size)
{
	FILE *out = fmemopen(buf, size, "w");
	buf[0] = '\0';
	if (!out)
		return;
	key->type->limit(value, out);
	fclose(out);
}

static int want_range(const struct nl_key_source *source, const struct nl_key *key, const struct nl_tree_node *node,
		      uint64_t value)
{
	if ((key->min == 0 && key->max == 0) || (value >= key->min && value <= key->max))
		return 0;
	char low[40], high[40];
	print_limit(key, key->min, low, sizeof low);
	print_limit(key, key->max, high, sizeof high);
	nl_key_refuse(source, node, "%s is out of range", key->path);
	nl_error_why(source->err, "it must be from %s to %s", low, high);
	return NL_E_CONFIG;
}

/* --- texts --- */

static bool text_given(const struct nl_key *key, const void *field)
{
	(void)key;
	return *(const char *)field != '\0';
}

static int text_read(const struct nl_key_source *source, const struct nl_key *key, const struct nl_tree_node *node,
		     void *field)
{
	int code = nl_key_want_kind(source, key, node, NL_TREE_SCALAR);
	if (code)
		return code;
	size_t len = strlen(node->text);
	if (len >= key->size)
		return nl_key_refuse(source, node, "%s is too long: at most %zu bytes", key->path, key->size - 1);
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)node->text[i] < 0x20 || node->text[i] == 0x7f)
			return nl_key_refuse(source, node, "%s has a control character", key->path);
	memset(field, 0, key->size);
	memcpy(field, node->text, len);
	return 0;
}

/* Double quotes read the same in YAML and JSON; text_read lets no control character in. */
static void text_write(const struct nl_key *key, const void *field, FILE *out)
{
	(void)key;
	fputc('"', out);
	for (const char *p = field; *p; p++) {
		if (*p == '"' || *p == '\\')
			fputc('\\', out);
		fputc(*p, out);
	}
	fputc('"', out);
}

const struct nl_key_type nl_type_text = {"a text", text_read, text_write, text_given, NULL};

static int name_read(const struct nl_key_source *source, const struct nl_key *key, const struct nl_tree_node *node,
		     void *field)
{
	int code = text_read(source, key, node, field);
	if (code)
		return code;
	const char *name = field;
	size_t len = strlen(name);
	if (len && len == strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") && name[0] != '-' &&
	    name[len - 1] != '-' && (!key->max || len <= key->max))
		return 0;
	nl_key_refuse(source, node, "%s is not a name", key->path);
	nl_error_why(source->err, "a name has 1 to %" PRIu64 " of a-z, 0-9 and '-', and no '-' at either end",
		     key->max ? key->max : (uint64_t)key->size - 1);
	return NL_E_CONFIG;
}

void nl_key_uint_limit(uint64_t value, FILE *out)
{
	fprintf(out, "%" PRIu64, value);
}

static void name_limit(uint64_t value, FILE *out)
{
	fprintf(out, "%" PRIu64 " bytes", value);
}

const struct nl_key_type nl_type_name = {"a name", name_read, text_write, text_given, name_limit};

/* --- numbers --- */

static uint64_t load_number(const struct nl_key *key, const void *field)
{
	uint32_t narrow;
	uint64_t wide;
	if (key->size == sizeof narrow) {
		memcpy(&narrow, field, sizeof narrow);
		return narrow;
	}
	memcpy(&wide, field, sizeof wide);
	return wide;
}

void nl_key_store_number(const struct nl_key *key, uint64_t value, void *field)
{
	uint32_t narrow = (uint32_t)value;
	if (key->size == sizeof narrow)
		memcpy(field, &narrow, sizeof narrow);
	else
		memcpy(field, &value, sizeof value);
}

/* Zero in a field whose smallest value is above it means that nothing was said. */
bool nl_key_number_given(const struct nl_key *key, const void *field)
{
	return load_number(key, field) != 0 || key->min == 0 || key->words;
}

int nl_key_uint_read(const struct nl_key_source *source, const struct nl_key *key, const struct nl_tree_node *node,
		     void *field)
{
	uint64_t value;
	int code = want_plain(source, key, node);
	if (code)
		return code;
	if (!nl_parse_u64(node->text, &value))
		return nl_key_refuse(source, node, "%s takes %s, not \"%.40s\"", key->path, key->type->name,
				     node->text);
	code = want_range(source, key, node, value);
	if (!code)
		nl_key_store_number(key, value, field);
	return code;
}

void nl_key_uint_write(const struct nl_key *key, const void *field, FILE *out)
{
	uint64_t value = load_number(key, field);
	if (value == 0 && key->words)
		fputs(key->words[0], out);
	else
		fprintf(out, "%" PRIu64, value);
}

const struct nl_key_type nl_type_uint = {"a whole number", nl_key_uint_read, nl_key_uint_write, nl_key_number_given,
					 nl_key_uint_limit};

/* With words: the first of them stands for 0 ("auto"). */
static int bytes_read(const struct nl_key_source *source, const struct nl_key *key, const struct nl_tree_node *node,
		      void *field)
{
	uint64_t value = 0;
	struct nl_error reason;
	int code = nl_key_want_kind(source, key, node, NL_TREE_SCALAR);
	if (code)
		return code;
	if (key->words && !strcmp(node->text, key->words[0])) {
		nl_key_store_number(key, 0, field);
		return 0;
	}
	if (nl_units_parse_bytes(node->text, &value, &reason))
		return refuse_with_reason(source, key, node, &reason);
	code = want_range(source, key, node, value);
	if (!code)
		nl_key_store_number(key, value, field);
	return code;
}

static void bytes_limit(uint64_t value, FILE *out)
{
	char buf[32];
	fputs(nl_units_bytes_binary(value, buf, sizeof buf), out);
}

const struct nl_key_type nl_type_bytes = {"a size", bytes_read, nl_key_uint_write, nl_key_number_given, bytes_limit};

static int duration_read(const struct nl_key_source *source, const struct nl_key *key, const struct nl_tree_node *node,
			 void *field)
{
	int64_t value = 0;
	struct nl_error reason;
	int code = nl_key_want_kind(source, key, node, NL_TREE_SCALAR);
	if (code)
		return code;
	if (nl_units_parse_ns(node->text, &value, &reason))
		return refuse_with_reason(source, key, node, &reason);
	code = want_range(source, key, node, (uint64_t)value);
	if (!code)
		memcpy(field, &value, sizeof value);
	return code;
}

/* The largest unit in which the duration is whole. */
static void duration_limit(uint64_t value, FILE *out)
{
	static const struct {
		uint64_t ns;
		const char *unit;
	} units[] = {{UINT64_C(3600000000000), "h"}, {UINT64_C(1000000000), "s"}, {1000000, "ms"}, {1000, "us"}};
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (value && value % units[i].ns == 0) {
			fprintf(out, "%" PRIu64 "%s", value / units[i].ns, units[i].unit);
			return;
		}
	fprintf(out, value ? "%" PRIu64 "ns" : "%" PRIu64 "s", value);
}

static void duration_write(const struct nl_key *key, const void *field, FILE *out)
{
	duration_limit(load_number(key, field), out);
}

const struct nl_key_type nl_type_duration = {"a duration", duration_read, duration_write, nl_key_number_given,
					     duration_limit};

/* A share such as 2%; without the sign it would be anybody's guess whether 0.5 is a half or half a percent. */
static int percent_read(const struct nl_key_source *source, const struct nl_key *key, const struct nl_tree_node *node,
			void *field)
{
	int code = nl_key_want_kind(source, key, node, NL_TREE_SCALAR);
	if (code)
		return code;
	char text[32] = "";
	size_t len = strlen(node->text);
	double value = 0;
	bool sign = len > 1 && len < sizeof text && node->text[len - 1] == '%';
	if (len < sizeof text)
		memcpy(text, node->text, sign ? len - 1 : len);
	bool number = nl_parse_double(text, &value) && (sign || value == 0) && value >= 0 && value <= 100;
	if (!number && strcmp(node->text, "off") != 0)
		return nl_key_refuse(source, node, "%s takes %s such as 2%% (0%% to 100%%), or off", key->path,
				     key->type->name);
	value = number ? value / 100 : 0;
	memcpy(field, &value, sizeof value);
	return 0;
}

static void percent_write(const struct nl_key *key, const void *field, FILE *out)
{
	double value;
	(void)key;
	memcpy(&value, field, sizeof value);
	fprintf(out, "%.15g%%", value * 100);
}

const struct nl_key_type nl_type_percent = {"a percentage", percent_read, percent_write, NULL, NULL};

/* --- words --- */

static size_t word_count(const char *const *words)
{
	size_t count = 0;
	while (words[count])
		count++;
	return count;
}

int nl_key_find_word(const struct nl_key_source *source, const struct nl_key *key, const struct nl_tree_node *node,
		     size_t *index)
{
	int code = nl_key_want_kind(source, key, node, NL_TREE_SCALAR);
	if (code)
		return code;
	size_t count = word_count(key->words);
	for (*index = 0; *index < count; ++*index)
		if (!strcmp(node->text, key->words[*index]))
			return 0;
	nl_key_refuse(source, node, "%s does not know \"%.40s\"", key->path, node->text);
	char known[200] = "";
	size_t used = 0;
	for (size_t i = 0; i < count && used < sizeof known; i++)
		used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", key->words[i]);
	nl_error_why(source->err, "it is one of: %s", known);
	const char *near = nl_nearest(node->text, key->words, count);
	if (near)
		nl_error_todo(source->err, "did you mean %s?", near);
	return NL_E_CONFIG;
}

static int flag_read(const struct nl_key_source *source, const struct nl_key *key, const struct nl_tree_node *node,
		     void *field)
{
	static const char *const words[] = {"true", "false", "yes", "no", "on", "off", NULL};
	struct nl_key any = *key;
	any.words = words;
	size_t index = 0;
	int code = want_plain(source, key, node);
	if (!code)
		code = nl_key_find_word(source, &any, node, &index);
	if (!code)
		*(bool *)field = index % 2 == 0;
	return code;
}

static void flag_write(const struct nl_key *key, const void *field, FILE *out)
{
	(void)key;
	fputs(*(const bool *)field ? "true" : "false", out);
}

const struct nl_key_type nl_type_flag = {"true or false", flag_read, flag_write, NULL, NULL};

/* The index of the word, in an enum or a bool. */
static int word_read(const struct nl_key_source *source, const struct nl_key *key, const struct nl_tree_node *node,
		     void *field)
{
	size_t index = 0;
	int code = nl_key_find_word(source, key, node, &index);
	if (code)
		return code;
	if (key->size == sizeof(bool))
		*(bool *)field = index != 0;
	else
		nl_key_store_number(key, index, field);
	return 0;
}

static void word_write(const struct nl_key *key, const void *field, FILE *out)
{
	size_t index = key->size == sizeof(bool) ? *(const bool *)field : load_number(key, field);
	fputs(index < word_count(key->words) ? key->words[index] : "", out);
}

const struct nl_key_type nl_type_word = {"a word", word_read, word_write, NULL, NULL};

static int word_text_read(const struct nl_key_source *source, const struct nl_key *key, const struct nl_tree_node *node,
			  void *field)
{
	size_t index;
	int code = nl_key_find_word(source, key, node, &index);
	return code ? code : text_read(source, key, node, field);
}

const struct nl_key_type nl_type_word_text = {"a word", word_text_read, text_write, text_given, NULL};

const struct nl_key_type nl_type_section = {"a map", NULL, NULL, NULL, NULL};
const struct nl_key_type nl_type_list = {"a list of maps", NULL, NULL, NULL, NULL};
