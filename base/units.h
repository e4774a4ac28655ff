/*
 * units: the one place that reads and writes numbers with units.
 *
 * Inside nasline: bytes, nanoseconds, bytes per second, bits per second. Shown: MB/s is 10^6 bytes per second, MiB/s is
 * 2^20, Gbit/s is 10^9 bits per second. No function here ever prints "MB" for MiB.
 */
#ifndef NL_BASE_UNITS_H
#define NL_BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Every formatter writes into buf (32 bytes suffice), always terminated, and returns buf. */
char *nl_units_bytes(uint64_t bytes, char *buf, size_t size);        /* "1.50 GB" decimal */
char *nl_units_bytes_binary(uint64_t bytes, char *buf, size_t size); /* "1.50 GiB"; exact multiples as "128 KiB" */
char *nl_units_mbps(double bytes_per_s, char *buf, size_t size);     /* "117.6 MB/s": always MB/s, 3 to 4 digits */
char *nl_units_mibps(double bytes_per_s, char *buf, size_t size);    /* "112.1 MiB/s" */
char *nl_units_bps(double bits_per_s, char *buf, size_t size);       /* "941 Mbit/s", "9.41 Gbit/s" */
char *nl_units_ns(int64_t ns, char *buf, size_t size);               /* "850 ns", "12.3 us", "4.56 ms", "1.20 s" */
char *nl_units_clock(int64_t ns, char *buf, size_t size);            /* a duration for people: "0:42", "1:02:05" */
char *nl_units_count(uint64_t n, char *buf, size_t size);            /* "1,234,567" */
char *nl_units_percent(double share, char *buf, size_t size);        /* share 0.123 -> "12.3 %" */

/*
 * Parsers take the whole text. Sizes: a number with optional suffix, K/KiB, M/MiB, G/GiB, T/TiB are powers of 1024 (as
 * fio, dd and recordsize have it), kB, MB, GB, TB powers of 1000; fractions allowed when the result is whole.
 * Durations: "10s", "500ms", "2m", "1h", a bare number is seconds. Rates: "1gbit", "2.5gbit", "100mbit" (bits per
 * second). NL_E_CONFIG with the reason otherwise.
 */
int nl_units_parse_bytes(const char *text, uint64_t *bytes, struct nl_error *err);
int nl_units_parse_ns(const char *text, int64_t *ns, struct nl_error *err);
int nl_units_parse_bps(const char *text, uint64_t *bits_per_s, struct nl_error *err);

#endif
