/*
 * What people found by hand in results that a checker had passed: --strict.
 * See bundle.h.
 */
#include "results/bundle_tree.h"

#include "core/json.h"
#include "core/units.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MB_BYTES 1e6
#define RATING_ROUNDED 0.01 /* ratings have two or three digits */
#define SMALL_BYTES 16 /* of what staff leaves where a file was pruned */

/* --- rates against what the drives can do -------------------------------- */

/* Sum over all drives of `key` in MB/s; NAN when one does not say. */
static double rated_mbps(const struct bundle *b, const char *key)
{
	static const char *const where[] = {"clients", "product_nodes"};
	const struct cJSON *node, *drive;
	double sum = 0, each;
	char at[64];
	size_t i, n = 0;

	snprintf(at, sizeof(at), "performance.%s", key);
	for (i = 0; i < 2; i++) {
		cJSON_ArrayForEach(node, bundle_at(b->system, where[i]))
		{
			cJSON_ArrayForEach(drive, bundle_at(node, "drives"))
			{
				each = bundle_number(drive, at);
				sum += each *
				       bundle_number(drive, "unit_count") *
				       bundle_number(node, "quantity");
				n++;
			}
		}
	}
	return n ? sum : NAN;
}

/*
 * A rate as the benchmark has it, and at least the drives' own: a rate that
 * counts what it did not time proves nothing. lowest NAN: not known.
 */
static void check_rate(struct bundle *b, const char *id,
	const struct bundle_leaf *l, const char *what, double bytes_per_s,
	double lowest_bytes_per_s, const char *key)
{
	double rated = rated_mbps(b, key), mbps = bytes_per_s / MB_BYTES,
	       lowest = lowest_bytes_per_s / MB_BYTES,
	       limit = rated * (1 + RATING_ROUNDED);

	if (isnan(bytes_per_s))
		return;
	if (isnan(rated))
		bundle_unknown(b, id, l->path,
			"no drive in SYSTEM.yaml says its %s", key);
	else if (mbps <= limit || lowest <= limit)
		bundle_say(b, id, true, l->path, NULL,
			"%s at %.0f MB/s (%.0f until the last rank had "
			"ended), all drives together are rated %.0f",
			what, mbps, lowest, rated);
	else if (isnan(lowest))
		bundle_unknown(b, id, l->path,
			"%s at %.0f MB/s by the time of one rank, all drives "
			"together are rated %.0f; how long the others took is "
			"not told",
			what, mbps, rated);
	else
		bundle_say(b, id, false, l->path, NULL,
			"%s at %.0f MB/s, all drives together are rated %.0f",
			what, lowest, rated);
}

/* --- outliers ------------------------------------------------------------ */

/* The least of a list against its mean. */
static void check_outlier(struct bundle *b, const struct bundle_leaf *l,
	const char *what, const double *v, size_t n)
{
	double sum = 0, low = INFINITY;
	size_t i;

	for (i = 0; i < n; i++) {
		sum += v[i];
		low = fmin(low, v[i]);
	}
	if (n > 1)
		bundle_say(b, "R-05", low >= 0.8 * sum / (double)n, l->path,
			"no rate 20 % below the mean",
			"%s: slowest %g, mean of %zu %g", what, low, n,
			sum / (double)n);
}

#define RATES_MAX 1000
#define RANKS_MAX 4096

static void check_epochs(struct bundle *b, const struct bundle_leaf *l)
{
	static double v[RATES_MAX];
	const struct cJSON *c;
	size_t n = 0;

	cJSON_ArrayForEach(
		c, bundle_at(l->summary,
			   "metric.train_throughput_samples_per_second"))
	{
		if (cJSON_IsNumber(c) && n < RATES_MAX)
			v[n++] = c->valuedouble;
	}
	check_outlier(b, l, "samples/s of an epoch", v, n);
}

/* Saves and loads are two figures: drives write slower than they read. */
static void check_checkpoints(struct bundle *b, const struct bundle_leaf *l,
	const char *prefix, const char *what)
{
	static double v[RATES_MAX];
	const struct cJSON *c;
	double rate;
	size_t n = 0;

	cJSON_ArrayForEach(c, bundle_at(l->stats, "1"))
	{
		rate = bundle_number(c, "throughput");
		if (!strncmp(c->string, prefix, strlen(prefix)) &&
			!isnan(rate) && n < RATES_MAX)
			v[n++] = rate;
	}
	check_outlier(b, l, what, v, n);
}

/* --- training ------------------------------------------------------------ */

/* Share of an epoch's batches that were read before its clock began. */
static double head_start(const struct bundle_leaf *l, double *w, double *steps)
{
	double files = bundle_number(l->summary, "num_files_train"),
	       acc = bundle_number(l->summary, "num_accelerators"),
	       batch = bundle_number(
		       l->metadata, "parameters.reader.batch_size"),
	       samples = bundle_number(
		       l->metadata, "parameters.dataset.num_samples_per_file");

	*w = bundle_number(l->metadata, "parameters.reader.read_threads");
	if (isnan(samples))
		samples = 1;
	*steps = floor(files * samples / (batch * acc));
	return *steps >= 1 ? fmin(*w / *steps, 1) : NAN;
}

static void check_head_start(
	struct bundle *b, const struct bundle_leaf *l, double floor_pct)
{
	double au = bundle_number(
		       l->summary, "metric.train_au_mean_percentage"),
	       w, steps, share = head_start(l, &w, &steps);

	if (isnan(share) || isnan(au)) {
		bundle_unknown(b, "R-03", l->path,
			"files, batch, readers or AU not known");
		return;
	}
	bundle_say(b, "R-03", au * (1 - share) >= floor_pct, l->path, NULL,
		"AU %.3f %%, %.3f %% without %g batches of %g steps, floor "
		"%g %%",
		au, au * (1 - share), w, steps, floor_pct);
}

/* Only our own record says what the device moved. */
static void check_device(struct bundle *b, const struct bundle_leaf *l)
{
	char path[PATH_MAX];
	const struct cJSON *bytes;
	struct cJSON *rec;
	double asked, moved;

	if (!names_have(&l->files, "record.json")) {
		bundle_unknown(b, "R-04", l->path,
			"no record.json: what the device moved is not known");
		return;
	}
	rec = bundle_json(b, bundle_join(path, l->path, "record.json"), NULL);
	bytes = bundle_at(
		cJSON_GetArrayItem(bundle_at(rec, "runs"), 0), "metrics");
	asked = bundle_number(bytes, "bytes_asked");
	moved = bundle_number(bytes, "bytes_device");
	if (isnan(asked) || isnan(moved))
		bundle_unknown(b, "R-04", path,
			"the record does not say what the device moved");
	else
		bundle_say(b, "R-04", moved >= 0.99 * asked, path, NULL,
			"%.0f bytes asked for, %.0f moved by the device", asked,
			moved);
	cJSON_Delete(rec);
}

void bundle_strict_training(
	struct bundle *b, const struct bundle_group *run, double floor_pct)
{
	const struct bundle_leaf *l;
	double rate, w, steps;
	size_t i;

	for (i = 0; b->options->strict && i < run->n; i++) {
		l = &run->v[i];
		rate = bundle_number(l->summary,
			       "metric.train_io_mean_MB_per_second") *
		       (double)MIB_BYTES;
		check_rate(b, "R-01", l, "training read", rate,
			rate * (1 - head_start(l, &w, &steps)),
			"seq_read_MBps");
		check_head_start(b, l, floor_pct);
		check_epochs(b, l);
		check_device(b, l);
	}
}

/*
 * A checkpoint's bytes over the time until its last rank had ended, by the
 * files of all ranks; the mean of all. NAN when one is missing: the summary
 * divides by the time of rank 0 alone.
 */
static double slowest_rate(
	struct bundle *b, const struct bundle_leaf *l, const char *prefix)
{
	double ranks = bundle_number(l->summary, "num_accelerators"),
	       gib = bundle_number(l->summary, "metric.checkpoint_size_GB");
	static double took[RATES_MAX];
	size_t n = 0, k = 0, r, i;
	double total = 0, d;
	char name[64], path[PATH_MAX];
	const struct cJSON *c;
	struct cJSON *stats;

	if (!(ranks >= 1 && ranks <= RANKS_MAX))
		return NAN;
	for (r = 0; r < (size_t)ranks; r++) {
		snprintf(name, sizeof(name), "%zu_per_epoch_stats.json", r);
		if (!names_have(&l->files, name))
			return NAN;
		stats = bundle_json(
			b, bundle_join(path, l->path, name), NULL);
		k = 0;
		cJSON_ArrayForEach(c, bundle_at(stats, "1"))
		{
			d = bundle_number(c, "duration");
			if (strncmp(c->string, prefix, strlen(prefix)) ||
				isnan(d) || k == RATES_MAX)
				continue;
			took[k] = r ? fmax(took[k], d) : d;
			k++;
		}
		cJSON_Delete(stats);
		if (!k || (r && k != n))
			return NAN;
		n = k;
	}
	for (i = 0; i < n; i++)
		total += took[i];
	return total > 0 ? (double)n * gib * (double)GIB_BYTES / total : NAN;
}

void bundle_strict_checkpointing(struct bundle *b, const struct bundle_group *g)
{
	const struct bundle_leaf *l;
	size_t i;

	for (i = 0; b->options->strict && i < g->n; i++) {
		l = &g->v[i];
		check_rate(b, "R-01", l, "checkpoints written",
			bundle_number(l->summary, "metric.save_checkpoint_io_"
						  "mean_GB_per_second") *
				(double)GIB_BYTES,
			slowest_rate(b, l, "save_"), "seq_write_MBps");
		check_rate(b, "R-02", l, "checkpoints loaded",
			bundle_number(l->summary, "metric.load_checkpoint_io_"
						  "mean_GB_per_second") *
				(double)GIB_BYTES,
			slowest_rate(b, l, "load_"), "seq_read_MBps");
		check_checkpoints(b, l, "save_", "GiB/s of a save");
		check_checkpoints(b, l, "load_", "GiB/s of a load");
	}
}

/* --- the others ---------------------------------------------------------- */

void bundle_strict_vdb(struct bundle *b, const struct bundle_group *run)
{
	char path[PATH_MAX];
	struct cJSON *stats;
	double mean;
	size_t i;

	for (i = 0; b->options->strict && i < run->n; i++) {
		const struct bundle_leaf *l = &run->v[i];

		mean = bundle_number(l->summary, "recall.mean_recall");
		if (isnan(mean)) {
			bundle_join(path, l->path, "recall_stats.json");
			stats = bundle_json(b, path, NULL);
			mean = bundle_number(stats, "mean_recall");
			cJSON_Delete(stats);
		}
		if (isnan(mean))
			bundle_unknown(
				b, "R-07", l->path, "no mean_recall is said");
		else
			bundle_say(b, "R-07", mean > 0, l->path, NULL,
				"mean recall %g", mean);
	}
}

/* Files that must be there and say nothing. */
void bundle_strict_files(
	struct bundle *b, const struct bundle_leaf *l, const char *patterns)
{
	char path[PATH_MAX], *text;
	size_t i, len;

	(void)patterns;
	for (i = 0; b->options->strict && i < l->files.n; i++) {
		const char *name = l->files.v[i];
		size_t n = strlen(name);

		/* logs may be empty; data may not */
		if (n < 5 || strcmp(name + n - 5, ".json"))
			continue;
		text = NULL;
		bundle_join(path, l->path, name);
		if (bundle_small(b, path, SMALL_BYTES))
			text = bundle_text(b, path, NULL, SMALL_BYTES, &len);
		bundle_say(b, "R-06", !text, path, NULL,
			text ? "it holds only \"%s\"" : "it holds data%.0s",
			text ? text : "");
		free(text);
	}
}
