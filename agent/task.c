/*
 * task: the table of tasks.
 */
#include "agent/task.h"

struct task_row {
	Nl__Order__TaskCase kind;
	const char *name;
	nl_task_fn *run;
};

static const struct task_row task_rows[] = {
	{NL__ORDER__TASK_INVENTORY, "inventory", nl_task_inventory},
	{NL__ORDER__TASK_WATCH, "watch", nl_task_watch},
	{NL__ORDER__TASK_PREPARE, "prepare", nl_task_prepare},
	{NL__ORDER__TASK_LOAD, "load", nl_task_load},
	{NL__ORDER__TASK_GO, "go", nl_task_go},
	{NL__ORDER__TASK_LINE_SERVER, "line server", nl_task_line_server},
	{NL__ORDER__TASK_LINE_CLIENT, "line client", nl_task_line_client},
	{NL__ORDER__TASK_EVICT, "evict", nl_task_evict},
	{NL__ORDER__TASK_FLUSH, "flush", nl_task_flush},
	{NL__ORDER__TASK_MOUNT, "mount", nl_task_mount},
	{NL__ORDER__TASK_UNMOUNT, "unmount", nl_task_unmount},
	{NL__ORDER__TASK_CLEANUP, "cleanup", nl_task_cleanup},
	{NL__ORDER__TASK_CLOCK, "clock", nl_task_clock},
	{NL__ORDER__TASK_PROBE, "probe", nl_task_probe},
};

static const struct task_row *row_of(const Nl__Order *order)
{
	for (size_t i = 0; i < sizeof task_rows / sizeof *task_rows; i++)
		if (task_rows[i].kind == order->task_case)
			return &task_rows[i];
	return NULL;
}

const char *nl_task_name(const Nl__Order *order)
{
	const struct task_row *row = row_of(order);
	return row ? row->name : "unknown task";
}

int nl_task_run(struct nl_agent *agent, const Nl__Order *order, struct nl_outcome *outcome, struct nl_error *err)
{
	const struct task_row *row = row_of(order);
	if (!row) {
		nl_error_set(err, NL_E_UNSUPPORTED, "this agent does not know the task %d", (int)order->task_case);
		nl_error_todo(err, "install the same version of nasline on both sides");
		return NL_E_UNSUPPORTED;
	}
	return row->run(agent, order, outcome, err);
}
