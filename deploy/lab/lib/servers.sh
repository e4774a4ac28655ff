# shellcheck shell=bash
# The NAS: a place of its own with the pool in it, and the real NFS-Ganesha and smbd that serve the same directory.
#
# The place is a mount namespace held by a sleeping process. Its /run is empty and its own, because rpcbind and ganesha
# meet at /run/rpcbind.sock, which a network namespace does not keep apart; nor do they find the machine's D-Bus there.
# The pool is mounted in it alone: the client cannot see the NAS's disk, and the mount ends with its processes. It is not
# mounted with discard: the upper loop device turns that into writes of zeroes, which the limit charges in full.

readonly SMB_USER=bench

in_nas() { nsenter -t "$(pid_of holder)" -m -n -r -- "$@"; }

holder_up() {
	runs holder && return
	rm -f "$DIR/run/holder-ready"
	mkdir -p "$DIR/pool"
	# shellcheck disable=SC2016
	setsid ip netns exec "$NAS" bash -euc '
		dir=$1 device=$2
		mount --bind "$dir" /mnt
		mount -t tmpfs -o mode=755 tmpfs /run
		mkdir -p "$dir" /run/rpcbind /run/lock
		mount --move /mnt "$dir"
		mount -o noatime "$device" "$dir/pool"
		chmod 1777 "$dir/pool"
		: >"$dir/run/holder-ready"
		exec sleep infinity' nasline-lab-holder "$DIR" "$(pool_device)" </dev/null >"$DIR/log/holder.log" 2>&1 9<&- &
	remember holder $!
	until_true 10 test -e "$DIR/run/holder-ready" || die "the NAS's mount namespace did not come up: see $DIR/log/holder.log"
}

# daemon NAME COMMAND...: a server of the NAS, in the foreground of a process group of its own
daemon() {
	local name=$1
	shift
	(
		join_group
		exec setsid nsenter -t "$(pid_of holder)" -m -n -r -- "$@" </dev/null >>"$DIR/log/$name.log" 2>&1 9<&-
	) &
	remember "$name" $!
}

# The pool is written back ten times a second. Left to itself the kernel begins when half of the dirty pages it allows
# are there, and the disk stands idle until then: a durable write of 150 MB over the wire ran at 33 to 52 MB/s on a disk
# of 60, and runs at 58 to 61 with this.
flusher_up() {
	# shellcheck disable=SC2016
	runs flusher || daemon flusher bash -c 'while sync -f "$1"; do sleep 0.1; done' nasline-lab-flusher "$DIR/pool"
}

listens() { [[ -n $(in_nas ss -Hltn "sport = :$1") ]]; }

# comes_up NAME PORT: a server is there when its port is; one that ended is not waited for
listens_or_ended() { ended "$1" || listens "$2"; }
comes_up() {
	until_true 20 listens_or_ended "$1" "$2" || true
	if ended "$1" || ! listens "$2"; then
		tail -n 5 "$DIR/log/$1.log" >&2
		die "$1 did not come up; above is the end of its log"
	fi
}

nfs_up() {
	[[ -e /etc/mtab ]] || die "/etc/mtab is missing, and ganesha looks the pool up in it: ln -s ../proc/self/mounts /etc/mtab"
	mkdir -p "$DIR/nfs/recovery"
	[[ -s $DIR/nfs/ganesha.conf ]] || nfs_configuration >"$DIR/nfs/ganesha.conf"
	# NFS 3 needs rpcbind: without it ganesha 4.3 ends, even with ports that are fixed.
	runs rpcbind || { daemon rpcbind rpcbind -f -h "$NAS_IP"; comes_up rpcbind 111; }
	runs nfs || daemon nfs ganesha.nfsd -F -f "$DIR/nfs/ganesha.conf" -L "$DIR/log/nfs.log" -p "$DIR/nfs/pid" -N NIV_EVENT
	comes_up nfs 2049
}

# The cache of ganesha would go on serving, and keep the space of, files that an agent removed from the pool directly,
# as an agent on a real NAS does: attributes are looked up again each time (with a second of trust, a directory made anew under an old
# name was "Stale file handle"), and idle descriptors are closed at once.
nfs_configuration() {
	cat <<-CONF
	NFS_CORE_PARAM {
	    Protocols = 3, 4;
	    Bind_addr = $NAS_IP;
	    NFS_Port = 2049;
	    MNT_Port = 20048;
	    Enable_NLM = false;
	    Enable_RQUOTA = false;
	    Enable_UDP = false;
	    mount_path_pseudo = true;
	    Plugins_Dir = "$(dirname "$(find /usr/lib* -name libfsalvfs.so -print -quit)")";
	}
	NFSv4 {
	    Minor_Versions = 0, 1, 2;
	    Graceless = true;
	    RecoveryBackend = fs;
	    RecoveryRoot = "$DIR/nfs/recovery";
	    Only_Numeric_Owners = true;
	}
	NFS_KRB5 { Active_krb5 = false; }
	MDCACHE { LRU_Run_Interval = 1; FD_LWMark_Percent = 0; }
	LOG { Default_Log_Level = EVENT; }
	CONF
	nfs_export 1 /export 1048576
	nfs_export 2 /export-64k 65536
}

nfs_export() {	# nfs_export ID PSEUDO TRANSFER_SIZE
	cat <<-CONF
	EXPORT {
	    Export_Id = $1;
	    Path = "$DIR/pool";
	    Pseudo = "$2";
	    Tag = "${2#/}";
	    Filesystem_Id = 88.$1;
	    Protocols = 3, 4;
	    Transports = TCP;
	    Access_Type = RW;
	    Squash = No_Root_Squash;
	    SecType = sys;
	    MaxRead = $3; MaxWrite = $3; PrefRead = $3; PrefWrite = $3;
	    Attr_Expiration_Time = 0;
	    FSAL { Name = VFS; }
	}
	CONF
}

smb_up() {
	[[ -s $DIR/smb/password ]] || smb_accounts
	runs smb || daemon smb smbd -F --no-process-group -s "$DIR/smb/smb.conf" -l "$DIR/log"
	comes_up smb 445
}

# No account is made on the machine: 'bench' is mapped to nobody, whose password is in the lab's own database only.
smb_accounts() {
	local d=$DIR/smb password
	mkdir -p "$d"/{state,lock,cache,pid,ncalrpc}
	install -d -m 700 "$d/private"
	echo "nobody = $SMB_USER" >"$d/users.map"
	smb_configuration >"$d/smb.conf"
	printf '[global]\n   client min protocol = SMB2_02\n   client max protocol = SMB3_11\n' >"$d/client.conf"
	password=$(od -An -N12 -tx1 /dev/urandom | tr -d ' \n')
	printf '%s\n%s\n' "$password" "$password" |
		pdbedit -s "$d/smb.conf" -t -a -u nobody >"$DIR/log/pdbedit.log" 2>&1 || die "pdbedit failed: see $DIR/log/pdbedit.log"
	(
		umask 077
		printf 'username=%s\npassword=%s\n' "$SMB_USER" "$password" >"$d/credentials"
		printf '%s\n' "$password" >"$d/password"
	)
}

smb_configuration() {
	local d=$DIR/smb
	cat <<-CONF
	[global]
	   workgroup = NASLINE
	   netbios name = NAS
	   server role = standalone server
	   disable netbios = yes
	   smb ports = 445
	   interfaces = $NAS_IP/24
	   bind interfaces only = yes
	   passdb backend = tdbsam:$d/private/passdb.tdb
	   username map = $d/users.map
	   map to guest = never
	   private dir = $d/private
	   state directory = $d/state
	   lock directory = $d/lock
	   cache directory = $d/cache
	   pid directory = $d/pid
	   ncalrpc dir = $d/ncalrpc
	   binddns dir = $d/state
	   usershare path =
	   log file = $DIR/log/smb.log
	   max log size = 1000
	   load printers = no
	   printing = bsd
	   printcap name = /dev/null
	   disable spoolss = yes
	   server min protocol = SMB2_02
	   server max protocol = SMB3_11
	   server signing = auto
	   server multi channel support = yes
	CONF
	smb_share bench default
	smb_share bench-crypt required
}

smb_share() {	# smb_share NAME ENCRYPTION
	cat <<-CONF
	[$1]
	   path = $DIR/pool
	   valid users = nobody
	   force user = root
	   read only = no
	   strict sync = yes
	   smb encrypt = $2
	CONF
}
