/* Tokens, agents, runs, phases, results, facts, events. */
#include "scratch.h"

static const uint8_t hash[32] = {1, 2, 3};

static void a_token_is_refused_the_second_time(void **state)
{
	struct scratch *scratch = *state;
	struct nl_error refusal;
	bool used;
	assert_ok(nl_store_token_add(scratch->store, hash, "nas", 100, err));
	assert_ok(nl_store_token_used(scratch->store, hash, &used, err));
	assert_false(used);
	assert_ok(nl_store_token_use(scratch->store, hash, "nas", 50, err));
	assert_ok(nl_store_token_used(scratch->store, hash, &used, err));
	assert_true(used);
	assert_int_equal(nl_store_token_use(scratch->store, hash, "nas", 51, &refusal), NL_E_IDENTITY);
	assert_non_null(strstr(refusal.why, "used already, at 1970-01-01T00:00:00Z"));
}

static void of_two_connections_only_one_can_use_a_token(void **state)
{
	struct scratch *scratch = *state;
	struct nl_store *other;
	struct nl_error refusal;
	assert_ok(nl_store_open(scratch->path, &other, err));
	assert_ok(nl_store_token_add(scratch->store, hash, "", 100, err));
	int first = nl_store_token_use(other, hash, "nas", 50, &refusal);
	int second = nl_store_token_use(scratch->store, hash, "pve", 50, &refusal);
	nl_store_close(other);
	assert_int_equal(first, 0);
	assert_int_equal(second, NL_E_IDENTITY);
}

static void a_token_is_for_its_agent_and_its_time(void **state)
{
	struct scratch *scratch = *state;
	struct nl_error refusal;
	bool used = true;
	assert_int_equal(nl_store_token_use(scratch->store, hash, "nas", 50, &refusal), NL_E_IDENTITY);
	assert_non_null(strstr(refusal.why, "has not made"));
	assert_int_equal(nl_store_token_used(scratch->store, hash, &used, &refusal), NL_E_NOT_FOUND);
	assert_ok(nl_store_token_add(scratch->store, hash, "nas", 100, err));
	assert_int_equal(nl_store_token_use(scratch->store, hash, "pve", 50, &refusal), NL_E_IDENTITY);
	assert_non_null(strstr(refusal.why, "'nas'"));
	assert_int_equal(nl_store_token_use(scratch->store, hash, "nas", 100, &refusal), NL_E_IDENTITY);
	assert_non_null(strstr(refusal.why, "expired"));
}

static void agents_are_listed_by_name(void **state)
{
	struct scratch *scratch = *state;
	struct nl_store_agent *agents;
	size_t count;
	struct nl_error refusal;
	assert_ok(nl_store_agent_put(scratch->store, "pve", "cert", 4, 10, err));
	assert_ok(nl_store_agent_put(scratch->store, "nas", "cert", 4, 11, err));
	assert_ok(nl_store_agent_seen(scratch->store, "nas", "truenas.local", "0.1", "line", 12, err));
	assert_int_equal(nl_store_agent_seen(scratch->store, "who", "h", "0.1", "line", 12, &refusal), NL_E_NOT_FOUND);
	assert_ok(nl_store_agents(scratch->store, &agents, &count, err));
	assert_int_equal(count, 2);
	assert_string_equal(agents[0].name, "nas");
	assert_string_equal(agents[0].host, "truenas.local");
	assert_int_equal(agents[0].seen_wall_ns, 12);
	assert_string_equal(agents[1].name, "pve");
	assert_int_equal(agents[1].seen_wall_ns, 0);
	free(agents);
}

static void a_run_id_tells_its_time_and_is_unused(void **state)
{
	struct scratch *scratch = *state;
	char id[NL_STORE_RUN_ID_MAX];
	assert_ok(nl_store_run_id(scratch->store, id, err));
	assert_int_equal(strlen(id), strlen("20261130-184512-7f3a"));
	assert_int_equal(id[8], '-');
	assert_int_equal(id[15], '-');
}

static void the_last_run_is_the_newest(void **state)
{
	struct scratch *scratch = *state;
	struct nl_store_run run, *runs;
	struct nl_error refusal;
	size_t count;
	assert_int_equal(nl_store_run_get(scratch->store, "last", &run, NULL, NULL, &refusal), NL_E_NOT_FOUND);
	scratch_run(scratch->store, "newer", 9);
	scratch_run(scratch->store, "older", 5);
	assert_ok(nl_store_run_get(scratch->store, NULL, &run, NULL, NULL, err));
	assert_string_equal(run.id, "newer");
	assert_ok(nl_store_run_end(scratch->store, "older", NL_RUN_FAILED, 8, "agent nas was lost", err));
	assert_ok(nl_store_runs(scratch->store, &runs, &count, err));
	assert_int_equal(count, 2);
	assert_string_equal(runs[1].id, "older");
	assert_int_equal(runs[1].state, NL_RUN_FAILED);
	assert_string_equal(runs[1].message, "agent nas was lost");
	free(runs);
	assert_int_equal(nl_store_run_get(scratch->store, "none", &run, NULL, NULL, &refusal), NL_E_NOT_FOUND);
}

static void a_phase_is_pending_until_it_is_set_and_after_a_reset(void **state)
{
	struct scratch *scratch = *state;
	enum nl_phase_state phase;
	int64_t start, end;
	char message[1024];
	struct nl_store_result *results;
	struct nl_store_fact *facts;
	size_t count;
	scratch_run(scratch->store, "r", 1);
	assert_ok(nl_store_phase_get(scratch->store, "r", 3, &phase, &start, &end, message, err));
	assert_int_equal(phase, NL_PHASE_PENDING);
	assert_ok(nl_store_phase_set(scratch->store, "r", 3, NL_PHASE_RUNNING, 10, 0, "", err));
	assert_ok(nl_store_phase_set(scratch->store, "r", 3, NL_PHASE_DONE, 10, 20, "good", err));
	assert_ok(nl_store_result_add(scratch->store, "r", 3, "nas", "load", "x", 1, err));
	assert_ok(nl_store_result_add(scratch->store, "r", 4, "nas", "load", "yz", 2, err));
	assert_ok(nl_store_fact_put(scratch->store, "r", 3, "nas", "evict", "resident_share", "0", err));
	assert_ok(nl_store_phase_get(scratch->store, "r", 3, &phase, &start, &end, message, err));
	assert_int_equal(phase, NL_PHASE_DONE);
	assert_int_equal(end, 20);
	assert_string_equal(message, "good");
	assert_ok(nl_store_phase_reset(scratch->store, "r", 3, err));
	assert_ok(nl_store_phase_get(scratch->store, "r", 3, &phase, &start, &end, message, err));
	assert_int_equal(phase, NL_PHASE_PENDING);
	assert_ok(nl_store_results(scratch->store, "r", &results, &count, err));
	assert_int_equal(count, 1);
	assert_int_equal(results[0].phase, 4);
	assert_int_equal(results[0].len, 2);
	assert_memory_equal(results[0].data, "yz", 2);
	nl_store_results_free(results, count);
	assert_ok(nl_store_facts(scratch->store, "r", &facts, &count, err));
	assert_int_equal(count, 0);
	free(facts);
}

static void a_later_fact_replaces_the_earlier(void **state)
{
	struct scratch *scratch = *state;
	struct nl_store_fact *facts;
	size_t count;
	scratch_run(scratch->store, "r", 1);
	assert_ok(nl_store_fact_put(scratch->store, "r", 0, "nas", "cpu", "model", "old", err));
	assert_ok(nl_store_fact_put(scratch->store, "r", 0, "nas", "cpu", "model", "new", err));
	assert_ok(nl_store_fact_put(scratch->store, "r", 0, "pve", "cpu", "model", "other", err));
	assert_ok(nl_store_facts(scratch->store, "r", &facts, &count, err));
	assert_int_equal(count, 2);
	assert_string_equal(facts[0].value, "new");
	free(facts);
}

static void a_sequence_number_is_fresh_once(void **state)
{
	struct scratch *scratch = *state;
	bool fresh;
	assert_ok(nl_store_seen(scratch->store, "nas", UINT64_MAX, 7, &fresh, err));
	assert_true(fresh);
	assert_ok(nl_store_seen(scratch->store, "nas", UINT64_MAX, 7, &fresh, err));
	assert_false(fresh);
	/* Two requests may be under way at once, so a lower number may come later. */
	assert_ok(nl_store_seen(scratch->store, "nas", UINT64_MAX, 6, &fresh, err));
	assert_true(fresh);
	assert_ok(nl_store_seen(scratch->store, "nas", 2, 7, &fresh, err));
	assert_true(fresh);
	assert_ok(nl_store_seen(scratch->store, "pve", UINT64_MAX, 7, &fresh, err));
	assert_true(fresh);
}

static void a_rolled_back_message_is_fresh_again(void **state)
{
	struct scratch *scratch = *state;
	bool fresh;
	assert_ok(nl_store_begin(scratch->store, err));
	assert_ok(nl_store_seen(scratch->store, "nas", 1, 7, &fresh, err));
	nl_store_rollback(scratch->store);
	assert_ok(nl_store_seen(scratch->store, "nas", 1, 7, &fresh, err));
	assert_true(fresh);
}

static void events_come_back_in_time(void **state)
{
	struct scratch *scratch = *state;
	struct nl_store_event *events;
	size_t count;
	scratch_run(scratch->store, "r", 1);
	assert_ok(nl_store_event_add(scratch->store, "r", 20, "error", "second", err));
	assert_ok(nl_store_event_add(scratch->store, "r", 10, "info", "first", err));
	assert_ok(nl_store_events(scratch->store, "r", &events, &count, err));
	assert_int_equal(count, 2);
	assert_string_equal(events[0].text, "first");
	assert_string_equal(events[1].severity, "error");
	free(events);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_token_is_refused_the_second_time),
		TEST(of_two_connections_only_one_can_use_a_token),
		TEST(a_token_is_for_its_agent_and_its_time),
		TEST(agents_are_listed_by_name),
		TEST(a_run_id_tells_its_time_and_is_unused),
		TEST(the_last_run_is_the_newest),
		TEST(a_phase_is_pending_until_it_is_set_and_after_a_reset),
		TEST(a_later_fact_replaces_the_earlier),
		TEST(a_sequence_number_is_fresh_once),
		TEST(a_rolled_back_message_is_fresh_again),
		TEST(events_come_back_in_time),
	};
	return cmocka_run_group_tests_name("store: records", tests, NULL, NULL);
}
