/* Runs that were; see history.h. */
#include "results/history.h"

#include "core/units.h"
#include "results/record_read.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH_MAX 16

bool history_gap_fits(int64_t start_a_ns, int64_t start_b_ns,
	int64_t shortest_ns, int64_t *gap_s, int64_t *limit_ns)
{
	*gap_s = start_b_ns / NS_PER_S - start_a_ns / NS_PER_S;
	*limit_ns = shortest_ns > INT64_MAX / 2 ? INT64_MAX : 2 * shortest_ns;
	return *gap_s * NS_PER_S < *limit_ns;
}

static int add_broken(struct history *h, const char *leaf, const char *why)
{
	struct history_broken *b;

	b = realloc(h->broken, (h->broken_count + 1) * sizeof(*b));
	if (!b)
		return -ENOMEM;
	h->broken = b;
	b += h->broken_count++;
	snprintf(b->leaf, sizeof(b->leaf), "%s", leaf);
	snprintf(b->why, sizeof(b->why), "%s", why);
	return 0;
}

static int add_leaf(struct history *h, const char *leaf, struct err *e)
{
	struct history_run *all, *n;
	struct err why;

	all = realloc(h->runs, (h->count + 1) * sizeof(*all));
	if (!all)
		return err_nomem(e, "the list of runs");
	h->runs = all;
	n = &all[h->count];
	memset(n, 0, sizeof(*n));
	if (results_record_read(leaf, &n->rec, &why))
		return add_broken(h, leaf, why.text)
			       ? err_nomem(e, "the list of runs")
			       : 0;
	n->rec.runs[0].start_ns += n->rec.time.wall_anchor_ns;
	n->rec.runs[0].end_ns += n->rec.time.wall_anchor_ns;
	n->rec.time.wall_anchor_ns = 0;
	h->count++;
	return 0;
}

static bool has(const char *dir, const char *name)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/%s", dir, name);

	return n > 0 && n < PATH_MAX && !access(path, F_OK);
}

bool history_is_bundle(const char *dir)
{
	static const char marker[] = ".mlps-image-pool";
	char path[PATH_MAX];
	struct dirent *de;
	bool found = false;
	DIR *d;

	if (!has(dir, "closed") && !has(dir, "open"))
		return false;
	/* its pool of code images, or that of an organization */
	d = opendir(dir);
	while (d && !found && (de = readdir(d))) {
		int n = snprintf(path, sizeof(path), "%s/%s", dir, de->d_name);

		found = de->d_name[0] != '.' && n > 0 && n < PATH_MAX &&
			has(path, marker);
	}
	if (d)
		closedir(d);
	return found;
}

static int scan(struct history *h, const char *dir, int depth, struct err *e);

static int scan_entry(struct history *h, const char *dir,
	const struct dirent *d, int depth, struct err *e)
{
	char path[PATH_MAX];
	struct stat st;
	int n;

	/* a campaign's preparation is no run of it (mlcommons/storage#771) */
	if (d->d_name[0] == '.' || !strcmp(d->d_name, "datagen") ||
		!strcmp(d->d_name, "datasize") ||
		/* single runs, of another workload */
		!strcmp(d->d_name, "checkpointing") ||
		!strcmp(d->d_name, "vector_database") ||
		!strcmp(d->d_name, "kv_cache"))
		return 0;
	n = snprintf(path, sizeof(path), "%s/%s", dir, d->d_name);
	if (n < 0 || n >= PATH_MAX || lstat(path, &st) ||
		!S_ISDIR(st.st_mode) || history_is_bundle(path))
		return 0;
	return scan(h, path, depth + 1, e);
}

static int scan(struct history *h, const char *dir, int depth, struct err *e)
{
	struct dirent **list;
	int i, n, r = 0;

	if (has(dir, "record.json") || has(dir, "summary.json"))
		return add_leaf(h, dir, e);
	if (depth >= DEPTH_MAX)
		return 0;
	n = scandir(dir, &list, NULL, alphasort);
	if (n < 0 && depth)
		return add_broken(h, dir, strerror(errno))
			       ? err_nomem(e, "the list of runs")
			       : 0;
	if (n < 0)
		return err_set(e, ERR_USAGE, -errno, "--results-dir %s: %s",
			dir, strerror(errno));
	for (i = 0; i < n; i++) {
		if (!r)
			r = scan_entry(h, dir, list[i], depth, e);
		free(list[i]);
	}
	free(list);
	return r;
}

static int compare_time(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static size_t parent_length(const struct history_run *r)
{
	const char *leaf = r->rec.runs[0].leaf, *slash = strrchr(leaf, '/');

	return slash ? (size_t)(slash - leaf) : 0;
}

static int compare_parents(
	const struct history_run *a, const struct history_run *b)
{
	size_t na = parent_length(a), nb = parent_length(b);
	int c = strncmp(
		a->rec.runs[0].leaf, b->rec.runs[0].leaf, na < nb ? na : nb);

	return c ? c : (na > nb) - (na < nb);
}

/* By folder, then time. */
static int by_place(const void *pa, const void *pb)
{
	const struct history_run *a = pa, *b = pb;
	int c = compare_parents(a, b);

	if (!c)
		c = compare_time(
			a->rec.runs[0].start_ns, b->rec.runs[0].start_ns);
	return c ? c : strcmp(a->rec.runs[0].stamp, b->rec.runs[0].stamp);
}

static int by_campaign(const void *pa, const void *pb)
{
	const struct history_run *a = pa, *b = pb;

	if (a->campaign != b->campaign)
		return a->campaign < b->campaign ? -1 : 1;
	return compare_time(a->rec.runs[0].start_ns, b->rec.runs[0].start_ns);
}

/* Does b go on with the campaign whose last run is a? */
static bool continues(const struct history_run *a, const struct history_run *b,
	int64_t *shortest_ns)
{
	const struct rec_run *ra = &a->rec.runs[0], *rb = &b->rec.runs[0];
	int64_t took = rb->end_ns - rb->start_ns, gap_s, limit_ns;
	bool foreign = results_is_foreign(&a->rec);
	char what[512];

	if (took > *shortest_ns)
		took = *shortest_ns;
	if (compare_parents(a, b) || foreign != results_is_foreign(&b->rec) ||
		(!foreign && rb->index != ra->index + 1) ||
		!results_same_config(
			&a->rec.config, &b->rec.config, what, sizeof(what)) ||
		!history_gap_fits(
			ra->start_ns, rb->start_ns, took, &gap_s, &limit_ns))
		return false;
	*shortest_ns = took;
	return true;
}

/* Where a campaign lies among the runs, for ordering. */
struct span {
	int64_t last_ns;
	uint32_t id;
};

static int by_last(const void *pa, const void *pb)
{
	const struct span *a = pa, *b = pb;
	int c = compare_time(a->last_ns, b->last_ns);

	return c ? c : (a->id > b->id) - (a->id < b->id);
}

static int group(struct history *h, struct err *e)
{
	struct span *spans = calloc(h->count + 1, sizeof(*spans));
	uint32_t *place = calloc(h->count + 1, sizeof(*place));
	int64_t shortest_ns = 0;
	uint32_t n = 0;
	size_t i;

	if (!spans || !place) {
		free(spans);
		free(place);
		return err_nomem(e, "the list of runs");
	}
	for (i = 0; i < h->count; i++) {
		struct history_run *r = &h->runs[i];

		if (!i || !continues(r - 1, r, &shortest_ns)) {
			spans[n].id = n;
			n++;
			shortest_ns =
				r->rec.runs[0].end_ns - r->rec.runs[0].start_ns;
		}
		r->campaign = n - 1;
		spans[n - 1].last_ns = r->rec.runs[0].start_ns;
	}
	qsort(spans, n, sizeof(*spans), by_last);
	for (i = 0; i < n; i++)
		place[spans[i].id] = (uint32_t)i + 1;
	for (i = 0; i < h->count; i++)
		h->runs[i].campaign = place[h->runs[i].campaign];
	free(spans);
	free(place);
	return 0;
}

int history_scan(const char *dir, struct history *h, struct err *e)
{
	int r;

	memset(h, 0, sizeof(*h));
	r = scan(h, dir, 0, e);
	if (r || !h->count)
		return r;
	qsort(h->runs, h->count, sizeof(*h->runs), by_place);
	r = group(h, e);
	if (!r)
		qsort(h->runs, h->count, sizeof(*h->runs), by_campaign);
	return r;
}

void history_fini(struct history *h)
{
	size_t i;

	for (i = 0; i < h->count; i++)
		record_fini(&h->runs[i].rec);
	free(h->runs);
	free(h->broken);
	memset(h, 0, sizeof(*h));
}
