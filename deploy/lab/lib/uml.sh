# shellcheck shell=bash
# A client with a real Linux kernel of its own: Debian's User Mode Linux, an ordinary process in the 'client' namespace.
#
# Its root is this machine's own file system, read-only; /run, /tmp, /var/tmp and /mnt are its own, and the directories
# named with --share are written through to this machine. The lab talks to its first process (uml-init) by a FIFO that
# is its second console, and gives it jobs: a directory each, with the command, its output and its status.

uml_say_to() {	# uml_say_to LINE: opened for both, a FIFO never blocks the one who writes
	local fifo
	exec {fifo}<>"$DIR/uml/control"
	printf '%s\n' "$1" >&"$fifo"
	exec {fifo}>&-
}

uml_is_ready() { [[ -e $DIR/uml/ready ]]; }
uml_ready_or_ended() { uml_is_ready || ended uml; }

uml_boot() {	# uml_boot SHARED_DIRECTORY...
	local modules share
	need linux.uml ip
	ip -n "$CLIENT" link show tap >/dev/null 2>&1 || die "the lab was made without /dev/net/tun: no User Mode Linux client"
	! runs uml || die "the User Mode Linux client runs already (lab uml stop)"
	modules=$(find /usr/lib/uml/modules -mindepth 1 -maxdepth 1 -type d -print -quit 2>/dev/null)
	[[ -n $modules ]] || die "the modules of user-mode-linux are missing"
	rm -rf "$DIR/uml"
	mkdir -p "$DIR/uml"/{jobs,modules/lib/modules}
	ln -s "$modules" "$DIR/uml/modules/lib/modules/${modules##*/}"
	mkfifo -m 600 "$DIR/uml/control"
	: >"$DIR/uml/shares"
	for share in "$@"; do
		[[ -d $share ]] || die "there is no directory '$share' to share"
		realpath "$share" >>"$DIR/uml/shares"
	done
	printf 'ADDRESS=%s/30\nROUTER=%s\nMTU=%s\n' "$UML_IP" "$TAP_IP" "$MTU" >"$DIR/uml/network"
	setsid ip netns exec "$CLIENT" linux.uml mem="${NASLINE_UML_MEMORY:-512M}" \
		rootfstype=hostfs rootflags=/ ro init="$HERE/uml-init" nasline_lab="$DIR" \
		quiet loglevel=4 con=null con0=null,fd:1 con1=fd:5,fd:6 uml_dir="$DIR/uml/" umid=uml \
		vec0:transport=tap,ifname=tap,depth=128,gro=1,mac=02:00:0a:58:02:02 \
		</dev/null >"$DIR/log/uml.log" 2>&1 5<>"$DIR/uml/control" 6>/dev/null 9<&- &
	remember uml $!
	until_true 60 uml_ready_or_ended || true
	uml_is_ready || die "User Mode Linux did not come up: see $DIR/log/uml.log"
}

# uml_job COMMAND...: hands a job over; sets JOB to its directory
uml_job() {
	local number
	number=$(find "$DIR/uml/jobs" -mindepth 1 -maxdepth 1 | wc -l)
	until mkdir "$DIR/uml/jobs/$number" 2>/dev/null; do number=$((number + 1)); done
	JOB=$DIR/uml/jobs/$number
	: >"$JOB/stdout"
	: >"$JOB/stderr"
	{
		printf 'cd %q 2>/dev/null || cd /\n' "$PWD"
		printf 'exec'
		printf ' %q' "$@"
		printf '\n'
	} >"$JOB/command"
	uml_say_to "run $number"
}

job_over() { [[ -s $JOB/status ]] || ended uml; }

# uml_follow: prints what the job prints while it does, and returns its status
uml_follow() {
	local out err
	trap 'uml_say_to "end ${JOB##*/}"' INT TERM
	exec {out}<"$JOB/stdout" {err}<"$JOB/stderr"
	until job_over; do
		cat <&"$out"
		cat <&"$err" >&2
		sleep 0.1
	done
	cat <&"$out"
	cat <&"$err" >&2
	trap - INT TERM
	[[ -s $JOB/status ]] || { say "User Mode Linux ended under the command: see $DIR/log/uml.log"; return 125; }
	return "$(<"$JOB/status")"
}

uml_stop() {
	runs uml || return 0
	uml_say_to off
	until_true 12 ended uml || say "User Mode Linux did not power off: it is ended"
	stop 1 uml
}

cmd_uml() {
	local verb=${1-} shares=() status=0
	is_up || die "the lab is not up"
	shift || true
	while [[ ${1-} == --share ]]; do
		shares+=("${2:?--share needs a directory}")
		shift 2
	done
	case $verb in
	start)
		uml_boot "${shares[@]}"
		if (($#)); then uml_job "$@"; say "in User Mode Linux: $* (output in $JOB)"; fi
		;;
	exec)
		(($#)) || usage_error
		runs uml || die "the User Mode Linux client does not run (lab uml start)"
		uml_job "$@"
		uml_follow
		;;
	run)
		(($#)) || usage_error
		trap uml_stop EXIT
		uml_boot "${shares[@]}"
		uml_job "$@"
		uml_follow || status=$?
		return "$status"
		;;
	stop) uml_stop ;;
	*) usage_error ;;
	esac
}
