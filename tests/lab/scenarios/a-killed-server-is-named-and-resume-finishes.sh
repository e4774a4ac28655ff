# shellcheck shell=bash
# Fault: SIGKILL to a file server in the middle of its stream phase. The run names the share, the load stops, nothing is
# left in the pool, and resume measures the rest once the server is back.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

lab_up --rate 1gbit --disk-mbps 60
programs_up nas client
two_protocols
for server in nfs smb; do
	RUN_NAME=run-$server
	run_in_background
	in_the_middle_of "$server"
	"$LAB" kill "$server"
	run_ends 150
	((RUN_STATUS != 0)) || fail "the run ended well without its $server server"
	says "$RUN_LOG" "$server.*(server|share|connection|lost|closed|reset|timed out|answer)"
	wait_until 20 wire_is_quiet || fail "the load went on after the $server server was killed"
	wait_until 40 pool_is_empty || fail "files stay in the pool: $("$LAB" exec nas find "$LAB_POOL" | head -n 5)"
	"$LAB" start "$server"
	RUN_NAME=resume-$server
	resume_finishes
done
