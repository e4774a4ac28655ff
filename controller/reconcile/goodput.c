/*
 * goodput: what arithmetic says a link can carry.
 *
 * A full TCP segment carries MTU less the IP header (20 bytes, IPv6 40; RFC 791, RFC 8200) and the TCP header (20
 * bytes, 32 with the timestamp option; RFC 9293, RFC 7323). On Ethernet the frame takes the MTU plus header 14, FCS 4,
 * preamble and start 8 and the gap of 12 byte times, 38 in all (IEEE 802.3), 4 more with a VLAN tag. The kernel's
 * shapers count the frame as the interface does, header included, and know nothing of FCS, preamble and gap: MTU plus
 * 14 (tc-stab(8) is for adding the rest).
 */
#include "controller/reconcile/work.h"

enum { ETHERNET_HEADER = 14, ETHERNET_ON_WIRE = 38, VLAN_TAG = 4 };

static unsigned ip_tcp_bytes(const struct nl_frame *frame)
{
	return (frame->ipv6 ? 40u : 20u) + (frame->timestamps ? 32u : 20u);
}

static double share(const struct nl_frame *frame, unsigned overhead)
{
	unsigned headers = ip_tcp_bytes(frame);
	if (frame->mtu <= headers)
		return 0;
	return (double)(frame->mtu - headers) / (double)(frame->mtu + overhead + (frame->vlan ? VLAN_TAG : 0));
}

double nl_goodput_share_wire(const struct nl_frame *frame)
{
	return share(frame, ETHERNET_ON_WIRE);
}

double nl_goodput_share_shaper(const struct nl_frame *frame)
{
	return share(frame, ETHERNET_HEADER);
}

unsigned nl_frame_header_bytes(const struct nl_frame *frame)
{
	return ETHERNET_HEADER + (frame->vlan ? VLAN_TAG : 0) + ip_tcp_bytes(frame);
}
