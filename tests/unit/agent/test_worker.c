/*
 * test_worker: the queue of orders: taken once, aborted while they wait, before they come, and while they run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "agent/worker.h"
#include "unit/agent/scratch.h"

struct world {
	char dir[64];
	struct nl_agent agent;
};

/* A reply as it comes from the wire, with an order that switches telemetry off. */
static Nl__Reply *order(uint64_t id)
{
	struct nl_error err;
	Nl__Watch watch = NL__WATCH__INIT;
	Nl__Order body = NL__ORDER__INIT;
	Nl__Reply reply = NL__REPLY__INIT, *decoded = NULL;
	void *data = NULL;
	size_t len = 0;
	body.id = id;
	body.deadline_ns = INT64_MAX;
	body.task_case = NL__ORDER__TASK_WATCH;
	body.watch = &watch;
	reply.version = NL_PROTOCOL_VERSION;
	reply.body_case = NL__REPLY__BODY_ORDER;
	reply.order = &body;
	assert_int_equal(nl_reply_encode(&reply, &data, &len, &err), NL_E_OK);
	assert_int_equal(nl_reply_decode(data, len, &decoded, &err), NL_E_OK);
	free(data);
	return decoded;
}

static int setup(void **state)
{
	struct nl_error err;
	struct world *world = calloc(1, sizeof *world);
	if (!world)
		return -1;
	test_scratch_make(world->dir);
	*state = world;
	return nl_agent_init(&world->agent, world->dir, true, &err);
}

static int teardown(void **state)
{
	struct world *world = *state;
	for (unsigned i = 0; i < world->agent.done_count; i++)
		nl_outcome_free(world->agent.done[i]);
	nl_agent_abort(&world->agent, UINT64_MAX);
	nl_agent_fini(&world->agent);
	test_scratch_remove(world->dir);
	free(world);
	return 0;
}

static void an_order_is_taken_once(void **state)
{
	struct nl_agent *agent = &((struct world *)*state)->agent;
	nl_worker_take(agent, order(3));
	nl_worker_take(agent, order(3));
	nl_worker_take(agent, order(2));
	assert_int_equal(agent->order_count, 1);
	assert_int_equal(agent->newest_order, 3);
}

static void more_orders_than_the_queue_holds_are_left_with_the_controller(void **state)
{
	struct nl_agent *agent = &((struct world *)*state)->agent;
	for (uint64_t id = 1; id <= NL_AGENT_QUEUE_MAX + 2; id++)
		nl_worker_take(agent, order(id));
	assert_int_equal(agent->order_count, NL_AGENT_QUEUE_MAX);
	assert_int_equal(agent->newest_order, NL_AGENT_QUEUE_MAX);
}

static void an_abort_removes_the_order_that_waits_and_no_other(void **state)
{
	struct nl_agent *agent = &((struct world *)*state)->agent;
	for (uint64_t id = 1; id <= 3; id++)
		nl_worker_take(agent, order(id));
	nl_agent_abort(agent, 2);
	assert_int_equal(agent->order_count, 2);
	assert_int_equal(agent->orders[0]->order->id, 1);
	assert_int_equal(agent->orders[1]->order->id, 3);
	assert_false(atomic_load(&agent->cancel));
}

static void an_abort_of_all_empties_the_queue(void **state)
{
	struct nl_agent *agent = &((struct world *)*state)->agent;
	nl_worker_take(agent, order(1));
	nl_worker_take(agent, order(2));
	nl_agent_abort(agent, UINT64_MAX);
	assert_int_equal(agent->order_count, 0);
	assert_true(atomic_load(&agent->cancel));
	nl_worker_take(agent, order(3));
	assert_int_equal(agent->order_count, 1);
}

static void an_order_whose_abort_came_first_is_not_taken(void **state)
{
	struct nl_agent *agent = &((struct world *)*state)->agent;
	nl_agent_abort(agent, 7);
	nl_worker_take(agent, order(7));
	assert_int_equal(agent->order_count, 0);
	nl_worker_take(agent, order(8));
	assert_int_equal(agent->order_count, 1);
}

static void an_abort_stops_the_order_that_runs(void **state)
{
	struct nl_agent *agent = &((struct world *)*state)->agent;
	atomic_store(&agent->running_order, 4);
	nl_agent_abort(agent, 3);
	assert_false(nl_agent_stopped(agent));
	nl_agent_abort(agent, 4);
	assert_true(nl_agent_stopped(agent));
}

static void wait_outcomes(struct nl_agent *agent, unsigned count)
{
	pthread_mutex_lock(&agent->lock);
	while (agent->done_count < count)
		pthread_cond_wait(&agent->changed, &agent->lock);
	pthread_mutex_unlock(&agent->lock);
}

static void orders_run_one_after_the_other_and_each_has_its_outcome(void **state)
{
	struct nl_agent *agent = &((struct world *)*state)->agent;
	struct nl_error err;
	pthread_t worker;
	for (uint64_t id = 1; id <= 3; id++)
		nl_worker_take(agent, order(id));
	assert_int_equal(nl_worker_start(agent, &worker, &err), NL_E_OK);
	wait_outcomes(agent, 3);
	atomic_store(&agent->session_over, true);
	pthread_mutex_lock(&agent->lock);
	pthread_cond_broadcast(&agent->changed);
	pthread_mutex_unlock(&agent->lock);
	pthread_join(worker, NULL);
	for (unsigned i = 0; i < 3; i++) {
		const Nl__Result *result = nl_outcome_result(agent->done[i]);
		assert_int_equal(result->order, i + 1);
		assert_null(result->failure);
		assert_true(result->ended_mono_ns >= result->started_mono_ns && result->started_mono_ns > 0);
	}
	assert_int_equal(atomic_load(&agent->running_order), 0);
}

static void outcomes_beyond_the_queue_are_freed(void **state)
{
	struct nl_agent *agent = &((struct world *)*state)->agent;
	for (uint64_t id = 1; id <= 2 * NL_AGENT_QUEUE_MAX + 1; id++)
		nl_agent_deliver(agent, nl_outcome_alloc(id));
	assert_int_equal(agent->done_count, 2 * NL_AGENT_QUEUE_MAX);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_order_is_taken_once),
		TEST(more_orders_than_the_queue_holds_are_left_with_the_controller),
		TEST(an_abort_removes_the_order_that_waits_and_no_other),
		TEST(an_abort_of_all_empties_the_queue),
		TEST(an_order_whose_abort_came_first_is_not_taken),
		TEST(an_abort_stops_the_order_that_runs),
		TEST(orders_run_one_after_the_other_and_each_has_its_outcome),
		TEST(outcomes_beyond_the_queue_are_freed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
