#ifndef RESULTS_REPORT_VIEW_H
#define RESULTS_REPORT_VIEW_H
/*
 * A report's document as one file. Each view escapes every text for its own
 * format. HTML is whole in itself: styles inside, charts as SVG, no script, no
 * address to load from (its policy forbids that, too).
 */
#include "results/report_doc.h"

#include <stdio.h>

struct cJSON;

void report_html(FILE *f, const struct doc *d);
/* Charts are left out: the tables tell what they show. */
void report_markdown(FILE *f, const struct doc *d);
/* One cell a line: section, table, row (its first cell), column, value. */
void report_csv(FILE *f, const struct doc *d);
/* With the points of every chart; NULL when out of memory. */
struct cJSON *report_json(const struct doc *d);

#endif
