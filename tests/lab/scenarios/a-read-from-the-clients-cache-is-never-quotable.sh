# shellcheck shell=bash
# Ground truth: a stream that the client's page cache serves is more than the wire delivered: marked, never valid. The same
# mount read cold is not marked.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

lab_up --rate 1gbit --disk-mbps 60
uml_up
programs_up nas uml
campaign uml <<-YAML
	line: { streams: [1] }
	pool: off
	streams: { workloads: [seq-write, seq-read, client-warm-read], streams: [1], size: 96M }
	shares:
	$(share nfs42 nfs 'version: 4.2, access: mount, nconnect: 4')
	$(share smb311 smb 'version: 3.1.1, access: mount')
YAML
campaign_succeeds 400
for layer in nfs smb; do
	expect "$layer: a warm read is marked" ".layer == \"$layer\" and named(\"client-warm-read\")" '.verdict == "client-cached"'
	expect "$layer: what the wire delivered is less than what was read" ".layer == \"$layer\" and named(\"client-warm-read\")" \
		'.ledger.client_nic < .ledger.application * 0.5'
	expect "$layer: a cold read is not taken for a warm one" ".layer == \"$layer\" and named(\"seq-read\")" '.verdict != "client-cached"'
done
report_says "no figure above the wire is called valid" '[.paths[] | select(.verdict == "valid" and .ledger.client_nic < .ledger.application * 0.9)] | length == 0'
