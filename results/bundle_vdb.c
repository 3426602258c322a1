/* Vector search in a tree; see bundle.h. */
#include "results/bundle_tree.h"

#include "core/json.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *data_of(const struct bundle_leaf *l)
{
	static const char *const keys[] = {
		"args.storage_root", "args.data_dir", "args.vdb_data_path"};
	size_t i;

	for (i = 0; i < 3; i++)
		if (*bundle_string(l->metadata, keys[i]))
			return bundle_string(l->metadata, keys[i]);
	return "";
}

/* The first of the known figures; NAN: none is there. */
static double recall_of(const struct cJSON *from, const char *at)
{
	static const char *const keys[] = {
		"max_recall", "mean_recall", "recall_at_k", "recall"};
	const struct cJSON *r = bundle_at(from, at);
	double d;
	size_t i;

	if (cJSON_IsNumber(r))
		return r->valuedouble;
	for (i = 0; i < 4; i++) {
		d = bundle_number(r, keys[i]);
		if (!isnan(d))
			return d;
	}
	return NAN;
}

/* A file of recalls without a figure leaves open what was found. */
static void check_recall(struct bundle *b, const struct bundle_leaf *l)
{
	const struct cJSON *said = bundle_at(l->summary, "recall");
	bool there = said && !cJSON_IsNull(said);
	double d = recall_of(l->summary, "recall");
	char path[PATH_MAX];
	struct cJSON *stats;

	if (!there && bundle_has(b, bundle_join(path, l->path,
					    "recall_stats.json"), false)) {
		there = true;
		stats = bundle_json(b, path, NULL);
		d = recall_of(stats, "");
		cJSON_Delete(stats);
	}
	if (there && isnan(d))
		bundle_unknown(b, "5.3.2", l->path, "the recall is no figure");
	else
		bundle_say(b, "5.3.2", d > 0, l->path, NULL,
			isnan(d) ? "no recall (%g)" : "recall %g", d);
}

static void check_verdict(struct bundle *b, const struct bundle_leaf *l)
{
	static const char id[] = "5.3.5";
	char path[PATH_MAX];
	const struct cJSON *flat;
	struct cJSON *v;
	double coverage;

	if (!names_have(&l->files, "result_verdict.json")) {
		bundle_say(b, id, false, l->path, NULL,
			"there is no result_verdict.json");
		return;
	}
	v = bundle_json(
		b, bundle_join(path, l->path, "result_verdict.json"), id);
	flat = bundle_at(v, "flat_setup");
	coverage = bundle_number(flat, "coverage");
	if (v && !flat)
		bundle_say_level(b, id, RULE_WARNING, false, path, NULL,
			"there is no flat_setup");
	else if (v)
		bundle_say_level(b, id, RULE_ERROR,
			!cJSON_IsFalse(bundle_at(flat, "ok")) &&
				coverage >= 1.0,
			path, NULL, "flat_setup.ok %s, coverage %g",
			cJSON_IsFalse(bundle_at(flat, "ok")) ? "false"
							     : "not false",
			coverage);
	cJSON_Delete(v);
}

static void check_database(
	struct bundle *b, const struct bundle_leaf *l, const char *index)
{
	bool object = !strcmp(bundle_string(b->system,
				      "solution.architecture.benchmark_API"),
		     "object"),
	     closed = !strcmp(b->division, "closed");
	const char *backend = bundle_string(
			   l->summary, "database.storage_backend"),
		   *database = bundle_string(l->summary, "database.database"),
		   *type = bundle_string(l->summary, "index_type"),
		   *engine =
			   bundle_string(b->rules, "vector_database.database");
	struct rule_vdb_facts v;
	struct rule_facts f = {.family = FAMILY_VDB, .vdb = &v};

	if (object)
		bundle_say(b, "5.5.1",
			bundle_listed(b, "vector_database.storage_backends",
				backend) ||
				!strncmp(backend, "s3-", 3),
			l->path, NULL, "storage_backend \"%.60s\"", backend);
	if (!closed) {
		if (strcmp(database, engine))
			bundle_say_level(b, "5.6.5", RULE_WARNING, false,
				l->path, engine, "database \"%.60s\"",
				database);
		return;
	}
	v = (struct rule_vdb_facts){.database = database,
		.closed_database = engine,
		.index = index,
		.index_type = type,
		.index_listed = bundle_listed(
			b, "vector_database.indexes", index)};
	bundle_ask(b, "5.6.2", l->path, &f);
	if (v.index_listed)
		bundle_ask(b, "5.6.3", l->path, &f);
}

/* What a summary of a run must hold. */
static void check_summary(
	struct bundle *b, const struct bundle_leaf *l, const char *index)
{
	static const char *const metrics[] = {"throughput_qps",
		"mean_latency_ms", "p95_latency_ms", "p99_latency_ms",
		"p999_latency_ms"};
	const char *missing = NULL;
	bool count;
	size_t i;

	bundle_say(b, "5.1.1",
		json_has(l->summary, "num_vectors") &&
			json_has(l->summary, "dimension"),
		l->path, NULL, "num_vectors %s, dimension %s",
		json_has(l->summary, "num_vectors") ? "there" : "missing",
		json_has(l->summary, "dimension") ? "there" : "missing");
	check_recall(b, l);
	count = json_has(l->summary, "query_count") ||
		(json_has(l->summary, "throughput_qps") &&
			json_has(l->summary, "total_time_seconds"));
	bundle_say(b, "5.3.3", count, l->path, NULL,
		count ? "there" : "neither query_count nor rate and time");
	for (i = 0; i < 5 && !missing; i++)
		if (!json_has(l->summary, metrics[i]))
			missing = metrics[i];
	bundle_say(b, "5.3.4", !missing, l->path, NULL, "%s %s",
		missing ? missing : "all",
		missing ? "is missing" : "are there");
	check_database(b, l, index);
}

static void check_against_datagen(struct bundle *b,
	const struct bundle_leaf *run, const struct bundle_leaf *gen)
{
	double d = bundle_number(gen->summary, "dimension"),
	       r = bundle_number(run->summary, "dimension");
	const char *dt = bundle_string(gen->summary, "index_type"),
		   *rt = bundle_string(run->summary, "index_type");

	if (!isnan(d) && !isnan(r))
		bundle_say(b, "5.1.2", d == r, run->path, NULL,
			"dimension %g, datagen %g", r, d);
	if (*dt && *rt)
		bundle_say(b, "5.2.2", !strcmp(dt, rt), run->path, NULL,
			"index_type \"%.60s\", datagen \"%.60s\"", rt, dt);
}

static void skip_summary(struct bundle *b, const struct bundle_leaf *l)
{
	static const char *const ids[] = {"5.1.1", "5.1.2", "5.2.2", "5.3.2",
		"5.3.3", "5.3.4", "5.6.2", "5.6.3"};
	size_t i;

	for (i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		bundle_unknown(b, ids[i], l->path, "no summary.json");
}

void bundle_check_one_metadata(
	struct bundle *b, const struct bundle_leaf *l)
{
	const char *ending = "_metadata.json";
	size_t i, n = 0, k = strlen(ending), len;

	if (!l->stamped)
		return;
	for (i = 0; i < l->files.n; i++) {
		len = strlen(l->files.v[i]);
		n += len >= k && !strcmp(l->files.v[i] + len - k, ending);
	}
	bundle_say(
		b, "LEAF-01", n == 1, l->path, NULL, "%zu *_metadata.json", n);
}

static void check_run(struct bundle *b, const struct bundle_leaf *l,
	const struct bundle_group *gens, const char *index)
{
	size_t i;
	bool open = !strcmp(b->division, "open");

	bundle_check_leaf(b, l, "vector_database", "", true);
	bundle_check_one_metadata(b, l);
	bundle_say(b, "B-02", l->summary != NULL, l->path, "summary.json",
		l->summary ? "summary.json" : "no summary.json");
	if (l->summary)
		check_summary(b, l, index);
	else
		skip_summary(b, l);
	for (i = 0; l->summary && i < gens->n; i++)
		if (gens->v[i].summary)
			check_against_datagen(b, l, &gens->v[i]);
	check_verdict(b, l);
	if (strcmp(bundle_string(
			   b->system, "solution.architecture.benchmark_API"),
		    "object"))
		bundle_check_paths(b, l, data_of(l), "5.4.1", "5.4.2",
			"vdb_run.stdout.log");
	if (open)
		bundle_check_params(
			b, l, "5.6.5", "params.vdb_closed", "params.vdb_open");
	else
		bundle_check_params(b, l, "5.6.4", "params.vdb_closed", NULL);
}

/* Nothing can be asked; the checker then only warns, rule by rule. */
static void warn_no_runs(
	struct bundle *b, const char *path, bool generated, bool known)
{
	static const char *const ids[] = {"5.1.1", "5.3.2", "5.3.3", "5.3.4",
		"5.3.5", "5.4.1", "5.4.2", "5.6.2", "5.6.3", "5.6.4"};
	static const char *const without_datagen[] = {
		"5.1.2", "5.2.1", "5.2.2"};
	bool object = !strcmp(bundle_string(b->system,
				      "solution.architecture.benchmark_API"),
		     "object"),
	     open = !strcmp(b->division, "open");
	const char *id;
	size_t i;

	for (i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		id = ids[i];
		if ((object && !strncmp(id, "5.4.", 4)) ||
			(open && !strncmp(id, "5.6.", 4)) ||
			(!known && !strcmp(id, "5.6.3")))
			continue;
		bundle_say_level(b, id, RULE_WARNING, false, path, "runs",
			"there are none");
	}
	if (open)
		bundle_say_level(b, "5.6.5", RULE_WARNING, false, path, "runs",
			"there are none");
	if (object)
		bundle_say_level(b, "5.5.1", RULE_WARNING, false, path, "runs",
			"there are none");
	for (i = 0; i < 3 && !generated; i++)
		bundle_say_level(b, without_datagen[i], RULE_WARNING, false,
			path, "datagen and runs", "there are none");
}

static void check_datagen(struct bundle *b, const struct bundle_leaf *l)
{
	double in = bundle_number(l->summary, "inserted_vectors"),
	       n = bundle_number(l->summary, "num_vectors");

	bundle_check_leaf(b, l, "vector_database", "", false);
	bundle_say(b, "B-02", l->summary != NULL, l->path, "summary.json",
		l->summary ? "summary.json" : "no summary.json");
	if (!l->summary) {
		bundle_unknown(b, "5.2.1", l->path, "no summary.json");
		return;
	}
	bundle_say(b, "5.2.1", in >= n, l->path, NULL, "%.0f inserted of %.0f",
		in, n);
	bundle_say(b, "5.2.2", json_has(l->summary, "index_type"), l->path,
		NULL, json_has(l->summary, "index_type")
			? "index_type is there"
			: "no index_type: no index was built");
}

/* Is the folder named as an index that CLOSED may have? */
static bool check_index(struct bundle *b, const char *path, const char *index)
{
	bool known = bundle_listed(b, "vector_database.indexes", index);
	char want[256];

	bundle_words(b, "vector_database.indexes", want);
	if (!strcmp(b->division, "closed"))
		bundle_say(b, "5.6.3", known, path, want, "folder %.60s", index);
	return known;
}

void bundle_check_vdb(struct bundle *b, const char *path, const char *index)
{
	struct bundle_group sizes = {0}, gens = {0}, run = {0};
	double want = bundle_number(b->rules, "vector_database.runs");
	bool known = check_index(b, path, index);
	char below[PATH_MAX];
	size_t i, n = 0;

	if (bundle_has(b, bundle_join(below, path, "datasize"), true))
		bundle_group_load(b, below, &sizes);
	for (i = 0; i < sizes.n; i++)
		bundle_check_leaf(b, &sizes.v[i], "vector_database", "", false);
	if (bundle_has(b, bundle_join(below, path, "datagen"), true))
		bundle_group_load(b, below, &gens);
	for (i = 0; i < gens.n; i++)
		check_datagen(b, &gens.v[i]);
	bundle_join(below, path, "run");
	if (bundle_has(b, below, true))
		bundle_group_load(b, below, &run);
	for (i = 0; i < run.n; i++)
		n += strrchr(run.v[i].path, '/')[1] != '.';
	if (bundle_has(b, below, true))
		bundle_say(b, "5.3.1", (double)n == want, below, NULL,
			"%zu runs, %g needed", n, want);
	if (!run.n)
		warn_no_runs(b, path, gens.n > 0, known);
	for (i = 0; i < run.n; i++)
		check_run(b, &run.v[i], &gens, index);
	bundle_strict_vdb(b, &run);
	bundle_group_fini(&sizes);
	bundle_group_fini(&gens);
	bundle_group_fini(&run);
}
