#ifndef RESULTS_REPORT_GNUPLOT_H
#define RESULTS_REPORT_GNUPLOT_H
/*
 * The charts of a document as SVG, drawn by gnuplot: a child process that gets
 * script and data on stdin. Only numbers and labels of the program's own reach
 * it, since its strings are a language; names stand beside a chart. What it
 * draws in stand-in colours gets those of the page: currentColor and the
 * variables --grid, --floor and --s1 ... --s8.
 */
#include "core/err.h"
#include "results/report_doc.h"

#define REPORT_COLOURS 8 /* series take them in turn */

/*
 * Fill svg of every chart that has data. -ENOENT (ERR_ENV) when there is no
 * gnuplot, others when it fails; charts drawn before that stay.
 */
int report_draw(struct doc *d, struct err *e);

#endif
