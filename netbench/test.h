/*
 * test: what client and server do alike while a test runs: samples on time, keep-alive, the end, control CPU.
 */
#ifndef NL_NETBENCH_TEST_H
#define NL_NETBENCH_TEST_H

#include "netbench/frame.h"
#include "netbench/group.h"

/* One end's running test. Belongs to the conducting thread. */
struct nl_nb_test {
	struct nl_nb_group group;
	int control; /* non-blocking; the owner's */
	struct nl_nb_reader *reader;
	int64_t next_sample_ns;             /* when the next interval ends; INT64_MAX after the last */
	int64_t next_alive_ns;              /* when to say that we live */
	int64_t heard_ns;                   /* when the other end last said something */
	int64_t cpu_user_ns, cpu_system_ns; /* of this thread at the start */
};

/* nl_nb_test_start opens the streams at start_ns. */
void nl_nb_test_start(struct nl_nb_test *test, int64_t start_ns);

/*
 * nl_nb_test_take_samples calls `take` for each flow when an interval is over, or when the test has ended, for what is
 * left. Returns the first failure of `take`.
 */
typedef int nl_nb_test_take_fn(void *context, const struct nl_netbench_interval *interval, struct nl_error *err);
int nl_nb_test_take_samples(struct nl_nb_test *test, nl_nb_test_take_fn *take, void *context, struct nl_error *err);

/* nl_nb_test_alive sends "alive" when it is time. */
int nl_nb_test_alive(struct nl_nb_test *test, struct nl_error *err);

/*
 * nl_nb_test_wait waits for a frame, the streams' end, another descriptor (`wake`, -1 none) or the next thing to do, at
 * most 0.1 s. *frame is NULL or the caller's. NL_E_PEER when the other end closed, NL_E_TIMEOUT when it was silent for
 * silence_ns.
 */
int nl_nb_test_wait(struct nl_nb_test *test, int wake, int64_t silence_ns, json_t **frame, struct nl_error *err);

/* nl_nb_test_overdue: the streams should have ended by now, even with the drain. */
bool nl_nb_test_overdue(const struct nl_nb_test *test);

/* nl_nb_test_fill joins the streams and fills this end's part of the result. */
int nl_nb_test_fill(struct nl_nb_test *test, struct nl_netbench_result *result, struct nl_error *err);

#endif
