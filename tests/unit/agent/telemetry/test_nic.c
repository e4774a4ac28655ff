/* nic: interfaces of a network namespace of our own, shaped, bridged and bonded; and messages cut short. */
#include "agent/telemetry/rtnl.h"
#include "agent/telemetry/telemetry.h"
#include "unit/agent/facts.h"
#include "unit/agent/fixture.h"
#include "unit/agent/namespace.h"

#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>

static struct test_facts facts;

static void describe(const char *name)
{
	struct nl_error err;
	facts.count = 0;
	int code = nl_nic_describe(name, test_facts_sink, &facts, &err);
	if (code)
		fprintf(stderr, "%s: %s\n", err.what, err.why);
	CHECK(code == 0);
}

static bool said(const char *subject, const char *key, const char *value)
{
	const char *text = test_facts_get(&facts, subject, key);
	if (text && strcmp(text, value) == 0)
		return true;
	fprintf(stderr, "%s/%s is %s\n", subject, key, text ? text : "(not said)");
	return false;
}

static void veth_pair(void)
{
	TOOL("ip", "link", "add", "wire", "mtu", "1400", "type", "veth", "peer", "name", "end");
	TOOL("ip", "addr", "add", "10.99.0.1/24", "dev", "wire");
	TOOL("ip", "link", "set", "wire", "up");
	TOOL("ip", "link", "set", "end", "up");
	TOOL("ip", "link", "set", "lo", "up");
}

static void in_shaped(void)
{
	veth_pair();
	describe("wire");
	CHECK(said("nic:wire", "kind", "veth"));
	CHECK(said("nic:wire", "driver", "veth"));
	CHECK(said("nic:wire", "virtual", "yes"));
	CHECK(said("nic:wire", "mtu", "1400"));
	CHECK(said("nic:wire", "speed_bps", "10000000000"));
	CHECK(!test_facts_get(&facts, "nic:wire", "shaper"));
	TOOL("tc", "qdisc", "replace", "dev", "wire", "root", "tbf", "rate", "200mbit", "burst", "128k", "limit",
	     "256k");
	describe("wire");
	CHECK(said("nic:wire", "qdisc", "tbf"));
	CHECK(said("nic:wire", "shaper", "tbf"));
	CHECK(said("nic:wire", "shaper_rate_bps", "200000000"));
	CHECK(said("nic:wire", "qdisc_drops", "0"));
	/* Above 34 Gbit/s the rate does not fit 32 bits of bytes per second. */
	TOOL("tc", "qdisc", "replace", "dev", "wire", "root", "tbf", "rate", "100gbit", "burst", "64m", "limit", "64m");
	describe("wire");
	CHECK(said("nic:wire", "shaper_rate_bps", "100000000000"));
}

static void a_shaped_link_tells_its_rate(void **context)
{
	(void)context;
	test_in_namespaces(CLONE_NEWNET, in_shaped);
}

static void in_nested(void)
{
	veth_pair();
	TOOL("tc", "qdisc", "replace", "dev", "wire", "root", "handle", "1:", "htb", "default", "10");
	TOOL("tc", "class", "add", "dev", "wire", "parent", "1:", "classid", "1:1", "htb", "rate", "1gbit");
	TOOL("tc", "class", "add", "dev", "wire", "parent", "1:1", "classid", "1:10", "htb", "rate", "100mbit", "ceil",
	     "2gbit");
	describe("wire");
	CHECK(said("nic:wire", "shaper", "htb"));
	CHECK(said("nic:wire", "shaper_rate_bps", "1000000000"));
}

static void a_class_tells_its_ceiling(void **context)
{
	(void)context;
	test_in_namespaces(CLONE_NEWNET, in_nested);
}

static void in_bridge(void)
{
	struct nl_error err;
	veth_pair();
	TOOL("ip", "link", "add", "br0", "type", "bridge");
	TOOL("ip", "link", "set", "end", "master", "br0");
	describe("br0");
	CHECK(said("nic:br0", "kind", "bridge"));
	CHECK(said("nic:br0", "members", "end"));
	CHECK(said("nic:br0", "virtual", "yes"));
	CHECK(!test_facts_get(&facts, "nic:end", "kind"));
	describe("lo");
	CHECK(said("nic:lo", "kind", "loopback"));
	CHECK(said("nic:lo", "virtual", "yes"));
	CHECK(nl_nic_describe("nosuch0", test_facts_sink, &facts, &err) == NL_E_NOT_FOUND);
	CHECK(strcmp(err.where, "nosuch0") == 0);
}

static void a_bridge_names_its_ports_and_does_not_follow_virtual_ones(void **context)
{
	(void)context;
	test_in_namespaces(CLONE_NEWNET, in_bridge);
}

static void in_routes(void)
{
	char name[32];
	struct nl_error err;
	veth_pair();
	CHECK(nl_nic_for_peer("10.99.0.7", name, &err) == 0 && strcmp(name, "wire") == 0);
	CHECK(nl_nic_for_peer("10.99.0.1", name, &err) == 0 && strcmp(name, "lo") == 0);
	CHECK(nl_nic_for_peer("::1", name, &err) == 0 && strcmp(name, "lo") == 0);
	CHECK(nl_nic_for_peer("fe80::1%wire", name, &err) == 0 && strcmp(name, "wire") == 0);
	CHECK(nl_nic_for_peer("192.0.2.1", name, &err) != 0);
	CHECK(strcmp(err.where, "192.0.2.1") == 0 && name[0] == '\0');
	CHECK(nl_nic_for_peer("999.1.1.1.", name, &err) == NL_E_NOT_FOUND);
}

static void the_route_names_the_interface(void **context)
{
	(void)context;
	test_in_namespaces(CLONE_NEWNET, in_routes);
}

static void in_telemetry(void)
{
	static struct nl_sample samples[512];
	struct nl_telemetry_config config = {.period_ns = NL_NS_PER_S, .nic = "wire"};
	struct nl_telemetry *t;
	struct nl_error err;
	veth_pair();
	CHECK(nl_telemetry_start(&config, &t, &err) == 0);
	unsigned n = nl_telemetry_drain(t, samples, 512, NULL), found = 0;
	for (unsigned i = 0; i < n; i++)
		found += samples[i].metric == NL_METRIC_NIC_SENT_BYTES && strcmp(samples[i].subject, "wire") == 0;
	CHECK(found == 1);
	nl_telemetry_stop(t);
}

static void counters_are_those_of_the_network_namespace(void **context)
{
	(void)context;
	test_in_namespaces(CLONE_NEWNET, in_telemetry);
}

struct composed {
	struct nlmsghdr head;
	struct ifinfomsg link;
	unsigned char rest[256];
	size_t used;
};

/* Appends an attribute and returns where its head is, so that it can be closed around others. */
static size_t attribute(struct composed *m, unsigned type, const void *data, size_t len)
{
	struct nlattr head = {.nla_len = (uint16_t)(NLA_HDRLEN + len), .nla_type = (uint16_t)type};
	size_t at = m->used;
	memcpy(m->rest + at, &head, sizeof head);
	if (len)
		memcpy(m->rest + at + NLA_HDRLEN, data, len);
	m->used += NLA_ALIGN(NLA_HDRLEN + len);
	return at;
}

static void close_around(struct composed *m, size_t at)
{
	uint16_t len = (uint16_t)(m->used - at);
	memcpy(m->rest + at, &len, sizeof len);
}

static void a_bond_tells_its_mode_and_a_vlan_its_lower_link(void **context)
{
	(void)context;
	struct composed m = {.head = {.nlmsg_type = RTM_NEWLINK}, .link = {.ifi_index = 7, .ifi_flags = IFF_UP}};
	struct nl_rtnl_link link;
	uint32_t lower = 3, mtu = 9000;
	attribute(&m, IFLA_IFNAME, "bond0", 6);
	attribute(&m, IFLA_MTU, &mtu, sizeof mtu);
	attribute(&m, IFLA_LINK, &lower, sizeof lower);
	attribute(&m, IFLA_ADDRESS, "\x02\x00\x00\x00\x00\x01", 6);
	size_t info = attribute(&m, IFLA_LINKINFO | NLA_F_NESTED, NULL, 0);
	attribute(&m, IFLA_INFO_KIND, "bond", 5);
	size_t data = attribute(&m, IFLA_INFO_DATA, NULL, 0);
	attribute(&m, IFLA_BOND_MODE, "\x04", 1);
	attribute(&m, IFLA_BOND_XMIT_HASH_POLICY, "\x01", 1);
	close_around(&m, data);
	close_around(&m, info);
	size_t whole = offsetof(struct composed, rest) + m.used;
	m.head.nlmsg_len = (uint32_t)whole;
	assert_true(nl_rtnl_parse_link(&m, whole, &link));
	assert_string_equal(link.name, "bond0");
	assert_string_equal(link.kind, "bond");
	assert_string_equal(link.address, "02:00:00:00:00:01");
	assert_int_equal(link.index, 7);
	assert_int_equal(link.lower, 3);
	assert_int_equal(link.mtu, 9000);
	assert_int_equal(link.bond_mode, 4);
	assert_int_equal(link.bond_hash, 1);
	assert_true(link.up);
	for (size_t len = 0; len < whole; len++) {
		m.head.nlmsg_len = (uint32_t)len;
		(void)nl_rtnl_parse_link(&m, len, &link);
	}
}

static void messages_cut_anywhere_are_survived(void **context)
{
	(void)context;
	struct {
		struct nlmsghdr head;
		struct tcmsg tc;
		unsigned char rest[64];
	} message = {.head = {.nlmsg_type = RTM_NEWQDISC}, .tc = {.tcm_ifindex = 3}};
	struct nl_rtnl_qdisc qdisc;
	struct nl_rtnl_link link;
	struct nlattr kind = {.nla_len = NLA_HDRLEN + 4, .nla_type = TCA_KIND};
	int index;
	memcpy(message.rest, &kind, sizeof kind);
	memcpy(message.rest + NLA_HDRLEN, "tbf", 4);
	size_t whole = sizeof message.head + sizeof message.tc + NLA_HDRLEN + 4;
	for (size_t len = 0; len <= whole; len++) {
		message.head.nlmsg_len = (uint32_t)len;
		assert_int_equal(nl_rtnl_parse_qdisc(&message, len, &qdisc), len == whole);
		assert_false(nl_rtnl_parse_link(&message, len, &link));
		assert_false(nl_rtnl_parse_route(&message, len, &index));
	}
	assert_string_equal(qdisc.kind, "tbf");
	assert_int_equal(qdisc.link, 3);
	message.head.nlmsg_len = 4000;
	assert_false(nl_rtnl_parse_qdisc(&message, whole, &qdisc));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_shaped_link_tells_its_rate),
		cmocka_unit_test(a_class_tells_its_ceiling),
		cmocka_unit_test(a_bridge_names_its_ports_and_does_not_follow_virtual_ones),
		cmocka_unit_test(the_route_names_the_interface),
		cmocka_unit_test(counters_are_those_of_the_network_namespace),
		cmocka_unit_test(a_bond_tells_its_mode_and_a_vlan_its_lower_link),
		cmocka_unit_test(messages_cut_anywhere_are_survived),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
