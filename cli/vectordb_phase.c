/* The result folders of `stoker vectordb datasize` and `datagen`. */
#include "cli/cli.h"
#include "cli/outputs.h"
#include "cli/run_leaf.h"
#include "cli/vectordb.h"

#include "core/json.h"
#include "results/vdb_json.h"

#include <cJSON.h>
#include <stdlib.h>
#include <string.h>

static struct cJSON *parameters(
	const struct vectordb_options *o, const struct vectordb_phase *p)
{
	struct cJSON *x = vectordb_parameters(o, p->shape);

	if (x && json_add_u64(x, "index_bytes", p->index_bytes))
		return x;
	cJSON_Delete(x);
	return NULL;
}

int vectordb_write_phase(const struct vectordb_options *o,
	const struct vectordb_phase *p, char leaf[4096], struct err *e)
{
	bool made = !strcmp(p->command, "datagen");
	char below[VECTORDB_BELOW_MAX], folder[4096] = "";
	struct run_leaf *l;
	int r = 0;

	run_sign(p->hosts, o->drive, o->results_dir, o->organization,
		o->system_name);
	snprintf(p->hosts->config.model, sizeof(p->hosts->config.model),
		VDB_ENGINE "_%.40s", o->index_type);
	p->hosts->time.wall_anchor_ns = p->wall_ns;
	l = run_leaf_new(p->hosts, 0, p->took_ns);
	if (!l)
		return err_nomem(e, "the result files");
	l->v.family = "vector_database";
	l->v.command = p->command;
	l->v.config_dir = o->config_dir;
	l->v.processes = o->clients;
	l->args = vectordb_args(o, p->rows, p->hosts);
	l->parameters = parameters(o, p);
	l->overrides = cJSON_CreateObject();
	if (p->text)
		fputs(p->text, l->report);
	r = run_leaf_place(
		l, o->division, vectordb_below(o, p->command, below), e);
	l->v.out_text = p->text ? l->text : NULL;
	l->v.err_text = p->text ? "" : NULL;
	if (!r && made && !o->drive)
		r = vectordb_folder(o, folder, e);
	if (!r && made)
		r = run_leaf_probe(l, folder, e);
	if (!r)
		r = results_write_vdb_phase(
			&l->v, made ? p->shape : NULL, o->index_type, e);
	if (!r)
		snprintf(leaf, 4096, "%s", l->v.leaf);
	run_leaf_free(l);
	return r;
}
