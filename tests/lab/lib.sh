# shellcheck shell=bash
# What lab scenarios are written with. A scenario is a bash file that sources this, makes a lab (lab_up), does something with
# nasline's programs in it, and asserts. When it ends, well or not, agents and lab are taken down; when it ended well, it
# is also checked that nothing is left, and a leftover fails it.
#
# Set by tests/lab/run: NASLINE_BIN (the build's directory), NASLINE_LAB (the lab's name), SCRATCH (a directory of this scenario's own).
set -euo pipefail
shopt -s inherit_errexit

ROOT=$(cd "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/../.." && pwd)
LAB=$ROOT/deploy/lab/lab
BIN=${NASLINE_BIN:?NASLINE_BIN is set by tests/lab/run}
: "${NASLINE_LAB:?NASLINE_LAB is set by tests/lab/run}" "${SCRATCH:?SCRATCH is set by tests/lab/run}"
# The lab's directory is told apart from another's by its name alone.
unset NASLINE_LAB_DIR
LAB_STATE=${XDG_RUNTIME_DIR:-/run}/nasline-lab-$NASLINE_LAB

say() { printf '%s\n' "$*"; }
fail() {
	say "FAILED: $*"
	exit 1
}

# --- around a scenario ----------------------------------------------------------------------------------------------

lab_up() {
	"$LAB" up "$@" || fail "the lab did not come up"
	eval "$("$LAB" env)"
	source "$ROOT/deploy/lab/lib/session.sh"
}

# uml_up: the client with a kernel of its own; it sees this build wherever it is
uml_up() {
	local share=()
	[[ ! -d $BIN ]] || share=(--share "$BIN")
	"$LAB" uml start "${share[@]}" || fail "the User Mode Linux client did not come up"
}

# status_says PATTERN: of `lab status`
status_says() { grep -qE -- "$1" <<<"$("$LAB" status)"; }

# programs_up NAME...: a controller, and agents enrolled with it and running
programs_up() {
	local name
	session_init || fail "nasline init failed"
	for name in "$@"; do enrol "$name" || fail "the agent $name could not be enrolled"; done
	for name in "$@"; do agent_start "$name"; done
}

# scenario_cleanup: a scenario that makes more than a lab says here how that goes
scenario_cleanup() { :; }

on_exit() {
	local status=$?
	trap - EXIT
	trap '' INT TERM
	set +e
	scenario_cleanup
	if [[ -n ${RUN_PID-} ]]; then kill -KILL "$RUN_PID" 2>/dev/null; fi
	((status == 0)) || show_logs
	if declare -p AGENT_PID >/dev/null 2>&1; then agents_stop; fi
	if [[ -d $LAB_STATE/session ]]; then cp -r "$LAB_STATE/session" "$SCRATCH"; fi
	if ((status == 0)) && [[ -d $LAB_STATE ]]; then nothing_is_left_in_the_lab || status=1; fi
	"$LAB" down 2>"$SCRATCH/down.log" || { cat "$SCRATCH/down.log"; status=1; }
	nothing_is_left_of_the_lab || status=1
	exit "$status"
}
trap on_exit EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

show_logs() {
	local log
	for log in "$SCRATCH"/*.log "$LAB_STATE"/session/*.log; do
		[[ -s $log ]] || continue
		say "--- the end of ${log##*/}"
		tail -n 25 "$log"
	done
}

# What an agent made must be gone once it has ended: scratch, mounts, connections, processes.
nothing_is_left_in_the_lab() {
	local left status=0
	left=$("$LAB" exec nas find "$LAB_POOL" -mindepth 1 | head -n 5)
	[[ -z $left ]] || { say "FAILED: left in the pool: $left"; status=1; }
	if status_says '^uml=running'; then
		left=$("$LAB" uml exec sh -c 'grep -E " (nfs|nfs4|cifs) " /proc/mounts; true')
		[[ -z $left ]] || { say "FAILED: left mounted in User Mode Linux: $left"; status=1; }
	fi
	left=$(pgrep -af "^$BIN/" | grep -F "$LAB_STATE" || true)
	[[ -z $left ]] || { say "FAILED: left running: $left"; status=1; }
	left=$(nasline_sockets)
	[[ -z $left ]] || { say "FAILED: left connected: $left"; status=1; }
	return "$status"
}

# Connections and listening sockets that a program of nasline holds.
nasline_sockets() {
	local machine
	for machine in nas client ctl; do "$LAB" exec "$machine" ss -Htanp; done | grep -F '"nas' || true
}

nothing_is_left_of_the_lab() {
	local left status=0
	left=$(find /run/netns -maxdepth 1 -name "$NASLINE_LAB-*" 2>/dev/null)
	left+=$(losetup -nO BACK-FILE 2>/dev/null | grep -E "nasline-lab-${NASLINE_LAB}[/.]" || true)
	left+=$(find /dev/shm /var/tmp "${LAB_STATE%/*}" -maxdepth 1 "(" -name "nasline-lab-$NASLINE_LAB" -o -name "nasline-lab-$NASLINE_LAB.*" ")" \
		2>/dev/null)
	left+=$(grep -F "nasline-lab-$NASLINE_LAB/" /proc/mounts || true)
	left+=$(pgrep -af "nasline-lab-$NASLINE_LAB/" || true)
	[[ -z $left ]] || { say "FAILED: left of the lab: $left"; status=1; }
	return "$status"
}

# --- campaigns ------------------------------------------------------------------------------------------------------

# share NAME PROTOCOL [MORE]: a share's line of a campaign, reached from user space unless MORE says otherwise
share() {
	local more=${3:+, $3}
	case $2 in
	nfs) say "  - { name: $1, protocol: nfs, server: $LAB_NAS_IP, share: ${SHARE:-$LAB_NFS_EXPORT}$more }" ;;
	smb) say "  - { name: $1, protocol: smb, server: $LAB_NAS_IP, share: ${SHARE:-$LAB_SMB_SHARE}, user: $LAB_SMB_USER," \
		"password: { file: ${PASSWORD_FILE:-$LAB_SMB_PASSWORD_FILE} }$more }" ;;
	esac
}

# campaign [CLIENT]: the common head, and standard input; sets CAMPAIGN
campaign() {
	CAMPAIGN=$SCRATCH/campaign.yaml
	{
		say "campaign: ${SCENARIO:-lab}"
		say "preset: quick"
		say "nas: { agent: nas, pool: $LAB_POOL, address: $LAB_NAS_IP }"
		say "clients: [ { agent: ${1:-client} } ]"
		cat
	} >"$CAMPAIGN"
}

# two_protocols: the campaign of the fault scenarios, long enough to be interrupted
two_protocols() {
	campaign <<-YAML
		line: { streams: [1], duration: 1s }
		pool: off
		self_load: false
		lease: 6s
		streams: { workloads: [seq-write, seq-read], streams: [1], duration: 2s }
		shares:
		$(share nfs nfs)
		$(share smb smb)
	YAML
}

# resume_finishes: what was measured before is not measured again, and the report is whole
resume_finishes() {
	local run
	run=$(run_id)
	[[ -n $run ]] || fail "nasline runs does not name the run"
	run_in_background resume "$run"
	run_ends 240
	((RUN_STATUS == 0)) || fail "nasline resume ended with $RUN_STATUS"
	report_says "the report is of the run that was cut off" ".run_id == \"$run\""
	report_says "every path is in it with both of its iterations" \
		'([.paths[] | [.layer, .direction, .streams]] | unique | length == 4) and all(.paths[]; .iterations >= 2)'
	report_says "the line, measured before the fault, is in it too" '[.ceilings[] | select(.layer == "line")] | length == 2'
	says_not "$RUN_LOG" "$MEASURES_LINE"
}
# How a run says that it measured the line: "[2/20] line to-nas 1 stream #1  119 MB/s"
MEASURES_LINE='\] line (to|from)-nas'

# run_in_background [ARGUMENT...]: `nasline run` of $CAMPAIGN, or whatever is given; sets RUN_PID, RUN_LOG, OUTPUT, REPORT
run_in_background() {
	OUTPUT=$SCRATCH/report
	REPORT=$OUTPUT/report.json
	RUN_LOG=$SCRATCH/${RUN_NAME:-run}.log
	(($#)) || set -- run "$CAMPAIGN"
	"$LAB" exec ctl "$NASLINE" "$1" --state "$SESSION/controller" --listen "$CONTROLLER_ADDRESS" --output "$OUTPUT" "${@:2}" \
		>"$RUN_LOG" 2>&1 </dev/null &
	RUN_PID=$!
}

# run_ends SECONDS: waits for it; sets RUN_STATUS
run_ends() {
	wait_until "$1" process_ended "$RUN_PID" || fail "nasline did not end within $1 s"
	RUN_STATUS=0
	wait "$RUN_PID" || RUN_STATUS=$?
	RUN_PID=''
}

# campaign_succeeds [SECONDS]
campaign_succeeds() {
	run_in_background
	run_ends "${1:-240}"
	((RUN_STATUS == 0)) || fail "nasline run ended with $RUN_STATUS"
	[[ -s $REPORT ]] || fail "there is no report.json"
	cp "$REPORT" "$SCRATCH/last-report.json"
}

# campaign_is_refused SECONDS PATTERN...: it fails, says each of these, and no load was started
campaign_is_refused() {
	local seconds=$1 before after pattern
	shift
	before=$(wire_bytes)
	run_in_background
	run_ends "$seconds"
	after=$(wire_bytes)
	((RUN_STATUS != 0)) || fail "nasline run ended well"
	for pattern in "$@"; do says "$RUN_LOG" "$pattern"; done
	((after - before < 20000000)) || fail "$((after - before)) bytes went over the wire before the refusal"
}

says() { grep -qiE -- "$2" "$1" || fail "'$2' is not said in ${1##*/}"; }
says_not() { ! grep -qiE -- "$2" "$1" || fail "'$2' is said in ${1##*/}"; }

# run_id: of the newest run
run_id() { "$NASLINE" runs --state "$SESSION/controller" | awk 'NR == 1 { print $1 }'; }

# --- the report -----------------------------------------------------------------------------------------------------

# Definitions that the conditions are written with: rates in bytes per second, shares of one.
jq_definitions() {
	cat <<-'JQ'
	def figures: .ceilings + .paths;
	def near($expected; $tolerance): (.bytes_per_second - $expected | fabs) <= $expected * $tolerance;
	def at_least($expected): .bytes_per_second >= $expected;
	def named($pattern): .name | test($pattern);
	JQ
}

# expect SENTENCE SELECTION CONDITION: at least one figure is selected, and every one of them meets the condition.
# $goodput and $disk are the lab's limits.
expect() {
	local query
	query="$(jq_definitions) [figures[] | select($2)]"
	if jq -e --argjson goodput "$LAB_GOODPUT_BYTES_PER_SECOND" --argjson disk "$LAB_DISK_BYTES_PER_SECOND" \
		"$query | length > 0 and all(.[]; $3)" "$REPORT" >/dev/null; then
		say "ok: $1"
	else
		say "goodput $LAB_GOODPUT_BYTES_PER_SECOND, disk $LAB_DISK_BYTES_PER_SECOND bytes/s; the figures selected:"
		jq -c --argjson goodput "$LAB_GOODPUT_BYTES_PER_SECOND" --argjson disk "$LAB_DISK_BYTES_PER_SECOND" \
			"$query"'[] | { name, direction, streams, bytes_per_second, interval, verdict, bottleneck, evidence, ledger }' "$REPORT" || true
		fail "$1"
	fi
}

# report_says SENTENCE FILTER: a jq filter over the whole report is true
report_says() {
	if jq -e "$(jq_definitions) $2" "$REPORT" >/dev/null; then say "ok: $1"; else fail "$1"; fi
}

# --- what can be watched --------------------------------------------------------------------------------------------

# Bytes over the measured wire so far, both ways.
wire_bytes() { "$LAB" exec client awk '{ sum += $1 } END { printf "%.0f", sum }' \
	/sys/class/net/wire/statistics/rx_bytes /sys/class/net/wire/statistics/tx_bytes; }

# wire_rate: bytes per second over a quarter of a second (the sleep is the measuring interval)
wire_rate() {
	local bytes=$(($(wire_bytes))) at=${EPOCHREALTIME//[.,]/}
	sleep 0.25
	echo $((($(wire_bytes) - bytes) * 1000000 / (${EPOCHREALTIME//[.,]/} - at)))
}
wire_is_busy() { (($(wire_rate) > 5000000)); }
wire_is_quiet() { (($(wire_rate) < 100000)); }

# traffic_with PORT: bytes that the client's connections to a server's port have moved so far, as the kernel counts them
traffic_with() {
	"$LAB" exec client ss -Htin state established dport = ":$1" |
		awk '{ for (i = 1; i <= NF; i++) if ($i ~ /^bytes_(sent|received):/) { sub(/.*:/, "", $i); sum += $i } } END { printf "%.0f", sum }'
}

# busy_with PORT: some megabytes in a quarter of a second, so that it is a load and not a probe
busy_with() {
	local before
	before=$(traffic_with "$1")
	sleep 0.25
	(($(traffic_with "$1") - before > 2000000))
}

# in_the_middle_of nfs|smb: the client's load on such a share is running
in_the_middle_of() {
	local port=2049
	[[ $1 == nfs ]] || port=445
	wait_until 120 busy_with "$port" || fail "no load came to the $1 share"
}

pool_is_empty() { [[ -z $("$LAB" exec nas find "$LAB_POOL" -mindepth 1 2>/dev/null) ]]; }
