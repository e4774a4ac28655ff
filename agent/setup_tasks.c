/*
 * setup_tasks: everything around the loads: describe, watch, scratch, mounts, probes, caches, cleanup.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/bench/load_task.h"
#include "agent/call.h"
#include "agent/local_address.h"
#include "agent/mount/mount.h"
#include "agent/storage/storage.h"
#include "agent/task.h"
#include "agent/undo.h"
#include "base/time.h"

#define MOUNT_TIMEOUT_NS (20 * NL_NS_PER_S)
#define SHARE_TIMEOUT_NS (15 * NL_NS_PER_S)
#define DISKS_MAX        64

static void fact_sink(void *context, const char *subject, const char *key, const char *value)
{
	nl_outcome_fact(context, subject, key, value);
}

static void share_fact_sink(void *context, const char *key, const char *value)
{
	nl_outcome_fact(context, "share", key, value);
}

static int storage_disks(const char *path, struct nl_storage_disk *disks, unsigned *count, struct nl_error *err)
{
	const struct nl_storage_backend *backend = NULL;
	*count = 0;
	if (path[0] == '\0')
		return NL_E_OK;
	int rc = nl_storage_backend_for(path, &backend, err);
	return rc == NL_E_OK ? backend->disks(path, disks, DISKS_MAX, count, err) : rc;
}

static void disks_fact(struct nl_outcome *outcome, const struct nl_storage_disk *disks, unsigned count)
{
	char list[500] = "";
	size_t used = 0;
	for (unsigned i = 0; i < count && used < sizeof list - 1; i++)
		used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? "," : "", disks[i].name);
	nl_outcome_fact(outcome, "watch", "disks", list);
}

int nl_task_inventory(struct nl_agent *agent, const Nl__Order *order, struct nl_outcome *outcome, struct nl_error *err)
{
	const Nl__Inventory *ask = order->inventory;
	const struct nl_storage_backend *backend = NULL;
	struct nl_storage_disk disks[DISKS_MAX];
	unsigned disk_count = 0;
	char nic[32] = "", address[64];

	int rc = nl_host_describe(fact_sink, outcome, err);
	if (rc == NL_E_OK && ask->peer[0])
		rc = nl_nic_for_peer(ask->peer, nic, err);
	if (rc == NL_E_OK && nic[0]) {
		nl_outcome_fact(outcome, "watch", "nic", nic);
		rc = nl_local_address(ask->peer, address, sizeof address, err);
	}
	if (rc == NL_E_OK && nic[0]) {
		nl_outcome_fact(outcome, "watch", "address", address);
		rc = nl_nic_describe(nic, fact_sink, outcome, err);
	}
	if (rc == NL_E_OK && ask->path[0])
		rc = nl_storage_backend_for(ask->path, &backend, err);
	if (rc == NL_E_OK && backend)
		rc = backend->describe(ask->path, fact_sink, outcome, err);
	if (rc == NL_E_OK && backend)
		rc = backend->disks(ask->path, disks, DISKS_MAX, &disk_count, err);
	if (rc == NL_E_OK && backend)
		disks_fact(outcome, disks, disk_count);
	nl_outcome_fact(outcome, "agent", "version", NASLINE_VERSION);
	nl_outcome_factf(outcome, "agent", "root", "%s", geteuid() == 0 ? "yes" : "no");
	(void)agent;
	return rc;
}

int nl_task_clock(struct nl_agent *agent, const Nl__Order *order, struct nl_outcome *outcome, struct nl_error *err)
{
	for (uint32_t i = 0; i < order->clock->exchanges && i < 64 && !nl_agent_stopped(agent); i++) {
		int rc = nl_call_ping(agent, 2 * NL_NS_PER_S, err);
		if (rc != NL_E_OK)
			return rc;
	}
	pthread_mutex_lock(&agent->lock);
	struct nl_clock clock = agent->clock;
	pthread_mutex_unlock(&agent->lock);
	nl_outcome_factf(outcome, "clock", "offset_ns", "%lld", (long long)clock.offset_ns);
	nl_outcome_factf(outcome, "clock", "offset_error_ns", "%lld", (long long)nl_clock_error_ns(&clock));
	nl_outcome_factf(outcome, "clock", "round_trip_ns", "%lld", (long long)clock.round_trip_ns);
	return NL_E_OK;
}

int nl_task_watch(struct nl_agent *agent, const Nl__Order *order, struct nl_outcome *outcome, struct nl_error *err)
{
	const Nl__Watch *ask = order->watch;
	struct nl_telemetry *fresh = NULL, *old;
	struct nl_storage_disk disks[DISKS_MAX];
	unsigned disk_count = 0;
	char nic[32] = "";
	int rc = NL_E_OK;
	if (ask->period_ns > 0) {
		rc = storage_disks(ask->path, disks, &disk_count, err);
		if (rc == NL_E_OK && ask->peer[0])
			rc = nl_nic_for_peer(ask->peer, nic, err);
		struct nl_telemetry_config config = {
			.period_ns = ask->period_ns, .disks = disks, .disk_count = disk_count, .nic = nic};
		if (rc == NL_E_OK)
			rc = nl_telemetry_start(&config, &fresh, err);
		if (rc != NL_E_OK)
			return rc;
		nl_outcome_fact(outcome, "watch", "missing", nl_telemetry_missing(fresh));
	}
	pthread_mutex_lock(&agent->lock);
	old = agent->telemetry;
	agent->telemetry = fresh;
	pthread_mutex_unlock(&agent->lock);
	nl_telemetry_stop(old);
	return rc;
}

int nl_task_prepare(struct nl_agent *agent, const Nl__Order *order, struct nl_outcome *outcome, struct nl_error *err)
{
	const struct nl_storage_backend *backend = NULL;
	char scratch[1024];
	int rc = nl_storage_backend_for(order->prepare->pool, &backend, err);
	if (rc == NL_E_OK)
		rc = backend->prepare(agent->journal, order->prepare->pool, order->run_id, order->prepare->need_bytes,
				      scratch, err);
	if (rc != NL_E_OK)
		return rc;
	nl_outcome_fact(outcome, "scratch", "path", scratch);
	nl_outcome_fact(outcome, "scratch", "backend", backend->name);
	return NL_E_OK;
}

static int keep_share(struct nl_agent *agent, const Nl__ShareTarget *target, struct nl_kept_share *kept,
		      struct nl_error *err)
{
	int rc = nl_kept_share_from(kept, target, err);
	if (rc != NL_E_OK)
		return rc;
	pthread_mutex_lock(&agent->lock);
	nl_keepsake_put(&agent->keepsake, kept);
	pthread_mutex_unlock(&agent->lock);
	return NL_E_OK;
}

int nl_task_mount(struct nl_agent *agent, const Nl__Order *order, struct nl_outcome *outcome, struct nl_error *err)
{
	const Nl__Mount *ask = order->mount;
	struct nl_kept_share kept;
	char path[1024];
	if (!ask->share)
		return nl_error_set(err, NL_E_PROTOCOL, "an order to mount names no share");
	int rc = nl_kept_share_from(&kept, ask->share, err);
	if (rc != NL_E_OK)
		return rc;
	struct nl_mount_request request = {
		.protocol = ask->share->protocol,
		.server = kept.server,
		.share = kept.share,
		.version = kept.version,
		.user = kept.user,
		.password = kept.password,
		.name = ask->name,
		.options = ask->options,
		.port = kept.port,
		.nconnect = ask->nconnect,
		.rsize_bytes = ask->rsize_bytes,
		.wsize_bytes = ask->wsize_bytes,
		.encrypt = kept.encrypt,
	};
	rc = nl_mount_make(agent->journal, agent->state_dir, order->run_id, &request, MOUNT_TIMEOUT_NS, path, err);
	explicit_bzero(&kept, sizeof kept);
	if (rc != NL_E_OK)
		return rc;
	nl_outcome_fact(outcome, "mount", "path", path);
	return nl_mount_facts(path, share_fact_sink, outcome, err);
}

static int entry_of_mount(struct nl_agent *agent, const char *run_id, const char *name, struct nl_journal_entry *found,
			  struct nl_error *err)
{
	struct nl_journal_entry *entries = NULL;
	size_t count = 0, damaged = 0;
	int rc = nl_journal_list(agent->journal, &entries, &count, &damaged, err);
	if (rc != NL_E_OK)
		return rc;
	rc = NL_E_NOT_FOUND;
	for (size_t i = 0; i < count && rc != NL_E_OK; i++) {
		const char *slash = strrchr(entries[i].path, '/');
		bool fits = entries[i].kind == NL_JOURNAL_MOUNT && strcmp(entries[i].run_id, run_id) == 0 && slash &&
			    strcmp(slash + 1, name) == 0;
		if (fits) {
			*found = entries[i];
			rc = NL_E_OK;
		}
	}
	free(entries);
	return rc;
}

int nl_task_unmount(struct nl_agent *agent, const Nl__Order *order, struct nl_outcome *outcome, struct nl_error *err)
{
	struct nl_journal_entry entry;
	(void)outcome;
	int rc = entry_of_mount(agent, order->run_id, order->unmount->name, &entry, err);
	if (rc == NL_E_NOT_FOUND)
		return NL_E_OK; /* gone already is what was asked for */
	return rc == NL_E_OK ? nl_mount_undo(agent->journal, &entry, err) : rc;
}

/* A directory of a mount must exist and be writable; nothing is left. */
static int check_directory(const char *directory, struct nl_error *err)
{
	int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
		char path[1100];
		snprintf(path, sizeof path, "%s/.nasline-probe", directory);
		fd = open(path, O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd >= 0 && unlink(path) != 0) {
			int unlink_errno = errno;
			close(fd);
			nl_error_sys(err, unlink_errno, "remove a test file of no bytes");
			nl_error_where(err, "%s", path);
			return err->code = NL_E_LEFTOVER;
		}
	}
	if (fd < 0) {
		int rc = nl_error_sys(err, errno, "write into the test directory");
		nl_error_where(err, "%s", directory);
		return rc;
	}
	close(fd);
	return NL_E_OK;
}

int nl_task_probe(struct nl_agent *agent, const Nl__Order *order, struct nl_outcome *outcome, struct nl_error *err)
{
	const Nl__Probe *ask = order->probe;
	int rc = nl_undo_inside_scratch(ask->directory, order->run_id, err);
	if (rc != NL_E_OK)
		return rc;
	if (!ask->share) {
		rc = check_directory(ask->directory, err);
		return rc == NL_E_OK ? nl_mount_facts(ask->directory, share_fact_sink, outcome, err) : rc;
	}
	struct nl_kept_share kept;
	rc = keep_share(agent, ask->share, &kept, err);
	if (rc != NL_E_OK)
		return rc;
	struct nl_share_target target = nl_kept_share_target(&kept);
	rc = nl_share_check(kept.engine, &target, ask->directory, SHARE_TIMEOUT_NS, share_fact_sink, outcome, err);
	explicit_bzero(&kept, sizeof kept);
	return rc;
}

int nl_task_evict(struct nl_agent *agent, const Nl__Order *order, struct nl_outcome *outcome, struct nl_error *err)
{
	const Nl__Evict *ask = order->evict;
	const struct nl_storage_backend *backend = NULL;
	double resident = 1.0;
	int rc = nl_storage_backend_for(ask->directory, &backend, err);
	if (rc == NL_E_OK)
		rc = backend->evict(ask->directory, ask->file_prefix, &resident, err);
	if (rc == NL_E_OK)
		nl_outcome_factf(outcome, "evict", "resident_share", "%.6f", resident);
	nl_agent_edge(agent);
	return rc;
}

int nl_task_flush(struct nl_agent *agent, const Nl__Order *order, struct nl_outcome *outcome, struct nl_error *err)
{
	const struct nl_storage_backend *backend = NULL;
	int rc = nl_storage_backend_for(order->flush->directory, &backend, err);
	if (rc == NL_E_OK)
		rc = backend->flush(order->flush->directory, err);
	nl_outcome_result(outcome)->ended_mono_ns = nl_mono_ns();
	nl_agent_edge(agent);
	return rc;
}

int nl_task_cleanup(struct nl_agent *agent, const Nl__Order *order, struct nl_outcome *outcome, struct nl_error *err)
{
	struct nl_undo_scope scope = {.run_id = order->run_id, .keep_scratch = !order->cleanup->scratch};
	unsigned undone = 0;
	nl_ready_load_drop(agent);
	nl_netbench_server_free(agent->line_server);
	agent->line_server = NULL;
	int rc = nl_undo(agent, &scope, &undone, err);
	/* The passwords were kept for this; what could not be removed is tried again when the session ends. */
	if (rc == NL_E_OK) {
		pthread_mutex_lock(&agent->lock);
		nl_keepsake_wipe(&agent->keepsake);
		pthread_mutex_unlock(&agent->lock);
	}
	nl_outcome_factf(outcome, "cleanup", "removed", "%u", undone);
	return rc;
}
