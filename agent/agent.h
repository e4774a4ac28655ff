/*
 * agent: the state that the agent's threads share, and its life: dial, prove the name, take orders, send what was
 * measured, clean up.
 *
 * Threads of a session: the *session* thread (the caller of nl_agent_run) polls for orders; the *worker* runs them one
 * at a time; the *uplink* sends samples and results in order, so that a sequence number is never in flight twice.
 * Locking: `lock` guards clock, telemetry, load, the queues and the keepsake; atomics stand alone. `lock` is never held
 * while calling the network, the disk or a load's slow functions.
 */
#ifndef NL_AGENT_AGENT_H
#define NL_AGENT_AGENT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/io/load.h"
#include "agent/journal.h"
#include "agent/keepsake.h"
#include "agent/outcome.h"
#include "agent/telemetry/telemetry.h"
#include "base/error.h"
#include "netbench/netbench.h"
#include "proto/clock.h"
#include "proto/identity.h"
#include "proto/link.h"
#include "proto/message.h"

#define NL_AGENT_QUEUE_MAX 8

struct nl_ready_load; /* a load made ready and the job it points into (agent/bench/load_task.h) */

struct nl_agent {
	char state_dir[1024];
	char url[300];
	char name[NL_IDENTITY_NAME_MAX + 1];
	struct nl_dialer *dialer;
	struct nl_journal *journal;
	bool quiet; /* errors only */

	_Atomic uint64_t session;
	_Atomic int64_t contact_mono_ns; /* last reply of the controller */
	_Atomic int64_t lease_ns;
	atomic_bool session_over;         /* ends this session's threads */
	_Atomic uint64_t running_order;   /* 0: none */
	atomic_bool cancel;               /* stops the running order */
	_Atomic int64_t deadline_mono_ns; /* of the running order; 0: none */

	pthread_mutex_t lock;
	pthread_cond_t changed; /* monotonic clock */
	struct nl_clock clock;
	struct nl_telemetry *telemetry;
	struct nl_ready_load *load; /* what uplink watches; freed by the worker after taking it away under the lock */
	Nl__Reply *orders[NL_AGENT_QUEUE_MAX]; /* taken, not begun; each holds its order */
	unsigned order_count;
	uint64_t newest_order; /* highest id taken or aborted in this session: orders up to it are not taken */
	struct nl_outcome *done[NL_AGENT_QUEUE_MAX * 2]; /* results not sent yet */
	unsigned done_count;
	struct nl_netbench_server *line_server;
	struct nl_keepsake keepsake; /* what the journal must not hold: secrets for cleaning up */
};

/*
 * nl_agent_init takes the journal of a state directory that is there (NL_E_NOT_FOUND otherwise; NL_E_SYSTEM with
 * EWOULDBLOCK in sys_errno while another process has it). The identity is not looked at: cleaning up must work without
 * a good one. The agent is the caller's memory; nl_agent_fini after a success only.
 */
int nl_agent_init(struct nl_agent *agent, const char *state_dir, bool quiet, struct nl_error *err);
void nl_agent_fini(struct nl_agent *agent);

/*
 * nl_agent_abort stops the order if it runs or waits, or every order when `order` is UINT64_MAX. An order that has not
 * arrived yet will not be taken. Any thread.
 */
void nl_agent_abort(struct nl_agent *agent, uint64_t order);

/* nl_agent_stopped: whether the running order should end now: aborted, session over, or its deadline past. Any thread.
 */
bool nl_agent_stopped(struct nl_agent *agent);

/* nl_agent_deliver hands a finished outcome to the uplink (which frees it). Any thread. */
void nl_agent_deliver(struct nl_agent *agent, struct nl_outcome *outcome);

/* nl_agent_to_mono turns an instant of the controller's clock into this host's monotonic clock; 0 stays 0. */
int64_t nl_agent_to_mono(struct nl_agent *agent, int64_t controller_ns);

/* nl_agent_edge takes one extra round of telemetry samples, at the edge of a phase. */
void nl_agent_edge(struct nl_agent *agent);

/* nl_agent_info prints a line as nl_agent_note does, unless the agent is quiet. */
void nl_agent_info(const struct nl_agent *agent, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* nl_agent_note prints one line for the operator: "nasline-agent: TEXT". */
void nl_agent_note(const struct nl_agent *agent, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
