#ifndef RESULTS_TEXT_H
#define RESULTS_TEXT_H
/* The record for people: the answer first, then what bends it, then why. */
#include "core/record.h"

#include <stdio.h>

/* steady_first: the headline speaks of the steady figure. */
void results_print_text(FILE *f, const struct record *rec, bool steady_first);

/* One run as one line (no newline) for the live view; returns buf. */
const char *results_run_line(char *buf, size_t size, const struct record *rec,
	const struct rec_run *run);

#endif
