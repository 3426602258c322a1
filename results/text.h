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

/* Parts of the headline: "2 x b200 on unet3d, d7-ps1010"; how the reference or
 * the steady figure fared: "PASS: 5 of 5 runs at AU >= 90 %, lowest 95 %". */
void results_print_what(FILE *f, const struct record *rec);
void results_print_figure(FILE *f, const struct record *rec, bool steady);

#endif
