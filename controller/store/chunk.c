/*
 * chunk: see the header. Layout: one byte of format, then the instants, then the values. Differences are taken modulo
 * 2^64, so that no instant can overflow them.
 */
#include "controller/store/chunk.h"

#include <math.h>
#include <string.h>

enum { FORMAT_DOUBLES = 1, FORMAT_WHOLE = 2 };

#define VARINT_MAX 10
#define WHOLE_MAX  9007199254740992.0 /* 2^53: doubles up to here are exact whole numbers */

static size_t put_varint(uint8_t *data, uint64_t value)
{
	size_t n = 0;
	while (value >= 0x80) {
		data[n++] = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	data[n++] = (uint8_t)value;
	return n;
}

static bool get_varint(const uint8_t **data, const uint8_t *end, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0; shift < 64 && *data < end; shift += 7) {
		uint8_t byte = *(*data)++;
		if (shift == 63 && byte > 1)
			return false;
		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

/* Small numbers of either sign become small numbers. */
static uint64_t zigzag(uint64_t difference)
{
	return (difference << 1) ^ (difference >> 63 ? UINT64_MAX : 0);
}

static uint64_t unzigzag(uint64_t coded)
{
	return (coded >> 1) ^ (coded & 1 ? UINT64_MAX : 0);
}

static bool all_whole(const double *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!(fabs(values[i]) <= WHOLE_MAX) || values[i] != floor(values[i]) ||
		    (values[i] == 0 && signbit(values[i])))
			return false;
	return true;
}

size_t nl_chunk_bound(size_t count)
{
	return 1 + count * 2 * VARINT_MAX;
}

size_t nl_chunk_encode(const int64_t *times_ns, const double *values, size_t count, uint8_t *data)
{
	bool whole = all_whole(values, count);
	uint64_t before = 0;
	size_t len = 0;
	data[len++] = whole ? FORMAT_WHOLE : FORMAT_DOUBLES;
	for (size_t i = 0; i < count; i++) {
		len += put_varint(data + len, zigzag((uint64_t)times_ns[i] - before));
		before = (uint64_t)times_ns[i];
	}
	before = 0;
	for (size_t i = 0; whole && i < count; i++) {
		uint64_t value = (uint64_t)(int64_t)values[i];
		len += put_varint(data + len, zigzag(value - before));
		before = value;
	}
	if (!whole) {
		memcpy(data + len, values, count * sizeof(*values));
		len += count * sizeof(*values);
	}
	return len;
}

bool nl_chunk_decode(const uint8_t *data, size_t len, int64_t *times_ns, double *values, size_t count)
{
	const uint8_t *end = data + len;
	uint64_t coded, before = 0;
	if (len < 1 || (data[0] != FORMAT_WHOLE && data[0] != FORMAT_DOUBLES))
		return false;
	bool whole = *data++ == FORMAT_WHOLE;
	for (size_t i = 0; i < count; i++) {
		if (!get_varint(&data, end, &coded))
			return false;
		before += unzigzag(coded);
		times_ns[i] = (int64_t)before;
	}
	before = 0;
	for (size_t i = 0; whole && i < count; i++) {
		if (!get_varint(&data, end, &coded))
			return false;
		before += unzigzag(coded);
		values[i] = (double)(int64_t)before;
	}
	if (whole)
		return data == end;
	if ((size_t)(end - data) != count * sizeof(*values))
		return false;
	memcpy(values, data, count * sizeof(*values));
	return true;
}
