/*
 * work: what the parts of reconcile share: a run as it was read from the store, and the figures as they are being
 * studied.
 *
 * Nothing here is seen outside this folder. One thread.
 */
#ifndef NL_CONTROLLER_RECONCILE_WORK_H
#define NL_CONTROLLER_RECONCILE_WORK_H

#include "controller/campaign/campaign.h"
#include "controller/reconcile/model.h"
#include "proto/message.h"
#include "proto/metric.h"

#define NL_UNKNOWN (-1.0) /* of a quantity that is never below 0 */

/* Instants are kept within these (1970 and 2116), so that differences of two cannot overflow whatever was stored. */
#define NL_INSTANT_MIN INT64_C(0)
#define NL_INSTANT_MAX (INT64_C(1) << 62)

/* One answer of an agent in a phase, decoded. */
struct nl_answer {
	unsigned phase;
	char agent[64], role[16];
	Nl__Request *request;     /* owns `result` */
	const Nl__Result *result; /* never NULL */
};

struct nl_phase_view {
	const struct nl_phase *plan;
	enum nl_phase_state state;
	int64_t start_ns, end_ns;
	char message[1024];
};

/* Where and how far a machine was busy in a window; shares 0..1, NL_UNKNOWN without samples. */
struct nl_cpu_use {
	double core;  /* the busiest core */
	double all;   /* all cores together */
	double steal; /* taken by the hypervisor, of all cores */
};

/* One phase that is a good iteration of a figure: everything that verdicts and bottlenecks are decided by. */
struct nl_measure {
	unsigned phase;
	const struct nl_answer *answer, *flush, *evict;
	int64_t load_start_ns, load_end_ns;     /* first byte to all done (writes: durable): the ledger's window */
	int64_t window_start_ns, window_end_ns; /* the rate's window */
	int64_t sent_ns;                        /* writes: the last byte was handed over; the flush follows */
	int64_t client_done_ns;                 /* writes: the client's own fsync returned; nothing more is sent */
	double application_bytes, bytes_per_second;
	struct nl_ledger ledger;             /* as counted by the interfaces, headers included */
	double client_payload, nas_payload;  /* of the ledger's NIC bytes, without headers */
	double wire_rate, wire_sending_rate; /* payload bytes/s in the rate's window; while sending (writes) */
	double disk_rate, disk_busy;         /* bytes/s in the direction; share of the window */
	struct nl_cpu_use client_cpu, nas_cpu;
	double thread_share; /* of the busiest load thread */
	double cpu_user_s, cpu_system_s;
	double variation;  /* inside the window */
	double blocks[64]; /* rates of the window's whole seconds */
	unsigned block_count;
	double resident_share; /* what stayed in the NAS's cache after the eviction */
	double retransmits;
	bool flush_missing;
};

/* A figure being made: the public part, and what it is made from. */
struct nl_study {
	struct nl_figure figure;
	enum nl_phase_kind kind;
	const struct nl_phase *plan; /* of the first phase */
	struct nl_measure *measure;  /* as many as figure.iteration_count, in the same order */
	struct nl_texts failures;
	double wire_rate, wire_sending_rate, disk_rate, disk_busy; /* medians over the iterations; NL_UNKNOWN */
	struct nl_cpu_use client_cpu, nas_cpu;
	double thread_share;
};

struct nl_work {
	struct nl_model *model;
	struct nl_campaign campaign;
	bool campaign_known;
	struct nl_plan plan;
	struct nl_phase_view *phases;
	struct nl_answer *answers;
	size_t answer_count;
	struct nl_store_fact *facts;
	size_t fact_count;
	struct nl_series *series;
	size_t series_count;
	struct nl_study *studies;
	size_t study_count;
	bool no_memory; /* something was left out for want of memory: the whole model is refused then */
};

/* --- input.c --- */
int nl_work_read(struct nl_work *work, struct nl_store *store, const char *run_id, struct nl_error *err);
void nl_work_fini(struct nl_work *work);
/* An instant of an answer's agent on the controller's clock. */
int64_t nl_answer_ns(const struct nl_answer *answer, int64_t mono_ns);
const char *nl_work_nas(const struct nl_work *work); /* agent's name, "" unknown */
const char *nl_work_client(const struct nl_work *work, const struct nl_phase *phase);
const struct nl_campaign_share *nl_work_share(const struct nl_work *work, const struct nl_phase *phase);

/* --- facts.c --- */
/* The newest value of a fact, NULL when there is none. agent "" or NULL: any. */
const char *nl_fact(const struct nl_work *work, const char *agent, const char *subject, const char *key);
double nl_fact_number(const struct nl_work *work, const char *agent, const char *subject, const char *key);
/* A fact that an answer carries itself. */
const char *nl_answer_fact(const struct nl_answer *answer, const char *subject, const char *key);
bool nl_fact_is_yes(const char *value);

/* --- counter.c --- */
struct nl_window {
	int64_t from_ns, to_ns;
	int64_t quiet_from_ns,
		quiet_to_ns; /* nothing else ran from the first to from_ns, and from to_ns to the second */
};
const struct nl_series *nl_series_find(const struct nl_work *work, const char *agent, uint32_t metric,
				       const char *subject);
enum nl_edges {
	NL_EDGES_EXACT, /* interpolated at the window's edges */
	NL_EDGES_QUIET, /* samples in the quiet before and after are taken as they are, else interpolated */
	NL_EDGES_INNER, /* between the first and the last sample inside */
	NL_EDGES_OUTER, /* between the last sample before and the first after */
};
/* How much a counter rose in a window; NL_UNKNOWN when the samples do not reach. */
double nl_counter_rise(const struct nl_series *series, int64_t from_ns, int64_t to_ns);
double nl_counter_rise_edges(const struct nl_series *series, const struct nl_window *window, enum nl_edges edges);

/*
 * Narrows a window to the first and last sample inside, unless less than half of it would remain: between them nothing
 * is interpolated, so a steady state is not diluted by what was before and after it.
 */
void nl_window_between_samples(const struct nl_series *series, int64_t *from_ns, int64_t *to_ns);

/* --- use.c: how far machines, disks and interfaces were used --- */
/* The disks that account for the pool, by name; returns how many. */
unsigned nl_pool_disks(const struct nl_work *work, char names[][64], unsigned max);
const char *nl_nic_name(const struct nl_work *work, const char *agent);
double nl_disks_rise(const struct nl_work *work, bool written, const struct nl_window *window, enum nl_edges edges);
double nl_disks_busy(const struct nl_work *work, int64_t from_ns, int64_t to_ns);
/* Bytes of an agent's interface; *payload is what remains without Ethernet, IP and TCP headers. */
double nl_nic_rise(const struct nl_work *work, const char *agent, bool sent, const struct nl_window *window,
		   enum nl_edges edges, double *payload);
struct nl_cpu_use nl_cpu_use(const struct nl_work *work, const char *agent, int64_t from_ns, int64_t to_ns);

/* --- measure.c, ledger.c --- */
/* What a phase measured; false when it failed, with the reason. */
bool nl_measure_phase(struct nl_work *work, const struct nl_phase_view *view, struct nl_measure *measure, char *why,
		      size_t size);
void nl_measure_ledger(struct nl_work *work, const struct nl_phase_view *view, struct nl_measure *measure);
bool nl_phase_writes(const struct nl_phase *phase);
const struct nl_answer *nl_phase_answer(const struct nl_work *work, unsigned phase, const char *role);

/* --- the conclusions, in the order in which they are made --- */
void nl_link_find(struct nl_work *work);    /* link.c */
void nl_studies_make(struct nl_work *work); /* study.c */
void nl_study_fini(struct nl_study *study);
void nl_verdict_decide(struct nl_work *work, struct nl_study *study);    /* verdict.c */
void nl_bottleneck_decide(struct nl_work *work, struct nl_study *study); /* bottleneck.c */
void nl_settings_make(struct nl_work *work);                             /* settings.c */
void nl_compare_make(struct nl_work *work);                              /* compare.c */
void nl_warnings_make(struct nl_work *work);                             /* warnings.c */
void nl_summary_make(struct nl_work *work);                              /* summary.c */
void nl_reproduction_make(struct nl_work *work);                         /* reproduction.c */
void nl_charts_make(struct nl_work *work);                               /* charts.c */

/* --- ceilings.c --- */
/* Payload bytes/s that the wire carries in a direction, and in words where the number is from. 0: not known. */
double nl_ceiling_wire(const struct nl_work *work, bool to_nas, char *from, size_t size);
/* The disks' own bytes/s in a direction, as measured on the NAS. 0: not known. */
double nl_ceiling_disks(const struct nl_work *work, bool write, const struct nl_study **study);
/* What the generator did alone on that agent. 0: not known. */
double nl_ceiling_generator(const struct nl_work *work, const char *agent, bool write, unsigned streams);
/* The best figure of a layer, direction and (for loads) workload; NULL when there is none that succeeded. */
const struct nl_study *nl_study_best(const struct nl_work *work, enum nl_layer layer, enum nl_direction direction,
				     int workload);

/* --- share_settings.c: what is known of a share's settings --- */
struct nl_share_setting {
	char key[64], value[256];
	bool nas; /* of the directory on the NAS, not of the client's side */
};
/* Fresh array, caller frees; NULL when there is none. */
struct nl_share_setting *nl_share_settings(struct nl_work *work, unsigned share, size_t *count);

/* --- goodput.c --- */
struct nl_frame {
	unsigned mtu;
	bool ipv6, timestamps, vlan;
};
/* Payload per frame over bytes that the frame takes: on Ethernet's wire, or as a shaper counts. 0: impossible MTU. */
double nl_goodput_share_wire(const struct nl_frame *frame);
double nl_goodput_share_shaper(const struct nl_frame *frame);
unsigned nl_frame_header_bytes(const struct nl_frame *frame); /* Ethernet, IP and TCP, as an interface counts them */
struct nl_frame nl_frame_of(const struct nl_work *work);

/* --- texts.c --- */
void nl_say(struct nl_work *work, struct nl_texts *texts, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void nl_texts_fini(struct nl_texts *texts);
/* Grows an array by one zeroed element and returns it; NULL (and work->no_memory) when there is no memory. */
void *nl_work_append(struct nl_work *work, void **array, size_t *count, size_t size);
/* Formatted numbers, several at once in one call: the buffer belongs to the caller. */
struct nl_shown {
	char text[32];
};
struct nl_shown nl_show_rate(double bytes_per_second);
struct nl_shown nl_show_bytes(double bytes);
struct nl_shown nl_show_share(double share);
struct nl_shown nl_show_seconds(double seconds);

#endif
