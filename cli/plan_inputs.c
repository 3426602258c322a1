/* What `stoker plan checkpoint` is asked; see plan_checkpoint.h. */
#include "cli/checkpointing.h"
#include "cli/plan_checkpoint.h"

#include "core/json.h"
#include "core/units.h"
#include "storage/drive.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Rates and times as they are collected; 0 = not given. */
struct found {
	double save_s, load_s;
	double save_bytes_per_s, load_bytes_per_s;
	double bytes;
};

static int seconds(
	const char *text, const char *what, double *s, struct err *e)
{
	int64_t ns;
	int r;

	if (!text)
		return 0;
	r = units_parse_time(text, what, &ns, e);
	if (!r && ns < 0)
		r = err_set(e, ERR_USAGE, -EINVAL,
			"%s %s: must not be negative", what, text);
	*s = (double)ns / 1e9;
	return r;
}

static int positive(
	const char *text, const char *what, double *s, struct err *e)
{
	int r = seconds(text, what, s, e);

	if (!r && text && *s <= 0)
		r = err_set(e, ERR_USAGE, -EINVAL,
			"%s %s: must be more than 0", what, text);
	return r;
}

static int rate(
	const char *text, const char *what, double *bytes_per_s, struct err *e)
{
	uint64_t value;
	int r;

	if (!text)
		return 0;
	r = units_parse_rate(text, what, &value, e);
	if (!r && !value)
		r = err_set(e, ERR_USAGE, -EINVAL,
			"%s %s: must be more than 0", what, text);
	*bytes_per_s = (double)value;
	return r;
}

/* Bytes of a checkpoint: of the model, or as given. */
static int size(const struct plan_options *o, struct plan_inputs *in,
	struct found *f, struct err *e)
{
	struct checkpointing_options c;
	struct ckpt_totals totals;
	struct ckpt_shape shape;
	uint64_t bytes;
	int r;

	if (o->size && (o->model || o->processes))
		return err_set(e, ERR_USAGE, -EINVAL,
			"--size and --model exclude each other: a model has "
			"its own size");
	if (o->size) {
		r = units_parse_bytes(o->size, 1, "--size", &bytes, e);
		if (!r && !bytes)
			r = err_set(e, ERR_USAGE, -EINVAL,
				"--size %s: must be more than 0", o->size);
		f->bytes = (double)bytes;
		snprintf(in->of, sizeof(in->of), "a checkpoint of %s", o->size);
		return r;
	}
	if (!o->model)
		return f->bytes > 0
			       ? 0
			       : err_set(e, ERR_USAGE, -EINVAL,
					 "what is saved? --model NAME, --size "
					 "SIZE or --result DIR");
	checkpointing_options_default(&c);
	c.model = o->model;
	c.config_dir = o->config_dir;
	c.processes = o->processes;
	if (o->mode)
		c.mode = o->mode;
	r = checkpointing_shape(&c, &shape, e);
	if (r)
		return r;
	ckpt_totals(&shape, &totals);
	f->bytes = (double)totals.bytes;
	snprintf(in->of, sizeof(in->of), "%s on %" PRIu64 " ranks%s", o->model,
		shape.ranks, shape.subset ? " (a subset)" : "");
	return 0;
}

/* summary.json of a checkpointing run, or the folder it is in. */
static int result(const struct plan_options *o, struct plan_inputs *in,
	struct found *f, struct err *e)
{
	char path[4096];
	struct cJSON *doc;
	const struct cJSON *metric;
	struct stat st;
	double gib = 0;
	int r;

	if (!o->result)
		return 0;
	snprintf(path, sizeof(path), "%s%s", o->result,
		!stat(o->result, &st) && S_ISDIR(st.st_mode) ? "/summary.json"
							     : "");
	r = json_read_file(path, &doc, e);
	if (r)
		return r;
	if (json_get_object(doc, path, "metric", &metric, e) ||
		json_get_double(metric, path, "checkpoint_size_GB", 1e-9, 1e12,
			&gib, e) ||
		json_opt_double(metric, path,
			"save_checkpoint_duration_mean_seconds", 1e-9, 1e12,
			&f->save_s, e) ||
		json_opt_double(metric, path,
			"load_checkpoint_duration_mean_seconds", 1e-9, 1e12,
			&f->load_s, e)) {
		cJSON_Delete(doc);
		return e->code;
	}
	cJSON_Delete(doc);
	if (f->save_s <= 0)
		return err_set(e, ERR_USAGE, -EINVAL,
			"%s: no checkpoint was saved in that run (no "
			"save_checkpoint_duration_mean_seconds)", path);
	f->bytes = gib * (double)GIB_BYTES;
	snprintf(in->source, sizeof(in->source), "measured, %.200s", path);
	snprintf(in->of, sizeof(in->of), "%.1f GiB", gib);
	return 0;
}

static int drive(const struct plan_options *o, struct plan_inputs *in,
	struct found *f, struct err *e)
{
	struct drive_profile p;
	int r;

	if (!o->drive)
		return 0;
	r = drive_profile_load(o->config_dir, o->drive, &p, e);
	if (r) {
		err_wrap(e, "--drive %s", o->drive);
		return r;
	}
	f->save_bytes_per_s = p.sequential_write_gb_per_s * 1e9 * p.count;
	f->load_bytes_per_s = p.sequential_read_gb_per_s * 1e9 * p.count;
	in->drive_bytes_per_s = p.sequential_write_gb_per_s * 1e9;
	snprintf(in->drive_name, sizeof(in->drive_name), "%s", p.name);
	snprintf(in->source, sizeof(in->source),
		"sequential rates of %.100s (%s)", o->drive,
		p.measured ? "probed" : "its profile");
	if (f->bytes > (double)drive_capacity_bytes(&p))
		return err_set(e, ERR_USAGE, -ENOSPC,
			"--drive %s holds %.2f TB, one checkpoint is %.2f TB: "
			"take at least \"%.0fx %s\"", o->drive,
			(double)drive_capacity_bytes(&p) / 1e12,
			f->bytes / 1e12,
			f->bytes / (p.capacity_gb * 1e9) + 1, p.name);
	return 0;
}

/* One source of times: a result, a drive, or rates and times. */
static int times(const struct plan_options *o, struct plan_inputs *in,
	struct found *f, struct err *e)
{
	bool given = o->save_rate || o->save_time || o->load_rate ||
		     o->load_time;
	int r;

	if ((o->result != NULL) + (o->drive != NULL) + given > 1)
		return err_set(e, ERR_USAGE, -EINVAL,
			"--result, --drive and rates or times exclude each "
			"other: give one source of save and load times");
	if ((o->save_rate && o->save_time) || (o->load_rate && o->load_time))
		return err_set(e, ERR_USAGE, -EINVAL,
			"a rate and a time of the same thing: give one");
	r = result(o, in, f, e);
	if (!r)
		r = size(o, in, f, e);
	if (!r)
		r = drive(o, in, f, e);
	if (!r)
		r = rate(o->save_rate, "--save-rate", &f->save_bytes_per_s, e);
	if (!r)
		r = rate(o->load_rate, "--load-rate", &f->load_bytes_per_s, e);
	if (!r)
		r = positive(o->save_time, "--save-time", &f->save_s, e);
	if (!r)
		r = positive(o->load_time, "--load-time", &f->load_s, e);
	if (r)
		return r;
	if (!in->source[0])
		snprintf(in->source, sizeof(in->source), "as given");
	if (f->save_bytes_per_s > 0)
		f->save_s = f->bytes / f->save_bytes_per_s;
	if (f->load_bytes_per_s > 0)
		f->load_s = f->bytes / f->load_bytes_per_s;
	if (f->save_s <= 0)
		return err_set(e, ERR_USAGE, -EINVAL,
			"how fast are saves? --save-rate RATE, --save-time "
			"TIME, --drive PROFILE or --result DIR");
	return 0;
}

static int failures(
	const struct plan_options *o, struct ckpt_job *j, struct err *e)
{
	double each = 50000.0 * 3600; /* MLCommons' figure */
	int r;

	if (o->mtbf && (o->accelerators || o->accelerator_mtbf))
		return err_set(e, ERR_USAGE, -EINVAL,
			"--mtbf is that of the job: leave out --accelerators "
			"and --accelerator-mtbf");
	if (!o->mtbf && !o->accelerators)
		return err_set(e, ERR_USAGE, -EINVAL,
			"how often does the job fail? --mtbf TIME, or "
			"--accelerators N (each fails every 50000 h, or "
			"--accelerator-mtbf TIME)");
	r = positive(o->mtbf, "--mtbf", &j->mtbf_s, e);
	if (!r)
		r = positive(
			o->accelerator_mtbf, "--accelerator-mtbf", &each, e);
	if (!r && !o->mtbf)
		j->mtbf_s = each / (double)o->accelerators;
	return r;
}

static int targets(
	const struct plan_options *o, struct plan_inputs *in, struct err *e)
{
	const char *s = o->target ? o->target : "10,5,2";
	char *end;
	double pct;

	for (; *s; s = end + (*end == ',')) {
		pct = strtod(s, &end);
		if (end != s && *end == '%')
			end++;
		if (end == s || (*end && *end != ',') || !(pct > 0) ||
			!(pct < 100))
			return err_set(e, ERR_USAGE, -EINVAL,
				"--target-loss %s: per cents of the time "
				"between 0 and 100, as in 10,5,2", o->target);
		if (in->target_count == PLAN_TARGETS_MAX)
			return err_set(e, ERR_USAGE, -ERANGE,
				"--target-loss: more than %d", PLAN_TARGETS_MAX);
		in->targets[in->target_count++] = pct / 100;
	}
	return 0;
}

int plan_inputs(
	const struct plan_options *o, struct plan_inputs *in, struct err *e)
{
	struct found f = {.bytes = 0};
	struct ckpt_job *j = &in->job;
	double other_s = 0;
	int r;

	memset(in, 0, sizeof(*in));
	r = times(o, in, &f, e);
	if (!r)
		r = failures(o, j, e);
	if (!r)
		r = seconds(o->restart, "--restart-time", &other_s, e);
	if (!r)
		r = seconds(o->detect, "--detection-time", &j->detect_s, e);
	if (!r)
		r = positive(o->copy, "--copy-time", &j->copy_s, e);
	if (!r)
		r = targets(o, in, e);
	if (r)
		return r;
	if (o->asynchronous != (o->copy != NULL))
		return err_set(e, ERR_USAGE, -EINVAL,
			"--asynchronous and --copy-time TIME (device to host "
			"memory, what still stalls the job) go together");
	j->bytes = f.bytes;
	j->save_s = f.save_s;
	j->asynchronous = o->asynchronous;
	in->load_s = f.load_s;
	j->restart_s = other_s + f.load_s;
	if (j->asynchronous && j->copy_s > j->save_s)
		return err_set(e, ERR_USAGE, -EINVAL,
			"--copy-time of %g s is longer than the save itself "
			"(%g s): asynchronous saves would gain nothing",
			j->copy_s, j->save_s);
	return ckpt_job_check(j, e);
}
