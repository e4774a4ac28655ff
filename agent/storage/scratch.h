/*
 * scratch: the run's directory in the pool: its name, its marker, making and removing it.
 */
#ifndef NL_AGENT_STORAGE_SCRATCH_H
#define NL_AGENT_STORAGE_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "agent/storage/storage.h"

#define NL_SCRATCH_PREFIX "nasline-"
#define NL_SCRATCH_MARKER ".nasline-owner"

/* nl_scratch_run_valid: whether a run id may be part of a file name: 1 to 39 of [A-Za-z0-9._-], no leading dot or dash.
 */
bool nl_scratch_run_valid(const char *run_id);

/* See prepare and destroy in storage.h. */
int nl_scratch_prepare(struct nl_journal *journal, const char *pool, const char *run_id, uint64_t need_bytes,
		       char *scratch, struct nl_error *err);
int nl_scratch_destroy(struct nl_journal *journal, const char *scratch, const char *run_id, struct nl_error *err);

/*
 * nl_scratch_marker_read gives the run that the marker in the open directory names. False when there is no marker, or
 * none that we wrote: not a regular file, of another user, too long, of another form.
 */
bool nl_scratch_marker_read(int directory, char run_id[40]);

#endif
