/*
 * progress: what a person sees while a campaign runs: on a terminal one line that is kept up to date, otherwise a line
 * per event.
 *
 * Thread: a thread of its own redraws the line; every call may come from any thread.
 */
#ifndef NL_CONTROLLER_CONDUCT_PROGRESS_H
#define NL_CONTROLLER_CONDUCT_PROGRESS_H

#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

struct nl_progress;

/* Asked by the redrawing thread for the bytes that the running load has moved; at_ns 0 when unknown. */
typedef void nl_progress_live_fn(void *context, double *bytes, int64_t *at_ns);

/* nl_progress_start: `out` is usually stderr; a terminal is found out. expected_ns: of the whole campaign. */
int nl_progress_start(FILE *out, unsigned phase_count, int64_t expected_ns, nl_progress_live_fn *live, void *context,
		      struct nl_progress **progress, struct nl_error *err);
void nl_progress_stop(struct nl_progress *progress); /* clears the line; NULL allowed */

/* A phase begins; its expected duration corrects the ETA. `remaining_ns`: expected time of this phase and all after it.
 */
void nl_progress_phase(struct nl_progress *progress, unsigned number, const char *title, int64_t remaining_ns);
/* The phase ended; `outcome` is "112.3 MB/s", "done", ... */
void nl_progress_done(struct nl_progress *progress, const char *outcome);
/* One line that stays, above the moving one. */
void nl_progress_note(struct nl_progress *progress, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
