/*
 * worker: takes orders from the queue, runs their task, delivers the outcome.
 */
#include "agent/worker.h"

#include "agent/task.h"
#include "base/time.h"

void nl_worker_take(struct nl_agent *agent, Nl__Reply *reply)
{
	bool taken = false;
	pthread_mutex_lock(&agent->lock);
	if (reply->order->id > agent->newest_order && agent->order_count < NL_AGENT_QUEUE_MAX) {
		agent->newest_order = reply->order->id;
		agent->orders[agent->order_count++] = reply;
		taken = true;
		pthread_cond_broadcast(&agent->changed);
	}
	pthread_mutex_unlock(&agent->lock);
	if (!taken) {
		nl_secret_wipe_order(reply->order);
		nl_reply_free(reply);
	}
}

static int64_t deadline_of(const Nl__Order *order)
{
	int64_t deadline;
	if (order->deadline_ns <= 0 || __builtin_add_overflow(nl_mono_ns(), order->deadline_ns, &deadline))
		return 0;
	return deadline;
}

static Nl__Reply *next_order(struct nl_agent *agent)
{
	Nl__Reply *reply = NULL;
	pthread_mutex_lock(&agent->lock);
	while (agent->order_count == 0 && !atomic_load(&agent->session_over))
		pthread_cond_wait(&agent->changed, &agent->lock);
	if (agent->order_count > 0 && !atomic_load(&agent->session_over)) {
		reply = agent->orders[0];
		agent->order_count--;
		for (unsigned i = 0; i < agent->order_count; i++)
			agent->orders[i] = agent->orders[i + 1];
		atomic_store(&agent->cancel, false);
		atomic_store(&agent->deadline_mono_ns, deadline_of(reply->order));
		atomic_store(&agent->running_order, reply->order->id);
	}
	pthread_mutex_unlock(&agent->lock);
	return reply;
}

static void run_order(struct nl_agent *agent, const Nl__Order *order)
{
	struct nl_outcome *outcome = nl_outcome_alloc(order->id);
	if (!outcome) {
		nl_agent_note(agent, "order %llu: not enough memory", (unsigned long long)order->id);
		return;
	}
	struct nl_error err = {0};
	Nl__Result *result = nl_outcome_result(outcome);
	result->started_mono_ns = nl_mono_ns();
	int rc = nl_task_run(agent, order, outcome, &err);
	if (result->ended_mono_ns == 0)
		result->ended_mono_ns = nl_mono_ns();
	if (rc != NL_E_OK) {
		char line[1200];
		result->failure = nl_outcome_failure(outcome, &err);
		/* The controller tells it its user. */
		nl_agent_info(agent, "%s: %s", nl_task_name(order), nl_error_line(&err, line, sizeof line));
	}
	nl_agent_deliver(agent, outcome);
}

static void *worker_main(void *context)
{
	struct nl_agent *agent = context;
	while (!atomic_load(&agent->session_over)) {
		Nl__Reply *reply = next_order(agent);
		if (!reply)
			continue;
		run_order(agent, reply->order);
		nl_secret_wipe_order(reply->order);
		nl_reply_free(reply);
		atomic_store(&agent->running_order, 0);
	}
	return NULL;
}

int nl_worker_start(struct nl_agent *agent, pthread_t *thread, struct nl_error *err)
{
	int rc = pthread_create(thread, NULL, worker_main, agent);
	return rc == 0 ? NL_E_OK : nl_error_sys(err, rc, "start the worker's thread");
}
