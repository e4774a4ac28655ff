/*
 * block: block devices and what they stand on, as /sys tells. Every function takes the root below which /sys is ("" on
 * this machine), so that a tree of fixtures can stand for another machine.
 */
#ifndef NL_AGENT_STORAGE_BLOCK_H
#define NL_AGENT_STORAGE_BLOCK_H

#include <stdbool.h>
#include <stddef.h>

#include "agent/storage/storage.h"

/* nl_block_name gives the kernel's name of a device number ("sda1", "dm-0", "loop3"). False when there is none. */
bool nl_block_name(const char *root, unsigned major, unsigned minor, char name[32]);

/* nl_block_number gives the device number of a name. False when there is no such device. */
bool nl_block_number(const char *root, const char *name, unsigned *major, unsigned *minor);

/*
 * nl_block_describe gives facts of the device and of all it stands on, each once, under "disk:NAME", and writes the
 * stack into `stack` as "dm-0 (pve-root) on sda3 on sda". Devices side by side are joined by "+".
 */
void nl_block_describe(const char *root, unsigned major, unsigned minor, nl_storage_fact_sink *sink, void *context,
		       char *stack, size_t size);

/*
 * nl_block_btrfs_disks finds the devices of the btrfs file system that `device` (a name) is part of; 0 when none has
 * it.
 */
unsigned nl_block_btrfs_disks(const char *root, const char *device, struct nl_storage_disk *disks, unsigned max);

#endif
