/*
 * options: reads a command line by a table, and writes the help from the same table.
 */
#include "base/options.h"

#include <inttypes.h>
#include <string.h>

#include "base/parse.h"
#include "base/units.h"

#define HELP_COLUMNS      100
#define HELP_NAME_COLUMNS 26
#define WORD_MAX          64

/* The walk over argv: where it is, and where arguments go. */
struct walk {
	const struct nl_command *command;
	char **argv;
	int argc, next;
	const char **arguments;
	size_t count;
	struct nl_error *err;
};

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Edit distance with swaps of neighbours counted once, by three rows of the table. */
static size_t distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t rows[3][WORD_MAX + 1];
	for (size_t j = 0; j <= b_len; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= a_len; i++) {
		size_t *now = rows[i % 3], *before = rows[(i + 2) % 3], *twice = rows[(i + 1) % 3];
		now[0] = i;
		for (size_t j = 1; j <= b_len; j++) {
			size_t best = before[j - 1] + (a[i - 1] != b[j - 1]);
			best = smaller(best, smaller(before[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				best = smaller(best, twice[j - 2] + 1);
			now[j] = best;
		}
	}
	return rows[a_len % 3][b_len];
}

const char *nl_nearest(const char *word, const char *const *candidates, size_t count)
{
	size_t len = strlen(word);
	if (len == 0 || len > WORD_MAX)
		return NULL;
	size_t best = len / 3 > 1 ? len / 3 : 1;
	const char *nearest = NULL;
	for (size_t i = 0; i < count; i++) {
		size_t candidate_len = candidates[i] ? strlen(candidates[i]) : 0;
		if (candidate_len == 0 || candidate_len > WORD_MAX)
			continue;
		size_t d = distance(word, len, candidates[i], candidate_len);
		if (d < best || (d == best && !nearest)) {
			best = d;
			nearest = candidates[i];
		}
	}
	return nearest;
}

/* Every refusal ends here, so that each names the command whose help tells more. */
static int refuse(const struct walk *walk, const char *what, const char *near)
{
	nl_error_set(walk->err, NL_E_USAGE, "%s", what);
	if (near)
		nl_error_todo(walk->err, "did you mean --%s? See '%s --help'", near, walk->command->name);
	else
		nl_error_todo(walk->err, "see '%s --help'", walk->command->name);
	return NL_E_USAGE;
}

static int refuse_unknown(const struct walk *walk, const char *name, size_t len)
{
	const struct nl_command *command = walk->command;
	char word[WORD_MAX + 1], what[120];
	snprintf(what, sizeof what, "there is no option --%.*s", (int)smaller(len, 80), name);
	const char *near = NULL, *help = "help";
	size_t best = WORD_MAX;
	if (len <= WORD_MAX) {
		snprintf(word, sizeof word, "%.*s", (int)len, name);
		near = nl_nearest(word, &help, 1);
		best = near ? distance(word, len, near, strlen(near)) : best;
		for (size_t i = 0; i < command->option_count; i++) {
			const char *candidate = nl_nearest(word, &command->options[i].name, 1);
			size_t d = candidate ? distance(word, len, candidate, strlen(candidate)) : best;
			if (d < best) {
				best = d;
				near = candidate;
			}
		}
	}
	return refuse(walk, what, near);
}

static int check_range(const struct walk *walk, const struct nl_option *option, const char *text, uint64_t value)
{
	if ((option->min == 0 && option->max == 0) ||
	    (value >= option->min && (option->max == 0 || value <= option->max)))
		return 0;
	char what[300], low[32], high[32];
	switch (option->type) {
	case NL_OPTION_BYTES:
		nl_units_bytes_binary(option->min, low, sizeof low);
		nl_units_bytes_binary(option->max, high, sizeof high);
		break;
	case NL_OPTION_DURATION:
		nl_units_ns((int64_t)option->min, low, sizeof low);
		nl_units_ns((int64_t)option->max, high, sizeof high);
		break;
	default:
		snprintf(low, sizeof low, "%" PRIu64, option->min);
		snprintf(high, sizeof high, "%" PRIu64, option->max);
	}
	if (option->max)
		snprintf(what, sizeof what, "--%s is %.60s, but must be from %s to %s", option->name, text, low, high);
	else
		snprintf(what, sizeof what, "--%s is %.60s, but must be at least %s", option->name, text, low);
	return refuse(walk, what, NULL);
}

static int store_value(const struct walk *walk, const struct nl_option *option, const char *text)
{
	uint64_t value = 0;
	int64_t ns = 0;
	struct nl_error reason = {0};
	bool good = true;
	switch (option->type) {
	case NL_OPTION_FLAG:
		*(bool *)option->value = true;
		return 0;
	case NL_OPTION_TEXT:
		*(const char **)option->value = text;
		return 0;
	case NL_OPTION_UINT:
		good = nl_parse_u64(text, &value);
		break;
	case NL_OPTION_BYTES:
		good = nl_units_parse_bytes(text, &value, &reason) == 0;
		break;
	case NL_OPTION_DURATION:
		good = nl_units_parse_ns(text, &ns, &reason) == 0;
		value = (uint64_t)ns;
		break;
	}
	if (!good) {
		char what[200];
		snprintf(what, sizeof what, "--%.40s cannot be \"%.40s\": %.80s", option->name, text,
			 reason.why[0] ? reason.why : "it is not a whole number");
		return refuse(walk, what, NULL);
	}
	int code = check_range(walk, option, text, value);
	if (code)
		return code;
	if (option->type == NL_OPTION_DURATION)
		*(int64_t *)option->value = ns;
	else
		*(uint64_t *)option->value = value;
	return 0;
}

/* Stores the value that stands behind the option, or the next word. */
static int take_value(struct walk *walk, const struct nl_option *option, const char *attached)
{
	if (attached)
		return store_value(walk, option, attached);
	if (walk->next < walk->argc)
		return store_value(walk, option, walk->argv[walk->next++]);
	char what[120];
	snprintf(what, sizeof what, "--%s needs a value (%s)", option->name,
		 option->metavar ? option->metavar : "VALUE");
	return refuse(walk, what, NULL);
}

static int take_long(struct walk *walk, const char *name)
{
	size_t len = strcspn(name, "=");
	const char *attached = name[len] == '=' ? name + len + 1 : NULL;
	for (size_t i = 0; i < walk->command->option_count; i++) {
		const struct nl_option *option = &walk->command->options[i];
		if (strlen(option->name) != len || strncmp(option->name, name, len) != 0)
			continue;
		if (option->type != NL_OPTION_FLAG)
			return take_value(walk, option, attached);
		if (!attached)
			return store_value(walk, option, NULL);
		char what[120];
		snprintf(what, sizeof what, "--%s takes no value", option->name);
		return refuse(walk, what, NULL);
	}
	return refuse_unknown(walk, name, len);
}

static const struct nl_option *find_letter(const struct nl_command *command, char letter)
{
	for (size_t i = 0; i < command->option_count; i++)
		if (command->options[i].letter && command->options[i].letter == letter)
			return &command->options[i];
	return NULL;
}

/* One word of short options: flags may be joined, the first one with a value takes the rest of the word. */
static int take_letters(struct walk *walk, const char *letters)
{
	for (; *letters; letters++) {
		const struct nl_option *option = find_letter(walk->command, *letters);
		if (!option) {
			char what[64];
			snprintf(what, sizeof what, "there is no option -%c", *letters);
			return refuse(walk, what, NULL);
		}
		if (option->type != NL_OPTION_FLAG)
			return take_value(walk, option, letters[1] ? letters + 1 : NULL);
		int code = store_value(walk, option, NULL);
		if (code)
			return code;
	}
	return 0;
}

static bool wants_help(const struct nl_command *command, int argc, char **argv)
{
	bool letter = !find_letter(command, 'h');
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (!strcmp(argv[i], "--help") || (letter && !strcmp(argv[i], "-h")))
			return true;
	return false;
}

static int check_count(const struct walk *walk)
{
	char what[200];
	const struct nl_command *command = walk->command;
	if (walk->count < command->argument_min)
		snprintf(what, sizeof what, "an argument is missing: %s %s", command->name, command->arguments);
	else if (walk->count > command->argument_max)
		snprintf(what, sizeof what, "one argument too many: \"%.80s\"", walk->arguments[command->argument_max]);
	else
		return 0;
	return refuse(walk, what, NULL);
}

int nl_options_parse(const struct nl_command *command, int argc, char **argv, const char **arguments,
		     size_t *argument_count, bool *help, struct nl_error *err)
{
	struct walk walk = {command, argv, argc, 1, arguments, 0, err};
	bool ended = false;
	*argument_count = 0;
	*help = wants_help(command, argc, argv);
	if (*help)
		return 0;
	while (walk.next < argc) {
		const char *word = argv[walk.next++];
		int code = 0;
		if (ended || word[0] != '-' || word[1] == '\0')
			arguments[walk.count++] = word;
		else if (!strcmp(word, "--"))
			ended = true;
		else if (word[1] == '-')
			code = take_long(&walk, word + 2);
		else
			code = take_letters(&walk, word + 1);
		if (code)
			return code;
	}
	*argument_count = walk.count;
	return check_count(&walk);
}

/* Writes text from the present column on, breaking between words, further lines indented by `indent`. */
static void write_wrapped(const char *text, size_t column, size_t indent, FILE *out)
{
	bool fresh = true;
	while (*(text += strspn(text, " "))) {
		size_t len = strcspn(text, " ");
		if (!fresh && column + 1 + len > HELP_COLUMNS) {
			fprintf(out, "\n%*s", (int)indent, "");
			column = indent;
			fresh = true;
		}
		fprintf(out, "%s%.*s", fresh ? "" : " ", (int)len, text);
		column += len + !fresh;
		fresh = false;
		text += len;
	}
	fputc('\n', out);
}

static size_t name_text(const struct nl_option *option, char *buf, size_t size)
{
	char letter[8] = "    ";
	if (option->letter)
		snprintf(letter, sizeof letter, "-%c, ", option->letter);
	int len = snprintf(buf, size, "  %s--%s%s%s", letter, option->name, option->metavar ? " " : "",
			   option->metavar ? option->metavar : "");
	return len < 0 ? 0 : smaller((size_t)len, size - 1);
}

static void write_option(const struct nl_option *option, size_t column, FILE *out)
{
	char name[120];
	size_t len = name_text(option, name, sizeof name);
	fputs(name, out);
	if (len + 2 > column)
		fprintf(out, "\n%*s", (int)column, "");
	else
		fprintf(out, "%*s", (int)(column - len), "");
	write_wrapped(option->help, column, column, out);
}

void nl_options_help(const struct nl_command *command, FILE *out)
{
	struct nl_option help = {
		.name = "help", .letter = find_letter(command, 'h') ? 0 : 'h', .help = "Show this help."};
	char name[120];
	size_t column = name_text(&help, name, sizeof name) + 2;
	for (size_t i = 0; i < command->option_count; i++) {
		size_t len = name_text(&command->options[i], name, sizeof name) + 2;
		if (len > column && len <= HELP_NAME_COLUMNS + 2)
			column = len;
	}
	fprintf(out, "Usage: %s [OPTION]...%s%s\n\n", command->name, command->arguments[0] ? " " : "",
		command->arguments);
	write_wrapped(command->summary, 0, 0, out);
	fputs("\nOptions:\n", out);
	for (size_t i = 0; i < command->option_count; i++)
		write_option(&command->options[i], column, out);
	write_option(&help, column, out);
	if (command->examples && command->examples[0])
		fputs("\nExamples:\n", out);
	for (const char *const *example = command->examples; example && *example; example++)
		fprintf(out, "  %s\n", *example);
}
