# shellcheck shell=bash
# Fault: SIGKILL to the controller in the middle of a stream phase. The agents stop within their lease and clean up; resume
# measures the rest only.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

lab_up --rate 1gbit --disk-mbps 60
programs_up nas client
two_protocols
run_in_background
in_the_middle_of nfs
kill -KILL "$RUN_PID"
wait_until 20 wire_is_quiet || fail "the load went on after the controller was killed"
wait_until 40 pool_is_empty || fail "files stay in the pool: $("$LAB" exec nas find "$LAB_POOL" | head -n 5)"
for agent in nas client; do
	! process_ended "${AGENT_PID[$agent]}" || fail "the agent $agent ended with the controller"
done
RUN_NAME=resume
resume_finishes
