/* YAML by libyaml; see yaml.h. */
#include "results/yaml.h"

#include "core/file.h"
#include "core/json.h"
#include "core/utf8.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <yaml.h>

static int append(void *ctx, unsigned char *bytes, size_t size)
{
	return fwrite(bytes, 1, size, (FILE *)ctx) == size;
}

/* Would a reader take this plain text for a number, a date, a truth ...? */
static bool is_ambiguous(const char *s)
{
	static const char *const words[] = {"true", "false", "yes", "no", "on",
		"off", "y", "n", "null", "~", "=", "<<", NULL};
	size_t i;

	if (*s == '+' || *s == '-')
		s++;
	if (!*s || strchr(".0123456789", *s))
		return true;
	for (i = 0; words[i]; i++)
		if (!strcasecmp(s, words[i]))
			return true;
	return false;
}

static bool emit_text(yaml_emitter_t *y, const char *text, bool plain)
{
	yaml_event_t ev;

	return yaml_scalar_event_initialize(&ev, NULL, NULL,
		       (const yaml_char_t *)text, (int)strlen(text), plain, 1,
		       YAML_ANY_SCALAR_STYLE) &&
	       yaml_emitter_emit(y, &ev);
}

/* libyaml stops at what is no UTF-8. */
static bool emit_string(yaml_emitter_t *y, const char *text)
{
	char *mended = utf8_mended(text);
	bool ok = mended && emit_text(y, mended, !is_ambiguous(mended));

	free(mended);
	return ok;
}

/* In YAML 1.1 "1e-05" is a string: a float needs its point. */
static bool emit_other(yaml_emitter_t *y, const struct cJSON *item)
{
	char *text = json_print(item, -1), fixed[64];
	char *exp = text ? strchr(text, 'e') : NULL;
	bool ok;

	if (text && exp && !strchr(text, '.') && !cJSON_IsBool(item)) {
		snprintf(fixed, sizeof(fixed), "%.*s.0%s", (int)(exp - text),
			text, exp);
		ok = emit_text(y, fixed, true);
	} else {
		ok = text && emit_text(y, text, true);
	}
	free(text);
	return ok;
}

static bool emit(yaml_emitter_t *y, const struct cJSON *item)
{
	bool map = cJSON_IsObject(item), list = cJSON_IsArray(item), ok;
	const struct cJSON *c;
	yaml_event_t ev;

	if (cJSON_IsString(item))
		return emit_string(y, item->valuestring);
	if (!map && !list)
		return emit_other(y, item);
	if (map)
		ok = yaml_mapping_start_event_initialize(
			&ev, NULL, NULL, 1, YAML_BLOCK_MAPPING_STYLE);
	else
		ok = yaml_sequence_start_event_initialize(
			&ev, NULL, NULL, 1, YAML_BLOCK_SEQUENCE_STYLE);
	ok = ok && yaml_emitter_emit(y, &ev);
	for (c = item->child; ok && c; c = c->next)
		ok = (list || emit_string(y, c->string)) && emit(y, c);
	ok = ok && (map ? yaml_mapping_end_event_initialize(&ev)
			: yaml_sequence_end_event_initialize(&ev));
	return ok && yaml_emitter_emit(y, &ev);
}

static bool emit_document(yaml_emitter_t *y, const struct cJSON *tree)
{
	yaml_event_t ev;

	return yaml_stream_start_event_initialize(&ev, YAML_UTF8_ENCODING) &&
	       yaml_emitter_emit(y, &ev) &&
	       yaml_document_start_event_initialize(&ev, NULL, NULL, NULL, 1) &&
	       yaml_emitter_emit(y, &ev) && emit(y, tree) &&
	       yaml_document_end_event_initialize(&ev, 1) &&
	       yaml_emitter_emit(y, &ev) &&
	       yaml_stream_end_event_initialize(&ev) &&
	       yaml_emitter_emit(y, &ev);
}

char *results_yaml_text(const char *comment, const struct cJSON *tree)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	yaml_emitter_t y;
	bool ok = false;

	if (f && yaml_emitter_initialize(&y)) {
		if (comment)
			fprintf(f, "# %s\n", comment);
		yaml_emitter_set_output(&y, append, f);
		yaml_emitter_set_width(&y, -1);
		yaml_emitter_set_unicode(&y, 1);
		ok = emit_document(&y, tree);
		yaml_emitter_delete(&y);
	}
	if (f && fclose(f))
		ok = false;
	if (ok)
		return text;
	free(text);
	return NULL;
}

int results_write_yaml(const char *path, const char *comment,
	const struct cJSON *tree, struct err *e)
{
	char *text = results_yaml_text(comment, tree);
	int ret = text ? file_write_atomic(path, text, strlen(text), e)
		       : err_nomem(e, path);

	free(text);
	return ret;
}

const char *results_yaml_version(void)
{
	return yaml_get_version_string();
}
