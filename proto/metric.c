/*
 * metric: the table of series as an array, for those who walk it.
 */
#include "proto/metric.h"

static const struct nl_metric rows[] = {
#define NL_X(id, symbol, name, unit, layer, kind, meaning)                                                             \
	{NL_METRIC_##symbol, NL_METRIC_##kind, name, unit, layer, meaning},
	NL_METRICS(NL_X)
#undef NL_X
};

const struct nl_metric *nl_metric_rows(size_t *count)
{
	*count = sizeof rows / sizeof rows[0];
	return rows;
}

const struct nl_metric *nl_metric_find(uint32_t id)
{
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if ((uint32_t)rows[i].id == id)
			return &rows[i];
	return NULL;
}
