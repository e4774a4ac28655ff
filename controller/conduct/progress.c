/*
 * progress: a status line with phase, rate, elapsed time and ETA.
 *
 * Locking: `lock` guards everything, writing to the terminal included, so that lines do not mix.
 */
#include "controller/conduct/progress.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/time.h"
#include "base/units.h"

#define REDRAW_NS (250 * NL_NS_PER_MS)

struct nl_progress {
	FILE *out;
	bool terminal, over, in_phase;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	nl_progress_live_fn *live;
	void *context;
	unsigned phase_count, number;
	char title[160];
	int64_t started_mono_ns, phase_mono_ns, remaining_ns;
	double last_bytes, rate;
	int64_t last_at_ns;
};

static unsigned width_of(FILE *out)
{
	struct winsize size;
	return ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col >= 40 ? size.ws_col : 80;
}

static void clear_line(struct nl_progress *progress)
{
	if (progress->terminal)
		fputs("\r\033[K", progress->out);
}

/* The rate over the last reports of the load; an older reading than the last one is a load that began anew. */
static void update_rate(struct nl_progress *progress)
{
	double bytes = 0;
	int64_t at = 0;
	progress->live(progress->context, &bytes, &at);
	if (at <= progress->last_at_ns)
		return;
	if (progress->last_at_ns && bytes >= progress->last_bytes)
		progress->rate = (bytes - progress->last_bytes) * 1e9 / (double)(at - progress->last_at_ns);
	progress->last_bytes = bytes;
	progress->last_at_ns = at;
}

static void draw(struct nl_progress *progress)
{
	char elapsed[32], eta[32], rate[32] = "", line[400];
	int64_t now = nl_mono_ns();
	int64_t left = progress->remaining_ns - (now - progress->phase_mono_ns);
	update_rate(progress);
	if (progress->rate > 0)
		nl_units_mbps(progress->rate, rate, sizeof rate);
	nl_units_clock(now - progress->started_mono_ns, elapsed, sizeof elapsed);
	nl_units_clock(left > 0 ? left : 0, eta, sizeof eta);
	int len = snprintf(line, sizeof line, "[%u/%u] %-32s %10s  %s, ETA %s", progress->number,
			   progress->phase_count, progress->title, rate, elapsed, eta);
	unsigned width = width_of(progress->out);
	if (len > 0 && (unsigned)len >= width)
		line[width - 1] = '\0';
	clear_line(progress);
	fputs(line, progress->out);
	fflush(progress->out);
}

static void *redraw_main(void *context)
{
	struct nl_progress *progress = context;
	pthread_mutex_lock(&progress->lock);
	while (!progress->over) {
		int64_t at = nl_mono_ns() + REDRAW_NS;
		struct timespec until = {.tv_sec = at / NL_NS_PER_S, .tv_nsec = at % NL_NS_PER_S};
		if (progress->in_phase)
			draw(progress);
		pthread_cond_timedwait(&progress->changed, &progress->lock, &until);
	}
	pthread_mutex_unlock(&progress->lock);
	return NULL;
}

int nl_progress_start(FILE *out, unsigned phase_count, int64_t expected_ns, nl_progress_live_fn *live, void *context,
		      struct nl_progress **result, struct nl_error *err)
{
	pthread_condattr_t monotonic;
	struct nl_progress *progress = calloc(1, sizeof *progress);
	if (!progress)
		return nl_error_sys(err, ENOMEM, "show progress");
	progress->out = out;
	progress->terminal = isatty(fileno(out)) && (!getenv("TERM") || strcmp(getenv("TERM"), "dumb") != 0);
	progress->phase_count = phase_count;
	progress->remaining_ns = expected_ns;
	progress->live = live;
	progress->context = context;
	progress->started_mono_ns = progress->phase_mono_ns = nl_mono_ns();
	pthread_mutex_init(&progress->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&progress->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
	if (progress->terminal) {
		int rc = pthread_create(&progress->thread, NULL, redraw_main, progress);
		if (rc != 0) {
			progress->terminal = false;
			nl_progress_stop(progress);
			return nl_error_sys(err, rc, "start the progress thread");
		}
	}
	*result = progress;
	return NL_E_OK;
}

void nl_progress_stop(struct nl_progress *progress)
{
	if (!progress)
		return;
	pthread_mutex_lock(&progress->lock);
	progress->over = true;
	pthread_cond_broadcast(&progress->changed);
	pthread_mutex_unlock(&progress->lock);
	if (progress->terminal)
		pthread_join(progress->thread, NULL);
	clear_line(progress);
	fflush(progress->out);
	pthread_cond_destroy(&progress->changed);
	pthread_mutex_destroy(&progress->lock);
	free(progress);
}

void nl_progress_phase(struct nl_progress *progress, unsigned number, const char *title, int64_t remaining_ns)
{
	pthread_mutex_lock(&progress->lock);
	progress->number = number;
	snprintf(progress->title, sizeof progress->title, "%s", title);
	progress->remaining_ns = remaining_ns;
	progress->phase_mono_ns = nl_mono_ns();
	progress->in_phase = true;
	progress->rate = 0;
	progress->last_bytes = 0;
	progress->last_at_ns = 0;
	pthread_mutex_unlock(&progress->lock);
}

void nl_progress_done(struct nl_progress *progress, const char *outcome)
{
	char elapsed[32];
	pthread_mutex_lock(&progress->lock);
	progress->in_phase = false;
	clear_line(progress);
	nl_units_clock(nl_mono_ns() - progress->started_mono_ns, elapsed, sizeof elapsed);
	fprintf(progress->out, "%8s  [%u/%u] %-40s %s\n", elapsed, progress->number, progress->phase_count,
		progress->title, outcome);
	fflush(progress->out);
	pthread_mutex_unlock(&progress->lock);
}

void nl_progress_note(struct nl_progress *progress, const char *format, ...)
{
	char text[1500], elapsed[32];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	pthread_mutex_lock(&progress->lock);
	clear_line(progress);
	nl_units_clock(nl_mono_ns() - progress->started_mono_ns, elapsed, sizeof elapsed);
	fprintf(progress->out, "%8s  %s\n", elapsed, text);
	fflush(progress->out);
	pthread_mutex_unlock(&progress->lock);
}
