/*
 * outcome: an order's Result while it is being made. Owns every string and array that the message points to.
 */
#ifndef NL_AGENT_OUTCOME_H
#define NL_AGENT_OUTCOME_H

#include "base/error.h"
#include "proto/message.h"

struct nl_outcome;

/* nl_outcome_alloc makes an empty one for an order; NULL when memory is short. */
struct nl_outcome *nl_outcome_alloc(uint64_t order);
void nl_outcome_free(struct nl_outcome *outcome);

/* nl_outcome_fact adds a fact; texts are copied and cut to what the wire allows. A fact for which there is no room is
 * dropped. Any use is by one thread. */
void nl_outcome_fact(struct nl_outcome *outcome, const char *subject, const char *key, const char *value);
/* nl_outcome_factf is the same with a formatted value. */
void nl_outcome_factf(struct nl_outcome *outcome, const char *subject, const char *key, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* nl_outcome_memory gives zeroed memory that lives as long as the outcome; NULL when memory is short. */
void *nl_outcome_memory(struct nl_outcome *outcome, size_t bytes);
/* nl_outcome_keep makes the outcome own `memory` (from malloc). */
int nl_outcome_keep(struct nl_outcome *outcome, void *memory);
/* nl_outcome_text copies a text, cut to `max` bytes at a character's edge and cleaned (base/text.h). Never NULL. */
char *nl_outcome_text(struct nl_outcome *outcome, const char *text, size_t max);

/*
 * nl_outcome_failure makes a Failure of `err` that lives as long as the outcome. Never NULL: when memory is short it
 * holds the code alone.
 */
Nl__Failure *nl_outcome_failure(struct nl_outcome *outcome, const struct nl_error *err);

/* nl_outcome_result: the message, to fill and to send. */
Nl__Result *nl_outcome_result(struct nl_outcome *outcome);

#endif
