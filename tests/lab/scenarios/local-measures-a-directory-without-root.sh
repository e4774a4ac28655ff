# shellcheck shell=bash
# `nasline local --pool DIR` as an ordinary user: pool and self-load of this machine, by child agents over the same sockets.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

mkdir -p "$SCRATCH"/{home,pool}
install -D -m 755 "$BIN/controller/nasline" "$SCRATCH/bin/controller/nasline"
install -D -m 755 "$BIN/agent/nasline-agent" "$SCRATCH/bin/agent/nasline-agent"
chown nobody:nogroup "$SCRATCH/home" "$SCRATCH/pool"
as_user() { setpriv --reuid nobody --regid nogroup --clear-groups env HOME="$SCRATCH/home" TMPDIR="$SCRATCH/home" "$@"; }
as_user timeout 200 "$SCRATCH/bin/controller/nasline" local --pool "$SCRATCH/pool" --state "$SCRATCH/home/state" --output "$SCRATCH/home/report" \
	>"$SCRATCH/local.log" 2>&1 || fail "nasline local ended with $?"
REPORT=$SCRATCH/home/report/report.json LAB_GOODPUT_BYTES_PER_SECOND=0 LAB_DISK_BYTES_PER_SECOND=0
expect "the pool is measured" '.layer == "pool"' '.bytes_per_second > 0 and .iterations >= 1'
expect "the load generator's own limit is measured" '.layer == "generator"' '.bytes_per_second > 0'
[[ -z $(find "$SCRATCH/pool" -mindepth 1) ]] || fail "files are left in the pool"
left=$(pgrep -af "^$SCRATCH/bin" || true)
[[ -z $left ]] || fail "left running: $left"
