/*
 * facts: what a description said, to look up.
 */
#ifndef NL_TESTS_UNIT_AGENT_FACTS_H
#define NL_TESTS_UNIT_AGENT_FACTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct test_facts {
	unsigned count;
	struct {
		char subject[64], key[64], value[512];
	} row[512];
};

static inline void test_facts_sink(void *context, const char *subject, const char *key, const char *value)
{
	struct test_facts *f = context;
	if (f->count == sizeof f->row / sizeof f->row[0])
		return;
	snprintf(f->row[f->count].subject, sizeof f->row[0].subject, "%s", subject);
	snprintf(f->row[f->count].key, sizeof f->row[0].key, "%s", key);
	snprintf(f->row[f->count++].value, sizeof f->row[0].value, "%s", value);
}

/* NULL when it was not said. */
static inline const char *test_facts_get(const struct test_facts *f, const char *subject, const char *key)
{
	for (unsigned i = 0; i < f->count; i++)
		if (strcmp(f->row[i].subject, subject) == 0 && strcmp(f->row[i].key, key) == 0)
			return f->row[i].value;
	return NULL;
}

static inline void test_facts_expect(const struct test_facts *f, const char *subject, const char *key,
				     const char *value)
{
	const char *said = test_facts_get(f, subject, key);
	if (!said || strcmp(said, value) != 0)
		fail_msg("%s/%s is '%s', not '%s'", subject, key, said ? said : "(not said)", value);
}

#endif
