/*
 * nl-io-run: runs one job of the load generator from command-line flags and prints its result as one JSON line. For
 * benchmarks and for trying the engines by hand; nothing in nasline needs it.
 *
 * The SMB password is read from the file named by --password-file.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/io/load.h"
#include "base/options.h"
#include "base/parse.h"
#include "base/time.h"

static struct {
	const char *engine, *directory, *prefix, *server, *share, *version, *user, *password_file, *task;
	uint64_t block, depth, streams, size, rate, seed, read_percent, port;
	int64_t duration, ramp;
	bool write, random, direct, fsync_end, sync, lay, warm, loop, encrypt, live;
} flag = {.engine = "auto",
	  .directory = ".",
	  .prefix = "nl-io-run",
	  .block = 1 << 20,
	  .depth = 1,
	  .streams = 1,
	  .size = 256 << 20,
	  .task = "run"};

static const struct nl_option options[] = {
	{"task", 0, NL_OPTION_TEXT, &flag.task, "TASK", "run (default), check, remove, mkdir, rmdir or probe", 0, 0},
	{"engine", 'e', NL_OPTION_TEXT, &flag.engine, "NAME", "auto, io_uring, psync, libnfs, libsmbclient or null", 0,
	 0},
	{"directory", 'd', NL_OPTION_TEXT, &flag.directory, "DIR", "where the files are (default: here)", 0, 0},
	{"prefix", 0, NL_OPTION_TEXT, &flag.prefix, "NAME", "prefix of the files' names", 0, 0},
	{"server", 0, NL_OPTION_TEXT, &flag.server, "HOST", "server of a share", 0, 0},
	{"share", 0, NL_OPTION_TEXT, &flag.share, "NAME", "export path or share name", 0, 0},
	{"version", 0, NL_OPTION_TEXT, &flag.version, "V", "protocol version", 0, 0},
	{"port", 0, NL_OPTION_UINT, &flag.port, "N", "port of the server (default: the protocol's)", 0, 65535},
	{"user", 0, NL_OPTION_TEXT, &flag.user, "NAME", "SMB user", 0, 0},
	{"password-file", 0, NL_OPTION_TEXT, &flag.password_file, "FILE", "file with the SMB password", 0, 0},
	{"encrypt", 0, NL_OPTION_FLAG, &flag.encrypt, NULL, "require SMB encryption", 0, 0},
	{"block", 'b', NL_OPTION_BYTES, &flag.block, "SIZE", "block size (default 1M)", 0, 0},
	{"depth", 'q', NL_OPTION_UINT, &flag.depth, "N", "operations in flight (default 1)", 0, 0},
	{"streams", 'P', NL_OPTION_UINT, &flag.streams, "N", "streams (default 1)", 0, 0},
	{"size", 's', NL_OPTION_BYTES, &flag.size, "SIZE", "size of each file (default 256M)", 0, 0},
	{"duration", 't', NL_OPTION_DURATION, &flag.duration, "TIME", "measured time (default: until the size is done)",
	 0, 0},
	{"ramp", 0, NL_OPTION_DURATION, &flag.ramp, "TIME", "time before it (default 0)", 0, 0},
	{"rate", 0, NL_OPTION_BYTES, &flag.rate, "SIZE", "bytes per second of all streams (default: no limit)", 0, 0},
	{"seed", 0, NL_OPTION_UINT, &flag.seed, "N", "seed of the payload (default: random)", 0, 0},
	{"mix", 0, NL_OPTION_UINT, &flag.read_percent, "PERCENT", "share of reads in a mix", 0, 99},
	{"write", 'w', NL_OPTION_FLAG, &flag.write, NULL, "write instead of read", 0, 0},
	{"random", 'r', NL_OPTION_FLAG, &flag.random, NULL, "random order", 0, 0},
	{"direct", 0, NL_OPTION_FLAG, &flag.direct, NULL, "O_DIRECT", 0, 0},
	{"fsync", 0, NL_OPTION_FLAG, &flag.fsync_end, NULL, "make it durable at the end", 0, 0},
	{"sync", 0, NL_OPTION_FLAG, &flag.sync, NULL, "O_SYNC", 0, 0},
	{"lay", 0, NL_OPTION_FLAG, &flag.lay, NULL, "lay the files first", 0, 0},
	{"warm", 0, NL_OPTION_FLAG, &flag.warm, NULL, "read the files once first", 0, 0},
	{"loop", 0, NL_OPTION_FLAG, &flag.loop, NULL, "read the files round and round", 0, 0},
	{"live", 0, NL_OPTION_FLAG, &flag.live, NULL, "show the rate each second on stderr", 0, 0},
};

static const char *const examples[] = {
	"nl-io-run -e io_uring -d /tank -s 1G --lay -r --direct -b 4K -q 32 -t 10s",
	"nl-io-run -e libnfs --server nas --share /export -d /scratch -w -s 512M -q 8 --fsync",
	NULL,
};

static const struct nl_command command = {"nl-io-run", "",      "Runs one load and prints its result as JSON.",
					  examples,    options, sizeof options / sizeof *options,
					  0,           0};

static atomic_bool cancelled;

static void on_signal(int number)
{
	(void)number;
	cancelled = true;
}

static int engine_of(const char *name, enum nl_engine_id *engine)
{
	for (int id = NL_ENGINE_AUTO; id <= NL_ENGINE_NULL; id++)
		if (!strcmp(nl_engine_name(id), name)) {
			*engine = id;
			return 0;
		}
	return -1;
}

static void print_stream(const struct nl_stream_result *stream)
{
	const struct nl_histogram *latency = &stream->latency;
	printf("{\"bytes\":%" PRIu64 ",\"operations\":%" PRIu64 ",\"short\":%" PRIu64 ",\"window_bytes\":%" PRIu64
	       ",\"window_operations\":%" PRIu64 ",\"end\":%s,\"durable\":%s,\"mean_ns\":%.0f,\"p50_ns\":%" PRIu64
	       ",\"p99_ns\":%" PRIu64 ",\"max_ns\":%" PRIu64 "}",
	       stream->bytes, stream->operations, stream->short_operations, stream->window_bytes, latency->count,
	       stream->reached_end ? "true" : "false", stream->durable_mono_ns ? "true" : "false",
	       nl_histogram_mean_ns(latency), nl_histogram_percentile(latency, 50),
	       nl_histogram_percentile(latency, 99), latency->max_ns);
}

static int print_result(const struct nl_load_result *result)
{
	double seconds = (double)(result->window_end_mono_ns - result->window_start_mono_ns) / 1e9;
	double durable_s = 0;
	uint64_t bytes = 0, operations = 0, all = 0;
	int exit_status = 0;
	for (unsigned i = 0; i < result->stream_count; i++) {
		const struct nl_stream_result *stream = &result->stream[i];
		bytes += stream->window_bytes;
		all += stream->bytes;
		operations += stream->latency.count;
		double took = (double)(stream->durable_mono_ns - result->start_mono_ns) / 1e9;
		durable_s = stream->durable_mono_ns && took > durable_s ? took : durable_s;
		if (stream->failure.code) {
			nl_error_print(&stream->failure, "nl-io-run", stderr);
			exit_status = nl_code_exit_status(stream->failure.code);
		}
	}
	printf("{\"engine\":\"%s\",\"depth\":%u,\"note\":\"%s\",\"seconds\":%.6f,\"bytes_per_second\":%.0f,\"iops\":%."
	       "0f,"
	       "\"durable_bytes_per_second\":%.0f,\"cpu_user_s\":%.3f,\"cpu_system_s\":%.3f,\"busiest\":%.3f,"
	       "\"streams\":[",
	       nl_engine_name(result->engine), result->queue_depth, result->note, seconds,
	       seconds > 0 ? (double)bytes / seconds : 0, seconds > 0 ? (double)operations / seconds : 0,
	       durable_s > 0 ? (double)all / durable_s : 0, result->cpu_user_s, result->cpu_system_s,
	       result->busiest_thread_share);
	for (unsigned i = 0; i < result->stream_count; i++) {
		fputs(i ? "," : "", stdout);
		print_stream(&result->stream[i]);
	}
	puts("]}");
	return exit_status;
}

static void show_rate(struct nl_load *load, unsigned streams, uint64_t *before)
{
	struct nl_stream_progress progress[NL_LOAD_STREAMS_MAX];
	uint64_t bytes = 0;
	nl_load_progress(load, progress, streams);
	for (unsigned i = 0; i < streams; i++)
		bytes += progress[i].bytes;
	fprintf(stderr, "%.1f MB/s\n", (double)(bytes - *before) / 1e6);
	*before = bytes;
}

static int run(const struct nl_job *job, struct nl_error *err)
{
	struct nl_load *load;
	struct nl_load_result result;
	uint64_t before = 0;
	int rc = nl_load_make(job, &cancelled, &load, err);
	if (rc)
		return rc;
	nl_load_start(load, 0);
	while ((rc = nl_load_wait(load, NL_NS_PER_S, err)) == NL_E_TIMEOUT) {
		if (flag.live)
			show_rate(load, job->streams, &before);
		if (cancelled)
			nl_load_stop(load);
	}
	if (!rc)
		rc = nl_load_read_out(load, &result, err);
	nl_load_free(load);
	if (rc)
		return rc;
	int exit_status = print_result(&result);
	nl_load_result_fini(&result);
	exit(exit_status);
}

static void print_fact(void *context, const char *key, const char *value)
{
	(void)context;
	printf("%s: %s\n", key, value);
}

static int share_task(enum nl_engine_id engine, const struct nl_share_target *share, struct nl_error *err)
{
	const int64_t patience = 15 * NL_NS_PER_S;
	if (!strcmp(flag.task, "check"))
		return nl_share_check(engine, share, flag.directory, patience, print_fact, NULL, err);
	if (!strcmp(flag.task, "remove"))
		return nl_share_remove(engine, share, flag.directory, flag.prefix, (unsigned)flag.streams, patience,
				       err);
	if (!strcmp(flag.task, "mkdir"))
		return nl_share_make_directory(engine, share, flag.directory, patience, err);
	if (!strcmp(flag.task, "rmdir"))
		return nl_share_remove_directory(engine, share, flag.directory, patience, err);
	return nl_error_set(err, NL_E_USAGE, "there is no task %s", flag.task);
}

static int probe(enum nl_engine_id engine)
{
	char reason[200];
	bool works = nl_engine_probe(engine, reason, sizeof reason);
	printf("%s: %s%s\n", nl_engine_name(engine), works ? "works" : "no: ", works ? "" : reason);
	return 0;
}

static int act(struct nl_error *err)
{
	enum nl_engine_id engine;
	char *password = NULL;
	if (engine_of(flag.engine, &engine))
		return nl_error_set(err, NL_E_USAGE, "there is no engine %s", flag.engine);
	if (flag.password_file && nl_file_read(flag.password_file, 1000, &password, NULL, err))
		return err->code;
	if (password)
		password[strcspn(password, "\n")] = 0;
	struct nl_share_target share = {flag.server, flag.share,          flag.version, flag.user,
					password,    (uint16_t)flag.port, flag.encrypt};
	struct nl_job job = {.engine = engine,
			     .directory = flag.directory,
			     .file_prefix = flag.prefix,
			     .share = flag.server ? &share : NULL,
			     .write = flag.write,
			     .read_percent = (unsigned)flag.read_percent,
			     .random = flag.random,
			     .block_bytes = flag.block,
			     .queue_depth = (unsigned)flag.depth,
			     .streams = (unsigned)flag.streams,
			     .file_bytes = flag.size,
			     .duration_ns = flag.duration,
			     .ramp_ns = flag.ramp,
			     .direct = flag.direct,
			     .fsync_end = flag.fsync_end,
			     .sync_writes = flag.sync,
			     .lay_files = flag.lay,
			     .warm = flag.warm,
			     .loop_files = flag.loop,
			     .rate_limit_bytes_per_s = flag.rate,
			     .payload_seed = flag.seed};
	int rc = !strcmp(flag.task, "run")     ? run(&job, err)
		 : !strcmp(flag.task, "probe") ? probe(engine)
					       : share_task(engine, &share, err);
	free(password);
	return rc;
}

int main(int argc, char **argv)
{
	bool help = false, helper = false;
	int exit_status = nl_io_helper_main(argc, argv, &helper);
	if (helper)
		return exit_status;
	const char **arguments = calloc((size_t)argc, sizeof *arguments);
	size_t count = 0;
	struct nl_error err = {.code = NL_E_OK};
	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	int rc = nl_options_parse(&command, argc, argv, arguments, &count, &help, &err);
	if (!rc && help)
		nl_options_help(&command, stdout);
	else if (!rc)
		rc = act(&err);
	if (rc)
		nl_error_print(&err, "nl-io-run", stderr);
	free(arguments);
	return nl_code_exit_status(rc);
}
