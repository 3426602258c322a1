/* Around a run of another workload than training; see run_leaf.h. */
#include "cli/run_leaf.h"

#include "cli/cli.h"
#include "cli/outputs.h"
#include "core/json.h"
#include "core/units.h"
#include "storage/host.h"

#include <cJSON.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>

void run_sign(struct record *rec, const char *drive, const char *results_dir,
	const char *organization, const char *system_name)
{
	struct train_config *c = &rec->config;

	snprintf(rec->tool_version, sizeof(rec->tool_version), "%s",
		STOKER_VERSION);
	outputs_command_line(rec->command_line, sizeof(rec->command_line));
	if (drive)
		snprintf(c->drive, sizeof(c->drive), "%s", drive);
	if (results_dir)
		snprintf(c->results_dir, sizeof(c->results_dir), "%s",
			results_dir);
	snprintf(c->organization, sizeof(c->organization), "%s", organization);
	if (system_name)
		snprintf(c->system_name, sizeof(c->system_name), "%s",
			system_name);
	else
		host_name(c->system_name, sizeof(c->system_name));
}

void run_rows_open(struct run_rows *x)
{
	x->file = open_memstream(&x->text, &x->bytes);
}

void run_rows_add(struct run_rows *x, const char *row)
{
	if (x->file)
		fprintf(x->file, "%s\n", row);
}

int run_rows_end(
	struct run_rows *x, const struct record *rec, struct err *e)
{
	uint32_t i;

	for (i = 0; x->file && i < rec->note_count; i++)
		fprintf(x->file, "note: %s\n", rec->notes[i].text);
	if (!x->file || fflush(x->file))
		return err_nomem(e, "the log");
	return 0;
}

void run_rows_close(struct run_rows *x)
{
	if (x->file)
		fclose(x->file);
	free(x->text);
}

struct run_leaf *run_leaf_new(
	const struct record *rec, int64_t start_ns, int64_t end_ns)
{
	struct run_leaf *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->report = open_memstream(&l->text, &l->text_bytes);
	if (!l->report) {
		free(l);
		return NULL;
	}
	l->v.command = "run";
	l->v.tool_version = STOKER_VERSION;
	l->v.command_line = rec->command_line;
	l->v.config = l->v.base = &rec->config;
	l->v.time = rec->time;
	l->v.start_ns = start_ns;
	l->v.end_ns = end_ns;
	l->v.host_count = rec->host_count;
	l->v.hosts = rec->hosts;
	return l;
}

int run_folder(const struct train_config *c, const char *division,
	const char *below, char *buf, size_t size)
{
	int n = snprintf(buf, size, "%s/%s/%s/results/%s/%s", c->results_dir,
		division, c->organization, c->system_name, below);

	return n > 0 && (size_t)n < size ? 0 : -ENAMETOOLONG;
}

int run_leaf_place(struct run_leaf *l, const char *division, const char *below,
	struct err *e)
{
	const struct train_config *c = l->v.config;
	time_t t = (time_t)((l->v.time.wall_anchor_ns + l->v.start_ns) /
			    NS_PER_S);
	char folder[4096];
	struct tm tm;

	fclose(l->report);
	l->report = NULL;
	l->v.out_text = l->text;
	l->v.args = l->args;
	l->v.parameters = l->parameters;
	l->v.overrides = l->overrides;
	if (!l->text || !l->args || !l->parameters || !l->overrides)
		return err_nomem(e, "the result files");
	localtime_r(&t, &tm);
	strftime(l->v.stamp, sizeof(l->v.stamp), "%Y%m%d_%H%M%S", &tm);
	if (run_folder(c, division, below, folder, sizeof(folder)))
		return err_set(e, ERR_USAGE, -ENAMETOOLONG,
			"--results-dir %.100s...: path too long",
			c->results_dir);
	return outputs_free_leaf(folder, l->v.stamp, l->v.leaf, e);
}

void run_leaf_free(struct run_leaf *l)
{
	if (!l)
		return;
	if (l->report)
		fclose(l->report);
	cJSON_Delete(l->args);
	cJSON_Delete(l->parameters);
	cJSON_Delete(l->overrides);
	free(l->text);
	free(l);
}

bool run_args_hosts(struct cJSON *args, const struct record *rec)
{
	struct cJSON *hosts;
	uint32_t i;

	cJSON_DeleteItemFromObjectCaseSensitive(args, "hosts");
	hosts = json_add_array(args, "hosts");
	for (i = 0; hosts && i < rec->host_count; i++)
		if (!json_add_string(hosts, NULL, rec->hosts[i].name))
			return false;
	return hosts != NULL;
}

int run_leaf_probe(struct run_leaf *l, const char *data, struct err *e)
{
	const struct train_config *c = l->v.config;

	if (!c->drive[0])
		return outputs_probe(data, c->results_dir, l->v.leaf,
			&l->v.separation, e);
	outputs_model_probe(c->drive, c->results_dir, &l->v.separation);
	return 0;
}
