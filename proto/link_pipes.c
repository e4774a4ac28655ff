/*
 * link_pipes: the book of connections and its watcher.
 *
 * Locking: `lock` guards everything in struct nl_pipes. NNG's events come on its own threads and take the lock; the
 * watcher never calls NNG while it holds it.
 */
#include "proto/link_pipes.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/time.h"
#include "proto/link_common.h"

#define WATCH_NS (200 * NL_NS_PER_MS)

struct nl_pipes {
	nng_socket socket;
	pthread_mutex_t lock;
	pthread_cond_t changed; /* stopping was set; its clock is the monotonic one */
	pthread_t watcher;
	bool watching, stopping;
	uint32_t *ids, *copy; /* both of `room` elements; copy belongs to the watcher */
	size_t count, room;
};

/* Room for one more in both arrays, so that the watcher need not allocate. */
static bool make_room(struct nl_pipes *pipes)
{
	if (pipes->count < pipes->room)
		return true;
	size_t room = pipes->room ? pipes->room * 2 : 16;
	uint32_t *ids = realloc(pipes->ids, room * sizeof *ids);
	if (!ids)
		return false;
	pipes->ids = ids;
	pipes->room = room;
	return true;
}

/* A pipe that cannot be entered is closed at once: the peer dials again. */
static void on_added(nng_pipe pipe, nng_pipe_ev event, void *arg)
{
	struct nl_pipes *pipes = arg;
	(void)event;
	pthread_mutex_lock(&pipes->lock);
	bool entered = make_room(pipes);
	if (entered)
		pipes->ids[pipes->count++] = (uint32_t)nng_pipe_id(pipe);
	pthread_mutex_unlock(&pipes->lock);
	if (!entered)
		nng_pipe_close(pipe);
}

static void on_removed(nng_pipe pipe, nng_pipe_ev event, void *arg)
{
	struct nl_pipes *pipes = arg;
	uint32_t id = (uint32_t)nng_pipe_id(pipe);
	(void)event;
	pthread_mutex_lock(&pipes->lock);
	for (size_t i = 0; i < pipes->count; i++)
		if (pipes->ids[i] == id) {
			pipes->ids[i] = pipes->ids[--pipes->count];
			break;
		}
	pthread_mutex_unlock(&pipes->lock);
}

/* Waits for the next round. False when it is time to stop. */
static bool wait_round(struct nl_pipes *pipes)
{
	int64_t until_ns = nl_mono_ns() + WATCH_NS;
	struct timespec until = {until_ns / NL_NS_PER_S, until_ns % NL_NS_PER_S};
	pthread_mutex_lock(&pipes->lock);
	while (!pipes->stopping && pthread_cond_timedwait(&pipes->changed, &pipes->lock, &until) != ETIMEDOUT)
		;
	bool go_on = !pipes->stopping;
	pthread_mutex_unlock(&pipes->lock);
	return go_on;
}

static size_t copy_ids(struct nl_pipes *pipes)
{
	pthread_mutex_lock(&pipes->lock);
	size_t count = pipes->count;
	uint32_t *copy = realloc(pipes->copy, (count + 1) * sizeof *copy);
	if (copy) {
		memcpy(copy, pipes->ids, count * sizeof *copy);
		pipes->copy = copy;
	}
	pthread_mutex_unlock(&pipes->lock);
	return copy ? count : 0;
}

static void *watch(void *arg)
{
	struct nl_pipes *pipes = arg;
	nng_sockaddr address;
	while (wait_round(pipes)) {
		size_t count = copy_ids(pipes);
		for (size_t i = 0; i < count; i++) {
			nng_pipe pipe = {pipes->copy[i]};
			if (nng_pipe_get_addr(pipe, NNG_OPT_REMADDR, &address) != 0)
				nng_pipe_close(pipe);
		}
	}
	return NULL;
}

static int init_condition(pthread_cond_t *condition)
{
	pthread_condattr_t attr;
	int failed = pthread_condattr_init(&attr);
	if (failed)
		return failed;
	failed = pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	if (!failed)
		failed = pthread_cond_init(condition, &attr);
	pthread_condattr_destroy(&attr);
	return failed;
}

int nl_pipes_start(nng_socket socket, struct nl_pipes **pipes, struct nl_error *err)
{
	*pipes = NULL;
	struct nl_pipes *p = calloc(1, sizeof *p);
	if (!p) {
		nng_close(socket);
		return nl_error_sys(err, ENOMEM, "watch the connections");
	}
	p->socket = socket;
	pthread_mutex_init(&p->lock, NULL);
	int failed = init_condition(&p->changed);
	if (failed) {
		nng_close(socket);
		pthread_mutex_destroy(&p->lock);
		free(p);
		return nl_error_sys(err, failed, "watch the connections");
	}
	*pipes = p;
	int result = nng_pipe_notify(socket, NNG_PIPE_EV_ADD_POST, on_added, p);
	if (!result)
		result = nng_pipe_notify(socket, NNG_PIPE_EV_REM_POST, on_removed, p);
	if (result)
		return nl_link_refuse(err, result, "watch the connections", "");
	failed = pthread_create(&p->watcher, NULL, watch, p);
	p->watching = !failed;
	return failed ? nl_error_sys(err, failed, "watch the connections") : 0;
}

void nl_pipes_close(struct nl_pipes *pipes)
{
	if (!pipes)
		return;
	pthread_mutex_lock(&pipes->lock);
	pipes->stopping = true;
	pthread_cond_broadcast(&pipes->changed);
	pthread_mutex_unlock(&pipes->lock);
	if (pipes->watching)
		pthread_join(pipes->watcher, NULL);
	pipes->watching = false;
	nng_close(pipes->socket);
}

void nl_pipes_free(struct nl_pipes *pipes)
{
	if (!pipes)
		return;
	pthread_cond_destroy(&pipes->changed);
	pthread_mutex_destroy(&pipes->lock);
	free(pipes->ids);
	free(pipes->copy);
	free(pipes);
}

unsigned nl_pipes_count(struct nl_pipes *pipes)
{
	pthread_mutex_lock(&pipes->lock);
	unsigned count = (unsigned)pipes->count;
	pthread_mutex_unlock(&pipes->lock);
	return count;
}
