/*
 * units: formats and parses numbers with units. Shown values have three significant digits unless the header says
 * otherwise; a value that rounding lifts to the next unit is shown in that unit ("1.00 MB", never "1000 kB").
 */
#include "base/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/time.h"

/* __int128 holds every product of two 64-bit numbers; both compilers have it on every machine that nasline runs on. */
__extension__ typedef unsigned __int128 uint128;

static char *unknown(char *buf, size_t size)
{
	snprintf(buf, size, "unknown");
	return buf;
}

/* Digits after the point that give three significant digits. */
static int decimals_of(double value)
{
	if (value < 9.995)
		return 2;
	return value < 99.95 ? 1 : 0;
}

/* Shows value in the largest of `count` units (each `base` times the one before) in which it is at least 1. */
static char *show_scaled(double value, double base, const char *const *units, size_t count, char *buf, size_t size)
{
	if (!isfinite(value))
		return unknown(buf, size);
	const char *sign = value < 0 ? "-" : "";
	value = fabs(value);
	size_t unit = 0;
	while (unit + 1 < count && value >= base - 0.5) {
		value /= base;
		unit++;
	}
	bool whole = unit == 0 && value == floor(value);
	snprintf(buf, size, "%s%.*f %s", sign, whole ? 0 : decimals_of(value), value, units[unit]);
	return buf;
}

char *nl_units_bytes(uint64_t bytes, char *buf, size_t size)
{
	static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
	return show_scaled((double)bytes, 1000, units, 7, buf, size);
}

char *nl_units_bytes_binary(uint64_t bytes, char *buf, size_t size)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	unsigned unit = 0;
	uint64_t whole = bytes;
	while (whole >= 1024 && whole % 1024 == 0) {
		whole /= 1024;
		unit++;
	}
	if (whole < 1024) {
		snprintf(buf, size, "%" PRIu64 " %s", whole, units[unit]);
		return buf;
	}
	return show_scaled((double)bytes, 1024, units, 7, buf, size);
}

/* A rate in a fixed unit: three or four digits. */
static char *show_rate(double value, const char *unit, char *buf, size_t size)
{
	if (!isfinite(value))
		return unknown(buf, size);
	double magnitude = fabs(value);
	int decimals = 3;
	if (magnitude >= 999.95)
		decimals = 0;
	else if (magnitude >= 9.995)
		decimals = 1;
	else if (magnitude >= 0.9995 || magnitude == 0)
		decimals = 2;
	snprintf(buf, size, "%.*f %s", decimals, value, unit);
	return buf;
}

char *nl_units_mbps(double bytes_per_s, char *buf, size_t size)
{
	return show_rate(bytes_per_s / 1e6, "MB/s", buf, size);
}

char *nl_units_mibps(double bytes_per_s, char *buf, size_t size)
{
	return show_rate(bytes_per_s / (1024.0 * 1024.0), "MiB/s", buf, size);
}

char *nl_units_bps(double bits_per_s, char *buf, size_t size)
{
	static const char *const units[] = {"bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s"};
	return show_scaled(bits_per_s, 1000, units, 5, buf, size);
}

char *nl_units_ns(int64_t ns, char *buf, size_t size)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	return show_scaled((double)ns, 1000, units, 4, buf, size);
}

char *nl_units_clock(int64_t ns, char *buf, size_t size)
{
	int64_t seconds = ns / NL_NS_PER_S;
	const char *sign = seconds < 0 ? "-" : "";
	if (seconds < 0)
		seconds = -seconds;
	int64_t hours = seconds / 3600;
	int minutes = (int)(seconds / 60 % 60), rest = (int)(seconds % 60);
	if (hours)
		snprintf(buf, size, "%s%" PRId64 ":%02d:%02d", sign, hours, minutes, rest);
	else
		snprintf(buf, size, "%s%d:%02d", sign, minutes, rest);
	return buf;
}

char *nl_units_count(uint64_t n, char *buf, size_t size)
{
	char digits[32];
	int len = snprintf(digits, sizeof digits, "%" PRIu64, n);
	size_t used = 0;
	for (int i = 0; i < len && used + 2 < size; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			buf[used++] = ',';
		buf[used++] = digits[i];
	}
	if (size > 0)
		buf[used] = '\0';
	return buf;
}

char *nl_units_percent(double share, char *buf, size_t size)
{
	if (!isfinite(share))
		return unknown(buf, size);
	snprintf(buf, size, "%.1f %%", share * 100);
	return buf;
}

struct unit_row {
	const char *suffix;
	uint64_t factor;
	bool any_case;
};

/* A number as digits and decimal places, so that "0.1K" is told from a whole number of bytes exactly. */
struct decimal {
	uint64_t digits, scale;
};

static const char *read_decimal(const char *text, struct decimal *number)
{
	bool any = false, point = false;
	*number = (struct decimal){0, 1};
	for (;; text++) {
		if (*text == '.' && !point) {
			point = true;
			continue;
		}
		if (*text < '0' || *text > '9')
			break;
		any = true;
		if (__builtin_mul_overflow(number->digits, UINT64_C(10), &number->digits) ||
		    __builtin_add_overflow(number->digits, (uint64_t)(*text - '0'), &number->digits))
			return NULL;
		if (point && __builtin_mul_overflow(number->scale, UINT64_C(10), &number->scale))
			return NULL;
	}
	return any && text[-1] != '.' ? text : NULL;
}

static const struct unit_row *find_unit(const struct unit_row *rows, size_t count, const char *suffix, size_t len)
{
	for (size_t i = 0; i < count; i++) {
		if (strlen(rows[i].suffix) != len)
			continue;
		if (rows[i].any_case ? !strncasecmp(rows[i].suffix, suffix, len)
				     : !strncmp(rows[i].suffix, suffix, len))
			return &rows[i];
	}
	return NULL;
}

/* What a parser knows: what it reads, its units, what to tell when the unit is none of them. */
struct unit_grammar {
	const char *what, *known;
	const struct unit_row *rows;
	size_t count;
	uint64_t max;
};

static int refuse(const struct unit_grammar *grammar, const char *text, const char *why, struct nl_error *err)
{
	nl_error_set(err, NL_E_CONFIG, "\"%.60s\" is not a %s", text, grammar->what);
	nl_error_why(err, "%s", why);
	nl_error_todo(err, "use %s", grammar->known);
	return NL_E_CONFIG;
}

static int parse_with(const struct unit_grammar *grammar, const char *text, uint64_t *value, struct nl_error *err)
{
	struct decimal number;
	const char *p = read_decimal(text + strspn(text, " \t"), &number);
	if (!p)
		return refuse(grammar, text,
			      "it does not begin with a number such as 10 or 2.5, or has too many digits", err);
	p += strspn(p, " \t");
	size_t len = strcspn(p, " \t\n");
	const struct unit_row *unit = find_unit(grammar->rows, grammar->count, p, len);
	if (!unit || p[len + strspn(p + len, " \t\n")] != '\0')
		return refuse(grammar, text, len ? "its unit is unknown or ambiguous" : "it has no unit", err);
	uint128 product = (uint128)number.digits * unit->factor;
	if (product % number.scale != 0)
		return refuse(grammar, text, "its fraction is finer than can be kept", err);
	product /= number.scale;
	if (product > grammar->max)
		return refuse(grammar, text, "it is too large", err);
	*value = (uint64_t)product;
	return 0;
}

#define ROWS(table) table, sizeof table / sizeof table[0]
#define KIB         UINT64_C(1024)
#define K           UINT64_C(1000)

int nl_units_parse_bytes(const char *text, uint64_t *bytes, struct nl_error *err)
{
	/* "KB", "mb" and the like are refused: half of the world means 1000 and the other half 1024. */
	static const struct unit_row rows[] = {
		{"", 1, false},
		{"B", 1, false},
		{"K", KIB, true},
		{"KiB", KIB, true},
		{"M", KIB * KIB, true},
		{"MiB", KIB * KIB, true},
		{"G", KIB * KIB * KIB, true},
		{"GiB", KIB * KIB * KIB, true},
		{"T", KIB * KIB * KIB * KIB, true},
		{"TiB", KIB * KIB * KIB * KIB, true},
		{"kB", K, false},
		{"MB", K * K, false},
		{"GB", K * K * K, false},
		{"TB", K * K * K * K, false},
	};
	static const struct unit_grammar grammar = {
		"size", "K, M, G, T or KiB, MiB, GiB, TiB (powers of 1024), or kB, MB, GB, TB (powers of 1000)",
		ROWS(rows), UINT64_MAX};
	return parse_with(&grammar, text, bytes, err);
}

int nl_units_parse_ns(const char *text, int64_t *ns, struct nl_error *err)
{
	static const struct unit_row rows[] = {
		{"", K * K * K, false},
		{"ns", 1, false},
		{"us", K, false},
		{"ms", K * K, false},
		{"s", K * K * K, false},
		{"m", 60 * K * K * K, false},
		{"min", 60 * K * K * K, false},
		{"h", 3600 * K * K * K, false},
	};
	static const struct unit_grammar grammar = {"duration", "ns, us, ms, s, m or h, such as 500ms, 10s or 2m",
						    ROWS(rows), INT64_MAX};
	uint64_t value;
	int code = parse_with(&grammar, text, &value, err);
	if (!code)
		*ns = (int64_t)value;
	return code;
}

int nl_units_parse_bps(const char *text, uint64_t *bits_per_s, struct nl_error *err)
{
	/* "bps" is refused: tc means bytes by it, everybody else bits. */
	static const struct unit_row rows[] = {
		{"bit", 1, true},      {"bit/s", 1, true},      {"kbit", K, true},         {"kbit/s", K, true},
		{"mbit", K * K, true}, {"mbit/s", K * K, true}, {"gbit", K * K * K, true}, {"gbit/s", K * K * K, true},
	};
	static const struct unit_grammar grammar = {"rate", "bit, kbit, mbit or gbit (per second), such as 2.5gbit",
						    ROWS(rows), UINT64_MAX};
	return parse_with(&grammar, text, bits_per_s, err);
}
