/* Training beside checkpoints, as part of a size; see size_with.h. */
#include "cli/size_with.h"

#include "cli/checkpointing.h"
#include "cli/size.h"
#include "core/json.h"
#include "core/units.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define FORM "as in checkpoint:llama3-8b/10min"

/* "checkpoint:MODEL/PERIOD" */
static int parse(const char *text, struct size_with *w, struct err *e)
{
	const char *model = text + strlen("checkpoint:"), *slash;
	int64_t ns;
	int r;

	memset(w, 0, sizeof(*w));
	slash = strncmp(text, "checkpoint:", strlen("checkpoint:"))
			? NULL
			: strchr(model, '/');
	if (!slash || slash == model ||
		(size_t)(slash - model) >= sizeof(w->model))
		return err_set(e, ERR_USAGE, -EINVAL,
			"--with %s: must be checkpoint:MODEL/PERIOD, " FORM,
			text);
	memcpy(w->model, model, (size_t)(slash - model));
	r = units_parse_time(slash + 1, "--with checkpoint", &ns, e);
	if (!r && ns <= 0)
		r = err_set(e, ERR_USAGE, -EINVAL,
			"--with %s: the period must be above 0", text);
	w->period_s = (double)ns / 1e9;
	return r;
}

static int checkpoint(const struct size_options *o, const struct size_with *w,
	struct ckpt_config *c, struct err *e)
{
	struct checkpointing_options ckpt;
	struct checkpointing_setup s;
	int r;

	checkpointing_options_default(&ckpt);
	ckpt.model = w->model;
	ckpt.config_dir = o->run.config_dir;
	ckpt.drive = "null"; /* shape and requests are all that is wanted */
	r = checkpointing_resolve(&ckpt, &s, e);
	*c = s.config;
	return r;
}

int size_with_check(const struct size_options *o, struct err *e)
{
	struct size_with w;
	struct ckpt_config c;
	int r;

	if (!o->with)
		return 0;
	if (!o->run.drive)
		return err_set(e, ERR_USAGE, -EINVAL,
			"--with asks a modelled drive (--drive); probe a real "
			"one first: stoker drive probe --out FILE.json");
	r = parse(o->with, &w, e);
	return r ? r : checkpoint(o, &w, &c, e);
}

int size_with_run(const struct size_options *o,
	const struct train_config *config, const struct engine_spec *engine,
	uint64_t accelerators, struct size_with *w, struct err *e)
{
	struct train_config train = *config;
	struct interference i = {.config = &train, .engine = *engine};
	int r = parse(o->with, w, e);

	if (!r)
		r = checkpoint(o, w, &i.checkpoint, e);
	if (r || !accelerators)
		return r;
	train.accelerators = accelerators;
	i.period_s = w->period_s;
	w->accelerators = accelerators;
	w->ranks = i.checkpoint.shape.ranks;
	return interference_run(&i, &w->found, e);
}

void size_with_print(FILE *f, const struct size_with *w, const char *drive,
	const char *accelerator)
{
	const struct interference_found *x = &w->found;
	char every[UNITS_TEXT_MAX];

	if (!w->accelerators)
		return;
	units_format_time(every, (int64_t)(w->period_s * 1e9));
	fprintf(f, "%s, %" PRIu64 " x %s, %s saved every %s: ", drive,
		w->accelerators, accelerator, w->model, every);
	if (x->dip_s > 0)
		fprintf(f, "AU falls from %.1f to %.1f %% for %.1f s "
			"(slowest %.1f %%)", x->au_pct, x->dip_au_pct,
			x->dip_s, x->slowest_au_pct);
	else
		fprintf(f, "AU stays at %.1f %%", x->au_pct);
	fprintf(f, "; the save takes %.1f s, alone %.1f s; %.2f %% over the "
		"whole period\n", x->save_s, x->save_alone_s,
		x->au_period_pct);
}

bool size_with_json(struct cJSON *o, const struct size_with *w)
{
	const struct interference_found *x = &w->found;

	if (!w->accelerators)
		return true;
	o = json_add_object(o, "with");
	return o && json_add_string(o, "checkpoint", w->model) &&
	       json_add_u64(o, "ranks", w->ranks) &&
	       json_add_u64(o, "accelerators", w->accelerators) &&
	       json_add_double(o, "period_seconds", w->period_s) &&
	       json_add_double(o, "au_percent", x->au_pct) &&
	       json_add_double(o, "dip_au_percent", x->dip_au_pct) &&
	       json_add_double(o, "dip_seconds", x->dip_s) &&
	       json_add_double(o, "slowest_au_percent", x->slowest_au_pct) &&
	       json_add_double(o, "save_seconds", x->save_s) &&
	       json_add_double(o, "save_alone_seconds", x->save_alone_s) &&
	       json_add_double(o, "au_over_period_percent", x->au_period_pct);
}
