/*
 * rules: the thresholds, and how they are shown.
 */
#include "controller/reconcile/rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/reconcile/model.h"
#include "controller/reconcile/verdict.h"

static const struct {
	double value;
	const char *unit, *meaning;
} thresholds[] = {
#define NL_X(symbol, value, unit, meaning) {value, unit, meaning},
	NL_THRESHOLDS(NL_X)
#undef NL_X
};

double nl_rule(enum nl_threshold rule)
{
	return thresholds[rule].value;
}

static void write_thresholds(FILE *out)
{
	fputs("| threshold | of what, and what follows |\n|---:|---|\n", out);
	for (size_t i = 0; i < NL_RULE_COUNT; i++) {
		bool percent = !strcmp(thresholds[i].unit, "%");
		fprintf(out, "| %g %s | %s |\n", percent ? thresholds[i].value * 100 : thresholds[i].value,
			thresholds[i].unit, thresholds[i].meaning);
	}
}

static void write_verdicts(FILE *out)
{
	fputs("| order | verdict | quotable | applies to | meaning |\n|---:|---|---|---|---|\n", out);
	for (unsigned i = 0;; i++) {
		enum nl_verdict verdict;
		const char *applies;
		if (!nl_verdict_rule(i, &verdict, &applies))
			break;
		fprintf(out, "| %u | `%s` | %s | %s | %s |\n", i + 1, nl_verdict_name(verdict),
			nl_verdict_quotable(verdict) ? "yes" : "no", applies, nl_verdict_meaning(verdict));
	}
}

int nl_rules_markdown(char **text, struct nl_error *err)
{
	size_t len;
	*text = NULL;
	FILE *out = open_memstream(text, &len);
	if (!out)
		return nl_error_set(err, NL_E_SYSTEM, "write the table of rules");
	write_thresholds(out);
	fputc('\n', out);
	write_verdicts(out);
	if (fclose(out) == 0)
		return 0;
	free(*text);
	*text = NULL;
	return nl_error_set(err, NL_E_SYSTEM, "write the table of rules");
}
