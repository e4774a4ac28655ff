# shellcheck shell=bash
# The network: three namespaces. 'nas' and 'client' are joined by the shaped wire; both reach 'ctl', where a
# controller can run, over a management network without limits, so that control never rides on the measured wire.
#
#   nas [wire 10.88.0.1] ===shaped=== [wire 10.88.0.2] client [tap 10.88.2.1] --- [10.88.2.2] User Mode Linux
#   nas [mgmt 10.88.1.2] ---bridge 10.88.1.1 in ctl--- [mgmt 10.88.1.3] client
#
# Names and addresses inside are the same in every lab: namespaces keep them apart. Only the namespaces' own names,
# which the whole machine sees, carry the lab's name.

readonly NAS_IP=10.88.0.1 CLIENT_IP=10.88.0.2 WIRE_NET=10.88.0.0/24
readonly CTL_IP=10.88.1.1 NAS_MGMT_IP=10.88.1.2 CLIENT_MGMT_IP=10.88.1.3
# shellcheck disable=SC2034 # used by the other parts
readonly TAP_IP=10.88.2.1 UML_IP=10.88.2.2 UML_NET=10.88.2.0/30
readonly MTU=1500

ns_inode() { stat -Lc %i "/run/netns/$1" 2>/dev/null; }

# Ours is what we noted, by the kernel's own number; or what was begun (the name was free then) and not finished.
ns_is_ours() {
	local noted
	[[ -e $DIR/own/$1 && -e /run/netns/$1 ]] || return 1
	noted=$(<"$DIR/own/$1")
	[[ $noted == begun || $noted == "$(ns_inode "$1")" ]]
}

ns_up() {
	ns_is_ours "$1" && [[ $(<"$DIR/own/$1") != begun ]] && return
	[[ ! -e /run/netns/$1 ]] || die "a network namespace '$1' is there already and is not this lab's: remove it, or use another --name"
	put "own/$1" begun
	ip netns add "$1"
	put "own/$1" "$(ns_inode "$1")"
	ip -n "$1" link set lo up
}

ns_down() {
	if ns_is_ours "$1"; then ip netns del "$1" || say "the namespace $1 stays"; fi
	rm -f "$DIR/own/$1"
}

# ns_processes NAME: the processes in a namespace of ours
ns_processes() { if ns_is_ours "$1"; then ip netns pids "$1" 2>/dev/null || true; fi; }

ns_is_empty() { [[ -z $(ns_processes "$1") ]]; }

# What was started with 'lab exec' has no place to be once the namespaces go.
ns_evict() {
	local ns pids
	for ns in "$@"; do
		mapfile -t pids < <(ns_processes "$ns")
		((${#pids[@]})) && kill -TERM "${pids[@]}" 2>/dev/null
	done
	for ns in "$@"; do
		until_true 1 ns_is_empty "$ns" && continue
		mapfile -t pids < <(ns_processes "$ns")
		((${#pids[@]})) && kill -KILL "${pids[@]}" 2>/dev/null
		until_true 2 ns_is_empty "$ns" || say "processes in $ns cannot be ended: ${pids[*]}"
	done
}

# bits_per_second RATE: 200mbit, 1gbit, 2.5gbit ...; 'none' is 0
bits_per_second() {
	[[ $1 == none ]] && { echo 0; return; }
	[[ $1 =~ ^([0-9]+)(\.([0-9]{1,3}))?([kmg])bit$ ]] || die "not a rate: '$1' (such as 200mbit, 1gbit, 2.5gbit, none)"
	local thousandths=${BASH_REMATCH[3]-}000 unit
	case ${BASH_REMATCH[4]} in k) unit=1000 ;; m) unit=1000000 ;; g) unit=1000000000 ;; esac
	local bps=$(((10#${BASH_REMATCH[1]} * 1000 + 10#${thousandths:0:3}) * unit / 1000))
	((bps >= 1000000)) || die "the rate '$1' is below 1mbit"
	echo "$bps"
}

# What TCP can carry of a rate: 1448 bytes of payload in each frame of 1514, which is what tbf counts.
goodput_bytes_per_second() { echo $(($1 * (MTU - 52) / (MTU + 14) / 8)); }

# The bucket holds two milliseconds, and never less than two of the 64 KiB packets that a sender hands down whole:
# below one, tbf cuts them in software, which costs rate and CPU. A queue as long as the bucket adds two milliseconds.
shape() {
	local bps burst ns
	bps=$(bits_per_second "$1")
	burst=$((bps / 8 / 500))
	((burst >= 131072)) || burst=131072
	for ns in "$NAS" "$CLIENT"; do
		if ((bps)); then
			tc -n "$ns" qdisc replace dev wire root tbf rate "${bps}bit" burst "${burst}b" limit "$((2 * burst))b"
		elif tc -n "$ns" qdisc show dev wire | grep -q '^qdisc tbf'; then
			tc -n "$ns" qdisc del dev wire root
		fi
	done
	put rate "$1"
}

# A machine whose default is bbr fills a token bucket unevenly, and a namespace may not choose an algorithm that is
# not in the machine's allowed list; a route may name it, and touches nothing outside.
route_with_cubic() {
	local ns=$1
	shift
	ip -n "$ns" route replace "$@" congctl cubic 2>/dev/null || ip -n "$ns" route replace "$@"
}

end_up() {	# end_up NAMESPACE DEVICE ADDRESS
	ip -n "$1" addr replace "$3/24" dev "$2"
	ip -n "$1" link set "$2" up
}

wire_up() {
	local ns
	for ns in "$NAS" "$CLIENT" "$CTL"; do ns_up "$ns"; done
	ip -n "$NAS" link show wire >/dev/null 2>&1 ||
		ip link add wire mtu "$MTU" netns "$NAS" type veth peer name wire mtu "$MTU" netns "$CLIENT"
	end_up "$NAS" wire "$NAS_IP"
	end_up "$CLIENT" wire "$CLIENT_IP"
	route_with_cubic "$NAS" "$WIRE_NET" dev wire proto kernel scope link src "$NAS_IP"
	route_with_cubic "$CLIENT" "$WIRE_NET" dev wire proto kernel scope link src "$CLIENT_IP"
	management_up
	tap_up
}

management_up() {
	local side ns
	ip -n "$CTL" link show mgmt >/dev/null 2>&1 || ip -n "$CTL" link add mgmt type bridge
	end_up "$CTL" mgmt "$CTL_IP"
	for side in nas client; do
		[[ $side == nas ]] && ns=$NAS || ns=$CLIENT
		ip -n "$ns" link show mgmt >/dev/null 2>&1 || ip link add mgmt netns "$ns" type veth peer name "$side" netns "$CTL"
		ip -n "$CTL" link set "$side" master mgmt up
	done
	end_up "$NAS" mgmt "$NAS_MGMT_IP"
	end_up "$CLIENT" mgmt "$CLIENT_MGMT_IP"
}

# The User Mode Linux client hangs behind 'client' and is routed, not bridged: so the wire's end keeps its address
# and its counters whether that client runs or not.
tap_up() {
	if ! ip -n "$CLIENT" link show tap >/dev/null 2>&1; then
		[[ -c /dev/net/tun ]] || { say "no /dev/net/tun: no User Mode Linux client in this lab"; return; }
		ip -n "$CLIENT" tuntap add tap mode tap vnet_hdr
	fi
	ip -n "$CLIENT" addr replace "$TAP_IP/30" dev tap
	ip -n "$CLIENT" link set tap up
	ip netns exec "$CLIENT" sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward'
	route_with_cubic "$NAS" "$UML_NET" via "$CLIENT_IP" dev wire
	ip -n "$CTL" route replace "$UML_NET" via "$CLIENT_MGMT_IP" dev mgmt
}
