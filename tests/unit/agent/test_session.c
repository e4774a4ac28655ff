/*
 * test_session: an agent and a controller in one process, over real TLS on loopback: orders from inventory to cleanup
 * on a directory as the pool, and what an agent does when its controller is gone.
 */
#include <dirent.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "agent/agent.h"
#include "agent/run.h"
#include "agent/join.h"
#include "unit/agent/controller.h"

#define PATIENCE_NS (60 * NL_NS_PER_S)
#define RUN         "run-1"
#define FILE_BYTES  (UINT64_C(1) << 20)

struct world {
	struct test_controller controller;
	struct nl_agent agent;
	pthread_t thread;
	atomic_bool quit, stop;
	bool once;
	int agent_rc;
	struct nl_error agent_err;
	char scratch[300];
};

static void *agent_main(void *context)
{
	struct world *world = context;
	world->agent_rc = nl_agent_run(&world->agent, &world->quit, world->once, &world->agent_err);
	return NULL;
}

static void start_agent(struct world *world, bool once)
{
	struct nl_error err;
	world->once = once;
	assert_int_equal(nl_agent_init(&world->agent, world->controller.state, true, &err), NL_E_OK);
	assert_int_equal(pthread_create(&world->thread, NULL, agent_main, world), 0);
	assert_int_equal(nl_server_wait_agent(world->controller.server, "nas", PATIENCE_NS, &world->stop, &err),
			 NL_E_OK);
}

static void join_agent(struct world *world)
{
	pthread_join(world->thread, NULL);
	nl_agent_fini(&world->agent);
}

static void end_agent(struct world *world)
{
	atomic_store(&world->quit, true);
	join_agent(world);
	assert_int_equal(world->agent_rc, NL_E_OK);
}

static int setup(void **state)
{
	struct world *world = calloc(1, sizeof *world);
	struct nl_store_run run = {.id = RUN, .title = "t", .version = "0", .started_ns = 1};
	struct nl_error err;
	char token[160];
	if (!world)
		return -1;
	*state = world;
	test_controller_make(&world->controller);
	assert_int_equal(nl_store_run_add(world->controller.store, &run, "", "", &err), NL_E_OK);
	test_controller_token(&world->controller, "nas", PATIENCE_NS, token);
	assert_int_equal(
		nl_join(world->controller.url, token, "nas", world->controller.state, false, PATIENCE_NS, &err),
		NL_E_OK);
	nl_server_attach(world->controller.server, RUN);
	return 0;
}

static int teardown(void **state)
{
	struct world *world = *state;
	test_controller_end(&world->controller);
	free(world);
	return 0;
}

/* Gives one order and waits for what becomes of it; the result is freed when nobody wants it. */
static int run_order(struct world *world, Nl__Order *order, const char *role, Nl__Result **wanted, struct nl_error *err)
{
	struct nl_order_keeping keeping = {.run_id = RUN, .phase = 3, .role = role, .label = ""};
	Nl__Result *result = NULL;
	uint64_t id = 0;
	order->run_id = (char *)RUN;
	order->deadline_ns = PATIENCE_NS;
	int rc = nl_server_order(world->controller.server, "nas", order, &keeping, &id, err);
	if (rc == NL_E_OK)
		rc = nl_server_await(world->controller.server, "nas", id, PATIENCE_NS, &world->stop, &result, err);
	if (wanted)
		*wanted = result;
	else
		nl_server_result_free(result);
	return rc;
}

static void assert_order(struct world *world, Nl__Order *order, const char *role, Nl__Result **wanted)
{
	struct nl_error err;
	if (run_order(world, order, role, wanted, &err) != NL_E_OK)
		fail_msg("%s: %s: %s", err.what, err.where, err.why);
}

static const char *fact(const Nl__Result *result, const char *subject, const char *key)
{
	for (size_t i = 0; i < result->n_fact; i++)
		if (strcmp(result->fact[i]->subject, subject) == 0 && strcmp(result->fact[i]->key, key) == 0)
			return result->fact[i]->value;
	fail_msg("there is no fact %s/%s", subject, key);
	return NULL;
}

static unsigned entries(const char *path)
{
	unsigned count = 0;
	DIR *dir = opendir(path);
	assert_non_null(dir);
	for (struct dirent *d; (d = readdir(dir));)
		count += strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0;
	closedir(dir);
	return count;
}

static void prepare(struct world *world)
{
	Nl__Prepare ask = NL__PREPARE__INIT;
	Nl__Order order = NL__ORDER__INIT;
	Nl__Result *result = NULL;
	ask.pool = world->controller.pool;
	ask.need_bytes = 4 * FILE_BYTES;
	order.task_case = NL__ORDER__TASK_PREPARE;
	order.prepare = &ask;
	assert_order(world, &order, "prepare", &result);
	snprintf(world->scratch, sizeof world->scratch, "%s", fact(result, "scratch", "path"));
	nl_server_result_free(result);
	assert_int_equal(access(world->scratch, F_OK), 0);
}

static void load_ask(struct world *world, Nl__Load *ask, char directory[400])
{
	snprintf(directory, 400, "%s/pool", world->scratch);
	nl__load__init(ask);
	ask->engine = NL__ENGINE__ENGINE_PSYNC;
	ask->directory = directory;
	ask->file_prefix = (char *)"w";
	ask->write = true;
	ask->block_bytes = 65536;
	ask->queue_depth = 1;
	ask->streams = 2;
	ask->file_bytes = FILE_BYTES;
	ask->fsync_end = true;
	ask->payload_seed = 7;
}

static uint64_t make_load_ready(struct world *world)
{
	char directory[400];
	Nl__Load ask;
	Nl__Order order = NL__ORDER__INIT;
	load_ask(world, &ask, directory);
	order.task_case = NL__ORDER__TASK_LOAD;
	order.load = &ask;
	assert_order(world, &order, "", NULL);
	return order.id;
}

static void go(struct world *world, uint64_t load_order)
{
	Nl__Go ask = NL__GO__INIT;
	Nl__Order order = NL__ORDER__INIT;
	Nl__Result *result = NULL;
	ask.load_order = load_order;
	order.task_case = NL__ORDER__TASK_GO;
	order.go = &ask;
	assert_order(world, &order, "load", &result);
	assert_non_null(result->load);
	assert_int_equal(result->load->n_stream, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(result->load->stream[i]->bytes, FILE_BYTES);
		assert_true(result->load->stream[i]->reached_end);
		assert_true(result->load->stream[i]->latency.len > 0);
	}
	nl_server_result_free(result);
}

static void flush(struct world *world)
{
	Nl__Flush ask = NL__FLUSH__INIT;
	Nl__Order order = NL__ORDER__INIT;
	ask.directory = world->scratch;
	order.task_case = NL__ORDER__TASK_FLUSH;
	order.flush = &ask;
	assert_order(world, &order, "flush", NULL);
}

static void clean_up(struct world *world)
{
	Nl__Cleanup ask = NL__CLEANUP__INIT;
	Nl__Order order = NL__ORDER__INIT;
	ask.scratch = true;
	order.task_case = NL__ORDER__TASK_CLEANUP;
	order.cleanup = &ask;
	assert_order(world, &order, "cleanup", NULL);
}

static bool journal_is_empty(struct world *world)
{
	struct nl_journal_entry *list = NULL;
	size_t count = 1, damaged = 0;
	struct nl_error err;
	assert_int_equal(nl_journal_list(world->agent.journal, &list, &count, &damaged, &err), NL_E_OK);
	free(list);
	return count == 0 && damaged == 0;
}

static void a_campaigns_orders_run_from_inventory_to_cleanup(void **state)
{
	struct world *world = *state;
	Nl__Inventory inventory = NL__INVENTORY__INIT;
	Nl__Order order = NL__ORDER__INIT;
	Nl__Result *result = NULL;
	struct nl_error err;
	start_agent(world, false);
	inventory.path = world->controller.pool;
	inventory.peer = (char *)"127.0.0.1";
	order.task_case = NL__ORDER__TASK_INVENTORY;
	order.inventory = &inventory;
	assert_order(world, &order, "inventory", &result);
	assert_string_equal(fact(result, "watch", "address"), "127.0.0.1");
	assert_string_equal(fact(result, "watch", "nic"), "lo");
	nl_server_result_free(result);

	prepare(world);
	go(world, make_load_ready(world));
	flush(world);
	clean_up(world);
	assert_int_equal(entries(world->controller.pool), 0);
	assert_true(journal_is_empty(world));

	struct nl_store_result *results = NULL;
	size_t count = 0;
	assert_int_equal(nl_store_results(nl_server_store_lock(world->controller.server), RUN, &results, &count, &err),
			 NL_E_OK);
	nl_server_store_unlock(world->controller.server);
	assert_int_equal(count, 5);
	nl_store_results_free(results, count);
	end_agent(world);
}

static void samples_of_the_telemetry_reach_the_store_on_the_controllers_clock(void **state)
{
	struct world *world = *state;
	Nl__Watch watch = NL__WATCH__INIT;
	Nl__Order order = NL__ORDER__INIT;
	struct nl_series *series = NULL;
	size_t count = 0;
	struct nl_error err;
	int64_t before = nl_wall_ns();
	start_agent(world, false);
	watch.period_ns = 100 * NL_NS_PER_MS;
	order.task_case = NL__ORDER__TASK_WATCH;
	order.watch = &watch;
	/* A result follows the samples that were taken before it. */
	assert_order(world, &order, "", NULL);
	end_agent(world);
	assert_int_equal(nl_store_series(world->controller.store, RUN, NL_METRIC_MEMORY_AVAILABLE_BYTES, 0, INT64_MAX,
					 &series, &count, &err),
			 NL_E_OK);
	assert_int_equal(count, 1);
	assert_true(series[0].values[0] > 0);
	assert_true(llabs(series[0].times_ns[0] - before) < 60 * NL_NS_PER_S);
	nl_store_series_free(series, count);
}

static void a_load_outside_the_runs_scratch_directory_is_refused(void **state)
{
	struct world *world = *state;
	const char *const outside[] = {"/tmp", "/etc/nasline-run-2", "/tmp/nasline-run-1/../..", "/tmp/xnasline-run-1",
				       "/tmp/nasline-run-11/pool"};
	start_agent(world, false);
	prepare(world);
	for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
		char directory[400];
		Nl__Load ask;
		Nl__Order order = NL__ORDER__INIT;
		struct nl_error err;
		load_ask(world, &ask, directory);
		ask.directory = (char *)outside[i];
		order.task_case = NL__ORDER__TASK_LOAD;
		order.load = &ask;
		assert_int_equal(run_order(world, &order, "", NULL, &err), NL_E_ACCESS);
		assert_non_null(strstr(err.what, "outside"));
	}
	clean_up(world);
	end_agent(world);
}

static void go_without_a_load_is_an_error(void **state)
{
	struct world *world = *state;
	Nl__Go ask = NL__GO__INIT;
	Nl__Order order = NL__ORDER__INIT;
	struct nl_error err;
	start_agent(world, false);
	ask.load_order = 99;
	order.task_case = NL__ORDER__TASK_GO;
	order.go = &ask;
	assert_int_equal(run_order(world, &order, "load", NULL, &err), NL_E_PROTOCOL);
	end_agent(world);
}

static void an_agent_that_is_stopped_removes_what_it_made(void **state)
{
	struct world *world = *state;
	start_agent(world, false);
	prepare(world);
	go(world, make_load_ready(world));
	end_agent(world);
	assert_int_equal(entries(world->controller.pool), 0);
}

static void a_lease_that_runs_out_cleans_up(void **state)
{
	struct world *world = *state;
	start_agent(world, true);
	prepare(world);
	make_load_ready(world);
	nl_server_stop(world->controller.server);
	world->controller.server = NULL;
	int64_t before = nl_mono_ns();
	join_agent(world);
	assert_int_equal(world->agent_rc, NL_E_OK);
	assert_int_equal(entries(world->controller.pool), 0);
	assert_true(nl_mono_ns() - before < TEST_LEASE_NS + 10 * NL_NS_PER_S);
}

static void a_controller_that_was_started_again_finds_a_clean_agent_with_its_clock(void **state)
{
	struct world *world = *state;
	struct nl_error err;
	char listen[64];
	start_agent(world, false);
	prepare(world);
	/* As if the old controller's clock had been far off, and better known than the next one's can be. */
	pthread_mutex_lock(&world->agent.lock);
	world->agent.clock =
		(struct nl_clock){.offset_ns = 12345, .round_trip_ns = 1, .taken_mono_ns = nl_mono_ns(), .known = true};
	pthread_mutex_unlock(&world->agent.lock);
	snprintf(listen, sizeof listen, "127.0.0.1:%u", world->controller.port);
	nl_server_stop(world->controller.server);
	test_controller_start(&world->controller, listen);
	assert_int_equal(nl_server_wait_agent(world->controller.server, "nas", PATIENCE_NS, &world->stop, &err),
			 NL_E_OK);
	assert_int_equal(entries(world->controller.pool), 0);
	Nl__Clock ask = NL__CLOCK__INIT;
	Nl__Order order = NL__ORDER__INIT;
	Nl__Result *result = NULL;
	ask.exchanges = 4;
	order.task_case = NL__ORDER__TASK_CLOCK;
	order.clock = &ask;
	assert_order(world, &order, "clock", &result);
	assert_int_not_equal(atoll(fact(result, "clock", "offset_ns")), 12345);
	nl_server_result_free(result);
	end_agent(world);
}

static void a_stopped_wait_ends_the_load_that_runs(void **state)
{
	struct world *world = *state;
	Nl__Load load = NL__LOAD__INIT;
	Nl__Go ask = NL__GO__INIT;
	Nl__Order order = NL__ORDER__INIT, start = NL__ORDER__INIT;
	struct nl_order_keeping keeping = {.run_id = "", .role = "", .label = ""};
	Nl__Result *result = NULL;
	struct nl_error err;
	uint64_t id = 0;
	start_agent(world, false);
	load.engine = NL__ENGINE__ENGINE_NULL;
	load.block_bytes = 65536;
	load.queue_depth = load.streams = 1;
	load.file_bytes = 65536;
	load.loop_files = true;
	load.duration_ns = 3600 * NL_NS_PER_S;
	order.task_case = NL__ORDER__TASK_LOAD;
	order.load = &load;
	assert_order(world, &order, "", NULL);
	ask.load_order = order.id;
	start.task_case = NL__ORDER__TASK_GO;
	start.go = &ask;
	start.run_id = (char *)RUN;
	assert_int_equal(nl_server_order(world->controller.server, "nas", &start, &keeping, &id, &err), NL_E_OK);
	double bytes = 0;
	int64_t at = 0, until = nl_mono_ns() + PATIENCE_NS;
	while (bytes <= 0 && nl_mono_ns() < until)
		nl_server_live(world->controller.server, "nas", &bytes, &at);
	assert_true(bytes > 0);
	atomic_store(&world->stop, true);
	assert_int_equal(nl_server_await(world->controller.server, "nas", id, PATIENCE_NS, &world->stop, &result, &err),
			 NL_E_CANCELLED);
	atomic_store(&world->stop, false);
	int64_t before = nl_mono_ns();
	clean_up(world);
	assert_true(nl_mono_ns() - before < PATIENCE_NS / 2);
	end_agent(world);
}

static void cleaning_up_needs_no_identity(void **state)
{
	struct world *world = *state;
	char path[200], entry[64];
	struct nl_error err;
	struct nl_journal_entry leftover = {.kind = NL_JOURNAL_SHARE_FILES, .run_id = RUN};
	assert_int_equal(nl_agent_init(&world->agent, world->controller.state, true, &err), NL_E_OK);
	snprintf(entry, sizeof entry, "w\t2\t");
	snprintf(leftover.path, sizeof leftover.path, "%s", world->controller.pool);
	snprintf(leftover.detail, sizeof leftover.detail, "%s", entry);
	assert_int_equal(nl_journal_add(world->agent.journal, &leftover, &err), NL_E_OK);
	nl_agent_fini(&world->agent);
	snprintf(path, sizeof path, "%s/w-1", world->controller.pool);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fclose(file);
	snprintf(path, sizeof path, "%s/agent.crt", world->controller.state);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(nl_agent_init(&world->agent, world->controller.state, true, &err), NL_E_OK);
	assert_int_equal(nl_agent_run(&world->agent, &world->quit, true, &err), NL_E_NOT_FOUND);
	nl_agent_fini(&world->agent);
	assert_int_equal(entries(world->controller.pool), 0);
}

static void a_state_directory_that_is_not_there_is_not_made(void **state)
{
	struct world *world = *state;
	char path[200];
	struct nl_error err;
	snprintf(path, sizeof path, "%s/nobody", world->controller.dir);
	assert_int_equal(nl_agent_init(&world->agent, path, true, &err), NL_E_NOT_FOUND);
	assert_int_equal(access(path, F_OK), -1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_campaigns_orders_run_from_inventory_to_cleanup),
		TEST(samples_of_the_telemetry_reach_the_store_on_the_controllers_clock),
		TEST(a_load_outside_the_runs_scratch_directory_is_refused),
		TEST(go_without_a_load_is_an_error),
		TEST(an_agent_that_is_stopped_removes_what_it_made),
		TEST(a_lease_that_runs_out_cleans_up),
		TEST(a_controller_that_was_started_again_finds_a_clean_agent_with_its_clock),
		TEST(a_stopped_wait_ends_the_load_that_runs),
		TEST(cleaning_up_needs_no_identity),
		TEST(a_state_directory_that_is_not_there_is_not_made),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
