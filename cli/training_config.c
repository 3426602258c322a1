/* From options to a resolved training configuration; see training.h. */
#include "cli/params.h"
#include "cli/training.h"

#include "accel_sim/group.h"
#include "core/units.h"
#include "datagen/format.h"
#include "datagen/manifest.h"
#include "core/datasize.h"
#include "storage/drive_model.h"
#include "storage/host.h"
#include "workloads/training.h"
#include "workloads/loader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define TRANSFER_BYTES_DEFAULT MIB_BYTES
#define TRANSFER_BYTES_MAX (64 * MIB_BYTES)

static int apply_params(const struct training_options *o,
	struct training_setup *s, struct err *e)
{
	struct train_config *c = &s->config;
	char key[128];
	const char *eq;
	size_t i;
	int r;

	for (i = 0; o->params[i]; i++) {
		eq = strchr(o->params[i], '=');
		if (!eq || (size_t)(eq - o->params[i]) >= sizeof(key))
			return err_set(e, ERR_USAGE, -EINVAL,
				"--param %s: must be KEY=VALUE",
				o->params[i]);
		memcpy(key, o->params[i], (size_t)(eq - o->params[i]));
		key[eq - o->params[i]] = 0;
		r = param_set(key, eq + 1, &s->edition, c, e);
		if (r)
			return r;
		memcpy(s->params[s->param_count++], key, sizeof(key));
	}
	return 0;
}

#define HOST_MODEL "v3.0" /* what published results were made on */

static int parse_drive(const struct training_options *o,
	struct engine_spec *s, struct err *e)
{
	int r = engine_spec_parse(o->config_dir, o->drive, s, e);

	if (r)
		return r;
	if (s->kind != ENGINE_MODEL && (o->host_model || o->without))
		return err_set(e, ERR_USAGE, -EINVAL,
			"--drive %s is exact: --host-model and --without go "
			"with a drive profile", o->drive);
	if (s->kind != ENGINE_MODEL)
		return 0;
	r = host_model_load(o->config_dir,
		o->host_model ? o->host_model : HOST_MODEL, &s->host, e);
	return r || !o->without
		       ? r
		       : drive_mechanisms_parse(o->without, &s->without, e);
}

static int parse_engine(const struct training_options *o,
	struct training_setup *s, struct err *e)
{
	if (o->drive && o->data_dir)
		return err_set(e, ERR_USAGE, -EINVAL,
			"--drive and --data-dir exclude each other: a modelled "
			"drive reads no files");
	s->engine.no_futex = o->no_futex;
	if (o->drive) {
		if (strcmp(o->engine, "auto"))
			return err_set(e, ERR_USAGE, -EINVAL,
				"--engine %s goes with --data-dir, not with "
				"--drive", o->engine);
		if (parse_drive(o, &s->engine, e))
			return e->code;
		snprintf(s->config.host_model, sizeof(s->config.host_model),
			"%s", s->engine.host.name);
		s->config.host_step_ns = s->engine.host.step_ns;
	} else if (o->host_model || o->without) {
		return err_set(e, ERR_USAGE, -EINVAL,
			"--host-model and --without are about a modelled "
			"drive (--drive)");
	} else if (resolve_engine_kind(o->engine, ENGINE_AUTO, &s->engine.kind,
			   e)) {
		return e->code;
	}
	if (resolve_clock(o->clock, o->drive != NULL, &s->virtual_time, e))
		return e->code;
	if (o->each_run && !s->virtual_time)
		return err_set(e, ERR_USAGE, -EINVAL,
			"--each-run goes with --drive in virtual time: "
			"elsewhere every run is run anyway");
	if (s->virtual_time && o->limit_read)
		return err_set(e, ERR_USAGE, -EINVAL,
			"--limit-read slows a real drive; give a modelled one "
			"the rate itself, as in --drive constant:800MB/s");
	return 0;
}

static void from_profile(const struct workload_profile *p,
	struct train_config *c)
{
	snprintf(c->model, sizeof(c->model), "%s", p->model);
	snprintf(c->accelerator, sizeof(c->accelerator), "%s",
		p->accelerator);
	snprintf(c->format, sizeof(c->format), "%s", p->format);
	snprintf(c->framework, sizeof(c->framework), "%s", p->framework);
	c->files = p->default_files;
	c->samples_per_file = p->samples_per_file;
	c->batch_size = p->batch_size;
	c->epochs = p->epochs;
	c->record_bytes = p->record_bytes;
	c->record_stdev_bytes = p->record_stdev_bytes;
	c->resize_bytes = p->resize_bytes;
	c->computation_ns = p->computation_ns;
	c->read_threads = p->read_threads;
	c->prefetch_size = p->prefetch_size;
	c->transfer_bytes = p->transfer_bytes ? p->transfer_bytes
					      : TRANSFER_BYTES_DEFAULT;
	c->au_floor_ppm = p->au_floor_ppm;
	c->file_shuffle = true;
}

/*
 * The set that lies there says how many files it has, and whether it was made
 * for storage that compresses or deduplicates.
 */
static int look_at_manifest(struct training_setup *s, struct err *e)
{
	struct train_config *c = &s->config;
	struct content_ratios ratios;
	struct manifest m;

	if (!c->data_folder[0] || manifest_load(c->data_folder, &m, NULL))
		return 0;
	c->files = m.layout.files;
	s->datagen_files = m.layout.files;
	ratios = m.ratios;
	manifest_free(&m);
	if (!content_ratios_set(&ratios))
		return 0;
	not_closed_add(&s->not_closed,
		"the data set compresses by %g and deduplicates "
		"by %g (datagen --compress-ratio, --dedup-ratio)",
		content_ratio(ratios.compress_milli),
		content_ratio(ratios.dedup_milli));
	if (c->division == DIV_WHATIF)
		return 0;
	return err_set(e, ERR_USAGE, -EINVAL,
		"%s was made with --compress-ratio or --dedup-ratio, which "
		"--division %s does not know; generate it without them, or "
		"use --division whatif",
		c->data_folder, rec_division_name(c->division));
}

static int derive(const struct training_options *o, struct training_setup *s,
	struct err *e)
{
	struct train_config *c = &s->config;

	if (o->odirect && o->buffered)
		return err_set(e, ERR_USAGE, -EINVAL,
			"--odirect and --buffered exclude each other");
	if (o->odirect)
		c->odirect = true;
	if (o->buffered)
		c->odirect = false;
	c->prefetch_factor = loader_prefetch_factor(c);
	c->queue_depth = o->queue_depth ? o->queue_depth
					: loader_queue_depth(c->odirect);
	if (!c->transfer_bytes || c->transfer_bytes > TRANSFER_BYTES_MAX ||
		c->transfer_bytes % 4096)
		return err_set(e, ERR_USAGE, -EINVAL,
			"reader.transfer_size=%" PRIu64 ": must be a multiple "
			"of 4096 up to 64 MiB", c->transfer_bytes);
	if (!c->record_bytes || c->computation_ns < 0)
		return err_set(e, ERR_USAGE, -EINVAL,
			"record length and computation time must be above 0");
	return 0;
}

/* Sizes are drawn only where files are made or modelled. */
static int check_deviation(const struct train_config *c, struct err *e)
{
	if (c->record_stdev_bytes <= (double)c->record_bytes)
		return 0;
	return err_set(e, ERR_USAGE, -EINVAL,
		"record_length_bytes=%" PRIu64 " is shorter than its deviation "
		"record_length_bytes_stdev=%.0f; pass --param "
		"dataset.record_length_bytes_stdev=0 too",
		c->record_bytes, c->record_stdev_bytes);
}

static int check_steps(const struct train_config *c, struct err *e)
{
	uint64_t need = (c->batch_size * c->accelerators +
				c->samples_per_file - 1) /
			c->samples_per_file;
	uint64_t samples = c->files / c->accelerators * c->samples_per_file;

	if (samples / c->batch_size > UINT32_MAX)
		return err_set(e, ERR_USAGE, -EOVERFLOW,
			"%" PRIu64 " samples for each accelerator make more "
			"than 2^32 steps; use fewer, or larger batches",
			samples);
	if (samples >= c->batch_size)
		return 0;
	return err_set(e, ERR_USAGE, -EINVAL,
		"%" PRIu64 " files for %" PRIu64 " accelerators with batches "
		"of %" PRIu64 " make no step; needs >= %" PRIu64 " files",
		c->files, c->accelerators, c->batch_size, need);
}

static int resolve_workload(const struct training_options *o,
	struct training_setup *s, struct err *e)
{
	struct train_config *c = &s->config;
	int r;

	r = edition_load(o->config_dir, o->edition, &s->edition, e);
	if (!r)
		r = resolve_division(o->division, &c->division, e);
	if (!r)
		r = profile_load(o->config_dir, o->model, o->accelerator,
			&s->profile, e);
	if (!r && o->computation_time)
		r = units_parse_time(o->computation_time,
			"--computation-time", &s->profile.computation_ns, e);
	if (!r)
		r = units_parse_scale(o->scale, "--scale", &s->scale.num,
			&s->scale.den, e);
	if (r)
		return r;
	profile_scale(&s->profile, s->scale.num, s->scale.den);
	c->scale = s->scale;
	from_profile(&s->profile, c);
	return 0;
}

int training_resolve(const struct training_options *o, bool for_run,
	struct training_setup *s, struct err *e)
{
	struct train_config *c = &s->config;
	int r;

	memset(s, 0, sizeof(*s));
	r = resolve_workload(o, s, e);
	if (r)
		return r;
	c->accelerators = o->accelerators;
	c->hosts = o->hosts ? o->hosts : 1;
	c->seed = o->seed;
	c->datagen_ranks = o->processes ? o->processes : 1;
	c->verify = o->verify;
	r = training_names(o, c, e);
	if (!r && for_run)
		r = look_at_manifest(s, e);
	if (!r)
		r = apply_params(o, s, e);
	if (!r)
		r = derive(o, s, e);
	if (!r && o->memory)
		r = units_parse_bytes(o->memory, GIB_BYTES,
			"--client-host-memory-in-gb",
			&s->memory_bytes_per_host, e);
	if (!r && o->limit_read)
		r = units_parse_rate(o->limit_read, "--limit-read",
			&c->limit_read_bytes_per_s, e);
	if (!r)
		r = parse_engine(o, s, e);
	if (r)
		return r;
	c->host_memory_gib = (double)s->memory_bytes_per_host /
			     (double)GIB_BYTES;
	s->steady_verdict = !strcmp(o->verdict, "steady");
	if (!s->steady_verdict && strcmp(o->verdict, "reference"))
		return err_set(e, ERR_USAGE, -EINVAL,
			"--verdict %s: must be reference or steady",
			o->verdict);
	/* overrides of --param count for sizing and the checks */
	s->profile.record_bytes = c->record_bytes;
	s->profile.batch_size = c->batch_size;
	s->profile.samples_per_file = c->samples_per_file;
	if (!for_run || c->drive[0])
		r = check_deviation(c, e);
	if (r || !for_run)
		return r;
	r = training_check_rules(o, s, e);
	return r ? r : check_steps(c, e);
}
