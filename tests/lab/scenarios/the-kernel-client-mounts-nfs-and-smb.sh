# shellcheck shell=bash
# User Mode Linux in the lab is a real client: NFS 3, 4.1 and 4.2 with nconnect, SMB 3.1.1, plain and encrypted, with the
# counters that an agent reads.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

lab_up --no-pool-limit
uml_up

# mounts KIND OPTIONS SOURCE COUNTERS: mounts, writes, reads back what the NAS has, and looks for the counters
mounts() {
	"$LAB" uml exec sh -euc '
		mkdir -p /mnt/share
		mount -t "$1" -o "$2" "$3" /mnt/share
		trap "umount /mnt/share" EXIT
		grep -q " /mnt/share $1" /proc/self/mounts
		dd if=/dev/urandom of=/mnt/share/file bs=1M count=8 conv=fsync status=none
		md5sum /mnt/share/file | cut -d" " -f1
		eval "$4" >/dev/null || { echo "counters: $4" >&2; exit 1; }' mounts "$@" >"$SCRATCH/sum" || fail "$*"
	[[ $("$LAB" exec nas md5sum "$LAB_POOL/file" | cut -d' ' -f1) == "$(<"$SCRATCH/sum")" ]] || fail "the NAS has other bytes: $*"
	"$LAB" exec nas rm "$LAB_POOL/file"
	say "ok: $1 $2"
}

xprts='[ $(sed -n "/mounted on .mnt.share /,/^device/p" /proc/self/mountstats | grep -c xprt:) = '
mounts nfs vers=3,nolock "$LAB_NAS_IP:$LAB_NFS_EXPORT" "$xprts 1 ]"
mounts nfs vers=4.1 "$LAB_NAS_IP:$LAB_NFS_EXPORT" "$xprts 1 ]"
mounts nfs vers=4.2,nconnect=4 "$LAB_NAS_IP:$LAB_NFS_EXPORT" "$xprts 4 ]"
mounts nfs vers=4.2 "$LAB_NAS_IP:$LAB_NFS_EXPORT_64K" 'grep -q "mnt/share.*rsize=65536" /proc/self/mounts'
mounts cifs "vers=3.1.1,credentials=$LAB_SMB_CREDENTIALS" "//$LAB_NAS_IP/$LAB_SMB_SHARE" 'grep -q "Dialect 0x311" /proc/fs/cifs/DebugData'
mounts cifs "vers=3.1.1,seal,credentials=$LAB_SMB_CREDENTIALS" "//$LAB_NAS_IP/$LAB_SMB_SHARE_CRYPT" 'grep -qi encrypted /proc/fs/cifs/DebugData'
"$LAB" uml exec true || fail "exec true"
! "$LAB" uml exec false || fail "the status of a command is lost"
clock=$(($("$LAB" uml exec date +%s) - $(date +%s)))
((clock >= -2 && clock <= 2)) || fail "the clock in there is $clock s off"
"$LAB" uml stop
