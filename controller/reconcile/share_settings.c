/*
 * share_settings: what is known of how a share was reached: what client and server agreed on (facts), the directory on
 * the NAS (facts of the NAS), and what the campaign asked for where no fact says what became of it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/reconcile/work.h"

/* Tools name the same thing in several ways. */
static const struct {
	const char *alias, *key;
} aliases[] = {
	{"vers", "version"},      {"dialect", "version"},   {"seal", "encryption"},      {"encrypt", "encryption"},
	{"sign", "signing"},      {"max_read", "rsize"},    {"max_write", "wsize"},      {"rsize_bytes", "rsize"},
	{"wsize_bytes", "wsize"}, {"channels", "nconnect"}, {"connections", "nconnect"},
};

static const char *canonical(const char *key)
{
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
		if (!strcmp(key, aliases[i].alias))
			return aliases[i].key;
	return key;
}

struct list {
	struct nl_work *work;
	struct nl_share_setting *settings;
	size_t count;
};

static bool has(const struct list *list, const char *key)
{
	for (size_t i = 0; i < list->count; i++)
		if (!list->settings[i].nas && !strcmp(list->settings[i].key, key))
			return true;
	return false;
}

static void add(struct list *list, const char *key, const char *value, bool nas)
{
	struct nl_share_setting *setting =
		nl_work_append(list->work, (void **)&list->settings, &list->count, sizeof(*setting));
	if (!setting)
		return;
	snprintf(setting->key, sizeof(setting->key), "%s", key);
	snprintf(setting->value, sizeof(setting->value), "%s", value);
	setting->nas = nas;
}

static void add_missing(struct list *list, const char *key, const char *value)
{
	if (value[0] && !has(list, key))
		add(list, key, value, false);
}

static void add_missing_number(struct list *list, const char *key, unsigned value)
{
	char text[16];
	snprintf(text, sizeof(text), "%u", value);
	if (value)
		add_missing(list, key, text);
}

static void add_facts(struct list *list, const char *name)
{
	char subject[80];
	snprintf(subject, sizeof(subject), "share:%s", name);
	for (size_t i = list->work->fact_count; i-- > 0;) {
		const struct nl_store_fact *fact = &list->work->facts[i];
		bool nas = !strcmp(fact->agent, nl_work_nas(list->work)) && list->work->campaign.client_count &&
			   strcmp(fact->agent, list->work->campaign.clients[0]);
		const char *key = canonical(fact->key);
		bool known = false;
		for (size_t k = 0; k < list->count && !known; k++)
			known = list->settings[k].nas == nas && !strcmp(list->settings[k].key, key);
		if (!strcmp(fact->subject, subject) && !known)
			add(list, key, fact->value, nas);
	}
}

struct nl_share_setting *nl_share_settings(struct nl_work *work, unsigned share, size_t *count)
{
	static const char *const access_names[] = {"userland", "mount", "existing mount"};
	struct list list = {.work = work};
	*count = 0;
	if (share >= work->campaign.share_count)
		return NULL;
	const struct nl_campaign_share *asked = &work->campaign.shares[share];
	add_facts(&list, asked->name);
	add_missing(&list, "access", (unsigned)asked->access < 3 ? access_names[asked->access] : "");
	add_missing(&list, "version", asked->version);
	add_missing(&list, "options", asked->options);
	add_missing(&list, "encryption", asked->encrypt ? "required" : "");
	add_missing_number(&list, "nconnect", asked->nconnect);
	add_missing_number(&list, "rsize", asked->rsize_bytes);
	add_missing_number(&list, "wsize", asked->wsize_bytes);
	*count = list.count;
	return list.settings;
}
