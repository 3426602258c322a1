/*
 * What we write as YAML: any JSON, written and read back by libyaml, must tell
 * what the same tree tells as JSON. The types of plain scalars are those of
 * YAML 1.1, by the expressions of its type repository.
 */
#include "core/json.h"
#include "results/yaml.h"
#include "tests/fuzz/folder.h"

#include <cjson/cJSON.h>
#include <regex.h>
#include <stdbool.h>
#include <yaml.h>

#define NAME "x.yaml"
#define DEPTH_MAX 200 /* libyaml reads 1000, and slowly */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum type { T_TEXT, T_NULL, T_BOOL, T_INT, T_FLOAT, T_DATE, T_OTHER, TYPES };

static const char *const grammar[TYPES] = {
	[T_NULL] = "^(~|null|Null|NULL|)$",
	[T_BOOL] = "^(y|Y|yes|Yes|YES|n|N|no|No|NO|true|True|TRUE|false|False|"
		   "FALSE|on|On|ON|off|Off|OFF)$",
	[T_INT] = "^([-+]?0b[01_]+|[-+]?0[0-7_]+|[-+]?(0|[1-9][0-9_]*)|"
		  "[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(:[0-5]?[0-9])+)$",
	[T_FLOAT] = "^([-+]?([0-9][0-9_]*)?\\.[0-9_]*([eE][-+][0-9]+)?|"
		    "[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+\\.[0-9_]*|"
		    "[-+]?\\.(inf|Inf|INF)|\\.(nan|NaN|NAN))$",
	[T_DATE] = "^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}.*$",
	[T_OTHER] = "^(=|<<)$",
};

static enum type type_of(const yaml_node_t *n)
{
	static regex_t re[TYPES];
	static bool made;
	int i;

	for (i = T_NULL; !made && i < TYPES; i++)
		if (regcomp(&re[i], grammar[i], REG_EXTENDED | REG_NOSUB))
			abort();
	made = true;
	if (n->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
		return T_TEXT;
	for (i = T_NULL; i < TYPES; i++)
		if (!regexec(&re[i], (const char *)n->data.scalar.value, 0,
			    NULL, 0))
			return (enum type)i;
	return T_TEXT;
}

static void is_text(const yaml_node_t *n, const char *text)
{
	if (n->type != YAML_SCALAR_NODE || type_of(n) != T_TEXT ||
		strcmp((const char *)n->data.scalar.value, text))
		abort();
}

static void is_scalar(const yaml_node_t *n, const struct cJSON *item)
{
	const char *value = (const char *)n->data.scalar.value;
	enum type t;

	if (n->type != YAML_SCALAR_NODE)
		abort();
	t = type_of(n);
	if (cJSON_IsNumber(item)) {
		if ((t != T_INT && t != T_FLOAT) ||
			strtod(value, NULL) != item->valuedouble)
			abort();
	} else if (cJSON_IsBool(item)) {
		if (t != T_BOOL ||
			strcmp(value, cJSON_IsTrue(item) ? "true" : "false"))
			abort();
	} else if (t != T_NULL) {
		abort();
	}
}

static void same(yaml_document_t *doc, int index, const struct cJSON *item)
{
	const yaml_node_t *n = yaml_document_get_node(doc, index);
	const struct cJSON *c = item->child;
	yaml_node_pair_t *p;
	yaml_node_item_t *i;

	if (!n)
		abort();
	if (cJSON_IsString(item)) {
		is_text(n, item->valuestring);
	} else if (cJSON_IsObject(item)) {
		if (n->type != YAML_MAPPING_NODE)
			abort();
		for (p = n->data.mapping.pairs.start;
			p < n->data.mapping.pairs.top; p++, c = c->next) {
			if (!c)
				abort();
			is_text(yaml_document_get_node(doc, p->key), c->string);
			same(doc, p->value, c);
		}
		if (c)
			abort();
	} else if (cJSON_IsArray(item)) {
		if (n->type != YAML_SEQUENCE_NODE)
			abort();
		for (i = n->data.sequence.items.start;
			i < n->data.sequence.items.top; i++, c = c->next) {
			if (!c)
				abort();
			same(doc, *i, c);
		}
		if (c)
			abort();
	} else {
		is_scalar(n, item);
	}
}

static int depth(const struct cJSON *item)
{
	const struct cJSON *c;
	int most = 0, d;

	for (c = item->child; c; c = c->next) {
		d = depth(c);
		most = d > most ? d : most;
	}
	return most + 1;
}

static void read_back(const char *path, const struct cJSON *want)
{
	FILE *f = fopen(path, "re");
	yaml_document_t doc;
	yaml_parser_t y;

	if (!f || !yaml_parser_initialize(&y))
		abort();
	yaml_parser_set_input_file(&y, f);
	if (!yaml_parser_load(&y, &doc)) {
		fprintf(stderr, "%s at line %zu\n", y.problem,
			y.problem_mark.line);
		abort();
	}
	same(&doc, 1, want); /* node 1 is the root */
	yaml_document_delete(&doc);
	/* and nothing behind it */
	if (!yaml_parser_load(&y, &doc) || yaml_document_get_root_node(&doc))
		abort();
	yaml_document_delete(&doc);
	yaml_parser_delete(&y);
	fclose(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err e = {.kind = ERR_NONE};
	struct cJSON *tree, *as_json;
	char path[128], *text;

	fuzz_folder_make();
	snprintf(path, sizeof(path), "%s/" NAME, fuzz_folder);
	if (json_parse((const char *)data, size, "fuzz", &tree, &e))
		return 0;
	if (depth(tree) <= DEPTH_MAX) {
		text = json_print(tree, -1);
		if (!text ||
			json_parse(text, strlen(text), "again", &as_json, &e))
			abort();
		free(text);
		if (results_write_yaml(path, size % 2 ? "top" : NULL, tree, &e))
			abort();
		read_back(path, as_json);
		cJSON_Delete(as_json);
	}
	cJSON_Delete(tree);
	return 0;
}
