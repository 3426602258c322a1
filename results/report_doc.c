/* Building a report's document; see report_doc.h. */
#include "results/report_doc.h"

#include "core/utf8.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct doc_block {
	struct doc_block *next;
	max_align_t data[];
};

void doc_init(struct doc *d, const char *title)
{
	memset(d, 0, sizeof(*d));
	d->title = title;
}

void doc_fini(struct doc *d)
{
	struct doc_block *b;

	while ((b = d->blocks)) {
		d->blocks = b->next;
		free(b);
	}
	memset(d, 0, sizeof(*d));
}

void *doc_alloc(struct doc *d, size_t bytes)
{
	struct doc_block *b = NULL;

	if (!d->nomem && bytes < SIZE_MAX / 2)
		b = calloc(1, sizeof(*b) + bytes);
	if (!b) {
		d->nomem = true;
		return NULL;
	}
	b->next = d->blocks;
	d->blocks = b;
	return b->data;
}

/* Room for one more of `bytes` each; the old array stays in the document. */
static bool grow(
	struct doc *d, void **array, size_t count, size_t *room, size_t bytes)
{
	size_t more = *room ? 2 * *room : 8;
	void *p;

	if (count < *room)
		return !d->nomem;
	p = doc_alloc(d, more * bytes);
	if (!p)
		return false;
	if (count)
		memcpy(p, *array, count * bytes);
	*array = p;
	*room = more;
	return true;
}

#define GROW(d, owner, list, count, room)                                      \
	grow(d, (void **)&(owner)->list, (owner)->count, &(owner)->room,       \
		sizeof(*(owner)->list))

/* What hides or turns around text that follows it, beside the controls. */
static bool is_trick(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) ||
	       (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

static const char *clean(struct doc *d, const char *raw)
{
	char *to = doc_alloc(d, 3 * strlen(raw) + 1), *p = to;
	uint32_t c;
	size_t n;

	for (; to && *raw; raw += n) {
		c = utf8_next((const unsigned char *)raw, &n);
		if (c == '\n' || c == '\t') {
			*p++ = ' ';
		} else if (is_trick(c) ||
			   (n == 1 && (unsigned char)*raw >= 0x80)) {
			memcpy(p, "\xef\xbf\xbd", 3); /* U+FFFD */
			p += 3;
		} else {
			memcpy(p, raw, n);
			p += n;
		}
	}
	return to;
}

static const char *format(struct doc *d, const char *fmt, va_list ap)
{
	const char *text = NULL;
	char *raw = NULL;

	if (vasprintf(&raw, fmt, ap) < 0)
		d->nomem = true;
	else
		text = clean(d, raw);
	free(raw);
	return text;
}

#define FORMAT(text, d, fmt)                                                   \
	do {                                                                   \
		va_list ap_;                                                   \
		va_start(ap_, fmt);                                            \
		(text) = format(d, fmt, ap_);                                  \
		va_end(ap_);                                                   \
	} while (0)

void doc_section(struct doc *d, int level, const char *fmt, ...)
{
	const char *title;

	FORMAT(title, d, fmt);
	if (!title || !GROW(d, d, sections, section_count, section_room))
		return;
	d->sections[d->section_count++] =
		(struct doc_section){.title = title, .level = level};
}

static struct doc_item *add_item(struct doc *d, enum doc_kind kind)
{
	struct doc_section *s;

	if (d->nomem || !d->section_count)
		return NULL;
	s = &d->sections[d->section_count - 1];
	if (!GROW(d, s, items, item_count, item_room))
		return NULL;
	s->items[s->item_count] = (struct doc_item){.kind = kind};
	return &s->items[s->item_count++];
}

void doc_text(struct doc *d, enum doc_tone tone, const char *fmt, ...)
{
	struct doc_item *item;
	const char *text;

	FORMAT(text, d, fmt);
	item = text ? add_item(d, DOC_TEXT) : NULL;
	if (!item)
		return;
	item->text = text;
	item->tone = tone;
}

void doc_table(struct doc *d, const char *caption, const char *const *columns)
{
	struct doc_table *t = doc_alloc(d, sizeof(*t));
	struct doc_item *item = t ? add_item(d, DOC_TABLE) : NULL;

	if (!item)
		return;
	t->caption = clean(d, caption);
	item->table = d->table = t;
	for (; *columns; columns++)
		doc_column(d, "%s", *columns);
}

void doc_column(struct doc *d, const char *fmt, ...)
{
	struct doc_table *t = d->table;
	const char *text;

	FORMAT(text, d, fmt);
	if (text && GROW(d, t, columns, column_count, column_room))
		t->columns[t->column_count++] = text;
}

static void add_cell(struct doc *d, const struct doc_cell *cell)
{
	struct doc_table *t = d->table;

	if (!d->nomem && GROW(d, t, cells, cell_count, cell_room))
		t->cells[t->cell_count++] = *cell;
}

void doc_cell(struct doc *d, enum doc_tone tone, const char *fmt, ...)
{
	struct doc_cell cell = {.tone = tone};

	FORMAT(cell.text, d, fmt);
	add_cell(d, &cell);
}

void doc_number_tone(
	struct doc *d, enum doc_tone tone, double value, int digits)
{
	char text[400];

	if (!isfinite(value)) {
		doc_cell(d, TONE_MISSING, "-");
		return;
	}
	snprintf(text, sizeof(text), "%.*f", digits, value);
	add_cell(d, &(struct doc_cell){.text = clean(d, text),
			    .value = value,
			    .numeric = true,
			    .tone = tone});
}

void doc_number(struct doc *d, bool known, double value, int digits)
{
	doc_number_tone(d, TONE_PLAIN, known ? value : NAN, digits);
}

void doc_chart(struct doc *d, const char *caption, const char *x_label,
	const char *y_label)
{
	struct doc_chart *c = doc_alloc(d, sizeof(*c));
	struct doc_item *item = c ? add_item(d, DOC_CHART) : NULL;

	if (!item)
		return;
	c->caption = clean(d, caption);
	c->x_label = x_label;
	c->y_label = y_label;
	item->chart = d->chart = c;
}

void doc_series(struct doc *d, enum doc_draw draw, size_t n, const double *x,
	const double *y, const char *fmt, ...)
{
	struct doc_series s = {.draw = draw, .n = n};
	struct doc_chart *c = d->chart;

	if (!n)
		return;
	FORMAT(s.name, d, fmt);
	s.x = doc_alloc(d, n * sizeof(*x) + 1);
	s.y = doc_alloc(d, n * sizeof(*y) + 1);
	if (d->nomem || !GROW(d, c, series, series_count, series_room))
		return;
	memcpy(s.x, x, n * sizeof(*x));
	memcpy(s.y, y, n * sizeof(*y));
	c->series[c->series_count++] = s;
}
