/*
 * cpu: rusage of the thread, and the io_uring workers' share from /proc.
 */
#include "agent/io/cpu.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/parse.h"
#include "base/time.h"

/* "TID (iou-wrk-PARENT) S 1 2 ...": utime and stime are the 12th and 13th field after the name. */
static double worker_seconds(const char *path, const char *name)
{
	char *text, *at, *save = NULL;
	uint64_t ticks = 0, value;
	if (nl_file_read(path, 4096, &text, NULL, NULL))
		return 0;
	char *open = strchr(text, '('), *shut = strrchr(text, ')');
	if (open && shut && (size_t)(shut - open - 1) == strlen(name) && !memcmp(open + 1, name, strlen(name))) {
		at = strtok_r(shut + 1, " ", &save);
		for (int field = 1; at && field <= 13; field++, at = strtok_r(NULL, " ", &save))
			if (field >= 12 && nl_parse_u64(at, &value))
				ticks += value;
	}
	free(text);
	return (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

static double workers_seconds(void)
{
	char name[32], path[64];
	double seconds = 0;
	DIR *tasks = opendir("/proc/self/task");
	if (!tasks)
		return 0;
	snprintf(name, sizeof name, "iou-wrk-%d", (int)gettid());
	for (struct dirent *entry; (entry = readdir(tasks));) {
		if (entry->d_name[0] == '.' || strlen(entry->d_name) > 16)
			continue;
		snprintf(path, sizeof path, "/proc/self/task/%.16s/stat", entry->d_name);
		seconds += worker_seconds(path, name);
	}
	closedir(tasks);
	return seconds;
}

static double seconds_of(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

struct nl_cpu nl_cpu_now(bool whole_process, bool with_workers)
{
	struct rusage usage;
	struct nl_cpu now = {.mono_ns = nl_mono_ns()};
	if (!getrusage(whole_process ? RUSAGE_SELF : RUSAGE_THREAD, &usage)) {
		now.user_s = seconds_of(usage.ru_utime);
		now.system_s = seconds_of(usage.ru_stime);
	}
	if (with_workers)
		now.system_s += workers_seconds();
	return now;
}
