# shellcheck shell=bash
# nasline's programs in the lab: a controller in 'ctl', agents on 'nas', 'client' or in User Mode Linux, enrolled by the
# real way in: a token, a join, mutual TLS. For deploy/quickstart and the lab tests.
#
# Needs: LAB (the lab program), BIN (the build's directory), and 'lab env' sourced. State is in the lab's directory, so it
# goes with it; STATE_* may be set before.

SESSION=${SESSION:-$LAB_DIR/session}
CONTROLLER_PORT=7443
CONTROLLER_ADDRESS=$LAB_CTL_IP:$CONTROLLER_PORT
CONTROLLER_URL=tls+tcp://$CONTROLLER_ADDRESS
NASLINE=$BIN/controller/nasline
NASLINE_AGENT=$BIN/agent/nasline-agent
declare -gA AGENT_PID=()

# wait_until SECONDS COMMAND...: polls until the command succeeds; fails at the deadline
wait_until() {
	local deadline=$((${EPOCHREALTIME//[.,]/} + $1 * 1000000))
	shift
	until "$@"; do
		((${EPOCHREALTIME//[.,]/} < deadline)) || return 1
		sleep 0.1
	done
}

process_ended() {
	local stat
	{ read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 0
	[[ ${stat##*) } == Z* ]]
}

# session_init: a fresh controller, with its own CA
session_init() {
	mkdir -p "$SESSION"
	chmod 700 "$SESSION"
	"$NASLINE" init --state "$SESSION/controller" >"$SESSION/init.log"
}

# where_runs AGENT: the machine of the lab that an agent of this name is on
where_runs() { case $1 in nas) echo nas ;; *) echo client ;; esac; }

# agent_exec NAME COMMAND...: becomes a command on the agent's machine; an agent named uml* is in User Mode Linux
agent_exec() {
	local name=$1
	shift
	case $name in
	uml*) exec "$LAB" uml exec "$@" ;;
	*) exec "$LAB" exec "$(where_runs "$name")" "$@" ;;
	esac
}

token_shown_or_ended() { [[ -s $1 ]] || process_ended "$TOKEN_PID"; }

# token_offer NAME FILE: a controller that waits for the token's use; sets TOKEN_PID
token_offer() {
	rm -f "$2"
	"$LAB" exec ctl "$NASLINE" token --state "$SESSION/controller" --listen "$CONTROLLER_ADDRESS" --wait "$1" \
		>"$2" 2>"$SESSION/token-$1.log" &
	TOKEN_PID=$!
	wait_until 30 token_shown_or_ended "$2" || true
	[[ -s $2 ]] || { cat "$SESSION/token-$1.log" >&2; return 1; }
}

# enrol NAME: a token for it, and a join with it
enrol() {
	local token=$SESSION/token-$1
	token_offer "$1" "$token"
	if ! (agent_exec "$1" "$NASLINE_AGENT" join "$CONTROLLER_URL" "$(head -n 1 "$token")" --name "$1" --state "$SESSION/$1") \
		>"$SESSION/join-$1.log" 2>&1; then
		cat "$SESSION/join-$1.log" >&2
		kill "$TOKEN_PID" 2>/dev/null || true
		return 1
	fi
	wait "$TOKEN_PID"
	rm -f "$token"
}

# agent_start NAME: in a session of its own, so that a Ctrl-C at the terminal reaches the controller alone
agent_start() {
	(
		export SMB_CONF_PATH
		case $1 in
		uml*) exec setsid "$LAB" uml exec "$NASLINE_AGENT" run --state "$SESSION/$1" ;;
		*) exec setsid "$LAB" exec "$(where_runs "$1")" "$NASLINE_AGENT" run --state "$SESSION/$1" ;;
		esac
	) >>"$SESSION/agent-$1.log" 2>&1 </dev/null &
	AGENT_PID[$1]=$!
}

agents_stop() {
	local name
	for name in "${!AGENT_PID[@]}"; do kill -TERM "${AGENT_PID[$name]}" 2>/dev/null || true; done
	for name in "${!AGENT_PID[@]}"; do
		wait_until 15 process_ended "${AGENT_PID[$name]}" || {
			echo "the agent $name did not end when asked" >&2
			kill -KILL "${AGENT_PID[$name]}" 2>/dev/null || true
		}
		wait "${AGENT_PID[$name]}" 2>/dev/null || true
		unset "AGENT_PID[$name]"
	done
}

# campaign_run CAMPAIGN OUTPUT: becomes the controller, so call it in the background
campaign_run() {
	exec "$LAB" exec ctl "$NASLINE" run --state "$SESSION/controller" --listen "$CONTROLLER_ADDRESS" --output "$2" "$1"
}
