# shellcheck shell=bash
# What the lab knows of itself: messages, settings, and the processes it started.
# Everything is under $DIR; a thing is noted there before it is made, so that 'down' finds it whatever happened.

say() { printf 'lab: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

put() { printf '%s\n' "$2" >"$DIR/$1"; }
get() { if [[ -r $DIR/$1 ]]; then cat "$DIR/$1"; else printf '%s\n' "${2-}"; fi; }

need() {
	local command missing=()
	for command in "$@"; do command -v "$command" >/dev/null || missing+=("$command"); done
	((${#missing[@]} == 0)) || die "missing: ${missing[*]} (install the [lab] section of deploy/packages)"
}

is_up() { [[ -e $DIR/up ]]; }

# until_true SECONDS COMMAND...: polls until the command succeeds; fails at the deadline
until_true() {
	local deadline=$((${EPOCHREALTIME//[.,]/} + $1 * 1000000))
	shift
	until "$@"; do
		((${EPOCHREALTIME//[.,]/} < deadline)) || return 1
		sleep 0.05
	done
}

# A number may be given to another process once ours has ended: ours is the one with the start time noted with it.
start_time_of() {
	local stat=''
	{ read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 1
	# shellcheck disable=SC2086
	set -- ${stat##*) }
	[[ $1 != Z ]] && printf '%s\n' "${20}"
}

remember() {
	local start
	start=$(start_time_of "$2") || die "$1 ended at once: see $DIR/log/$1.log"
	put "run/$1" "$2 $start"
}

pid_of() {
	local pid start
	[[ -r $DIR/run/$1 ]] || return 1
	read -r pid start <"$DIR/run/$1" || return 1
	[[ $(start_time_of "$pid") == "$start" ]] && printf '%s\n' "$pid"
}

runs() { pid_of "$1" >/dev/null; }
ended() { ! runs "$1"; }

# Every daemon of the lab leads a process group of its own, so its children (smbd forks) go with it.
signal() {
	local pid
	if pid=$(pid_of "$2"); then kill "-$1" -- "-$pid" 2>/dev/null || true; fi
}

# stop SECONDS NAME...: all of them asked at once, and made to end at the deadline
stop() {
	local patience=$1 name
	shift
	for name in "$@"; do signal TERM "$name"; done
	for name in "$@"; do
		until_true "$patience" ended "$name" || signal KILL "$name"
		until_true 2 ended "$name" || die "process $(pid_of "$name") ($name) cannot be ended"
		rm -f "$DIR/run/$name"
	done
}
