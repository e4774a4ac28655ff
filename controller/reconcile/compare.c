/*
 * compare: figures that differ in the share only, side by side, and the settings in which the shares differ besides.
 *
 * Within one protocol every setting counts. Between NFS and SMB only those count that are not the protocol itself:
 * encryption, required signing, how it was reached, connections, request sizes in force, and everything about the
 * directory on the NAS.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/parse.h"
#include "controller/reconcile/work.h"

enum scope {
	SCOPE_PROTOCOL, /* compared within a protocol */
	SCOPE_ALWAYS,
	SCOPE_SIZE,     /* always; what is in force is not above the block size of the load */
	SCOPE_REQUIRED, /* always, but only whether it was required */
	SCOPE_NEVER,    /* names and places */
};

static const struct {
	const char *key;
	enum scope scope;
} scopes[] = {
	{"encryption", SCOPE_ALWAYS}, {"access", SCOPE_ALWAYS},    {"nconnect", SCOPE_ALWAYS},
	{"sync", SCOPE_ALWAYS},       {"rsize", SCOPE_SIZE},       {"wsize", SCOPE_SIZE},
	{"signing", SCOPE_REQUIRED},  {"path", SCOPE_NEVER},       {"source", SCOPE_NEVER},
	{"server", SCOPE_NEVER},      {"share", SCOPE_NEVER},      {"export", SCOPE_NEVER},
	{"addr", SCOPE_NEVER},        {"address", SCOPE_NEVER},    {"clientaddr", SCOPE_NEVER},
	{"mountaddr", SCOPE_NEVER},   {"mountport", SCOPE_NEVER},  {"port", SCOPE_NEVER},
	{"user", SCOPE_NEVER},        {"username", SCOPE_NEVER},   {"mountpoint", SCOPE_NEVER},
	{"unc", SCOPE_NEVER},         {"free_bytes", SCOPE_NEVER}, {"size_bytes", SCOPE_NEVER},
};

static enum scope scope_of(const char *key)
{
	for (size_t i = 0; i < sizeof(scopes) / sizeof(scopes[0]); i++)
		if (!strcmp(scopes[i].key, key))
			return scopes[i].scope;
	return SCOPE_PROTOCOL;
}

static bool is_off(const char *value)
{
	static const char *const words[] = {"",      "none",     "off",           "no",   "0",
					    "false", "disabled", "not asked for", "plain"};
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcasecmp(value, words[i]))
			return true;
	return false;
}

static bool same_value(const char *a, const char *b)
{
	return !strcasecmp(a, b) || (is_off(a) && is_off(b));
}

struct pair {
	const struct nl_study *a, *b;
	const struct nl_campaign_share *share_a, *share_b;
	bool same_protocol, same_access;
};

/* A userland engine asks for blocks of the load's size: a share that would take more is not asked for more. */
static bool same_size(const struct pair *pair, const char *a, const char *b)
{
	double x, y, block = (double)pair->a->plan->block_bytes;
	bool capped = pair->share_a->access == NL_ACCESS_USERLAND && pair->share_b->access == NL_ACCESS_USERLAND &&
		      !pair->same_protocol && block > 0;
	if (!nl_parse_double(a, &x) || !nl_parse_double(b, &y))
		return same_value(a, b);
	if (capped)
		return (x < block ? x : block) == (y < block ? y : block);
	return x == y;
}

static bool differs(const struct pair *pair, const struct nl_share_setting *a, const char *b)
{
	switch (scope_of(a->key)) {
	case SCOPE_NEVER:
		return false;
	case SCOPE_SIZE:
		return !same_size(pair, a->value, b);
	case SCOPE_REQUIRED:
		if (!pair->same_protocol)
			return (strcasestr(a->value, "required") != NULL) != (strcasestr(b, "required") != NULL);
		break;
	case SCOPE_PROTOCOL:
		if (!pair->same_protocol && !a->nas)
			return false;
		break;
	case SCOPE_ALWAYS:
		break;
	}
	return !same_value(a->value, b);
}

static const char *value_of(const struct nl_share_setting *settings, size_t count, const struct nl_share_setting *like)
{
	for (size_t i = 0; i < count; i++)
		if (settings[i].nas == like->nas && !strcmp(settings[i].key, like->key))
			return settings[i].value;
	return NULL;
}

/* What one side does not state is a difference only where the same source would state it: encryption and connections
 * that are not there. */
static bool absence_counts(const struct pair *pair, const struct nl_share_setting *stated)
{
	enum scope scope = scope_of(stated->key);
	if (scope == SCOPE_NEVER || scope == SCOPE_SIZE || stated->nas || is_off(stated->value))
		return false;
	if (!strcmp(stated->key, "encryption"))
		return strcasestr(stated->value, "required") != NULL;
	return pair->same_protocol && pair->same_access;
}

static void find_differences(struct nl_work *work, const struct pair *pair, struct nl_comparison *comparison)
{
	size_t count_a, count_b;
	struct nl_share_setting *a = nl_share_settings(work, pair->a->plan->share, &count_a);
	struct nl_share_setting *b = nl_share_settings(work, pair->b->plan->share, &count_b);
	for (size_t i = 0; i < count_a; i++) {
		const char *other = value_of(b, count_b, &a[i]);
		const char *where = a[i].nas ? " on the NAS" : "";
		if (other ? differs(pair, &a[i], other) : absence_counts(pair, &a[i]))
			nl_say(work, &comparison->differences, "%s%s: %s / %s", a[i].key, where, a[i].value,
			       other ? other : "not stated");
	}
	for (size_t i = 0; i < count_b; i++)
		if (!value_of(a, count_a, &b[i]) && absence_counts(pair, &b[i]))
			nl_say(work, &comparison->differences, "%s: not stated / %s", b[i].key, b[i].value);
	free(a);
	free(b);
}

static bool did_the_same(const struct nl_figure *a, const struct nl_figure *b)
{
	if (nl_verdict_quotable(a->verdict) && nl_verdict_quotable(b->verdict))
		return true;
	return a->verdict == NL_VERDICT_NAS_CACHED && b->verdict == NL_VERDICT_NAS_CACHED &&
	       a->workload == NL_WORKLOAD_CACHED_READ;
}

static void decide(struct nl_work *work, const struct pair *pair, struct nl_comparison *comparison)
{
	const struct nl_figure *a = &pair->a->figure, *b = &pair->b->figure;
	find_differences(work, pair, comparison);
	if (a->bytes_per_second <= 0 || b->bytes_per_second <= 0)
		comparison->verdict = NL_VERDICT_NOT_COMPARABLE;
	else if (comparison->differences.count)
		comparison->verdict = NL_VERDICT_SETTINGS_DIFFER;
	else
		comparison->verdict = did_the_same(a, b) ? NL_VERDICT_VALID : NL_VERDICT_NOT_COMPARABLE;
	if (a->verdict != b->verdict || comparison->verdict == NL_VERDICT_NOT_COMPARABLE)
		nl_say(work, &comparison->differences, "verdict: %s / %s", nl_verdict_name(a->verdict),
		       nl_verdict_name(b->verdict));
}

static void tell(const struct pair *pair, struct nl_comparison *comparison)
{
	const struct nl_figure *a = &pair->a->figure, *b = &pair->b->figure;
	const char *verb = comparison->direction == NL_DIRECTION_WRITE ? "writes" : "reads";
	char *out = comparison->sentence;
	size_t size = sizeof(comparison->sentence);
	if (comparison->ratio <= 0) {
		snprintf(out, size, "%s and %s cannot be compared: one of them failed", a->share, b->share);
		return;
	}
	size_t used = (size_t)snprintf(out, size, "%s %s at %s, %.2f of the %s of %s", b->share, verb,
				       nl_show_rate(b->bytes_per_second).text, comparison->ratio,
				       nl_show_rate(a->bytes_per_second).text, a->share);
	if (used >= size)
		return;
	bool few = a->iteration_count < 6 || b->iteration_count < 6;
	bool apart = a->interval.high < b->interval.low || b->interval.high < a->interval.low;
	if (comparison->verdict == NL_VERDICT_SETTINGS_DIFFER)
		snprintf(out + used, size - used, "; this measures settings: %s", comparison->differences.text[0]);
	else if (comparison->verdict == NL_VERDICT_NOT_COMPARABLE)
		snprintf(out + used, size - used, "; they did not do the same thing (%s, %s)",
			 nl_verdict_name(a->verdict), nl_verdict_name(b->verdict));
	else if (!apart)
		snprintf(out + used, size - used, "; their intervals overlap, so no difference is shown");
	else
		snprintf(out + used, size - used, "; their intervals are apart%s",
			 few ? ", which with so few iterations is a hint and no proof" : "");
}

static void compare_pair(struct nl_work *work, const struct pair *pair)
{
	struct nl_model *model = work->model;
	const struct nl_figure *a = &pair->a->figure, *b = &pair->b->figure;
	struct nl_comparison *comparison = nl_work_append(work, (void **)&model->comparisons, &model->comparison_count,
							  sizeof(*model->comparisons));
	if (!comparison)
		return;
	memcpy(comparison->a, a->name, sizeof(comparison->a));
	memcpy(comparison->b, b->name, sizeof(comparison->b));
	comparison->direction = a->direction;
	comparison->streams = a->streams;
	if (a->bytes_per_second > 0 && b->bytes_per_second > 0)
		comparison->ratio = b->bytes_per_second / a->bytes_per_second;
	decide(work, pair, comparison);
	if (comparison->differences.count || comparison->verdict != NL_VERDICT_SETTINGS_DIFFER)
		tell(pair, comparison);
}

static bool are_alike(const struct nl_study *a, const struct nl_study *b)
{
	return a->kind == NL_PHASE_SHARE && b->kind == NL_PHASE_SHARE && a->plan->share < b->plan->share &&
	       a->figure.workload == b->figure.workload && a->figure.streams == b->figure.streams &&
	       a->figure.direction == b->figure.direction && !strcmp(a->figure.agent, b->figure.agent);
}

void nl_compare_make(struct nl_work *work)
{
	for (size_t i = 0; i < work->study_count; i++) {
		for (size_t k = 0; k < work->study_count; k++) {
			struct pair pair = {.a = &work->studies[i], .b = &work->studies[k]};
			if (!are_alike(pair.a, pair.b))
				continue;
			pair.share_a = nl_work_share(work, pair.a->plan);
			pair.share_b = nl_work_share(work, pair.b->plan);
			if (!pair.share_a || !pair.share_b)
				continue;
			pair.same_protocol = !strcmp(pair.share_a->protocol, pair.share_b->protocol);
			pair.same_access = pair.share_a->access == pair.share_b->access;
			compare_pair(work, &pair);
		}
	}
}
