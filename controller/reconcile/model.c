/*
 * model: names of verdicts and bottlenecks, and the end of a model.
 */
#include "controller/reconcile/model.h"

#include <stdlib.h>

#include "controller/reconcile/work.h"

static const struct {
	const char *name, *meaning;
	bool quotable;
} verdicts[] = {
#define NL_X(symbol, name, quotable, meaning) [NL_VERDICT_##symbol] = {name, meaning, quotable},
	NL_VERDICTS(NL_X)
#undef NL_X
};

static const struct {
	const char *name, *meaning;
} bottlenecks[] = {
#define NL_X(symbol, name, meaning) [NL_BOTTLENECK_##symbol] = {name, meaning},
	NL_BOTTLENECKS(NL_X)
#undef NL_X
};

const char *nl_verdict_name(enum nl_verdict verdict)
{
	return (unsigned)verdict < NL_VERDICT_COUNT ? verdicts[verdict].name : "unknown";
}

bool nl_verdict_quotable(enum nl_verdict verdict)
{
	return (unsigned)verdict < NL_VERDICT_COUNT && verdicts[verdict].quotable;
}

const char *nl_verdict_meaning(enum nl_verdict verdict)
{
	return (unsigned)verdict < NL_VERDICT_COUNT ? verdicts[verdict].meaning : "unknown";
}

const char *nl_bottleneck_name(enum nl_bottleneck bottleneck)
{
	return (unsigned)bottleneck < NL_BOTTLENECK_COUNT ? bottlenecks[bottleneck].name : "unknown";
}

const char *nl_bottleneck_meaning(enum nl_bottleneck bottleneck)
{
	return (unsigned)bottleneck < NL_BOTTLENECK_COUNT ? bottlenecks[bottleneck].meaning : "unknown";
}

static void figures_fini(struct nl_figure *figures, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(figures[i].iterations);
		nl_texts_fini(&figures[i].verdict_reasons);
		nl_texts_fini(&figures[i].evidence);
	}
	free(figures);
}

void nl_model_fini(struct nl_model *model)
{
	free(model->campaign_yaml);
	free(model->summary);
	figures_fini(model->ceilings, model->ceiling_count);
	figures_fini(model->paths, model->path_count);
	for (size_t i = 0; i < model->comparison_count; i++)
		nl_texts_fini(&model->comparisons[i].differences);
	free(model->comparisons);
	free(model->settings);
	for (size_t i = 0; i < model->chart_count; i++) {
		free(model->charts[i].times_s);
		free(model->charts[i].values);
	}
	free(model->charts);
	free(model->events);
	nl_texts_fini(&model->warnings);
	nl_texts_fini(&model->reproduction);
	*model = (struct nl_model){0};
}
