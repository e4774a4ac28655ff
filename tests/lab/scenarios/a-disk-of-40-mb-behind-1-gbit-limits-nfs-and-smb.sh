# shellcheck shell=bash
# Ground truth: the disk is slower than the wire. Durable writes and cold reads run at the disk's rate and say so; reads that
# the NAS's cache serves run at the wire's, and are marked.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

lab_up --rate 1gbit --disk-mbps 40
programs_up nas client
campaign <<-YAML
	line: { streams: [1] }
	streams: { workloads: [seq-write, seq-read, cached-read], streams: [1, 4] }
	shares:
	$(share nfs nfs)
	$(share smb smb)
YAML
campaign_succeeds 400
for protocol in nfs smb; do
	for workload in seq-write seq-read; do
		select=".layer == \"$protocol\" and named(\"$workload\")"
		expect "$protocol $workload is valid" "$select" '.verdict == "valid"'
		expect "$protocol $workload is within 15 % of the disk" "$select" 'near($disk; 0.15)'
		expect "$protocol $workload is limited by the disks" "$select" '.bottleneck == "disks" and (.evidence | length > 0)'
	done
	select=".layer == \"$protocol\" and named(\"cached-read\")"
	expect "$protocol cached-read is marked" "$select" '.verdict == "nas-cached"'
	expect "$protocol cached-read is limited by the wire" "$select" '.bottleneck == "wire"'
	expect "$protocol cached-read took nothing worth naming from the disks" "$select" '.ledger.disks < .ledger.application * 0.05'
done
expect "the pool itself is limited by its disks" '.layer == "pool" and named("durable-write|cold-read")' 'near($disk; 0.15)'
expect "what was written and read cold passed all layers" 'named("seq-(write|read)")' \
	'.ledger | .client_nic >= .application and .nas_nic >= .application * 0.99 and (.disks / .application - 1 | fabs) < 0.15'
