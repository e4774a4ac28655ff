/*
 * ledger: the bytes of a phase at each layer, and how far each layer was used.
 *
 * The ledger's window is the whole load, ramp included, and for writes until all was durable; the same bytes are
 * counted at each layer then. Direction: of a write what the client sent, the NAS received and the disks wrote; of a
 * read what the disks read, the NAS sent and the client received.
 */
#include <string.h>

#include "base/parse.h"
#include "base/time.h"
#include "controller/reconcile/work.h"

#define WARMED_BEFORE_NS                                                                                               \
	(150 * NL_NS_PER_MS) /* the load's own counters are read this long before its start at most                    \
			      */

static void tighten(struct nl_window *window, int64_t from_ns, int64_t to_ns)
{
	if (to_ns > window->quiet_from_ns && to_ns <= window->from_ns)
		window->quiet_from_ns = to_ns;
	if (from_ns && from_ns < window->quiet_to_ns && from_ns >= window->to_ns)
		window->quiet_to_ns = from_ns;
}

/* Until where, before and after a load, nothing else of this run moved bytes. A load that warmed caches first did so
 * until shortly before its start. */
static struct nl_window ledger_window(const struct nl_work *work, const struct nl_phase *phase,
				      const struct nl_measure *measure)
{
	struct nl_window window = {measure->load_start_ns, measure->load_end_ns, NL_INSTANT_MIN, NL_INSTANT_MAX};
	for (unsigned i = 0; i < work->plan.phase_count; i++)
		if (work->phases[i].plan->index != measure->phase)
			tighten(&window, work->phases[i].start_ns, work->phases[i].end_ns);
	for (size_t i = 0; i < work->answer_count; i++) {
		const struct nl_answer *answer = &work->answers[i];
		if (answer != measure->answer && answer->result->ended_mono_ns)
			tighten(&window, nl_answer_ns(answer, answer->result->started_mono_ns),
				nl_answer_ns(answer, answer->result->ended_mono_ns));
	}
	if (phase->workload == NL_WORKLOAD_CACHED_READ || phase->workload == NL_WORKLOAD_CLIENT_WARM_READ)
		tighten(&window, 0, window.from_ns - WARMED_BEFORE_NS);
	return window;
}

/*
 * The client's counters are read just before and after its load. The NAS's are known at the instants of its samples
 * only: what it counted lies between the rise inside the window and the rise around it. Where the client's count fits
 * in between, the two agree as far as can be told.
 */
static double within(double other, double inner, double outer)
{
	if (inner < 0 || outer < 0 || other < 0)
		return outer;
	return other < inner ? inner : other > outer ? outer : other;
}

static void network_ledger(const struct nl_work *work, const struct nl_phase *phase, struct nl_measure *measure)
{
	struct nl_window window = ledger_window(work, phase, measure);
	bool write = nl_phase_writes(phase);
	double inner_payload, outer_payload;
	/* When the client is done so is the wire, while the disks may not be. */
	if (measure->client_done_ns)
		window.to_ns = measure->client_done_ns;
	measure->ledger.client_nic = nl_nic_rise(work, nl_work_client(work, phase), write, &window, NL_EDGES_QUIET,
						 &measure->client_payload);
	double inner = nl_nic_rise(work, nl_work_nas(work), !write, &window, NL_EDGES_INNER, &inner_payload);
	double outer = nl_nic_rise(work, nl_work_nas(work), !write, &window, NL_EDGES_OUTER, &outer_payload);
	measure->ledger.nas_nic = within(measure->ledger.client_nic, inner, outer);
	measure->nas_payload = within(measure->client_payload, inner_payload, outer_payload);
}

/*
 * Reads and writes of the disks are counted apart, and on the NAS samples are taken when its caches were dropped and
 * when all was durable: so the samples around the window hold this load's bytes and no others'. Only a warming read may
 * come right before; then the quiet decides.
 */
static void disk_ledger(const struct nl_work *work, const struct nl_phase *phase, struct nl_measure *measure)
{
	const struct nl_window window = ledger_window(work, phase, measure);
	bool warmed = phase->workload == NL_WORKLOAD_CACHED_READ || phase->workload == NL_WORKLOAD_CLIENT_WARM_READ;
	measure->ledger.disks =
		nl_disks_rise(work, nl_phase_writes(phase), &window, warmed ? NL_EDGES_QUIET : NL_EDGES_OUTER);
}

static double per_second(double bytes, int64_t from_ns, int64_t to_ns)
{
	return bytes < 0 || to_ns <= from_ns ? NL_UNKNOWN : bytes / ((double)(to_ns - from_ns) / (double)NL_NS_PER_S);
}

/* Payload on the wire: the mean of both ends, or the one that is known. */
static double wire_payload(const struct nl_measure *measure)
{
	if (measure->client_payload < 0 || measure->nas_payload < 0)
		return measure->client_payload < 0 ? measure->nas_payload : measure->client_payload;
	return (measure->client_payload + measure->nas_payload) / 2;
}

/* Rates are the ledger's bytes over the whole load: no sample has to be taken at the edges of the rate's window for
 * them. */
static void layers_used(const struct nl_work *work, const struct nl_phase *phase, struct nl_measure *measure)
{
	int64_t start_ns = measure->load_start_ns, from_ns = measure->window_start_ns, to_ns = measure->window_end_ns;
	measure->disk_rate = per_second(measure->ledger.disks, start_ns, measure->load_end_ns);
	measure->wire_rate = per_second(wire_payload(measure), start_ns, measure->load_end_ns);
	measure->wire_sending_rate =
		measure->sent_ns ? per_second(wire_payload(measure), start_ns, measure->sent_ns) : NL_UNKNOWN;
	measure->disk_busy = measure->ledger.disks < 0 ? NL_UNKNOWN : nl_disks_busy(work, from_ns, to_ns);
	measure->client_cpu = phase->on_nas ? (struct nl_cpu_use){NL_UNKNOWN, NL_UNKNOWN, NL_UNKNOWN}
					    : nl_cpu_use(work, nl_work_client(work, phase), from_ns, to_ns);
	measure->nas_cpu = nl_cpu_use(work, nl_work_nas(work), from_ns, to_ns);
}

void nl_measure_ledger(struct nl_work *work, const struct nl_phase_view *view, struct nl_measure *measure)
{
	const struct nl_phase *phase = view->plan;
	double resident;
	const char *text = measure->evict ? nl_answer_fact(measure->evict, "evict", "resident_share") : NULL;
	if (text && nl_parse_double(text, &resident))
		measure->resident_share = resident;
	measure->ledger = (struct nl_ledger){measure->application_bytes, NL_UNKNOWN, NL_UNKNOWN, NL_UNKNOWN};
	measure->client_payload = measure->nas_payload = NL_UNKNOWN;
	if (phase->kind == NL_PHASE_LINE || phase->kind == NL_PHASE_SHARE)
		network_ledger(work, phase, measure);
	if (phase->kind == NL_PHASE_POOL || phase->kind == NL_PHASE_SHARE)
		disk_ledger(work, phase, measure);
	layers_used(work, phase, measure);
}
