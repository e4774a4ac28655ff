/* docs/method.md shows the thresholds and verdicts as they are. */
#include "base/parse.h"
#include "controller/reconcile/rules.h"
#include "world.h"

static void the_method_page_shows_the_rules_as_they_are(void **state)
{
	(void)state;
	char *rules, *page;
	struct nl_error err;
	assert_int_equal(nl_rules_markdown(&rules, &err), 0);
	assert_int_equal(nl_file_read(NL_FIXTURES "/../../docs/method.md", 1 << 20, &page, NULL, &err), 0);
	if (!strstr(page, rules))
		fail_msg("docs/method.md does not hold this:\n%s", rules);
	free(rules);
	free(page);
}

static void every_bottleneck_is_explained_in_the_method_page(void **state)
{
	(void)state;
	char *page, name[64];
	struct nl_error err;
	assert_int_equal(nl_file_read(NL_FIXTURES "/../../docs/method.md", 1 << 20, &page, NULL, &err), 0);
	for (unsigned i = 0; i < NL_BOTTLENECK_COUNT; i++) {
		snprintf(name, sizeof(name), "`%s`", nl_bottleneck_name((enum nl_bottleneck)i));
		if (!strstr(page, name))
			fail_msg("docs/method.md does not name %s", name);
	}
	free(page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_method_page_shows_the_rules_as_they_are),
		cmocka_unit_test(every_bottleneck_is_explained_in_the_method_page),
	};
	return cmocka_run_group_tests_name("reconcile: rules", tests, NULL, NULL);
}
