/*
 * netdev: "NAME:" and 8 numbers of receiving, 8 of sending. The colon may touch the first number.
 */
#include "agent/telemetry/netdev.h"

#include "agent/scan.h"

enum field { RX_BYTES, RX_PACKETS, RX_ERRORS, RX_DROPS, TX_BYTES = 8, TX_PACKETS, TX_ERRORS, TX_DROPS, FIELD_COUNT };

bool nl_netdev_find(const char *text, const char *name, struct nl_netdev *counters)
{
	for (; *text; (void)nl_scan_line(&text)) {
		const char *p = text;
		uint64_t field[FIELD_COUNT];
		nl_scan_blanks(&p);
		if (!nl_scan_is(&p, name) || !nl_scan_is(&p, ":"))
			continue;
		if (nl_scan_u64s(&p, field, FIELD_COUNT) < FIELD_COUNT)
			return false;
		*counters = (struct nl_netdev){
			.received_bytes = field[RX_BYTES],
			.received_packets = field[RX_PACKETS],
			.receive_drops = field[RX_DROPS],
			.sent_bytes = field[TX_BYTES],
			.sent_packets = field[TX_PACKETS],
			.send_drops = field[TX_DROPS],
		};
		return true;
	}
	return false;
}
