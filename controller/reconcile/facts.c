/*
 * facts: looks up what the agents told about themselves and what was negotiated.
 */
#include <string.h>
#include <strings.h>

#include "base/parse.h"
#include "controller/reconcile/work.h"

const char *nl_fact(const struct nl_work *work, const char *agent, const char *subject, const char *key)
{
	/* Facts come sorted by phase: the last one is the newest. */
	for (size_t i = work->fact_count; i-- > 0;) {
		const struct nl_store_fact *fact = &work->facts[i];
		if (!strcmp(fact->subject, subject) && !strcmp(fact->key, key) &&
		    (!agent || !agent[0] || !strcmp(fact->agent, agent)))
			return fact->value;
	}
	return NULL;
}

double nl_fact_number(const struct nl_work *work, const char *agent, const char *subject, const char *key)
{
	const char *text = nl_fact(work, agent, subject, key);
	double number;
	return text && nl_parse_double(text, &number) && number >= 0 ? number : NL_UNKNOWN;
}

const char *nl_answer_fact(const struct nl_answer *answer, const char *subject, const char *key)
{
	const Nl__Result *result = answer->result;
	for (size_t i = 0; i < result->n_fact; i++)
		if (!strcmp(result->fact[i]->subject, subject) && !strcmp(result->fact[i]->key, key))
			return result->fact[i]->value;
	for (size_t i = 0; result->line && i < result->line->n_fact; i++)
		if (!strcmp(result->line->fact[i]->subject, subject) && !strcmp(result->line->fact[i]->key, key))
			return result->line->fact[i]->value;
	return NULL;
}

bool nl_fact_is_yes(const char *value)
{
	static const char *const words[] = {"yes", "on", "true", "1", "enabled"};
	for (size_t i = 0; value && i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcasecmp(value, words[i]))
			return true;
	return false;
}
