/*
 * html_bars: the bars as rows of a table, drawn as SVG in per cent of the scale so that they fit every width.
 */
#include "controller/report/html.h"

#include "controller/report/escape.h"

/* In per cent of the bar's width; two figures are told apart by less than a pixel's worth of them. */
static double percent(const struct nl_bars *bars, double value)
{
	double share = value / bars->scale * 100;
	return share > 100 ? 100 : share;
}

static const char *class_of(const struct nl_bar *bar)
{
	static const char *const classes[] = {[NL_LAYER_LINE] = "line",
					      [NL_LAYER_POOL] = "pool",
					      [NL_LAYER_NFS] = "nfs",
					      [NL_LAYER_SMB] = "smb",
					      [NL_LAYER_GENERATOR] = "generator"};
	return classes[bar->figure->layer];
}

static bool on_scale(const struct nl_bars *bars, double value)
{
	return value > 0 && value <= bars->scale;
}

static void marks(const struct nl_bars *bars, const struct nl_bar_group *group, FILE *out)
{
	if (on_scale(bars, group->pool))
		fprintf(out, "<line class=\"mark-pool\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"0\" y2=\"100%%\"/>",
			percent(bars, group->pool), percent(bars, group->pool));
	if (on_scale(bars, bars->line))
		fprintf(out, "<line class=\"mark-line\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"0\" y2=\"100%%\"/>",
			percent(bars, bars->line), percent(bars, bars->line));
}

static void mark_label(const char *letter, const char *rate, const char *rest, double at, int y, FILE *out)
{
	fprintf(out, "<text x=\"%.2f%%\" y=\"%d\" text-anchor=\"%s\">%s ", at, y, at > 60 ? "end" : "start", letter);
	nl_escape_html(rate, out);
	fprintf(out, "%s</text>", rest);
}

/* The letters over the markers; on two lines when they would touch on a narrow screen. */
static void group_head(const struct nl_bars *bars, const struct nl_bar_group *group, FILE *out)
{
	double line = percent(bars, bars->line), pool = percent(bars, group->pool);
	bool near = bars->line > 0 && group->pool > 0 && pool > line - 55 && pool < line + 55;
	int height = near ? 34 : 18;
	fputs("<tbody role=\"rowgroup\">\n<tr role=\"row\" class=\"group\"><th scope=\"rowgroup\" role=\"rowheader\" "
	      "colspan=\"2\">",
	      out);
	nl_escape_html(group->title, out);
	fprintf(out, "</th><td role=\"cell\" class=\"bar\"><svg aria-hidden=\"true\" height=\"%d\">", height);
	if (bars->line > 0)
		mark_label("L", bars->line_rate, "", line, 13, out);
	if (group->pool > 0)
		mark_label("P", group->pool_rate, group->pool > bars->scale ? ", beyond the scale" : "", pool,
			   near ? 29 : 13, out);
	fputs("</svg></td><td role=\"cell\"></td></tr>\n", out);
}

static void bar_row(const struct nl_bars *bars, const struct nl_bar_group *group, const struct nl_bar *bar, FILE *out)
{
	fputs("<tr role=\"row\"><th scope=\"row\" role=\"rowheader\">", out);
	nl_escape_html(bar->label, out);
	fputs("</th><td role=\"cell\" class=\"num\">", out);
	nl_escape_html(bar->rate, out);
	fputs("</td><td role=\"cell\" class=\"bar\"><svg aria-hidden=\"true\" height=\"28\">", out);
	if (bar->value > 0)
		fprintf(out, "<rect class=\"%s%s\" x=\"0\" y=\"6\" rx=\"2\" width=\"%.2f%%\" height=\"16\"/>",
			class_of(bar), bar->verdict ? " doubtful" : "", percent(bars, bar->value));
	marks(bars, group, out);
	if (bar->value > bars->scale)
		fputs("<text class=\"beyond\" x=\"96%\" y=\"19\" text-anchor=\"end\">▸▸</text>", out);
	fputs("</svg></td><td role=\"cell\">", out);
	if (bar->verdict)
		fprintf(out, "<span class=\"verdict alert\">%s</span>", bar->verdict);
	fputs("</td></tr>\n", out);
}

void nl_html_bars(const struct nl_bars *bars, FILE *out)
{
	fputs("<table role=\"table\" class=\"bars\">\n<caption>Every ceiling and path in MB/s on one scale</caption>\n"
	      "<thead role=\"rowgroup\"><tr role=\"row\"><th scope=\"col\" role=\"columnheader\">Figure</th>"
	      "<th scope=\"col\" role=\"columnheader\" class=\"num\">MB/s</th>"
	      "<th scope=\"col\" role=\"columnheader\">Bar</th>"
	      "<th scope=\"col\" role=\"columnheader\">Not to be quoted</th></tr></thead>\n",
	      out);
	for (size_t g = 0; g < bars->group_count; g++) {
		group_head(bars, &bars->groups[g], out);
		for (size_t i = 0; i < bars->groups[g].count; i++)
			bar_row(bars, &bars->groups[g], &bars->groups[g].bars[i], out);
		fputs("</tbody>\n", out);
	}
	fputs("</table>\n", out);
}
