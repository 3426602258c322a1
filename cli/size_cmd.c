/* `stoker size`: what is asked, one search for each drive and accelerator. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/size.h"

#include "core/units.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_DEFAULT 2048
#define NAMES_MAX 64

/*
 * How well a rate from a specification sheet is known; the reviews that the
 * profiles cite find drives within 5 % of their sheets.
 */
#define SHEET_ERROR_PCT 5.0

/* Comma-separated names. */
struct names {
	char text[4096];
	const char *at[NAMES_MAX];
	size_t count;
};

/* "constant:14GB/s,80us" has a comma of its own. */
static bool is_latency_of(const char *before, const char *piece)
{
	int64_t ns;

	return before && !strncmp(before, "constant:", 9) &&
	       !strchr(before, ',') && !units_parse_time(piece, "", &ns, NULL);
}

static int split(const char *text, const char *what, struct names *n,
	struct err *e)
{
	char *piece, *comma;

	memset(n, 0, sizeof(*n));
	if (strlen(text) >= sizeof(n->text))
		return err_set(e, ERR_USAGE, -E2BIG, "%s: too long", what);
	strcpy(n->text, text);
	for (piece = n->text; piece; piece = comma) {
		comma = strchr(piece, ',');
		if (comma)
			*comma++ = 0;
		if (!*piece)
			return err_set(e, ERR_USAGE, -EINVAL,
				"%s %s: a name is missing beside a comma",
				what, text);
		if (n->count &&
			is_latency_of(n->at[n->count - 1], piece)) {
			piece[-1] = ',';
			continue;
		}
		if (n->count == NAMES_MAX)
			return err_set(e, ERR_USAGE, -E2BIG,
				"%s: more than %d names", what, NAMES_MAX);
		n->at[n->count++] = piece;
	}
	return 0;
}

/* "KEY=1,2,4": the key goes to key[], its values to n. */
static int split_sweep(const char *text, char *key, size_t size,
	struct names *n, struct err *e)
{
	const char *eq = strchr(text, '=');

	if (!eq || eq == text || !eq[1] || (size_t)(eq - text) >= size)
		return err_set(e, ERR_USAGE, -EINVAL,
			"--sweep %s: must be KEY=VALUE,VALUE... with a key of "
			"--param, as in reader.read_threads=1,2,4,8", text);
	memcpy(key, text, (size_t)(eq - text));
	key[eq - text] = 0;
	return split(eq + 1, "--sweep", n, e);
}

bool size_sets_param(const struct training_setup *s, const char *key)
{
	uint32_t i;

	for (i = 0; i < s->param_count; i++)
		if (!strcmp(s->params[i], key))
			return true;
	return false;
}

int size_resolve(const struct training_options *run, bool for_run,
	struct training_setup *s, bool *chosen, struct err *e)
{
	struct training_options direct = *run;
	int r = training_resolve(run, for_run, s, e);

	*chosen = !r && !run->odirect && !run->buffered &&
		  !size_sets_param(s, "reader.odirect") &&
		  edition_list_has(
			  &s->edition.odirect_models, s->config.model);
	if (!*chosen)
		return r;
	direct.odirect = true;
	return training_resolve(&direct, for_run, s, e);
}

/* What the row's drive, accelerator and swept value resolve to. */
static int resolve(const struct size_options *o, struct size_row *row,
	struct training_setup *s, struct err *e)
{
	struct training_options run = o->run;
	bool chosen;
	size_t i;
	int r;

	run.drive = row->drive;
	run.accelerator = row->accelerator;
	run.accelerators = 1;
	for (i = 0; run.params[i]; i++)
		;
	if (row->swept[0] && i + 1 < OPTION_LIST_MAX) {
		run.params[i] = row->swept;
		run.params[i + 1] = NULL;
	}
	r = size_resolve(&run, false, s, &chosen, e);
	if (!r && !s->virtual_time)
		r = err_set(e, ERR_USAGE, -EINVAL,
			"size asks a modelled drive in virtual time only");
	if (!r && !s->profile.runnable)
		r = err_set(e, ERR_USAGE, -ENOTSUP, "%s/%s: %s",
			s->config.model, row->accelerator, s->profile.why);
	return r;
}

/*
 * The user's own rate is what he says it is; a measured profile knows the
 * interval of each of its points, of which the widest counts.
 */
static double rate_error_pct(const struct engine_spec *s)
{
	const struct drive_profile *d = &s->drive;
	double most = 0;
	uint32_t i;

	if (s->kind != ENGINE_MODEL)
		return 0;
	for (i = 0; d->measured && i < d->point_count; i++)
		if (!d->points[i].write && d->points[i].ci_pct > most)
			most = d->points[i].ci_pct;
	return most > 0 ? most : SHEET_ERROR_PCT;
}

static int answer(const struct size_options *o, struct size_row *row,
	char *model, size_t model_size, struct err *e)
{
	struct training_setup s;
	struct size_model m = {
		.config = &s.config,
		.most = o->run.max_accelerators ? o->run.max_accelerators
						: MOST_DEFAULT,
		.confirm = o->confirm,
	};
	int r = resolve(o, row, &s, e);

	if (r)
		return r;
	m.engine = s.engine;
	m.steps = s.edition.min_steps;
	m.fixed_set = size_sets_param(&s, "dataset.num_files_train");
	m.rate_error_pct = rate_error_pct(&s.engine);
	row->odirect = s.config.odirect;
	row->floor_ppm = s.config.au_floor_ppm;
	row->demand_bytes_per_s = size_demand_bytes_per_s(&s.config);
	snprintf(model, model_size, "%s", s.config.model);
	r = size_model_run(&m, &row->a, e);
	if (!r && o->with)
		r = size_with_run(o, &s.config, &s.engine,
			row->a.steady.accelerators, &row->with, e);
	return r ? err_wrap(e, "%s, %s", row->drive, row->accelerator) : 0;
}

static int fill_row(struct size_row *row, const char *drive,
	const char *accelerator, const char *key, const char *value,
	struct err *e)
{
	if (strlen(drive) >= sizeof(row->drive) ||
		strlen(accelerator) >= sizeof(row->accelerator) ||
		strlen(key) + strlen(value) + 2 > sizeof(row->swept))
		return err_set(e, ERR_USAGE, -E2BIG,
			"\"%s\" for \"%s\": names are too long", drive,
			accelerator);
	strcpy(row->drive, drive);
	strcpy(row->accelerator, accelerator);
	if (value[0])
		snprintf(row->swept, sizeof(row->swept), "%s=%s", key, value);
	return 0;
}

/* Drives x accelerators x swept values, in that order. */
static int make_rows(const struct size_options *o, struct size_table *t,
	struct err *e)
{
	struct names drives, types, values = {.count = 1, .at = {""}};
	char key[96] = "";
	size_t i, all;
	int r = 0;

	memset(&drives, 0, sizeof(drives));
	if (o->run.drive)
		r = split(o->run.drive, "--drive", &drives, e);
	for (; !o->run.drive && o->data_dirs[drives.count]; drives.count++)
		drives.at[drives.count] = o->data_dirs[drives.count];
	if (!r)
		r = split(o->run.accelerator, "--accelerator-type", &types, e);
	if (!r && o->sweep)
		r = split_sweep(o->sweep, key, sizeof(key), &values, e);
	if (r)
		return r;
	all = drives.count * types.count * values.count;
	t->rows = calloc(all, sizeof(*t->rows));
	if (!t->rows)
		return err_nomem(e, "the answers");
	for (i = 0; !r && i < all; i++)
		r = fill_row(&t->rows[i],
			drives.at[i / (types.count * values.count)],
			types.at[i / values.count % types.count], key,
			values.at[i % values.count], e);
	t->count = all;
	return r;
}

static int model_rows(const struct size_options *o, struct size_table *t,
	struct err *e)
{
	struct training_setup s;
	size_t i;
	int r = 0;

	/* what is misspelt is told before anything takes its time */
	for (i = 0; !r && i < t->count; i++)
		r = resolve(o, &t->rows[i], &s, e);
	for (i = 0; !r && i < t->count; i++) {
		if (!o->run.quiet && t->count > 1)
			cli_line(false, "%zu/%zu: %s, %s", i + 1, t->count,
				t->rows[i].drive, t->rows[i].accelerator);
		r = answer(o, &t->rows[i], t->model, sizeof(t->model), e);
	}
	return r;
}

static int check(const struct size_options *o, struct err *e)
{
	if (!o->run.drive && !o->data_dirs[0])
		return err_set(e, ERR_USAGE, -EINVAL,
			"size needs --drive MODEL[,MODEL...] (modelled) or "
			"--data-dir DIR (a real drive)");
	if (o->run.drive && o->data_dirs[0])
		return err_set(e, ERR_USAGE, -EINVAL,
			"--drive and --data-dir exclude each other: a modelled "
			"drive reads no files");
	if (o->csv && o->run.json)
		return err_set(e, ERR_USAGE, -EINVAL,
			"--csv and --json exclude each other");
	return size_with_check(o, e);
}

static bool any_unconfirmed(const struct size_table *t)
{
	size_t i;

	for (i = 0; i < t->count; i++)
		if (t->rows[i].a.confirmed && !t->rows[i].a.confirm_passes)
			return true;
	return false;
}

int cmd_size(int argc, const char **argv)
{
	struct size_options o;
	struct size_table t = {.o = &o};
	struct err e;
	size_t i;
	int r, code;

	size_options_default(&o);
	if (!command_options(size_rows, &o, argc, argv, &code))
		return code;
	if (o.run.help_params)
		return training_help_params(&o.run);
	r = check(&o, &e);
	if (!r)
		r = make_rows(&o, &t, &e);
	if (!r)
		r = o.run.drive ? model_rows(&o, &t, &e)
				: size_real(&o, &t, &e);
	cli_line_end();
	code = r ? cli_fail_report(o.run.json, &e)
	       : o.run.dry_run && !o.run.drive ? 0
					       : size_print(&t);
	if (!code && any_unconfirmed(&t))
		code = ERR_VERDICT;
	for (i = 0; i < t.count; i++)
		size_answer_fini(&t.rows[i].a);
	free(t.rows);
	return code;
}
