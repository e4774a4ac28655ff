/*
 * shown: how each kind of value of a model is written, in the one place that every renderer takes it from.
 *
 * "Not known" (negative, not a number, or 0 where the model says so) is NL_NOT_KNOWN, never a 0. Formatters write into
 * buf (NL_SHOWN_SIZE suffices), always terminated, and return buf.
 */
#ifndef NL_CONTROLLER_REPORT_SHOWN_H
#define NL_CONTROLLER_REPORT_SHOWN_H

#include <stdbool.h>
#include <stddef.h>

#include "controller/reconcile/model.h"

#define NL_NOT_KNOWN  "–"
#define NL_SHOWN_SIZE 96

char *nl_shown_mbps(double bytes_per_second, char *buf,
		    size_t size); /* "117.6": MB/s without the unit; 0 is not known */
char *nl_shown_mibps(double bytes_per_second, char *buf, size_t size);           /* "112.1" */
char *nl_shown_interval(const struct nl_figure *figure, char *buf, size_t size); /* "116.9–118.3", MB/s */
char *nl_shown_runs(const struct nl_figure *figure, char *buf, size_t size);     /* "3", "2 of 3" when one failed */
char *nl_shown_bytes(double bytes, char *buf, size_t size);                      /* "1.50 GB" */
char *nl_shown_share(double share, char *buf, size_t size);                      /* "12.3 %" */
char *nl_shown_latency(uint64_t ns, char *buf, size_t size);                     /* "4.56 ms" */
char *nl_shown_count(double count, char *buf, size_t size);                      /* "1,234" */
char *nl_shown_wire(double bits_per_second, char *buf, size_t size); /* "1 Gbit/s", "2.5 Gbit/s": no zeros at the end */

/* Whether the figure has a rate to show: a positive number. */
bool nl_shown_has_rate(const struct nl_figure *figure);
const char *nl_shown_state(enum nl_run_state state); /* "done", ... */

#endif
