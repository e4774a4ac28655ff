/*
 * settings: the table of what both ends are and how they are set, one row per layer and key.
 */
#include <stdio.h>
#include <string.h>

#include "controller/reconcile/work.h"

/* Facts that serve nasline itself, not a reader. */
static const char *const inner_subjects[] = {"watch",   "clock", "evict", "flush", "load",   "line", "cleanup",
					     "scratch", "share", "mount", "local", "remote", "audit"};

static bool is_inner(const char *subject)
{
	for (size_t i = 0; i < sizeof(inner_subjects) / sizeof(inner_subjects[0]); i++)
		if (!strcmp(subject, inner_subjects[i]))
			return true;
	return !strncmp(subject, "mount:", 6);
}

/* The interface of each end is "nic", so that both stand in one row; a share's layer is "share NAME". */
static void layer_of(const char *subject, char *layer, size_t size)
{
	if (!strncmp(subject, "nic:", 4))
		snprintf(layer, size, "nic");
	else if (!strncmp(subject, "share:", 6))
		snprintf(layer, size, "share %.24s", subject + 6);
	else
		snprintf(layer, size, "%.31s", subject);
}

static bool is_other_nic(const struct nl_work *work, const struct nl_store_fact *fact)
{
	return !strncmp(fact->subject, "nic:", 4) && strcmp(fact->subject + 4, nl_nic_name(work, fact->agent));
}

static struct nl_setting *row_of(struct nl_work *work, const char *layer, const char *key)
{
	struct nl_model *model = work->model;
	for (size_t i = 0; i < model->setting_count; i++)
		if (!strcmp(model->settings[i].layer, layer) && !strcmp(model->settings[i].key, key))
			return &model->settings[i];
	struct nl_setting *row =
		nl_work_append(work, (void **)&model->settings, &model->setting_count, sizeof(*model->settings));
	if (!row)
		return NULL;
	snprintf(row->layer, sizeof(row->layer), "%s", layer);
	snprintf(row->key, sizeof(row->key), "%s", key);
	return row;
}

/* Several clients that differ are all shown, each with its name. */
static void put(char cell[256], const struct nl_store_fact *fact)
{
	size_t used = strlen(cell);
	if (used == 0)
		snprintf(cell, 256, "%.255s", fact->value);
	else if (!strstr(cell, fact->value))
		snprintf(cell + used, 256 - used, "; %.100s (%.63s)", fact->value, fact->agent);
}

void nl_settings_make(struct nl_work *work)
{
	char layer[32];
	for (size_t i = 0; i < work->fact_count; i++) {
		const struct nl_store_fact *fact = &work->facts[i];
		if (is_inner(fact->subject) || is_other_nic(work, fact))
			continue;
		layer_of(fact->subject, layer, sizeof(layer));
		struct nl_setting *row = row_of(work, layer, fact->key);
		if (!row)
			return;
		put(strcmp(fact->agent, nl_work_nas(work)) ? row->client : row->nas, fact);
	}
}
