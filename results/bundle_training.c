/*
 * Training in a tree: facts are read from the leaves and handed to the rules
 * that judge a run (results/rules_training.c); what only files can tell is
 * here. See bundle.h.
 */
#include "results/bundle_tree.h"

#include "core/config.h"
#include "core/datasize.h"
#include "core/json.h"
#include "core/units.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DATASET "parameters.dataset."

static double files_of(const struct bundle_leaf *l)
{
	return bundle_number(l->metadata, DATASET "num_files_train");
}

/* A whole number of a file that fits; 0 when there is none. */
static uint64_t whole(double d)
{
	return d >= 1 && d < 1e15 ? (uint64_t)d : 0;
}

static struct rule_facts facts(
	const struct bundle *b, const struct train_config *c)
{
	return (struct rule_facts){.edition = &b->edition,
		.config = c,
		.division =
			!strcmp(b->division, "open") ? DIV_OPEN : DIV_CLOSED};
}

/* --- folders ------------------------------------------------------------- */

static void check_phases(struct bundle *b, const char *path)
{
	struct names dirs = {0};
	char below[PATH_MAX], want[256];
	const struct cJSON *phase;
	size_t i;

	bundle_words(b, "training_phases", want);
	bundle_list(b, path, &dirs, NULL);
	for (i = 0; i < dirs.n; i++)
		bundle_say(b, "2.1.12",
			bundle_listed(b, "training_phases", dirs.v[i]),
			bundle_join(below, path, dirs.v[i]), want, "%s",
			dirs.v[i]);
	cJSON_ArrayForEach(phase, bundle_at(b->rules, "training_phases"))
	{
		const char *name = phase->valuestring;

		if (!names_have(&dirs, name))
			bundle_say_level(b, "2.1.12",
				!strcmp(name, "datasize") ? RULE_WARNING
							  : RULE_ERROR,
				false, bundle_join(below, path, name), want,
				"no folder %s", name);
	}
	names_fini(&dirs);
}

static size_t malformed(const struct bundle_group *g)
{
	size_t i, n = 0;

	for (i = 0; i < g->n; i++)
		n += !g->v[i].stamped;
	return n;
}

/* --- 2.1.18, 3.3.x over all leaves --------------------------------------- */

static int64_t took_ns(const struct bundle_leaf *l)
{
	int64_t start = bundle_iso_ns(bundle_string(l->summary, "start")),
		end = bundle_iso_ns(bundle_string(l->summary, "end"));

	return start == INT64_MIN || end == INT64_MIN ? INT64_MIN : end - start;
}

static void check_gaps(
	struct bundle *b, const char *path, const struct bundle_group *run)
{
	struct rec_run *runs = calloc(run->n + 1, sizeof(*runs));
	struct record rec = {.runs = runs};
	struct rule_facts f = facts(b, NULL);
	size_t i;

	for (i = 0; runs && i < run->n; i++) {
		int64_t ns = took_ns(&run->v[i]);

		if (!run->v[i].summary)
			continue;
		if (ns == INT64_MIN || run->v[i].stamp_s == INT64_MIN) {
			bundle_say(b, "2.1.18", false, run->v[i].path, NULL,
				"start, end or the folder's name is no time");
			continue;
		}
		runs[rec.run_count].start_ns = run->v[i].stamp_s * NS_PER_S;
		runs[rec.run_count].end_ns = runs[rec.run_count].start_ns + ns;
		rec.run_count++;
	}
	f.record = &rec;
	bundle_ask(b, "2.1.18", path, &f);
	free(runs);
}

static const char *data_dir(const struct bundle_leaf *l)
{
	return bundle_string(l->metadata, "args.data_dir");
}

static bool is_whole(const struct bundle_leaf *l)
{
	return files_of(l) >= 1 &&
	       bundle_at(l->metadata, DATASET "num_subfolders_train") &&
	       bundle_at(l->metadata, DATASET "total_disk_bytes");
}

static const struct bundle_leaf *size_of(const struct bundle_group *sizes,
	const struct bundle_leaf *run, bool no_dirs)
{
	size_t i;

	if (sizes->n == 1 || (sizes->n && no_dirs))
		return &sizes->v[sizes->n - 1];
	for (i = 0; i < sizes->n; i++)
		if (*data_dir(run) &&
			!strcmp(data_dir(&sizes->v[i]), data_dir(run)))
			return &sizes->v[i];
	return NULL;
}

static void check_run_match(struct bundle *b, const struct bundle_leaf *run,
	const struct bundle_group *sizes, const struct bundle_group *gens,
	bool no_dirs)
{
	static const char id[] = "3.3.1";
	const struct bundle_leaf *size = size_of(sizes, run, no_dirs);
	double n = bundle_number(run->summary, "num_files_train"), most, least;
	bool ok = true;

	if (!run->summary) {
		bundle_unknown(b, id, run->path, "no summary");
		return;
	}
	if (isnan(n) || isnan(bundle_number(run->summary, "num_files_eval")))
		bundle_say_level(b, id, RULE_WARNING, ok = false, run->path,
			NULL,
			"EVAL-FIELD-MISSING: num_files_train or "
			"num_files_eval is not in the summary");
	if (sizes->n && !size)
		bundle_say(b, id, ok = false, run->path, NULL,
			"DATADIR-MISMATCH: no datasize has data_dir \"%.200s\"",
			data_dir(run));
	least = size && is_whole(size) ? files_of(size) : NAN;
	if (n < least)
		bundle_say(b, id, ok = false, run->path, NULL,
			"DATASIZE-UNDERRUN: %.0f files, datasize says %.0f", n,
			least);
	most = gens->n ? files_of(&gens->v[gens->n - 1]) : NAN;
	if (n > most)
		bundle_say(b, id, ok = false, run->path, NULL,
			"DATAGEN-OVERRUN: %.0f files, %.0f were generated", n,
			most);
	ok = bundle_check_datagen_manifest(b, run, gens) && ok;
	if (ok)
		bundle_say(b, id, true, run->path, NULL,
			"datasize %.0f <= run %.0f <= datagen %.0f", least, n,
			most);
}

static void check_match(struct bundle *b, const char *path,
	const struct bundle_group *sizes, const struct bundle_group *gens,
	const struct bundle_group *run)
{
	static const char id[] = "3.3.1";
	bool no_dirs = true;
	size_t i, k;

	if (!sizes->n)
		bundle_say(b, id, false, path, NULL,
			"DATASIZE-MISSING: no datasize");
	if (!gens->n)
		bundle_say(b, id, false, path, NULL,
			"DATAGEN-MISSING: no datagen");
	for (i = 0; i < sizes->n; i++) {
		const struct bundle_leaf *l = &sizes->v[i];

		no_dirs = no_dirs && !*data_dir(l);
		if (!is_whole(l))
			bundle_say(b, id, false, l->path, NULL,
				"DATASIZE-MALFORMED: parameters.dataset needs "
				"num_files_train, num_subfolders_train, "
				"total_disk_bytes");
		for (k = 0; k < i; k++)
			if (*data_dir(l) &&
				!strcmp(data_dir(l), data_dir(&sizes->v[k])))
				bundle_say(b, id, false, l->path, NULL,
					"DATASIZE-REUSED: %.200s was sized "
					"before",
					data_dir(l));
	}
	for (i = 0; i < run->n; i++)
		check_run_match(b, &run->v[i], sizes, gens, no_dirs);
}

/* Bytes generated against those that the first run reads. */
static double dataset_bytes(const struct bundle_leaf *l)
{
	double samples = bundle_number(
		       l->metadata, DATASET "num_samples_per_file"),
	       record = bundle_number(
		       l->metadata, DATASET "record_length_bytes");

	return files_of(l) * (isnan(samples) ? 1 : samples) * record;
}

static void check_generated(struct bundle *b, const struct bundle_group *gens,
	const struct bundle_group *run)
{
	double made, read;

	if (!gens->n || !run->n)
		return;
	made = dataset_bytes(&gens->v[gens->n - 1]);
	read = dataset_bytes(&run->v[0]);
	if (isnan(made) || isnan(read))
		bundle_unknown(b, "3.2.1", gens->v[gens->n - 1].path,
			"files, samples or record length not known");
	else
		bundle_say(b, "3.2.1", made >= read, gens->v[gens->n - 1].path,
			NULL, "%.0f bytes generated, %.0f read", made, read);
}

/* --- a run --------------------------------------------------------------- */

static void check_size(struct bundle *b, const struct bundle_leaf *l,
	const char *model, struct train_config *c)
{
	double samples =
		bundle_number(l->metadata, DATASET "num_samples_per_file");
	double memory =
		bundle_sum(l->summary, "host_memory_GB") * (double)GIB_BYTES;
	struct rule_facts f = facts(b, c);
	struct datasize_input in = {
		.shape = {model,
			whole(bundle_number(
				l->metadata, "parameters.reader.batch_size")),
			isnan(samples) ? 1 : whole(samples),
			whole(bundle_number(
				l->metadata, DATASET "record_length_bytes"))},
		.accelerators = c->accelerators,
		.hosts = 1,
		.memory_bytes_per_host = memory >= 0 && memory < 1e18
						 ? (uint64_t)llround(memory)
						 : 0,
	};
	struct datasize d;
	struct err e;

	if (!in.shape.batch_size || !in.shape.samples_per_file ||
		!in.shape.record_bytes || !in.accelerators || isnan(memory) ||
		!c->files) {
		bundle_unknown(b, "3.1.2", l->path,
			"files, batch size, record length, accelerators or "
			"host memory not known");
		return;
	}
	if (datasize_compute(&in, &b->edition, &d, &e)) {
		bundle_unknown(b, "3.1.2", l->path, "%s", e.text);
		return;
	}
	/* while its round was open, rounding down was accepted */
	f.required_files = d.required - !bundle_is_head(b);
	f.bound_by_memory = d.bound_by_memory;
	bundle_ask(b, "3.1.2", l->path, &f);
}

static void check_au(
	struct bundle *b, const struct bundle_leaf *l, double floor_pct)
{
	const char *word =
		bundle_string(l->summary, "metric.train_au_meet_expectation");
	double au =
		bundle_number(l->summary, "metric.train_au_mean_percentage");
	char want[64];
	bool ok = !strcmp(word, "success");

	snprintf(want, sizeof(want), "success, >= %g %%", floor_pct);
	if (bundle_is_head(b))
		ok = ok && au >= floor_pct;
	bundle_say(b, "3.3.2", ok, l->path, want, "\"%.32s\", mean AU %.10g %%",
		word, au);
}

static void check_hosts(struct bundle *b, const struct bundle_leaf *l,
	const struct train_config *c)
{
	const struct cJSON *hosts = bundle_at(l->metadata, "args.hosts");
	struct rule_facts f = facts(b, c);

	f.hosts = (uint32_t)c->hosts;
	if (!c->hosts || !c->accelerators) {
		bundle_unknown(b, "3.3.3", l->path, "hosts not known");
		bundle_unknown(b, "3.3.6", l->path, "hosts not known");
		return;
	}
	bundle_ask(b, "3.3.3", l->path, &f);
	bundle_ask(b, "3.3.6", l->path, &f);
	if (c->hosts == 1 && l->metadata)
		bundle_say(b, "3.3.4",
			!hosts || (cJSON_IsArray(hosts) &&
					  cJSON_GetArraySize(hosts) <= 1),
			l->path, NULL,
			!hosts || cJSON_IsArray(hosts)
				? "1 host, %d in args.hosts"
				: "args.hosts is no list (%d)",
			cJSON_GetArraySize(hosts));
	bundle_say(b, "3.3.5", true, l->path, NULL, "%llu hosts",
		(unsigned long long)c->hosts);
}

static void check_alike(struct bundle *b, const struct bundle_leaf *l)
{
	static const char *const what[] = {"memory.total", "cpu.num_cores"};
	const struct cJSON *hosts = bundle_at(
				   l->metadata, "cluster_information.hosts"),
			   *h;
	double v, min, max;
	size_t i;

	if (!cJSON_IsArray(hosts))
		return;
	for (i = 0; i < 2; i++) {
		min = max = NAN;
		cJSON_ArrayForEach(h, hosts)
		{
			v = bundle_number(h, what[i]);
			min = fmin(min, v);
			max = fmax(max, v);
		}
		if (min > 0)
			bundle_say(b, "3.3.7", max <= 1.5 * min, l->path, NULL,
				"%s from %g to %g", what[i], min, max);
	}
}

static void check_parameters(struct bundle *b, const struct bundle_leaf *l)
{
	const char *word = bundle_string(l->metadata, "verification");

	if (!strcmp(word, "closed"))
		bundle_check_params(
			b, l, "3.6.2", "params.training_closed", NULL);
	else
		bundle_unknown(b, "3.6.2", l->path,
			"verification is \"%.32s\"; the checker looks only at "
			"\"closed\"",
			word);
	if (!strcmp(word, "open"))
		bundle_check_params(b, l, "3.6.3", "params.training_closed",
			"params.training_open");
	bundle_check_params(b, l, "R-10", "params.training_closed",
		!strcmp(b->division, "open") ? "params.training_open" : NULL);
}

static void check_run(struct bundle *b, const struct bundle_leaf *l,
	const char *model, double floor_pct)
{
	const struct cJSON *dataset =
		bundle_at(l->metadata, "parameters.dataset");
	static struct train_config c;

	memset(&c, 0, sizeof(c));
	c.files = whole(files_of(l));
	c.accelerators = whole(bundle_number(l->summary, "num_accelerators"));
	c.hosts = whole(bundle_number(l->summary, "num_hosts"));
	bundle_check_leaf(b, l, "training", model, true);
	bundle_check_files(b, l, "files.training_run", "2.1.19", "2.1.20");
	bundle_check_hosts(b, l);
	bundle_say(b, "B-02", l->summary != NULL, l->path, "summary.json",
		l->summary ? "summary.json" : "no summary.json");
	if (l->metadata)
		bundle_say(b, "3.1.1", dataset && dataset->child, l->path, NULL,
			"%d parameters", cJSON_GetArraySize(dataset));
	else
		bundle_unknown(b, "3.1.1", l->path, "no metadata");
	check_size(b, l, model, &c);
	if (l->summary)
		check_au(b, l, floor_pct);
	else
		bundle_unknown(b, "3.3.2", l->path, "no summary");
	check_hosts(b, l, &c);
	check_alike(b, l);
	bundle_check_paths(
		b, l, data_dir(l), "3.4.1", "3.4.2", "training_run.stdout.log");
	check_parameters(b, l);
}

static double au_floor_pct(const struct bundle *b, const char *model)
{
	char name[64];
	struct cJSON *w;
	struct err e;
	double au = 1;

	snprintf(name, sizeof(name), "workloads/%.40s.json", model);
	if (config_load(b->options->config_dir, name, &w, &e))
		return 100;
	au = bundle_number(w, "au");
	cJSON_Delete(w);
	return 100 * au;
}

void bundle_check_training(
	struct bundle *b, const char *path, const char *model)
{
	struct bundle_group sizes = {0}, gens = {0}, run = {0};
	char below[PATH_MAX], table[PATH_MAX];
	double floor_pct = au_floor_pct(b, model);
	struct rule_facts f = facts(b, NULL);
	size_t i, bad;

	check_phases(b, path);
	if (bundle_has(b, bundle_join(below, path, "datasize"), true))
		bundle_group_load(b, below, &sizes);
	for (i = 0; i < sizes.n; i++)
		bundle_check_leaf(b, &sizes.v[i], "training", model, false);
	if (bundle_has(b, bundle_join(below, path, "datagen"), true)) {
		bundle_group_load(b, below, &gens);
		bundle_say(b, "2.1.13", gens.n == 1 && !malformed(&gens), below,
			NULL, "%zu, %zu of them no timestamp", gens.n,
			malformed(&gens));
	}
	for (i = 0; i < gens.n; i++) {
		bundle_check_leaf(b, &gens.v[i], "training", model, false);
		bundle_check_files(b, &gens.v[i], "files.training_datagen",
			"2.1.14", "2.1.15");
	}
	bundle_join(below, path, "run");
	if (bundle_has(b, below, true))
		bundle_group_load(b, below, &run);
	bundle_join(table, below, "results.json");
	bundle_say(b, "2.1.16", bundle_has(b, table, false), below, NULL,
		bundle_has(b, table, false) ? "one" : "none");
	bad = malformed(&run);
	f.warmups_planned = b->edition.warmups;
	f.runs_planned = (uint32_t)run.n - f.warmups_planned;
	if (bad || run.n < f.warmups_planned)
		bundle_say(b, "2.1.17", false, below, NULL,
			"%zu folders, %zu of them no timestamp", run.n, bad);
	else
		bundle_ask(b, "2.1.17", below, &f);
	check_gaps(b, below, &run);
	for (i = 0; i < run.n; i++)
		check_run(b, &run.v[i], model, floor_pct);
	check_generated(b, &gens, &run);
	check_match(b, path, &sizes, &gens, &run);
	bundle_strict_training(b, &run, floor_pct);
	bundle_group_fini(&sizes);
	bundle_group_fini(&gens);
	bundle_group_fini(&run);
}
