/*
 * test: the clockwork of a running test, at either end.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "netbench/link.h"
#include "netbench/tcp.h"
#include "netbench/test.h"

#define LOOK_NS (100 * NL_NS_PER_MS)

static int64_t timeval_ns(struct timeval time)
{
	return (int64_t)time.tv_sec * NL_NS_PER_S + (int64_t)time.tv_usec * 1000;
}

void nl_nb_test_start(struct nl_nb_test *test, int64_t start_ns)
{
	const struct nl_nb_request *request = &test->group.request;
	int64_t total_ns = request->omit_ns + request->duration_ns;
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	test->cpu_user_ns = timeval_ns(usage.ru_utime);
	test->cpu_system_ns = timeval_ns(usage.ru_stime);
	test->next_sample_ns = start_ns + (request->interval_ns < total_ns ? request->interval_ns : total_ns);
	test->next_alive_ns = start_ns;
	test->heard_ns = nl_mono_ns();
	nl_nb_group_start(&test->group, start_ns);
}

int nl_nb_test_take_samples(struct nl_nb_test *test, nl_nb_test_take_fn *take, void *context, struct nl_error *err)
{
	struct nl_nb_group *group = &test->group;
	int64_t now_ns = nl_mono_ns(), end_ns = atomic_load(&group->end_ns);
	int rc = 0;

	if (test->next_sample_ns == INT64_MAX || (now_ns < test->next_sample_ns && now_ns < end_ns))
		return 0;
	for (unsigned flow = 0; flow < NL_NETBENCH_FLOWS && rc == 0; flow++) {
		struct nl_netbench_interval interval;

		if (!group->used[flow])
			continue;
		nl_nb_group_sample(group, flow, &interval);
		rc = take(context, &interval, err);
	}
	/* Boundaries stay on the grid of the start; one that was missed is not made up for. */
	while (test->next_sample_ns <= now_ns)
		test->next_sample_ns += group->request.interval_ns;
	if (now_ns >= end_ns)
		test->next_sample_ns = INT64_MAX;
	else if (test->next_sample_ns > end_ns)
		test->next_sample_ns = end_ns;
	return rc;
}

int nl_nb_test_alive(struct nl_nb_test *test, struct nl_error *err)
{
	int64_t now_ns = nl_mono_ns();

	if (now_ns < test->next_alive_ns)
		return 0;
	test->next_alive_ns = now_ns + NL_NB_ALIVE_NS;
	return nl_nb_frame_send(test->control, nl_nb_message("alive"), now_ns + NL_NB_SILENCE_NS, err);
}

static int64_t earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Sleeps until something may have changed. */
static void wait_for_change(const struct nl_nb_test *test, int wake)
{
	struct pollfd fds[] = {
		{.fd = test->control, .events = POLLIN},
		{.fd = test->group.finished_fd, .events = POLLIN},
		{.fd = wake, .events = POLLIN},
	};
	int64_t now_ns = nl_mono_ns();
	int64_t until_ns = earlier(earlier(test->next_sample_ns, test->next_alive_ns), now_ns + LOOK_NS);
	struct timespec patience = {.tv_nsec = until_ns > now_ns ? until_ns - now_ns : 0};
	eventfd_t finished;

	if (ppoll(fds, 3, &patience, NULL) > 0 && (fds[1].revents & POLLIN))
		(void)!eventfd_read(test->group.finished_fd, &finished);
}

int nl_nb_test_wait(struct nl_nb_test *test, int wake, int64_t silence_ns, json_t **frame, struct nl_error *err)
{
	int rc = nl_nb_reader_next(test->reader, frame, err);

	if (rc == 0 && !*frame) {
		wait_for_change(test, wake);
		rc = nl_nb_reader_fill(test->reader, test->control, err);
		if (rc == 0)
			rc = nl_nb_reader_next(test->reader, frame, err);
	}
	if (rc)
		return rc;
	if (*frame)
		test->heard_ns = nl_mono_ns();
	if (nl_mono_ns() - test->heard_ns <= silence_ns)
		return 0;
	nl_error_set(err, NL_E_TIMEOUT, "hear from the other end");
	return nl_error_why(err, "its control connection has been silent for %.1f s", (double)silence_ns / NL_NS_PER_S);
}

bool nl_nb_test_overdue(const struct nl_nb_test *test)
{
	return nl_mono_ns() > atomic_load(&test->group.end_ns) + NL_NB_DRAIN_NS;
}

static void fill_place(const struct nl_nb_test *test, struct nl_netbench_host *host)
{
	struct nl_nb_address local, peer;

	if (gethostname(host->name, sizeof(host->name) - 1))
		host->name[0] = '\0';
	host->name[sizeof(host->name) - 1] = '\0';
	nl_nb_tcp_local(test->control, &local);
	nl_nb_tcp_peer(test->control, &peer);
	nl_nb_tcp_text(&local, false, host->address, sizeof(host->address));
	if (local.len && peer.len)
		nl_nb_link_facts(&local, &peer, &host->link);
	else
		host->link.speed_bps = host->link.mtu_bytes = -1;
}

int nl_nb_test_fill(struct nl_nb_test *test, struct nl_netbench_result *result, struct nl_error *err)
{
	struct nl_netbench_host *host = test->group.client ? &result->client : &result->server;
	struct rusage usage;

	nl_nb_group_join(&test->group);
	getrusage(RUSAGE_THREAD, &usage);
	for (unsigned flow = 0; flow < NL_NETBENCH_FLOWS; flow++)
		result->flows[flow].used = test->group.used[flow];
	fill_place(test, host);
	return nl_nb_group_fill(&test->group, (double)(timeval_ns(usage.ru_utime) - test->cpu_user_ns) / NL_NS_PER_S,
				(double)(timeval_ns(usage.ru_stime) - test->cpu_system_ns) / NL_NS_PER_S, result, err);
}
