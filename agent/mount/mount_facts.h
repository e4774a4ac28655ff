/*
 * mount_facts: the facts of a mount from texts of the kernel, apart from where they are read.
 */
#ifndef NL_AGENT_MOUNT_MOUNT_FACTS_H
#define NL_AGENT_MOUNT_MOUNT_FACTS_H

#include "agent/mount/mount.h"
#include "agent/storage/mountinfo.h"

/* What the kernel says; NULL where there is none. */
struct nl_mount_texts {
	const char *mountstats; /* /proc/self/mountstats */
	const char *cifs_debug; /* /proc/fs/cifs/DebugData */
	const char *read_ahead; /* /sys/class/bdi/MAJ:MIN/read_ahead_kb */
};

/* nl_mount_facts_from gives the facts of one mount to the sink, see nl_mount_facts. Any thread. */
void nl_mount_facts_from(const struct nl_mountinfo *mount, const struct nl_mount_texts *texts, nl_mount_fact_sink *sink,
			 void *context);

#endif
