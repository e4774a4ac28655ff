/*
 * fuzz_campaign: any bytes as a campaign file. What is accepted must be written and read back to the same campaign, and
 * its plan too.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/campaign/campaign.h"
#include "controller/campaign/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

/* libfyaml 0.7.12 itself loses 2 KiB on some malformed texts; the search is for leaks of ours. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libfyaml.so";
}

static void check_plan(const struct nl_campaign *campaign)
{
	struct nl_plan plan, again;
	char *text = NULL;
	size_t len = 0;
	if (nl_plan_make(campaign, NULL, &plan, NULL))
		return;
	FILE *out = plan.phase_count <= 500 ? open_memstream(&text, &len) : NULL;
	if (out) {
		if (nl_plan_print_json(&plan, campaign, out, NULL))
			abort();
		fclose(out);
		if (nl_plan_from_json(text, &again, NULL) || again.phase_count != plan.phase_count ||
		    memcmp(again.phases, plan.phases, plan.phase_count * sizeof *plan.phases) != 0)
			abort();
		nl_plan_fini(&again);
	}
	free(text);
	nl_plan_fini(&plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct nl_campaign campaign, again;
	struct nl_error err = {.code = NL_E_OK};
	char *text = NULL;
	if (nl_campaign_parse((const char *)data, size, "fuzz", &campaign, &err)) {
		if (err.code == NL_E_OK || !*err.what || strncmp(err.where, "fuzz:", 5) != 0)
			abort();
		return 0;
	}
	if (nl_campaign_to_yaml(&campaign, &text, NULL) ||
	    nl_campaign_parse(text, strlen(text), "again", &again, NULL) ||
	    memcmp(&campaign, &again, sizeof campaign) != 0)
		abort();
	free(text);
	check_plan(&campaign);
	return 0;
}
