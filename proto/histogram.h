/*
 * histogram: latencies in nanoseconds, log-linear, 1 ns to 2^40 ns (18 minutes), relative error at most 1/128.
 *
 * Values below 128 have a bucket of their own; above, each power of two is cut into 64 buckets, so a bucket at [2^k,
 * 2^(k+1)) is 2^(k-6) wide and its midpoint is off by at most 2^(k-7), which is at most 1/128 of the value. Values
 * above the range are counted in the last bucket and in `clipped`. Recording is plain (one writer); merge what several
 * threads recorded afterwards.
 */
#ifndef NL_PROTO_HISTOGRAM_H
#define NL_PROTO_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define NL_HISTOGRAM_SUB_BITS 6
#define NL_HISTOGRAM_MAX_BITS 40
#define NL_HISTOGRAM_BUCKETS  (128 + (NL_HISTOGRAM_MAX_BITS - 7) * 64)

struct nl_histogram {
	uint64_t count, clipped;
	uint64_t min_ns, max_ns; /* exact; min is UINT64_MAX when empty */
	double sum_ns;
	uint64_t bucket[NL_HISTOGRAM_BUCKETS];
};

void nl_histogram_init(struct nl_histogram *histogram);

/* The index of a value's bucket. Inline, for hot loops. */
static inline unsigned nl_histogram_index(uint64_t ns)
{
	if (ns < 128)
		return (unsigned)ns;
	if (ns >= UINT64_C(1) << NL_HISTOGRAM_MAX_BITS)
		return NL_HISTOGRAM_BUCKETS - 1;
	unsigned exponent = 63u - (unsigned)__builtin_clzll(ns);
	return 128u + (exponent - 7u) * 64u + (unsigned)((ns >> (exponent - NL_HISTOGRAM_SUB_BITS)) & 63u);
}

static inline void nl_histogram_record(struct nl_histogram *histogram, uint64_t ns)
{
	histogram->bucket[nl_histogram_index(ns)]++;
	histogram->count++;
	histogram->sum_ns += (double)ns;
	histogram->clipped += ns >= UINT64_C(1) << NL_HISTOGRAM_MAX_BITS;
	if (ns < histogram->min_ns)
		histogram->min_ns = ns;
	if (ns > histogram->max_ns)
		histogram->max_ns = ns;
}

/* nl_histogram_bounds gives the half-open range [low, high) of a bucket. */
void nl_histogram_bounds(unsigned index, uint64_t *low_ns, uint64_t *high_ns);
void nl_histogram_merge(struct nl_histogram *into, const struct nl_histogram *from);
/*
 * nl_histogram_percentile: the smallest recorded value v (bucket midpoint, held within min and max) such that at least
 * `percent` of the values are <= v. 0 when empty. percent in [0,100].
 */
uint64_t nl_histogram_percentile(const struct nl_histogram *histogram, double percent);
double nl_histogram_mean_ns(const struct nl_histogram *histogram);

/*
 * nl_histogram_encode: version byte, count, min, max, sum, clipped, then (gap, count) varints of the non-empty buckets.
 * Fresh buffer, caller frees. nl_histogram_decode refuses anything inconsistent: unknown version, bucket out of range,
 * sums that do not match, overflow, trailing bytes.
 */
int nl_histogram_encode(const struct nl_histogram *histogram, void **data, size_t *len, struct nl_error *err);
int nl_histogram_decode(const void *data, size_t len, struct nl_histogram *histogram, struct nl_error *err);

#endif
