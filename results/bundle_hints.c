/*
 * What a bundle lacks, and the command that makes it: with the drive or the
 * folder of the phases that are there, and their names. See bundle_create.h.
 */
#include "results/bundle_create.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define HINT_MAX 2048

struct text {
	char v[HINT_MAX];
	size_t n;
};

/* A word as a shell takes it. */
static void add(struct text *t, const char *before, const char *word)
{
	bool plain = *word &&
		     strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqr"
				  "stuvwxyz0123456789_./:=,+-") == strlen(word);

	if (t->n < sizeof(t->v))
		t->n += (size_t)snprintf(t->v + t->n, sizeof(t->v) - t->n,
			plain ? "%s%s" : "%s'%s'", before, word);
}

static void add_count(struct text *t, const char *before, double n)
{
	char word[32];

	if (!(n >= 1))
		return;
	snprintf(word, sizeof(word), "%.0f", n);
	add(t, before, word);
}

/* The last names of .../DIVISION/ORG/results/SYSTEM. */
static void add_names(struct text *t, const char *root)
{
	char copy[PATH_MAX], *part[4];
	size_t i;

	snprintf(copy, sizeof(copy), "%s", root);
	for (i = 4; i-- > 0;) {
		part[i] = strrchr(copy, '/');
		if (!part[i])
			return;
		*part[i]++ = '\0';
	}
	add(t, " --systemname ", part[3]);
	add(t, " --orgname ", part[1]);
	if (strcmp(part[0], "whatif"))
		add(t, " --division ", part[0]);
}

/* Where the data of a leaf are; "DIR" stands for what nobody knows. */
static void add_place(struct text *t, const char *family, const struct cJSON *m)
{
	static const char *const folders[][3] = {
		{"training", "data_dir", " --data-dir "},
		{"checkpointing", "checkpoint_folder", " --checkpoint-folder "},
		{"vector_database", "data_dir", " --data-dir "},
		{"kv_cache", "cache_dir", " --cache-dir "}};
	char at[64];
	size_t i;

	if (*bundle_string(m, "drive")) {
		add(t, " --drive ", bundle_string(m, "drive"));
		return;
	}
	for (i = 0; i < 4; i++) {
		if (strcmp(family, folders[i][0]))
			continue;
		snprintf(at, sizeof(at), "args.%s", folders[i][1]);
		add(t, folders[i][2],
			*bundle_string(m, at) ? bundle_string(m, at) : "DIR");
	}
}

/* Of training: what the other phases were told. */
static void add_training(
	struct text *t, const char *command, const struct cJSON *m)
{
	double n = bundle_number(m, "args.num_accelerators");

	if (isnan(n))
		n = bundle_number(m, "args.max_accelerators");
	if (*bundle_string(m, "accelerator"))
		add(t, " --accelerator-type ", bundle_string(m, "accelerator"));
	if (strcmp(command, "datagen"))
		add_count(t, " --num-accelerators ", n);
	if (strcmp(command, "datasize"))
		add_count(t, " --param dataset.num_files_train=",
			bundle_number(m, "parameters.dataset.num_files_train"));
}

/* Of vectors: the index. A run finds a written one as it is. */
static void add_index(
	struct text *t, const char *command, const struct cJSON *m)
{
	static const char *const keys[][2] = {
		{" --num-vectors ", "parameters.num_vectors"},
		{" --dimension ", "parameters.dimension"},
		{" --max-degree ", "parameters.max_degree"},
		{" --segments ", "parameters.segments"}};
	size_t i;

	if (*bundle_string(m, "args.profile"))
		add(t, " --profile ", bundle_string(m, "args.profile"));
	for (i = 0; i < 4; i++)
		add_count(t, keys[i][0], bundle_number(m, keys[i][1]));
	if (!strcmp(command, "datagen") &&
		!strcmp(bundle_string(m, "parameters.level"), "built"))
		add(t, " --level ", "built");
}

void bundle_hint(const struct bundle_hint *h, const char *what,
	const char *command, const char *options)
{
	struct cJSON *m =
		h->known ? bundle_metadata_read(h->known, h->family) : NULL;
	struct text t = {.n = 0};
	char phase[32];

	snprintf(phase, sizeof(phase), "%s", strchr(command, ' ') + 1);
	phase[strcspn(phase, " ")] = '\0';
	t.n = (size_t)snprintf(t.v, sizeof(t.v), "%s with: stoker %s%s", what,
		command, options);
	if (!strcmp(h->family, "training"))
		add_training(&t, phase, m);
	else if (!strcmp(h->family, "vector_database"))
		add_index(&t, phase, m);
	add_place(&t, h->family, m);
	add(&t, " --results-dir ", h->results_dir);
	add_names(&t, h->root);
	names_add(h->missing, t.v);
	cJSON_Delete(m);
}
