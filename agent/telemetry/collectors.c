/*
 * collectors: the table, and what each row takes from its text.
 */
#include "agent/telemetry/collectors.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "agent/storage/mountinfo.h"
#include "agent/telemetry/cifs.h"
#include "agent/telemetry/diskstats.h"
#include "agent/telemetry/meminfo.h"
#include "agent/telemetry/mountstats.h"
#include "agent/telemetry/netdev.h"
#include "agent/telemetry/nfsd.h"
#include "agent/telemetry/procstat.h"
#include "base/time.h"

#define BATCH          256
#define TEXT_BYTES     (64u * 1024)
#define TEXT_MAX_BYTES (16u * 1024 * 1024)
#define SUBJECTS_MAX   64

struct collector {
	const char *name;
	const char *path, *fallback; /* NULL path: no file */
	bool (*wanted)(const struct nl_collectors *c);
	/* Takes what it knows from the text; returns what was looked for and is not there, or NULL. */
	const char *(*take)(struct nl_collectors *c, const char *text);
};

#define COLLECTORS_MAX 8

struct nl_collectors {
	struct nl_storage_disk *disks;
	unsigned disk_count;
	char nic[32];
	char *mount_path;    /* NULL: all */
	char smb_share[256]; /* of mount_path, "" when it is none */
	int64_t ns_per_tick;
	int fd[COLLECTORS_MAX];
	const char *missing[COLLECTORS_MAX]; /* NULL when found */
	char *text;
	size_t text_size;
	int64_t read_mono_ns;
	struct nl_sample batch[BATCH];
	unsigned batched;
	nl_sample_sink *sink;
	void *sink_context;
	char subjects[SUBJECTS_MAX][NL_TELEMETRY_SUBJECT_MAX]; /* given in this source and round */
	unsigned subject_count;
	struct nl_cifs_stats shares[SUBJECTS_MAX];
};

/* --- samples --------------------------------------------------------------------------------------------------- */

static void flush(struct nl_collectors *c)
{
	if (c->batched)
		c->sink(c->sink_context, c->batch, c->batched);
	c->batched = 0;
}

static void emit(struct nl_collectors *c, enum nl_metric_id metric, const char *subject, double value)
{
	if (c->batched == BATCH)
		flush(c);
	struct nl_sample *s = &c->batch[c->batched++];
	s->metric = metric;
	s->mono_ns = c->read_mono_ns;
	s->value = value;
	size_t len = strnlen(subject, sizeof s->subject - 1);
	memcpy(s->subject, subject, len);
	memset(s->subject + len, 0, sizeof s->subject - len);
}

static bool subject_given(const struct nl_collectors *c, const char *subject)
{
	for (unsigned i = 0; i < c->subject_count; i++)
		if (strcmp(c->subjects[i], subject) == 0)
			return true;
	return false;
}

/* Two mounts may end in the same name: "bench", then "bench~2". False when there are too many. */
static bool subject_of(struct nl_collectors *c, const char *name, char subject[NL_TELEMETRY_SUBJECT_MAX])
{
	if (c->subject_count == SUBJECTS_MAX)
		return false;
	snprintf(subject, NL_TELEMETRY_SUBJECT_MAX, "%s", name);
	for (unsigned n = 2; subject_given(c, subject) && n < 100; n++)
		snprintf(subject, NL_TELEMETRY_SUBJECT_MAX, "%.28s~%u", name, n);
	memcpy(c->subjects[c->subject_count++], subject, NL_TELEMETRY_SUBJECT_MAX);
	return true;
}

static const char *last_component(const char *path, char separator)
{
	const char *last = strrchr(path, separator);
	return last && last[1] ? last + 1 : path;
}

/* --- what each source gives ------------------------------------------------------------------------------------ */

static bool always(const struct nl_collectors *c)
{
	(void)c;
	return true;
}

static bool wants_disks(const struct nl_collectors *c)
{
	return c->disk_count > 0;
}

static void emit_disk(struct nl_collectors *c, const char *name, const struct nl_diskstats *row)
{
	emit(c, NL_METRIC_DISK_READ_BYTES, name, (double)row->read_bytes);
	emit(c, NL_METRIC_DISK_WRITE_BYTES, name, (double)row->write_bytes);
	emit(c, NL_METRIC_DISK_READS, name, (double)row->reads);
	emit(c, NL_METRIC_DISK_WRITES, name, (double)row->writes);
	emit(c, NL_METRIC_DISK_BUSY_NS, name, (double)row->busy_ms * (double)NL_NS_PER_MS);
	emit(c, NL_METRIC_DISK_QUEUE_NS, name, (double)row->queue_ms * (double)NL_NS_PER_MS);
	if (row->has_flushes)
		emit(c, NL_METRIC_DISK_FLUSHES, name, (double)row->flushes);
}

static const char *take_disks(struct nl_collectors *c, const char *text)
{
	struct nl_diskstats row;
	unsigned found = 0;
	while (found < c->disk_count && nl_diskstats_next(&text, &row))
		for (unsigned i = 0; i < c->disk_count; i++)
			if (c->disks[i].major == row.major && c->disks[i].minor == row.minor) {
				emit_disk(c, c->disks[i].name, &row);
				found++;
				break;
			}
	return found == c->disk_count ? NULL : "not every disk is in";
}

static bool wants_nic(const struct nl_collectors *c)
{
	return c->nic[0] != '\0';
}

static const char *take_nic(struct nl_collectors *c, const char *text)
{
	struct nl_netdev nic;
	if (!nl_netdev_find(text, c->nic, &nic))
		return "the interface is not in";
	emit(c, NL_METRIC_NIC_RECEIVED_BYTES, c->nic, (double)nic.received_bytes);
	emit(c, NL_METRIC_NIC_SENT_BYTES, c->nic, (double)nic.sent_bytes);
	emit(c, NL_METRIC_NIC_RECEIVED_PACKETS, c->nic, (double)nic.received_packets);
	emit(c, NL_METRIC_NIC_SENT_PACKETS, c->nic, (double)nic.sent_packets);
	emit(c, NL_METRIC_NIC_RECEIVE_DROPS, c->nic, (double)nic.receive_drops);
	emit(c, NL_METRIC_NIC_SEND_DROPS, c->nic, (double)nic.send_drops);
	return NULL;
}

static const char *take_cpu(struct nl_collectors *c, const char *text)
{
	struct nl_procstat_cpu row;
	char name[NL_TELEMETRY_SUBJECT_MAX];
	double tick = (double)c->ns_per_tick;
	bool found = false;
	while (nl_procstat_next(&text, &row)) {
		snprintf(name, sizeof name, "cpu%u", row.cpu);
		emit(c, NL_METRIC_CPU_USER_NS, name, (double)row.user * tick);
		emit(c, NL_METRIC_CPU_SYSTEM_NS, name, (double)row.system * tick);
		emit(c, NL_METRIC_CPU_IDLE_NS, name, (double)row.idle * tick);
		emit(c, NL_METRIC_CPU_SOFTIRQ_NS, name, (double)row.softirq * tick);
		emit(c, NL_METRIC_CPU_STEAL_NS, name, (double)row.steal * tick);
		found = true;
	}
	return found ? NULL : "no core is in";
}

static const char *take_memory(struct nl_collectors *c, const char *text)
{
	struct nl_meminfo info;
	if (!nl_meminfo_parse(text, &info))
		return "nothing known is in";
	const struct {
		enum nl_metric_id metric;
		uint64_t bytes;
	} rows[] = {
		{NL_METRIC_MEMORY_AVAILABLE_BYTES, info.available_bytes},
		{NL_METRIC_MEMORY_CACHED_BYTES, info.cached_bytes},
		{NL_METRIC_MEMORY_DIRTY_BYTES, info.dirty_bytes},
		{NL_METRIC_MEMORY_WRITEBACK_BYTES, info.writeback_bytes},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (rows[i].bytes != UINT64_MAX)
			emit(c, rows[i].metric, "memory", (double)rows[i].bytes);
	return NULL;
}

static bool mount_wanted(const struct nl_collectors *c, const char *path)
{
	if (!c->mount_path)
		return true;
	size_t len = strlen(path);
	return strncmp(c->mount_path, path, len) == 0 && (c->mount_path[len] == '/' || c->mount_path[len] == '\0');
}

static const char *take_nfs(struct nl_collectors *c, const char *text)
{
	struct nl_mountstats block;
	char name[NL_TELEMETRY_SUBJECT_MAX];
	while (nl_mountstats_next(&text, &block)) {
		if (!mount_wanted(c, block.path) || !subject_of(c, last_component(block.path, '/'), name))
			continue;
		if (block.has_bytes) {
			emit(c, NL_METRIC_NFS_READ_BYTES, name, (double)block.read_bytes);
			emit(c, NL_METRIC_NFS_WRITE_BYTES, name, (double)block.write_bytes);
		}
		if (!block.has_operations)
			continue;
		emit(c, NL_METRIC_NFS_READS, name, (double)block.reads);
		emit(c, NL_METRIC_NFS_WRITES, name, (double)block.writes);
		emit(c, NL_METRIC_NFS_RTT_NS, name, (double)block.rtt_ms * (double)NL_NS_PER_MS);
		emit(c, NL_METRIC_NFS_QUEUE_NS, name, (double)block.queue_ms * (double)NL_NS_PER_MS);
		emit(c, NL_METRIC_NFS_RETRANSMITS, name, (double)block.retransmits);
	}
	return NULL; /* no mount yet is no fault */
}

static void emit_share(struct nl_collectors *c, const struct nl_cifs_stats *row)
{
	char name[NL_TELEMETRY_SUBJECT_MAX];
	if (!subject_of(c, last_component(row->share, '\\'), name))
		return;
	if (row->has_bytes) {
		emit(c, NL_METRIC_SMB_READ_BYTES, name, (double)row->read_bytes);
		emit(c, NL_METRIC_SMB_WRITE_BYTES, name, (double)row->write_bytes);
	}
	emit(c, NL_METRIC_SMB_READS, name, (double)row->reads);
	emit(c, NL_METRIC_SMB_WRITES, name, (double)row->writes);
}

/* The kernel tells of the newest connection first; from the oldest on, a name stays with its share when another is
 * mounted. */
static const char *take_smb(struct nl_collectors *c, const char *text)
{
	unsigned count = 0;
	while (count < SUBJECTS_MAX && nl_cifs_stats_next(&text, &c->shares[count]))
		count += !c->mount_path || nl_cifs_same_share(c->shares[count].share, c->smb_share);
	while (count > 0)
		emit_share(c, &c->shares[--count]);
	return NULL;
}

static const char *take_nfsd(struct nl_collectors *c, const char *text)
{
	struct nl_nfsd nfsd;
	if (!nl_nfsd_parse(text, &nfsd))
		return "no byte counters are in";
	emit(c, NL_METRIC_NFSD_READ_BYTES, "nfsd", (double)nfsd.read_bytes);
	emit(c, NL_METRIC_NFSD_WRITE_BYTES, "nfsd", (double)nfsd.write_bytes);
	return NULL;
}

static const char *take_agent(struct nl_collectors *c, const char *text)
{
	struct timespec ts;
	(void)text;
	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts) != 0)
		return "no CPU clock of the process";
	emit(c, NL_METRIC_AGENT_CPU_NS, "agent", (double)ts.tv_sec * (double)NL_NS_PER_S + (double)ts.tv_nsec);
	return NULL;
}

/* In a network namespace the counters are those of the thread, and those of nfsd too. */
static const struct collector table[] = {
	{"disks", "/proc/diskstats", NULL, wants_disks, take_disks},
	{"nic", "/proc/thread-self/net/dev", "/proc/net/dev", wants_nic, take_nic},
	{"cpu", "/proc/stat", NULL, always, take_cpu},
	{"memory", "/proc/meminfo", NULL, always, take_memory},
	{"nfs", "/proc/self/mountstats", NULL, always, take_nfs},
	{"smb", "/proc/fs/cifs/Stats", NULL, always, take_smb},
	{"nfsd", "/proc/thread-self/net/rpc/nfsd", "/proc/net/rpc/nfsd", always, take_nfsd},
	{"agent", NULL, NULL, always, take_agent},
};
#define COLLECTOR_COUNT (sizeof table / sizeof table[0])
_Static_assert(COLLECTOR_COUNT <= COLLECTORS_MAX, "every collector has its descriptor");

/* --- sources --------------------------------------------------------------------------------------------------- */

static int open_source(const struct collector *row)
{
	int fd = open(row->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && row->fallback)
		fd = open(row->fallback, O_RDONLY | O_CLOEXEC);
	return fd;
}

static bool grow(struct nl_collectors *c)
{
	if (c->text_size >= TEXT_MAX_BYTES)
		return false;
	char *grown = realloc(c->text, c->text_size * 2);
	if (!grown)
		return false;
	c->text = grown;
	c->text_size *= 2;
	return true;
}

/* Reads the whole file from its beginning. The instant of reading is the middle of the time it took. */
static bool read_source(struct nl_collectors *c, int fd)
{
	int64_t before = nl_mono_ns();
	size_t used = 0;
	for (;;) {
		if (used + 1 >= c->text_size && !grow(c))
			return false;
		ssize_t n = pread(fd, c->text + used, c->text_size - used - 1, (off_t)used);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		if (n == 0)
			break;
		used += (size_t)n;
	}
	c->text[used] = '\0';
	c->read_mono_ns = before + (nl_mono_ns() - before) / 2;
	return true;
}

static const char *collect(struct nl_collectors *c, size_t i)
{
	const struct collector *row = &table[i];
	c->subject_count = 0;
	if (!row->path) {
		c->read_mono_ns = nl_mono_ns();
		return row->take(c, "");
	}
	if (c->fd[i] < 0)
		c->fd[i] = open_source(row);
	if (c->fd[i] < 0)
		return "no";
	if (!read_source(c, c->fd[i])) {
		close(c->fd[i]);
		c->fd[i] = -1;
		return "cannot read";
	}
	return row->take(c, c->text);
}

void nl_collectors_round(struct nl_collectors *c, nl_sample_sink *sink, void *context)
{
	c->sink = sink;
	c->sink_context = context;
	for (size_t i = 0; i < COLLECTOR_COUNT; i++)
		c->missing[i] = table[i].wanted(c) ? collect(c, i) : NULL;
	flush(c);
}

void nl_collectors_missing(const struct nl_collectors *c, char *text, size_t size)
{
	size_t used = 0;
	text[0] = '\0';
	for (size_t i = 0; i < COLLECTOR_COUNT && used < size; i++) {
		if (!c->missing[i])
			continue;
		const char *path = table[i].fallback ? table[i].fallback : table[i].path;
		used += (size_t)snprintf(text + used, size - used, "%s%s: %s%s%s", used ? "; " : "", table[i].name,
					 c->missing[i], path ? " " : "", path ? path : "");
	}
}

/* --- life ------------------------------------------------------------------------------------------------------ */

/* The SMB client's counters go by share, not by mount point. */
static void find_smb_share(struct nl_collectors *c)
{
	struct nl_mountinfo row;
	if (!c->mount_path || nl_mountinfo_of(c->mount_path, &row, NULL) != 0)
		return;
	if (strcmp(row.fstype, "cifs") == 0 || strcmp(row.fstype, "smb3") == 0)
		snprintf(c->smb_share, sizeof c->smb_share, "%.255s", row.source);
}

static bool copy_config(struct nl_collectors *c, const struct nl_telemetry_config *config)
{
	if (config->disk_count) {
		c->disks = calloc(config->disk_count, sizeof *c->disks);
		if (!c->disks)
			return false;
		memcpy(c->disks, config->disks, config->disk_count * sizeof *c->disks);
		c->disk_count = config->disk_count;
	}
	if (config->nic)
		snprintf(c->nic, sizeof c->nic, "%s", config->nic);
	if (config->mount_path && config->mount_path[0]) {
		c->mount_path = realpath(config->mount_path, NULL);
		if (!c->mount_path)
			c->mount_path = strdup(config->mount_path);
		if (!c->mount_path)
			return false;
		find_smb_share(c);
	}
	return true;
}

int nl_collectors_alloc(const struct nl_telemetry_config *config, struct nl_collectors **collectors,
			struct nl_error *err)
{
	struct nl_collectors *c = calloc(1, sizeof *c);
	*collectors = NULL;
	if (!c)
		return nl_error_sys(err, ENOMEM, "start telemetry");
	for (size_t i = 0; i < COLLECTORS_MAX; i++)
		c->fd[i] = -1;
	long ticks = sysconf(_SC_CLK_TCK);
	c->ns_per_tick = NL_NS_PER_S / (ticks > 0 ? ticks : 100);
	c->text_size = TEXT_BYTES;
	c->text = malloc(c->text_size);
	if (!c->text || !copy_config(c, config)) {
		nl_collectors_free(c);
		return nl_error_sys(err, ENOMEM, "start telemetry");
	}
	*collectors = c;
	return 0;
}

void nl_collectors_free(struct nl_collectors *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < COLLECTORS_MAX; i++)
		if (c->fd[i] >= 0)
			close(c->fd[i]);
	free(c->disks);
	free(c->mount_path);
	free(c->text);
	free(c);
}
