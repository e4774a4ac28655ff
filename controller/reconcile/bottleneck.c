/*
 * bottleneck: what limited a figure, by how near each layer was to its own limit, and never by the ratio of two
 * throughputs alone.
 *
 * A full wire or full disks explain a rate whatever the processors do meanwhile, so they are looked at first; then
 * generator and processors; then wire and disks that worked in turn or were near their limits. When nothing is, it is
 * unknown.
 */
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "controller/reconcile/rules.h"
#include "controller/reconcile/work.h"

enum { WIRE, DISKS, GENERATOR, NAS_CPU, CLIENT_CPU, CANDIDATES };

struct candidate {
	enum nl_bottleneck which;
	double use;    /* share of its limit; NL_UNKNOWN */
	double demand; /* the same by bytes alone: which share of the time this layer needed for them */
	bool full, near;
	char text[300];
};

/* --- each layer against its limit --- */

/* Share of a write's time in which data was sent; the rest is the flush. */
static double sending_share(const struct nl_study *study)
{
	double sending = 0, whole = 0;
	for (unsigned i = 0; i < study->figure.iteration_count; i++) {
		const struct nl_measure *measure = &study->measure[i];
		whole += (double)(measure->window_end_ns - measure->window_start_ns);
		sending += (double)(measure->sent_ns - measure->window_start_ns);
	}
	return whole > 0 ? sending / whole : 0;
}

static void judge_wire(const struct nl_work *work, const struct nl_study *study, struct candidate *wire)
{
	bool write = nl_phase_writes(study->plan);
	char from[64];
	double limit = nl_ceiling_wire(work, write, from, sizeof(from));
	if (study->wire_rate < 0 || limit <= 0) {
		snprintf(wire->text, sizeof(wire->text), "how full the wire was is not known: %s",
			 limit <= 0 ? "neither its speed nor a line test is there" : "no interface was watched");
		return;
	}
	wire->use = wire->demand = study->wire_rate / limit;
	wire->full = wire->use >= nl_rule(NL_RULE_WIRE_FULL);
	wire->near = wire->use >= nl_rule(NL_RULE_WIRE_NEAR);
	snprintf(wire->text, sizeof(wire->text), "the wire carried %s of the %s that %s (%s)",
		 nl_show_rate(study->wire_rate).text, nl_show_rate(limit).text, from, nl_show_share(wire->use).text);
	if (!write || study->wire_sending_rate < 0)
		return;
	double sending = study->wire_sending_rate / limit, share = sending_share(study);
	size_t used = strlen(wire->text);
	snprintf(wire->text + used, sizeof(wire->text) - used, "; %s while data was sent, %s of the time",
		 nl_show_share(sending).text, nl_show_share(share).text);
	wire->full = wire->full || (sending >= nl_rule(NL_RULE_WIRE_FULL) && share >= nl_rule(NL_RULE_SENDING));
}

static void judge_disks(const struct nl_work *work, const struct nl_study *study, struct candidate *disks)
{
	bool write = nl_phase_writes(study->plan);
	const struct nl_study *pool;
	/* The pool is not set against itself. */
	double limit = study->kind == NL_PHASE_POOL ? 0 : nl_ceiling_disks(work, write, &pool), busy = study->disk_busy;
	char against[160] = "";
	if (study->disk_rate < 0) {
		snprintf(disks->text, sizeof(disks->text), "what the disks did is not known: they were not watched");
		return;
	}
	if (limit > 0) {
		disks->use = study->disk_rate / limit;
		bool refuted = disks->use > nl_rule(NL_RULE_DISKS_REFUTED);
		snprintf(against, sizeof(against), " of the %s that they %s on the NAS itself (%s%s)",
			 nl_show_rate(limit).text, write ? "wrote" : "read", nl_show_share(disks->use).text,
			 refuted ? ", so that is not their limit" : "");
		if (refuted)
			disks->use = 0;
	}
	disks->full = disks->use >= nl_rule(NL_RULE_DISKS_FULL) || busy >= nl_rule(NL_RULE_DISKS_BUSY);
	disks->near = disks->use >= nl_rule(NL_RULE_DISKS_NEAR);
	snprintf(disks->text, sizeof(disks->text), "the disks %s %s%s, busy %s of the time", write ? "wrote" : "read",
		 nl_show_rate(study->disk_rate).text, against, nl_show_share(busy).text);
	disks->demand = disks->use;
	if (busy > disks->use)
		disks->use = busy;
}

static void judge_generator(const struct nl_work *work, const struct nl_study *study, struct candidate *generator)
{
	double alone = study->kind == NL_PHASE_LINE
			       ? 0
			       : nl_ceiling_generator(work, study->figure.agent, nl_phase_writes(study->plan),
						      study->figure.streams);
	double near = alone > 0 ? study->figure.bytes_per_second / alone : 0;
	char against[100] = "";
	generator->use = study->thread_share > near ? study->thread_share : near;
	generator->full = study->thread_share >= nl_rule(NL_RULE_THREAD_FULL) || near >= nl_rule(NL_RULE_GENERATOR);
	if (alone > 0)
		snprintf(against, sizeof(against), "; with no storage behind it the generator does %s",
			 nl_show_rate(alone).text);
	snprintf(generator->text, sizeof(generator->text), "the busiest load thread used %s of a core%s",
		 nl_show_share(study->thread_share).text, against);
}

static void judge_cpu(const struct nl_cpu_use *cpu, const char *whose, struct candidate *candidate)
{
	char steal[60] = "";
	if (cpu->core < 0) {
		snprintf(candidate->text, sizeof(candidate->text), "the %s processors were not watched", whose);
		return;
	}
	candidate->use = cpu->core > cpu->all ? cpu->core : cpu->all;
	candidate->full = cpu->core >= nl_rule(NL_RULE_CORE_FULL) || cpu->all >= nl_rule(NL_RULE_CORES_FULL);
	if (cpu->steal >= 0.01)
		snprintf(steal, sizeof(steal), ", %s taken by the hypervisor", nl_show_share(cpu->steal).text);
	snprintf(candidate->text, sizeof(candidate->text), "the busiest core of the %s was %s busy, all cores %s%s",
		 whose, nl_show_share(cpu->core).text, nl_show_share(cpu->all).text, steal);
}

static void judge_all(const struct nl_work *work, const struct nl_study *study, struct candidate *candidates)
{
	static const enum nl_bottleneck which[CANDIDATES] = {
		[WIRE] = NL_BOTTLENECK_WIRE,
		[DISKS] = NL_BOTTLENECK_DISKS,
		[GENERATOR] = NL_BOTTLENECK_LOAD_GENERATOR,
		[NAS_CPU] = NL_BOTTLENECK_NAS_CPU,
		[CLIENT_CPU] = NL_BOTTLENECK_CLIENT_CPU,
	};
	for (size_t i = 0; i < CANDIDATES; i++)
		candidates[i] = (struct candidate){.which = which[i], .use = NL_UNKNOWN, .demand = NL_UNKNOWN};
	if (study->kind == NL_PHASE_LINE || study->kind == NL_PHASE_SHARE)
		judge_wire(work, study, &candidates[WIRE]);
	if (study->kind == NL_PHASE_POOL || study->kind == NL_PHASE_SHARE)
		judge_disks(work, study, &candidates[DISKS]);
	judge_generator(work, study, &candidates[GENERATOR]);
	judge_cpu(&study->nas_cpu, "NAS", &candidates[NAS_CPU]);
	if (!study->plan->on_nas)
		judge_cpu(&study->client_cpu, "client", &candidates[CLIENT_CPU]);
}

/* --- which one --- */

/* The one nearest its limit among those from `first` to `last` that are full (or near). -1: none. */
static int nearest(const struct candidate *candidates, int first, int last, bool near)
{
	int found = -1;
	for (int i = first; i <= last; i++) {
		if (!(near ? candidates[i].near : candidates[i].full))
			continue;
		if (found < 0 || candidates[i].use > candidates[found].use)
			found = i;
	}
	return found;
}

/* Wire and disks that wait for each other are each below their limits, and together take all the time. */
static int in_turn(const struct candidate *candidates)
{
	double wire = candidates[WIRE].demand, disks = candidates[DISKS].demand;
	double smaller = wire < disks ? wire : disks, larger = wire < disks ? disks : wire;
	if (smaller < nl_rule(NL_RULE_IN_TURN_SMALLER) || larger < nl_rule(NL_RULE_IN_TURN_LARGER) ||
	    smaller + larger < nl_rule(NL_RULE_IN_TURN))
		return -1;
	return wire >= disks ? WIRE : DISKS;
}

static int choose(const struct candidate *candidates, const char **how)
{
	int found = nearest(candidates, WIRE, DISKS, false);
	*how = "";
	if (found < 0)
		found = nearest(candidates, GENERATOR, CLIENT_CPU, false);
	if (found < 0 && (found = in_turn(candidates)) >= 0)
		*how = "wire and disks worked in turn, and this one took the larger part: ";
	if (found < 0 && (found = nearest(candidates, WIRE, DISKS, true)) >= 0)
		*how = "nothing was at its limit, and this one was nearest: ";
	return found;
}

static void say_all(struct nl_work *work, struct nl_study *study, const struct candidate *candidates, int chosen,
		    const char *how)
{
	struct nl_texts *evidence = &study->figure.evidence;
	if (chosen >= 0)
		nl_say(work, evidence, "%s%s", how, candidates[chosen].text);
	else
		nl_say(work, evidence, "nothing that was watched was at its limit");
	for (int i = 0; i < CANDIDATES; i++)
		if (i != chosen && candidates[i].text[0])
			nl_say(work, evidence, "%s%s", chosen >= 0 && candidates[i].full ? "also full: " : "",
			       candidates[i].text);
}

/* --- the ceilings themselves --- */

/* The line test fills the wire when it comes near what arithmetic allows. */
static void judge_line(const struct nl_work *work, const struct nl_study *study, struct candidate *wire)
{
	double goodput = work->model->link.goodput_bytes_per_second, rate = study->figure.bytes_per_second;
	*wire = (struct candidate){.which = NL_BOTTLENECK_WIRE, .use = NL_UNKNOWN};
	if (goodput <= 0) {
		snprintf(wire->text, sizeof(wire->text), "%s were received; what the link allows is not known: %.200s",
			 nl_show_rate(rate).text, work->model->link.explanation);
		return;
	}
	wire->use = rate / goodput;
	wire->full = wire->use >= nl_rule(NL_RULE_LINE_FULL);
	snprintf(wire->text, sizeof(wire->text), "%s were received of the %s that the link allows by arithmetic (%s)",
		 nl_show_rate(rate).text, nl_show_rate(goodput).text, nl_show_share(wire->use).text);
}

/* On the NAS itself nothing but disks, processors and generator is in the way; what the disks are proved to have moved,
 * they limited, unless another is full. */
static int choose_pool(const struct nl_study *study, const struct candidate *candidates, const char **how)
{
	const struct nl_ledger *ledger = &study->figure.ledger;
	bool proved = study->figure.workload != NL_WORKLOAD_CACHED_READ && ledger->disks >= 0 &&
		      ledger->disks >= ledger->application * nl_rule(NL_RULE_DURABLE);
	*how = "";
	if (proved && (candidates[DISKS].full || study->disk_busy >= nl_rule(NL_RULE_POOL_BUSY)))
		return DISKS;
	int found = nearest(candidates, GENERATOR, NAS_CPU, false);
	if (found < 0 && proved) {
		*how = "all bytes were moved by the disks, and neither processor nor generator was at its limit: ";
		found = DISKS;
	}
	return found;
}

static void decide_pool(struct nl_work *work, struct nl_study *study)
{
	struct candidate candidates[CANDIDATES];
	const char *how;
	judge_all(work, study, candidates);
	int chosen = choose_pool(study, candidates, &how);
	if (chosen >= 0)
		study->figure.bottleneck = candidates[chosen].which;
	say_all(work, study, candidates, chosen, how);
}

static void decide_line(struct nl_work *work, struct nl_study *study)
{
	struct candidate candidates[CANDIDATES];
	judge_all(work, study, candidates);
	judge_line(work, study, &candidates[WIRE]);
	int chosen = candidates[WIRE].full ? WIRE : nearest(candidates, GENERATOR, CLIENT_CPU, false);
	if (chosen >= 0)
		study->figure.bottleneck = candidates[chosen].which;
	say_all(work, study, candidates, chosen, "");
	if (study->figure.retransmits >= 0)
		nl_say(work, &study->figure.evidence, "%.0f segments were sent again", study->figure.retransmits);
}

static void decide_share(struct nl_work *work, struct nl_study *study)
{
	struct candidate candidates[CANDIDATES];
	const char *how;
	struct nl_figure *figure = &study->figure;
	if (figure->verdict == NL_VERDICT_CLIENT_CACHED) {
		figure->bottleneck = NL_BOTTLENECK_CLIENT_CACHE;
		nl_say(work, &figure->evidence, "%s of the bytes never left the client: %s were read at %s",
		       nl_show_share(figure->client_cache_share).text, nl_show_bytes(figure->ledger.application).text,
		       nl_show_rate(figure->bytes_per_second).text);
		return;
	}
	judge_all(work, study, candidates);
	int chosen = choose(candidates, &how);
	if (chosen >= 0)
		figure->bottleneck = candidates[chosen].which;
	say_all(work, study, candidates, chosen, how);
}

void nl_bottleneck_decide(struct nl_work *work, struct nl_study *study)
{
	struct nl_figure *figure = &study->figure;
	figure->bottleneck = NL_BOTTLENECK_UNKNOWN;
	if (figure->iteration_count == 0) {
		nl_say(work, &figure->evidence, "no iteration succeeded");
		return;
	}
	switch (study->kind) {
	case NL_PHASE_LINE:
		decide_line(work, study);
		return;
	case NL_PHASE_POOL:
		decide_pool(work, study);
		return;
	case NL_PHASE_SELF_LOAD:
		figure->bottleneck = NL_BOTTLENECK_LOAD_GENERATOR;
		nl_say(work, &figure->evidence, "no storage was behind it; the busiest load thread used %s of a core",
		       nl_show_share(study->thread_share).text);
		return;
	default:
		decide_share(work, study);
	}
}
