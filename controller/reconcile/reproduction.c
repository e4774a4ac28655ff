/*
 * reproduction: the commands that do the same again: nasline's own, and what comes nearest with the tools of the field.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "base/units.h"
#include "controller/reconcile/work.h"

static void line_commands(struct nl_work *work, const struct nl_study *study)
{
	struct nl_texts *texts = &work->model->reproduction;
	const struct nl_campaign *campaign = &work->campaign;
	const char *reverse = study->figure.direction == NL_DIRECTION_FROM_NAS ? " -R" : "";
	const char *host = campaign->nas_address[0] ? campaign->nas_address
			   : campaign->share_count  ? campaign->shares[0].server
						    : "NAS";
	double length = (double)study->plan->duration_ns / (double)NL_NS_PER_S;
	double omit = (double)campaign->line.omit_ns / (double)NL_NS_PER_S;
	nl_say(work, texts, "%s: netbench client %s -P %u -t %g -O %g%s   # on the NAS: netbench server",
	       study->figure.name, host, study->figure.streams, length, omit, reverse);
	nl_say(work, texts, "%s: iperf3 -c %s -P %u -t %g -O %g%s   # on the NAS: iperf3 -s", study->figure.name, host,
	       study->figure.streams, length, omit, reverse);
}

static void fio_command(struct nl_work *work, const struct nl_study *study, const char *directory)
{
	const struct nl_phase *phase = study->plan;
	bool write = nl_phase_writes(phase), cold = study->figure.workload == NL_WORKLOAD_SEQ_READ;
	char block[32], length[64] = "";
	nl_units_bytes_binary(phase->block_bytes, block, sizeof(block));
	for (char *c = block; (c = strchr(c, ' ')) != NULL;)
		memmove(c, c + 1, strlen(c));
	if (phase->duration_ns > 0)
		snprintf(length, sizeof(length), " --runtime=%g", (double)phase->duration_ns / (double)NL_NS_PER_S);
	nl_say(work, &work->model->reproduction,
	       "%s: fio --name=nasline --directory=%s --rw=%s --bs=%s --size=%" PRIu64
	       "%s --numjobs=%u --iodepth=%u --ioengine=io_uring%s --group_reporting%s",
	       study->figure.name, directory, write ? "write" : "read", block, phase->file_bytes, length,
	       phase->streams, phase->queue_depth ? phase->queue_depth : 1,
	       write ? " --end_fsync=1 --refill_buffers" : "",
	       cold ? "   # before: sync; echo 3 > /proc/sys/vm/drop_caches, on both ends" : "");
}

static void mount_command(struct nl_work *work, const struct nl_campaign_share *share)
{
	char options[128];
	size_t used = (size_t)snprintf(options, sizeof(options), "vers=%s", share->version[0] ? share->version : "3");
	if (share->nconnect > 1 && used < sizeof(options))
		snprintf(options + used, sizeof(options) - used, ",nconnect=%u", share->nconnect);
	if (!strcmp(share->protocol, "nfs"))
		nl_say(work, &work->model->reproduction, "share %s: mount -t nfs -o %s %s:%s /mnt/%s", share->name,
		       options, share->server, share->share, share->name);
	else
		nl_say(work, &work->model->reproduction, "share %s: mount -t cifs -o %s,username=%s%s //%s/%s /mnt/%s",
		       share->name, share->version[0] ? options : "vers=3.1.1", share->user,
		       share->encrypt ? ",seal" : "", share->server, share->share, share->name);
}

void nl_reproduction_make(struct nl_work *work)
{
	struct nl_texts *texts = &work->model->reproduction;
	char directory[256];
	nl_say(work, texts, "nasline report %s   # this report again, from what was stored", work->model->run.id);
	nl_say(work, texts,
	       "nasline run campaign.yaml   # the whole campaign again, from the campaign file as resolved");
	for (unsigned i = 0; i < work->campaign.share_count; i++)
		mount_command(work, &work->campaign.shares[i]);
	for (size_t i = 0; i < work->study_count; i++) {
		const struct nl_study *study = &work->studies[i];
		if (study->kind == NL_PHASE_LINE)
			line_commands(work, study);
		if (study->kind == NL_PHASE_POOL)
			fio_command(work, study, work->campaign.nas_pool);
		snprintf(directory, sizeof(directory), "/mnt/%s", study->figure.share);
		if (study->kind == NL_PHASE_SHARE)
			fio_command(work, study, directory);
	}
}
