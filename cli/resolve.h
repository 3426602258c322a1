#ifndef CLI_RESOLVE_H
#define CLI_RESOLVE_H
/*
 * What options that several commands have resolve to: --clock, --engine,
 * --division, and why a run is not CLOSED. Errors are ERR_USAGE and name the
 * option, its value and what it may be.
 */
#include "core/err.h"
#include "core/record.h"
#include "storage/engine.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * "real", "virtual", or NULL: virtual on a modelled drive. Virtual time needs
 * one.
 */
int resolve_clock(
	const char *clock, bool modelled, bool *virtual_time, struct err *e);

/* "uring", "pread" or "auto", which is `automatic`. */
int resolve_engine_kind(const char *engine, enum engine_kind automatic,
	enum engine_kind *kind, struct err *e);

/*
 * Clock and engine together. drive is --drive, or NULL for a real one; spec
 * gets the model or the kind, and keeps all else.
 */
int resolve_engine(const char *config_dir, const char *drive,
	const char *clock, const char *engine, enum engine_kind automatic,
	struct engine_spec *spec, bool *virtual_time, struct err *e);

/* "closed", "open", "whatif". */
int resolve_division(const char *text, enum rec_division *d, struct err *e);

/* Why a run is not CLOSED; those that have no room are left out. */
struct not_closed {
	char text[32][320];
	uint32_t count;
};

void not_closed_add(struct not_closed *n, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* For --dry-run: a line each on stdout. */
void not_closed_print(const struct not_closed *n);
/* A note each, "not CLOSED: ...". */
void not_closed_note(const struct not_closed *n, struct record *rec);

#endif
