/*
 * Link facts: the kernel's route answer, and the loopback interface as the one link every machine has.
 */
#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <linux/netlink.h>
#include <linux/rtnetlink.h>

#include "netbench/link.h"

static struct nl_nb_address loopback(void)
{
	struct nl_nb_address address = {.len = sizeof(struct sockaddr_in)};
	struct sockaddr_in *in = (struct sockaddr_in *)&address.storage;

	in->sin_family = AF_INET;
	in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return address;
}

static void loopback_is_found_and_has_no_speed(void **state)
{
	struct nl_nb_address address = loopback();
	struct nl_netbench_link link;

	(void)state;
	nl_nb_link_facts(&address, &address, &link);
	assert_int_equal(if_nametoindex(link.interface), 1);
	assert_int_equal(link.speed_bps, -1);
	assert_true(link.mtu_bytes > 1000);
	assert_false(link.ipv6);
	assert_false(link.vlan);
}

static void an_answer_that_is_cut_or_lies_about_lengths_names_no_interface(void **state)
{
	struct {
		struct nlmsghdr header;
		struct rtmsg route;
		struct rtattr attribute;
		int index;
	} answer = {
		.header = {.nlmsg_len = sizeof(answer), .nlmsg_type = RTM_NEWROUTE},
		.attribute = {.rta_len = RTA_LENGTH(sizeof(int)), .rta_type = RTA_OIF},
		.index = 7,
	};

	(void)state;
	assert_int_equal(nl_nb_link_route(&answer, sizeof(answer)), 7);
	for (size_t len = 0; len < sizeof(answer); len++)
		assert_int_equal(nl_nb_link_route(&answer, len), 0);
	answer.attribute.rta_len = 400;
	assert_int_equal(nl_nb_link_route(&answer, sizeof(answer)), 0);
	answer.attribute.rta_len = 0;
	assert_int_equal(nl_nb_link_route(&answer, sizeof(answer)), 0);
	answer.attribute.rta_len = RTA_LENGTH(sizeof(int));
	answer.header.nlmsg_type = NLMSG_ERROR;
	assert_int_equal(nl_nb_link_route(&answer, sizeof(answer)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loopback_is_found_and_has_no_speed),
		cmocka_unit_test(an_answer_that_is_cut_or_lies_about_lengths_names_no_interface),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
