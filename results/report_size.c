/* Documents of `stoker size --json` in a report; see report.h. */
#include "results/report.h"

#include "core/file.h"
#include "core/json.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_BYTES_MAX (64UL << 20)
#define NAMES_MAX 32 /* of drives, and of accelerators, in the matrix */
#define CURVES_MAX 8
#define POINTS_MAX 512

static const struct cJSON *member(const struct cJSON *o, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(o, key);
}

static const char *text(const struct cJSON *o, const char *key)
{
	const struct cJSON *c = member(o, key);

	return cJSON_IsString(c) ? c->valuestring : "";
}

static bool number(const struct cJSON *o, const char *key, double *value)
{
	const struct cJSON *c = member(o, key);

	*value = cJSON_IsNumber(c) ? c->valuedouble : 0;
	return cJSON_IsNumber(c);
}

int report_add_size(struct report_input *in, const char *path, struct err *e)
{
	struct report_size *s;
	struct cJSON *doc = NULL;
	char *raw;
	size_t len;
	int r = file_read_all(path, SIZE_BYTES_MAX, &raw, &len, e);

	if (r)
		return r;
	r = json_parse(raw, len, path, &doc, e);
	free(raw);
	if (!r && (!cJSON_IsArray(member(doc, "entries")) ||
			  !cJSON_IsString(member(doc, "answer"))))
		r = err_set(e, ERR_USAGE, -EBADMSG,
			"%s: not a document of stoker size --json (\"answer\" "
			"and \"entries\"); of runs, give the folder",
			path);
	s = r ? NULL
	      : report_more((void **)&in->sizes, &in->size_count, sizeof(*s));
	if (!s) {
		cJSON_Delete(doc);
		return r ? r : err_nomem(e, path);
	}
	s->doc = doc;
	snprintf(s->path, sizeof(s->path), "%s", path);
	return 0;
}

void report_size_verdict(struct doc *d, const struct report_size *s)
{
	doc_text(d, TONE_PLAIN, "Sizing: %s", text(s->doc, "answer"));
}

struct names {
	const char *at[NAMES_MAX];
	size_t n;
	bool overflow;
};

static void add_name(struct names *l, const char *name)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		if (!strcmp(l->at[i], name))
			return;
	if (l->n < NAMES_MAX)
		l->at[l->n++] = name;
	else
		l->overflow = true;
}

/* The entry of a pair; a sweep has several, which the matrix leaves out. */
static const struct cJSON *entry_of(const struct cJSON *entries,
	const char *drive, const char *accelerator, size_t *found)
{
	const struct cJSON *o, *first = NULL;

	*found = 0;
	cJSON_ArrayForEach(o, entries)
	{
		if (strcmp(text(o, "drive"), drive) ||
			strcmp(text(o, "accelerator"), accelerator))
			continue;
		if (!(*found)++)
			first = o;
	}
	return first;
}

static void matrix(struct doc *d, const struct cJSON *entries)
{
	static const char *const columns[] = {"accelerators fed", NULL};
	struct names drives = {.n = 0}, types = {.n = 0};
	const struct cJSON *o;
	size_t i, k, found;
	double n;

	cJSON_ArrayForEach(o, entries)
	{
		add_name(&drives, text(o, "drive"));
		add_name(&types, text(o, "accelerator"));
	}
	doc_table(d, "How many each drive feeds", columns);
	for (k = 0; k < types.n; k++)
		doc_column(d, "%s", types.at[k]);
	for (i = 0; i < drives.n; i++) {
		doc_cell(d, TONE_PLAIN, "%s", drives.at[i]);
		for (k = 0; k < types.n; k++) {
			o = entry_of(entries, drives.at[i], types.at[k],
				&found);
			if (found > 1)
				doc_cell(d, TONE_PLAIN, "swept: see below");
			else if (!o || !number(o, "max_accelerators", &n))
				doc_cell(d, TONE_MISSING, "-");
			else
				doc_cell(d, n > 0 ? TONE_GOOD : TONE_BAD,
					"%s%.0f (limit: %s)",
					cJSON_IsTrue(member(o, "at_least"))
						? ">= "
						: "",
					n, text(o, "limit"));
		}
	}
	if (drives.overflow || types.overflow)
		doc_text(d, TONE_MISSING,
			"the matrix shows the first %d drives and "
			"accelerators; the table below has all",
			NAMES_MAX);
}

static void cell_number(
	struct doc *d, const struct cJSON *o, const char *key, int digits)
{
	double v;
	bool known = number(o, key, &v);

	doc_number(d, known, v, digits);
}

static void details(struct doc *d, const struct cJSON *entries)
{
	static const char *const columns[] = {"drive", "for", "swept", "N",
		"AU at N, %", "margin, points", "error, points",
		"AU at N+1, %", "N by reference AU", "needs, GB/s each",
		"limit", "remark", NULL};
	const struct cJSON *o;

	doc_table(d, "Answers", columns);
	cJSON_ArrayForEach(o, entries)
	{
		doc_cell(d, TONE_PLAIN, "%s", text(o, "drive"));
		doc_cell(d, TONE_PLAIN, "%s", text(o, "accelerator"));
		doc_cell(d, TONE_PLAIN, "%s", text(o, "swept"));
		cell_number(d, o, "max_accelerators", 0);
		cell_number(d, o, "au_percent", 2);
		cell_number(d, o, "margin_percent", 2);
		cell_number(d, o, "error_percent", 2);
		cell_number(d, o, "next_au_percent", 2);
		cell_number(d, o, "reference_max_accelerators", 0);
		cell_number(d, o, "demand_gb_per_s", 2);
		doc_cell(d, TONE_PLAIN, "%s", text(o, "limit"));
		doc_cell(d, TONE_PLAIN, "%s%s%s",
			cJSON_IsTrue(member(o, "at_least"))
				? "N is at least that; "
				: "",
			cJSON_IsFalse(member(o, "monotonic"))
				? "some larger N passes again; "
				: "",
			text(o, "note"));
	}
}

static size_t tried(const struct cJSON *o, double *x, double *y)
{
	const struct cJSON *p;
	size_t n = 0;

	cJSON_ArrayForEach(p, member(o, "tried"))
	{
		if (n < POINTS_MAX && number(p, "accelerators", &x[n]) &&
			number(p, "au_percent", &y[n]))
			n++;
	}
	return n;
}

/* Steady AU over N, as tried; points that were not reached are not drawn. */
static void curves(struct doc *d, const struct cJSON *entries)
{
	double x[POINTS_MAX], y[POINTS_MAX], floor_pct = 0;
	const struct cJSON *o;
	size_t n, shown = 0;

	doc_chart(d, "Steady AU over the number of accelerators, as tried",
		"accelerators", "AU in %");
	cJSON_ArrayForEach(o, entries)
	{
		n = shown < CURVES_MAX ? tried(o, x, y) : 0;
		if (!n)
			continue;
		shown++;
		doc_series(d, DRAW_LINE, n, x, y, "%s, %s %s",
			text(o, "drive"), text(o, "accelerator"),
			text(o, "swept"));
		number(o, "au_floor_percent", &floor_pct);
	}
	if (floor_pct > 0)
		doc_series(d, DRAW_FLOOR, 1, &floor_pct, &floor_pct,
			"floor, %g %%", floor_pct);
}

void report_size_sections(struct doc *d, const struct report_size *s)
{
	const struct cJSON *entries = member(s->doc, "entries");

	doc_section(d, 2, "Sizing: %s", text(s->doc, "model"));
	doc_text(d, TONE_PLAIN, "From %s", s->path);
	matrix(d, entries);
	curves(d, entries);
	details(d, entries);
}
