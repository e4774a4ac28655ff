/*
 * rules: every threshold by which a figure is judged, in one table. docs/method.md shows the same table; a test keeps
 * it so.
 */
#ifndef NL_CONTROLLER_RECONCILE_RULES_H
#define NL_CONTROLLER_RECONCILE_RULES_H

#include "base/error.h"

/* X(symbol, value, unit, meaning): unit "%" is a share shown in percent. */
#define NL_THRESHOLDS(X)                                                                                               \
	X(CLIENT_CACHED, 0.05, "%", "of what the application read did not come over the wire: `client-cached`")        \
	X(NAS_CACHED, 0.50, "%", "of what the NAS delivered did not come from its disks: `nas-cached`")                \
	X(NOT_COLD, 0.05, "%", "of what a cold read delivered did not come from the disks: `not-cold`")                \
	X(DURABLE, 0.95, "%",                                                                                          \
	  "of what was written must be on the disks when all is said to be durable, else `not-durable`")               \
	X(TOO_SHORT, 1.0, "s", "a shorter measured window is `too-short`")                                             \
	X(SPREAD, 0.20, "%", "of the median between the slowest and the fastest iteration: more is `unsteady`")        \
	X(VARIATION, 0.25, "%",                                                                                        \
	  "coefficient of variation over the whole seconds of a window (5 at least; reads and line): more is "         \
	  "`unsteady`")                                                                                                \
	X(FOREIGN, 1.25, "x", "the application's bytes at an interface: more is said to be other traffic")             \
	X(LINE_FULL, 0.92, "%", "of the computed goodput: the line test itself is limited by the `wire`")              \
	X(WIRE_FULL, 0.90, "%", "of what the wire carries: the wire is full")                                          \
	X(DISKS_FULL, 0.85, "%", "of the disks' own rate, as measured on the NAS: the disks are full")                 \
	X(DISKS_REFUTED, 1.20, "x",                                                                                    \
	  "the disks' own rate: it is no limit of theirs, and only how busy they are counts")                          \
	X(DISKS_BUSY, 0.85, "%", "of the time with requests in flight, over all disks: the disks are full")            \
	X(POOL_BUSY, 0.75, "%", "the same on the NAS itself, for bytes that the disks are proved to have moved")       \
	X(SENDING, 0.75, "%", "of a write's time with the wire full while sending: the wire is full")                  \
	X(IN_TURN, 0.85, "%", "wire and disks together: they worked in turn, and the larger part is the bottleneck")   \
	X(IN_TURN_LARGER, 0.60, "%", "is the least that this larger part must be")                                     \
	X(IN_TURN_SMALLER, 0.10, "%", "is the least that the smaller part must be")                                    \
	X(CORE_FULL, 0.95, "%", "of one core: a processor is full")                                                    \
	X(CORES_FULL, 0.90, "%", "of all cores: a processor is full")                                                  \
	X(THREAD_FULL, 0.95, "%", "of a core used by one load thread: the load generator is full")                     \
	X(GENERATOR, 0.90, "%", "of what the load generator does with no storage behind it: the generator is full")    \
	X(WIRE_NEAR, 0.80, "%", "of what the wire carries, when nothing is full: the wire is named as the nearest")    \
	X(DISKS_NEAR, 0.75, "%", "of the disks' own rate, when nothing is full: the disks are named as the nearest")

enum nl_threshold {
#define NL_X(symbol, value, unit, meaning) NL_RULE_##symbol,
	NL_THRESHOLDS(NL_X)
#undef NL_X
		NL_RULE_COUNT
};

double nl_rule(enum nl_threshold rule);
/* nl_rules_markdown: the thresholds and the verdicts in their order, as two tables of docs/method.md. Fresh text,
 * caller frees. */
int nl_rules_markdown(char **text, struct nl_error *err);

#endif
