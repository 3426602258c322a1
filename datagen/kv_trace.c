/* Recorded requests; see kv_trace.h. */
#include "datagen/kv_trace.h"

#include "core/kv_workload.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 64

enum column { TIMESTAMP, REQUEST, RESPONSE, COLUMNS };

static const char *const names[COLUMNS] = {
	"Timestamp", "Request tokens", "Response tokens"};

/* Cut a line at its commas; how many fields there are. */
static uint32_t split(char *line, char *fields[COLUMNS_MAX])
{
	uint32_t n = 0;
	char *at = line;

	at[strcspn(at, "\r\n")] = 0;
	while (n < COLUMNS_MAX) {
		fields[n++] = at;
		at = strchr(at, ',');
		if (!at)
			break;
		*at++ = 0;
	}
	return n;
}

static int heading(const char *path, char *line, uint32_t where[COLUMNS],
	struct err *e)
{
	char *fields[COLUMNS_MAX];
	uint32_t n = split(line, fields), c, i;

	for (c = 0; c < COLUMNS; c++) {
		for (i = 0; i < n && strcmp(fields[i], names[c]); i++)
			;
		if (i == n)
			return err_set(e, ERR_USAGE, -EINVAL,
				"%s: line 1 has no column \"%s\"", path,
				names[c]);
		where[c] = i;
	}
	return 0;
}

static int row(const char *path, uint32_t number, char *line,
	const uint32_t where[COLUMNS], double *first_s, struct kv_trace *t,
	struct err *e)
{
	static const double most[COLUMNS] = {1e12, 1e7, KV_TOKENS_MAX};
	struct kv_trace_row *r = &t->rows[t->count];
	char *fields[COLUMNS_MAX], *end;
	uint32_t n = split(line, fields), c;
	double v[COLUMNS];

	for (c = 0; c < COLUMNS; c++) {
		end = NULL;
		v[c] = where[c] < n ? strtod(fields[where[c]], &end) : NAN;
		if (!end || end == fields[where[c]] || *end || !(v[c] >= 0) ||
			v[c] > most[c])
			return err_set(e, ERR_USAGE, -EINVAL,
				"%s: line %u: \"%s\" must be a number from 0 to "
				"%g", path, number, names[c], most[c]);
	}
	if (!t->count)
		*first_s = v[TIMESTAMP];
	r->at_ns = (int64_t)((v[TIMESTAMP] - *first_s) * 1e9);
	if (t->count && r->at_ns < r[-1].at_ns)
		return err_set(e, ERR_USAGE, -EINVAL,
			"%s: line %u: Timestamp goes back", path, number);
	/* an entry has a token at least */
	r->context = v[REQUEST] < 1 ? 1 : (uint32_t)v[REQUEST];
	r->generation = (uint32_t)v[RESPONSE];
	t->count++;
	return 0;
}

static int read_rows(
	const char *path, FILE *f, struct kv_trace *t, struct err *e)
{
	uint32_t where[COLUMNS], room = 0, number = 0;
	struct kv_trace_row *more;
	double first_s = 0;
	char *line = NULL;
	size_t size = 0;
	int r = 0;

	while (!r && getline(&line, &size, f) > 0) {
		if (!number++) {
			r = heading(path, line, where, e);
			continue;
		}
		if (line[strspn(line, " \t\r\n")] == 0)
			continue;
		if (t->count == room) {
			room = room ? room * 2 : 1024;
			more = realloc(t->rows, room * sizeof(*more));
			if (!more) {
				r = err_nomem(e, "the trace");
				break;
			}
			t->rows = more;
		}
		r = row(path, number, line, where, &first_s, t, e);
	}
	free(line);
	if (!r && !t->count)
		r = err_set(e, ERR_USAGE, -EINVAL, "%s: no requests", path);
	return r;
}

int kv_trace_load(const char *path, struct kv_trace *t, struct err *e)
{
	FILE *f = fopen(path, "re");
	int r;

	t->rows = NULL;
	t->count = 0;
	if (!f)
		return err_set(e, ERR_USAGE, -errno, "cannot open %s: %s", path,
			strerror(errno));
	r = read_rows(path, f, t, e);
	fclose(f);
	if (r)
		kv_trace_free(t);
	return r;
}

void kv_trace_free(struct kv_trace *t)
{
	free(t->rows);
	t->rows = NULL;
	t->count = 0;
}
