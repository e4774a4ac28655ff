/*
 * stream: the hot loops. One thread moves the bytes of one connection with one buffer.
 *
 * Locking: none while data moves. The counter is the thread's own (relaxed store, read by the sampler); the end instant
 * is read relaxed; everything else in the stream is the thread's until it has left the group.
 */
#include <errno.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "netbench/group.h"
#include "netbench/tcp.h"

/* The window of the measurement, kept in registers by the loops. */
struct window {
	int64_t start_ns, omit_end_ns;
	uint64_t total, bytes;
	int64_t first_ns, last_ns;
};

/*
 * The first call that returns after the omitted start marks the instant and is not counted: its bytes came before it.
 * The calls after it are, as long as they return before the end.
 */
static inline void window_add(struct window *window, size_t n, int64_t now_ns, int64_t end_ns)
{
	window->total += n;
	if (now_ns < window->omit_end_ns || now_ns > end_ns)
		return;
	if (window->first_ns < 0) {
		window->first_ns = now_ns - window->start_ns;
	} else {
		window->bytes += n;
		window->last_ns = now_ns - window->start_ns;
	}
}

static int receive_loop(struct nl_nb_stream *stream, struct window *window)
{
	const atomic_int_least64_t *end_ns = &stream->group->end_ns;
	size_t block = stream->group->request.block_bytes;

	for (;;) {
		ssize_t n = recv(stream->fd, stream->buffer, block, 0);

		if (n == 0)
			return 0;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno;
		window_add(window, (size_t)n, nl_mono_ns(), atomic_load_explicit(end_ns, memory_order_relaxed));
		atomic_store_explicit(&stream->bytes, window->total, memory_order_relaxed);
	}
}

static int send_loop(struct nl_nb_stream *stream, struct window *window)
{
	const atomic_int_least64_t *end_ns = &stream->group->end_ns;
	size_t block = stream->group->request.block_bytes;
	int64_t now_ns;

	do {
		ssize_t n = send(stream->fd, stream->buffer, block, MSG_NOSIGNAL);

		now_ns = nl_mono_ns();
		if (n < 0 && errno != EINTR)
			return errno;
		if (n < 0)
			continue;
		window_add(window, (size_t)n, now_ns, atomic_load_explicit(end_ns, memory_order_relaxed));
		atomic_store_explicit(&stream->bytes, window->total, memory_order_relaxed);
	} while (now_ns < atomic_load_explicit(end_ns, memory_order_relaxed));
	return 0;
}

static int64_t timeval_ns(struct timeval time)
{
	return (int64_t)time.tv_sec * NL_NS_PER_S + (int64_t)time.tv_usec * 1000;
}

static void run(struct nl_nb_stream *stream)
{
	struct window window = {
		.start_ns = stream->group->start_ns,
		.omit_end_ns = stream->group->omit_end_ns,
		.first_ns = -1,
		.last_ns = -1,
	};
	struct nl_netbench_stream *result = &stream->result;
	int64_t begin_ns = nl_mono_ns();
	struct rusage before, after;
	int failed;

	getrusage(RUSAGE_THREAD, &before);
	failed = stream->sending ? send_loop(stream, &window) : receive_loop(stream, &window);
	getrusage(RUSAGE_THREAD, &after);
	result->wall_ns = nl_mono_ns() - begin_ns;
	nl_nb_tcp_info(stream->fd, &result->tcp);
	if (stream->sending)
		shutdown(stream->fd, SHUT_WR);
	/* A connection that breaks after the end has done its work. */
	if (failed && nl_mono_ns() < atomic_load_explicit(&stream->group->end_ns, memory_order_relaxed))
		stream->failed = failed;
	result->bytes = window.total;
	result->window_bytes = window.bytes;
	result->first_ns = window.first_ns;
	result->last_ns = window.last_ns;
	result->cpu_user_ns = timeval_ns(after.ru_utime) - timeval_ns(before.ru_utime);
	result->cpu_system_ns = timeval_ns(after.ru_stime) - timeval_ns(before.ru_stime);
}

void *nl_nb_stream_main(void *context)
{
	struct nl_nb_stream *stream = context;

	if (nl_nb_group_gate(stream->group))
		run(stream);
	nl_nb_group_leave(stream->group);
	return NULL;
}
