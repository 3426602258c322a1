/*
 * The rules of training, one row each; see rules.h. Identifiers and names as
 * in the benchmark's submission checker, edition 3.0.
 */
#include "results/rules_checks.h"

#include "core/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static enum rule_outcome check_size(
	const struct rule_facts *f, char figure[RULE_FIGURE_MAX])
{
	if (!f->required_files)
		return rule_unknown(figure, "host memory is");
	return rule_say(figure, f->config->files >= f->required_files,
		f->config->files >= f->required_files
			? "%" PRIu64 " files, %" PRIu64
			  " required (bound by %s)"
			: "%" PRIu64 " files are fewer than the %" PRIu64
			  " required (bound by %s)",
		f->config->files, f->required_files,
		f->bound_by_memory ? "5 x host memory" : "500 steps an epoch");
}

static enum rule_outcome check_datagen(
	const struct rule_facts *f, char figure[RULE_FIGURE_MAX])
{
	if (!f->datagen_files)
		return rule_unknown(figure, "what was generated is");
	return rule_say(figure, f->config->files <= f->datagen_files,
		"%" PRIu64 " files asked for, %" PRIu64 " generated",
		f->config->files, f->datagen_files);
}

static const struct rec_run *first_run_below(const struct record *rec)
{
	uint32_t i;

	for (i = 0; i < rec->run_count; i++)
		if (rec->runs[i].metrics.epochs &&
			!rec->runs[i].metrics.meets_exact)
			return &rec->runs[i];
	return NULL;
}

static enum rule_outcome check_au(
	const struct rule_facts *f, char figure[RULE_FIGURE_MAX])
{
	double floor_pct = f->config->au_floor_ppm / 1e4;
	const struct rec_run *low;
	char au[REC_AU_TEXT_MAX];
	uint32_t i, judged = 0;

	for (i = 0; f->record && i < f->record->run_count; i++)
		judged += f->record->runs[i].metrics.epochs > 0;
	if (!judged)
		return rule_unknown(figure, "AU is");
	low = first_run_below(f->record);
	if (!low)
		return rule_say(figure, true, "%u runs at AU >= %g %%", judged,
			floor_pct);
	rec_format_au(au, low->metrics.au_mean_pct, f->config->au_floor_ppm,
		false);
	return rule_say(figure, false, "%s %s has AU %s %%, >= %g %% needed",
		low->warmup ? "warm-up" : "run", low->stamp, au, floor_pct);
}

static enum rule_outcome check_few(
	const struct rule_facts *f, char figure[RULE_FIGURE_MAX])
{
	if (f->hosts > 1)
		return rule_say(figure, true, "%u hosts", f->hosts);
	return rule_say(figure,
		f->config->accelerators >= f->edition->warn_below_accelerators,
		"%" PRIu64 " accelerators on one host, %" PRIu64 " advised",
		f->config->accelerators, f->edition->warn_below_accelerators);
}

static enum rule_outcome check_equal(
	const struct rule_facts *f, char figure[RULE_FIGURE_MAX])
{
	uint32_t i;

	if (f->hosts <= 1)
		return rule_say(figure, true, "one host");
	for (i = 1; f->ranks_on_host && i < f->hosts; i++)
		if (f->ranks_on_host[i] != f->ranks_on_host[0])
			return rule_say(figure, false,
				"host 0 has %u accelerators, host %u has %u",
				f->ranks_on_host[0], i, f->ranks_on_host[i]);
	return rule_say(figure, f->config->accelerators % f->hosts == 0,
		"%" PRIu64 " accelerators on %u hosts",
		f->config->accelerators, f->hosts);
}

RULE_CHECK(paths)
{
	const struct train_config *c = f->config;

	if (!c->data_dir[0] || !c->results_dir[0])
		return rule_unknown(figure, "data or results folder is");
	return rule_say(figure, strcmp(c->data_dir, c->results_dir) != 0,
		"data %.100s, results %.100s", c->data_dir, c->results_dir);
}

RULE_CHECK(filesystem)
{
	if (f->same_filesystem == FACT_UNKNOWN)
		return rule_unknown(figure, "the file system of the results is");
	return rule_say(figure, f->same_filesystem == FACT_NO,
		"data and results are on %s file system%s",
		f->same_filesystem == FACT_YES ? "the same" : "different",
		f->same_filesystem == FACT_YES ? "" : "s");
}

static enum rule_outcome check_params(const struct rule_facts *f,
	enum rec_division division, char figure[RULE_FIGURE_MAX])
{
	const char *const *key = f->params;

	for (; key && *key; key++)
		if (!edition_param_allowed(f->edition, division, *key))
			return rule_say(figure, false,
				"--param %s is not allowed in %s", *key,
				division == DIV_CLOSED ? "CLOSED" : "OPEN");
	return rule_say(figure, true, "no parameter outside the list");
}

static enum rule_outcome check_closed_params(
	const struct rule_facts *f, char figure[RULE_FIGURE_MAX])
{
	return check_params(f, DIV_CLOSED, figure);
}

static enum rule_outcome check_open_params(
	const struct rule_facts *f, char figure[RULE_FIGURE_MAX])
{
	return check_params(f, DIV_OPEN, figure);
}

static enum rule_outcome check_prefetch(
	const struct rule_facts *f, char figure[RULE_FIGURE_MAX])
{
	uint32_t i;
	bool ok = !f->edition->prefetch_size_count;

	for (i = 0; i < f->edition->prefetch_size_count; i++)
		ok = ok || f->edition->prefetch_sizes[i] ==
				   f->config->prefetch_size;
	return rule_say(figure, ok,
		ok ? "reader.prefetch_size=%" PRIu64
		   : "reader.prefetch_size=%" PRIu64 " is not one of 0, 1, 2",
		f->config->prefetch_size);
}

static enum rule_outcome check_odirect(
	const struct rule_facts *f, char figure[RULE_FIGURE_MAX])
{
	return rule_say(figure,
		!f->config->odirect || edition_list_has(
			&f->edition->odirect_models, f->config->model),
		"reader.odirect is %s on %s",
		f->config->odirect ? "true" : "false", f->config->model);
}

RULE_CHECK(admitted)
{
	enum rec_division d = f->division == DIV_OPEN ? DIV_OPEN : DIV_CLOSED;
	char why[RULE_FIGURE_MAX];

	if (!f->config->accelerator[0])
		return rule_unknown(figure, "the accelerator is");
	if (f->ckpt && !edition_list_has(&f->edition->ckpt.model,
			       f->config->model))
		return rule_unknown(figure, "the model is");
	if (edition_admits(f->edition, d, f->config->model,
		    f->config->accelerator, why, sizeof(why)))
		return rule_say(figure, true, "%s on %s is admitted",
			f->config->model, f->config->accelerator);
	return rule_say(figure, false, "%s", why);
}

static enum rule_outcome check_runs(
	const struct rule_facts *f, char figure[RULE_FIGURE_MAX])
{
	return rule_say(figure,
		f->runs_planned == f->edition->runs &&
			f->warmups_planned == f->edition->warmups,
		"%u warm-up + %u measured runs, %u + %u needed",
		f->warmups_planned, f->runs_planned, f->edition->warmups,
		f->edition->runs);
}

/*
 * The checker's arithmetic: the starts of consecutive runs must be less than
 * twice the shortest run apart, in whole seconds.
 */
static enum rule_outcome check_gaps(
	const struct rule_facts *f, char figure[RULE_FIGURE_MAX])
{
	const struct record *rec = f->record;
	int64_t shortest = INT64_MAX, gap_s, limit_s, d;
	uint32_t i;

	if (!rec || rec->run_count < 2)
		return rule_unknown(figure, "a second run is");
	for (i = 0; i < rec->run_count; i++) {
		d = rec->runs[i].end_ns - rec->runs[i].start_ns;
		if (d < shortest)
			shortest = d;
	}
	limit_s = 2 * shortest / NS_PER_S;
	for (i = 0; i + 1 < rec->run_count; i++) {
		gap_s = (rec->time.wall_anchor_ns + rec->runs[i + 1].start_ns) /
				NS_PER_S -
			(rec->time.wall_anchor_ns + rec->runs[i].start_ns) /
				NS_PER_S;
		if (gap_s * NS_PER_S >= 2 * shortest)
			return rule_say(figure, false,
				"runs %u and %u start %" PRId64
				" s apart, less than %" PRId64 " s allowed",
				i + 1, i + 2, gap_s, limit_s);
	}
	return rule_say(figure, true, "runs follow each other closely");
}

static enum rule_outcome check_scale(
	const struct rule_facts *f, char figure[RULE_FIGURE_MAX])
{
	const struct rec_scale *s = &f->config->scale;

	return rule_say(figure, s->num == s->den,
		s->num == s->den ? "full size"
				 : "--scale %u/%u: files and compute are not "
				   "the benchmark's",
		s->num, s->den);
}

static enum rule_outcome check_compute(
	const struct rule_facts *f, char figure[RULE_FIGURE_MAX])
{
	return rule_say(figure, !f->computation_time_changed,
		f->computation_time_changed
			? "--computation-time is not the profile's"
			: "computation time is the profile's");
}

static enum rule_outcome check_real_drive(
	const struct rule_facts *f, char figure[RULE_FIGURE_MAX])
{
	return rule_say(figure, !f->config->drive[0],
		f->config->drive[0] ? "the drive is modelled" : "real files");
}

static enum rule_outcome check_unlimited(
	const struct rule_facts *f, char figure[RULE_FIGURE_MAX])
{
	if (f->ckpt)
		return rule_say(figure, !f->ckpt->limited,
			f->ckpt->limited ? "--limit-content slows the saves"
					 : "the content's own speed");
	return rule_say(figure, !f->config->limit_read_bytes_per_s,
		f->config->limit_read_bytes_per_s
			? "--limit-read slows the drive"
			: "the drive's own speed");
}

static enum rule_outcome check_caches(
	const struct rule_facts *f, char figure[RULE_FIGURE_MAX])
{
	return rule_say(figure, !f->caches_not_dropped,
		f->caches_not_dropped
			? "caches are not dropped between epochs"
			: "caches are dropped before each epoch");
}

/* clang-format off */
#define E RULE_ERROR
#define W RULE_WARNING
#define I RULE_INFO
#define TREE(v30, head) {true, false, v30, head}
#define TRAINING (1U << FAMILY_TRAINING)
#define CHECKPOINTING (1U << FAMILY_CHECKPOINTING)
#define VDB (1U << FAMILY_VDB)
#define KV (1U << FAMILY_KV)
#define NO_TREE {false, false, RULE_OFF, RULE_OFF}
const struct rule rules_training[] = {
	{"2.1.17", "runTimestamps", "runs planned or found",
		"1 warm-up and 5 measured runs",
		"--runs 5 --warmup 1",
		W, W, PHASE_BEFORE, check_runs, TREE(E, E), TRAINING},
	{"2.1.18", "runTimestampGap", "start and end of every run",
		"consecutive runs start less than twice the shortest run apart",
		"run the campaign again without pauses",
		E, E, PHASE_AFTER, check_gaps, TREE(E, E), TRAINING},
	{"3.1.2", "trainingRecalculateDatasetSize",
		"dataset.num_files_train, accelerators, host memory",
		"files >= max(500 steps an epoch, 5 x memory of all hosts)",
		"stoker training datasize tells how many; generate that many",
		E, E, PHASE_BEFORE, check_size, TREE(E, E), TRAINING},
	{"3.2.1", "trainingDatagenMinimumSize",
		"the data set's manifest, dataset.num_files_train",
		"at least as many files were generated as the run reads",
		"stoker training datagen with that number of files",
		E, E, PHASE_BEFORE, check_datagen, TREE(E, E), TRAINING},
	{"3.3.2", "trainingAcceleratorUtilizationCheck",
		"mean AU of every run, the warm-up too",
		"each run's mean AU reaches the model's floor (90 % for unet3d)",
		"fewer accelerators, or more reader.read_threads",
		E, E, PHASE_AFTER, check_au, TREE(E, E), TRAINING},
	{"3.3.3", "trainingSingleHostSimulatedAccelerators",
		"accelerators, hosts",
		"not fewer than 4 accelerators on a single host",
		"advice only: more accelerators if the drive feeds them",
		W, W, PHASE_BEFORE, check_few, TREE(W, W), TRAINING},
	{"3.3.6", "trainingIdenticalAcceleratorsPerNode",
		"accelerators of each host",
		"every host has the same number",
		"choose --num-accelerators as a multiple of the hosts",
		E, E, PHASE_BEFORE, check_equal, TREE(E, E), TRAINING},
	{"3.4.1", "trainingMlpstoragePathArgs", "--data-dir, --results-dir",
		"both are given and differ",
		"put --results-dir elsewhere",
		E, E, PHASE_BEFORE, rule_paths, TREE(E, E), TRAINING},
	{"3.4.2", "trainingMlpstorageFilesystemCheck",
		"file systems of data and results",
		"they differ",
		"put --results-dir on another file system than the data",
		W, W, PHASE_BEFORE, rule_filesystem, TREE(W, E), TRAINING},
	{"3.6.2", "trainingClosedSubmissionParameters", "--param keys",
		"only keys that CLOSED allows",
		"drop the parameter, or use --division open or whatif",
		E, I, PHASE_BEFORE, check_closed_params, TREE(E, E), TRAINING},
	{"3.6.3", "trainingOpenSubmissionParameters", "--param keys",
		"only keys that OPEN allows",
		"drop the parameter, or use --division whatif",
		I, E, PHASE_BEFORE, check_open_params, TREE(E, E), TRAINING},
	{"EDN-02", "comparabilityClass", "model, accelerator, division",
		"the edition admits this model on this accelerator",
		"an admitted accelerator, or --division whatif",
		E, E, PHASE_BEFORE, rule_admitted, TREE(RULE_OFF, E),
		TRAINING | CHECKPOINTING},
	{"S-01", "fullSize", "--scale",
		"files and compute have the benchmark's size",
		"drop --scale",
		E, E, PHASE_BEFORE, check_scale, NO_TREE,
		TRAINING | CHECKPOINTING},
	{"S-02", "profileCompute", "--computation-time",
		"computation time is the profile's",
		"drop --computation-time",
		E, E, PHASE_BEFORE, check_compute, NO_TREE, TRAINING},
	{"S-03", "realDrive", "--drive",
		"what is read and written are files",
		"--data-dir, --checkpoint-folder or --cache-dir, not --drive",
		W, W, PHASE_BEFORE, check_real_drive, NO_TREE,
		TRAINING | CHECKPOINTING | VDB | KV},
	{"S-04", "unlimited", "--limit-read, --limit-content",
		"nothing slows the drive on purpose",
		"drop that option",
		W, W, PHASE_BEFORE, check_unlimited, NO_TREE,
		TRAINING | CHECKPOINTING},
	{"S-05", "cachesDropped", "--no-drop-caches",
		"page caches are dropped before each epoch",
		"drop --no-drop-caches",
		W, W, PHASE_BEFORE, check_caches, NO_TREE, TRAINING},
	{"S-06", "prefetchSize", "reader.prefetch_size",
		"one of the values that the rules name (0, 1, 2)",
		"--param reader.prefetch_size=2",
		E, W, PHASE_BEFORE, check_prefetch, NO_TREE, TRAINING},
	{"S-07", "odirectModel", "reader.odirect, model",
		"O_DIRECT is asked for only where the rules know it (unet3d)",
		"--buffered",
		E, E, PHASE_BEFORE, check_odirect, NO_TREE, TRAINING},
};
/* clang-format on */

const size_t rules_training_count =
	sizeof(rules_training) / sizeof(rules_training[0]);
