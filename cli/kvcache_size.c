/* `stoker kvcache size`: users that a modelled drive serves within a time. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/kvcache.h"

#include "accel_sim/group.h"
#include "core/json.h"
#include "core/units.h"
#include "plan/kv_size.h"

#include <cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* "p95=2s": the share and the time. */
static int parse_slo(const char *text, struct kv_size *q, struct err *e)
{
	const char *equal = strchr(text, '=');
	char *end = NULL;
	double pct = *text == 'p' ? strtod(text + 1, &end) : 0;

	if (!equal || end != equal || !(pct > 0) || pct > 100)
		return err_set(e, ERR_USAGE, -EINVAL,
			"--slo %s: must be pNN=TIME, such as p95=2s", text);
	/* p999 is 99.9, as everywhere */
	q->share = pct / 100;
	if (units_parse_time(equal + 1, "--slo", &q->target_ns, e))
		return e->code;
	return q->target_ns > 0 ? 0
				: err_set(e, ERR_USAGE, -EINVAL,
					  "--slo %s: no time at all", text);
}

static const struct kv_size_point *answer(const struct kv_size *q)
{
	uint32_t i;

	for (i = 0; i < q->point_count; i++)
		if (q->points[i].users == q->users)
			return &q->points[i];
	return NULL;
}

static void print_text(const struct kvcache_options *o, const struct kv_size *q,
	const struct record *notes)
{
	const struct kv_size_point *p = answer(q);
	char time[UNITS_TEXT_MAX];
	uint32_t i;

	units_format_time(time, q->target_ns);
	if (p)
		printf("%s serves %u users of %s with p%g <= %s: %.1f tok/s, "
			"read %.2f GiB/s, write %.2f GiB/s\n", o->drive,
			q->users, q->config.model.name, q->share * 100, time,
			p->tokens_s, p->read_gib_s, p->write_gib_s);
	else
		printf("%s does not serve a single user of %s with p%g <= %s\n",
			o->drive, q->config.model.name, q->share * 100, time);
	for (i = 0; i < notes->note_count; i++)
		printf("note: %s\n", notes->notes[i].text);
	printf("users wait for their answers (closed loop); time is from "
	       "question to answer\n");
	printf("%8s %12s %10s %10s %10s\n", "users", "latency", "tok/s",
		"read GiB/s", "requests/s");
	for (i = 0; i < q->point_count; i++)
		printf("%8u %10.3f s %10.1f %10.2f %10.2f%s\n",
			q->points[i].users, q->points[i].latency_s,
			q->points[i].tokens_s, q->points[i].read_gib_s,
			q->points[i].requests_s,
			q->points[i].meets ? "" : "  too slow");
}

static bool add_point(struct cJSON *o, const struct kv_size_point *p)
{
	return json_add_u64(o, "users", p->users) &&
	       json_add_double(o, "latency_seconds", p->latency_s) &&
	       json_add_double(o, "tokens_per_second", p->tokens_s) &&
	       json_add_double(o, "requests_per_second", p->requests_s) &&
	       json_add_double(o, "read_gib_per_second", p->read_gib_s) &&
	       json_add_double(o, "write_gib_per_second", p->write_gib_s) &&
	       json_add_bool(o, "meets", p->meets);
}

static int print_json(const struct kvcache_options *o, const struct kv_size *q)
{
	struct cJSON *doc = cJSON_CreateObject(), *list, *x;
	uint32_t i;
	bool ok;

	ok = doc && json_add_string(doc, "drive", o->drive) &&
	     json_add_string(doc, "model", q->config.model.name) &&
	     json_add_u64(doc, "option", q->config.option) &&
	     json_add_double(doc, "slo_percentile", q->share * 100) &&
	     json_add_double(
		     doc, "slo_seconds", (double)q->target_ns / 1e9) &&
	     json_add_u64(doc, "users", q->users);
	list = ok ? json_add_array(doc, "curve") : NULL;
	ok = list != NULL;
	for (i = 0; ok && i < q->point_count; i++) {
		x = json_add_object(list, NULL);
		ok = x && add_point(x, &q->points[i]);
	}
	return cli_print_whole(doc, ok);
}

static int size(const struct kvcache_options *o, struct kvcache_setup *s,
	struct kv_size *q, struct err *e)
{
	struct kv_run run = {
		.engine = s->engine,
		.virtual_time = true,
		.drive = o->drive,
		.workload = &s->workload,
	};
	struct record notes;
	int r, code = 0;

	q->config = s->options[0];
	q->run = &run;
	r = group_local_open(1, &run.group, e);
	if (r)
		return cli_fail_report(o->json, e);
	record_init(&notes);
	if (s->engine.kind == ENGINE_MODEL && q->config.io == KV_IO_REFERENCE)
		record_note(&notes, "kv-host-model",
			"the benchmark's host is modelled too (%s); --io "
			"direct does without", s->workload.host.source);
	r = kv_size(q, e);
	group_close(run.group);
	if (r)
		code = cli_fail_report(o->json, e);
	else if (o->json)
		code = print_json(o, q);
	else
		print_text(o, q, &notes);
	record_fini(&notes);
	return code;
}

int cmd_kvcache_size(int argc, const char **argv)
{
	struct kvcache_options o;
	struct kvcache_setup *s;
	struct kv_size *q;
	struct err e;
	int r, code;

	kvcache_options_default(&o);
	if (!command_options(kvcache_size_rows, &o, argc, argv, &code))
		return code;
	s = calloc(1, sizeof(*s));
	q = calloc(1, sizeof(*q));
	r = s && q ? 0 : err_nomem(&e, "the question");
	/* one question, one option: the first where none is said */
	if (!o.option)
		o.option = "1";
	if (!r && !o.drive)
		r = err_set(&e, ERR_USAGE, -EINVAL,
			"kvcache size needs --drive MODEL");
	if (!r)
		r = parse_slo(o.slo, q, &e);
	if (!r)
		r = kvcache_resolve(&o, s, &e);
	if (!r && s->option_count > 1)
		r = err_set(&e, ERR_USAGE, -EINVAL,
			"--option %s: one at a time", o.option);
	if (!r && o.users)
		r = err_set(&e, ERR_USAGE, -EINVAL,
			"--num-users is what kvcache size looks for");
	code = r ? cli_fail_report(o.json, &e) : size(&o, s, q, &e);
	free(s);
	free(q);
	return code;
}
