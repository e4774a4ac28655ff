/*
 * test_campaign_refusals: every refusal has its position and its reason, and no password is ever repeated.
 */
#include "unit/controller/campaign/campaign_fixture.h"

#include <stdio.h>

struct refusal {
	const char *text;     /* added to HEAD, so it begins on line 4; a whole file when it begins with '!' */
	const char *position; /* line:column */
	const char *says;     /* in what, why or todo */
};

static void check_refusal(const struct refusal *row)
{
	char text[4000], where[64], all[1600];
	struct nl_campaign *c = calloc(1, sizeof *c);
	struct nl_error err;
	assert_non_null(c);
	snprintf(text, sizeof text, "%s%s", *row->text == '!' ? "" : HEAD, row->text + (*row->text == '!'));
	int code = nl_campaign_parse(text, strlen(text), "c.yaml", c, &err);
	free(c);
	if (code != NL_E_CONFIG)
		fail_msg("not refused: %s", row->text);
	snprintf(where, sizeof where, "c.yaml:%s", row->position);
	snprintf(all, sizeof all, "%s | %s | %s", err.what, err.why, err.todo);
	if (strcmp(err.where, where) != 0 || !strstr(all, row->says))
		fail_msg("%s\nrefused at %s: %s\nwanted  at %s: %s", row->text, err.where, all, where, row->says);
	assert_null(strstr(all, "hunter2"));
}

static void check_refusals(const struct refusal *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		check_refusal(&rows[i]);
}

#define CHECK(rows) check_refusals(rows, sizeof(rows) / sizeof(rows)[0])

static void an_unknown_key_names_the_nearest(void **state)
{
	static const struct refusal rows[] = {
		{"strems: { streams: [1] }\n", "4:1", "did you mean \"streams\"?"},
		{"streams:\n  workload: [seq-read]\n", "5:3", "did you mean \"workloads\"?"},
		{"shares: [ { name: a, protokol: nfs } ]\n", "4:22", "did you mean \"protocol\"?"},
		{"xyzzy: 1\n", "4:1", "a campaign has the keys campaign, preset"},
		{"shares.name: 1\n", "4:1", "unknown key"},
		{"shares[]: 1\n", "4:1", "unknown key"},
		{"line: { streams: [1], streams.x: 1 }\n", "4:23", "unknown key"},
		{"streams: { workloads: [seq-wirte] }\n", "4:24", "did you mean seq-write?"},
		{"pool: { modes: [seq-read] }\n", "4:17", "durable-write, cold-read, cached-read"},
		{"preset: quik\n", "4:9", "did you mean \"quick\"?"},
		{"preset: tn-bench\n", "4:9", "presets are quick"},
		{"shares: [ { name: a, protocol: nfs, share: /x, client: tow } ]\n", "4:56", "did you mean \"two\"?"},
	};
	(void)state;
	CHECK(rows);
}

static void a_wrong_type_is_refused_where_it_stands(void **state)
{
	static const struct refusal rows[] = {
		{"line: ~\n", "4:7", "nothing stands here"},
		{"line: [1]\n", "4:7", "a list stands here"},
		{"lease: [1]\n", "4:8", "a duration"},
		{"self_load: \"yes\"\n", "4:12", "a text in quotes"},
		{"self_load: maybe\n", "4:12", "true, false"},
		{"iterations: { min: 1.5 }\n", "4:20", "a whole number"},
		{"iterations: { min: \"2\" }\n", "4:20", "a text in quotes"},
		{"iterations: { until: 2 }\n", "4:22", "a percentage such as 2%"},
		{"iterations: { until: 200% }\n", "4:22", "0% to 100%"},
		{"iterations: { until: -1% }\n", "4:22", "0% to 100%"},
		{"iterations: { until: nan% }\n", "4:22", "0% to 100%"},
		{"streams: { streams: 4 }\n", "4:21", "a list of numbers"},
		{"streams: { streams: [] }\n", "4:21", "an empty list"},
		{"streams: { workloads: seq-read }\n", "4:23", "a list of words"},
		{"streams: { order: baab }\n", "4:19", "sequential, abba"},
		{"shares: { name: a }\n", "4:9", "a list of maps"},
		{"shares: [ a ]\n", "4:11", "a map of keys"},
		{"iterations: 3\n", "4:13", "a map of keys"},
		{"pool: { block_size: 3x }\n", "4:21", "its unit is unknown"},
		{"pool: { duration: soon }\n", "4:19", "does not begin with a number"},
		{"!- a\n", "1:1", "a campaign is a map"},
		{"!campaign: [t]\n", "1:11", "takes a text"},
	};
	(void)state;
	CHECK(rows);
}

static void a_value_out_of_range_names_its_limits(void **state)
{
	static const struct refusal rows[] = {
		{"line: { streams: [129] }\n", "4:19", "from 1 to 128"},
		{"streams: { streams: [1, 257] }\n", "4:25", "from 1 to 256"},
		{"streams: { streams: [0, 1] }\n", "4:22", "from 1 to 256"},
		{"pool: { duration: 100ms }\n", "4:19", "from 500ms to 1h"},
		{"pool: { block_size: 512 }\n", "4:21", "from 4 KiB to 64 MiB"},
		{"pool: { queue_depth: 5000 }\n", "4:22", "from 1 to 1024"},
		{"telemetry: { period: 10ms }\n", "4:22", "from 100ms to 60s"},
		{"iterations: { max: 101 }\n", "4:20", "from 1 to 100"},
		{"iterations: { min: 99999999999999999999 }\n", "4:20", "a whole number"},
		{"streams: { streams: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17] }\n", "4:77",
		 "more than 16"},
		{"shares: [ { name: this-name-is-by-far-too-long-for-a-share-of-a-campaign, protocol: nfs } ]\n",
		 "4:19", "1 to 48"},
		{"shares: [ { name: NFS, protocol: nfs } ]\n", "4:19", "a-z, 0-9"},
		{"shares: [ { name: -a, protocol: nfs } ]\n", "4:19", "no '-' at either end"},
	};
	(void)state;
	CHECK(rows);
}

static void what_stands_twice_is_refused(void **state)
{
	static const struct refusal rows[] = {
		{"campaign: u\n", "4:1", "line 1, column 1"},
		{"streams: { streams: [4, 1] }\n", "4:25", "does not ascend"},
		{"streams: { streams: [1, 1] }\n", "4:25", "does not ascend"},
		{"pool: { streams: [max, 1] }\n", "4:24", "max last"},
		{"streams: { streams: [1, max] }\n", "4:25", "a whole number"},
		{"streams: { workloads: [seq-read, seq-read] }\n", "4:34", "twice"},
		{"line: { directions: [to-nas, to-nas] }\n", "4:30", "twice"},
		{"shares:\n" NFS NFS, "6:13", "another share has this name"},
		{"shares: [ { name: a, protocol: nfs, share: /x, export: /y } ]\n", "4:56",
		 "is given as \"share\" too"},
		{"!campaign: t\nnas: { agent: n, pool: /p }\nclients: [ { agent: a }, { agent: a } ]\n", "3:26",
		 "listed twice"},
	};
	(void)state;
	CHECK(rows);
}

static void what_is_missing_is_named_where_it_belongs(void **state)
{
	static const struct refusal rows[] = {
		{"!campaign: t\n", "1:1", "\"nas\" is missing"},
		{"!nas: { agent: n }\n", "1:1", "\"campaign\" is missing"},
		{"!campaign: \"\"\nnas: { agent: n, pool: /p }\nline: off\n", "1:11", "the title is empty"},
		{"!campaign: t\nnas: { pool: x }\n", "2:6", "\"agent\" is missing"},
		{"shares: [ { name: a } ]\n", "4:11", "\"protocol\" is missing"},
		{"shares: [ { protocol: nfs } ]\n", "4:11", "\"name\" is missing"},
		{"shares: [ { name: a, protocol: nfs } ]\n", "4:11", "\"share\" is missing"},
		{"shares: [ { name: a, protocol: smb, share: x, user: u, password: {} } ]\n", "4:66",
		 "\"file\" is missing"},
		{"shares: [ { name: a, protocol: nfs, access: path } ]\n", "4:45", "\"path\" is missing"},
		{"!campaign: t\nnas: { agent: n, address: a }\nclients: [ { agent: c } ]\n", "2:6",
		 "\"pool\" is missing"},
		{"!campaign: t\nnas: { agent: n, pool: /p }\nclients: [ { agent: c } ]\n", "2:6", "give nas.address"},
		{"!campaign: t\nnas: { agent: n, pool: /p, address: a }\n", "1:1", "there is no client"},
		{"!campaign: t\nnas: { agent: n, pool: /p }\nline: off\npool: off\n", "1:1", "nothing to measure"},
		{"!campaign: t\nnas: { agent: n, pool: /p }\nclients: [ { agent: c } ]\nline: off\nshares: [ { name: "
		 "a, protocol: "
		 "nfs, share: /x } ]\n",
		 "5:11", "nobody knows where its server is"},
	};
	(void)state;
	CHECK(rows);
}

static void shares_that_cannot_work_are_refused(void **state)
{
	static const struct refusal rows[] = {
		{"shares: [ { name: a, protocol: nfs, version: 4.2, access: userland, share: /x } ]\n", "4:46",
		 "use access: mount"},
		{"shares: [ { name: a, protocol: smb, version: 2.1, access: userland, share: x } ]\n", "4:46",
		 "use access: mount"},
		{"shares: [ { name: a, protocol: nfs, version: 3.1.1, share: /x } ]\n", "4:46",
		 "NFS: 3, 4.0, 4.1 or 4.2"},
		{"shares: [ { name: a, protocol: smb, version: 1.0, share: x } ]\n", "4:46", "SMB: 2.1"},
		{"shares: [ { name: a, protocol: ftp, share: x } ]\n", "4:32", "nfs, smb"},
		{"shares: [ { name: a, protocol: nfs, share: x } ]\n", "4:44", "absolute"},
		{"shares: [ { name: a, protocol: smb, share: /x } ]\n", "4:44", "a slash"},
		{"shares: [ { name: a, protocol: nfs, share: /x, nconnect: 4 } ]\n", "4:58", "no effect"},
		{"shares: [ { name: a, protocol: smb, share: x, access: mount, nconnect: 4 } ]\n", "4:72", "no effect"},
		{"shares: [ { name: a, protocol: nfs, share: /x, options: hard } ]\n", "4:57", "no effect"},
		{"shares: [ { name: a, protocol: nfs, share: /x, encrypt: true } ]\n", "4:57", "no effect"},
		{"shares: [ { name: a, protocol: nfs, path: /x, share: /x } ]\n", "4:54", "no effect"},
		{"shares: [ { name: a, protocol: nfs, path: /x, access: mount } ]\n", "4:55", "contradict"},
		{"shares: [ { name: a, protocol: nfs, path: x } ]\n", "4:43", "not absolute"},
		{"shares: [ { name: pool, protocol: nfs, share: /x } ]\n", "4:19", "the name is taken"},
		{"shares: [ { name: a, protocol: nfs, share: /x, directory: a/../../b } ]\n", "4:59", "leads out"},
		{"streams: { workloads: [client-warm-read] }\nshares:\n" NFS, "6:5", "needs a client cache"},
		{"shares: [ { name: a, protocol: nfs, share: /x, access: mount, nconnect: [4, 1] } ]\n", "4:77",
		 "does not ascend"},
		{"iterations: { min: 5, max: 3 }\n", "4:28", "below iterations.min"},
		{"pool: { block_size: 5000 }\n", "4:21", "multiple of 4 KiB"},
		{"pool: { size: 1M, block_size: 4M }\n", "4:15", "below the block size"},
	};
	(void)state;
	CHECK(rows);
}

static void a_password_in_the_campaign_is_refused_and_not_repeated(void **state)
{
	static const struct refusal rows[] = {
		{"shares: [ { name: s, protocol: smb, share: b, user: u, password: hunter2 } ]\n", "4:66",
		 "put it in a file"},
		{"shares: [ { name: s, protocol: smb, share: b, user: u, password: [hunter2] } ]\n", "4:66",
		 "put it in a file"},
		{"shares: [ { name: s, protocol: smb, share: b, user: u, password: { hunter2 } } ]\n", "4:68",
		 "put it in a file"},
		{"shares: [ { name: s, protocol: smb, share: b, user: u, password: { value: hunter2 } } ]\n", "4:68",
		 "put it in a file"},
		{"shares: [ { name: s, protocol: smb, share: b, user: u%hunter2 } ]\n", "4:53",
		 "password: { file: PATH }"},
		{"shares: [ { name: s, protocol: smb, share: b, access: mount, options: 'ro,password=hunter2' } ]\n",
		 "4:71", "no mount options here"},
		{"shares: [ { name: s, protocol: smb, share: b, password: { file: /x } } ]\n", "4:57",
		 "without a user"},
	};
	(void)state;
	CHECK(rows);
}

static void too_many_elements_are_refused(void **state)
{
	char text[4000] = "shares:\n";
	size_t used = strlen(text);
	(void)state;
	for (int i = 0; i < 17; i++)
		used += (size_t)snprintf(text + used, sizeof text - used,
					 "  - { name: n%d, protocol: nfs, share: /x }\n", i);
	const struct refusal row = {text, "21:5", "more than 16"};
	check_refusal(&row);
}

static void an_error_need_not_be_asked_for(void **state)
{
	struct nl_campaign c;
	(void)state;
	assert_int_equal(nl_campaign_parse("a: [", 4, "c.yaml", &c, NULL), NL_E_CONFIG);
	assert_int_equal(nl_campaign_parse(HEAD "xyz: 1\n", strlen(HEAD "xyz: 1\n"), "c.yaml", &c, NULL), NL_E_CONFIG);
	assert_int_equal(nl_campaign_preset("nothing", &c, NULL), NL_E_NOT_FOUND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_unknown_key_names_the_nearest),
		cmocka_unit_test(a_wrong_type_is_refused_where_it_stands),
		cmocka_unit_test(a_value_out_of_range_names_its_limits),
		cmocka_unit_test(what_stands_twice_is_refused),
		cmocka_unit_test(what_is_missing_is_named_where_it_belongs),
		cmocka_unit_test(shares_that_cannot_work_are_refused),
		cmocka_unit_test(a_password_in_the_campaign_is_refused_and_not_repeated),
		cmocka_unit_test(too_many_elements_are_refused),
		cmocka_unit_test(an_error_need_not_be_asked_for),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
