/*
 * shown: values as text.
 */
#include "controller/report/shown.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

static char *not_known(char *buf, size_t size)
{
	snprintf(buf, size, "%s", NL_NOT_KNOWN);
	return buf;
}

static char *cut_unit(char *buf)
{
	buf[strcspn(buf, " ")] = '\0';
	return buf;
}

/* A petabyte per second is no rate of anything that we measure. */
static bool is_rate(double value)
{
	return isfinite(value) && value > 0 && value < 1e15;
}

static bool is_known(double value)
{
	return isfinite(value) && value >= 0;
}

char *nl_shown_mbps(double bytes_per_second, char *buf, size_t size)
{
	if (!is_rate(bytes_per_second))
		return not_known(buf, size);
	return cut_unit(nl_units_mbps(bytes_per_second, buf, size));
}

char *nl_shown_mibps(double bytes_per_second, char *buf, size_t size)
{
	if (!is_rate(bytes_per_second))
		return not_known(buf, size);
	return cut_unit(nl_units_mibps(bytes_per_second, buf, size));
}

char *nl_shown_interval(const struct nl_figure *figure, char *buf, size_t size)
{
	char low[NL_SHOWN_SIZE], high[NL_SHOWN_SIZE];
	if (!is_rate(figure->interval.low) || !is_rate(figure->interval.high))
		return not_known(buf, size);
	nl_shown_mbps(figure->interval.low, low, sizeof low);
	nl_shown_mbps(figure->interval.high, high, sizeof high);
	snprintf(buf, size, "%s–%s", low, high);
	return buf;
}

char *nl_shown_runs(const struct nl_figure *figure, char *buf, size_t size)
{
	if (figure->failed_count)
		snprintf(buf, size, "%u of %u", figure->iteration_count,
			 figure->iteration_count + figure->failed_count);
	else
		snprintf(buf, size, "%u", figure->iteration_count);
	return buf;
}

char *nl_shown_bytes(double bytes, char *buf, size_t size)
{
	if (!is_known(bytes) || bytes >= 0x1p64)
		return not_known(buf, size);
	return nl_units_bytes((uint64_t)bytes, buf, size);
}

char *nl_shown_share(double share, char *buf, size_t size)
{
	return is_known(share) ? nl_units_percent(share, buf, size) : not_known(buf, size);
}

char *nl_shown_latency(uint64_t ns, char *buf, size_t size)
{
	return ns && ns <= INT64_MAX ? nl_units_ns((int64_t)ns, buf, size) : not_known(buf, size);
}

char *nl_shown_count(double count, char *buf, size_t size)
{
	if (!is_known(count) || count >= 0x1p64)
		return not_known(buf, size);
	return nl_units_count((uint64_t)count, buf, size);
}

char *nl_shown_wire(double bits_per_second, char *buf, size_t size)
{
	if (!is_rate(bits_per_second))
		return not_known(buf, size);
	nl_units_bps(bits_per_second, buf, size);
	char *unit = strchr(buf, ' '), *end = unit;
	if (!unit || !memchr(buf, '.', (size_t)(unit - buf)))
		return buf;
	while (end[-1] == '0')
		end--;
	if (end[-1] == '.')
		end--;
	memmove(end, unit, strlen(unit) + 1);
	return buf;
}

bool nl_shown_has_rate(const struct nl_figure *figure)
{
	return is_rate(figure->bytes_per_second);
}

const char *nl_shown_state(enum nl_run_state state)
{
	static const char *const names[] = {[NL_RUN_RUNNING] = "running",
					    [NL_RUN_DONE] = "done",
					    [NL_RUN_FAILED] = "failed",
					    [NL_RUN_INTERRUPTED] = "interrupted"};
	return (size_t)state < sizeof names / sizeof names[0] ? names[state] : "unknown";
}
