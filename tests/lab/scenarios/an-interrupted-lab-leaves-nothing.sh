# shellcheck shell=bash
# Whenever `lab up` is ended, it or the next `lab down` removes all of it, and quickly.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

for signal in TERM KILL; do
	for after in 0.03 0.1 0.2 0.3 0.5 0.8; do
		timeout -s "$signal" "$after" "$LAB" up 2>>"$SCRATCH/up.log" || true
		start=$SECONDS
		"$LAB" down 2>>"$SCRATCH/down.log" || fail "lab down after SIG$signal at $after s"
		((SECONDS - start < 10)) || fail "lab down took $((SECONDS - start)) s"
		nothing_is_left_of_the_lab || fail "after SIG$signal at $after s"
	done
done
