/* The reader of YAML: whatever is in the file, a tree or a reason. */
#include "core/err.h"
#include "core/json.h"
#include "results/yaml.h"

#include <cjson/cJSON.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err e = {.kind = ERR_NONE};
	struct cJSON *tree;
	char *text;
	int r = results_yaml_parse(
		(const char *)data, size, "fuzz.yaml", &tree, &e);

	if (r && (tree || e.kind == ERR_NONE || !e.text[0]))
		abort();
	if (r)
		return 0;
	text = json_print(tree, -1);
	free(text);
	cJSON_Delete(tree);
	return 0;
}
