/*
 * host: facts of the machine, most of them one file each, in tables.
 */
#include "agent/telemetry/host.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "agent/telemetry/meminfo.h"
#include "base/parse.h"

#define FILE_MAX_BYTES (1u << 20)

struct description {
	const char *root;
	nl_storage_fact_sink *sink;
	void *context;
};

/* One file, its text as it is (first line, blanks between words made single). */
static const struct {
	const char *subject, *key, *path;
} file_facts[] = {
	{"host", "name", "/proc/sys/kernel/hostname"},
	{"host", "boot_id", "/proc/sys/kernel/random/boot_id"},
	{"host", "load_average", "/proc/loadavg"},
	{"host", "clocksource", "/sys/devices/system/clocksource/clocksource0/current_clocksource"},
	{"host", "product", "/sys/class/dmi/id/product_name"},
	{"host", "vendor", "/sys/class/dmi/id/sys_vendor"},
	{"cpu", "online", "/sys/devices/system/cpu/online"},
	{"cpu", "governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"},
	{"cpu", "frequency_driver", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver"},
	{"cpu", "frequency_max_khz", "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq"},
	{"cpu", "no_turbo", "/sys/devices/system/cpu/intel_pstate/no_turbo"},
	{"cpu", "idle_driver", "/sys/devices/system/cpu/cpuidle/current_driver"},
	{"kernel", "congestion_control", "/proc/sys/net/ipv4/tcp_congestion_control"},
	{"kernel", "congestion_control_available", "/proc/sys/net/ipv4/tcp_available_congestion_control"},
	{"kernel", "tcp_rmem", "/proc/sys/net/ipv4/tcp_rmem"},
	{"kernel", "tcp_wmem", "/proc/sys/net/ipv4/tcp_wmem"},
	{"kernel", "tcp_timestamps", "/proc/sys/net/ipv4/tcp_timestamps"},
	{"kernel", "tcp_window_scaling", "/proc/sys/net/ipv4/tcp_window_scaling"},
	{"kernel", "tcp_slow_start_after_idle", "/proc/sys/net/ipv4/tcp_slow_start_after_idle"},
	{"kernel", "tcp_mtu_probing", "/proc/sys/net/ipv4/tcp_mtu_probing"},
	{"kernel", "rmem_max", "/proc/sys/net/core/rmem_max"},
	{"kernel", "wmem_max", "/proc/sys/net/core/wmem_max"},
	{"kernel", "netdev_max_backlog", "/proc/sys/net/core/netdev_max_backlog"},
	{"kernel", "default_qdisc", "/proc/sys/net/core/default_qdisc"},
	{"kernel", "dirty_ratio", "/proc/sys/vm/dirty_ratio"},
	{"kernel", "dirty_background_ratio", "/proc/sys/vm/dirty_background_ratio"},
	{"kernel", "dirty_bytes", "/proc/sys/vm/dirty_bytes"},
	{"kernel", "dirty_background_bytes", "/proc/sys/vm/dirty_background_bytes"},
	{"kernel", "dirty_expire_centisecs", "/proc/sys/vm/dirty_expire_centisecs"},
	{"kernel", "dirty_writeback_centisecs", "/proc/sys/vm/dirty_writeback_centisecs"},
	{"kernel", "swappiness", "/proc/sys/vm/swappiness"},
	{"kernel", "rpc_slots", "/proc/sys/sunrpc/tcp_slot_table_entries"},
	{"kernel", "rpc_slots_max", "/proc/sys/sunrpc/tcp_max_slot_table_entries"},
};

static void fact(const struct description *d, const char *subject, const char *key, const char *value)
{
	if (value[0])
		d->sink(d->context, subject, key, value);
}

static char *read_below(const struct description *d, const char *path)
{
	char full[1024], *text;
	int n = snprintf(full, sizeof full, "%s%s", d->root, path);
	if (n < 0 || (size_t)n >= sizeof full || nl_file_read(full, FILE_MAX_BYTES, &text, NULL, NULL) != 0)
		return NULL;
	return text;
}

/* Keeps the first line, with runs of blanks made one. */
static void first_line(char *text)
{
	char *out = text;
	bool blank = false;
	for (const char *p = text; *p && *p != '\n'; p++) {
		if (*p == ' ' || *p == '\t') {
			blank = out > text;
			continue;
		}
		if (blank)
			*out++ = ' ';
		blank = false;
		*out++ = *p;
	}
	*out = '\0';
}

static void files(const struct description *d)
{
	for (size_t i = 0; i < sizeof file_facts / sizeof file_facts[0]; i++) {
		char *text = read_below(d, file_facts[i].path);
		if (!text)
			continue;
		first_line(text);
		fact(d, file_facts[i].subject, file_facts[i].key, text);
		free(text);
	}
}

/* --- os and kernel --------------------------------------------------------------------------------------------- */

/* PRETTY_NAME="..." of os-release(5). */
static void os_name(const struct description *d)
{
	char *text = read_below(d, "/etc/os-release");
	if (!text)
		text = read_below(d, "/usr/lib/os-release");
	if (!text)
		return;
	char *cursor = text, *line;
	while ((line = nl_line_next(&cursor))) {
		if (strncmp(line, "PRETTY_NAME=", 12) != 0)
			continue;
		char *value = line + 12;
		size_t len = strlen(value);
		if (len >= 2 && (value[0] == '"' || value[0] == '\'') && value[len - 1] == value[0]) {
			value[len - 1] = '\0';
			value++;
		}
		fact(d, "host", "os", value);
	}
	free(text);
}

static void kernel_version(const struct description *d)
{
	char *text = read_below(d, "/proc/sys/kernel/osrelease");
	struct utsname name;
	if (text) {
		first_line(text);
		fact(d, "host", "kernel", text);
	}
	free(text);
	if (d->root[0] == '\0' && uname(&name) == 0)
		fact(d, "host", "machine", name.machine);
}

static void uptime(const struct description *d)
{
	char *text = read_below(d, "/proc/uptime");
	if (!text)
		return;
	text[strcspn(text, ". \n")] = '\0';
	fact(d, "host", "uptime_s", text);
	free(text);
}

/* --- processor ------------------------------------------------------------------------------------------------- */

/* "key<blanks>: value" of /proc/cpuinfo; NULL when the line has another key. */
static const char *cpuinfo_value(char *line, const char *key)
{
	size_t len = strlen(key);
	if (strncmp(line, key, len) != 0)
		return NULL;
	char *p = line + len;
	p += strspn(p, " \t");
	if (*p != ':')
		return NULL;
	return p + 1 + strspn(p + 1, " \t");
}

struct processor {
	char model[128];
	char vendor[64];
	unsigned cores;
	bool hypervisor; /* the flag of a guest */
	bool user_mode;  /* User Mode Linux */
};

static void processor_line(char *line, struct processor *cpu)
{
	static const char *const model_keys[] = {"model name", "Model", "cpu model", "cpu"};
	const char *value;
	uint64_t number;
	if ((value = cpuinfo_value(line, "processor")) && nl_parse_u64(value, &number))
		cpu->cores++;
	for (size_t i = 0; i < sizeof model_keys / sizeof model_keys[0] && !cpu->model[0]; i++)
		if ((value = cpuinfo_value(line, model_keys[i])))
			snprintf(cpu->model, sizeof cpu->model, "%s", value);
	if (!cpu->vendor[0] && (value = cpuinfo_value(line, "vendor_id"))) {
		snprintf(cpu->vendor, sizeof cpu->vendor, "%s", value);
		cpu->user_mode = strstr(value, "User Mode Linux") != NULL;
	}
	if ((value = cpuinfo_value(line, "flags")) && strstr(value, "hypervisor"))
		cpu->hypervisor = true;
}

static void processor(const struct description *d, struct processor *cpu)
{
	char *text = read_below(d, "/proc/cpuinfo"), *cursor = text, *line;
	char number[16];
	*cpu = (struct processor){0};
	while (text && (line = nl_line_next(&cursor)))
		processor_line(line, cpu);
	free(text);
	fact(d, "cpu", "model", cpu->model);
	long online = d->root[0] ? (long)cpu->cores : sysconf(_SC_NPROCESSORS_ONLN);
	snprintf(number, sizeof number, "%ld", online);
	if (online > 0)
		fact(d, "cpu", "cores", number);
}

/* --- virtualisation -------------------------------------------------------------------------------------------- */

static const struct {
	const char *path, *contains, *name;
} hypervisors[] = {
	{"/sys/hypervisor/type", "xen", "xen"},
	{"/sys/class/dmi/id/sys_vendor", "QEMU", "kvm"},
	{"/sys/class/dmi/id/product_name", "KVM", "kvm"},
	{"/sys/class/dmi/id/sys_vendor", "VMware", "vmware"},
	{"/sys/class/dmi/id/sys_vendor", "innotek", "virtualbox"},
	{"/sys/class/dmi/id/sys_vendor", "Microsoft", "hyper-v"},
	{"/sys/class/dmi/id/sys_vendor", "Xen", "xen"},
	{"/sys/class/dmi/id/sys_vendor", "Amazon EC2", "kvm"},
	{"/sys/class/dmi/id/sys_vendor", "Google", "kvm"},
	{"/sys/class/dmi/id/sys_vendor", "Parallels", "parallels"},
	{"/sys/class/dmi/id/sys_vendor", "BHYVE", "bhyve"},
};

static void virtualisation(const struct description *d, const struct processor *cpu)
{
	if (cpu->user_mode) {
		fact(d, "host", "virtualisation", "uml");
		return;
	}
	/* A server of Microsoft or Google is no guest: without the processor's flag only Xen's own file counts. */
	for (size_t i = 0; i < sizeof hypervisors / sizeof hypervisors[0]; i++) {
		char *text = cpu->hypervisor || i == 0 ? read_below(d, hypervisors[i].path) : NULL;
		bool matches = text && strstr(text, hypervisors[i].contains);
		free(text);
		if (matches) {
			fact(d, "host", "virtualisation", hypervisors[i].name);
			return;
		}
	}
	fact(d, "host", "virtualisation", cpu->hypervisor ? "unknown hypervisor" : "none");
}

/* What systemd and others leave for those inside. */
static void container(const struct description *d)
{
	char *text = read_below(d, "/run/systemd/container");
	if (text) {
		first_line(text);
		fact(d, "host", "container", text);
	}
	free(text);
}

/* --- memory ---------------------------------------------------------------------------------------------------- */

static void memory(const struct description *d)
{
	char *text = read_below(d, "/proc/meminfo"), number[24];
	struct nl_meminfo info;
	if (text && nl_meminfo_parse(text, &info)) {
		if (info.total_bytes != UINT64_MAX) {
			snprintf(number, sizeof number, "%" PRIu64, info.total_bytes);
			fact(d, "memory", "total_bytes", number);
		}
		if (info.available_bytes != UINT64_MAX) {
			snprintf(number, sizeof number, "%" PRIu64, info.available_bytes);
			fact(d, "memory", "available_bytes", number);
		}
	}
	free(text);
}

/* --- all ------------------------------------------------------------------------------------------------------- */

int nl_host_describe_below(const char *root, nl_storage_fact_sink *sink, void *context, struct nl_error *err)
{
	struct description d = {.root = root, .sink = sink, .context = context};
	struct processor cpu;
	(void)err; /* what a machine does not say is left out */
	files(&d);
	os_name(&d);
	kernel_version(&d);
	uptime(&d);
	processor(&d, &cpu);
	virtualisation(&d, &cpu);
	container(&d);
	memory(&d);
	return 0;
}

int nl_host_describe(nl_storage_fact_sink *sink, void *context, struct nl_error *err)
{
	return nl_host_describe_below("", sink, context, err);
}
