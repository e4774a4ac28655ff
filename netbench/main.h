/*
 * main: the parts of the program netbench.
 */
#ifndef NL_NETBENCH_MAIN_H
#define NL_NETBENCH_MAIN_H

#include <stdatomic.h>
#include <stdio.h>

#include "netbench/netbench.h"

/* True after SIGINT or SIGTERM; a second one ends the program at once. */
extern atomic_bool nl_netbench_interrupted;

/* The commands: argv[0] is the command's name. Each returns an nl_code and fills *err. */
int nl_netbench_command_server(int argc, char **argv, struct nl_error *err);
int nl_netbench_command_client(int argc, char **argv, struct nl_error *err);

/* Text output of a client's run. One line per interval and flow, when both sides of it are known. */
#define NL_NETBENCH_PRINT_LATE 16 /* how many intervals one side may lag behind the other */
struct nl_netbench_print {
	FILE *out;
	bool both_ways; /* name the direction in each line */
	struct nl_netbench_interval sides[NL_NETBENCH_FLOWS][2][NL_NETBENCH_PRINT_LATE]; /* by flow, receiver, index */
	bool known[NL_NETBENCH_FLOWS][2][NL_NETBENCH_PRINT_LATE];
};
void nl_netbench_print_start(struct nl_netbench_print *print, const struct nl_netbench_config *config,
			     const char *host);
void nl_netbench_print_interval(void *print, const struct nl_netbench_interval *interval);
void nl_netbench_print_result(struct nl_netbench_print *print, const struct nl_netbench_result *result);

/* nl_netbench_document writes the run as one JSON document with start, intervals and end; `err` NULL when it went well.
 */
int nl_netbench_document(FILE *out, const struct nl_netbench_config *config, const char *host,
			 const struct nl_netbench_result *result, const struct nl_error *failure, struct nl_error *err);

#endif
