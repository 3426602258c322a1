/* The result folder of a vector-database run. */
#include "cli/cli.h"
#include "cli/outputs.h"
#include "cli/run_leaf.h"
#include "cli/vectordb.h"

#include "core/json.h"
#include "core/units.h"
#include "results/vdb_json.h"

#include <cJSON.h>
#include <string.h>

struct cJSON *vectordb_parameters(
	const struct vectordb_options *o, const struct vdb_shape *s)
{
	struct cJSON *p = cJSON_CreateObject();

	if (p && json_add_string(p, "engine", VDB_ENGINE) &&
		json_add_string(p, "index_type", o->index_type) &&
		json_add_u64(p, "num_vectors", s->vectors) &&
		json_add_u64(p, "dimension", s->dim) &&
		json_add_u64(p, "max_degree", s->degree) &&
		json_add_u64(p, "segments", s->segments) &&
		json_add_string(p, "level", vdb_level_name(s)))
		return p;
	cJSON_Delete(p);
	return NULL;
}

/* The names that readers of the metadata look for, as they came out. */
struct cJSON *vectordb_args(const struct vectordb_options *o,
	const struct option_row *rows, const struct record *hosts)
{
	struct cJSON *a = options_json(rows, o);
	char name[4096];
	bool ok = a != NULL;

	if (ok && o->drive) {
		outputs_model_name(o->drive, name);
		cJSON_DeleteItemFromObjectCaseSensitive(a, "data_dir");
		ok = json_add_string(a, "data_dir", name);
	}
	if (ok && run_args_hosts(a, hosts) &&
		json_add_string(a, "vdb_engine", VDB_ENGINE) &&
		json_add_string(a, "vdb_index", o->index_type))
		return a;
	cJSON_Delete(a);
	return NULL;
}

const char *vectordb_below(const struct vectordb_options *o,
	const char *command, char below[VECTORDB_BELOW_MAX])
{
	/* the benchmark has its database here; this one is none */
	snprintf(below, VECTORDB_BELOW_MAX,
		"vector_database/" VDB_ENGINE "/%.64s/%s", o->index_type,
		command);
	return below;
}

int vectordb_write_leaf(const struct vectordb_options *o,
	const struct vdb_record *rec, char leaf[4096], struct err *e)
{
	struct run_leaf *l =
		run_leaf_new(&rec->base, rec->start_ns, rec->end_ns);
	struct vectordb_curve one = {.recs = rec, .count = 1};
	char below[VECTORDB_BELOW_MAX];
	int r;

	if (!l)
		return err_nomem(e, "the result files");
	vectordb_print_text(l->report, &one);
	l->v.family = "vector_database";
	/* nothing here is the database that CLOSED asks for */
	l->v.verification = !strcmp(o->division, "open") ? "OPEN" : "INVALID";
	l->v.config_dir = o->config_dir;
	l->v.processes = rec->config.clients;
	l->v.err_text = "";
	l->args = vectordb_args(o, vectordb_run_rows, &rec->base);
	l->parameters = vectordb_parameters(o, &rec->config.shape);
	l->overrides = cJSON_CreateObject();
	r = run_leaf_place(
		l, o->division, vectordb_below(o, "run", below), e);
	if (!r)
		r = run_leaf_probe(l, rec->config.folder, e);
	if (!r) {
		snprintf(leaf, 4096, "%s", l->v.leaf);
		r = results_write_vdb_leaf(&l->v, rec, e);
	}
	run_leaf_free(l);
	return r;
}
