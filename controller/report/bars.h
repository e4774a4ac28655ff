/*
 * bars: every ceiling and path as a bar on one scale, in groups of the same work, with the line rate and the pool's
 * rate for that work to compare with.
 */
#ifndef NL_CONTROLLER_REPORT_BARS_H
#define NL_CONTROLLER_REPORT_BARS_H

#include <stdbool.h>
#include <stddef.h>

struct nl_document;
struct nl_model;
struct nl_figure;

struct nl_bar {
	const char *label;   /* short, inside its group: "nfs, 4 streams" */
	const char *rate;    /* as shown, MB/s */
	const char *verdict; /* NULL when the figure may be quoted */
	double value;        /* bytes per second; 0 when there is none */
	const struct nl_figure *figure;
};

struct nl_bar_group {
	const char *title;
	double pool; /* the pool's own rate for this work, bytes per second; 0: none to show */
	const char *pool_rate;
	struct nl_bar *bars;
	size_t count;
};

struct nl_bars {
	double scale; /* bytes per second at the right end, above 0. Values above it run over the end */
	double line;  /* line rate by arithmetic, bytes per second; 0: not known */
	const char *line_rate, *scale_rate;
	struct nl_bar_group *groups; /* none of them empty */
	size_t group_count;
};

/* nl_bars_build makes the bars in the document's memory; NULL when there is no figure, or memory is short
 * (document->failed). */
struct nl_bars *nl_bars_build(struct nl_document *document, const struct nl_model *model);

#endif
