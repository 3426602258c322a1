/*
 * Recipes of a user: refused with a text, or turned into command lines whose
 * figures can be looked up in any document (here the recipe itself).
 */
#include "cli/recipe.h"

#include <cJSON.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(struct recipe *r)
{
	struct recipe_command c;
	struct err e = {.kind = ERR_NONE};
	char why[256];
	size_t i;

	if (recipe_check_commands(r, &e) && !e.text[0])
		abort();
	if (recipe_complete(r, &e) && !e.text[0])
		abort();
	for (i = 0; i < r->step_count; i++) {
		recipe_wanted(r, &r->steps[i]);
		if (recipe_command(r, &r->steps[i], true, &c, &e))
			abort();
		recipe_command_fini(&c);
		recipe_accepts(r, &r->steps[i], 0, r->doc, why, sizeof(why));
		if (!memchr(why, 0, sizeof(why)))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct recipe r;
	struct err e = {.kind = ERR_NONE};
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = 0;
	if (!recipe_parse(text, size, "fuzz.json", &r, &e))
		use(&r);
	else if (e.kind == ERR_NONE || !e.text[0] ||
		 !memchr(e.text, 0, sizeof(e.text)))
		abort();
	recipe_fini(&r);
	free(text);
	return 0;
}
