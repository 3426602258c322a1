/* A report as one JSON document; see report_view.h. */
#include "core/json.h"
#include "results/report_view.h"

#include <cjson/cJSON.h>

static const char *tone_word(enum doc_tone t)
{
	static const char *const words[] = {[TONE_PLAIN] = "plain",
		[TONE_GOOD] = "good", [TONE_BAD] = "bad", [TONE_NOTE] = "note",
		[TONE_MISSING] = "missing"};

	return words[t];
}

/* Numbers with all their digits, and null for what is not known. */
static bool add_cell(struct cJSON *row, const struct doc_cell *c)
{
	if (c->numeric)
		return json_add_double(row, NULL, c->value);
	if (c->tone == TONE_MISSING)
		return json_add(row, NULL, cJSON_CreateNull());
	return json_add_string(row, NULL, c->text);
}

static bool add_table(struct cJSON *o, const struct doc_table *t)
{
	struct cJSON *columns, *rows, *row = NULL;
	bool ok = json_add_string(o, "table", t->caption);
	size_t i;

	columns = ok ? json_add_array(o, "columns") : NULL;
	rows = columns ? json_add_array(o, "rows") : NULL;
	ok = rows != NULL;
	for (i = 0; ok && i < t->column_count; i++)
		ok = json_add_string(columns, NULL, t->columns[i]);
	for (i = 0; ok && i < t->cell_count; i++) {
		if (!(i % t->column_count))
			row = json_add_array(rows, NULL);
		ok = row && add_cell(row, &t->cells[i]);
	}
	return ok;
}

static bool add_numbers(
	struct cJSON *o, const char *key, const double *v, size_t n)
{
	struct cJSON *list = json_add_array(o, key);
	bool ok = list != NULL;
	size_t i;

	for (i = 0; ok && i < n; i++)
		ok = json_add_double(list, NULL, v[i]);
	return ok;
}

static bool add_chart(struct cJSON *o, const struct doc_chart *c)
{
	struct cJSON *list, *s;
	bool ok = json_add_string(o, "chart", c->caption) &&
		  json_add_string(o, "x_label", c->x_label) &&
		  json_add_string(o, "y_label", c->y_label);
	size_t i;

	list = ok ? json_add_array(o, "series") : NULL;
	ok = list != NULL;
	for (i = 0; ok && i < c->series_count; i++) {
		s = json_add_object(list, NULL);
		ok = s && json_add_string(s, "name", c->series[i].name) &&
		     add_numbers(s, "x", c->series[i].x, c->series[i].n) &&
		     add_numbers(s, "y", c->series[i].y, c->series[i].n);
	}
	return ok;
}

static bool add_section(struct cJSON *list, const struct doc_section *s)
{
	struct cJSON *o = json_add_object(list, NULL), *items, *item;
	const struct doc_item *p;
	bool ok = o && json_add_string(o, "title", s->title) &&
		  json_add_u64(o, "level", (uint64_t)s->level);
	size_t i;

	items = ok ? json_add_array(o, "items") : NULL;
	ok = items != NULL;
	for (i = 0; ok && i < s->item_count; i++) {
		p = &s->items[i];
		if (doc_is_empty(p))
			continue;
		item = json_add_object(items, NULL);
		ok = item != NULL;
		if (ok && p->kind == DOC_TABLE)
			ok = add_table(item, p->table);
		else if (ok && p->kind == DOC_CHART)
			ok = add_chart(item, p->chart);
		else if (ok)
			ok = json_add_string(item, "text", p->text) &&
			     json_add_string(
				     item, "tone", tone_word(p->tone));
	}
	return ok;
}

/* The first sentence. */
static const char *answer(const struct doc *d)
{
	const struct doc_section *s = d->sections;

	return d->section_count && s->item_count && s->items[0].text
		       ? s->items[0].text
		       : "";
}

struct cJSON *report_json(const struct doc *d)
{
	struct cJSON *o = cJSON_CreateObject(), *list;
	bool ok = o && json_add_string(o, "answer", answer(d)) &&
		  json_add_string(o, "schema", "stoker-report-1") &&
		  json_add_bool(o, "emulated", true);
	size_t i;

	list = ok ? json_add_array(o, "sections") : NULL;
	ok = list != NULL;
	for (i = 0; ok && i < d->section_count; i++)
		ok = add_section(list, &d->sections[i]);
	if (ok)
		return o;
	cJSON_Delete(o);
	return NULL;
}
