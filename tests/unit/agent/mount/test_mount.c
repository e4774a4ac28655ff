/*
 * mount: with helper programs of our own in a mount namespace of our own, since this kernel may have no NFS or SMB.
 * They mount a tmpfs, or fail, or hang, and note how they were called.
 */
#include "agent/mount/mount.h"
#include "unit/agent/namespace.h"
#include "unit/agent/scratch.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "agent/mount/unmount.h"
#include "agent/storage/mountinfo.h"
#include "base/parse.h"

#define TIMEOUT_NS (10 * NL_NS_PER_S)

static char base[64], state[80], path[1024];
static struct nl_journal *journal;
static struct nl_error err;

static int setup(void **context)
{
	(void)context;
	test_scratch_make(base);
	snprintf(state, sizeof state, "%s/state", base);
	assert_int_equal(nl_journal_open(state, &journal, &err), 0);
	return 0;
}

static int teardown(void **context)
{
	(void)context;
	nl_journal_close(journal);
	test_scratch_remove(base);
	return 0;
}

static struct nl_mount_request nfs(void)
{
	return (struct nl_mount_request){
		.protocol = "nfs", .server = "nas01", .share = "/export", .version = "4.2", .name = "nfs42"};
}

static struct nl_mount_request smb(void)
{
	return (struct nl_mount_request){.protocol = "smb",
					 .server = "nas01",
					 .share = "bench",
					 .user = "bench",
					 .password = "pass word,with=all",
					 .name = "smb"};
}

/* Hides the machine's helpers behind an empty directory and puts ours there; `lines` is the body of a script. */
static void helper(const char *program, const char *lines)
{
	char file[128];
	CHECK(mount("tmpfs", "/usr/sbin", "tmpfs", 0, "mode=755") == 0);
	struct stat sbin, usr_sbin;
	CHECK(stat("/sbin", &sbin) == 0 && stat("/usr/sbin", &usr_sbin) == 0);
	if (sbin.st_dev != usr_sbin.st_dev)
		CHECK(mount("tmpfs", "/sbin", "tmpfs", 0, "mode=755") == 0);
	if (!program)
		return;
	snprintf(file, sizeof file, "/usr/sbin/%s", program);
	FILE *f = fopen(file, "w");
	CHECK(f != NULL);
	fprintf(f, "#!/bin/sh\necho \"$@\" >%s/called\n%s\n", base, lines);
	fclose(f);
	CHECK(chmod(file, 0755) == 0);
}

static void expect_called(const char *expected)
{
	char file[128], *text;
	snprintf(file, sizeof file, "%s/called", base);
	CHECK(nl_file_read(file, 4096, &text, NULL, &err) == 0);
	if (!strstr(text, expected))
		fprintf(stderr, "called with: %s\n", text);
	CHECK(strstr(text, expected));
	free(text);
}

static unsigned entries(struct nl_journal_entry *newest)
{
	struct nl_journal_entry *list;
	size_t count, damaged;
	CHECK(nl_journal_list(journal, &list, &count, &damaged, &err) == 0);
	if (count && newest)
		*newest = list[0];
	free(list);
	return (unsigned)count;
}

/* Nothing of ours below STATE/mnt, and no entry. */
static bool nothing_left(void)
{
	char mounts[128];
	snprintf(mounts, sizeof mounts, "%s/mnt", state);
	bool none = entries(NULL) == 0 && (rmdir(mounts) == 0 || errno == ENOENT);
	if (!none)
		fprintf(stderr, "%u entries, %s: %s\n", entries(NULL), mounts, strerror(errno));
	return none;
}

static bool mounted(const char *where)
{
	bool is;
	CHECK(nl_mountinfo_is_mount_point(where, &is, &err) == 0);
	return is;
}

static int make(const struct nl_mount_request *request)
{
	memset(&err, 0, sizeof err);
	int code = nl_mount_make(journal, state, "run-1", request, TIMEOUT_NS, path, &err);
	if (code)
		fprintf(stderr, "      %s: %s: %s\n", err.what, err.where, err.why);
	return code;
}

static void in_good(void)
{
	struct nl_mount_request request = nfs();
	struct nl_journal_entry entry;
	char expected[256];
	helper("mount.nfs", "exec mount -t tmpfs none \"$2\"");
	request.nconnect = 4;
	CHECK(make(&request) == 0);
	snprintf(expected, sizeof expected, "%s/mnt/nfs42", state);
	CHECK(strcmp(path, expected) == 0);
	CHECK(mounted(path));
	expect_called("nas01:/export");
	expect_called("nosuid,nodev,noexec,vers=4.2,nconnect=4,");
	CHECK(entries(&entry) == 1);
	CHECK(entry.kind == NL_JOURNAL_MOUNT && strcmp(entry.path, path) == 0);
	CHECK(strcmp(entry.detail, "nas01:/export") == 0 && strcmp(entry.run_id, "run-1") == 0);
	CHECK(make(&request) == NL_E_LEFTOVER);
	CHECK(mounted(path) && entries(NULL) == 1);
	CHECK(nl_mount_undo(journal, &entry, &err) == 0);
	CHECK(!mounted(path) && nothing_left());
	CHECK(nl_mount_undo(journal, &entry, &err) == 0);
}

static void a_share_is_mounted_journalled_and_undone(void **context)
{
	(void)context;
	test_in_namespaces(CLONE_NEWNS, in_good);
}

static void in_secret(void)
{
	struct nl_mount_request request = smb();
	struct nl_journal_entry entry;
	char file[200], *text;
	helper("mount.cifs",
	       "for o in $(echo \"$4\" | tr , ' '); do case $o in credentials=*) f=${o#credentials=};; esac; done\n"
	       "d=$(dirname \"$2\")/../..; cp \"$f\" $d/seen; stat -c %a \"$f\" >$d/mode\n"
	       "exec mount -t tmpfs none \"$2\"");
	CHECK(make(&request) == 0);
	snprintf(file, sizeof file, "%s/seen", base);
	CHECK(nl_file_read(file, 4096, &text, NULL, &err) == 0);
	CHECK(strcmp(text, "username=bench\npassword=pass word,with=all\n") == 0);
	free(text);
	snprintf(file, sizeof file, "%s/mode", base);
	CHECK(nl_file_read(file, 4096, &text, NULL, &err) == 0);
	CHECK(strcmp(text, "600\n") == 0);
	free(text);
	snprintf(file, sizeof file, "%s/called", base);
	CHECK(nl_file_read(file, 4096, &text, NULL, &err) == 0);
	CHECK(!strstr(text, "pass word"));
	free(text);
	snprintf(file, sizeof file, "%s/mnt/.smb.credentials", state);
	CHECK(access(file, F_OK) != 0);
	/* What a crash while mounting would leave goes with the entry. */
	close(open(file, O_CREAT | O_WRONLY, 0600));
	CHECK(entries(&entry) == 1);
	CHECK(nl_mount_undo(journal, &entry, &err) == 0);
	CHECK(access(file, F_OK) != 0 && nothing_left());
}

static void a_password_is_seen_by_the_helper_alone_and_gone_afterwards(void **context)
{
	(void)context;
	test_in_namespaces(CLONE_NEWNS, in_secret);
}

static void in_refused(void)
{
	struct nl_mount_request request = smb();
	char file[200];
	helper("mount.cifs", "echo 'mount error(13): Permission denied' >&2; exit 32");
	CHECK(make(&request) == NL_E_ACCESS);
	CHECK(strcmp(err.where, "//nas01/bench") == 0);
	snprintf(file, sizeof file, "%s/mnt/.smb.credentials", state);
	CHECK(access(file, F_OK) != 0);
	CHECK(nothing_left());
}

static void a_refused_mount_leaves_nothing(void **context)
{
	(void)context;
	test_in_namespaces(CLONE_NEWNS, in_refused);
}

static void in_hanging(void)
{
	struct nl_mount_request request = nfs();
	helper("mount.nfs", "mount -t tmpfs none \"$2\"; exec sleep 60");
	memset(&err, 0, sizeof err);
	CHECK(nl_mount_make(journal, state, "run-1", &request, NL_NS_PER_S, path, &err) == NL_E_TIMEOUT);
	CHECK(strstr(err.why, "mount.nfs did not end within 1 s"));
	CHECK(nothing_left());
}

static void a_helper_that_hangs_is_ended_and_its_mount_undone(void **context)
{
	(void)context;
	test_in_namespaces(CLONE_NEWNS, in_hanging);
}

static void in_lying(void)
{
	struct nl_mount_request request = nfs();
	helper("mount.nfs", "exit 0");
	CHECK(make(&request) == NL_E_SYSTEM);
	CHECK(strstr(err.why, "nothing is mounted"));
	CHECK(nothing_left());
}

static void a_helper_that_mounts_nothing_is_not_believed(void **context)
{
	(void)context;
	test_in_namespaces(CLONE_NEWNS, in_lying);
}

static void in_missing(void)
{
	struct nl_mount_request request = nfs();
	helper(NULL, NULL);
	CHECK(make(&request) == NL_E_NOT_FOUND);
	CHECK(strstr(err.todo, "nfs-common"));
	request = smb();
	CHECK(make(&request) == NL_E_NOT_FOUND);
	CHECK(strstr(err.todo, "cifs-utils"));
	CHECK(nothing_left());
}

static void a_missing_helper_names_its_package(void **context)
{
	(void)context;
	test_in_namespaces(CLONE_NEWNS, in_missing);
}

static void requests_that_lead_elsewhere_are_refused_before_anything_is_made(void **context)
{
	(void)context;
	static const char *const names[] = {"", "..", "a/b", "A", "-a", "a b", "a234567890123456789012345678901x"};
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		struct nl_mount_request request = nfs();
		request.name = names[i];
		assert_int_equal(nl_mount_make(journal, state, "r", &request, TIMEOUT_NS, path, &err), NL_E_CONFIG);
	}
	struct nl_mount_request request = nfs();
	request.options = "suid";
	assert_int_equal(nl_mount_make(journal, state, "r", &request, TIMEOUT_NS, path, &err), NL_E_CONFIG);
	request = smb();
	request.password = "a\nuid=0";
	assert_int_equal(nl_mount_make(journal, state, "r", &request, TIMEOUT_NS, path, &err), NL_E_CONFIG);
	assert_true(nothing_left());
}

static void in_busy(void)
{
	struct nl_mount_request request = nfs();
	struct nl_journal_entry entry;
	char file[1100];
	helper("mount.nfs", "exec mount -t tmpfs none \"$2\"");
	CHECK(make(&request) == 0);
	snprintf(file, sizeof file, "%s/held", path);
	int held = open(file, O_CREAT | O_RDWR, 0600);
	CHECK(held >= 0 && entries(&entry) == 1);
	CHECK(nl_mount_undo(journal, &entry, &err) == 0);
	CHECK(!mounted(path) && nothing_left());
	close(held);
}

static void a_mount_in_use_is_taken_out_lazily(void **context)
{
	(void)context;
	test_in_namespaces(CLONE_NEWNS, in_busy);
}

static void in_stacked(void)
{
	struct nl_mount_request request = nfs();
	struct nl_journal_entry entry;
	helper("mount.nfs", "mount -t tmpfs none \"$2\"; exec mount -t tmpfs none \"$2\"");
	CHECK(make(&request) == 0);
	CHECK(entries(&entry) == 1);
	CHECK(nl_mount_undo(journal, &entry, &err) == 0);
	CHECK(!mounted(path) && nothing_left());
}

static void mounts_on_one_another_all_go(void **context)
{
	(void)context;
	test_in_namespaces(CLONE_NEWNS, in_stacked);
}

static void in_dirty(void)
{
	struct nl_mount_request request = nfs();
	struct nl_journal_entry entry;
	char file[1100];
	helper("mount.nfs", "exec mount -t tmpfs none \"$2\"");
	CHECK(make(&request) == 0 && umount(path) == 0);
	snprintf(file, sizeof file, "%s/stray", path);
	close(open(file, O_CREAT | O_RDWR, 0600));
	CHECK(entries(&entry) == 1);
	CHECK(nl_mount_undo(journal, &entry, &err) == NL_E_LEFTOVER);
	CHECK(strcmp(err.where, path) == 0 && strstr(err.why, "files were written"));
	CHECK(access(file, F_OK) == 0 && entries(NULL) == 1);
}

static void files_in_the_mount_point_itself_stay_and_are_told(void **context)
{
	(void)context;
	test_in_namespaces(CLONE_NEWNS, in_dirty);
}

static void in_foreign(void)
{
	static const char *const paths[] = {"/usr",         "/mnt",  "/", "", "mnt/x", "/tmp/mnt/../mnt/x",
					    "/tmp/other/x", "/mnt/X"};
	CHECK(mount("tmpfs", "/mnt", "tmpfs", 0, NULL) == 0);
	for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
		struct nl_journal_entry entry = {.kind = NL_JOURNAL_MOUNT};
		snprintf(entry.path, sizeof entry.path, "%s", paths[i]);
		CHECK(nl_mount_undo(journal, &entry, &err) == NL_E_LEFTOVER);
	}
	CHECK(mounted("/mnt"));
}

static void an_entry_that_names_another_place_is_refused(void **context)
{
	(void)context;
	test_in_namespaces(CLONE_NEWNS, in_foreign);
}

int main(void)
{
#define NL_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		NL_TEST(a_share_is_mounted_journalled_and_undone),
		NL_TEST(a_password_is_seen_by_the_helper_alone_and_gone_afterwards),
		NL_TEST(a_refused_mount_leaves_nothing),
		NL_TEST(a_helper_that_hangs_is_ended_and_its_mount_undone),
		NL_TEST(a_helper_that_mounts_nothing_is_not_believed),
		NL_TEST(a_missing_helper_names_its_package),
		NL_TEST(requests_that_lead_elsewhere_are_refused_before_anything_is_made),
		NL_TEST(a_mount_in_use_is_taken_out_lazily),
		NL_TEST(mounts_on_one_another_all_go),
		NL_TEST(files_in_the_mount_point_itself_stay_and_are_told),
		NL_TEST(an_entry_that_names_another_place_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
