# shellcheck shell=bash
# Ground truth: the measured line is the goodput that the shaper allows, in both directions, and so is what is computed.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

lab_up --rate 1gbit --no-pool-limit
programs_up nas client
campaign <<-YAML
	line: { streams: [1, 4], duration: 4s }
	pool: off
	iterations: { min: 2, max: 2, until: off }
YAML
campaign_succeeds
for direction in to-nas from-nas; do
	for streams in 1 4; do
		expect "the line $direction with $streams streams is within 3 % of the goodput" \
			".layer == \"line\" and .direction == \"$direction\" and .streams == $streams" 'near($goodput; 0.03) and .verdict == "valid"'
	done
done
expect "each interval holds its figure" '.layer == "line"' '.interval.low <= .bytes_per_second and .bytes_per_second <= .interval.high'
report_says "the computed goodput is that of the shaper" \
	".link.speed_bps == $LAB_RATE_BPS and .link.mtu == 1500 and (.link.goodput_bytes_per_second / $LAB_GOODPUT_BYTES_PER_SECOND - 1 | fabs) < 0.02"
