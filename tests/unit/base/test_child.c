/*
 * Tests of base/child. The tests may use a shell; the product does not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/time.h"

#define LONG_NS (60 * NL_NS_PER_S)

static struct nl_child_result result;
static struct nl_error err;

static int run_shell(const char *script, int64_t timeout_ns, size_t max_output)
{
	const char *argv[] = {"/bin/sh", "-c", script, NULL};
	return nl_child_run(argv, timeout_ns, max_output, &result, &err);
}

static void output_and_exit_status_are_captured(void **state)
{
	(void)state;
	assert_int_equal(run_shell("echo out; echo err >&2; exit 3", LONG_NS, 100), 0);
	assert_int_equal(result.exit_status, 3);
	assert_string_equal(result.out, "out\n");
	assert_string_equal(result.err, "err\n");
	assert_int_equal(result.out_len, 4);
	nl_child_result_fini(&result);
	assert_null(result.out);
}

static void a_program_is_found_in_the_path_and_silence_is_an_empty_text(void **state)
{
	(void)state;
	const char *argv[] = {"true", NULL};
	assert_int_equal(nl_child_run(argv, LONG_NS, 100, &result, &err), 0);
	assert_int_equal(result.exit_status, 0);
	assert_string_equal(result.out, "");
	assert_string_equal(result.err, "");
	nl_child_result_fini(&result);
}

static void a_missing_program_is_told(void **state)
{
	(void)state;
	const char *argv[] = {"/no/such/program", NULL};
	assert_int_equal(nl_child_run(argv, LONG_NS, 100, &result, &err), NL_E_NOT_FOUND);
	assert_non_null(strstr(err.what, "/no/such/program"));
	const char *no_program[] = {"/", NULL};
	assert_int_equal(nl_child_run(no_program, LONG_NS, 100, &result, &err), NL_E_ACCESS);
	nl_child_result_fini(&result);
}

static void output_above_the_limit_is_dropped_and_the_child_goes_on(void **state)
{
	(void)state;
	assert_int_equal(run_shell("head -c 1000000 /dev/zero | tr '\\0' x; exit 7", LONG_NS, 1000), 0);
	assert_int_equal(result.exit_status, 7);
	assert_int_equal(result.out_len, 1000);
	assert_int_equal(strlen(result.out), 1000);
	nl_child_result_fini(&result);
	assert_int_equal(run_shell("echo x", LONG_NS, 0), 0);
	assert_string_equal(result.out, "");
	nl_child_result_fini(&result);
}

static void a_death_by_signal_is_128_and_more(void **state)
{
	(void)state;
	assert_int_equal(run_shell("kill -9 $$", LONG_NS, 100), 0);
	assert_int_equal(result.exit_status, 128 + SIGKILL);
	nl_child_result_fini(&result);
}

static void the_child_sees_the_c_locale_an_empty_stdin_and_no_descriptor_of_ours(void **state)
{
	(void)state;
	int fd = open("/dev/null", O_RDONLY);
	assert_true(fd > 2);
	setenv("LC_ALL", "en_US.UTF-8", 1);
	assert_int_equal(run_shell("echo $LC_ALL; cat; cd /proc/self/fd && echo *", LONG_NS, 1000), 0);
	/* The shell itself may hold descriptors above 9 or the one it lists; none of ours between. */
	assert_memory_equal(result.out, "C\n0 1 2", 7);
	nl_child_result_fini(&result);
	char inherited[64];
	snprintf(inherited, sizeof inherited, "test ! -e /proc/self/fd/%d", fd);
	assert_int_equal(run_shell(inherited, LONG_NS, 1000), 0);
	assert_int_equal(result.exit_status, 0);
	nl_child_result_fini(&result);
	close(fd);
}

static void the_child_leads_its_own_process_group_without_our_signal_mask(void **state)
{
	(void)state;
	sigset_t set, before;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, &before);
	assert_int_equal(run_shell("kill -TERM $$; echo alive", LONG_NS, 1000), 0);
	sigprocmask(SIG_SETMASK, &before, NULL);
	assert_int_equal(result.exit_status, 128 + SIGTERM);
	nl_child_result_fini(&result);
	assert_int_equal(run_shell("set -- $(cat /proc/$$/stat); test $1 = $5", LONG_NS, 1000), 0);
	assert_int_equal(result.exit_status, 0);
	nl_child_result_fini(&result);
}

/*
 * The whole group is killed, also what ignores SIGTERM: every member holds the write end of a pipe, so its end of file
 * says that none is left.
 */
static void a_child_that_takes_too_long_is_ended_with_its_whole_group(void **state)
{
	(void)state;
	char script[200], byte;
	int fds[2];
	assert_int_equal(pipe(fds), 0);
	/* Descriptors of ours are closed in the child, so it opens the pipe by our /proc entry. */
	snprintf(script, sizeof script,
		 "exec 9>/proc/%d/fd/%d; trap '' TERM; (trap '' TERM; sleep 300; sleep 300)& sleep 300; sleep 300",
		 (int)getpid(), fds[1]);
	int64_t begun_ns = nl_mono_ns();
	assert_int_equal(run_shell(script, NL_NS_PER_S / 5, 1000), NL_E_TIMEOUT);
	assert_true(nl_mono_ns() - begun_ns < 30 * NL_NS_PER_S);
	assert_non_null(strstr(err.why, "0.2 s"));
	close(fds[1]);
	struct pollfd p = {fds[0], POLLIN, 0};
	assert_int_equal(poll(&p, 1, 20000), 1);
	assert_int_equal(read(fds[0], &byte, 1), 0);
	close(fds[0]);
	nl_child_result_fini(&result);
}

static void a_daemon_that_keeps_the_pipe_does_not_keep_us(void **state)
{
	(void)state;
	int64_t begun_ns = nl_mono_ns();
	assert_int_equal(run_shell("sleep 30 & echo $!", LONG_NS, 1000), 0);
	assert_true(nl_mono_ns() - begun_ns < 20 * NL_NS_PER_S);
	int pid = 0;
	assert_int_equal(sscanf(result.out, "%d", &pid), 1);
	assert_int_equal(kill(pid, SIGKILL), 0);
	nl_child_result_fini(&result);
}

static void it_works_when_our_standard_descriptors_are_closed(void **state)
{
	(void)state;
	int saved[3];
	for (int i = 0; i < 3; i++) {
		saved[i] = fcntl(i, F_DUPFD_CLOEXEC, 10);
		close(i);
	}
	int code = run_shell("echo out; echo err >&2", LONG_NS, 100);
	for (int i = 0; i < 3; i++) {
		if (saved[i] < 0)
			continue;
		dup2(saved[i], i);
		close(saved[i]);
	}
	assert_int_equal(code, 0);
	assert_string_equal(result.out, "out\n");
	assert_string_equal(result.err, "err\n");
	nl_child_result_fini(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(output_and_exit_status_are_captured),
		cmocka_unit_test(a_program_is_found_in_the_path_and_silence_is_an_empty_text),
		cmocka_unit_test(a_missing_program_is_told),
		cmocka_unit_test(output_above_the_limit_is_dropped_and_the_child_goes_on),
		cmocka_unit_test(a_death_by_signal_is_128_and_more),
		cmocka_unit_test(the_child_sees_the_c_locale_an_empty_stdin_and_no_descriptor_of_ours),
		cmocka_unit_test(the_child_leads_its_own_process_group_without_our_signal_mask),
		cmocka_unit_test(a_child_that_takes_too_long_is_ended_with_its_whole_group),
		cmocka_unit_test(a_daemon_that_keeps_the_pipe_does_not_keep_us),
		cmocka_unit_test(it_works_when_our_standard_descriptors_are_closed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
