/* The result folder of a checkpointing run. */
#include "cli/checkpointing.h"
#include "cli/cli.h"
#include "cli/outputs.h"
#include "cli/run_leaf.h"

#include "core/config.h"
#include "core/json.h"
#include "core/units.h"

#include <cJSON.h>
#include <inttypes.h>

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
	struct cJSON *a = options_json(checkpointing_run_rows, o);
	const struct ckpt_config *c = &rec->config;
	char name[4096];
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
	cJSON_DeleteItemFromObjectCaseSensitive(a, "num_processes");
	cJSON_DeleteItemFromObjectCaseSensitive(a, "num_checkpoints_write");
	cJSON_DeleteItemFromObjectCaseSensitive(a, "num_checkpoints_read");
	ok = run_args_hosts(a, &rec->base) &&
	     json_add_u64(a, "num_processes", c->shape.ranks) &&
	     json_add_u64(a, "num_checkpoints_write", c->writes) &&
	     json_add_u64(a, "num_checkpoints_read", c->reads) &&
	     json_add_bool(a, "checkpoint_subset", c->shape.subset);
	if (ok)
		return a;
	cJSON_Delete(a);
	return NULL;
}

static const char *verification(const struct checkpointing_setup *s,
	const struct ckpt_record *rec)
{
	if (rec->load.count && !rec->load.valid)
		return "INVALID";
	if (s->division == DIV_OPEN)
		return "OPEN";
	return s->division == DIV_CLOSED && !s->not_closed.count ? "CLOSED"
								 : "INVALID";
}

int checkpointing_write_leaf(const struct checkpointing_options *o,
	const struct checkpointing_setup *s, const struct ckpt_record *rec,
	const char *rows, char leaf[4096], struct err *e)
{
	struct run_leaf *l =
		run_leaf_new(&rec->base, rec->start_ns, rec->end_ns);
	char below[CKPT_MODEL_NAME_MAX + 32];
	int r;

	if (!l)
		return err_nomem(e, "the result files");
	checkpointing_print_text(l->report, rec);
	l->v.family = "checkpointing";
	l->v.verification = verification(s, rec);
	l->v.config_dir = o->config_dir;
	l->v.processes = rec->config.shape.ranks;
	l->v.err_text = rows;
	l->args = args(o, rec);
	l->overrides = overrides(rec);
	snprintf(below, sizeof(below), "checkpointing/%s",
		s->config.shape.model.name);
	r = parameters(o, rec, &l->parameters, e);
	if (!r)
		r = run_leaf_place(
			l, rec_division_name(s->division), below, e);
	if (!r)
		r = run_leaf_probe(l, rec->config.folder, e);
	if (!r) {
		snprintf(leaf, 4096, "%s", l->v.leaf);
		r = results_write_ckpt_leaf(&l->v, rec, e);
	}
	run_leaf_free(l);
	return r;
}
