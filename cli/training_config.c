/* From options to a resolved training configuration; see training.h. */
#include "cli/training.h"

#include "accel_sim/group.h"
#include "core/units.h"
#include "datagen/manifest.h"
#include "core/datasize.h"
#include "storage/host.h"
#include "workloads/training.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define TRANSFER_BYTES_DEFAULT MIB_BYTES
#define TRANSFER_BYTES_MAX (64 * MIB_BYTES)
#define DEPTH_DIRECT 16
#define DEPTH_BUFFERED 1

void training_not_closed(struct training_setup *s, const char *fmt, ...)
{
	va_list ap;
	uint32_t n = s->not_closed_count;

	if (n >= sizeof(s->not_closed) / sizeof(s->not_closed[0]))
		return;
	va_start(ap, fmt);
	vsnprintf(s->not_closed[n], sizeof(s->not_closed[n]), fmt, ap);
	va_end(ap);
	s->not_closed_count++;
}

static int parse_bool(const char *text, const char *what, bool *out,
	struct err *e)
{
	if (!strcasecmp(text, "true") || !strcmp(text, "1") ||
		!strcasecmp(text, "yes") || !strcasecmp(text, "on"))
		*out = true;
	else if (!strcasecmp(text, "false") || !strcmp(text, "0") ||
		 !strcasecmp(text, "no") || !strcasecmp(text, "off"))
		*out = false;
	else
		return err_set(e, ERR_USAGE, -EINVAL,
			"%s=%s: must be true or false", what, text);
	return 0;
}

/* --param keys that set a number of the configuration. */
struct param_count {
	const char *key;
	size_t offset; /* into train_config */
	uint64_t min, max;
};

#define CONFIG(field) offsetof(struct train_config, field)

static const struct param_count param_counts[] = {
	{"dataset.num_files_train", CONFIG(files), 1, UINT32_MAX},
	{"dataset.num_subfolders_train", CONFIG(subfolders), 0, 1000000},
	{"dataset.num_samples_per_file", CONFIG(samples_per_file), 1, 1},
	{"reader.batch_size", CONFIG(batch_size), 1, 1000000},
	{"reader.read_threads", CONFIG(read_threads), 1, 256},
	{"reader.prefetch_size", CONFIG(prefetch_size), 0, 1024},
	{"train.epochs", CONFIG(epochs), 1, 10000},
};

static const char *const param_keys[] = {
	"dataset.num_files_train", "dataset.num_subfolders_train",
	"dataset.num_samples_per_file", "dataset.record_length_bytes",
	"dataset.record_length_bytes_stdev", "reader.batch_size",
	"reader.read_threads", "reader.prefetch_size", "reader.odirect",
	"reader.transfer_size", "train.epochs", "train.computation_time", NULL};

static int set_count(const struct param_count *p, const char *value,
	struct train_config *c, struct err *e)
{
	uint64_t v;
	int r = units_parse_u64(value, p->key, p->min, p->max, &v, e);

	if (!r)
		memcpy((char *)c + p->offset, &v, sizeof(v));
	return r;
}

static int set_param(const char *key, const char *value, struct train_config *c,
	struct err *e)
{
	const char *near;
	uint64_t bytes;
	size_t i;
	int r;

	for (i = 0; i < sizeof(param_counts) / sizeof(param_counts[0]); i++)
		if (!strcmp(key, param_counts[i].key))
			return set_count(&param_counts[i], value, c, e);
	if (!strcmp(key, "reader.odirect"))
		return parse_bool(value, key, &c->odirect, e);
	if (!strcmp(key, "reader.transfer_size"))
		return units_parse_bytes(value, 1, key, &c->transfer_bytes, e);
	if (!strcmp(key, "train.computation_time"))
		return units_parse_time(value, key, &c->computation_ns, e);
	if (!strcmp(key, "dataset.record_length_bytes"))
		return units_parse_bytes(value, 1, key, &c->record_bytes, e);
	if (!strcmp(key, "dataset.record_length_bytes_stdev")) {
		r = units_parse_bytes(value, 1, key, &bytes, e);
		c->record_stdev_bytes = (double)bytes;
		return r;
	}
	near = options_nearest(key, param_keys);
	return err_set(e, ERR_USAGE, -EINVAL,
		"--param %s: no such key%s%s%s", key,
		near ? "; did you mean " : "", near ? near : "",
		near ? "?" : "");
}

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
		r = set_param(key, eq + 1, c, e);
		if (r)
			return r;
		if (edition_param_allowed(&s->edition, DIV_CLOSED, key))
			continue;
		training_not_closed(s, "--param %s is not allowed in CLOSED",
			key);
		if (c->division == DIV_CLOSED ||
			(c->division == DIV_OPEN &&
				!edition_param_allowed(
					&s->edition, DIV_OPEN, key)))
			return err_set(e, ERR_USAGE, -EINVAL,
				"--param %s is not allowed in --division %s "
				"(%s); drop it or use --division whatif",
				o->params[i],
				rec_division_name(c->division),
				s->edition.name);
	}
	return 0;
}

static int parse_division(const char *text, enum rec_division *d, struct err *e)
{
	if (!strcmp(text, "whatif"))
		*d = DIV_WHATIF;
	else if (!strcmp(text, "closed"))
		*d = DIV_CLOSED;
	else if (!strcmp(text, "open"))
		*d = DIV_OPEN;
	else
		return err_set(e, ERR_USAGE, -EINVAL,
			"--division %s: must be closed, open or whatif", text);
	return 0;
}

static int parse_engine(const struct training_options *o,
	struct training_setup *s, struct err *e)
{
	const char *clock = o->clock;

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
		if (engine_spec_parse(o->drive, &s->engine, e))
			return e->code;
	} else if (!strcmp(o->engine, "auto")) {
		s->engine.kind = ENGINE_AUTO;
	} else if (!strcmp(o->engine, "uring")) {
		s->engine.kind = ENGINE_URING;
	} else if (!strcmp(o->engine, "pread")) {
		s->engine.kind = ENGINE_PREAD;
	} else {
		return err_set(e, ERR_USAGE, -EINVAL,
			"--engine %s: must be uring, pread or auto", o->engine);
	}
	if (!clock)
		clock = o->drive ? "virtual" : "real";
	s->virtual_time = !strcmp(clock, "virtual");
	if (!s->virtual_time && strcmp(clock, "real"))
		return err_set(e, ERR_USAGE, -EINVAL,
			"--clock %s: must be real or virtual", clock);
	if (s->virtual_time && !o->drive)
		return err_set(e, ERR_USAGE, -EINVAL,
			"--clock virtual needs a modelled drive (--drive)");
	if (s->virtual_time && o->limit_read)
		return err_set(e, ERR_USAGE, -EINVAL,
			"--limit-read slows a real drive; give a modelled one "
			"the rate itself, as in --drive constant:800MB/s");
	return 0;
}

/* data_folder = data_dir/model, unless data_dir already ends in it. */
static void set_folders(const struct training_options *o,
	struct train_config *c)
{
	size_t n, m = strlen(c->model);

	if (o->results_dir)
		snprintf(c->results_dir, sizeof(c->results_dir), "%s",
			o->results_dir);
	if (o->drive)
		snprintf(c->drive, sizeof(c->drive), "%s", o->drive);
	snprintf(c->organization, sizeof(c->organization), "%s",
		o->organization);
	if (o->system_name)
		snprintf(c->system_name, sizeof(c->system_name), "%s",
			o->system_name);
	else
		host_name(c->system_name, sizeof(c->system_name));
	if (!o->data_dir)
		return;
	snprintf(c->data_dir, sizeof(c->data_dir), "%s", o->data_dir);
	n = strlen(c->data_dir);
	while (n > 1 && c->data_dir[n - 1] == '/')
		c->data_dir[--n] = 0;
	if (n > m && c->data_dir[n - m - 1] == '/' &&
		!strcmp(c->data_dir + n - m, c->model))
		snprintf(c->data_folder, sizeof(c->data_folder), "%s",
			c->data_dir);
	else if (n + m + 2 < sizeof(c->data_folder))
		snprintf(c->data_folder, sizeof(c->data_folder), "%.*s/%s",
			(int)(sizeof(c->data_folder) - REC_NAME_MAX - 2),
			c->data_dir, c->model);
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

/* The set that lies there says how many files it has. */
static void files_from_manifest(struct train_config *c)
{
	struct manifest m;

	if (!c->data_folder[0] || manifest_load(c->data_folder, &m, NULL))
		return;
	c->files = m.layout.files;
	manifest_free(&m);
}

static int derive(const struct training_options *o, struct training_setup *s,
	struct err *e)
{
	struct train_config *c = &s->config;
	uint64_t w = c->read_threads;

	if (o->odirect && o->buffered)
		return err_set(e, ERR_USAGE, -EINVAL,
			"--odirect and --buffered exclude each other");
	if (o->odirect)
		c->odirect = true;
	if (o->buffered)
		c->odirect = false;
	c->prefetch_factor = (c->prefetch_size + w - 1) / w;
	if (!c->prefetch_factor)
		c->prefetch_factor = 2; /* the loader's own default */
	c->queue_depth = o->queue_depth ? o->queue_depth
			 : c->odirect	? DEPTH_DIRECT
					: DEPTH_BUFFERED;
	if (!c->transfer_bytes || c->transfer_bytes > TRANSFER_BYTES_MAX ||
		c->transfer_bytes % 4096)
		return err_set(e, ERR_USAGE, -EINVAL,
			"reader.transfer_size=%" PRIu64 ": must be a multiple "
			"of 4096 up to 64 MiB", c->transfer_bytes);
	if (!c->record_bytes || c->computation_ns < 0)
		return err_set(e, ERR_USAGE, -EINVAL,
			"record length and computation time must be above 0");
	if (c->prefetch_size > 2)
		training_not_closed(s, "reader.prefetch_size=%" PRIu64
			" is not one of 0, 1, 2", c->prefetch_size);
	return 0;
}

static int check_steps(const struct train_config *c, struct err *e)
{
	uint64_t need = (c->batch_size * c->accelerators +
				c->samples_per_file - 1) /
			c->samples_per_file;

	if (c->files / c->accelerators * c->samples_per_file >= c->batch_size)
		return 0;
	return err_set(e, ERR_USAGE, -EINVAL,
		"%" PRIu64 " files for %" PRIu64 " accelerators with batches "
		"of %" PRIu64 " make no step; needs >= %" PRIu64 " files",
		c->files, c->accelerators, c->batch_size, need);
}

static int check_size(const struct training_options *o,
	struct training_setup *s, struct err *e)
{
	struct train_config *c = &s->config;
	struct datasize d;
	struct datasize_input in = {
		.shape = profile_shape(&s->profile),
		.accelerators = c->accelerators,
		.hosts = c->hosts,
		.memory_bytes_per_host = s->memory_bytes_per_host,
		/* what the hosts have counts when it is more than was said */
		.measured_memory_bytes = o->measured_memory_bytes
						 ? o->measured_memory_bytes
						 : host_memory_bytes(),
	};
	int r;

	if (s->scale.den != s->scale.num)
		return 0; /* not CLOSED anyway: the size proves nothing */
	r = datasize_compute(&in, &s->edition, &d, e);
	if (r || c->files >= d.required)
		return r;
	training_not_closed(s,
		"%" PRIu64 " files are fewer than the %" PRIu64
		" required (bound by %s)", c->files, d.required,
		d.bound_by_memory ? "5 x host memory" : "500 steps an epoch");
	if (c->division == DIV_WHATIF)
		return 0;
	return err_set(e, ERR_USAGE, -EINVAL,
		"the data set is too small for --division %s: %" PRIu64
		" files, %" PRIu64 " required (bound by %s; stoker training "
		"datasize explains); generate more, or use --division whatif",
		rec_division_name(c->division), c->files, d.required,
		d.bound_by_memory ? "5 x host memory" : "500 steps an epoch");
}

/* What the rules say of a run before it starts. */
static int check_division(const struct training_options *o,
	struct training_setup *s, struct err *e)
{
	struct train_config *c = &s->config;
	char why[256];
	bool same;

	if (!s->profile.runnable)
		return err_set(e, ERR_USAGE, -ENOTSUP, "%s/%s: %s", c->model,
			c->accelerator, s->profile.why);
	if (!edition_admits(&s->edition, c->division, c->model,
		    c->accelerator, why, sizeof(why))) {
		training_not_closed(s, "%s", why);
		c->division = DIV_WHATIF; /* as the text says */
	} else if (!edition_admits(&s->edition, DIV_CLOSED, c->model,
			   c->accelerator, why, sizeof(why))) {
		training_not_closed(s, "%s/%s is not admitted to CLOSED in %s",
			c->model, c->accelerator, s->edition.name);
	}
	if (s->scale.den != s->scale.num) {
		training_not_closed(s, "--scale %u/%u: files and compute are "
			"not the benchmark's", s->scale.num, s->scale.den);
		if (c->division != DIV_WHATIF)
			return err_set(e, ERR_USAGE, -EINVAL,
				"--scale is not allowed in --division %s; use "
				"--division whatif",
				rec_division_name(c->division));
	}
	if (o->computation_time)
		training_not_closed(s, "--computation-time is not the "
			"profile's");
	if (o->computation_time && c->division == DIV_CLOSED)
		return err_set(e, ERR_USAGE, -EINVAL,
			"--computation-time is not allowed in --division "
			"closed");
	if (c->drive[0])
		training_not_closed(s, "the drive is modelled");
	if (c->limit_read_bytes_per_s)
		training_not_closed(s, "--limit-read slows the drive");
	if (o->no_drop_caches)
		training_not_closed(s, "caches are not dropped between epochs");
	s->same_filesystem = c->data_dir[0] && c->results_dir[0] &&
		!host_same_filesystem(c->data_dir, c->results_dir, &same) &&
		same;
	if (s->same_filesystem)
		training_not_closed(s, "data and results are on the same file "
			"system; put --results-dir on another");
	return check_size(o, s, e);
}

static int resolve_workload(const struct training_options *o,
	struct training_setup *s, struct err *e)
{
	struct train_config *c = &s->config;
	int r;

	r = edition_load(o->config_dir, o->edition, &s->edition, e);
	if (!r)
		r = parse_division(o->division, &c->division, e);
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
	set_folders(o, c);
	if (for_run)
		files_from_manifest(c);
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
	if (!for_run)
		return 0;
	r = check_division(o, s, e);
	return r ? r : check_steps(c, e);
}
