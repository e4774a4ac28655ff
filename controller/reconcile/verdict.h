/*
 * verdict: the rules by which a figure is called valid or not, in their order.
 */
#ifndef NL_CONTROLLER_RECONCILE_VERDICT_H
#define NL_CONTROLLER_RECONCILE_VERDICT_H

#include "controller/reconcile/model.h"

/* The rule at a place in the order: its verdict and what it applies to, in words. False behind the last. */
bool nl_verdict_rule(unsigned place, enum nl_verdict *verdict, const char **applies);

#endif
