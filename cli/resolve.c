/* Options that several commands have; see resolve.h. */
#include "cli/resolve.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int resolve_clock(
	const char *clock, bool modelled, bool *virtual_time, struct err *e)
{
	if (!clock)
		clock = modelled ? "virtual" : "real";
	*virtual_time = !strcmp(clock, "virtual");
	if (!*virtual_time && strcmp(clock, "real"))
		return err_set(e, ERR_USAGE, -EINVAL,
			"--clock %s: must be real or virtual", clock);
	if (*virtual_time && !modelled)
		return err_set(e, ERR_USAGE, -EINVAL,
			"--clock virtual needs a modelled drive (--drive)");
	return 0;
}

int resolve_engine_kind(const char *engine, enum engine_kind automatic,
	enum engine_kind *kind, struct err *e)
{
	if (!strcmp(engine, "uring"))
		*kind = ENGINE_URING;
	else if (!strcmp(engine, "pread"))
		*kind = ENGINE_PREAD;
	else if (!strcmp(engine, "auto"))
		*kind = automatic;
	else
		return err_set(e, ERR_USAGE, -EINVAL,
			"--engine %s: must be uring, pread or auto", engine);
	return 0;
}

int resolve_engine(const char *config_dir, const char *drive,
	const char *clock, const char *engine, enum engine_kind automatic,
	struct engine_spec *spec, bool *virtual_time, struct err *e)
{
	int r = resolve_clock(clock, drive != NULL, virtual_time, e);

	if (r)
		return r;
	if (drive)
		return engine_spec_parse(config_dir, drive, spec, e);
	return resolve_engine_kind(engine, automatic, &spec->kind, e);
}

int resolve_division(const char *text, enum rec_division *d, struct err *e)
{
	if (!strcmp(text, "whatif"))
		*d = DIV_WHATIF;
	else if (!strcmp(text, "closed"))
		*d = DIV_CLOSED;
	else if (!strcmp(text, "open"))
		*d = DIV_OPEN;
	else
		return err_set(e, ERR_USAGE, -EINVAL,
			"--division %s: must be closed, open or whatif", text);
	return 0;
}

void not_closed_add(struct not_closed *n, const char *fmt, ...)
{
	va_list ap;

	if (n->count == sizeof(n->text) / sizeof(n->text[0]))
		return;
	va_start(ap, fmt);
	vsnprintf(n->text[n->count++], sizeof(n->text[0]), fmt, ap);
	va_end(ap);
}

void not_closed_print(const struct not_closed *n)
{
	uint32_t i;

	for (i = 0; i < n->count; i++)
		printf("not CLOSED: %s\n", n->text[i]);
}

void not_closed_note(const struct not_closed *n, struct record *rec)
{
	uint32_t i;

	for (i = 0; i < n->count; i++)
		record_note(rec, "not-closed", "not CLOSED: %s", n->text[i]);
}
