/*
 * block: /sys/dev/block/MAJ:MIN, a link into the tree of devices, is the entrance; slaves/, partition, loop/ and md/
 * say what stands below.
 */
#include "agent/storage/block.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "agent/scan.h"
#include "base/parse.h"

#define DEVICES_MAX  256
#define DEPTH_MAX    10
#define SECTOR_BYTES 512

/* A description on its way. */
struct stack {
	const char *root;
	nl_storage_fact_sink *sink;
	void *context;
	char *text;
	size_t size, used;
	unsigned depth, seen_count;
	struct {
		unsigned major, minor;
	} seen[DEVICES_MAX];
};

/* A device: its name, its number, its directory in /sys. */
struct device {
	char name[32];
	unsigned major, minor;
	char dir[PATH_MAX];
	char subject[48];
};

/* --- finding --------------------------------------------------------------------------------------------------- */

static bool device_dir(const char *root, unsigned major, unsigned minor, char dir[PATH_MAX])
{
	char link[PATH_MAX];
	int n = snprintf(link, sizeof link, "%s/sys/dev/block/%u:%u", root, major, minor);
	return n > 0 && (size_t)n < sizeof link && realpath(link, dir) != NULL;
}

bool nl_block_name(const char *root, unsigned major, unsigned minor, char name[32])
{
	char dir[PATH_MAX];
	if (!device_dir(root, major, minor, dir))
		return false;
	const char *last = strrchr(dir, '/');
	return last && nl_scan_copy(name, 32, last + 1, strlen(last + 1));
}

static bool number_text(const char *path, unsigned *major, unsigned *minor)
{
	char *text;
	uint64_t a, b;
	if (nl_file_read(path, 64, &text, NULL, NULL) != 0)
		return false;
	const char *p = text;
	bool good = nl_scan_u64(&p, &a) && nl_scan_is(&p, ":") && nl_scan_u64(&p, &b) && a <= UINT_MAX && b <= UINT_MAX;
	free(text);
	if (!good)
		return false;
	*major = (unsigned)a;
	*minor = (unsigned)b;
	return true;
}

bool nl_block_number(const char *root, const char *name, unsigned *major, unsigned *minor)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof path, "%s/sys/class/block/%s/dev", root, name);
	return n > 0 && (size_t)n < sizeof path && number_text(path, major, minor);
}

static bool device_of(const char *root, unsigned major, unsigned minor, struct device *device)
{
	*device = (struct device){.major = major, .minor = minor};
	if (!device_dir(root, major, minor, device->dir) || !nl_block_name(root, major, minor, device->name))
		return false;
	snprintf(device->subject, sizeof device->subject, "disk:%s", device->name);
	return true;
}

/* --- facts ----------------------------------------------------------------------------------------------------- */

/* The first line of a file of the device, without blanks at its ends. NULL when there is none. */
static char *attribute(const struct device *device, const char *path)
{
	char full[PATH_MAX + 64], *text;
	snprintf(full, sizeof full, "%s/%s", device->dir, path);
	if (nl_file_read(full, 4096, &text, NULL, NULL) != 0)
		return NULL;
	text[strcspn(text, "\n")] = '\0';
	size_t len = strlen(text), skip = strspn(text, " ");
	while (len > skip && text[len - 1] == ' ')
		len--;
	memmove(text, text + skip, len - skip);
	text[len - skip] = '\0';
	if (text[0])
		return text;
	free(text);
	return NULL;
}

static void fact(const struct stack *s, const struct device *device, const char *key, const char *value)
{
	s->sink(s->context, device->subject, key, value);
}

static const struct {
	const char *key, *path;
} attributes[] = {
	{"model", "device/model"},
	{"vendor", "device/vendor"},
	{"firmware", "device/firmware_rev"},
	{"firmware", "device/rev"},
	{"transport", "device/transport"},
	{"scheduler", "queue/scheduler"},
	{"read_ahead_kb", "queue/read_ahead_kb"},
	{"queue_depth", "queue/nr_requests"},
	{"device_queue_depth", "device/queue_depth"},
	{"max_sectors_kb", "queue/max_sectors_kb"},
	{"write_cache", "queue/write_cache"},
	{"logical_block_bytes", "queue/logical_block_size"},
	{"physical_block_bytes", "queue/physical_block_size"},
	{"pcie_speed", "device/device/current_link_speed"},
	{"pcie_width", "device/device/current_link_width"},
	{"dm_name", "dm/name"},
	{"md_level", "md/level"},
	{"md_disks", "md/raid_disks"},
	{"loop_file", "loop/backing_file"},
	{"loop_direct", "loop/dio"},
};

/* "none [mq-deadline] kyber": the one in brackets is in force. */
static void unbracket(char *text)
{
	char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;
	if (!close)
		return;
	memmove(text, open + 1, (size_t)(close - open - 1));
	text[close - open - 1] = '\0';
}

static void attribute_facts(const struct stack *s, const struct device *device)
{
	for (size_t i = 0; i < sizeof attributes / sizeof attributes[0]; i++) {
		char *text = attribute(device, attributes[i].path);
		if (!text)
			continue;
		if (strcmp(attributes[i].key, "scheduler") == 0)
			unbracket(text);
		fact(s, device, attributes[i].key, text);
		free(text);
	}
}

static void number_facts(const struct stack *s, const struct device *device)
{
	char text[32], *size = attribute(device, "size"), *rotational = attribute(device, "queue/rotational");
	uint64_t sectors;
	snprintf(text, sizeof text, "%u:%u", device->major, device->minor);
	fact(s, device, "device", text);
	if (size && nl_parse_u64(size, &sectors) && sectors <= UINT64_MAX / SECTOR_BYTES) {
		snprintf(text, sizeof text, "%" PRIu64, sectors * SECTOR_BYTES);
		fact(s, device, "size_bytes", text);
	}
	if (rotational)
		fact(s, device, "rotational", strcmp(rotational, "1") == 0 ? "yes" : "no");
	free(size);
	free(rotational);
}

/* --- the stack ------------------------------------------------------------------------------------------------- */

static void put(struct stack *s, const char *text)
{
	if (s->used + 1 >= s->size)
		return;
	int n = snprintf(s->text + s->used, s->size - s->used, "%s", text);
	s->used += n > 0 ? (size_t)n : 0;
	if (s->used >= s->size)
		s->used = s->size - 1;
}

static bool seen(struct stack *s, unsigned major, unsigned minor)
{
	for (unsigned i = 0; i < s->seen_count; i++)
		if (s->seen[i].major == major && s->seen[i].minor == minor)
			return true;
	if (s->seen_count < DEVICES_MAX) {
		s->seen[s->seen_count].major = major;
		s->seen[s->seen_count++].minor = minor;
	}
	return false;
}

static void describe(struct stack *s, unsigned major, unsigned minor);

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int not_hidden(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

/* slaves/ of device mapper and md. */
static void describe_slaves(struct stack *s, const struct device *device)
{
	char path[PATH_MAX + 16], list[512] = "";
	struct dirent **names = NULL;
	size_t used = 0;
	snprintf(path, sizeof path, "%s/slaves", device->dir);
	int n = scandir(path, &names, not_hidden, by_name);
	for (int i = 0; i < n; i++)
		if (used < sizeof list)
			used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? "," : "",
						 names[i]->d_name);
	if (n > 0)
		fact(s, device, "slaves", list);
	for (int i = 0; i < n; i++) {
		unsigned major, minor;
		put(s, i == 0 ? " on " : "+");
		if (nl_block_number(s->root, names[i]->d_name, &major, &minor))
			describe(s, major, minor);
		else
			put(s, names[i]->d_name);
		free(names[i]);
	}
	free(names);
}

/* A partition's directory lies in its disk's. */
static void describe_whole_disk(struct stack *s, const struct device *device)
{
	char *partition = attribute(device, "partition"), path[PATH_MAX + 16];
	unsigned major, minor;
	if (!partition)
		return;
	free(partition);
	snprintf(path, sizeof path, "%s/../dev", device->dir);
	if (!number_text(path, &major, &minor))
		return;
	char name[32];
	if (nl_block_name(s->root, major, minor, name))
		fact(s, device, "partition_of", name);
	put(s, " on ");
	describe(s, major, minor);
}

/* The file behind a loop device is on a device of its own, or is one. Only on this machine can it be looked at. */
static void describe_backing_file(struct stack *s, const struct device *device)
{
	char *file = attribute(device, "loop/backing_file");
	struct stat st;
	if (!file)
		return;
	bool found = s->root[0] == '\0' && stat(file, &st) == 0;
	put(s, " on ");
	if (found && S_ISBLK(st.st_mode)) {
		describe(s, major(st.st_rdev), minor(st.st_rdev));
	} else {
		put(s, file);
		if (found && major(st.st_dev) != 0) {
			put(s, " on ");
			describe(s, major(st.st_dev), minor(st.st_dev));
		}
	}
	free(file);
}

static void put_device(struct stack *s, const struct device *device)
{
	char *name = attribute(device, "dm/name"), *level = attribute(device, "md/level");
	const char *extra = name ? name : level;
	put(s, device->name);
	if (extra) {
		put(s, " (");
		put(s, extra);
		put(s, ")");
	}
	free(name);
	free(level);
}

static void describe(struct stack *s, unsigned major, unsigned minor)
{
	struct device *device = malloc(sizeof *device);
	if (device && s->depth < DEPTH_MAX && device_of(s->root, major, minor, device)) {
		s->depth++;
		put_device(s, device);
		if (!seen(s, major, minor)) {
			number_facts(s, device);
			attribute_facts(s, device);
		}
		describe_slaves(s, device);
		describe_whole_disk(s, device);
		describe_backing_file(s, device);
		s->depth--;
	}
	free(device);
}

void nl_block_describe(const char *root, unsigned major, unsigned minor, nl_storage_fact_sink *sink, void *context,
		       char *stack, size_t size)
{
	struct stack s = {.root = root, .sink = sink, .context = context, .text = stack, .size = size};
	stack[0] = '\0';
	describe(&s, major, minor);
}

/* --- btrfs ----------------------------------------------------------------------------------------------------- */

static unsigned add_btrfs_disks(const char *root, const char *path, struct nl_storage_disk *disks, unsigned max)
{
	struct dirent **names = NULL;
	unsigned count = 0;
	int n = scandir(path, &names, not_hidden, by_name);
	for (int i = 0; i < n; i++) {
		struct nl_storage_disk disk;
		if (count < max &&
		    nl_scan_copy(disk.name, sizeof disk.name, names[i]->d_name, strlen(names[i]->d_name)) &&
		    nl_block_number(root, disk.name, &disk.major, &disk.minor))
			disks[count++] = disk;
		free(names[i]);
	}
	free(names);
	return count;
}

unsigned nl_block_btrfs_disks(const char *root, const char *device, struct nl_storage_disk *disks, unsigned max)
{
	char path[PATH_MAX];
	unsigned count = 0;
	snprintf(path, sizeof path, "%s/sys/fs/btrfs", root);
	DIR *dir = opendir(path);
	if (!dir)
		return 0;
	for (struct dirent *d; !count && (d = readdir(dir));) {
		char link[PATH_MAX];
		int n = snprintf(link, sizeof link, "%s/%s/devices/%s", path, d->d_name, device);
		if (d->d_name[0] == '.' || n < 0 || (size_t)n >= sizeof link || access(link, F_OK) != 0)
			continue;
		*strrchr(link, '/') = '\0';
		count = add_btrfs_disks(root, link, disks, max);
	}
	closedir(dir);
	return count;
}
