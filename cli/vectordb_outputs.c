/* The result folder of a vector-database run. */
#include "cli/cli.h"
#include "cli/outputs.h"
#include "cli/run_leaf.h"
#include "cli/vectordb.h"

#include "core/json.h"
#include "core/units.h"

#include <cJSON.h>

/* What the wrapper tells of the collection. */
static struct cJSON *parameters(
	const struct vectordb_options *o, const struct vdb_record *rec)
{
	const struct vdb_shape *s = &rec->config.shape;
	struct cJSON *p = cJSON_CreateObject();

	if (p && json_add_string(p, "engine", "emulated") &&
		json_add_string(p, "index_type", o->index_type) &&
		json_add_u64(p, "num_vectors", s->vectors) &&
		json_add_u64(p, "dimension", s->dim) &&
		json_add_u64(p, "max_degree", s->degree))
		return p;
	cJSON_Delete(p);
	return NULL;
}

int vectordb_write_leaf(const struct vectordb_options *o,
	const struct vdb_record *rec, char leaf[4096], struct err *e)
{
	struct run_leaf *l =
		run_leaf_new(&rec->base, rec->start_ns, rec->end_ns);
	struct vectordb_curve one = {.recs = rec, .count = 1};
	char below[REC_NAME_MAX];
	int r;

	if (!l)
		return err_nomem(e, "the result files");
	vectordb_print_text(l->report, &one);
	l->v.family = "vector_database";
	l->v.verification = "INVALID"; /* nothing here is a database */
	l->v.config_dir = o->config_dir;
	l->v.processes = rec->config.clients;
	l->v.err_text = "";
	l->args = options_json(vectordb_run_rows, o);
	l->parameters = parameters(o, rec);
	l->overrides = cJSON_CreateObject();
	snprintf(below, sizeof(below), "vector_database/%s/run", o->index_type);
	r = run_leaf_place(l, "whatif", below, e);
	if (!r)
		r = outputs_probe(rec->config.folder,
			rec->base.config.results_dir, l->v.leaf,
			&l->v.separation, e);
	if (!r) {
		snprintf(leaf, 4096, "%s", l->v.leaf);
		r = results_write_vdb_leaf(&l->v, rec, e);
	}
	run_leaf_free(l);
	return r;
}
