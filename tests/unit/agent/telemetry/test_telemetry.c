/* telemetry: the sampler on this machine: rounds, ring, races, namespaces. */
#include "agent/telemetry/telemetry.h"
#include "unit/agent/fixture.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/telemetry/diskstats.h"
#include "base/time.h"

#define MAX 8192

static struct nl_sample samples[MAX];

static struct nl_telemetry *start(const struct nl_telemetry_config *config)
{
	struct nl_telemetry *t;
	struct nl_error err;
	if (nl_telemetry_start(config, &t, &err) != 0)
		fail_msg("%s: %s", err.what, err.why);
	return t;
}

static unsigned count(unsigned n, enum nl_metric_id metric, const char *subject)
{
	unsigned found = 0;
	for (unsigned i = 0; i < n; i++)
		found += samples[i].metric == metric && (!subject || strcmp(samples[i].subject, subject) == 0);
	return found;
}

static struct nl_storage_disk any_disk(void)
{
	char *text;
	struct nl_diskstats row;
	assert_int_equal(nl_file_read("/proc/diskstats", 1 << 20, &text, NULL, NULL), 0);
	const char *cursor = text;
	assert_true(nl_diskstats_next(&cursor, &row));
	struct nl_storage_disk disk = {.major = (unsigned)row.major, .minor = (unsigned)row.minor};
	snprintf(disk.name, sizeof disk.name, "%s", row.name);
	free(text);
	return disk;
}

static void a_round_has_every_core_memory_the_agent_disk_and_interface(void **context)
{
	(void)context;
	struct nl_storage_disk disk = any_disk();
	struct nl_telemetry_config config = {.period_ns = NL_NS_PER_S, .disks = &disk, .disk_count = 1, .nic = "lo"};
	int64_t before = nl_mono_ns();
	struct nl_telemetry *t = start(&config);
	uint64_t lost = 1;
	unsigned n = nl_telemetry_drain(t, samples, MAX, &lost);
	assert_int_equal(lost, 0);
	assert_int_equal(count(n, NL_METRIC_CPU_IDLE_NS, NULL), (unsigned)sysconf(_SC_NPROCESSORS_ONLN));
	assert_int_equal(count(n, NL_METRIC_MEMORY_DIRTY_BYTES, "memory"), 1);
	assert_int_equal(count(n, NL_METRIC_AGENT_CPU_NS, "agent"), 1);
	assert_int_equal(count(n, NL_METRIC_DISK_READ_BYTES, disk.name), 1);
	assert_int_equal(count(n, NL_METRIC_NIC_RECEIVED_BYTES, "lo"), 1);
	for (unsigned i = 0; i < n; i++) {
		assert_non_null(nl_metric_find(samples[i].metric));
		assert_in_range(samples[i].mono_ns, before, nl_mono_ns());
		assert_true(samples[i].value >= 0);
	}
	nl_telemetry_stop(t);
}

static void the_thread_samples_at_the_period_and_counters_only_rise(void **context)
{
	(void)context;
	struct nl_telemetry_config config = {.period_ns = 100 * NL_NS_PER_MS};
	struct nl_telemetry *t = start(&config);
	int64_t deadline = nl_mono_ns() + 20 * NL_NS_PER_S, at[4] = {0};
	double last = -1;
	unsigned rounds = 0;
	while (rounds < 4 && nl_mono_ns() < deadline) {
		unsigned n = nl_telemetry_drain(t, samples, MAX, NULL);
		for (unsigned i = 0; i < n; i++)
			if (samples[i].metric == NL_METRIC_AGENT_CPU_NS && rounds < 4) {
				assert_true(samples[i].value >= last);
				last = samples[i].value;
				at[rounds++] = samples[i].mono_ns;
			}
		sched_yield();
	}
	assert_int_equal(rounds, 4);
	/* Deadlines are absolute: whatever the delays, no two rounds of the thread can be due less than a period apart.
	 */
	assert_true(at[3] - at[0] >= 3 * 100 * NL_NS_PER_MS - 90 * NL_NS_PER_MS);
	nl_telemetry_stop(t);
}

static void a_full_ring_drops_the_oldest_and_counts_them(void **context)
{
	(void)context;
	struct nl_telemetry_config config = {.period_ns = 60 * NL_NS_PER_S, .ring_samples = 8};
	struct nl_telemetry *t = start(&config);
	nl_telemetry_sample_now(t);
	uint64_t lost;
	unsigned n = nl_telemetry_drain(t, samples, MAX, &lost);
	assert_int_equal(n, 8);
	assert_true(lost > 0);
	assert_int_equal(samples[7].metric, NL_METRIC_AGENT_CPU_NS);
	assert_int_equal(nl_telemetry_drain(t, samples, MAX, &lost), 0);
	assert_int_equal(lost, 0);
	nl_telemetry_stop(t);
}

static void draining_in_small_parts_keeps_the_order(void **context)
{
	(void)context;
	struct nl_telemetry_config config = {.period_ns = 60 * NL_NS_PER_S};
	struct nl_telemetry *t = start(&config);
	nl_telemetry_sample_now(t);
	int64_t last = 0;
	unsigned n, total = 0;
	while ((n = nl_telemetry_drain(t, samples, 3, NULL)) > 0)
		for (unsigned i = 0; i < n; i++, total++) {
			assert_true(samples[i].mono_ns >= last);
			last = samples[i].mono_ns;
		}
	assert_true(total > 10);
	nl_telemetry_stop(t);
}

static void what_is_not_there_is_said_and_stops_nothing(void **context)
{
	(void)context;
	struct nl_storage_disk disk = {.name = "none", .major = 4000, .minor = 4000};
	struct nl_telemetry_config config = {
		.period_ns = NL_NS_PER_S, .disks = &disk, .disk_count = 1, .nic = "nosuchnic0"};
	struct nl_telemetry *t = start(&config);
	assert_non_null(strstr(nl_telemetry_missing(t), "disks: not every disk is in /proc/diskstats"));
	assert_non_null(strstr(nl_telemetry_missing(t), "nic: the interface is not in /proc/net/dev"));
	assert_true(count(nl_telemetry_drain(t, samples, MAX, NULL), NL_METRIC_CPU_USER_NS, NULL) > 0);
	nl_telemetry_stop(t);
}

static void a_period_out_of_range_is_refused(void **context)
{
	(void)context;
	struct nl_telemetry_config config = {.period_ns = NL_NS_PER_MS};
	struct nl_telemetry *t;
	struct nl_error err;
	assert_int_equal(nl_telemetry_start(&config, &t, &err), NL_E_CONFIG);
	assert_null(t);
	config.period_ns = 61 * NL_NS_PER_S;
	assert_int_equal(nl_telemetry_start(&config, &t, &err), NL_E_CONFIG);
	nl_telemetry_stop(NULL);
}

static atomic_bool done;

static void *sample_often(void *t)
{
	while (!atomic_load(&done))
		nl_telemetry_sample_now(t);
	return NULL;
}

static void sampling_from_outside_and_draining_do_not_race_with_the_thread(void **context)
{
	(void)context;
	struct nl_telemetry_config config = {.period_ns = 100 * NL_NS_PER_MS, .nic = "lo", .ring_samples = 500};
	struct nl_telemetry *t = start(&config);
	pthread_t outside;
	assert_int_equal(pthread_create(&outside, NULL, sample_often, t), 0);
	int64_t until = nl_mono_ns() + 400 * NL_NS_PER_MS;
	uint64_t total = 0;
	while (nl_mono_ns() < until)
		total += nl_telemetry_drain(t, samples, 100, NULL);
	atomic_store(&done, true);
	pthread_join(outside, NULL);
	assert_true(total > 100);
	assert_non_null(nl_telemetry_missing(t));
	nl_telemetry_stop(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_round_has_every_core_memory_the_agent_disk_and_interface),
		cmocka_unit_test(the_thread_samples_at_the_period_and_counters_only_rise),
		cmocka_unit_test(a_full_ring_drops_the_oldest_and_counts_them),
		cmocka_unit_test(draining_in_small_parts_keeps_the_order),
		cmocka_unit_test(what_is_not_there_is_said_and_stops_nothing),
		cmocka_unit_test(a_period_out_of_range_is_refused),
		cmocka_unit_test(sampling_from_outside_and_draining_do_not_race_with_the_thread),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
