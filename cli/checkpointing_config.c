/* What the options of a checkpointing run resolve to; see checkpointing.h. */
#include "cli/checkpointing.h"

#include "core/config.h"
#include "core/json.h"
#include "core/units.h"
#include "storage/host.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <string.h>

static int parse_engine(const struct checkpointing_options *o,
	struct checkpointing_setup *s, struct err *e)
{
	/* the reference's calls are plain reads and writes */
	return resolve_engine(o->config_dir, o->drive, o->clock, o->engine,
		s->config.io == CKPT_IO_REFERENCE ? ENGINE_PREAD : ENGINE_AUTO,
		&s->engine, &s->virtual_time, e);
}

static int parse_size(const char *text, const char *what, uint64_t standard,
	uint32_t *out, struct err *e)
{
	uint64_t bytes = standard;

	if (text && units_parse_bytes(text, 1, what, &bytes, e))
		return e->code;
	if (!bytes || bytes % 4096 || bytes > 1024 * MIB_BYTES)
		return err_set(e, ERR_USAGE, -EINVAL,
			"%s %s: must be a multiple of 4096 bytes up to 1 GiB",
			what, text);
	*out = (uint32_t)bytes;
	return 0;
}

static int parse_io(const struct checkpointing_options *o,
	struct ckpt_config *c, struct err *e)
{
	bool direct = o->o_direct || !strcmp(o->io, "direct");
	int r;

	if (!direct && strcmp(o->io, "reference"))
		return err_set(e, ERR_USAGE, -EINVAL,
			"--io %s: must be reference or direct", o->io);
	c->io = direct ? CKPT_IO_DIRECT : CKPT_IO_REFERENCE;
	if (!direct && (o->write_depth || o->read_depth))
		return err_set(e, ERR_USAGE, -EINVAL,
			"--%s-depth goes with --io direct: the reference has "
			"one write and four reads in flight",
			o->write_depth ? "write" : "read");
	c->write_depth = (uint32_t)(o->write_depth ? o->write_depth : 16);
	c->read_depth = (uint32_t)(o->read_depth ? o->read_depth : 16);
	if (!direct)
		c->write_depth = c->read_depth = 1; /* of each reader */
	if (o->limit_content &&
		units_parse_rate(o->limit_content, "--limit-content",
			&c->limit_fill_bytes_per_s, e))
		return e->code;
	r = parse_size(o->write_size, "--write-size",
		direct ? MIB_BYTES : 32 * MIB_BYTES, &c->write_bytes, e);
	return r ? r : parse_size(o->read_size, "--read-size",
			       direct ? MIB_BYTES : 128 * MIB_BYTES,
			       &c->read_bytes, e);
}

static int parse_counts(const struct checkpointing_options *o,
	struct ckpt_config *c, struct err *e)
{
	const struct ckpt_model *m = &c->shape.model;

	c->writes = (uint32_t)(o->writes == UINT64_MAX ? m->writes : o->writes);
	c->reads = (uint32_t)(o->reads == UINT64_MAX ? m->reads : o->reads);
	c->keep = (uint32_t)o->keep;
	if (!c->writes && !c->reads)
		return err_set(e, ERR_USAGE, -EINVAL,
			"nothing to save and nothing to load: "
			"--num-checkpoints-write and --num-checkpoints-read "
			"are both 0");
	/* said or not, no more can be loaded than there are */
	if (o->reads == UINT64_MAX && c->writes && c->reads > c->writes)
		c->reads = c->writes;
	if (o->reads == UINT64_MAX && c->keep && c->reads > c->keep)
		c->reads = c->keep;
	if (c->writes && c->reads > c->writes)
		return err_set(e, ERR_USAGE, -EINVAL,
			"cannot load %u checkpoints of %u that are saved",
			c->reads, c->writes);
	if (c->keep && c->reads > c->keep)
		return err_set(e, ERR_USAGE, -EINVAL,
			"cannot load %u checkpoints when --keep %u are kept",
			c->reads, c->keep);
	if (o->gap)
		return units_parse_time(o->gap, "--gap", &c->gap_ns, e);
	c->gap_ns = (int64_t)(m->gap_s * 1e9);
	return 0;
}

/* What the ranks stand for, and its memory. */
static int parse_accelerator(const struct checkpointing_options *o,
	struct checkpointing_setup *s, struct err *e)
{
	struct cJSON *doc;
	char file[128];
	int r;

	s->accelerator_gib = NAN;
	if (!o->accelerator)
		return 0;
	if (strlen(o->accelerator) >= sizeof(s->accelerator))
		return err_set(e, ERR_USAGE, -ENAMETOOLONG,
			"--accelerator-type %s: the name is too long",
			o->accelerator);
	strcpy(s->accelerator, o->accelerator);
	snprintf(file, sizeof(file), "accelerators/%s.json", o->accelerator);
	r = config_load(o->config_dir, file, &doc, e);
	if (r)
		return r;
	r = json_get_double(
		doc, file, "memory_gb", 1, 1e6, &s->accelerator_gib, e);
	cJSON_Delete(doc);
	return r;
}

/* A real client has what it has. */
static int parse_memory(const struct checkpointing_options *o,
	struct checkpointing_setup *s, struct err *e)
{
	if (!o->memory)
		return 0;
	if (!s->virtual_time)
		return err_set(e, ERR_USAGE, -EINVAL,
			"--client-host-memory-in-gb goes with --drive in "
			"virtual time: the memory of real hosts is measured");
	return units_parse_bytes(o->memory, GIB_BYTES,
		"--client-host-memory-in-gb", &s->client_memory_bytes, e);
}

int checkpointing_resolve(const struct checkpointing_options *o,
	struct checkpointing_setup *s, struct err *e)
{
	struct ckpt_config *c = &s->config;
	int r;

	memset(s, 0, sizeof(*s));
	r = checkpointing_shape(o, &c->shape, e);
	if (!r)
		r = parse_io(o, c, e);
	if (!r)
		r = parse_counts(o, c, e);
	if (!r)
		r = parse_engine(o, s, e);
	if (!r)
		r = parse_accelerator(o, s, e);
	if (!r)
		r = parse_memory(o, s, e);
	if (!r)
		r = resolve_division(o->division, &s->division, e);
	if (r)
		return r;
	if (o->drive && o->verify)
		return err_set(e, ERR_USAGE, -EINVAL,
			"--verify needs bytes, and a modelled drive has none");
	c->rotate = o->rotate;
	c->verify = o->verify;
	c->seed = o->seed;
	c->drop_caches = o->drop_caches;
	c->allow_cached = o->allow_cached;
	if (o->folder &&
		(size_t)snprintf(c->folder, sizeof(c->folder), "%s/%s",
			o->folder, c->shape.model.name) >= sizeof(c->folder))
		return err_set(e, ERR_USAGE, -ENAMETOOLONG,
			"--checkpoint-folder: path too long");
	return checkpointing_check_rules(o, s, e);
}
