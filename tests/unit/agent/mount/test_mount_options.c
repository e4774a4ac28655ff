/* mount_options: what may be asked, and what is handed to the helper. */
#include "agent/mount/mount_options.h"
#include "unit/agent/fixture.h"

static struct nl_error err;
static char text[512];

static struct nl_mount_request nfs(const char *options)
{
	return (struct nl_mount_request){
		.protocol = "nfs", .server = "nas01", .share = "/mnt/tank/bench", .version = "4.2", .options = options};
}

static struct nl_mount_request smb(const char *options)
{
	return (struct nl_mount_request){.protocol = "smb",
					 .server = "192.0.2.10",
					 .share = "bench",
					 .version = "3.1.1",
					 .user = "bench",
					 .password = "secret",
					 .options = options};
}

static void expect_refused(const struct nl_mount_request *request, const char *where, const char *why)
{
	assert_int_equal(nl_mount_options_check(request, &err), NL_E_CONFIG);
	assert_string_equal(err.where, where);
	if (!strstr(err.why, why))
		fail_msg("'%s' is not in '%s'", why, err.why);
}

static void fields_become_options_and_ours_are_added(void **context)
{
	(void)context;
	struct nl_mount_request r = nfs("noac,timeo=600");
	r.nconnect = 4;
	r.rsize_bytes = 1048576;
	r.port = 12049;
	assert_int_equal(nl_mount_options_write(&r, NULL, text, sizeof text, &err), 0);
	assert_string_equal(text,
			    "nosuid,nodev,noexec,vers=4.2,nconnect=4,nosharecache,retry=0,port=12049,rsize=1048576,"
			    "noac,timeo=600");
	r = nfs("lock,sharecache");
	r.version = "3";
	assert_int_equal(nl_mount_options_write(&r, NULL, text, sizeof text, &err), 0);
	assert_string_equal(text, "nosuid,nodev,noexec,vers=3,retry=0,lock,sharecache");
	r = nfs(NULL);
	r.version = "3";
	assert_int_equal(nl_mount_options_write(&r, NULL, text, sizeof text, &err), 0);
	assert_non_null(strstr(text, ",nolock"));
}

static void a_password_is_in_no_option(void **context)
{
	(void)context;
	struct nl_mount_request r = smb("cache=none");
	r.encrypt = true;
	assert_int_equal(nl_mount_options_write(&r, "/state/mnt/.x.credentials", text, sizeof text, &err), 0);
	assert_string_equal(text,
			    "nosuid,nodev,noexec,credentials=/state/mnt/.x.credentials,vers=3.1.1,seal,nosharesock,"
			    "cache=none");
	assert_int_equal(nl_mount_options_write(&r, NULL, text, sizeof text, &err), 0);
	assert_non_null(strstr(text, ",guest,"));
	assert_null(strstr(text, "secret"));
	r = smb("multichannel,max_channels=4");
	assert_int_equal(nl_mount_options_write(&r, NULL, text, sizeof text, &err), 0);
	assert_null(strstr(text, "nosharesock"));
}

static void an_unknown_option_names_the_nearest(void **context)
{
	(void)context;
	struct nl_mount_request r = nfs("rw,ncnnect=4");
	expect_refused(&r, "ncnnect", "known to be harmless");
	assert_non_null(strstr(err.todo, "`nconnect`"));
	r = smb("max_chanels=4");
	expect_refused(&r, "max_chanels", "known to be harmless");
	assert_non_null(strstr(err.todo, "`max_channels`"));
	r = nfs("zzzzzzzz");
	expect_refused(&r, "zzzzzzzz", "");
	assert_string_equal(err.todo, "");
}

static void options_of_the_other_protocol_are_unknown(void **context)
{
	(void)context;
	struct nl_mount_request r = nfs("multichannel");
	expect_refused(&r, "multichannel", "");
	r = smb("nconnect=4");
	expect_refused(&r, "nconnect", "");
}

static void secrets_paths_and_what_outlives_a_mount_are_refused(void **context)
{
	(void)context;
	static const char *const bad[] = {"password=x",
					  "credentials=/etc/shadow",
					  "user=root",
					  "vers=3",
					  "port=1",
					  "bg",
					  "fsc",
					  "prefixpath=/x",
					  "exec",
					  "suid",
					  "remount",
					  "bind",
					  "clientaddr=1.2.3.4",
					  "context=x",
					  "cruid=0",
					  "snapshot=1",
					  "x-systemd.automount"};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct nl_mount_request r = nfs(bad[i]);
		assert_int_equal(nl_mount_options_check(&r, &err), NL_E_CONFIG);
		r = smb(bad[i]);
		assert_int_equal(nl_mount_options_check(&r, &err), NL_E_CONFIG);
	}
	struct nl_mount_request r = smb("password=x");
	expect_refused(&r, "password", "field `password`");
	assert_null(strstr(err.why, "=x"));
}

static void values_have_their_form(void **context)
{
	(void)context;
	static const struct {
		const char *options, *where, *why;
	} bad[] = {
		{"timeo", "timeo", "a number"},
		{"timeo=", "timeo", "a number"},
		{"timeo=6x", "timeo", "a number"},
		{"timeo=99999999999", "timeo", "a number"},
		{"hard=1", "hard", "no value"},
		{"lookupcache=some", "lookupcache", "one of: all none pos positive"},
		{"lookupcache=al", "lookupcache", "one of"},
		{"noac,noac", "noac", "twice"},
		{"noac,,hard", "options", "empty"},
		{",noac", "options", "empty"},
		{"=4", "options", "empty"},
	};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct nl_mount_request r = nfs(bad[i].options);
		expect_refused(&r, bad[i].where, bad[i].why);
	}
	struct nl_mount_request r = smb("file_mode=0888");
	expect_refused(&r, "file_mode", "octal");
	r = smb("domain=A B");
	expect_refused(&r, "domain", "plain word");
	r = nfs("nconnect=4");
	r.nconnect = 2;
	expect_refused(&r, "nconnect", "a field of the share");
	r.protocol = "afp";
	expect_refused(&r, "protocol", "neither");
	r.protocol = NULL;
	expect_refused(&r, "protocol", "neither");
}

static void a_source_has_the_form_of_its_helper(void **context)
{
	(void)context;
	struct nl_mount_request r = nfs(NULL);
	assert_int_equal(nl_mount_source_write(&r, text, sizeof text, &err), 0);
	assert_string_equal(text, "nas01:/mnt/tank/bench");
	r.server = "2001:db8::10";
	assert_int_equal(nl_mount_source_write(&r, text, sizeof text, &err), 0);
	assert_string_equal(text, "[2001:db8::10]:/mnt/tank/bench");
	r = smb(NULL);
	assert_int_equal(nl_mount_source_write(&r, text, sizeof text, &err), 0);
	assert_string_equal(text, "//192.0.2.10/bench");
}

static void names_that_could_be_something_else_are_refused(void **context)
{
	(void)context;
	static const char *const servers[] = {"", "-o", "a b", "a/b", "a,b", "a\nb", "[::1]"};
	static const char *const exports[] = {"", "relative", "/a\nb"};
	static const char *const shares[] = {"", "/bench", "a,b", "a\\b", "-x", "a\tb"};
	for (size_t i = 0; i < sizeof servers / sizeof servers[0]; i++) {
		struct nl_mount_request r = nfs(NULL);
		r.server = servers[i];
		assert_int_equal(nl_mount_source_write(&r, text, sizeof text, &err), NL_E_CONFIG);
		assert_string_equal(err.where, "server");
	}
	for (size_t i = 0; i < sizeof exports / sizeof exports[0]; i++) {
		struct nl_mount_request r = nfs(NULL);
		r.share = exports[i];
		assert_int_equal(nl_mount_source_write(&r, text, sizeof text, &err), NL_E_CONFIG);
	}
	for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
		struct nl_mount_request r = smb(NULL);
		r.share = shares[i];
		assert_int_equal(nl_mount_source_write(&r, text, sizeof text, &err), NL_E_CONFIG);
	}
	struct nl_mount_request r = nfs(NULL);
	r.version = "4.9";
	assert_int_equal(nl_mount_source_write(&r, text, sizeof text, &err), NL_E_CONFIG);
	assert_string_equal(err.where, "version");
	r = smb(NULL);
	r.nconnect = 4;
	assert_int_equal(nl_mount_source_write(&r, text, sizeof text, &err), NL_E_CONFIG);
	r = nfs(NULL);
	r.encrypt = true;
	assert_int_equal(nl_mount_source_write(&r, text, sizeof text, &err), NL_E_CONFIG);
}

static void options_too_long_for_their_room_are_refused_not_cut(void **context)
{
	(void)context;
	char tiny[40];
	struct nl_mount_request r = nfs("timeo=600");
	assert_int_equal(nl_mount_options_write(&r, NULL, tiny, sizeof tiny, &err), NL_E_CONFIG);
	assert_non_null(strstr(err.why, "too long"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_become_options_and_ours_are_added),
		cmocka_unit_test(a_password_is_in_no_option),
		cmocka_unit_test(an_unknown_option_names_the_nearest),
		cmocka_unit_test(options_of_the_other_protocol_are_unknown),
		cmocka_unit_test(secrets_paths_and_what_outlives_a_mount_are_refused),
		cmocka_unit_test(values_have_their_form),
		cmocka_unit_test(a_source_has_the_form_of_its_helper),
		cmocka_unit_test(names_that_could_be_something_else_are_refused),
		cmocka_unit_test(options_too_long_for_their_room_are_refused_not_cut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
