/*
 * histogram: merging, percentiles, and the form in which a histogram crosses the wire.
 *
 * Encoding: byte 1 (version); varint count, min, max; sum as IEEE 754 double, 8 bytes, least significant first; varint
 * clipped; then for each non-empty bucket in rising order varint gap (indices skipped since the one before) and varint
 * count. Varints are LEB128 in the shortest form.
 */
#include "proto/histogram.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define VERSION    1
#define VARINT_MAX 10
#define HEAD_MAX   (1 + 4 * VARINT_MAX + 8)
/* More values than anybody can record; below it a count is exact as a double. */
#define COUNT_MAX (UINT64_C(1) << 53)
#define RANGE_END (UINT64_C(1) << NL_HISTOGRAM_MAX_BITS)

void nl_histogram_init(struct nl_histogram *histogram)
{
	memset(histogram, 0, sizeof *histogram);
	histogram->min_ns = UINT64_MAX;
}

void nl_histogram_bounds(unsigned index, uint64_t *low_ns, uint64_t *high_ns)
{
	if (index < 128) {
		*low_ns = index;
		*high_ns = (uint64_t)index + 1;
		return;
	}
	if (index >= NL_HISTOGRAM_BUCKETS)
		index = NL_HISTOGRAM_BUCKETS - 1;
	unsigned exponent = 7 + (index - 128) / 64, step = (index - 128) % 64;
	uint64_t width = UINT64_C(1) << (exponent - NL_HISTOGRAM_SUB_BITS);
	*low_ns = (UINT64_C(1) << exponent) + step * width;
	*high_ns = *low_ns + width;
}

void nl_histogram_merge(struct nl_histogram *into, const struct nl_histogram *from)
{
	into->count += from->count;
	into->clipped += from->clipped;
	into->sum_ns += from->sum_ns;
	if (from->min_ns < into->min_ns)
		into->min_ns = from->min_ns;
	if (from->max_ns > into->max_ns)
		into->max_ns = from->max_ns;
	for (unsigned i = 0; i < NL_HISTOGRAM_BUCKETS; i++)
		into->bucket[i] += from->bucket[i];
}

/* How many values must lie at or below a percentile. A product that rounding put a hair beside a whole number is that
 * number. */
static uint64_t rank_of(uint64_t count, double percent)
{
	double exact = percent * (double)count / 100.0, nearest = nearbyint(exact);
	double rank = fabs(exact - nearest) <= exact * 1e-14 ? nearest : ceil(exact);
	if (!(rank >= 1))
		return 1;
	return rank >= (double)count ? count : (uint64_t)rank;
}

uint64_t nl_histogram_percentile(const struct nl_histogram *histogram, double percent)
{
	if (histogram->count == 0)
		return 0;
	uint64_t rank = rank_of(histogram->count, percent), seen = 0;
	/* What was clipped lies above the last bucket; the greatest value is the one thing that is known about it. */
	if (rank > histogram->count - histogram->clipped)
		return histogram->max_ns;
	unsigned i = 0;
	while (i < NL_HISTOGRAM_BUCKETS - 1 && (seen += histogram->bucket[i]) < rank)
		i++;
	uint64_t low, high;
	nl_histogram_bounds(i, &low, &high);
	uint64_t middle = low + (high - low) / 2;
	if (middle < histogram->min_ns)
		return histogram->min_ns;
	return middle > histogram->max_ns ? histogram->max_ns : middle;
}

double nl_histogram_mean_ns(const struct nl_histogram *histogram)
{
	return histogram->count ? histogram->sum_ns / (double)histogram->count : 0;
}

static uint8_t *put_varint(uint8_t *p, uint64_t value)
{
	for (; value >= 128; value >>= 7)
		*p++ = (uint8_t)(value | 128);
	*p++ = (uint8_t)value;
	return p;
}

static uint8_t *put_double(uint8_t *p, double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof bits);
	for (int i = 0; i < 8; i++)
		*p++ = (uint8_t)(bits >> (8 * i));
	return p;
}

int nl_histogram_encode(const struct nl_histogram *histogram, void **data, size_t *len, struct nl_error *err)
{
	size_t used = 0;
	for (unsigned i = 0; i < NL_HISTOGRAM_BUCKETS; i++)
		used += histogram->bucket[i] != 0;
	uint8_t *buf = malloc(HEAD_MAX + used * 2 * VARINT_MAX);
	if (!buf)
		return nl_error_sys(err, ENOMEM, "encode a histogram");
	uint8_t *p = buf;
	*p++ = VERSION;
	p = put_varint(p, histogram->count);
	p = put_varint(p, histogram->min_ns);
	p = put_varint(p, histogram->max_ns);
	p = put_double(p, histogram->sum_ns);
	p = put_varint(p, histogram->clipped);
	unsigned next = 0;
	for (unsigned i = 0; i < NL_HISTOGRAM_BUCKETS; i++) {
		if (histogram->bucket[i] == 0)
			continue;
		p = put_varint(p, i - next);
		p = put_varint(p, histogram->bucket[i]);
		next = i + 1;
	}
	*data = buf;
	*len = (size_t)(p - buf);
	return 0;
}

struct reader {
	const uint8_t *p, *end;
	const char *why; /* the first thing that was wrong */
};

static bool fail(struct reader *reader, const char *why)
{
	if (!reader->why)
		reader->why = why;
	return false;
}

static bool get_varint(struct reader *reader, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0; shift < 64; shift += 7) {
		if (reader->p == reader->end)
			return fail(reader, "it ends in the middle of a number");
		uint8_t byte = *reader->p++;
		if ((byte == 0 && shift > 0) || (shift == 63 && byte > 1))
			return fail(reader, "a number is not in its shortest form or too large");
		*value |= (uint64_t)(byte & 127) << shift;
		if (byte < 128)
			return true;
	}
	return fail(reader, "a number is too large");
}

static bool get_double(struct reader *reader, double *value)
{
	if (reader->end - reader->p < 8)
		return fail(reader, "it ends in the middle of a number");
	uint64_t bits = 0;
	for (int i = 0; i < 8; i++)
		bits |= (uint64_t)*reader->p++ << (8 * i);
	memcpy(value, &bits, sizeof *value);
	return true;
}

/* Reads the buckets to the end of the data and checks their sum. */
static bool get_buckets(struct reader *reader, struct nl_histogram *h)
{
	uint64_t index = 0, total = 0, gap, count;
	while (reader->p < reader->end) {
		if (!get_varint(reader, &gap) || !get_varint(reader, &count))
			return false;
		if (gap >= NL_HISTOGRAM_BUCKETS - index)
			return fail(reader, "a bucket is out of range or there are trailing bytes");
		if (count == 0)
			return fail(reader, "a bucket is empty");
		if (count > COUNT_MAX - total)
			return fail(reader, "the counts are too large");
		index += gap;
		h->bucket[index++] = count;
		total += count;
	}
	return total == h->count || fail(reader, "the buckets do not add up to the count");
}

/* Whether least, greatest, sum and clipped agree with the buckets. The sum was rounded once per value: a millionth is
 * allowed. */
static bool check_agreement(struct reader *reader, const struct nl_histogram *h)
{
	if (h->count == 0)
		return (h->min_ns == UINT64_MAX && h->max_ns == 0 && h->sum_ns == 0 && h->clipped == 0) ||
		       fail(reader, "it is empty, yet has values");
	if (h->min_ns > h->max_ns)
		return fail(reader, "the least value is above the greatest");
	unsigned first = 0, last = NL_HISTOGRAM_BUCKETS - 1;
	while (h->bucket[first] == 0)
		first++;
	while (h->bucket[last] == 0)
		last--;
	if (nl_histogram_index(h->min_ns) != first || nl_histogram_index(h->max_ns) != last)
		return fail(reader, "the least or greatest value lies in no bucket");
	if ((h->clipped > 0) != (h->max_ns >= RANGE_END) || h->clipped > h->bucket[NL_HISTOGRAM_BUCKETS - 1])
		return fail(reader, "the clipped values do not agree with the greatest");
	double low = (double)h->min_ns * (double)h->count, high = (double)h->max_ns * (double)h->count;
	if (!isfinite(h->sum_ns) || h->sum_ns < low * (1 - 1e-6) || h->sum_ns > high * (1 + 1e-6))
		return fail(reader, "the sum does not agree with the values");
	return true;
}

int nl_histogram_decode(const void *data, size_t len, struct nl_histogram *histogram, struct nl_error *err)
{
	struct reader reader = {data, (const uint8_t *)data + len, NULL};
	nl_histogram_init(histogram);
	bool good;
	if (len == 0 || *reader.p++ != VERSION)
		good = fail(&reader, "its version is unknown");
	else
		good = get_varint(&reader, &histogram->count) && get_varint(&reader, &histogram->min_ns) &&
		       get_varint(&reader, &histogram->max_ns) && get_double(&reader, &histogram->sum_ns) &&
		       get_varint(&reader, &histogram->clipped) && get_buckets(&reader, histogram) &&
		       check_agreement(&reader, histogram);
	if (good)
		return 0;
	nl_histogram_init(histogram);
	nl_error_set(err, NL_E_PROTOCOL, "read a histogram");
	nl_error_why(err, "%s", reader.why);
	return NL_E_PROTOCOL;
}
