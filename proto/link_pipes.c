/*
 * link_pipes: the book of connections, its watcher, and the closing that cannot hang.
 *
 * Locking: `lock` guards everything in struct nl_pipes that changes. NNG's events come on its own threads and take the
 * lock; nobody calls NNG while holding it.
 */
#include "proto/link_pipes.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/time.h"
#include "proto/link_common.h"

#define WATCH_NS       (200 * NL_NS_PER_MS)
#define WEDGED_NS      (2 * NL_NS_PER_S) /* NNG destroys a closed pipe within milliseconds */
#define CLOSE_NS       (3 * NL_NS_PER_S)
#define CLOSE_AGAIN_NS (NL_NS_PER_S / 4) /* once wedged, NNG stays so for every socket with a connection */

struct pipe_entry {
	uint32_t id;
	int64_t dead_ns; /* when it was found dead, 0 while it lives */
};

struct nl_pipes {
	nng_socket socket;
	pthread_mutex_t lock;
	pthread_cond_t changed; /* `stopping` or `closed` was set; its clock is the monotonic one */
	pthread_t watcher;
	bool stopping, wedged, closed;
	struct pipe_entry *entries;
	size_t count, room;
	struct nl_pipes *next_kept;
};

/* What NNG may still call back into, kept reachable. */
static pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER;
static struct nl_pipes *kept;

static bool make_room(struct nl_pipes *pipes)
{
	if (pipes->count < pipes->room)
		return true;
	size_t room = pipes->room ? pipes->room * 2 : 16;
	struct pipe_entry *entries = realloc(pipes->entries, room * sizeof *entries);
	if (!entries)
		return false;
	pipes->entries = entries;
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
		pipes->entries[pipes->count++] = (struct pipe_entry){(uint32_t)nng_pipe_id(pipe), 0};
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
		if (pipes->entries[i].id == id) {
			pipes->entries[i] = pipes->entries[--pipes->count];
			break;
		}
	pthread_mutex_unlock(&pipes->lock);
}

/* Waits until the flag is set, or until the instant. Called with the lock held. */
static void wait_for(struct nl_pipes *pipes, const bool *flag, int64_t until_ns)
{
	struct timespec until = {until_ns / NL_NS_PER_S, until_ns % NL_NS_PER_S};
	while (!*flag && pthread_cond_timedwait(&pipes->changed, &pipes->lock, &until) != ETIMEDOUT)
		;
}

static bool is_dead(uint32_t id)
{
	nng_sockaddr address;
	nng_pipe pipe = {id};
	return nng_pipe_get_addr(pipe, NNG_OPT_REMADDR, &address) != 0;
}

/* Notes that a pipe is dead; a second time after WEDGED_NS says that NNG cannot get rid of it. */
static void note_dead(struct nl_pipes *pipes, uint32_t id)
{
	int64_t now_ns = nl_mono_ns();
	nng_pipe pipe = {id};
	bool first = false;
	pthread_mutex_lock(&pipes->lock);
	for (size_t i = 0; i < pipes->count; i++) {
		struct pipe_entry *entry = &pipes->entries[i];
		if (entry->id != id)
			continue;
		first = entry->dead_ns == 0;
		if (first)
			entry->dead_ns = now_ns;
		else if (now_ns - entry->dead_ns > WEDGED_NS)
			pipes->wedged = true;
	}
	pthread_mutex_unlock(&pipes->lock);
	if (first)
		nng_pipe_close(pipe);
}

/* The id of the entry at `index`, or 0 (which no pipe has) beyond the last. */
static uint32_t id_at(struct nl_pipes *pipes, size_t index)
{
	pthread_mutex_lock(&pipes->lock);
	uint32_t id = index < pipes->count ? pipes->entries[index].id : 0;
	pthread_mutex_unlock(&pipes->lock);
	return id;
}

static void *watch(void *arg)
{
	struct nl_pipes *pipes = arg;
	for (;;) {
		pthread_mutex_lock(&pipes->lock);
		wait_for(pipes, &pipes->stopping, nl_mono_ns() + WATCH_NS);
		bool stopping = pipes->stopping;
		pthread_mutex_unlock(&pipes->lock);
		if (stopping)
			return NULL;
		/* Entries may move meanwhile; one that is missed now is met in the next round. */
		uint32_t id;
		for (size_t i = 0; (id = id_at(pipes, i)) != 0; i++)
			if (is_dead(id))
				note_dead(pipes, id);
	}
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

static void destroy(struct nl_pipes *pipes)
{
	pthread_cond_destroy(&pipes->changed);
	pthread_mutex_destroy(&pipes->lock);
	free(pipes->entries);
	free(pipes);
}

static int begin(struct nl_pipes *pipes, struct nl_error *err)
{
	int result = nng_pipe_notify(pipes->socket, NNG_PIPE_EV_ADD_POST, on_added, pipes);
	if (!result)
		result = nng_pipe_notify(pipes->socket, NNG_PIPE_EV_REM_POST, on_removed, pipes);
	if (result)
		return nl_link_refuse(err, result, "watch the connections", "");
	int failed = pthread_create(&pipes->watcher, NULL, watch, pipes);
	return failed ? nl_error_sys(err, failed, "watch the connections") : 0;
}

int nl_pipes_start(nng_socket socket, struct nl_pipes **pipes, struct nl_error *err)
{
	*pipes = NULL;
	struct nl_pipes *p = calloc(1, sizeof *p);
	int failed = p ? init_condition(&p->changed) : ENOMEM;
	if (failed) {
		nng_close(socket);
		free(p);
		return nl_error_sys(err, failed, "watch the connections");
	}
	p->socket = socket;
	pthread_mutex_init(&p->lock, NULL);
	int code = begin(p, err);
	if (code) {
		nng_close(socket);
		destroy(p);
		return code;
	}
	*pipes = p;
	return 0;
}

/* On a thread of its own, because nng_close may never return. */
static void *close_socket(void *arg)
{
	struct nl_pipes *pipes = arg;
	nng_close(pipes->socket);
	pthread_mutex_lock(&pipes->lock);
	pipes->closed = true;
	pthread_cond_broadcast(&pipes->changed);
	pthread_mutex_unlock(&pipes->lock);
	return NULL;
}

static void keep(struct nl_pipes *pipes)
{
	pthread_mutex_lock(&kept_lock);
	pipes->next_kept = kept;
	kept = pipes;
	pthread_mutex_unlock(&kept_lock);
}

static bool any_kept(void)
{
	pthread_mutex_lock(&kept_lock);
	bool any = kept != NULL;
	pthread_mutex_unlock(&kept_lock);
	return any;
}

static void stop_watching(struct nl_pipes *pipes)
{
	pthread_mutex_lock(&pipes->lock);
	pipes->stopping = true;
	pthread_cond_broadcast(&pipes->changed);
	pthread_mutex_unlock(&pipes->lock);
	pthread_join(pipes->watcher, NULL);
}

void nl_pipes_close(struct nl_pipes *pipes)
{
	if (!pipes)
		return;
	stop_watching(pipes);
	pthread_t closer;
	if (pthread_create(&closer, NULL, close_socket, pipes) != 0) {
		close_socket(pipes);
		return;
	}
	pthread_mutex_lock(&pipes->lock);
	wait_for(pipes, &pipes->closed, nl_mono_ns() + (any_kept() ? CLOSE_AGAIN_NS : CLOSE_NS));
	bool closed = pipes->closed;
	pthread_mutex_unlock(&pipes->lock);
	if (closed)
		pthread_join(closer, NULL);
	else
		pthread_detach(closer);
	pthread_mutex_lock(&pipes->lock);
	pipes->wedged = !closed;
	pthread_mutex_unlock(&pipes->lock);
}

void nl_pipes_free(struct nl_pipes *pipes)
{
	if (!pipes)
		return;
	if (nl_pipes_wedged(pipes))
		keep(pipes);
	else
		destroy(pipes);
}

void nl_pipes_abandon(struct nl_pipes *pipes)
{
	stop_watching(pipes);
	keep(pipes);
}

unsigned nl_pipes_count(struct nl_pipes *pipes)
{
	unsigned alive = 0;
	pthread_mutex_lock(&pipes->lock);
	for (size_t i = 0; i < pipes->count; i++)
		alive += pipes->entries[i].dead_ns == 0;
	pthread_mutex_unlock(&pipes->lock);
	return alive;
}

bool nl_pipes_wedged(struct nl_pipes *pipes)
{
	pthread_mutex_lock(&pipes->lock);
	bool wedged = pipes->wedged;
	pthread_mutex_unlock(&pipes->lock);
	return wedged;
}
