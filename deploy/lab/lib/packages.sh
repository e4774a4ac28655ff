# shellcheck shell=bash
# Debian packages by the sections of deploy/packages: which are missing, and installing those alone.

PACKAGE_LIST=${PACKAGE_LIST:-$(dirname "$(realpath "${BASH_SOURCE[0]}")")/../../packages}

# packages_missing SECTION...: the packages of these sections that are not installed, one a line
packages_missing() {
	local package
	awk -v wanted=" $* " '
		/^\[.*\]$/ { section = substr($0, 2, length($0) - 2); next }
		/^[a-z0-9]/ && index(wanted, " " section " ") { print $1 }' "$PACKAGE_LIST" | sort -u |
		while read -r package; do
			[[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || echo "$package"
		done
}

# packages_install SECTION...: installs what is missing, and nothing when nothing is. The servers among them would be
# started and offered to the network at once; of those that were not there before, none is left running or enabled.
packages_install() {
	local missing
	mapfile -t missing < <(packages_missing "$@")
	((${#missing[@]})) || return 0
	printf 'installing: %s\n' "${missing[*]}" >&2
	export DEBIAN_FRONTEND=noninteractive
	apt-get -q -q -o DPkg::Lock::Timeout=120 update
	apt-get -q -q -y -o DPkg::Lock::Timeout=120 -o Dpkg::Use-Pty=0 --no-install-recommends install "${missing[@]}"
	services_stop "${missing[@]}"
}

services_stop() {
	local package unit units=()
	for package in "$@"; do
		case $package in
		samba) units+=(smbd nmbd samba-ad-dc) ;;
		rpcbind) units+=(rpcbind.socket rpcbind) ;;
		nfs-ganesha) units+=(nfs-ganesha nfs-ganesha-lock) ;;
		nfs-common) units+=(nfs-client.target rpc-statd) ;;
		esac
	done
	for unit in "${units[@]}"; do
		if [[ -d /run/systemd/system ]]; then
			systemctl disable --now "$unit" >/dev/null 2>&1 || true
		elif [[ -x /etc/init.d/$unit ]]; then
			"/etc/init.d/$unit" stop >/dev/null 2>&1 || true
		fi
	done
}
