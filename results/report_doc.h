#ifndef RESULTS_REPORT_DOC_H
#define RESULTS_REPORT_DOC_H
/*
 * A report as a document: sections of sentences, tables and charts. What is
 * said is decided once; HTML, Markdown, CSV and JSON are views of it (see
 * report_view.h). Texts may hold names that strangers chose: they become
 * valid UTF-8 without control characters here, and each view escapes them.
 *
 * The document owns everything in it. Builders add to the newest section,
 * table or chart. Out of memory sets `nomem` and makes them do nothing.
 */
#include <stdbool.h>
#include <stddef.h>

enum doc_tone { TONE_PLAIN, TONE_GOOD, TONE_BAD, TONE_NOTE, TONE_MISSING };

struct doc_cell {
	const char *text;
	double value; /* of a numeric one, all its digits */
	bool numeric;
	enum doc_tone tone;
};

struct doc_table {
	const char *caption;
	const char **columns;
	size_t column_count, column_room;
	struct doc_cell *cells; /* row by row */
	size_t cell_count, cell_room;
};

enum doc_draw {
	DRAW_LINE,
	DRAW_BROAD,  /* a line that another may lie upon */
	DRAW_STEPS,  /* y holds from its x to the next one */
	DRAW_POINTS,
	DRAW_RINGS, /* points that others may lie in */
	DRAW_STACK,  /* a part of the bar at x, on the parts before it */
	DRAW_FLOOR   /* one value that the others are held against */
};

struct doc_series {
	const char *name;
	enum doc_draw draw;
	size_t n;
	double *x, *y;
};

struct doc_chart {
	const char *caption;
	/* of the program's own, never from a file: gnuplot reads them */
	const char *x_label, *y_label;
	bool log_x;
	bool whole_x;		/* x counts things */
	double y_least, y_most; /* equal: as the data are */
	struct doc_series *series;
	size_t series_count, series_room;
	const char *svg; /* drawn; NULL = not */
};

enum doc_kind { DOC_TEXT, DOC_TABLE, DOC_CHART };

struct doc_item {
	enum doc_kind kind;
	enum doc_tone tone; /* of a text */
	const char *text;
	struct doc_table *table;
	struct doc_chart *chart;
};

struct doc_section {
	const char *title;
	int level; /* 2, or 3 for a part of the one before */
	struct doc_item *items;
	size_t item_count, item_room;
};

/* Views pass over tables without rows and charts without points. */
static inline bool doc_is_empty(const struct doc_item *i)
{
	return (i->kind == DOC_TABLE && !i->table->cell_count) ||
	       (i->kind == DOC_CHART && !i->chart->series_count);
}

struct doc_block;

struct doc {
	const char *title;
	struct doc_section *sections;
	size_t section_count, section_room;
	struct doc_table *table; /* the newest */
	struct doc_chart *chart;
	struct doc_block *blocks;
	bool nomem;
};

void doc_init(struct doc *d, const char *title);
void doc_fini(struct doc *d);

/* Zeroed memory of the document; NULL when there is none. */
void *doc_alloc(struct doc *d, size_t bytes);

void doc_section(struct doc *d, int level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void doc_text(struct doc *d, enum doc_tone tone, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* columns ends with NULL; more may follow by doc_column(), before cells. */
void doc_table(
	struct doc *d, const char *caption, const char *const *columns);
void doc_column(struct doc *d, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Cells fill the rows from left to right. */
void doc_cell(struct doc *d, enum doc_tone tone, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* With so many digits behind the point; not known: "-". */
void doc_number(struct doc *d, bool known, double value, int digits);
void doc_number_tone(
	struct doc *d, enum doc_tone tone, double value, int digits);

void doc_chart(struct doc *d, const char *caption, const char *x_label,
	const char *y_label);
/* x and y are copied; a series without points is left out. */
void doc_series(struct doc *d, enum doc_draw draw, size_t n, const double *x,
	const double *y, const char *fmt, ...)
	__attribute__((format(printf, 6, 7)));

#endif
