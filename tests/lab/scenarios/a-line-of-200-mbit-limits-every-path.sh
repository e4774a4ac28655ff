# shellcheck shell=bash
# Ground truth: the wire is slower than the disk, so every path is limited by the wire.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

lab_up --rate 200mbit --disk-mbps 100
programs_up nas client
campaign <<-YAML
	line: { streams: [1] }
	streams: { workloads: [seq-write, seq-read], streams: [1, 4] }
	shares:
	$(share nfs nfs)
	$(share smb smb)
YAML
campaign_succeeds
expect "every path is limited by the wire" '.layer == "nfs" or .layer == "smb"' '.bottleneck == "wire" and (.evidence | length > 0)'
expect "no path is above the wire" '.layer == "nfs" or .layer == "smb"' '.bytes_per_second <= $goodput * 1.03'
report_says "both protocols, both ways and both numbers of streams are in the report" '[.paths[] | [.layer, .direction, .streams]] | unique | length == 8'
