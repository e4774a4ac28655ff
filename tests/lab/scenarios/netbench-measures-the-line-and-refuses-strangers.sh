# shellcheck shell=bash
# netbench alone: both directions within 3 % of what the shaper allows; with a key, a peer that has none gets nothing.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

NETBENCH=$BIN/netbench/netbench
lab_up --rate 1gbit --no-nfs --no-smb --no-pool-limit
head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n' >"$SCRATCH/key"
chmod 600 "$SCRATCH/key"
"$LAB" exec nas "$NETBENCH" server --bind "$LAB_NAS_IP" --port 5299 --key-file "$SCRATCH/key" >"$SCRATCH/server.log" 2>&1 &
server=$!
scenario_cleanup() { kill -TERM "$server" 2>/dev/null; }
server_listens() { [[ -n $("$LAB" exec nas ss -Hltn 'sport = :5299') ]]; }
wait_until 10 server_listens || fail "netbench server does not listen"
client() { "$LAB" exec client "$NETBENCH" client "$LAB_NAS_IP" --port 5299 --json -t 4 -O 1 "$@"; }

# within JSON DIRECTION
within() {
	jq -e --argjson goodput "$LAB_GOODPUT_BYTES_PER_SECOND" \
		'.end | (.received_bytes_per_second / $goodput - 1 | fabs) < 0.03 and .verdict == "valid" and .retransmits >= 0
			and .sender_cpu_seconds > 0 and .receiver_cpu_seconds > 0' "$1" >/dev/null ||
		{ jq -c .end "$1"; fail "$2 is not within 3 % of $LAB_GOODPUT_BYTES_PER_SECOND bytes/s"; }
	say "ok: $2"
}
for streams in 1 4; do
	client --key-file "$SCRATCH/key" -P "$streams" >"$SCRATCH/to.json"
	within "$SCRATCH/to.json" "to the NAS, $streams streams"
	client --key-file "$SCRATCH/key" -P "$streams" -R >"$SCRATCH/from.json"
	within "$SCRATCH/from.json" "from the NAS, $streams streams"
done

before=$(wire_bytes)
if client >"$SCRATCH/stranger.json" 2>"$SCRATCH/stranger.log"; then fail "a client without a key was served"; fi
echo 0000 | tr 0 f >"$SCRATCH/other-key"
chmod 600 "$SCRATCH/other-key"
if client --key-file "$SCRATCH/other-key" >"$SCRATCH/stranger.json" 2>"$SCRATCH/other.log"; then fail "a client with another key was served"; fi
says "$SCRATCH/stranger.log" 'key'
(($(wire_bytes) - before < 100000)) || fail "a stranger was sent data"
client --key-file "$SCRATCH/key" >"$SCRATCH/after.json"
within "$SCRATCH/after.json" "after the strangers"
