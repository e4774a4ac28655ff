/*
 * reconcile: from what was stored to what a report says, in the order in which each part needs the one before.
 */
#include <stdlib.h>
#include <string.h>

#include "controller/reconcile/work.h"

/* Ceilings are judged before what is set against them: the line and the generator first, then the pool, then the paths.
 */
static void judge(struct nl_work *work)
{
	static const enum nl_phase_kind order[] = {NL_PHASE_LINE, NL_PHASE_SELF_LOAD, NL_PHASE_POOL, NL_PHASE_SHARE};
	for (size_t k = 0; k < sizeof(order) / sizeof(order[0]); k++) {
		for (size_t i = 0; i < work->study_count; i++) {
			if (work->studies[i].kind != order[k])
				continue;
			nl_verdict_decide(work, &work->studies[i]);
			nl_bottleneck_decide(work, &work->studies[i]);
		}
	}
}

/* The figures move to the model; what they were made from stays with the studies. */
static void hand_over(struct nl_work *work)
{
	struct nl_model *model = work->model;
	for (size_t i = 0; i < work->study_count; i++) {
		struct nl_study *study = &work->studies[i];
		bool path = study->kind == NL_PHASE_SHARE;
		struct nl_figure *figure =
			nl_work_append(work, (void **)(path ? &model->paths : &model->ceilings),
				       path ? &model->path_count : &model->ceiling_count, sizeof(*figure));
		if (!figure)
			return;
		*figure = study->figure;
		study->figure = (struct nl_figure){0};
	}
}

int nl_reconcile(struct nl_store *store, const char *run_id, struct nl_model *model, struct nl_error *err)
{
	struct nl_work work = {.model = model};
	*model = (struct nl_model){0};
	int code = nl_work_read(&work, store, run_id, err);
	if (!code) {
		nl_link_find(&work);
		nl_studies_make(&work);
		judge(&work);
		nl_settings_make(&work);
		nl_compare_make(&work);
		nl_warnings_make(&work);
		nl_summary_make(&work);
		nl_reproduction_make(&work);
		nl_charts_make(&work);
		hand_over(&work);
	}
	if (!code && work.no_memory) {
		nl_error_set(err, NL_E_SYSTEM, "make the report of run %s", model->run.id);
		code = nl_error_why(err, "not enough memory");
	}
	nl_work_fini(&work);
	if (code)
		nl_model_fini(model);
	return code;
}
