/*
 * outcome: an arena of small allocations behind one Result message.
 */
#include "agent/outcome.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define FACTS_MAX        1024
#define FACT_VALUE_MAX   500
#define FACT_KEY_MAX     60
#define FACT_SUBJECT_MAX 100

struct nl_outcome {
	Nl__Result result;
	void **kept;
	size_t kept_count, kept_room;
	Nl__Fact *facts[FACTS_MAX];
	Nl__Failure spare; /* for when memory is short: a failure must not pass for success */
};

static char empty_text[1] = "";

struct nl_outcome *nl_outcome_alloc(uint64_t order)
{
	struct nl_outcome *outcome = calloc(1, sizeof *outcome);
	if (!outcome)
		return NULL;
	nl__result__init(&outcome->result);
	outcome->result.order = order;
	outcome->result.fact = outcome->facts;
	return outcome;
}

void nl_outcome_free(struct nl_outcome *outcome)
{
	if (!outcome)
		return;
	for (size_t i = 0; i < outcome->kept_count; i++)
		free(outcome->kept[i]);
	free(outcome->kept);
	free(outcome);
}

int nl_outcome_keep(struct nl_outcome *outcome, void *memory)
{
	if (outcome->kept_count == outcome->kept_room) {
		size_t room = outcome->kept_room ? outcome->kept_room * 2 : 64;
		void **kept = realloc(outcome->kept, room * sizeof *kept);
		if (!kept) {
			free(memory);
			return NL_E_SYSTEM;
		}
		outcome->kept = kept;
		outcome->kept_room = room;
	}
	outcome->kept[outcome->kept_count++] = memory;
	return NL_E_OK;
}

void *nl_outcome_memory(struct nl_outcome *outcome, size_t bytes)
{
	void *memory = calloc(1, bytes ? bytes : 1);
	return memory && nl_outcome_keep(outcome, memory) == NL_E_OK ? memory : NULL;
}

static size_t cut_at_character(const char *text, size_t max)
{
	size_t len = strnlen(text, max + 1);
	if (len <= max)
		return len;
	len = max;
	while (len > 0 && ((unsigned char)text[len] & 0xC0) == 0x80)
		len--;
	return len;
}

char *nl_outcome_text(struct nl_outcome *outcome, const char *text, size_t max)
{
	size_t len = cut_at_character(text, max);
	char *copy = nl_outcome_memory(outcome, len + 1);
	if (!copy)
		return empty_text;
	memcpy(copy, text, len);
	/* Names of disks and mounts hold any byte; one that is not UTF-8 would have the whole message refused. */
	return nl_text_clean(copy);
}

void nl_outcome_fact(struct nl_outcome *outcome, const char *subject, const char *key, const char *value)
{
	if (outcome->result.n_fact == FACTS_MAX)
		return;
	Nl__Fact *fact = nl_outcome_memory(outcome, sizeof *fact);
	if (!fact)
		return;
	nl__fact__init(fact);
	fact->subject = nl_outcome_text(outcome, subject, FACT_SUBJECT_MAX);
	fact->key = nl_outcome_text(outcome, key, FACT_KEY_MAX);
	fact->value = nl_outcome_text(outcome, value, FACT_VALUE_MAX);
	outcome->facts[outcome->result.n_fact++] = fact;
}

void nl_outcome_factf(struct nl_outcome *outcome, const char *subject, const char *key, const char *format, ...)
{
	char value[FACT_VALUE_MAX + 1];
	va_list args;
	va_start(args, format);
	vsnprintf(value, sizeof value, format, args);
	va_end(args);
	nl_outcome_fact(outcome, subject, key, value);
}

Nl__Failure *nl_outcome_failure(struct nl_outcome *outcome, const struct nl_error *err)
{
	Nl__Failure *failure = nl_outcome_memory(outcome, sizeof *failure);
	struct nl_error *copy = nl_outcome_memory(outcome, sizeof *copy);
	if (!failure || !copy) {
		nl__failure__init(&outcome->spare);
		outcome->spare.code = err->code;
		outcome->spare.sys_errno = err->sys_errno;
		return &outcome->spare;
	}
	nl__failure__init(failure);
	*copy = *err;
	nl_failure_from_error(failure, copy);
	return failure;
}

Nl__Result *nl_outcome_result(struct nl_outcome *outcome)
{
	return &outcome->result;
}
