# shellcheck shell=bash
# Ground truth: two shares of the same directory with different settings are not compared as if they were alike: the
# comparison says that it measures the setting, and names it.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

lab_up --rate 1gbit --disk-mbps 60
programs_up nas client
campaign <<-YAML
	line: { streams: [1] }
	pool: off
	streams: { workloads: [seq-write, seq-read], streams: [1], size: 64M }
	shares:
	$(share smb smb)
	$(SHARE=$LAB_SMB_SHARE_CRYPT share smb-crypt smb 'encrypt: true')
	$(share nfs nfs)
	$(SHARE=$LAB_NFS_EXPORT_64K share nfs-64k nfs)
YAML
campaign_succeeds
# differs FIRST SECOND SETTING
differs() {
	report_says "$1 against $2 measures the setting '$3'" \
		"[.comparisons[] | select(([.a, .b] | map(split(\" \")[0]) | sort) == ([\"$1\", \"$2\"] | sort))]
		| length > 0 and all(.[]; .verdict == \"settings-differ\" and any(.differences[]; test(\"$3\"; \"i\")))"
}
differs smb smb-crypt encrypt
differs nfs nfs-64k 'rsize|wsize|transfer|request|block'
