# shellcheck shell=bash
# Fault: wrong and reused tokens, another CA, an expired certificate, garbage, a message above the limit, an unknown protocol
# version. Each is refused with its reason, and the run that the controller was waiting to make is made.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

# join_is_refused NAME TOKEN PATTERN
join_is_refused() {
	local log=$SCRATCH/join-$1.log
	if (agent_exec client "$NASLINE_AGENT" join "$CONTROLLER_URL" "$2" --name "$1" --state "$SESSION/$1") >"$log" 2>&1; then
		fail "the token of $1 was taken"
	fi
	says "$log" "$3"
	[[ ! -e $SESSION/$1/agent.crt ]] || fail "$1 has a certificate"
	say "ok: $1 is refused"
}

# agent_is_refused NAME PATTERN: its `run` says why it may not; whether it ends or tries again is its own affair
agent_is_refused() {
	agent_start "$1"
	said() { grep -qiE -- "$2" "$SESSION/agent-$1.log"; }
	wait_until 30 said "$1" "$2" || fail "the agent $1 does not say '$2'"
	kill -TERM "${AGENT_PID[$1]}" 2>/dev/null || true
	wait_until 15 process_ended "${AGENT_PID[$1]}" || fail "the agent $1 does not end when asked"
	unset "AGENT_PID[$1]"
	say "ok: $1 is refused"
}

controller_listens() { [[ -n $("$LAB" exec ctl ss -Hltn "sport = :$CONTROLLER_PORT") ]]; }

# expire NAME: a certificate that the controller's CA gave, out of its dates
expire() {
	local ca d=$SCRATCH/expire
	ca=$(dirname "$(find "$SESSION/controller" -name ca.key)")
	mkdir "$d"
	: >"$d/index"
	printf '[ca]\ndefault_ca=c\n[c]\ndatabase=%s/index\nnew_certs_dir=%s\nrand_serial=yes\ndefault_md=sha256\npolicy=p\n[p]\ncommonName=supplied\n' \
		"$d" "$d" >"$d/conf"
	openssl req -new -key "$SESSION/$1/agent.key" -subj "/CN=$1" -out "$d/request" 2>>"$d/log"
	openssl ca -batch -config "$d/conf" -cert "$ca/ca.crt" -keyfile "$ca/ca.key" -startdate 20200101000000Z -enddate 20200201000000Z \
		-notext -in "$d/request" -out "$SESSION/$1/agent.crt" 2>>"$d/log" || { cat "$d/log"; fail "no expired certificate could be made"; }
}

lab_up --rate 1gbit --no-pool-limit
session_init
for agent in nas client expired; do enrol "$agent" || fail "the agent $agent could not be enrolled"; done

"$NASLINE" init --state "$SESSION/other" >"$SCRATCH/init-other.log"
"$NASLINE" token --state "$SESSION/other" stranger >"$SCRATCH/token-stranger"
token_offer late "$SCRATCH/token-late" || fail "no token is offered"
join_is_refused mistyped "$(head -n 1 "$SCRATCH/token-late" | rev | sed 's/^../aa/' | rev)" 'token'
join_is_refused stranger "$(head -n 1 "$SCRATCH/token-stranger")" 'fingerprint|authority|CA'
(agent_exec client "$NASLINE_AGENT" join "$CONTROLLER_URL" "$(head -n 1 "$SCRATCH/token-late")" --name late --state "$SESSION/late") ||
	fail "the right token is refused"
wait "$TOKEN_PID"
token_offer later "$SCRATCH/token-later" || fail "no token is offered"
join_is_refused reused "$(head -n 1 "$SCRATCH/token-late")" 'token'
kill -TERM "$TOKEN_PID"
wait "$TOKEN_PID" || true

campaign <<-YAML
	agents_wait: 240s
	line: { streams: [1] }
	pool: off
	iterations: { min: 1, max: 1, until: off }
YAML
run_in_background
wait_until 30 controller_listens || fail "the controller does not listen"
peer() { "$LAB" exec client timeout 40 python3 "$ROOT/tests/lab/peer.py" "$1" "$LAB_CTL_IP" "$CONTROLLER_PORT" "$SESSION/late"; }
peer garbage
peer oversize
peer version >"$SCRATCH/version.log"
says "$SCRATCH/version.log" 'version'
! process_ended "$RUN_PID" || fail "the controller ended"

mkdir "$SESSION/foreign"
cp "$SESSION/late"/* "$SESSION/foreign" 2>/dev/null || true
other=$(dirname "$(find "$SESSION/other" -name ca.key)")
openssl req -new -key "$SESSION/foreign/agent.key" -subj /CN=late 2>/dev/null |
	openssl x509 -req -CA "$other/ca.crt" -CAkey "$other/ca.key" -set_serial 77 -days 30 -out "$SESSION/foreign/agent.crt" 2>/dev/null
agent_is_refused foreign 'CA|authority|issuer|certificate'
expire expired
agent_is_refused expired 'expired'

agent_start nas
agent_start client
run_ends 120
((RUN_STATUS == 0)) || fail "the run ended with $RUN_STATUS"
expect "the run was made all the same" '.layer == "line"' '.bytes_per_second > 0'
