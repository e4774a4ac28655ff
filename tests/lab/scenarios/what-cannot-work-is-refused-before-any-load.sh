# shellcheck shell=bash
# Fault: no space, an unwritable pool, a missing share, a wrong password: a clear error, and no load before it.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

lab_up --rate 1gbit --disk-mbps 60 --disk-size 1G
programs_up nas client

# refused WHAT SHARES STREAMS PATTERN...
refused() {
	local what=$1 shares=$2 streams=$3
	shift 3
	campaign <<-YAML
		line: off
		self_load: false
		streams: { $streams }
		shares:
		$shares
	YAML
	RUN_NAME=${what// /-}
	campaign_is_refused 90 "$@"
	wait_until 20 pool_is_empty || fail "$what: something was left in the pool"
	say "ok: $what"
}

small='workloads: [seq-write], streams: [1], size: 16M'
refused "no space" "$(share nfs nfs)" 'workloads: [seq-write], streams: [4], size: 2G' 'space'
refused "a missing export" "$(SHARE=/no-such-export share nfs nfs)" "$small" 'no-such-export'
refused "a missing share" "$(SHARE=no-such-share share smb smb)" "$small" 'no-such-share'
echo wrong >"$SCRATCH/wrong"
chmod 600 "$SCRATCH/wrong"
refused "a wrong password" "$(PASSWORD_FILE=$SCRATCH/wrong share smb smb)" "$small" 'password|logon|denied'
"$LAB" exec nas mount -o remount,ro "$LAB_POOL"
refused "an unwritable pool" "$(share nfs nfs)" "$small" 'read-only|write'
"$LAB" exec nas mount -o remount,rw "$LAB_POOL"
campaign <<-YAML
	pool: { stremas: [1] }
	shares:
	$(share nfs nfs)
YAML
RUN_NAME=unknown-key
campaign_is_refused 20 'campaign\.yaml:[0-9]+:[0-9]+' 'streams'
