/*
 * test_helper: the userland engines without a server: the helper process comes and goes, and failures are said before a
 * load starts.
 *
 * With real servers they are tested in the lab.
 */
#include "unit/agent/io/loads.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <netinet/in.h>

#include "unit/agent/namespace.h"

#include "agent/io/nfs.h"
#include "agent/io/remote.h"
#include "agent/io/smb.h"

static struct nl_share_target smb_target(uint16_t port)
{
	return (struct nl_share_target){.server = "127.0.0.1",
					.share = "bench",
					.version = "3.1.1",
					.user = "u",
					.password = "not-in-argv",
					.port = port};
}

/* A port of the loopback that nothing listens at: bound, but never listening. */
static int closed_port(uint16_t *port)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof address;
	int holder = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(holder, (struct sockaddr *)&address, size), 0);
	assert_int_equal(getsockname(holder, (struct sockaddr *)&address, &size), 0);
	*port = ntohs(address.sin_port);
	return holder;
}

static void the_helper_can_load_the_library(void **state)
{
	char reason[200] = "";
	(void)state;
	if (!nl_engine_probe(NL_ENGINE_LIBSMBCLIENT, reason, sizeof reason))
		fail_msg("%s", reason);
	if (!nl_engine_probe(NL_ENGINE_LIBNFS, reason, sizeof reason))
		fail_msg("%s", reason);
}

static void a_server_that_is_not_there_fails_the_load_before_it_starts(void **state)
{
	uint16_t port;
	struct nl_error err = {.code = NL_E_OK};
	struct nl_load *load;
	(void)state;
	int holder = closed_port(&port);
	struct nl_share_target share = smb_target(port);
	struct nl_job job = test_job(NL_ENGINE_LIBSMBCLIENT, "");
	job.share = &share;
	assert_int_equal(nl_load_make(&job, NULL, &load, &err), NL_E_PEER);
	assert_non_null(strstr(err.where, "127.0.0.1:bench"));
	assert_null(strstr(err.why, "not-in-argv"));
	assert_int_equal(nl_share_check(NL_ENGINE_LIBSMBCLIENT, &share, "", 10 * NL_NS_PER_S, NULL, NULL, &err),
			 NL_E_PEER);
	close(holder);
}

/* A server that takes connections and says nothing: the caller's time limit ends it, not the library's. */
static void a_silent_server_is_given_up_in_time(void **state)
{
	uint16_t port;
	struct nl_error err = {.code = NL_E_OK};
	(void)state;
	int holder = closed_port(&port);
	assert_int_equal(listen(holder, 8), 0);
	struct nl_share_target share = smb_target(port);
	int64_t began = nl_mono_ns();
	assert_int_equal(nl_share_check(NL_ENGINE_LIBSMBCLIENT, &share, "", NL_NS_PER_S, NULL, NULL, &err),
			 NL_E_TIMEOUT);
	assert_true(nl_mono_ns() - began < 5 * NL_NS_PER_S);
	/* The helper is gone with it: this process has no children left. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	close(holder);
}

static void a_load_that_waits_for_a_silent_server_can_be_cancelled(void **state)
{
	uint16_t port;
	struct nl_error err = {.code = NL_E_OK};
	struct nl_load *load;
	atomic_bool cancel = true;
	(void)state;
	int holder = closed_port(&port);
	assert_int_equal(listen(holder, 8), 0);
	struct nl_share_target share = smb_target(port);
	struct nl_job job = test_job(NL_ENGINE_LIBSMBCLIENT, "");
	job.share = &share;
	assert_int_equal(nl_load_make(&job, &cancel, &load, &err), NL_E_CANCELLED);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	close(holder);
}

static void a_helper_that_dies_is_told_from_one_that_answers(void **state)
{
	uint16_t port;
	struct nl_error err = {.code = NL_E_OK};
	struct nl_remote remote;
	(void)state;
	int holder = closed_port(&port);
	assert_int_equal(listen(holder, 8), 0);
	struct nl_share_target share = smb_target(port);
	struct nl_helper_request request = {.task = NL_HELPER_CHECK};
	const struct nl_job job = {
		.engine = NL_ENGINE_LIBSMBCLIENT, .directory = "", .file_prefix = "", .share = &share};
	nl_job_copy_init(&request.copy, &job);
	assert_int_equal(nl_remote_start(&remote, &request, -1, NULL, &err), 0);
	assert_int_equal(kill(remote.pid, SIGKILL), 0);
	assert_int_equal(nl_remote_listen(&remote, nl_mono_ns() + 10 * NL_NS_PER_S, NULL, NULL, &err), NL_E_PEER);
	assert_non_null(strstr(err.why, "signal 9"));
	nl_remote_end(&remote);
	close(holder);
}

static void a_helper_without_an_agent_does_nothing(void **state)
{
	char path[4096];
	struct nl_child_result result;
	struct nl_error err;
	(void)state;
	ssize_t len = readlink("/proc/self/exe", path, sizeof path - 1);
	assert_true(len > 0);
	path[len] = 0;
	const char *const argv[] = {path, NL_HELPER_ARGUMENT, NULL};
	assert_int_equal(nl_child_run(argv, 10 * NL_NS_PER_S, 4096, &result, &err), 0);
	assert_int_equal(result.exit_status, nl_code_exit_status(NL_E_USAGE));
	assert_non_null(strstr(result.err, "own use"));
	nl_child_result_fini(&result);
}

/* In a network of its own, where there is nothing at all. */
static void without_a_network(void)
{
	struct nl_share_target share = {.server = "127.0.0.1", .share = "/export"};
	struct nl_job job = test_job(NL_ENGINE_LIBNFS, "");
	struct nl_error err = {.code = NL_E_OK};
	struct nl_load *load;
	job.share = &share;
	CHECK(nl_load_make(&job, NULL, &load, &err) == NL_E_PEER);
	CHECK(strstr(err.where, "127.0.0.1:/export"));
	CHECK(nl_share_check(NL_ENGINE_LIBNFS, &share, "", NL_NS_PER_S, NULL, NULL, &err) == NL_E_PEER);
	CHECK(nl_share_remove(NL_ENGINE_LIBNFS, &share, "", "load", 2, NL_NS_PER_S, &err) == NL_E_PEER);
}

static void an_nfs_server_that_is_not_there_fails_the_load_before_it_starts(void **state)
{
	(void)state;
	test_in_namespaces(CLONE_NEWNET, without_a_network);
}

static void refusals_hidden_in_libnfs_texts_are_found(void **state)
{
	(void)state;
	assert_int_equal(nl_nfs_errno(-EFAULT, "NFS: Write failed with NFS3ERR_NOSPC(-28)"), -ENOSPC);
	assert_int_equal(nl_nfs_errno(-EFAULT, "Socket failed with POLLHUP"), -ECONNRESET);
	assert_int_equal(nl_nfs_errno(-EFAULT, "NFS3ERR_ odd (7)"), -ECONNRESET);
	assert_int_equal(nl_nfs_errno(-EFAULT, NULL), -ECONNRESET);
	assert_int_equal(nl_nfs_errno(-ENOENT, "NFS3ERR_NOENT(-2)"), -ENOENT);
	assert_int_equal(nl_nfs_errno(-EINTR, ""), -ETIMEDOUT);
}

static void names_are_escaped_in_urls(void **state)
{
	char url[200], small[20];
	const struct nl_share_target share = {.server = "nas", .share = "my share"};
	(void)state;
	assert_true(nl_smb_url(&share, "/a b/c", "x?%#-1", url, sizeof url));
	assert_string_equal(url, "smb://nas/my%20share/a%20b/c/x%3F%25%23-1");
	assert_true(nl_smb_url(&share, "", "", url, sizeof url));
	assert_string_equal(url, "smb://nas/my%20share");
	assert_false(nl_smb_url(&share, "directory", "file", small, sizeof small));
}

static void a_share_function_refuses_what_makes_no_sense(void **state)
{
	struct nl_share_target share = smb_target(0);
	struct nl_error err = {.code = NL_E_OK};
	(void)state;
	assert_int_equal(nl_share_remove(NL_ENGINE_LIBSMBCLIENT, &share, "d", "", 1, NL_NS_PER_S, &err), NL_E_CONFIG);
	assert_int_equal(nl_share_remove(NL_ENGINE_LIBSMBCLIENT, &share, "d", "../x", 1, NL_NS_PER_S, &err),
			 NL_E_CONFIG);
	assert_int_equal(nl_share_remove_directory(NL_ENGINE_LIBSMBCLIENT, &share, "/", NL_NS_PER_S, &err),
			 NL_E_CONFIG);
	assert_int_equal(nl_share_check(NL_ENGINE_PSYNC, &share, "d", NL_NS_PER_S, NULL, NULL, &err), NL_E_CONFIG);
}

int main(int argc, char **argv)
{
	bool is_helper;
	int exit_status = nl_io_helper_main(argc, argv, &is_helper);
	if (is_helper)
		return exit_status;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_helper_can_load_the_library),
		cmocka_unit_test(a_server_that_is_not_there_fails_the_load_before_it_starts),
		cmocka_unit_test(a_silent_server_is_given_up_in_time),
		cmocka_unit_test(a_load_that_waits_for_a_silent_server_can_be_cancelled),
		cmocka_unit_test(a_helper_that_dies_is_told_from_one_that_answers),
		cmocka_unit_test(a_helper_without_an_agent_does_nothing),
		cmocka_unit_test(an_nfs_server_that_is_not_there_fails_the_load_before_it_starts),
		cmocka_unit_test(refusals_hidden_in_libnfs_texts_are_found),
		cmocka_unit_test(names_are_escaped_in_urls),
		cmocka_unit_test(a_share_function_refuses_what_makes_no_sense),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
