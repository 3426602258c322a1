/* The result folder of a vector-database run. */
#include "cli/cli.h"
#include "cli/outputs.h"
#include "cli/vectordb.h"

#include "core/json.h"
#include "core/units.h"

#include <cJSON.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

static int leaf_name(const struct vectordb_options *o,
	const struct vdb_record *rec, struct invocation *v, struct err *e)
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
		"%s/whatif/%s/results/%s/vector_database/%s/run",
		b->results_dir, b->organization, b->system_name,
		o->index_type);
	if (n < 0 || (size_t)n >= sizeof(folder))
		return err_set(e, ERR_USAGE, -ENAMETOOLONG,
			"--results-dir %.100s...: path too long",
			b->results_dir);
	return outputs_free_leaf(folder, v->stamp, v->leaf, e);
}

static void describe(const struct vectordb_options *o,
	const struct vdb_record *rec, struct invocation *v)
{
	v->family = "vector_database";
	v->command = "run";
	v->tool_version = STOKER_VERSION;
	v->command_line = rec->base.command_line;
	v->verification = "INVALID"; /* nothing here is a database */
	v->config_dir = o->config_dir;
	v->config = v->base = &rec->base.config;
	v->processes = rec->config.clients;
	v->time = rec->base.time;
	v->start_ns = rec->start_ns;
	v->end_ns = rec->end_ns;
	v->host_count = rec->base.host_count;
	v->hosts = rec->base.hosts;
	v->err_text = "";
}

int vectordb_write_leaf(const struct vectordb_options *o,
	const struct vdb_record *rec, char leaf[4096], struct err *e)
{
	struct invocation *v = calloc(1, sizeof(*v));
	struct cJSON *p = parameters(o, rec), *none = cJSON_CreateObject();
	struct cJSON *a = options_json(vectordb_run_rows, o);
	struct vectordb_curve one = {.recs = rec, .count = 1};
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int r = 0;

	if (!v || !p || !none || !a || !f)
		r = err_nomem(e, "the result files");
	if (f) {
		vectordb_print_text(f, &one);
		fclose(f);
	}
	if (!r)
		r = leaf_name(o, rec, v, e);
	if (!r)
		r = outputs_probe(rec->config.folder,
			rec->base.config.results_dir, v->leaf, &v->separation,
			e);
	if (!r) {
		describe(o, rec, v);
		v->args = a;
		v->parameters = p;
		v->overrides = none;
		v->out_text = text;
		snprintf(leaf, 4096, "%s", v->leaf);
		r = results_write_vdb_leaf(v, rec, e);
	}
	cJSON_Delete(p);
	cJSON_Delete(none);
	cJSON_Delete(a);
	free(text);
	free(v);
	return r;
}
