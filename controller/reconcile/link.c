/*
 * link: the wire between client and NAS: its speed, its frames, and what it can carry by arithmetic.
 */
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "controller/reconcile/work.h"

struct limit {
	double speed_bps, goodput; /* bytes/s */
	bool shaper;
	const char *agent, *nic, *kind;
};

static const char *first_client(const struct nl_work *work)
{
	return work->campaign.client_count ? work->campaign.clients[0] : "";
}

static void nic_subject(const struct nl_work *work, const char *agent, char *subject, size_t size)
{
	snprintf(subject, size, "nic:%s", nl_nic_name(work, agent));
}

/* What the line test itself saw at its ends, newest first. */
static const char *line_fact(const struct nl_work *work, const char *end, const char *key)
{
	for (size_t i = work->answer_count; i-- > 0;) {
		const char *value =
			strcmp(work->answers[i].role, "line") ? NULL : nl_answer_fact(&work->answers[i], end, key);
		if (value)
			return value;
	}
	return NULL;
}

static unsigned mtu_of(const struct nl_work *work, const char *agent)
{
	char subject[96];
	nic_subject(work, agent, subject, sizeof(subject));
	double mtu = agent[0] ? nl_fact_number(work, agent, subject, "mtu") : NL_UNKNOWN;
	return mtu >= 68 && mtu <= 65535 ? (unsigned)mtu : 0;
}

struct nl_frame nl_frame_of(const struct nl_work *work)
{
	unsigned client = mtu_of(work, first_client(work)), nas = mtu_of(work, nl_work_nas(work));
	const char *timestamps = line_fact(work, "local", "timestamps"), *ip = line_fact(work, "local", "ip");
	struct nl_frame frame = {.mtu = client && (!nas || client < nas) ? client : nas};
	if (!frame.mtu)
		frame.mtu = 1500;
	frame.timestamps = !timestamps || nl_fact_is_yes(timestamps);
	frame.ipv6 = ip && !strcmp(ip, "6");
	frame.vlan = nl_fact_is_yes(line_fact(work, "local", "vlan"));
	return frame;
}

/* A virtual interface's speed is a word of its driver, not a limit. */
static bool is_virtual(const struct nl_work *work, const char *agent, const char *subject)
{
	const char *driver = nl_fact(work, agent, subject, "driver");
	return nl_fact_is_yes(nl_fact(work, agent, subject, "virtual")) || (driver && !strcmp(driver, "veth")) ||
	       !strcmp(subject, "nic:lo");
}

static void consider(struct limit *least, const struct limit *limit)
{
	if (limit->speed_bps > 0 && limit->goodput > 0 && (least->goodput <= 0 || limit->goodput < least->goodput))
		*least = *limit;
}

static void consider_end(const struct nl_work *work, const char *agent, const struct nl_frame *frame,
			 struct limit *least)
{
	char subject[96];
	const char *kind;
	if (!agent[0] || !nl_nic_name(work, agent)[0])
		return;
	nic_subject(work, agent, subject, sizeof(subject));
	kind = nl_fact(work, agent, subject, "shaper");
	struct limit shaper = {.speed_bps = nl_fact_number(work, agent, subject, "shaper_rate_bps"),
			       .shaper = true,
			       .agent = agent,
			       .nic = nl_nic_name(work, agent),
			       .kind = kind ? kind : ""};
	shaper.goodput = shaper.speed_bps / 8 * nl_goodput_share_shaper(frame);
	consider(least, &shaper);
	if (is_virtual(work, agent, subject))
		return;
	struct limit own = {.speed_bps = nl_fact_number(work, agent, subject, "speed_bps"),
			    .agent = agent,
			    .nic = nl_nic_name(work, agent),
			    .kind = ""};
	own.goodput = own.speed_bps / 8 * nl_goodput_share_wire(frame);
	consider(least, &own);
}

static void explain(struct nl_link *link, const struct limit *least, const struct nl_frame *frame)
{
	char speed[32], source[160] = "speed not known";
	if (least->speed_bps > 0) {
		nl_units_bps(least->speed_bps, speed, sizeof(speed));
		if (least->shaper)
			snprintf(source, sizeof(source), "%s by the %s%sshaper of %.31s (%.63s)", speed, least->kind,
				 least->kind[0] ? " " : "", least->nic, least->agent);
		else
			snprintf(source, sizeof(source), "%s by %.31s (%.63s)", speed, least->nic, least->agent);
	}
	snprintf(link->explanation, sizeof(link->explanation), "%s, MTU %u, IPv%d, TCP timestamps %s%s", source,
		 frame->mtu, frame->ipv6 ? 6 : 4, frame->timestamps ? "on" : "off", frame->vlan ? ", VLAN tag" : "");
}

void nl_link_find(struct nl_work *work)
{
	struct nl_link *link = &work->model->link;
	struct nl_frame frame = nl_frame_of(work);
	struct limit least = {0};
	const char *client = first_client(work);
	/* A machine that is client and NAS in one has no wire. */
	if (!client[0] || !strcmp(client, nl_work_nas(work)))
		return;
	consider_end(work, client, &frame, &least);
	consider_end(work, nl_work_nas(work), &frame, &least);
	snprintf(link->client_nic, sizeof(link->client_nic), "%.31s", nl_nic_name(work, client));
	snprintf(link->nas_nic, sizeof(link->nas_nic), "%.31s", nl_nic_name(work, nl_work_nas(work)));
	link->speed_bps = least.speed_bps;
	link->mtu = mtu_of(work, client) || mtu_of(work, nl_work_nas(work)) ? frame.mtu : 0;
	link->goodput_bytes_per_second = least.goodput;
	explain(link, &least, &frame);
}
