/* The result folder of a checkpointing run. */
#include "cli/checkpointing.h"
#include "cli/cli.h"
#include "cli/outputs.h"

#include "core/config.h"
#include "core/json.h"
#include "core/units.h"

#include <cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool add_text(struct cJSON *o, const char *key, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	return json_add_string(o, key, text);
}

/* Where checkpoints went; a modelled drive has a name and no folder. */
static const char *folder(const struct ckpt_record *rec, char buf[4096])
{
	if (!rec->base.config.drive[0])
		return rec->config.folder;
	outputs_model_name(rec->base.config.drive, buf);
	return buf;
}

/* What the wrapper would have told DLIO on its command line. */
static struct cJSON *overrides(const struct ckpt_record *rec)
{
	const struct ckpt_config *c = &rec->config;
	char name[4096];
	struct cJSON *o = cJSON_CreateObject();
	bool ok;

	ok = o && json_add_string(o, "checkpoint.checkpoint_folder",
			  folder(rec, name)) &&
	     add_text(o, "checkpoint.num_checkpoints_write", c->writes) &&
	     add_text(o, "checkpoint.num_checkpoints_read", c->reads);
	if (ok && c->shape.subset)
		ok = json_add_string(o, "checkpoint.mode", "subset") &&
		     add_text(o, "model.parallelism.data", c->shape.data);
	if (ok)
		return o;
	cJSON_Delete(o);
	return NULL;
}

/* Set group.key in the parameters; true unless out of memory. */
static bool set(struct cJSON *parameters, const char *group, const char *key,
	struct cJSON *item)
{
	struct cJSON *o = cJSON_GetObjectItemCaseSensitive(parameters, group);

	if (!o || !item) {
		cJSON_Delete(item);
		return false;
	}
	if (!cJSON_GetObjectItemCaseSensitive(o, key))
		return json_add(o, key, item);
	return cJSON_ReplaceItemInObjectCaseSensitive(o, key, item);
}

/* The model's parameters as they came out; values said are texts. */
static int parameters(const struct checkpointing_options *o,
	const struct ckpt_record *rec, struct cJSON **out, struct err *e)
{
	const struct ckpt_config *c = &rec->config;
	char file[128], text[32], name[4096];
	struct cJSON *model, *p;
	bool ok;
	int r;

	snprintf(file, sizeof(file), "models/%s.json", c->shape.model.name);
	r = config_load(o->config_dir, file, &model, e);
	if (r)
		return r;
	p = cJSON_DetachItemFromObjectCaseSensitive(model, "parameters");
	cJSON_Delete(model);
	ok = p && set(p, "checkpoint", "checkpoint_folder",
			  cJSON_CreateString(folder(rec, name)));
	snprintf(text, sizeof(text), "%u", c->writes);
	ok = ok && set(p, "checkpoint", "num_checkpoints_write",
			   cJSON_CreateString(text));
	snprintf(text, sizeof(text), "%u", c->reads);
	ok = ok && set(p, "checkpoint", "num_checkpoints_read",
			   cJSON_CreateString(text));
	if (ok && c->shape.subset)
		ok = set(p, "checkpoint", "mode", cJSON_CreateString("subset"));
	if (!ok) {
		cJSON_Delete(p);
		return err_nomem(e, "the workload's parameters");
	}
	*out = p;
	return 0;
}

/* The names that readers of the metadata look for, as they came out. */
static struct cJSON *args(const struct checkpointing_options *o,
	const struct ckpt_record *rec)
{
	struct cJSON *a = options_json(checkpointing_run_rows, o), *hosts;
	const struct ckpt_config *c = &rec->config;
	char name[4096];
	uint32_t i;
	bool ok;

	if (!a)
		return NULL;
	if (o->drive) {
		cJSON_DeleteItemFromObjectCaseSensitive(a, "checkpoint_folder");
		if (!json_add_string(a, "checkpoint_folder",
			    folder(rec, name))) {
			cJSON_Delete(a);
			return NULL;
		}
	}
	cJSON_DeleteItemFromObjectCaseSensitive(a, "hosts");
	cJSON_DeleteItemFromObjectCaseSensitive(a, "num_processes");
	cJSON_DeleteItemFromObjectCaseSensitive(a, "num_checkpoints_write");
	cJSON_DeleteItemFromObjectCaseSensitive(a, "num_checkpoints_read");
	hosts = json_add_array(a, "hosts");
	ok = hosts != NULL;
	for (i = 0; ok && i < rec->base.host_count; i++)
		ok = json_add_string(hosts, NULL, rec->base.hosts[i].name);
	ok = ok && json_add_u64(a, "num_processes", c->shape.ranks) &&
	     json_add_u64(a, "num_checkpoints_write", c->writes) &&
	     json_add_u64(a, "num_checkpoints_read", c->reads) &&
	     json_add_bool(a, "checkpoint_subset", c->shape.subset);
	if (ok)
		return a;
	cJSON_Delete(a);
	return NULL;
}

static int leaf_name(const struct checkpointing_setup *s,
	const struct ckpt_record *rec, struct invocation *v, struct err *e)
{
	const struct train_config *b = &rec->base.config;
	time_t t = (time_t)((rec->base.time.wall_anchor_ns + rec->start_ns) /
			    NS_PER_S);
	char folder[4096];
	struct tm tm;
	int n;

	localtime_r(&t, &tm);
	strftime(v->stamp, sizeof(v->stamp), "%Y%m%d_%H%M%S", &tm);
	n = snprintf(folder, sizeof(folder),
		"%s/%s/%s/results/%s/checkpointing/%s", b->results_dir,
		rec_division_name(s->division), b->organization,
		b->system_name, s->config.shape.model.name);
	if (n < 0 || (size_t)n >= sizeof(folder))
		return err_set(e, ERR_USAGE, -ENAMETOOLONG,
			"--results-dir %.100s...: path too long",
			b->results_dir);
	return outputs_free_leaf(folder, v->stamp, v->leaf, e);
}

static const char *verification(const struct checkpointing_setup *s,
	const struct ckpt_record *rec)
{
	if (rec->load.count && !rec->load.valid)
		return "INVALID";
	if (s->division == DIV_OPEN)
		return "OPEN";
	return s->division == DIV_CLOSED ? "CLOSED" : "INVALID";
}

int checkpointing_write_leaf(const struct checkpointing_options *o,
	const struct checkpointing_setup *s, const struct ckpt_record *rec,
	const char *rows, char leaf[4096], struct err *e)
{
	struct invocation *v = calloc(1, sizeof(*v));
	struct cJSON *p = NULL, *ov = overrides(rec);
	struct cJSON *a = args(o, rec);
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int r = 0;

	if (!v || !ov || !a || !f)
		r = err_nomem(e, "the result files");
	if (f) {
		checkpointing_print_text(f, rec);
		fclose(f);
	}
	if (!r)
		r = parameters(o, rec, &p, e);
	if (!r)
		r = leaf_name(s, rec, v, e);
	if (!r && rec->base.config.drive[0])
		outputs_model_probe(rec->base.config.drive,
			rec->base.config.results_dir, &v->separation);
	else if (!r)
		r = outputs_probe(rec->config.folder,
			rec->base.config.results_dir, v->leaf, &v->separation,
			e);
	if (!r) {
		v->family = "checkpointing";
		v->command = "run";
		v->tool_version = STOKER_VERSION;
		v->command_line = rec->base.command_line;
		v->verification = verification(s, rec);
		v->config_dir = o->config_dir;
		v->config = v->base = &rec->base.config;
		v->args = a;
		v->processes = rec->config.shape.ranks;
		v->time = rec->base.time;
		v->start_ns = rec->start_ns;
		v->end_ns = rec->end_ns;
		v->host_count = rec->base.host_count;
		v->hosts = rec->base.hosts;
		v->parameters = p;
		v->overrides = ov;
		v->out_text = text;
		v->err_text = rows;
		snprintf(leaf, 4096, "%s", v->leaf);
		r = results_write_ckpt_leaf(v, rec, e);
	}
	cJSON_Delete(p);
	cJSON_Delete(ov);
	cJSON_Delete(a);
	free(text);
	free(v);
	return r;
}
