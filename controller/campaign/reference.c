/*
 * reference: the part of docs/campaign.md that is made from the table of keys and from the presets.
 */
#include <stdlib.h>
#include <string.h>

#include "controller/campaign/campaign.h"
#include "controller/campaign/key.h"
#include "controller/campaign/preset.h"

static void write_type(const struct nl_key *key, FILE *out)
{
	fputs(key->type->name, out);
	if (!key->words)
		return;
	bool instead = key->type == &nl_type_bytes || key->type == &nl_type_counts;
	fputs(instead ? ", or " : ": ", out);
	for (size_t i = 0; key->words[i]; i++)
		fprintf(out, "%s`%s`", i ? ", " : "", key->words[i]);
}

static void write_range(const struct nl_key *key, FILE *out)
{
	if (key->type == &nl_type_list)
		fprintf(out, "up to %llu", (unsigned long long)key->max);
	if (!key->type->limit || (key->min == 0 && key->max == 0))
		return;
	if (key->min || key->type != &nl_type_name) {
		key->type->limit(key->min, out);
		fputs(" to ", out);
	} else {
		fputs("up to ", out);
	}
	key->type->limit(key->max, out);
}

static void write_initial(const struct nl_key *key, FILE *out)
{
	if (key->required)
		fputs("required", out);
	else if (key->initial && strcmp(key->initial, "\"\"") != 0)
		fprintf(out, "`%s`", key->initial);
	else if (key->type == &nl_type_section && key->size)
		fputs("on", out);
}

static void write_keys(FILE *out)
{
	fputs("## Keys\n\nThe default is what holds when neither the file nor its preset says otherwise.\n\n"
	      "| key | type | range | default | meaning |\n|---|---|---|---|---|\n",
	      out);
	for (size_t i = 0; i < nl_key_count; i++) {
		const struct nl_key *key = &nl_keys[i];
		fprintf(out, "| `%s` | ", key->path);
		write_type(key, out);
		fputs(" | ", out);
		write_range(key, out);
		fputs(" | ", out);
		write_initial(key, out);
		fprintf(out, " | %s |\n", key->meaning);
	}
}

static void write_presets(FILE *out)
{
	fputs("\n## Presets\n", out);
	for (size_t i = 0; i < nl_preset_count; i++)
		fprintf(out, "\n### %s\n\n```yaml\n%s```\n", nl_presets[i].name, nl_presets[i].text);
}

int nl_campaign_reference(char **text, struct nl_error *err)
{
	size_t len = 0;
	*text = NULL;
	FILE *out = open_memstream(text, &len);
	if (!out)
		return nl_error_set(err, NL_E_SYSTEM, "out of memory while writing the reference");
	write_keys(out);
	write_presets(out);
	if (!fclose(out))
		return 0;
	free(*text);
	*text = NULL;
	return nl_error_set(err, NL_E_SYSTEM, "out of memory while writing the reference");
}
