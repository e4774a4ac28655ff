/*
 * nfsd: one line per group: "io READ WRITE", "th THREADS ...", "rpc CALLS ...".
 */
#include "agent/telemetry/nfsd.h"

#include "agent/scan.h"

bool nl_nfsd_parse(const char *text, struct nl_nfsd *nfsd)
{
	bool found = false;
	*nfsd = (struct nl_nfsd){0};
	for (; *text; (void)nl_scan_line(&text)) {
		const char *p = text;
		uint64_t field[2];
		if (nl_scan_is(&p, "io ") && nl_scan_u64s(&p, field, 2) == 2) {
			nfsd->read_bytes = field[0];
			nfsd->write_bytes = field[1];
			found = true;
		} else if ((p = text, nl_scan_is(&p, "th ")) && nl_scan_u64(&p, field)) {
			nfsd->threads = field[0];
		} else if ((p = text, nl_scan_is(&p, "rpc ")) && nl_scan_u64(&p, field)) {
			nfsd->calls = field[0];
		}
	}
	return found;
}
