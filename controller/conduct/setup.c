/*
 * setup: everything before the first load and after the last one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "base/time.h"
#include "controller/conduct/conductor.h"
#include "controller/conduct/secret.h"
#include "proto/identity.h"

#define LOOK_TIMEOUT_NS    (30 * NL_NS_PER_S)
#define MOUNT_TIMEOUT_NS   (60 * NL_NS_PER_S)
#define CLEANUP_TIMEOUT_NS (120 * NL_NS_PER_S)
#define CLOCK_EXCHANGES    16

static const atomic_bool never;

static int inventory(struct nl_conductor *conductor, unsigned phase, const char *agent, const char *path,
		     const char *peer, bool keep, Nl__Result **result, struct nl_error *err)
{
	Nl__Inventory ask = NL__INVENTORY__INIT;
	Nl__Order order = NL__ORDER__INIT;
	struct nl_order_call call = {agent, phase, keep ? "inventory" : "", "", LOOK_TIMEOUT_NS, NULL};
	ask.path = (char *)path;
	ask.peer = (char *)peer;
	order.task_case = NL__ORDER__TASK_INVENTORY;
	order.inventory = &ask;
	return nl_conduct_order(conductor, &call, &order, result, err);
}

/* The client's own address on the way to the NAS, by which the NAS finds its own interface. */
static void address_of(const Nl__Result *result, char *address, size_t size)
{
	const char *found = nl_conduct_fact(result, "watch", "address");
	snprintf(address, size, "%s", found ? found : "");
}

static uint64_t number_fact(const Nl__Result *result, const char *subject, const char *key)
{
	uint64_t value = 0;
	const char *text = nl_conduct_fact(result, subject, key);
	return text && nl_parse_u64(text, &value) ? value : 0;
}

/* The most that can arrive from a client, to size files: the slower of the link and its shaper. */
static double link_bytes_per_s(const Nl__Result *result)
{
	char subject[64];
	const char *nic = nl_conduct_fact(result, "watch", "nic");
	snprintf(subject, sizeof subject, "nic:%s", nic ? nic : "");
	uint64_t speed = number_fact(result, subject, "speed_bps"),
		 shaper = number_fact(result, subject, "shaper_rate_bps");
	if (shaper && (!speed || shaper < speed))
		speed = shaper;
	return (double)speed / 8;
}

static int look_at_clients(struct nl_conductor *conductor, unsigned phase, bool keep, char *address, size_t size,
			   struct nl_error *err)
{
	const struct nl_campaign *campaign = conductor->campaign;
	int rc = NL_E_OK;
	address[0] = '\0';
	for (unsigned i = 0; rc == NL_E_OK && i < campaign->client_count; i++) {
		Nl__Result *result = NULL;
		rc = inventory(conductor, phase, campaign->clients[i], "", campaign->nas_address, keep, &result, err);
		if (rc == NL_E_OK && i == 0) {
			address_of(result, address, size);
			conductor->facts.assumed_bytes_per_s = link_bytes_per_s(result);
		}
		nl_server_result_free(result);
	}
	return rc;
}

static bool has_nas(const struct nl_conductor *conductor)
{
	return conductor->campaign->nas_agent[0] != '\0';
}

static int look_at_nas(struct nl_conductor *conductor, unsigned phase, bool keep, const char *peer,
		       struct nl_error *err)
{
	Nl__Result *result = NULL;
	if (!has_nas(conductor))
		return NL_E_OK;
	int rc = inventory(conductor, phase, conductor->campaign->nas_agent, conductor->campaign->nas_pool, peer, keep,
			   &result, err);
	if (rc == NL_E_OK) {
		conductor->facts.nas_cores = (unsigned)number_fact(result, "cpu", "cores");
		conductor->facts.nas_memory_bytes = number_fact(result, "memory", "total_bytes");
	}
	nl_server_result_free(result);
	return rc;
}

int nl_setup_look(struct nl_conductor *conductor, struct nl_error *err)
{
	char address[128];
	int rc = look_at_clients(conductor, 0, false, address, sizeof address, err);
	return rc == NL_E_OK ? look_at_nas(conductor, 0, false, address, err) : rc;
}

static int set_clock(struct nl_conductor *conductor, unsigned phase, const char *agent, struct nl_error *err)
{
	Nl__Clock ask = NL__CLOCK__INIT;
	Nl__Order order = NL__ORDER__INIT;
	struct nl_order_call call = {agent, phase, "clock", "", LOOK_TIMEOUT_NS, NULL};
	ask.exchanges = CLOCK_EXCHANGES;
	order.task_case = NL__ORDER__TASK_CLOCK;
	order.clock = &ask;
	return nl_conduct_order(conductor, &call, &order, NULL, err);
}

static int watch(struct nl_conductor *conductor, unsigned phase, const char *agent, const char *path, const char *peer,
		 int64_t period_ns, const atomic_bool *stop, struct nl_error *err)
{
	Nl__Watch ask = NL__WATCH__INIT;
	Nl__Order order = NL__ORDER__INIT;
	struct nl_order_call call = {agent, phase, "", "", LOOK_TIMEOUT_NS, stop};
	ask.period_ns = period_ns;
	ask.path = (char *)path;
	ask.peer = (char *)peer;
	order.task_case = NL__ORDER__TASK_WATCH;
	order.watch = &ask;
	return nl_conduct_order(conductor, &call, &order, NULL, err);
}

int nl_setup_inventory(struct nl_conductor *conductor, unsigned phase, struct nl_error *err)
{
	const struct nl_campaign *campaign = conductor->campaign;
	char address[128];
	int rc = look_at_clients(conductor, phase, true, address, sizeof address, err);
	if (rc == NL_E_OK)
		rc = look_at_nas(conductor, phase, true, address, err);
	for (unsigned i = 0; rc == NL_E_OK && i < campaign->client_count; i++) {
		rc = set_clock(conductor, phase, campaign->clients[i], err);
		/* An agent that is client and NAS in one (`nasline local`) is watched once, as the NAS. */
		if (rc == NL_E_OK && strcmp(campaign->clients[i], campaign->nas_agent) != 0)
			rc = watch(conductor, phase, campaign->clients[i], "", campaign->nas_address,
				   campaign->telemetry_period_ns, NULL, err);
	}
	if (rc == NL_E_OK && has_nas(conductor))
		rc = set_clock(conductor, phase, campaign->nas_agent, err);
	if (rc == NL_E_OK && has_nas(conductor))
		rc = watch(conductor, phase, campaign->nas_agent, campaign->nas_pool, address,
			   campaign->telemetry_period_ns, NULL, err);
	return rc;
}

int nl_setup_secrets(struct nl_conductor *conductor, struct nl_error *err)
{
	int rc = NL_E_OK;
	for (unsigned i = 0; rc == NL_E_OK && i < conductor->campaign->share_count; i++)
		if (conductor->campaign->shares[i].password_file[0])
			rc = nl_secret_read(conductor->campaign->shares[i].password_file, conductor->share[i].password,
					    sizeof conductor->share[i].password, err);
	return rc;
}

static int make_scratch(struct nl_conductor *conductor, unsigned phase, struct nl_error *err)
{
	Nl__Prepare ask = NL__PREPARE__INIT;
	Nl__Order order = NL__ORDER__INIT;
	Nl__Result *result = NULL;
	struct nl_order_call call = {conductor->campaign->nas_agent, phase, "prepare", "", LOOK_TIMEOUT_NS, NULL};
	ask.pool = (char *)conductor->campaign->nas_pool;
	ask.need_bytes = conductor->plan.space_bytes;
	order.task_case = NL__ORDER__TASK_PREPARE;
	order.prepare = &ask;
	int rc = nl_conduct_order(conductor, &call, &order, &result, err);
	if (rc != NL_E_OK)
		return rc;
	const char *path = nl_conduct_fact(result, "scratch", "path");
	const char *slash = path ? strrchr(path, '/') : NULL;
	if (slash && strlen(slash) > 1) {
		snprintf(conductor->scratch, sizeof conductor->scratch, "%s", path);
		snprintf(conductor->scratch_name, sizeof conductor->scratch_name, "%s", slash + 1);
	} else {
		rc = nl_error_set(err, NL_E_PROTOCOL, "the NAS's agent did not say where its scratch directory is");
	}
	nl_server_result_free(result);
	return rc;
}

/* DIRECTORY/nasline-RUN/share, seen from the top of the share or of its mount. */
static void share_directory(struct nl_conductor *conductor, unsigned index, const char *top)
{
	const struct nl_campaign_share *share = &conductor->campaign->shares[index];
	struct nl_conduct_share *state = &conductor->share[index];
	const char *inside = share->directory + strspn(share->directory, "/");
	size_t top_len = strlen(top);
	while (top_len > 0 && top[top_len - 1] == '/')
		top_len--;
	snprintf(state->directory, sizeof state->directory, "%.*s/%s%s%s/share", (int)top_len, top, inside,
		 inside[0] ? "/" : "", conductor->scratch_name);
}

static int mount_share(struct nl_conductor *conductor, unsigned phase, unsigned index, struct nl_error *err)
{
	const struct nl_campaign_share *share = &conductor->campaign->shares[index];
	Nl__Mount ask = NL__MOUNT__INIT;
	Nl__ShareTarget target;
	Nl__Order order = NL__ORDER__INIT;
	Nl__Result *result = NULL;
	struct nl_order_call call = {
		nl_conduct_client(conductor, index), phase, "mount", share->name, MOUNT_TIMEOUT_NS, NULL};
	nl_conduct_share_target(conductor, index, &target);
	ask.share = &target;
	ask.name = (char *)share->name;
	ask.options = (char *)share->options;
	ask.nconnect = share->nconnect;
	ask.rsize_bytes = share->rsize_bytes;
	ask.wsize_bytes = share->wsize_bytes;
	order.task_case = NL__ORDER__TASK_MOUNT;
	order.mount = &ask;
	int rc = nl_conduct_order(conductor, &call, &order, &result, err);
	if (rc != NL_E_OK)
		return rc;
	const char *path = nl_conduct_fact(result, "mount", "path");
	if (path)
		share_directory(conductor, index, path);
	else
		rc = nl_error_set(err, NL_E_PROTOCOL, "agent %s did not say where it mounted %s", call.agent,
				  share->name);
	nl_server_result_free(result);
	return rc;
}

static int probe_share(struct nl_conductor *conductor, unsigned phase, unsigned index, struct nl_error *err)
{
	const struct nl_campaign_share *share = &conductor->campaign->shares[index];
	Nl__Probe ask = NL__PROBE__INIT;
	Nl__ShareTarget target;
	Nl__Order order = NL__ORDER__INIT;
	struct nl_order_call call = {
		nl_conduct_client(conductor, index), phase, "probe", share->name, MOUNT_TIMEOUT_NS, NULL};
	nl_conduct_share_target(conductor, index, &target);
	ask.share = conductor->share[index].local ? NULL : &target;
	ask.directory = conductor->share[index].directory;
	order.task_case = NL__ORDER__TASK_PROBE;
	order.probe = &ask;
	int rc = nl_conduct_order(conductor, &call, &order, NULL, err);
	if (rc == NL_E_NOT_FOUND && err && err->todo[0] == '\0')
		nl_error_todo(err, "check the share's name, and that it shows the pool directory %s (key `directory`)",
			      conductor->campaign->nas_pool);
	return rc;
}

static int prepare_share(struct nl_conductor *conductor, unsigned phase, unsigned index, struct nl_error *err)
{
	const struct nl_campaign_share *share = &conductor->campaign->shares[index];
	int rc = NL_E_OK;
	conductor->share[index].local = share->access != NL_ACCESS_USERLAND;
	if (share->access == NL_ACCESS_MOUNT)
		rc = mount_share(conductor, phase, index, err);
	else
		share_directory(conductor, index, share->access == NL_ACCESS_PATH ? share->path : "");
	return rc == NL_E_OK ? probe_share(conductor, phase, index, err) : rc;
}

static int start_line_server(struct nl_conductor *conductor, unsigned phase, struct nl_error *err)
{
	Nl__LineServer ask = NL__LINE_SERVER__INIT;
	Nl__Order order = NL__ORDER__INIT;
	Nl__Result *result = NULL;
	struct nl_order_call call = {conductor->campaign->nas_agent, phase, "", "", LOOK_TIMEOUT_NS, NULL};
	int rc = nl_identity_random(conductor->line_key, sizeof conductor->line_key, err);
	if (rc != NL_E_OK)
		return rc;
	ask.key = (ProtobufCBinaryData){sizeof conductor->line_key, conductor->line_key};
	ask.longest_ns = conductor->campaign->line.omit_ns + conductor->campaign->line.duration_ns;
	order.task_case = NL__ORDER__TASK_LINE_SERVER;
	order.line_server = &ask;
	rc = nl_conduct_order(conductor, &call, &order, &result, err);
	if (rc != NL_E_OK)
		return rc;
	conductor->line_port = (unsigned)number_fact(result, "line", "port");
	nl_server_result_free(result);
	return conductor->line_port && conductor->line_port < 65536
		       ? NL_E_OK
		       : nl_error_set(err, NL_E_PROTOCOL,
				      "the NAS's agent did not say on which port it serves the line test");
}

static bool plan_has(const struct nl_conductor *conductor, enum nl_phase_kind kind)
{
	for (unsigned i = 0; i < conductor->plan.phase_count; i++)
		if (conductor->plan.phases[i].kind == kind)
			return true;
	return false;
}

int nl_setup_prepare(struct nl_conductor *conductor, unsigned phase, struct nl_error *err)
{
	int rc = NL_E_OK;
	if (plan_has(conductor, NL_PHASE_POOL) || plan_has(conductor, NL_PHASE_SHARE))
		rc = make_scratch(conductor, phase, err);
	for (unsigned i = 0; rc == NL_E_OK && i < conductor->campaign->share_count; i++)
		rc = prepare_share(conductor, phase, i, err);
	if (rc == NL_E_OK && plan_has(conductor, NL_PHASE_LINE))
		rc = start_line_server(conductor, phase, err);
	return rc;
}

static int clean_agent(struct nl_conductor *conductor, unsigned phase, const char *agent, bool scratch,
		       struct nl_error *err)
{
	Nl__Cleanup ask = NL__CLEANUP__INIT;
	Nl__Order order = NL__ORDER__INIT;
	struct nl_order_call call = {agent, phase, "cleanup", "", CLEANUP_TIMEOUT_NS, &never};
	if (!nl_server_agent_alive(conductor->server, agent)) {
		nl_error_set(err, NL_E_LEFTOVER, "agent %s cannot be reached to clean up", agent);
		nl_error_todo(err, "it cleans up by itself when it starts again, or by `nasline-agent cleanup`");
		return NL_E_LEFTOVER;
	}
	ask.scratch = scratch;
	order.task_case = NL__ORDER__TASK_CLEANUP;
	order.cleanup = &ask;
	int rc = nl_conduct_order(conductor, &call, &order, NULL, err);
	if (rc == NL_E_OK)
		rc = watch(conductor, phase, agent, "", "", 0, &never, err);
	return rc;
}

int nl_setup_cleanup(struct nl_conductor *conductor, unsigned phase, struct nl_error *err)
{
	const struct nl_campaign *campaign = conductor->campaign;
	int rc = NL_E_OK;
	for (unsigned i = 0; i < campaign->client_count; i++) {
		struct nl_error one;
		bool also_nas = strcmp(campaign->clients[i], campaign->nas_agent) == 0;
		int done = also_nas ? NL_E_OK : clean_agent(conductor, phase, campaign->clients[i], false, &one);
		if (done != NL_E_OK && rc == NL_E_OK) {
			rc = done;
			*err = one;
		}
	}
	if (has_nas(conductor)) {
		struct nl_error one;
		int done = clean_agent(conductor, phase, campaign->nas_agent, true, &one);
		if (done != NL_E_OK && rc == NL_E_OK) {
			rc = done;
			*err = one;
		}
	}
	return rc;
}
