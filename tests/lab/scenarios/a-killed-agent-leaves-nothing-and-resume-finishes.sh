# shellcheck shell=bash
# Fault: SIGKILL to an agent in the middle of a stream phase, once the client's and once the NAS's. The load stops, the run
# says who was lost, the agent's next start removes what it left, and resume measures the rest only.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

lab_up --rate 1gbit --disk-mbps 60
programs_up nas client
two_protocols
for agent in client nas; do
	RUN_NAME=run-$agent
	run_in_background
	in_the_middle_of nfs
	kill -KILL "${AGENT_PID[$agent]}"
	wait_until 20 wire_is_quiet || fail "the load went on after the agent $agent was killed"
	run_ends 120
	((RUN_STATUS != 0)) || fail "the run ended well without its agent $agent"
	says "$RUN_LOG" "$agent.*(lost|gone|reach|heard|answer)"
	agent_start "$agent"
	wait_until 40 pool_is_empty || fail "files stay in the pool: $("$LAB" exec nas find "$LAB_POOL" | head -n 5)"
	RUN_NAME=resume-$agent
	resume_finishes
done
