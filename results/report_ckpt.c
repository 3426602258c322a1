/* Checkpointing runs in a report; see report.h. */
#include "results/report.h"

#include "core/file.h"
#include "core/json.h"

#include <cjson/cJSON.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define JSON_BYTES_MAX (64UL << 20)
#define SAID_BYTES_MAX (256UL << 10)
#define RANKS_READ_MAX 4096 /* files of ranks; the rest is told */
#define DEPTH_MAX 12

static const struct cJSON *member(const struct cJSON *o, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(o, key);
}

/* NULL with a text in e when it is not there, too large or no JSON. */
static struct cJSON *load(const char *dir, const char *name, struct err *e)
{
	char path[PATH_MAX], *text;
	struct cJSON *o = NULL;
	size_t len;
	int n = snprintf(path, sizeof(path), "%s/%s", dir, name);

	if (n < 0 || (size_t)n >= sizeof(path)) {
		err_set(e, ERR_USAGE, -ENAMETOOLONG, "path is too long");
		return NULL;
	}
	if (file_read_all(path, JSON_BYTES_MAX, &text, &len, e))
		return NULL;
	if (json_parse(text, len, path, &o, e))
		o = NULL;
	free(text);
	return o;
}

static double number(const struct cJSON *o, const char *key)
{
	const struct cJSON *c = member(o, key);

	return cJSON_IsNumber(c) && c->valuedouble > 0 &&
			       c->valuedouble < 1e15
		       ? c->valuedouble
		       : 0;
}

static void text(const struct cJSON *o, const char *key, char *to, size_t size)
{
	const struct cJSON *c = member(o, key);

	if (cJSON_IsString(c))
		snprintf(to, size, "%s", c->valuestring);
}

bool report_is_ckpt(const char *leaf)
{
	struct cJSON *o = load(leaf, "summary.json", NULL);
	bool is = number(member(o, "metric"), "checkpoint_size_GB") > 0;

	cJSON_Delete(o);
	return is;
}

/* The metadata's name holds the time of the run. */
static void read_metadata(struct report_ckpt *c)
{
	DIR *dir = opendir(c->leaf);
	struct dirent *d;
	struct cJSON *o = NULL;
	struct err e;
	size_t n;

	while (dir && !o && (d = readdir(dir))) {
		n = strlen(d->d_name);
		if (n > 14 && !strcmp(d->d_name + n - 14, "_metadata.json"))
			o = load(c->leaf, d->d_name, &e);
	}
	if (dir)
		closedir(dir);
	text(o, "model", c->model, sizeof(c->model));
	text(o, "run_datetime", c->stamp, sizeof(c->stamp));
	text(o, "verification", c->verification, sizeof(c->verification));
	text(o, "drive", c->drive, sizeof(c->drive));
	c->is_virtual = cJSON_IsTrue(member(o, "virtual_time"));
	cJSON_Delete(o);
}

static struct report_op *find_op(
	struct report_ckpt *c, const char *key, double s)
{
	struct report_op *op;
	uint32_t step;
	bool load_it;
	size_t i;

	if (sscanf(key, "save_ckpt%" SCNu32, &step) == 1)
		load_it = false;
	else if (sscanf(key, "load_ckpt%" SCNu32, &step) == 1)
		load_it = true;
	else
		return NULL;
	for (i = 0; i < c->op_count; i++)
		if (c->ops[i].step == step && c->ops[i].load == load_it)
			return &c->ops[i];
	if (c->op_count >= REPORT_OPS_MAX)
		return NULL;
	op = report_more((void **)&c->ops, &c->op_count, sizeof(*op));
	if (op)
		*op = (struct report_op){
			.step = step, .load = load_it, .first_s = s};
	return op;
}

static void read_rank(struct report_ckpt *c, const struct cJSON *o)
{
	const struct cJSON *epoch, *item;
	struct report_op *op;
	double s;

	cJSON_ArrayForEach(epoch, o)
	{
		cJSON_ArrayForEach(item, epoch)
		{
			s = number(item, "duration");
			op = s > 0 && item->string
				     ? find_op(c, item->string, s)
				     : NULL;
			if (op && s > op->slowest_s)
				op->slowest_s = s;
		}
	}
}

static void read_ranks(struct report_ckpt *c)
{
	char name[64];
	struct cJSON *o;
	struct err e;
	uint64_t r;

	for (r = 0; r < c->ranks && r < RANKS_READ_MAX; r++) {
		snprintf(name, sizeof(name), "%" PRIu64 "_per_epoch_stats.json",
			r);
		o = load(c->leaf, name, &e);
		if (!o)
			return;
		read_rank(c, o);
		cJSON_Delete(o);
		c->ranks_read++;
	}
}

static void read_said(struct report_ckpt *c)
{
	char path[PATH_MAX];
	struct err e;
	int n = snprintf(path, sizeof(path),
		"%s/checkpointing_run.stdout.log", c->leaf);

	if (n < 0 || (size_t)n >= sizeof(path) ||
		file_read_all(path, SAID_BYTES_MAX, &c->said, NULL, &e))
		c->said = NULL;
}

int report_add_ckpt(struct report_input *in, const char *leaf, struct err *e)
{
	struct cJSON *o = load(leaf, "summary.json", e);
	const struct cJSON *m = member(o, "metric");
	struct report_ckpt *c;

	if (number(m, "checkpoint_size_GB") <= 0) {
		if (o)
			err_set(e, ERR_IO, -EBADMSG,
				"%s/summary.json: not of a checkpointing run "
				"(metric.checkpoint_size_GB)",
				leaf);
		cJSON_Delete(o);
		return report_broken(in, leaf, e->text) ? err_nomem(e, leaf)
							: 0;
	}
	c = report_more((void **)&in->ckpts, &in->ckpt_count, sizeof(*c));
	if (!c) {
		cJSON_Delete(o);
		return err_nomem(e, leaf);
	}
	snprintf(c->leaf, sizeof(c->leaf), "%s", leaf);
	c->ranks = (uint64_t)number(o, "num_accelerators");
	c->hosts = (uint64_t)number(o, "num_hosts");
	c->size_gib = number(m, "checkpoint_size_GB");
	c->save_gib_s = number(m, "save_checkpoint_io_mean_GB_per_second");
	c->save_stdev = number(m, "save_checkpoint_io_stdev_GB_per_second");
	c->save_s = number(m, "save_checkpoint_duration_mean_seconds");
	c->load_gib_s = number(m, "load_checkpoint_io_mean_GB_per_second");
	c->load_stdev = number(m, "load_checkpoint_io_stdev_GB_per_second");
	c->load_s = number(m, "load_checkpoint_duration_mean_seconds");
	cJSON_Delete(o);
	read_metadata(c);
	read_ranks(c);
	read_said(c);
	return 0;
}

/* Below a folder "checkpointing", every folder with a summary.json. */
static int walk(struct report_input *in, const char *dir, bool inside,
	int depth, struct err *e)
{
	struct dirent **list;
	char path[PATH_MAX];
	struct stat st;
	int i, k, r = 0, n = scandir(dir, &list, NULL, alphasort);

	/* the newest first, as names are times */
	for (i = n - 1; i >= 0; i--) {
		const char *name = list[i]->d_name;

		k = snprintf(path, sizeof(path), "%s/%s", dir, name);
		if (r || name[0] == '.' || k < 0 || k >= PATH_MAX ||
			lstat(path, &st) || !S_ISDIR(st.st_mode)) {
			free(list[i]);
			continue;
		}
		if (inside && report_is_ckpt(path)) {
			if (in->ckpt_count < REPORT_CKPTS_MAX)
				r = report_add_ckpt(in, path, e);
			else
				in->ckpts_left_out++;
		} else if (depth < DEPTH_MAX) {
			r = walk(in, path,
				inside || !strcmp(name, "checkpointing"),
				depth + 1, e);
		}
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	return r;
}

int report_add_ckpts_below(
	struct report_input *in, const char *dir, struct err *e)
{
	const char *slash = strrchr(dir, '/');

	return walk(in, dir, !strcmp(slash ? slash + 1 : dir, "checkpointing"),
		0, e);
}
