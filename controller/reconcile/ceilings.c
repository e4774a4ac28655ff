/*
 * ceilings: what each layer can do alone, for the paths to be set against.
 */
#include <stdio.h>
#include <string.h>

#include "controller/reconcile/work.h"

const struct nl_study *nl_study_best(const struct nl_work *work, enum nl_layer layer, enum nl_direction direction,
				     int workload)
{
	const struct nl_study *best = NULL;
	for (size_t i = 0; i < work->study_count; i++) {
		const struct nl_study *study = &work->studies[i];
		const struct nl_figure *figure = &study->figure;
		if (figure->layer != layer || figure->direction != direction || figure->iteration_count == 0 ||
		    (workload >= 0 && figure->workload != (enum nl_workload)workload))
			continue;
		if (!best || figure->bytes_per_second > best->figure.bytes_per_second)
			best = study;
	}
	return best;
}

/*
 * What TCP alone carried, when it filled the link or nobody knows the link's speed; otherwise what arithmetic says,
 * because a line test that was stopped by a processor is no limit of the wire.
 */
double nl_ceiling_wire(const struct nl_work *work, bool to_nas, char *from, size_t size)
{
	double goodput = work->model->link.goodput_bytes_per_second;
	const struct nl_study *line =
		nl_study_best(work, NL_LAYER_LINE, to_nas ? NL_DIRECTION_TO_NAS : NL_DIRECTION_FROM_NAS, -1);
	if (line && (goodput <= 0 || line->figure.bottleneck == NL_BOTTLENECK_WIRE)) {
		snprintf(from, size, "TCP alone carried");
		return line->figure.bytes_per_second;
	}
	snprintf(from, size, "the link allows by arithmetic");
	return goodput > 0 ? goodput : 0;
}

double nl_ceiling_disks(const struct nl_work *work, bool write, const struct nl_study **found)
{
	double best = 0;
	*found = NULL;
	for (size_t i = 0; i < work->study_count; i++) {
		const struct nl_study *study = &work->studies[i];
		if (study->kind != NL_PHASE_POOL || study->figure.bottleneck != NL_BOTTLENECK_DISKS ||
		    study->figure.workload != (write ? NL_WORKLOAD_SEQ_WRITE : NL_WORKLOAD_SEQ_READ) ||
		    study->disk_rate <= best)
			continue;
		best = study->disk_rate;
		*found = study;
	}
	return best;
}

double nl_ceiling_generator(const struct nl_work *work, const char *agent, bool write, unsigned streams)
{
	double same = 0, best = 0;
	for (size_t i = 0; i < work->study_count; i++) {
		const struct nl_figure *figure = &work->studies[i].figure;
		bool writes = figure->direction == NL_DIRECTION_WRITE || figure->direction == NL_DIRECTION_TO_NAS;
		if (work->studies[i].kind != NL_PHASE_SELF_LOAD || strcmp(figure->agent, agent) || writes != write)
			continue;
		if (figure->streams == streams)
			same = figure->bytes_per_second;
		if (figure->bytes_per_second > best)
			best = figure->bytes_per_second;
	}
	return same > 0 ? same : best;
}
