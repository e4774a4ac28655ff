/*
 * test_campaign: what a good campaign file becomes, and the file that it becomes again.
 */
#include "unit/controller/campaign/campaign_fixture.h"

#include <stdio.h>
#include <unistd.h>

#include "base/parse.h"
#include "base/time.h"
#include "controller/campaign/preset.h"
#include "unit/controller/campaign/reference_file.h"

static void a_campaign_sets_only_what_differs_from_quick(void **state)
{
	struct nl_campaign *c = campaign_of(HEAD "line: { streams: [2, 8] }\n");
	(void)state;
	assert_string_equal(c->preset, "quick");
	assert_string_equal(c->title, "t");
	assert_true(c->line.enabled && c->line.to_nas && c->line.from_nas);
	assert_int_equal(c->line.streams.count, 2);
	assert_int_equal(c->line.streams.value[1], 8);
	assert_int_equal(c->line.duration_ns, 1500 * NL_NS_PER_MS);
	assert_int_equal(c->line.omit_ns, 300 * NL_NS_PER_MS);
	assert_int_equal(c->pool.modes.count, 3);
	assert_int_equal(c->pool.duration_ns, 2 * NL_NS_PER_S);
	assert_int_equal(c->pool.block_bytes, 1024 * 1024);
	assert_int_equal(c->pool.file_bytes, 0);
	assert_int_equal(c->iterations.min, 2);
	assert_int_equal(c->iterations.max, 2);
	assert_int_equal(c->telemetry_period_ns, 500 * NL_NS_PER_MS);
	assert_int_equal(c->lease_ns, 10 * NL_NS_PER_S);
	assert_int_equal(c->agents_wait_ns, 60 * NL_NS_PER_S);
	assert_true(c->self_load);
	free(c);
}

static void the_shape_of_the_design_is_understood(void **state)
{
	struct nl_campaign *c = campaign_of(
		"campaign: tank, NFS against SMB\n"
		"preset: standard\n"
		"nas:     { agent: truenas, pool: tank, address: truenas.lan } # scratch below it\n"
		"clients: [ { agent: pve1 } ]\n"
		"line:    { streams: [1, 4], duration: 10s }\n"
		"pool:    { streams: [1, max], size: auto, modes: [durable-write, cold-read, cached-read] }\n"
		"shares:\n"
		"  - { name: nfs, protocol: nfs, version: 4.2, share: /mnt/tank, nconnect: [1, 4] }\n"
		"  - { name: smb, protocol: smb, version: 3.1.1, share: tank, user: bench, password: { file: /root/s } "
		"}\n"
		"streams: { workloads: [seq-write, seq-read], streams: [1, 4], order: abba }\n"
		"iterations: { min: 3, until: 2%, max: 10 }\n");
	(void)state;
	assert_int_equal(c->share_count, 3);
	assert_string_equal(c->shares[0].name, "nfs-nconnect1");
	assert_int_equal(c->shares[0].nconnect, 1);
	assert_string_equal(c->shares[1].name, "nfs-nconnect4");
	assert_int_equal(c->shares[1].nconnect, 4);
	assert_int_equal(c->shares[1].access, NL_ACCESS_MOUNT);
	assert_string_equal(c->shares[1].version, "4.2");
	assert_string_equal(c->shares[1].server, "truenas.lan");
	assert_string_equal(c->shares[2].name, "smb");
	assert_int_equal(c->shares[2].access, NL_ACCESS_USERLAND);
	assert_string_equal(c->shares[2].password_file, "/root/s");
	assert_int_equal(c->pool.streams.value[1], NL_CAMPAIGN_STREAMS_ALL_CORES);
	assert_true(c->streams.abba);
	assert_true(c->iterations.until == 0.02);
	free(c);
}

static void versions_read_alike_as_numbers_and_as_texts(void **state)
{
	static const struct {
		const char *protocol, *written, *version;
		enum nl_access access;
	} rows[] = {
		{"nfs", "3", "3", NL_ACCESS_USERLAND},         {"nfs", "\"3\"", "3", NL_ACCESS_USERLAND},
		{"nfs", "4.2", "4.2", NL_ACCESS_MOUNT},        {"nfs", "\"4.1\"", "4.1", NL_ACCESS_MOUNT},
		{"smb", "3.1.1", "3.1.1", NL_ACCESS_USERLAND}, {"smb", "\"3.0\"", "3.0", NL_ACCESS_USERLAND},
		{"smb", "3.02", "3.0.2", NL_ACCESS_USERLAND},  {"smb", "2.1", "2.1", NL_ACCESS_MOUNT},
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		char text[400];
		snprintf(text, sizeof text, HEAD "shares: [ { name: a, protocol: %s, version: %s, share: %s } ]\n",
			 rows[i].protocol, rows[i].written, *rows[i].protocol == 'n' ? "/x" : "x");
		struct nl_campaign *c = campaign_of(text);
		assert_string_equal(c->shares[0].version, rows[i].version);
		assert_int_equal(c->shares[0].access, rows[i].access);
		free(c);
	}
}

static void access_and_version_follow_from_what_is_given(void **state)
{
	struct nl_campaign *c =
		campaign_of(HEAD "shares:\n"
				 "  - { name: a, protocol: nfs, share: /x }\n"
				 "  - { name: b, protocol: nfs, share: /x, access: mount }\n"
				 "  - { name: c, protocol: smb, share: x, server: other, client: two }\n"
				 "  - { name: d, protocol: nfs, path: /mnt/x }\n");
	(void)state;
	assert_string_equal(c->shares[0].version, "3");
	assert_int_equal(c->shares[0].access, NL_ACCESS_USERLAND);
	assert_string_equal(c->shares[1].version, "4.2");
	assert_string_equal(c->shares[2].version, "3.1.1");
	assert_string_equal(c->shares[2].server, "other");
	assert_int_equal(c->shares[3].access, NL_ACCESS_PATH);
	assert_string_equal(c->shares[3].version, "");
	assert_string_equal(c->shares[3].server, "");
	free(c);
}

static void the_address_of_the_nas_follows_from_the_first_server(void **state)
{
	struct nl_campaign *c = campaign_of("campaign: t\nnas: { agent: n, pool: /p }\nclients: [ { agent: c } ]\n"
					    "shares: [ { name: a, protocol: nfs, server: 10.9.8.7, export: /x } ]\n");
	(void)state;
	assert_string_equal(c->nas_address, "10.9.8.7");
	free(c);
}

static void a_part_can_be_off_in_yaml_and_in_json(void **state)
{
	struct nl_campaign *yaml = campaign_of("campaign: t\nnas: { agent: n, pool: /p }\nline: off\n");
	struct nl_campaign *json =
		campaign_of("{\"campaign\": \"t\", \"nas\": {\"agent\": \"n\", \"pool\": \"/p\"}, \"line\": false}");
	(void)state;
	assert_false(yaml->line.enabled);
	assert_memory_equal(yaml, json, sizeof *yaml);
	free(yaml);
	free(json);
}

static void a_part_that_the_preset_left_out_can_be_asked_for(void **state)
{
	struct nl_campaign *c = campaign_of(HEAD "preset: line\npool: { modes: [cold-read] }\n");
	(void)state;
	assert_true(c->pool.enabled);
	assert_int_equal(c->pool.modes.count, 1);
	assert_int_equal(c->pool.modes.value[0], NL_WORKLOAD_SEQ_READ);
	free(c);
}

static void workloads_keep_the_order_in_which_reads_find_files(void **state)
{
	struct nl_campaign *c = campaign_of(HEAD "streams: { workloads: [cached-read, seq-read, seq-write] }\n");
	(void)state;
	assert_int_equal(c->streams.workloads.count, 3);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(c->streams.workloads.value[i], i);
	free(c);
}

static void min_and_max_follow_each_other(void **state)
{
	struct nl_campaign *c = campaign_of(HEAD "iterations: { min: 5 }\n");
	(void)state;
	assert_int_equal(c->iterations.max, 5);
	free(c);
	c = campaign_of(HEAD "iterations: { max: 1 }\n");
	assert_int_equal(c->iterations.min, 1);
	free(c);
}

static void every_preset_is_complete_and_sound(void **state)
{
	(void)state;
	for (size_t i = 0; i < nl_preset_count; i++) {
		struct nl_campaign preset;
		struct nl_error err;
		char text[800];
		assert_int_equal(nl_campaign_preset(nl_presets[i].name, &preset, &err), 0);
		assert_string_equal(preset.preset, nl_presets[i].name);
		assert_true(*preset.title);
		snprintf(text, sizeof text, HEAD "shares:\n" NFS SMB "preset: %s\n", nl_presets[i].name);
		struct nl_campaign *c = campaign_of(text);
		assert_true(c->iterations.min >= 1 && c->iterations.min <= c->iterations.max);
		assert_int_equal(c->pool.enabled, preset.pool.enabled);
		assert_memory_equal(&c->streams, &preset.streams, sizeof preset.streams);
		free(c);
	}
}

static void an_unknown_preset_names_the_nearest(void **state)
{
	struct nl_campaign c;
	struct nl_error err;
	(void)state;
	assert_int_equal(nl_campaign_preset("standart", &c, &err), NL_E_NOT_FOUND);
	assert_non_null(strstr(err.todo, "\"standard\""));
}

static void a_campaign_written_reads_back_the_same(void **state)
{
	static const char *const texts[] = {
		HEAD "shares:\n" NFS SMB,
		HEAD "preset: line\nself_load: true\n",
		HEAD "preset: thorough\nline: off\niterations: { min: 2, until: 3.7%, max: 9 }\nlease: 2500ms\n",
		"campaign: \"a \\\"quoted\\\" \\\\ title: # not a comment\"\nnas: { agent: n, pool: '/p: [x]' }\nline: "
		"off\n",
		HEAD
		"pool: { streams: [3, max], size: 3G, block_size: 128K, modes: [cached-read] }\n"
		"streams: { order: sequential, size: 64M, workloads: [client-warm-read] }\n"
		"telemetry: { period: 100ms }\nshares:\n"
		"  - { name: a, protocol: nfs, share: /x, access: mount, nconnect: [1, 16], rsize: 1M, wsize: 64K,\n"
		"      options: 'noatime,hard', port: 2049, directory: deep/er, client: two }\n"
		"  - { name: b, protocol: smb, share: x, access: mount, encrypt: yes, user: u }\n"
		"  - { name: c, protocol: smb, path: /mnt/c }\n",
	};
	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		struct nl_campaign *c = campaign_of(texts[i]);
		struct nl_error err;
		char *text;
		assert_int_equal(nl_campaign_to_yaml(c, &text, &err), 0);
		struct nl_campaign *again = campaign_of(text);
		assert_memory_equal(c, again, sizeof *c);
		free(text);
		free(c);
		free(again);
	}
}

static void a_campaign_is_read_from_its_file(void **state)
{
	char path[] = "/tmp/nl-campaign-XXXXXX";
	int fd = mkstemp(path);
	struct nl_campaign c;
	struct nl_error err;
	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, HEAD, sizeof HEAD - 1), sizeof HEAD - 1);
	assert_int_equal(nl_campaign_load(path, &c, &err), 0);
	assert_string_equal(c.clients[1], "two");
	assert_int_equal(ftruncate(fd, NL_CAMPAIGN_FILE_MAX + 1), 0);
	assert_int_equal(nl_campaign_load(path, &c, &err), NL_E_CONFIG);
	assert_non_null(strstr(err.what, "too long"));
	close(fd);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(nl_campaign_load(path, &c, &err), NL_E_NOT_FOUND);
	assert_non_null(strstr(err.where, path));
}

static void the_reference_in_docs_is_the_table(void **state)
{
	char *file, *reference;
	struct nl_error err;
	(void)state;
	assert_int_equal(nl_file_read(NL_FIXTURES "/../../docs/campaign.md", REFERENCE_MAX, &file, NULL, &err), 0);
	assert_int_equal(nl_campaign_reference(&reference, &err), 0);
	const char *generated = strstr(file, REFERENCE_MARK "\n");
	assert_non_null(generated);
	if (strcmp(generated + strlen(REFERENCE_MARK "\n"), reference) != 0)
		fail_msg("docs/campaign.md is behind the table: run print_campaign_reference docs/campaign.md");
	free(file);
	free(reference);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_campaign_sets_only_what_differs_from_quick),
		cmocka_unit_test(the_shape_of_the_design_is_understood),
		cmocka_unit_test(versions_read_alike_as_numbers_and_as_texts),
		cmocka_unit_test(access_and_version_follow_from_what_is_given),
		cmocka_unit_test(the_address_of_the_nas_follows_from_the_first_server),
		cmocka_unit_test(a_part_can_be_off_in_yaml_and_in_json),
		cmocka_unit_test(a_part_that_the_preset_left_out_can_be_asked_for),
		cmocka_unit_test(workloads_keep_the_order_in_which_reads_find_files),
		cmocka_unit_test(min_and_max_follow_each_other),
		cmocka_unit_test(every_preset_is_complete_and_sound),
		cmocka_unit_test(an_unknown_preset_names_the_nearest),
		cmocka_unit_test(a_campaign_written_reads_back_the_same),
		cmocka_unit_test(a_campaign_is_read_from_its_file),
		cmocka_unit_test(the_reference_in_docs_is_the_table),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
