# shellcheck shell=bash
# The lab's own ground: what the pool's disk gives is what was asked for, whatever the size of the requests.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

# rate_of MB DD_ARGUMENT...: bytes per second of a dd of so many megabytes on the NAS
rate_of() {
	local start=${EPOCHREALTIME//[.,]/} megabytes=$1
	shift
	"$LAB" exec nas dd status=none "$@"
	echo $((megabytes * 1000000 * 1000000 / (${EPOCHREALTIME//[.,]/} - start)))
}

lab_up --disk-mbps 80 --no-nfs --no-smb
for block in 64 1024 4096; do
	for way in write read; do
		file=$LAB_POOL/file-$block count=$((160 * 1024 / block))
		if [[ $way == write ]]; then args=(if=/dev/zero "of=$file" oflag=direct); else args=("if=$file" of=/dev/null iflag=direct); fi
		rate=$(rate_of 167 "${args[@]}" bs="${block}k" count="$count")
		((rate > 72000000 && rate < 88000000)) || fail "$way in blocks of $block KiB: $rate bytes/s, and the limit is 80 MB/s"
		say "ok: $way in blocks of $block KiB at $((rate / 1000000)) MB/s"
	done
done
rate=$(rate_of 167 if=/dev/zero of="$LAB_POOL/buffered" conv=fsync bs=1M count=160)
((rate > 68000000 && rate < 92000000)) || fail "buffered write with fsync: $rate bytes/s"
"$LAB" limit 160
rate=$(rate_of 167 if=/dev/zero of="$LAB_POOL/faster" oflag=direct bs=1M count=160)
((rate > 136000000 && rate < 184000000)) || fail "with the limit at 160 MB/s: $rate bytes/s"
"$LAB" exec nas sh -c "rm $LAB_POOL/*"
