/*
 * chunk: samples of one series as bytes. Instants as varints of their differences; values that are whole numbers (every
 * counter) as varints of theirs, others as doubles. Decoding gives back exactly what was encoded, or refuses.
 */
#ifndef NL_CONTROLLER_STORE_CHUNK_H
#define NL_CONTROLLER_STORE_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most that `count` samples can take. */
size_t nl_chunk_bound(size_t count);
/* nl_chunk_encode writes into `data` (nl_chunk_bound bytes) and returns the length. */
size_t nl_chunk_encode(const int64_t *times_ns, const double *values, size_t count, uint8_t *data);
/* nl_chunk_decode fills exactly `count` samples; false when the bytes do not hold exactly that. */
bool nl_chunk_decode(const uint8_t *data, size_t len, int64_t *times_ns, double *values, size_t count);

#endif
