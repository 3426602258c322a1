#ifndef CORE_UNITS_H
#define CORE_UNITS_H
/*
 * Sizes, rates, times and fractions as people write them. Decimal and binary
 * prefixes are different words: 1 MB = 10^6 bytes, 1 MiB = 2^20. Results are
 * exact: fractions are evaluated in integers, rounded half up to a unit.
 */
#include "core/err.h"

#include <stddef.h>
#include <stdint.h>

#define KIB_BYTES 1024ULL
#define MIB_BYTES (1024ULL * KIB_BYTES)
#define GIB_BYTES (1024ULL * MIB_BYTES)
#define NS_PER_S 1000000000LL
#define NS_PER_MS 1000000LL
#define NS_PER_US 1000LL

/*
 * "4096", "1MiB", "1.5 GB", "256k": bytes. KiB/MiB/GiB/TiB are binary,
 * kB/KB/MB/GB/TB decimal; bare k/m/g/t are binary, as with fio. A number without
 * a unit is multiplied by bare_unit_bytes. `what` names the option in errors.
 */
int units_parse_bytes(const char *text, uint64_t bare_unit_bytes,
	const char *what, uint64_t *bytes, struct err *e);

/* "800MB/s", "5.9 GiB/s", "800MBps" : bytes per second; the "/s" is required
 * unless the number is bare (bytes/s). */
int units_parse_rate(const char *text, const char *what,
	uint64_t *bytes_per_s, struct err *e);

/* "80us", "0.162", "162ms", "5s", "2min": nanoseconds; bare = seconds. */
int units_parse_time(
	const char *text, const char *what, int64_t *ns, struct err *e);

/* "1/32" or "1": num/den, both >= 1, num <= den. */
int units_parse_scale(const char *text, const char *what, uint32_t *num,
	uint32_t *den, struct err *e);

/* A whole number with range check; the text must be nothing else. */
int units_parse_u64(const char *text, const char *what, uint64_t min,
	uint64_t max, uint64_t *value, struct err *e);

#define UNITS_TEXT_MAX 32
/* "1.91 GiB" (three figures, binary); returns buf. */
const char *units_format_bytes(char buf[UNITS_TEXT_MAX], uint64_t bytes);
/* "1m23s", "12.3 s", "162 ms", "80 us"; returns buf. */
const char *units_format_time(char buf[UNITS_TEXT_MAX], int64_t ns);

#endif
