/* The answers of `stoker size` as text, CSV and JSON; see size.h. */
#include "cli/cli.h"
#include "cli/size.h"

#include "core/json.h"

#include <cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SENTENCE_MAX 4096
#define GIB_PER_GB (1073741824.0 / 1e9)

static const struct size_point *at_n(const struct size_row *r)
{
	return size_at(&r->a.curve, r->a.steady.accelerators);
}

static const struct size_point *after_n(const struct size_row *r)
{
	return size_at(&r->a.curve, r->a.steady.accelerators + 1);
}

/* AU at N and at N + 1; false if there is none. */
static bool row_au(const struct size_row *r, double *au_pct)
{
	const struct size_point *p = at_n(r);

	if (p)
		*au_pct = p->metrics.steady_au_pct;
	return p != NULL;
}

static bool row_next_au(const struct size_row *r, double *au_pct)
{
	const struct size_point *p = after_n(r);

	if (p)
		*au_pct = p->metrics.steady_au_pct;
	return p != NULL;
}

static double floor_pct(const struct size_row *r)
{
	return r->floor_ppm / 1e4;
}

/* Two decimals, or more where they would tell the wrong side of the floor. */
static const char *format_au(char buf[REC_AU_TEXT_MAX],
	const struct size_row *r, const struct size_point *p)
{
	snprintf(buf, REC_AU_TEXT_MAX, "%.2f", p->metrics.steady_au_pct);
	if ((strtod(buf, NULL) >= floor_pct(r)) != p->passes)
		rec_format_au(buf, p->metrics.steady_au_pct, r->floor_ppm,
			p->passes);
	return buf;
}

static const char *nth(uint64_t n)
{
	static const char *const words[] = {"the first", "a second", "a third",
		"a fourth", "a fifth", "a sixth", "a seventh", "an eighth",
		"a ninth", "a tenth"};

	return n && n <= sizeof(words) / sizeof(words[0]) ? words[n - 1]
							  : "one more";
}

static const char *who(const struct size_row *r)
{
	return r->real ? "this drive" : r->drive;
}

/* The answer to one question. */
static void sentence_of(const struct size_row *r, char *buf, size_t size)
{
	const struct size_found *f = &r->a.steady;
	const struct size_point *p = at_n(r), *q = after_n(r);
	char here[REC_AU_TEXT_MAX], next[REC_AU_TEXT_MAX];
	int n;

	if (!f->accelerators) {
		snprintf(buf, size,
			"%s cannot feed one %s: it would get %s %% steady AU, "
			"and >= %g %% is asked for",
			who(r), r->accelerator,
			q ? format_au(next, r, q) : "?", floor_pct(r));
		return;
	}
	n = snprintf(buf, size,
		"%s feeds %" PRIu64 " %s%s at >= %g %% steady AU (%s %%)",
		who(r), f->accelerators, r->accelerator,
		f->capped ? " or more" : "", floor_pct(r),
		format_au(here, r, p));
	if (q && !f->capped && n > 0 && (size_t)n < size)
		snprintf(buf + n, size - (size_t)n, "; %s would get %s %%",
			nth(f->accelerators + 1), format_au(next, r, q));
}

static bool same_floor(const struct size_table *t)
{
	size_t i;

	for (i = 1; i < t->count; i++)
		if (t->rows[i].floor_ppm != t->rows[0].floor_ppm)
			return false;
	return true;
}

/* The answer to all: a clause for each drive. */
static void sentence(const struct size_table *t, char *buf, size_t size)
{
	const struct size_row *r;
	size_t i, n;
	bool again;

	if (t->count == 1) {
		sentence_of(&t->rows[0], buf, size);
		return;
	}
	snprintf(buf, size, "%s at >= %g %% steady AU: ", t->model,
		floor_pct(&t->rows[0]));
	if (!same_floor(t))
		snprintf(buf, size, "%s at the accelerator's AU floor: ",
			t->model);
	for (i = 0; i < t->count; i++) {
		r = &t->rows[i];
		n = strlen(buf);
		again = i && !strcmp(r->drive, t->rows[i - 1].drive);
		snprintf(buf + n, size - n, "%s%s%s%" PRIu64 "%s %s%s%s%s",
			!i ? "" : again ? ", " : "; ",
			again ? "" : r->drive, again ? "" : " feeds ",
			r->a.steady.accelerators,
			r->a.steady.capped ? " or more" : "", r->accelerator,
			r->swept[0] ? " (" : "", r->swept,
			r->swept[0] ? ")" : "");
	}
}

/* What a table cannot say. */
static void print_remarks(const struct size_row *r)
{
	const struct size_answer *a = &r->a;
	char label[512];

	snprintf(label, sizeof(label), "%s, %s%s%s", r->drive, r->accelerator,
		r->swept[0] ? ", " : "", r->swept);
	if (a->steady.again)
		printf("%s: the curve is not monotonic: %" PRIu64
		       " fail, %" PRIu64 " pass again; the answer is the "
		       "largest N below every failure\n",
			label, a->steady.failed, a->steady.again);
	if (a->reference.accelerators != a->steady.accelerators)
		printf("%s: by the reference AU, which the head start of the "
		       "first step flatters, %s%" PRIu64 " would pass\n",
			label, a->reference.capped ? "at least " : "",
			a->reference.accelerators);
	if (a->confirmed)
		printf("%s: campaign of five runs at N = %" PRIu64 ": %s "
		       "(reference AU %.2f %%, steady %.2f %%)\n",
			label, a->steady.accelerators,
			a->confirm_passes ? "PASS" : "FAIL",
			a->confirm.au_mean_pct, a->confirm.steady_au_pct);
	if (r->note[0])
		printf("%s: %s\n", label, r->note);
}

static int widest(const struct size_table *t, const char *title, size_t offset)
{
	size_t i, n = strlen(title), len;

	for (i = 0; i < t->count; i++) {
		len = strlen((const char *)&t->rows[i] + offset);
		if (len > n)
			n = len;
	}
	return (int)n;
}

static void print_line(const struct size_row *r, int drive, int type,
	int swept)
{
	const struct size_point *p = at_n(r), *q = after_n(r);
	char au[REC_AU_TEXT_MAX] = "-", next[REC_AU_TEXT_MAX] = "-";
	char margin[32] = "-", error[32] = "-", rate[32] = "-", n[32];

	if (p) {
		format_au(au, r, p);
		snprintf(margin, sizeof(margin), "%+.2f",
			p->metrics.steady_au_pct - floor_pct(r));
		snprintf(rate, sizeof(rate), "%.2f",
			p->metrics.read_gib_per_s * GIB_PER_GB);
	}
	snprintf(error, sizeof(error), "%.2f", r->a.error_pct);
	if (q)
		format_au(next, r, q);
	snprintf(n, sizeof(n), "%s%" PRIu64, r->a.steady.capped ? ">=" : "",
		r->a.steady.accelerators);
	printf("%-*s  %-*s  ", drive, r->drive, type, r->accelerator);
	if (swept)
		printf("%-*s  ", swept, r->swept);
	printf("%6s %8s %6s %7s %9s %6" PRIu64 " %8s  %s\n", n, au, error,
		margin, next, r->a.reference.accelerators, rate, r->a.limit);
}

static int print_text(const struct size_table *t)
{
	int drive = widest(t, "drive", offsetof(struct size_row, drive));
	int type = widest(t, "for", offsetof(struct size_row, accelerator));
	int swept = widest(t, "", offsetof(struct size_row, swept));
	char first[SENTENCE_MAX];
	size_t i;

	sentence(t, first, sizeof(first));
	printf("%s.\n\n", first);
	printf("%-*s  %-*s  ", drive, "drive", type, "for");
	if (swept)
		printf("%-*s  ", swept, "");
	printf("%6s %8s %6s %7s %9s %6s %8s  %s\n", "N", "AU %", "+-",
		"margin", "AU at N+1", "ref. N", "GB/s", "limit");
	for (i = 0; i < t->count; i++)
		print_line(&t->rows[i], drive, type, swept);
	for (i = 0; i < t->count; i++)
		print_remarks(&t->rows[i]);
	for (i = 0; i < t->count; i++)
		size_with_print(stdout, &t->rows[i].with, t->rows[i].drive,
			t->rows[i].accelerator);
	printf("reads are %s\n", t->rows[0].odirect
			? "O_DIRECT; --buffered asks for the page cache"
			: "buffered");
	return 0;
}

static const char *csv_text(char *buf, size_t size, const char *text)
{
	size_t n = 0;

	if (!strpbrk(text, ",\"\n"))
		return text;
	buf[n++] = '"';
	for (; *text && n + 4 < size; text++) {
		if (*text == '"')
			buf[n++] = '"';
		buf[n++] = *text;
	}
	buf[n++] = '"';
	buf[n] = 0;
	return buf;
}

static void csv_number(bool known, double value)
{
	char buf[JSON_REPR_MAX];

	printf(",%s", known ? json_repr(buf, value) : "");
}

static int print_csv(const struct size_table *t)
{
	const struct size_row *r;
	char a[512], b[512], c[512];
	double au, next;
	bool has;
	size_t i;

	printf("drive,accelerator,swept,max_accelerators,"
	       "reference_max_accelerators,limit,au_percent,margin_percent,"
	       "error_percent,next_au_percent\n");
	for (i = 0; i < t->count; i++) {
		r = &t->rows[i];
		printf("%s,%s,%s,%" PRIu64 ",%" PRIu64 ",%s",
			csv_text(a, sizeof(a), r->drive),
			csv_text(b, sizeof(b), r->accelerator), r->swept,
			r->a.steady.accelerators,
			r->a.reference.accelerators,
			csv_text(c, sizeof(c), r->a.limit));
		has = row_au(r, &au);
		csv_number(has, has ? au : 0);
		csv_number(has, has ? au - floor_pct(r) : 0);
		csv_number(true, r->a.error_pct);
		has = row_next_au(r, &next);
		csv_number(has, has ? next : 0);
		printf("\n");
	}
	return 0;
}

/* null where there is no such figure. */
static bool add_known(
	struct cJSON *o, const char *key, bool known, double value)
{
	return known ? json_add_double(o, key, value)
		     : cJSON_AddNullToObject(o, key) != NULL;
}

static bool add_curve(struct cJSON *o, const struct size_curve *curve)
{
	struct cJSON *list = json_add_array(o, "tried"), *point;
	const struct size_point *p;
	bool ok = list != NULL;
	size_t i;

	for (i = 0; ok && i < curve->count; i++) {
		p = &curve->points[i];
		point = json_add_object(list, NULL);
		ok = point &&
		     json_add_u64(point, "accelerators", p->accelerators) &&
		     json_add_bool(point, "passes", p->passes) &&
		     json_add_double(point, "au_percent",
			     p->metrics.steady_au_pct) &&
		     json_add_double(point, "reference_au_percent",
			     p->metrics.au_mean_pct) &&
		     json_add_double(point, "read_gb_per_s",
			     p->metrics.read_gib_per_s * GIB_PER_GB) &&
		     json_add_double(point, "ci_percent", p->ci_pct);
	}
	return ok;
}

static bool add_confirmed(struct cJSON *o, const struct size_answer *a)
{
	if (!a->confirmed)
		return true;
	o = json_add_object(o, "confirmed");
	return o && json_add_bool(o, "passes", a->confirm_passes) &&
	       json_add_double(o, "reference_au_percent",
		       a->confirm.au_mean_pct) &&
	       json_add_double(o, "au_percent", a->confirm.steady_au_pct);
}

static bool add_entry(struct cJSON *list, const struct size_row *r)
{
	struct cJSON *o = json_add_object(list, NULL);
	double au = 0, next = 0;
	bool has = row_au(r, &au), more = row_next_au(r, &next);

	return o && json_add_string(o, "drive", r->drive) &&
	       json_add_string(o, "accelerator", r->accelerator) &&
	       (!r->swept[0] || json_add_string(o, "swept", r->swept)) &&
	       json_add_u64(o, "max_accelerators", r->a.steady.accelerators) &&
	       json_add_bool(o, "at_least", r->a.steady.capped) &&
	       add_known(o, "au_percent", has, au) &&
	       add_known(o, "margin_percent", has, au - floor_pct(r)) &&
	       json_add_double(o, "error_percent", r->a.error_pct) &&
	       add_known(o, "next_au_percent", more, next) &&
	       json_add_string(o, "limit", r->a.limit) &&
	       json_add_u64(o, "reference_max_accelerators",
		       r->a.reference.accelerators) &&
	       json_add_bool(o, "monotonic", !r->a.steady.again) &&
	       json_add_bool(o, "odirect", r->odirect) &&
	       json_add_double(o, "au_floor_percent", floor_pct(r)) &&
	       json_add_double(o, "demand_gb_per_s",
		       r->demand_bytes_per_s / 1e9) &&
	       (!r->note[0] || json_add_string(o, "note", r->note)) &&
	       size_with_json(o, &r->with) && add_confirmed(o, &r->a) && add_curve(o, &r->a.curve);
}

static int print_json(const struct size_table *t)
{
	struct cJSON *o = cJSON_CreateObject(), *list;
	char first[SENTENCE_MAX];
	size_t i;

	sentence(t, first, sizeof(first));
	json_add_string(o, "answer", first);
	json_add_string(o, "model", t->model);
	list = json_add_array(o, "entries");
	for (i = 0; list && i < t->count; i++)
		if (!add_entry(list, &t->rows[i]))
			list = NULL;
	if (!list) {
		cJSON_Delete(o);
		o = NULL;
	}
	return cli_print_json(o);
}

int size_print(const struct size_table *t)
{
	if (t->o->run.json)
		return print_json(t);
	return t->o->csv ? print_csv(t) : print_text(t);
}
