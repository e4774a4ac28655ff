/*
 * load: makes, starts, watches, stops and reads out a load.
 *
 * Locking: none. A seat's `state` and the load's `changed` are atomic; a seat's thread writes `error` before it changes
 * the state, the load's owner reads it after. The load is counted: its owner and each running thread hold it, and the
 * last one frees it, so a thread stuck in the kernel keeps what it needs.
 */
#include "agent/io/load.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/io/control.h"
#include "agent/io/job.h"
#include "agent/io/payload.h"
#include "agent/io/remote.h"
#include "agent/io/stream.h"
#include "base/time.h"

#define CANCEL_POLL_NS   (50 * NL_NS_PER_MS)
#define FREE_PATIENCE_NS (10 * NL_NS_PER_S)

enum seat_state { SEAT_EMPTY, SEAT_PREPARING, SEAT_READY, SEAT_REFUSED, SEAT_ENDED };

struct seat {
	struct nl_load *load;
	unsigned index;
	pthread_t thread;
	_Atomic uint32_t state;
	struct nl_error error;
};

struct nl_load {
	_Atomic unsigned holders;
	_Atomic uint32_t changed; /* futex word: some seat's state changed */
	struct nl_job_copy copy;
	const struct nl_engine *engine;
	uint64_t payload_key;
	int memory; /* memfd of the control, -1 for threads */
	size_t control_bytes;
	struct nl_control *control;
	bool read_out;
	unsigned streams;
	struct seat seat[];
};

static void drop(struct nl_load *load)
{
	if (atomic_fetch_sub(&load->holders, 1) != 1)
		return;
	nl_job_copy_wipe(&load->copy);
	if (load->control)
		munmap(load->control, load->control_bytes);
	if (load->memory >= 0)
		close(load->memory);
	free(load);
}

static void set_state(struct seat *seat, enum seat_state state)
{
	atomic_store(&seat->state, state);
	atomic_fetch_add(&seat->load->changed, 1);
	nl_futex_wake(&seat->load->changed);
}

static void local_stream(struct seat *seat)
{
	struct nl_load *load = seat->load;
	struct nl_stream stream;
	nl_stream_init(&stream, &load->copy.job, load->engine, seat->index, load->payload_key, load->control);
	int rc = nl_stream_prepare(&stream, &seat->error);
	if (!rc) {
		set_state(seat, SEAT_READY);
		nl_stream_run(&stream);
	}
	nl_stream_fini(&stream);
	set_state(seat, rc ? SEAT_REFUSED : SEAT_ENDED);
}

static int remote_begin(struct seat *seat, struct nl_remote *remote)
{
	struct nl_load *load = seat->load;
	struct nl_helper_request *request = calloc(1, sizeof *request);
	if (!request)
		return nl_error_sys(&seat->error, ENOMEM, "start a stream");
	request->task = NL_HELPER_STREAM;
	request->index = seat->index;
	request->payload_key = load->payload_key;
	request->control_bytes = load->control_bytes;
	request->copy = load->copy;
	int rc = nl_remote_start(remote, request, load->memory, load->control, &seat->error);
	nl_job_copy_wipe(&request->copy);
	free(request);
	return rc;
}

static void remote_stream(struct seat *seat)
{
	struct nl_load *load = seat->load;
	struct nl_stream_shared *shared = &load->control->stream[seat->index];
	struct nl_remote remote;
	struct nl_error err = {.code = NL_E_OK};
	int rc = remote_begin(seat, &remote);
	if (!rc)
		rc = nl_remote_listen(&remote, INT64_MAX, NULL, NULL, &seat->error);
	if (!rc) {
		set_state(seat, SEAT_READY);
		/* The helper notes its own failures in the shared memory; what comes out here is that it died. */
		if (nl_remote_listen(&remote, INT64_MAX, NULL, NULL, &err) && !shared->failure.code) {
			shared->failure = err;
			nl_control_window_ends(load->control, nl_mono_ns());
		}
		if (shared->failure.code)
			nl_control_stop(load->control);
	}
	nl_remote_end(&remote);
	set_state(seat, rc ? SEAT_REFUSED : SEAT_ENDED);
}

static void *seat_thread(void *argument)
{
	struct seat *seat = argument;
	struct nl_load *load = seat->load;
	if (load->engine->id == NL_ENGINE_LIBSMBCLIENT)
		remote_stream(seat);
	else
		local_stream(seat);
	drop(load);
	return NULL;
}

static int start_threads(struct nl_load *load, struct nl_error *err)
{
	sigset_t all, before;
	int rc = 0;
	/* Signals are for the program's own threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (unsigned i = 0; i < load->streams && !rc; i++) {
		struct seat *seat = &load->seat[i];
		atomic_store(&seat->state, SEAT_PREPARING);
		atomic_fetch_add(&load->holders, 1);
		rc = pthread_create(&seat->thread, NULL, seat_thread, seat);
		if (rc) {
			atomic_fetch_sub(&load->holders, 1);
			atomic_store(&seat->state, SEAT_EMPTY);
		}
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return rc ? nl_error_sys(err, rc, "start the streams of a load") : 0;
}

static unsigned seats_in(struct nl_load *load, enum seat_state from, enum seat_state to)
{
	unsigned count = 0;
	for (unsigned i = 0; i < load->streams; i++) {
		uint32_t state = atomic_load(&load->seat[i].state);
		count += state >= from && state <= to;
	}
	return count;
}

/* Waits until no seat is in the states up to `last`, or until the instant. */
static bool wait_past(struct nl_load *load, enum seat_state last, int64_t until_ns)
{
	for (;;) {
		uint32_t seen = atomic_load(&load->changed);
		if (!seats_in(load, SEAT_PREPARING, last))
			return true;
		if (nl_mono_ns() >= until_ns)
			return false;
		nl_futex_wait(&load->changed, seen, until_ns);
	}
}

/* The error that says most: of the refused seats, the first that did not merely follow the others' stop. */
static int first_refusal(struct nl_load *load, struct nl_error *err)
{
	const struct nl_error *found = NULL;
	for (unsigned i = 0; i < load->streams; i++) {
		struct seat *seat = &load->seat[i];
		if (atomic_load(&seat->state) != SEAT_REFUSED)
			continue;
		if (!found || (found->code == NL_E_CANCELLED && seat->error.code != NL_E_CANCELLED))
			found = &seat->error;
	}
	if (found && err)
		*err = *found;
	return found ? (int)found->code : 0;
}

static int wait_ready(struct nl_load *load, const atomic_bool *cancel, struct nl_error *err)
{
	bool cancelled = false;
	while (!wait_past(load, SEAT_PREPARING, nl_mono_ns() + CANCEL_POLL_NS)) {
		cancelled = cancel && *cancel;
		/* One that failed is enough: the others need not lay their files to the end. */
		if (cancelled || seats_in(load, SEAT_REFUSED, SEAT_REFUSED))
			break;
	}
	if (seats_in(load, SEAT_READY, SEAT_READY) == load->streams)
		return 0;
	nl_control_stop(load->control);
	wait_past(load, SEAT_PREPARING, nl_mono_ns() + FREE_PATIENCE_NS);
	if (cancelled)
		return nl_error_set(err, NL_E_CANCELLED, "make a load ready");
	return first_refusal(load, err);
}

static int make_control(struct nl_load *load, struct nl_error *err)
{
	int flags = MAP_SHARED | MAP_ANONYMOUS;
	load->control_bytes = nl_control_size(load->streams);
	if (load->engine->id == NL_ENGINE_LIBSMBCLIENT) {
		flags = MAP_SHARED;
		load->memory = memfd_create("nasline-load", MFD_CLOEXEC);
		if (load->memory < 0 || ftruncate(load->memory, (off_t)load->control_bytes))
			return nl_error_sys(err, errno, "make the memory of a load");
	}
	load->control = mmap(NULL, load->control_bytes, PROT_READ | PROT_WRITE, flags, load->memory, 0);
	if (load->control == MAP_FAILED) {
		load->control = NULL;
		return nl_error_sys(err, errno, "make the memory of a load");
	}
	atomic_store(&load->control->window_end_ns, INT64_MAX);
	return 0;
}

static int pick_engine(const struct nl_job *job, const struct nl_engine **engine, struct nl_error *err)
{
	char reason[200];
	/* At depth 1 a ring has nothing to gain over plain calls and costs more per operation. */
	if (job->engine == NL_ENGINE_AUTO) {
		bool ring = job->queue_depth > 1 && nl_engine_probe(NL_ENGINE_IO_URING, reason, sizeof reason);
		*engine = ring ? &nl_engine_io_uring : &nl_engine_psync;
		return 0;
	}
	*engine = nl_engine_of(job->engine);
	if (nl_engine_probe(job->engine, reason, sizeof reason))
		return 0;
	nl_error_set(err, NL_E_UNSUPPORTED, "use the engine %s", nl_engine_name(job->engine));
	nl_error_why(err, "%s", reason);
	return NL_E_UNSUPPORTED;
}

int nl_load_make(const struct nl_job *job, const atomic_bool *cancel, struct nl_load **result, struct nl_error *err)
{
	const struct nl_engine *engine = NULL;
	int rc = nl_job_check(job, err);
	if (!rc)
		rc = pick_engine(job, &engine, err);
	if (rc)
		return rc;
	struct nl_load *load = calloc(1, sizeof *load + job->streams * sizeof *load->seat);
	if (!load)
		return nl_error_sys(err, ENOMEM, "make a load");
	atomic_store(&load->holders, 1);
	load->memory = -1;
	load->engine = engine;
	load->streams = job->streams;
	load->payload_key = nl_payload_key(job->payload_seed, job->file_prefix);
	nl_job_copy_init(&load->copy, job);
	for (unsigned i = 0; i < load->streams; i++) {
		load->seat[i].load = load;
		load->seat[i].index = i;
	}
	rc = make_control(load, err);
	if (!rc)
		rc = start_threads(load, err);
	if (!rc)
		rc = wait_ready(load, cancel, err);
	if (rc)
		nl_load_free(load);
	else
		*result = load;
	return rc;
}

void nl_load_start(struct nl_load *load, int64_t start_mono_ns)
{
	const struct nl_job *job = &load->copy.job;
	int64_t now = nl_mono_ns(), start = start_mono_ns > now ? start_mono_ns : now;
	if (nl_job_timed(job))
		nl_control_window_ends(load->control, start + job->ramp_ns + job->duration_ns);
	nl_control_go(load->control, start);
}

void nl_load_progress(const struct nl_load *load, struct nl_stream_progress *progress, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		memset(&progress[i], 0, sizeof progress[i]);
		progress[i].read_mono_ns = nl_mono_ns();
		if (i >= load->streams)
			continue;
		struct nl_stream_shared *shared = &load->control->stream[i];
		progress[i].bytes = atomic_load_explicit(&shared->bytes, memory_order_relaxed);
		progress[i].operations = atomic_load_explicit(&shared->operations, memory_order_relaxed);
	}
}

void nl_load_stop(struct nl_load *load)
{
	nl_control_stop(load->control);
}

int nl_load_wait(struct nl_load *load, int64_t timeout_ns, struct nl_error *err)
{
	int64_t now = nl_mono_ns();
	int64_t until = timeout_ns > INT64_MAX - now ? INT64_MAX : now + timeout_ns;
	if (wait_past(load, SEAT_READY, until))
		return 0;
	return nl_error_set(err, NL_E_TIMEOUT, "wait for the end of a load");
}

static void read_stream(const struct nl_stream_shared *shared, struct nl_stream_result *stream)
{
	stream->bytes = atomic_load(&shared->bytes);
	stream->operations = atomic_load(&shared->operations);
	stream->short_operations = shared->short_operations;
	stream->window_bytes = shared->window_bytes;
	stream->first_done_mono_ns = shared->first_done_ns;
	stream->last_done_mono_ns = shared->last_done_ns;
	stream->durable_mono_ns = shared->durable_ns;
	stream->reached_end = shared->reached_end;
	stream->latency = shared->latency;
	stream->failure = shared->failure;
}

static void read_cpu(const struct nl_stream_shared *shared, struct nl_load_result *result)
{
	double cpu = shared->cpu_user_s + shared->cpu_system_s;
	double share = shared->elapsed_s > 0 ? cpu / shared->elapsed_s : 0;
	result->cpu_user_s += shared->cpu_user_s;
	result->cpu_system_s += shared->cpu_system_s;
	if (share > result->busiest_thread_share)
		result->busiest_thread_share = share;
	if (!result->note[0])
		memcpy(result->note, shared->note, sizeof result->note);
}

static void read_times(const struct nl_load *load, struct nl_load_result *result)
{
	int64_t end = atomic_load(&load->control->window_end_ns);
	result->start_mono_ns = atomic_load(&load->control->start_ns);
	result->window_start_mono_ns = result->start_mono_ns + load->copy.job.ramp_ns;
	result->window_end_mono_ns = end > result->window_start_mono_ns ? end : result->window_start_mono_ns;
}

int nl_load_read_out(struct nl_load *load, struct nl_load_result *result, struct nl_error *err)
{
	const struct nl_job *job = &load->copy.job;
	memset(result, 0, sizeof *result);
	if (load->read_out || seats_in(load, SEAT_PREPARING, SEAT_READY) || atomic_load(&load->control->go) != 1)
		return nl_error_set(err, NL_E_INTERNAL,
				    "read out a load that was not started, goes on, or was read before");
	result->stream = calloc(load->streams, sizeof *result->stream);
	if (!result->stream)
		return nl_error_sys(err, ENOMEM, "read out a load");
	load->read_out = true;
	result->engine = load->engine->id;
	result->queue_depth = job->queue_depth < load->engine->depth_max ? job->queue_depth : load->engine->depth_max;
	result->payload_stamped = nl_job_may_write(job);
	result->stream_count = load->streams;
	read_times(load, result);
	for (unsigned i = 0; i < load->streams; i++) {
		read_stream(&load->control->stream[i], &result->stream[i]);
		read_cpu(&load->control->stream[i], result);
	}
	return 0;
}

void nl_load_result_fini(struct nl_load_result *result)
{
	free(result->stream);
	memset(result, 0, sizeof *result);
}

void nl_load_free(struct nl_load *load)
{
	if (!load)
		return;
	if (load->control) {
		nl_control_stop(load->control);
		wait_past(load, SEAT_READY, nl_mono_ns() + FREE_PATIENCE_NS);
	}
	for (unsigned i = 0; i < load->streams; i++) {
		uint32_t state = atomic_load(&load->seat[i].state);
		if (state == SEAT_REFUSED || state == SEAT_ENDED)
			pthread_join(load->seat[i].thread, NULL);
		else if (state != SEAT_EMPTY)
			pthread_detach(load->seat[i].thread);
	}
	drop(load);
}
