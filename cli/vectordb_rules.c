/* The rules before a run of vectors; see vectordb.h. */
#include "cli/vectordb.h"
#include "cli/rules_ask.h"

#include "core/config.h"
#include "core/json.h"
#include "results/rules_data.h"
#include "results/vdb_json.h"
#include "storage/host.h"

#include <cJSON.h>
#include <stdlib.h>
#include <string.h>

int vectordb_check_rules(const struct vectordb_options *o,
	struct vectordb_setup *s, struct err *e)
{
	struct train_config *c = calloc(1, sizeof(*c));
	struct rule_vdb_words words;
	struct rule_vdb_facts facts = {.database = VDB_ENGINE,
		.index = o->index_type,
		.index_type = o->index_type,
		/* a replay reads and finds nothing, a model has no bytes */
		.answers = s->config.shape.built ? FACT_YES : FACT_NO,
		.runs = (double)o->runs};
	struct rule_facts f = {
		.family = FAMILY_VDB, .vdb = &facts, .config = c};
	bool same;
	int r = c ? rules_vdb_words(o->config_dir, o->index_type, &words, e)
		  : err_nomem(e, "the rules");

	if (r) {
		free(c);
		return r;
	}
	facts.closed_database = words.database;
	facts.closed_indexes = words.indexes;
	facts.index_listed = words.listed;
	facts.runs_needed = words.runs;
	if (o->drive)
		snprintf(c->drive, sizeof(c->drive), "%s", o->drive);
	if (o->data_dir)
		snprintf(c->data_dir, sizeof(c->data_dir), "%s", o->data_dir);
	if (o->results_dir)
		snprintf(c->results_dir, sizeof(c->results_dir), "%s",
			o->results_dir);
	if (o->data_dir && o->results_dir &&
		!host_same_filesystem(o->data_dir, o->results_dir, &same)) {
		f.same_filesystem = same ? FACT_YES : FACT_NO;
		s->same_filesystem = same;
	}
	r = rules_ask(&f, o->config_dir, &s->division, &s->not_closed, e);
	free(c);
	return r;
}
