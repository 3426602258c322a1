/*
 * The three files that Hydra leaves in dlio_config/: the workload with all
 * overrides, the overrides themselves, and settings of Hydra's own, here those
 * that tell the same of us. No other file may be there.
 */
#include "results/invocation.h"

#include "core/file.h"
#include "core/json.h"
#include "results/yaml.h"

#include <cjson/cJSON.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DIR_NAME "dlio_config"
#define COMMENT "written by stoker, an emulator; neither Hydra nor DLIO ran"

/* Takes the tree, which may be NULL (out of memory). */
static int write_tree(
	struct cJSON *tree, const char *dir, const char *name, struct err *e)
{
	char path[PATH_MAX];
	int ret = tree ? results_path(path, dir, name, e) : err_nomem(e, name);

	if (!ret)
		ret = results_write_yaml(path, COMMENT, tree, e);
	cJSON_Delete(tree);
	return ret;
}

/* ["workload=unet3d_b200", "++workload.reader.odirect=True", ...] */
static int task_overrides(
	const struct invocation *v, struct cJSON **out, struct err *e)
{
	struct cJSON *list = cJSON_CreateArray(), *flat = NULL, *item;
	char line[4608];
	bool ok;
	int ret;

	ret = results_overrides(v, &flat, e);
	if (ret) {
		cJSON_Delete(list);
		return ret;
	}
	snprintf(line, sizeof(line), "workload=%s%s%s", v->config->model,
		v->config->accelerator[0] ? "_" : "", v->config->accelerator);
	ok = list && json_add_string(list, NULL, line);
	for (item = flat->child; ok && item; item = item->next) {
		snprintf(line, sizeof(line), "++workload.%s=%s", item->string,
			item->valuestring);
		ok = json_add_string(list, NULL, line);
	}
	cJSON_Delete(flat);
	if (!ok) {
		cJSON_Delete(list);
		return err_nomem(e, "overrides.yaml");
	}
	*out = list;
	return 0;
}

static bool add_hydra_runtime(struct cJSON *hydra, const struct invocation *v)
{
	struct cJSON *o = json_add_object(hydra, "runtime"), *choices;
	char cwd[PATH_MAX], line[256];

	if (!getcwd(cwd, sizeof(cwd)))
		cwd[0] = '\0';
	snprintf(line, sizeof(line), "%s%s%s", v->config->model,
		v->config->accelerator[0] ? "_" : "", v->config->accelerator);
	choices = o && json_add_string(o, "version", v->tool_version) &&
				  json_add_string(o, "cwd", cwd) &&
				  json_add_array(o, "config_sources") &&
				  json_add_string(o, "output_dir", v->leaf)
			  ? json_add_object(o, "choices")
			  : NULL;
	return choices && json_add_string(choices, "workload", line);
}

static struct cJSON *hydra(const struct invocation *v, struct cJSON *task)
{
	struct cJSON *root = cJSON_CreateObject(), *o, *sub;
	bool ok;

	o = root ? json_add_object(root, "hydra") : NULL;
	sub = o ? json_add_object(o, "run") : NULL;
	ok = sub && json_add_string(sub, "dir", v->leaf) &&
	     json_add_string(o, "mode", "RUN") &&
	     json_add_string(o, "output_subdir", DIR_NAME);
	sub = ok ? json_add_object(o, "overrides") : NULL;
	ok = sub && json_add_array(sub, "hydra") &&
	     json_add(sub, "task", cJSON_Duplicate(task, 1));
	sub = ok ? json_add_object(o, "job") : NULL;
	ok = sub && json_add_string(sub, "name", "stoker") &&
	     json_add_string(sub, "config_name", "config") &&
	     add_hydra_runtime(o, v) &&
	     json_add_string(o, "hydra_logging", "disabled") &&
	     json_add_string(o, "job_logging", "disabled");
	if (ok)
		return root;
	cJSON_Delete(root);
	return NULL;
}

int results_write_dlio_config(
	const struct invocation *v, const char *dir, struct err *e)
{
	struct cJSON *workload = NULL, *task = NULL, *root;
	char sub[PATH_MAX];
	int ret;

	ret = results_path(sub, dir, DIR_NAME, e);
	if (!ret)
		ret = file_mkdirs(sub, e);
	if (!ret)
		ret = results_parameters(v, false, &workload, e);
	if (ret)
		return ret;
	root = cJSON_CreateObject();
	if (!root || !json_add(root, "workload", workload)) {
		cJSON_Delete(root);
		return err_nomem(e, "config.yaml");
	}
	ret = write_tree(root, sub, "config.yaml", e);
	if (!ret)
		ret = task_overrides(v, &task, e);
	if (ret)
		return ret;
	ret = write_tree(hydra(v, task), sub, "hydra.yaml", e);
	if (ret)
		cJSON_Delete(task);
	else
		ret = write_tree(task, sub, "overrides.yaml", e);
	return ret;
}
