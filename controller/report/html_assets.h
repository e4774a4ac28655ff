/*
 * html_assets: the scripts and styles of the HTML report, embedded at build time in this order.
 */
#ifndef NL_CONTROLLER_REPORT_HTML_ASSETS_H
#define NL_CONTROLLER_REPORT_HTML_ASSETS_H

#include <stddef.h>

enum nl_html_asset_index {
	NL_HTML_CHART_STYLE,
	NL_HTML_PAGE_STYLE,
	NL_HTML_CHART_SCRIPT,
	NL_HTML_PAGE_SCRIPT,
	NL_HTML_ASSET_COUNT
};

struct nl_html_asset {
	const char *name, *text;
	size_t len;
	const char *hash; /* "sha256-...", of the text, as a content security policy has it */
};

extern const struct nl_html_asset nl_html_assets[NL_HTML_ASSET_COUNT];

#endif
