/*
 * figures: sums and judgements over a run's raw counts. Pure functions, any thread.
 */
#ifndef NL_NETBENCH_FIGURES_H
#define NL_NETBENCH_FIGURES_H

#include "netbench/netbench.h"

/*
 * nl_nb_variation is the coefficient of variation (sample standard deviation over mean) of the rates of the intervals
 * that are neither omitted nor shorter than half the longest; *used is how many those are. -1 with fewer than two or no
 * bytes.
 */
double nl_nb_variation(const struct nl_netbench_interval *intervals, size_t count, size_t *used);

/* nl_nb_side_conclude makes the totals, rate and busiest thread of a side from its streams. CPU totals are left alone.
 */
void nl_nb_side_conclude(struct nl_netbench_side *side);

/* nl_nb_flow_conclude makes retransmits, round trips, variation, verdict and cpu_bound from both concluded sides. */
void nl_nb_flow_conclude(struct nl_netbench_flow *flow);

/* nl_nb_result_conclude concludes every flow used, and the run. */
void nl_nb_result_conclude(struct nl_netbench_result *result);

#endif
