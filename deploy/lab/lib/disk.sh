# shellcheck shell=bash
# The pool's disk: an image with a speed limit that holds.
#
# It is two loop devices, one on the other. The limit is on the lower and the file system on the upper. With one, the
# kernel charges a request that it has to split (over 1280 KiB, or over 128 segments) more than once, and a disk of
# 100 MB/s gave anything from 50 to 100 by block size. The upper one hands down nothing above 512 KiB, so nothing is
# split and the limit holds to about 2 %. Both belong to the lab by their backing file, an image that is its own.

image_dir() { get image-dir; }
image() { printf '%s/pool.img\n' "$(image_dir)"; }

# loops_on FILE: the loop devices that stand on an image or on a device
loops_on() { losetup -nO NAME -j "$1" 2>/dev/null | tr -d ' '; }

lower_device() { loops_on "$(image)" | head -n 1; }
pool_device() {
	local lower
	lower=$(lower_device)
	[[ -n $lower ]] && loops_on "$lower" | head -n 1
}

bytes_of() { numfmt --from=iec "${1%[iI][bB]}"; }

# An image in memory keeps the limit true above what a real disk gives; half of what is free must remain. The name is
# this lab's alone, whatever other lab of the same name can see the same /dev/shm (one in a container, say).
choose_image_dir() {
	local size=$1 free_shm free_memory place=${NASLINE_LAB_IMAGE_DIR:-/var/tmp}
	[[ -n $(get image-dir) ]] && return
	free_shm=$(df --output=avail -B1 /dev/shm 2>/dev/null | tail -n 1)
	free_memory=$(awk '$1 == "MemAvailable:" { printf "%.0f", $2 * 1024 }' /proc/meminfo)
	if [[ -d /dev/shm ]] && ((${free_shm:-0} > size && free_memory / 2 > size)); then place=/dev/shm; fi
	put image-dir "$place/nasline-lab-$NAME.$(od -An -N6 -tx1 /dev/urandom | tr -d ' \n')"
}

attach() { losetup --find --show --direct-io=on "$1" 2>/dev/null || losetup --find --show "$1"; }

disk_up() {
	local size lower upper device
	size=$(bytes_of "$1") || die "not a size: '$1'"
	((size >= 384 * 1024 * 1024)) || die "a pool has at least 384M"
	choose_image_dir "$size"
	upper=$(pool_device) || true
	[[ -n $upper ]] && return
	install -d -m 700 "$(image_dir)"
	[[ -z $(lower_device) ]] || losetup -d "$(lower_device)"
	rm -f "$(image)"
	truncate -s "$size" "$(image)"
	lower=$(attach "$(image)")
	upper=$(attach "$lower")
	echo 512 >"/sys/block/${upper##*/}/queue/max_sectors_kb"
	# A precaution: writeback throttling might take the limit for a slow disk and go slower still.
	for device in "$lower" "$upper"; do
		{ echo 0 >"/sys/block/${device##*/}/queue/wbt_lat_usec"; } 2>/dev/null || true
	done
	limit_disk 0
	mkfs.xfs -q -f "$upper"
}

is_detached() { [[ -z $(loops_on "$1") ]]; }

disk_down() {
	local lower upper
	[[ -n $(get image-dir) ]] || return 0
	lower=$(lower_device)
	if [[ -n $lower ]]; then
		limit_disk 0
		upper=$(pool_device)
		if [[ -n $upper ]]; then losetup -d "$upper"; fi
		until_true 3 is_detached "$lower" || die "$upper is still in use: end what uses it, then 'lab down' again"
		losetup -d "$lower"
		until_true 2 is_detached "$(image)" || die "$lower is still in use: end what uses it, then 'lab down' again"
	fi
	rm -f "$(image)"
	if [[ -d $(image_dir) ]]; then rmdir "$(image_dir)"; fi
	group_down
}

# --- the limit ------------------------------------------------------------------------------------------------------

blkio_v1() { awk '$3 == "cgroup" && $4 ~ /(^|,)blkio(,|$)/ { print $2; exit }' /proc/mounts; }
cgroup_v2() { awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts; }

# limit_disk MBPS: reads and writes each; 0 is no limit. With cgroup v1 the rule is on the root group, where buffered
# writeback is accounted too; version 2 has no limit on its root, so there the NAS's processes run in a group.
limit_disk() {
	local bps=$(($1 * 1000000)) lower number v1 v2 kind
	lower=$(lower_device)
	number=$(<"/sys/block/${lower##*/}/dev")
	v1=$(blkio_v1) v2=$(cgroup_v2)
	if [[ -n $v1 && -e $v1/blkio.throttle.write_bps_device ]]; then
		for kind in read write; do echo "$number $bps" >"$v1/blkio.throttle.${kind}_bps_device"; done
	elif [[ -n $v2 ]] && grep -qw io "$v2/cgroup.controllers"; then
		group_up "$v2"
		((bps)) || bps=max
		echo "$number rbps=$bps wbps=$bps" >"$v2/nasline-lab-$NAME/io.max"
	elif ((bps)); then
		die "neither the blkio (v1) nor the io (v2) cgroup controller is here: a disk limit is not possible"
	fi
	bound_dirty_pages "$1"
	put disk-mbps "$1"
}

# The page cache would take a tenth of the memory before anything reaches the disk; a second's worth is enough. (Less
# made the kernel hold writes back after an idle time, at half the disk's rate; see also flusher_up.)
bound_dirty_pages() {
	local bytes=$(($1 * 1000000)) upper bdi
	upper=$(pool_device)
	[[ -n $upper ]] || return 0
	bdi=/sys/class/bdi/$(<"/sys/block/${upper##*/}/dev")
	[[ -w $bdi/strict_limit && -w $bdi/max_bytes ]] || return 0 # kernels before 6.2
	if ((bytes)); then
		echo 1 >"$bdi/strict_limit"
		echo "$bytes" >"$bdi/max_bytes"
	else
		echo 0 >"$bdi/strict_limit"
		echo 100 >"$bdi/max_ratio"
	fi
}

group_up() {
	mkdir -p "$1/nasline-lab-$NAME"
	echo '+io +memory' >"$1/cgroup.subtree_control"
}

group_down() {
	local group
	group=$(cgroup_v2)/nasline-lab-$NAME
	if [[ -d $group ]]; then rmdir "$group" || say "the cgroup $group stays"; fi
}

# join_group: the calling process and what it starts fall under the limit (version 2 only)
join_group() {
	local group
	group=$(cgroup_v2)/nasline-lab-$NAME
	if [[ -z $(blkio_v1) && -d $group ]]; then echo "$BASHPID" >"$group/cgroup.procs"; fi
}
