/*
 * group: sets streams up, starts and ends them, samples their counters.
 *
 * Locking: `gate` is guarded by gate_lock. The streams' fields belong to the conducting thread until prepare, to the
 * stream's thread until it has left (release on `finished`, acquire in is_finished and by joining), then to the
 * conducting thread again.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "netbench/group.h"
#include "netbench/tcp.h"

#define PAGE               4096
#define STREAM_STACK_BYTES (256u << 10)

int nl_nb_group_init(struct nl_nb_group *group, bool client, const struct nl_nb_request *request, struct nl_error *err)
{
	memset(group, 0, sizeof(*group));
	group->client = client;
	group->request = *request;
	group->per_flow = request->streams;
	group->used[NL_NETBENCH_TO_SERVER] = request->direction != NL_NETBENCH_FROM_SERVER;
	group->used[NL_NETBENCH_FROM_SERVER] = request->direction != NL_NETBENCH_TO_SERVER;
	pthread_mutex_init(&group->gate_lock, NULL);
	pthread_cond_init(&group->gate_changed, NULL);
	group->finished_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	group->streams =
		aligned_alloc(NL_NB_CACHE_LINE, sizeof(*group->streams) * request->streams * NL_NETBENCH_FLOWS);
	if (!group->streams || group->finished_fd < 0)
		return nl_error_sys(err, errno, "make room for %u streams", request->streams);
	memset(group->streams, 0, sizeof(*group->streams) * request->streams * NL_NETBENCH_FLOWS);
	for (unsigned flow = 0; flow < NL_NETBENCH_FLOWS; flow++) {
		for (unsigned i = 0; group->used[flow] && i < request->streams; i++) {
			struct nl_nb_stream *stream = &group->streams[group->count++];

			stream->group = group;
			stream->fd = -1;
			stream->flow = flow;
			stream->number = i;
			stream->sending = (flow == NL_NETBENCH_TO_SERVER) == client;
			stream->result.first_ns = stream->result.last_ns = -1;
		}
	}
	return 0;
}

static void open_gate(struct nl_nb_group *group, bool cancelled)
{
	pthread_mutex_lock(&group->gate_lock);
	if (group->gate == NL_NB_GATE_SHUT)
		group->gate = cancelled ? NL_NB_GATE_CANCELLED : NL_NB_GATE_OPEN;
	pthread_cond_broadcast(&group->gate_changed);
	pthread_mutex_unlock(&group->gate_lock);
}

void nl_nb_group_fini(struct nl_nb_group *group)
{
	if (!group->streams)
		return;
	open_gate(group, true);
	nl_nb_group_cut(group);
	nl_nb_group_join(group);
	for (unsigned i = 0; i < group->count; i++) {
		if (group->streams[i].fd >= 0)
			close(group->streams[i].fd);
		free(group->streams[i].buffer);
	}
	free(group->streams);
	if (group->finished_fd >= 0)
		close(group->finished_fd);
	pthread_cond_destroy(&group->gate_changed);
	pthread_mutex_destroy(&group->gate_lock);
	memset(group, 0, sizeof(*group));
}

struct nl_nb_stream *nl_nb_group_stream(struct nl_nb_group *group, unsigned flow, unsigned number)
{
	for (unsigned i = 0; i < group->count; i++)
		if (group->streams[i].flow == flow && group->streams[i].number == number)
			return &group->streams[i];
	return NULL;
}

/* Bytes that no compressing link can shorten; a different sequence for each stream. */
static void fill_random(unsigned char *buffer, size_t len, uint64_t state)
{
	for (size_t i = 0; i + sizeof(state) <= len; i += sizeof(state)) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		memcpy(buffer + i, &state, sizeof(state));
	}
}

static int prepare_stream(struct nl_nb_stream *stream, struct nl_error *err)
{
	const struct nl_nb_request *request = &stream->group->request;
	size_t room = (request->block_bytes + PAGE - 1) / PAGE * PAGE;
	pthread_attr_t attr;
	uint64_t seed;
	int rc = nl_nb_tcp_blocking(stream->fd, true, err);

	if (rc == 0 && stream->sending)
		rc = nl_nb_tcp_congestion_set(stream->fd, request->congestion, err);
	if (rc == 0)
		rc = nl_nb_random(&seed, sizeof(seed), err);
	if (rc)
		return rc;
	stream->buffer = aligned_alloc(PAGE, room);
	if (!stream->buffer)
		return nl_error_sys(err, ENOMEM, "make room for a stream's block");
	fill_random(stream->buffer, room, seed | 1);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STREAM_STACK_BYTES);
	rc = pthread_create(&stream->thread, &attr, nl_nb_stream_main, stream);
	pthread_attr_destroy(&attr);
	if (rc)
		return nl_error_sys(err, rc, "start the thread of a stream");
	stream->threaded = true;
	return 0;
}

int nl_nb_group_prepare(struct nl_nb_group *group, struct nl_error *err)
{
	int rc = 0;

	for (unsigned i = 0; i < group->count && rc == 0; i++)
		rc = prepare_stream(&group->streams[i], err);
	return rc;
}

void nl_nb_group_start(struct nl_nb_group *group, int64_t start_ns)
{
	group->start_ns = start_ns;
	group->omit_end_ns = start_ns + group->request.omit_ns;
	atomic_store(&group->end_ns, group->omit_end_ns + group->request.duration_ns);
	open_gate(group, false);
}

bool nl_nb_group_gate(struct nl_nb_group *group)
{
	bool open;

	pthread_mutex_lock(&group->gate_lock);
	while (group->gate == NL_NB_GATE_SHUT)
		pthread_cond_wait(&group->gate_changed, &group->gate_lock);
	open = group->gate == NL_NB_GATE_OPEN;
	pthread_mutex_unlock(&group->gate_lock);
	return open;
}

void nl_nb_group_leave(struct nl_nb_group *group)
{
	int fd = group->finished_fd;

	atomic_fetch_add(&group->finished, 1);
	/* The counter of an eventfd cannot be full here, so the write cannot fail. */
	(void)!eventfd_write(fd, 1);
}

bool nl_nb_group_is_finished(const struct nl_nb_group *group)
{
	return atomic_load(&group->finished) == group->count;
}

void nl_nb_group_stop(struct nl_nb_group *group)
{
	int64_t now_ns = nl_mono_ns();

	if (now_ns >= atomic_load(&group->end_ns))
		return;
	group->stopped = true;
	atomic_store(&group->end_ns, now_ns);
	for (unsigned i = 0; i < group->count; i++)
		if (group->streams[i].sending && group->streams[i].fd >= 0)
			shutdown(group->streams[i].fd, SHUT_WR);
}

void nl_nb_group_cut(struct nl_nb_group *group)
{
	for (unsigned i = 0; i < group->count; i++)
		if (group->streams[i].fd >= 0)
			shutdown(group->streams[i].fd, SHUT_RDWR);
}

void nl_nb_group_join(struct nl_nb_group *group)
{
	for (unsigned i = 0; i < group->count; i++) {
		if (group->streams[i].threaded)
			pthread_join(group->streams[i].thread, NULL);
		group->streams[i].threaded = false;
	}
}

int nl_nb_group_failure(const struct nl_nb_group *group)
{
	for (unsigned i = 0; i < group->count; i++)
		if (group->streams[i].failed)
			return group->streams[i].failed;
	return 0;
}

/* ---- Samples ---- */

static void sample_tcp(struct nl_nb_group *group, unsigned flow, struct nl_netbench_interval *interval)
{
	struct nl_nb_sampler *sampler = &group->samplers[flow];
	int64_t retransmits = 0, rtt_ns = 0, cwnd = 0, known = 0;
	struct nl_netbench_tcp tcp;

	for (unsigned i = 0; i < group->count; i++) {
		if (group->streams[i].flow != flow)
			continue;
		nl_nb_tcp_info(group->streams[i].fd, &tcp);
		if (tcp.retransmits < 0)
			continue;
		known++;
		retransmits += tcp.retransmits;
		rtt_ns += tcp.rtt_ns;
		cwnd += tcp.cwnd_bytes;
		if (tcp.min_rtt_ns >= 0 && (interval->min_rtt_ns < 0 || tcp.min_rtt_ns < interval->min_rtt_ns))
			interval->min_rtt_ns = tcp.min_rtt_ns;
	}
	if (known == 0)
		return;
	interval->retransmits = retransmits > sampler->retransmits ? retransmits - sampler->retransmits : 0;
	interval->rtt_ns = rtt_ns / known;
	interval->cwnd_bytes = cwnd;
	sampler->retransmits = retransmits;
}

void nl_nb_group_sample(struct nl_nb_group *group, unsigned flow, struct nl_netbench_interval *interval)
{
	struct nl_nb_sampler *sampler = &group->samplers[flow];
	bool sending = (flow == NL_NETBENCH_TO_SERVER) == group->client;
	uint64_t bytes = 0;
	int64_t now_ns;

	for (unsigned i = 0; i < group->count; i++)
		if (group->streams[i].flow == flow)
			bytes += atomic_load_explicit(&group->streams[i].bytes, memory_order_relaxed);
	now_ns = nl_mono_ns() - group->start_ns;
	*interval = (struct nl_netbench_interval){
		.direction = (enum nl_netbench_direction)flow,
		.receiver = !sending,
		.omitted = sampler->last_ns < group->request.omit_ns,
		.index = sampler->index++,
		.start_ns = sampler->last_ns,
		.end_ns = now_ns,
		.bytes = bytes - sampler->bytes,
		.rtt_ns = -1,
		.min_rtt_ns = -1,
		.cwnd_bytes = -1,
	};
	sampler->last_ns = now_ns;
	sampler->bytes = bytes;
	if (sending)
		sample_tcp(group, flow, interval);
}

int nl_nb_side_append(struct nl_netbench_side *side, const struct nl_netbench_interval *interval, struct nl_error *err)
{
	size_t count = side->interval_count;

	if (count > NL_NETBENCH_INTERVALS_MAX)
		return nl_error_set(err, NL_E_PROTOCOL, "keep more than %d intervals", NL_NETBENCH_INTERVALS_MAX);
	/* Doubling at the powers of two, from 16 on. */
	if (count == 0 || (count >= 16 && (count & (count - 1)) == 0)) {
		size_t room = count ? 2 * count : 16;
		struct nl_netbench_interval *grown = realloc(side->intervals, room * sizeof(*grown));

		if (!grown)
			return nl_error_sys(err, ENOMEM, "make room for intervals");
		side->intervals = grown;
	}
	side->intervals[side->interval_count++] = *interval;
	return 0;
}

/* ---- Results ---- */

struct nl_netbench_side *nl_nb_group_side(const struct nl_nb_group *group, struct nl_netbench_result *result,
					  unsigned flow)
{
	struct nl_netbench_flow *at = &result->flows[flow];

	return (flow == NL_NETBENCH_TO_SERVER) == group->client ? &at->sender : &at->receiver;
}

static int fill_side(struct nl_nb_group *group, unsigned flow, struct nl_netbench_side *side, struct nl_error *err)
{
	side->streams = calloc(group->per_flow, sizeof(*side->streams));
	if (!side->streams)
		return nl_error_sys(err, ENOMEM, "make room for a result");
	side->stream_count = group->per_flow;
	for (unsigned i = 0; i < group->count; i++) {
		const struct nl_nb_stream *stream = &group->streams[i];

		if (stream->flow != flow)
			continue;
		side->streams[stream->number] = stream->result;
		side->cpu_user_s += (double)stream->result.cpu_user_ns / NL_NS_PER_S;
		side->cpu_system_s += (double)stream->result.cpu_system_ns / NL_NS_PER_S;
	}
	return 0;
}

static void fill_host(const struct nl_nb_group *group, struct nl_netbench_host *host)
{
	const struct nl_nb_stream *stream = &group->streams[0];

	for (unsigned i = 0; i < group->count; i++) {
		/* Of the connections, one that sends: the receiver's congestion control and segments do not matter. */
		if (group->streams[i].sending)
			stream = &group->streams[i];
		if (group->streams[i].result.wall_ns > host->wall_ns)
			host->wall_ns = group->streams[i].result.wall_ns;
	}
	nl_nb_tcp_congestion_get(stream->fd, host->congestion, sizeof(host->congestion));
	host->mss_bytes = stream->result.tcp.mss_bytes;
	host->timestamps = stream->result.tcp.timestamps;
}

int nl_nb_group_fill(struct nl_nb_group *group, double control_user_s, double control_system_s,
		     struct nl_netbench_result *result, struct nl_error *err)
{
	struct nl_netbench_host *host = group->client ? &result->client : &result->server;
	int flows = group->used[0] + group->used[1];
	int rc = 0;

	host->cpu_user_s = control_user_s;
	host->cpu_system_s = control_system_s;
	for (unsigned flow = 0; flow < NL_NETBENCH_FLOWS && rc == 0; flow++) {
		struct nl_netbench_side *side = nl_nb_group_side(group, result, flow);

		if (!group->used[flow])
			continue;
		rc = fill_side(group, flow, side, err);
		host->cpu_user_s += side->cpu_user_s;
		host->cpu_system_s += side->cpu_system_s;
		side->cpu_user_s += control_user_s / flows;
		side->cpu_system_s += control_system_s / flows;
	}
	fill_host(group, host);
	return rc;
}
