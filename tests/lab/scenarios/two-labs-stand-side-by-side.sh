# shellcheck shell=bash
# Two labs have nothing in common: each keeps its limits and its servers when the other goes. A namespace that was there
# before is refused and kept.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

second=$NASLINE_LAB-b
lab_up --rate 1gbit --disk-mbps 60
scenario_cleanup() {
	"$LAB" --name "$second" down 2>/dev/null
	ip netns del "$second-client" 2>/dev/null
}
ip netns add "$second-client"
! "$LAB" --name "$second" up 2>"$SCRATCH/refused.log" || fail "a namespace that was there was taken over"
says "$SCRATCH/refused.log" "$second-client.*not this lab's"
[[ -e /run/netns/$second-client ]] || fail "a namespace that is not the lab's was removed"
ip netns del "$second-client"

"$LAB" --name "$second" up --rate 200mbit --disk-mbps 30
status_says '^rate=1gbit' || fail "the first lab's rate changed"
NASLINE_LAB=$second status_says '^rate=200mbit' || fail "the second lab has not its rate"
"$LAB" --name "$second" down
for server in holder rpcbind nfs smb; do
	status_says "^$server=running" || fail "$server of the first lab went with the second"
done
