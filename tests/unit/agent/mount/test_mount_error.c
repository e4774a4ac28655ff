/* mount_error: words of the helpers, as they print them in the C locale. */
#include "agent/mount/mount_error.h"
#include "unit/agent/fixture.h"

static const struct {
	bool smb;
	const char *text;
	enum nl_code code;
	const char *why;
} cases[] = {
	{false, "mount.nfs: access denied by server while mounting 192.0.2.10:/x\n", NL_E_ACCESS,
	 "does not let this client"},
	{false, "mount.nfs: mounting 192.0.2.10:/x failed, reason given by server: No such file or directory\n",
	 NL_E_NOT_FOUND, "no such export"},
	{false, "mount.nfs: mounting 192.0.2.10:/x failed, reason given by server: Permission denied\n", NL_E_ACCESS,
	 "does not let this client"},
	{false, "mount.nfs: Connection refused for 192.0.2.10:/x on /m\n", NL_E_PEER, "no server listens"},
	{false, "mount.nfs: requested NFS version or transport protocol is not supported for /m\n", NL_E_UNSUPPORTED,
	 "does not offer this version"},
	{false, "mount.nfs: an incorrect mount option was specified for /m\n", NL_E_CONFIG, "one of the options"},
	{false, "mount.nfs: Failed to resolve server nosuch: Name or service not known\n", NL_E_NOT_FOUND,
	 "cannot be resolved"},
	{false, "mount.nfs: Connection timed out for 192.0.2.10:/x on /m\n", NL_E_TIMEOUT, "does not answer"},
	{false, "mount.nfs: Resource temporarily unavailable\n", NL_E_PEER, "resolved now"},
	{false, "mount.nfs: No route to host\n", NL_E_PEER, "cannot be reached"},
	{false,
	 "mount.nfs: rpc.statd is not running but is required for remote locking.\nmount.nfs: Either use '-o nolock'\n",
	 NL_E_UNSUPPORTED, "rpc.statd"},
	{false, "mount.nfs: unknown filesystem type 'nfs4'\n", NL_E_UNSUPPORTED, "no client"},
	{false, "mount.nfs: No such device\n", NL_E_UNSUPPORTED, "no NFS client"},
	{true, "mount error(13): Permission denied\nRefer to the mount.cifs(8) manual page\n", NL_E_ACCESS,
	 "the password"},
	{true, "mount error(2): No such file or directory\nRefer to the mount.cifs(8)\n", NL_E_NOT_FOUND,
	 "no such share"},
	{true, "mount error(22): Invalid argument\n", NL_E_CONFIG, "one of the options"},
	{true, "mount error(111): could not connect to 192.0.2.10Unable to find suitable address.\n", NL_E_PEER,
	 "no server can be reached"},
	{true, "mount error(112): Host is down\n", NL_E_PEER, "does not speak this version"},
	{true, "mount error(115): Operation now in progress\n", NL_E_TIMEOUT, "does not answer"},
	{true, "mount error: could not resolve address for nosuch: Unknown error\n", NL_E_NOT_FOUND,
	 "cannot be resolved"},
	{true, "mount error: cifs filesystem not supported by the system\nmount error(19): No such device\n",
	 NL_E_UNSUPPORTED, "no SMB client"},
	{false, "something new\n", NL_E_SYSTEM, "something new"},
	{true, "", NL_E_SYSTEM, "without a word"},
};

static void words_of_the_helpers_become_codes(void **context)
{
	(void)context;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct nl_error err;
		int code = nl_mount_error_from(cases[i].smb, "the source", cases[i].text, &err);
		if (code != cases[i].code || err.code != cases[i].code || !strstr(err.why, cases[i].why))
			fail_msg("%s -> %d %s", cases[i].text, code, err.why);
		assert_string_equal(err.where, "the source");
	}
}

static void hints_at_manual_pages_and_control_characters_are_left_out(void **context)
{
	(void)context;
	struct nl_error err;
	nl_mount_error_from(true, "s", "\nRefer to the mount.cifs(8) manual page\nodd \033[31mthing\n", &err);
	assert_string_equal(err.why, "odd ?[31mthing");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_of_the_helpers_become_codes),
		cmocka_unit_test(hints_at_manual_pages_and_control_characters_are_left_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
