/*
 * Stamps: the pointer to the code image and provenance.json of every leaf,
 * the manifest of an organization. See bundle.h.
 */
#include "results/bundle_tree.h"

#include "core/json.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POINTER_PREFIX "md5-tree-v2:"
#define POINTER_LEN (sizeof(POINTER_PREFIX) - 1 + 32)
#define POINTER_BYTES_MAX 4096

static const char *const provenance_words[] = {"runtime", "tool-constant",
	"package-metadata", "direct-url", "code-hash-json", "uv-lock",
	"declared", "inferred", "n/a", "unknown", NULL};

static char *stripped(char *s)
{
	size_t n;

	while (isspace((unsigned char)*s))
		s++;
	n = strlen(s);
	while (n && isspace((unsigned char)s[n - 1]))
		s[--n] = '\0';
	return s;
}

static bool mark_used(struct bundle_pool *p, const char *name)
{
	size_t i;

	for (i = 0; i < p->count; i++) {
		if (strcmp(p->images[i].name, name))
			continue;
		p->images[i].used = true;
		return true;
	}
	return false;
}

/* The pointer's text into pointer[] when it is well formed, else "". */
static void check_pointer(struct bundle *b, const struct bundle_leaf *l,
	char pointer[POINTER_LEN + 1])
{
	static const char want[] = "md5-tree-v2:<32 hex digits>";
	char path[PATH_MAX], name[32], *text, *s;
	size_t len;
	bool ok;

	pointer[0] = '\0';
	if (!b->pool.marked && !b->org_pool.marked) {
		if (!b->no_pool_told)
			bundle_say(b, "CHECK-01", false, b->org, "a pool",
				"there is neither code-images nor a pool of "
				"%.60s with .mlps-image-pool",
				b->org);
		b->no_pool_told = true;
	}
	bundle_join(path, l->path, ".mlps-code-image");
	if (b->no_pool_told && !names_have(&l->files, ".mlps-code-image"))
		return;
	if (!names_have(&l->files, ".mlps-code-image")) {
		bundle_say(b, "CHECK-01", false, l->path, want,
			"there is no .mlps-code-image");
		return;
	}
	text = bundle_text(b, path, "CHECK-01", POINTER_BYTES_MAX, &len);
	if (!text)
		return;
	s = stripped(text);
	ok = strlen(s) == POINTER_LEN &&
	     !strncmp(s, POINTER_PREFIX, sizeof(POINTER_PREFIX) - 1) &&
	     strspn(s + sizeof(POINTER_PREFIX) - 1, "0123456789abcdef") == 32;
	if (!ok) {
		if (!b->no_pool_told)
			bundle_say(b, "CHECK-01", false, l->path, want,
				"\"%.80s\"", s);
	} else {
		memcpy(pointer, s, POINTER_LEN + 1);
		snprintf(name, sizeof(name), "code-%.8s",
			s + sizeof(POINTER_PREFIX) - 1);
		ok = mark_used(&b->pool, name) || mark_used(&b->org_pool, name);
		if (!b->no_pool_told)
			bundle_say(b, "CHECK-01", ok, l->path,
				"an image in a pool",
				ok ? "%s" : "no pool holds %s", name);
	}
	free(text);
}

/* Exactly these keys (the last may be missing when it begins with '?'). */
static bool only_keys(const struct cJSON *o, const char *const keys[],
	const char *where, char *why, size_t size)
{
	const struct cJSON *c;
	size_t i;

	if (!cJSON_IsObject(o)) {
		snprintf(why, size, "%s is no object", where);
		return false;
	}
	for (i = 0; keys[i]; i++)
		if (keys[i][0] != '?' && !json_has(o, keys[i])) {
			snprintf(why, size, "%s.%s is missing", where, keys[i]);
			return false;
		}
	for (c = o->child; c; c = c->next) {
		for (i = 0; keys[i] &&
			    strcmp(keys[i] + (keys[i][0] == '?'), c->string);)
			i++;
		if (!keys[i] || cJSON_IsNull(c)) {
			snprintf(why, size, "%s.%.60s %s", where, c->string,
				keys[i] ? "is null" : "is not known");
			return false;
		}
	}
	return true;
}

static bool texts(
	const struct cJSON *o, const char *where, char *why, size_t size)
{
	const struct cJSON *c;

	for (c = o->child; c; c = c->next) {
		if (cJSON_IsString(c) && c->valuestring[0])
			continue;
		snprintf(why, size, "%s.%.60s is no text", where, c->string);
		return false;
	}
	return true;
}

static bool check_core(const struct cJSON *o, char *why, size_t size)
{
	const struct cJSON *c;

	if (strcmp(bundle_string(o, "algorithm"), "core-config-v1") ||
		!bundle_string(o, "allowlist")[0] ||
		!bundle_string(o, "hash")[0] ||
		!cJSON_IsArray(bundle_at(o, "keys"))) {
		snprintf(why, size,
			"core_config: algorithm core-config-v1, "
			"allowlist, hash, keys are not as needed");
		return false;
	}
	cJSON_ArrayForEach(c, bundle_at(o, "keys"))
	{
		if (cJSON_IsString(c))
			continue;
		snprintf(why, size, "core_config.keys holds no text");
		return false;
	}
	return true;
}

static bool check_origins(const struct cJSON *o, char *why, size_t size)
{
	const struct cJSON *c;
	size_t i;

	for (c = o->child; c; c = c->next) {
		for (i = 0; provenance_words[i] && cJSON_IsString(c) &&
			    strcmp(provenance_words[i], c->valuestring);)
			i++;
		if (cJSON_IsString(c) && provenance_words[i])
			continue;
		snprintf(why, size, "provenance.%.60s is none of the words",
			c->string);
		return false;
	}
	return true;
}

static bool provenance_schema(const struct cJSON *p, char *why, size_t size)
{
	static const char *const top[] = {"schema", "rules_edition",
		"layout_version", "tool", "dlio", "storage_library",
		"core_config", "stamped_at", "stamped_by", "provenance",
		"?notes", NULL};
	static const char *const tool[] = {
		"name", "version", "git_sha", "code_image", NULL};
	static const char *const dlio[] = {"version", "source", "commit", NULL};
	static const char *const lib[] = {"name", "?version", NULL};
	static const char *const core[] = {
		"algorithm", "allowlist", "hash", "keys", NULL};
	static const char *const origin[] = {"rules_edition", "layout_version",
		"tool", "dlio", "storage_library", "core_config", NULL};
	const struct cJSON *t = bundle_at(p, "tool"), *d = bundle_at(p, "dlio"),
			   *l = bundle_at(p, "storage_library"),
			   *c = bundle_at(p, "core_config"),
			   *o = bundle_at(p, "provenance");
	double layout = bundle_number(p, "layout_version");

	if (!only_keys(p, top, "(top)", why, size) ||
		!only_keys(t, tool, "tool", why, size) ||
		!only_keys(d, dlio, "dlio", why, size) ||
		!only_keys(l, lib, "storage_library", why, size) ||
		!only_keys(c, core, "core_config", why, size) ||
		!only_keys(o, origin, "provenance", why, size) ||
		!texts(t, "tool", why, size) || !texts(d, "dlio", why, size) ||
		!texts(l, "storage_library", why, size) ||
		!check_core(c, why, size) || !check_origins(o, why, size))
		return false;
	if (strcmp(bundle_string(p, "schema"), "mlps-run-provenance/1"))
		snprintf(why, size, "schema is \"%.60s\"",
			bundle_string(p, "schema"));
	else if (!cJSON_IsNumber(bundle_at(p, "layout_version")) ||
		 !(layout >= 1) || layout != floor(layout))
		snprintf(why, size, "layout_version is no whole number >= 1");
	else if (!bundle_string(p, "rules_edition")[0] ||
		 !bundle_string(p, "stamped_at")[0] ||
		 !bundle_string(p, "stamped_by")[0])
		snprintf(why, size,
			"rules_edition, stamped_at or stamped_by is no text");
	else if (strcmp(bundle_string(l, "name"), "none") &&
		 !json_has(l, "version"))
		snprintf(why, size, "storage_library.version is missing");
	else if (json_has(p, "notes") && !cJSON_IsString(bundle_at(p, "notes")))
		snprintf(why, size, "notes is no text");
	else
		return true;
	return false;
}

static void check_class(struct bundle *b, const struct bundle_leaf *l,
	const struct cJSON *p, const char *family, const char *model)
{
	const char *hash = bundle_string(p, "core_config.hash"),
		   *accelerator = bundle_string(l->metadata, "accelerator"),
		   *edition = bundle_string(p, "rules_edition"), *v[4];
	const struct cJSON *c;
	char want[128] = "no class of this model";
	bool found = false;
	size_t i;

	if (!strcmp(hash, "unknown"))
		return;
	cJSON_ArrayForEach(c, bundle_at(b->rules, "classes"))
	{
		for (i = 0; i < 4; i++) {
			const struct cJSON *s = cJSON_GetArrayItem(c, (int)i);

			v[i] = cJSON_IsString(s) ? s->valuestring : "";
		}
		if (strcmp(v[0], family) || strcmp(v[1], model) ||
			(v[2][0] && strcmp(v[2], accelerator)))
			continue;
		snprintf(want, sizeof(want), "%.32s", v[3]);
		found = found || !strcmp(v[3], hash);
	}
	found = found && !strcmp(edition, "3.0");
	bundle_say_level(b, "EDN-02",
		!strcmp(b->division, "open") ? RULE_INFO : RULE_ERROR, found,
		l->path, want, "%s %s %s %s: hash %.32s", edition, family,
		model, accelerator, hash);
}

static void check_dlio(
	struct bundle *b, const struct bundle_leaf *l, const struct cJSON *p)
{
	const char *commit = bundle_string(p, "dlio.commit");
	const struct cJSON *c;
	char want[256];
	bool ok = !strcmp(commit, "unknown");

	/* the list has the first eight digits */
	cJSON_ArrayForEach(c, bundle_at(b->rules, "dlio_commits"))
	{
		ok = ok || (cJSON_IsString(c) && strlen(c->valuestring) >= 8 &&
				   !strncmp(commit, c->valuestring,
					   strlen(c->valuestring)));
	}
	bundle_say(b, "EDN-03", ok, l->path,
		bundle_words(b, "dlio_commits", want), "dlio.commit %.64s",
		commit);
}

static void check_stamp(struct bundle *b, const struct bundle_leaf *l,
	const char *pointer, const char *family, const char *model, bool run)
{
	char path[PATH_MAX], why[256] = "", line[PATH_MAX + 64];
	const char *declared = bundle_string(l->metadata, "provenance_file"),
		   *edition;
	bool known, whole;
	struct cJSON *p;
	bool ok;

	bundle_join(path, l->path, "provenance.json");
	if (!names_have(&l->files, "provenance.json")) {
		if (*declared)
			bundle_say(b, "PROV-01", false, l->path, NULL,
				"the metadata declare %.100s, which is not "
				"there",
				declared);
		return;
	}
	p = bundle_json(b, path, "PROV-01");
	if (!p)
		return;
	whole = ok = provenance_schema(p, why, sizeof(why));
	if (ok && *pointer &&
		strcmp(bundle_string(p, "tool.code_image"), pointer)) {
		ok = false;
		snprintf(why, sizeof(why), "code_image %.60s, pointer %.60s",
			bundle_string(p, "tool.code_image"), pointer);
	}
	bundle_say(b, "PROV-01", ok, l->path, NULL, "%s", ok ? "holds" : why);
	if (!whole) { /* nothing else can be told from it */
		cJSON_Delete(p);
		return;
	}
	edition = bundle_string(p, "rules_edition");
	known = bundle_listed(b, "editions", edition);
	bundle_say(b, "EDN-01", known || !strcmp(edition, "unknown"), l->path,
		NULL, "rules_edition \"%.32s\"", edition);
	snprintf(line, sizeof(line), "%s\t%s", edition, l->path);
	if (!names_add(&b->stamp_editions, line))
		b->no_memory = true;
	if (run && known) {
		check_class(b, l, p, family, model);
		check_dlio(b, l, p);
	}
	if (bundle_true(l->metadata, "emulated"))
		bundle_say(b, "R-09",
			strcmp(bundle_string(p, "tool.name"), "mlpstorage") &&
				!strcmp(bundle_string(p, "dlio.commit"),
					"unknown"),
			path, NULL, "emulated, tool %.60s, DLIO commit %.60s",
			bundle_string(p, "tool.name"),
			bundle_string(p, "dlio.commit"));
	cJSON_Delete(p);
}

void bundle_check_leaf(struct bundle *b, const struct bundle_leaf *l,
	const char *family, const char *model, bool run)
{
	char pointer[POINTER_LEN + 1], prefix[PATH_MAX];
	size_t n;

	if (!l->stamped)
		return; /* no leaf: its rules complain of the name */
	snprintf(prefix, sizeof(prefix), "%s/%s/", b->division, b->org);
	n = strlen(prefix);
	if (!names_add(&b->leaves, l->path + n))
		b->no_memory = true;
	check_pointer(b, l, pointer);
	check_stamp(b, l, pointer, family, model, run);
}

/* --- manifest ------------------------------------------------------------ */

static size_t index_of(const struct names *n, const char *name)
{
	size_t low = 0, high = n->n, mid;
	int c;

	while (low < high) {
		mid = (low + high) / 2;
		c = strcmp(name, n->v[mid]);
		if (!c)
			return mid;
		if (c < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return n->n;
}

static void check_runs(
	struct bundle *b, const char *path, const struct cJSON *runs)
{
	bool *seen = calloc(b->leaves.n ? b->leaves.n : 1, sizeof(*seen));
	const char *unknown = NULL, *missing = NULL, *leaf;
	size_t i, extra = 0, without = 0;
	const struct cJSON *c;

	names_sort(&b->leaves);
	cJSON_ArrayForEach(c, runs)
	{
		if (!cJSON_IsObject(c))
			continue;
		leaf = bundle_string(c, "leaf");
		i = index_of(&b->leaves, leaf);
		if (seen && i < b->leaves.n) {
			seen[i] = true;
			continue;
		}
		extra++;
		unknown = unknown ? unknown : leaf;
	}
	for (i = 0; seen && i < b->leaves.n; i++) {
		if (seen[i])
			continue;
		without++;
		missing = missing ? missing : b->leaves.v[i];
	}
	free(seen);
	if (extra)
		bundle_say(b, "PROV-02", false, path, NULL,
			"%zu of its runs: no leaf there, such as \"%.200s\"",
			extra, unknown);
	if (without)
		bundle_say(b, "PROV-02", false, path, NULL,
			"%zu not among its runs, such as %.200s", without,
			missing);
	if (!extra && !without)
		bundle_say(b, "PROV-02", true, path, NULL, "%zu leaves",
			b->leaves.n);
}

bool bundle_is_manifest(const struct cJSON *m)
{
	return !strcmp(
		bundle_string(m, "schema"), "mlps-submission-manifest/1");
}

const char *bundle_manifest_edition(const struct cJSON *m, char buf[64])
{
	const struct cJSON *e = bundle_at(m, "rules_edition");

	if (cJSON_IsNumber(e)) /* 3.0 without quotes */
		snprintf(buf, 64, "%.1f", e->valuedouble);
	else
		snprintf(buf, 64, "%.60s",
			e && !cJSON_IsNull(e)
				? bundle_string(m, "rules_edition")
				: "unknown");
	return buf;
}

/* After the leaves were looked at; EDN-04 was asked before. */
void bundle_check_manifest(struct bundle *b)
{
	char org[PATH_MAX], path[PATH_MAX], said[64], want[96];
	const char *edition, *tab;
	struct cJSON *m;
	size_t i, n;

	bundle_join(org, b->division, b->org);
	bundle_join(path, org, "submission.yaml");
	if (!bundle_has(b, path, false))
		return;
	m = bundle_yaml(b, path, "PROV-02");
	if (!m)
		return;
	if (!bundle_is_manifest(m)) {
		bundle_say(b, "PROV-02", false, path,
			"mlps-submission-manifest/1", "schema \"%.60s\"",
			bundle_string(m, "schema"));
		cJSON_Delete(m);
		return;
	}
	edition = bundle_manifest_edition(m, said);
	bundle_say(b, "EDN-01",
		bundle_listed(b, "editions", edition) ||
			!strcmp(edition, "unknown"),
		path, NULL, "rules_edition \"%.32s\"", edition);
	edition = bundle_string(m, "rules_edition"); /* a number is none */
	for (i = 0; i < b->stamp_editions.n; i++) {
		tab = strchr(b->stamp_editions.v[i], '\t');
		n = (size_t)(tab - b->stamp_editions.v[i]);
		snprintf(want, sizeof(want), "\"%.40s\", as in submission.yaml",
			edition);
		if (strlen(edition) != n ||
			strncmp(b->stamp_editions.v[i], edition, n))
			bundle_say(b, "PROV-02", false, tab + 1, want,
				"stamped \"%.*s\"", (int)(n < 40 ? n : 40),
				b->stamp_editions.v[i]);
	}
	check_runs(b, path, bundle_at(m, "runs"));
	cJSON_Delete(m);
}

/* --- leaves where no family looks --------------------------------------- */

#define STRAY_DEPTH_MAX 16

/* A leaf of the layout, though no rule reads it: kv_cache/MODEL/datagen/TS. */
static bool is_canonical(const char *below_results, const char **family)
{
	static const struct {
		const char *family;
		int depth; /* of the stamp, below results/SYSTEM */
	} shapes[] = {{"training", 4}, {"kv_cache", 4}, {"checkpointing", 3},
		{"vector_database", 5}};
	const char *p = strchr(below_results, '/');
	int depth = 0;
	size_t i, n;

	for (i = 0; p && p[i]; i++)
		depth += p[i] == '/';
	for (i = 0; p && i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		n = strlen(shapes[i].family);
		if (depth == shapes[i].depth && p[n + 1] == '/' &&
			!strncmp(p + 1, shapes[i].family, n)) {
			*family = shapes[i].family;
			return true;
		}
	}
	return false;
}

static void check_stray(
	struct bundle *b, const char *folder, const char *name, size_t prefix)
{
	char pointer[POINTER_LEN + 1];
	const char *below, *family, *phase = strrchr(folder, '/');
	struct bundle_leaf l;

	memset(&l, 0, sizeof(l));
	bundle_join(l.path, folder, name);
	below = l.path + prefix;
	if (names_have(&b->leaves, below))
		return;
	if (is_canonical(below + strlen("results/"), &family)) {
		bundle_leaf_load(b, folder, name, &l);
		bundle_check_leaf(b, &l, family, "",
			phase && !strcmp(phase + 1, "run"));
	} else if (bundle_list(b, l.path, NULL, &l.files)) {
		check_pointer(b, &l, pointer);
	}
	bundle_leaf_fini(&l);
}

static void check_strays(
	struct bundle *b, const char *folder, size_t prefix, int depth)
{
	struct names dirs = {0};
	char below[PATH_MAX];
	size_t i;

	if (depth > STRAY_DEPTH_MAX || !bundle_list(b, folder, &dirs, NULL))
		return;
	for (i = 0; i < dirs.n; i++)
		if (bundle_is_stamp(dirs.v[i]))
			check_stray(b, folder, dirs.v[i], prefix);
		else if (!bundle_is_link(
				 b, bundle_join(below, folder, dirs.v[i])))
			check_strays(b, below, prefix, depth + 1);
	names_fini(&dirs);
}

void bundle_check_strays(struct bundle *b)
{
	char org[PATH_MAX], path[PATH_MAX];

	bundle_join(org, b->division, b->org);
	if (bundle_has(b, bundle_join(path, org, "results"), true))
		check_strays(b, path, strlen(org) + 1, 0);
}
