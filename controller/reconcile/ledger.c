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

static void tighten(struct nl_window *window, int64_t from_ns, int64_t to_ns)
{
	if (to_ns > window->quiet_from_ns && to_ns <= window->from_ns)
		window->quiet_from_ns = to_ns;
	if (from_ns && from_ns < window->quiet_to_ns && from_ns >= window->to_ns)
		window->quiet_to_ns = from_ns;
}

/* Until where, before and after a load, nothing else of this run moved bytes. */
static struct nl_window ledger_window(const struct nl_work *work, const struct nl_measure *measure)
{
	struct nl_window window = {measure->load_start_ns, measure->load_end_ns, INT64_MIN, INT64_MAX};
	for (unsigned i = 0; i < work->plan.phase_count; i++)
		if (work->phases[i].plan->index != measure->phase)
			tighten(&window, work->phases[i].start_ns, work->phases[i].end_ns);
	for (size_t i = 0; i < work->answer_count; i++) {
		const struct nl_answer *answer = &work->answers[i];
		if (answer != measure->answer && answer->result->ended_mono_ns)
			tighten(&window, nl_answer_ns(answer, answer->result->started_mono_ns),
				nl_answer_ns(answer, answer->result->ended_mono_ns));
	}
	return window;
}

static void network_ledger(const struct nl_work *work, const struct nl_phase *phase, struct nl_measure *measure)
{
	const struct nl_window window = ledger_window(work, measure);
	bool quiet = phase->kind != NL_PHASE_LINE, write = nl_phase_writes(phase);
	const char *client = nl_work_client(work, phase), *nas = nl_work_nas(work);
	measure->ledger.client_nic = nl_nic_rise(work, client, write, &window, quiet, &measure->client_payload);
	measure->ledger.nas_nic = nl_nic_rise(work, nas, !write, &window, quiet, &measure->nas_payload);
}

static void disk_ledger(const struct nl_work *work, const struct nl_phase *phase, struct nl_measure *measure)
{
	const struct nl_window window = ledger_window(work, measure);
	measure->ledger.disks = nl_disks_rise(work, nl_phase_writes(phase), &window, true);
}

/* Payload per second on the wire: the mean of both ends, or the one that is known. */
static double wire_rate(const struct nl_work *work, const struct nl_phase *phase, int64_t from_ns, int64_t to_ns)
{
	const struct nl_window window = {.from_ns = from_ns, .to_ns = to_ns};
	bool write = nl_phase_writes(phase);
	double client, nas, length = (double)(to_ns - from_ns) / (double)NL_NS_PER_S;
	nl_nic_rise(work, nl_work_client(work, phase), write, &window, false, &client);
	nl_nic_rise(work, nl_work_nas(work), !write, &window, false, &nas);
	if (length <= 0 || (client < 0 && nas < 0))
		return NL_UNKNOWN;
	return (client < 0 ? nas : nas < 0 ? client : (client + nas) / 2) / length;
}

static void layers_used(const struct nl_work *work, const struct nl_phase *phase, struct nl_measure *measure)
{
	int64_t from_ns = measure->window_start_ns, to_ns = measure->window_end_ns;
	const struct nl_window window = {.from_ns = from_ns, .to_ns = to_ns};
	double length = (double)(to_ns - from_ns) / (double)NL_NS_PER_S;
	bool disks = phase->kind == NL_PHASE_POOL || phase->kind == NL_PHASE_SHARE;
	bool wire = phase->kind == NL_PHASE_LINE || phase->kind == NL_PHASE_SHARE;
	double rise = disks ? nl_disks_rise(work, nl_phase_writes(phase), &window, false) : NL_UNKNOWN;
	measure->disk_rate = rise < 0 ? NL_UNKNOWN : rise / length;
	measure->disk_busy = disks ? nl_disks_busy(work, from_ns, to_ns) : NL_UNKNOWN;
	measure->wire_rate = wire ? wire_rate(work, phase, from_ns, to_ns) : NL_UNKNOWN;
	measure->wire_sending_rate =
		wire && measure->sent_ns ? wire_rate(work, phase, from_ns, measure->sent_ns) : NL_UNKNOWN;
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
