/*
 * Saves and loads: exact times on a modelled drive, and real files whose
 * buffers are watched from being handed in to being done.
 */
#include "workloads/checkpoint.h"

#include "core/file.h"
#include "core/units.h"
#include "plan/ckpt_run.h"
#include "tests/unit/ut.h"
#include "tests/unit/ut_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RANKS_MAX 8
#define OPS_MAX 8

struct bed {
	struct ckpt_config c;
	struct engine_spec spec;
	struct clock clock;
	struct engine *engine;
	struct engine_ops watched;
	struct store store;
	struct group *group;
	struct buffers buffers;
	struct ckpt_op ops[RANKS_MAX * OPS_MAX];
	char dir[UT_PATH_MAX];
};

static struct ckpt_content content;

/* Every request in flight, and what its buffer should hold until it is done. */
static struct {
	int (*queue)(struct engine *g, struct engine_op *op);
	void (*done[3])(struct engine_op *op);
	struct engine_op *in_flight[64];
	size_t count, most;
	uint64_t writes, reads, syncs, fail_at, damaged, twice;
	const struct ckpt_config *c;
	uint64_t file; /* id of the file that is written */
} watch;

static void watch_done(struct engine_op *op)
{
	uint64_t bad;
	size_t i;

	for (i = 0; i < watch.count && watch.in_flight[i] != op; i++)
		;
	watch.in_flight[i] = watch.in_flight[--watch.count];
	if (op->opcode == ENGINE_WRITE && op->result >= 0 &&
		!ckpt_content_check(&content, watch.file, op->offset_bytes,
			op->buf, op->len_bytes, &bad))
		watch.damaged++;
	op->done = watch.done[op->opcode];
	op->done(op);
	if (op->opcode == ENGINE_FSYNC)
		watch.file++;
}

static int watch_queue(struct engine *g, struct engine_op *op)
{
	size_t i;

	for (i = 0; i < watch.count; i++)
		watch.twice += watch.in_flight[i]->buf == op->buf;
	watch.in_flight[watch.count++] = op;
	if (watch.count > watch.most)
		watch.most = watch.count;
	watch.writes += op->opcode == ENGINE_WRITE;
	watch.reads += op->opcode == ENGINE_READ;
	watch.syncs += op->opcode == ENGINE_FSYNC;
	watch.done[op->opcode] = op->done;
	op->done = watch_done;
	if (watch.fail_at && watch.writes == watch.fail_at) {
		engine_complete(g, op, -ENOSPC);
		return 0;
	}
	return watch.queue(g, op);
}

/* 8b at 1/den on `ranks` ranks, one save and one load, no pause. */
static void bed_init(struct bed *b, uint64_t ranks, uint32_t den)
{
	struct ckpt_model m;
	struct err e;

	memset(b, 0, sizeof(*b));
	CU_ASSERT_EQUAL_FATAL(ckpt_model_load(NULL, "llama3-8b", &m, &e), 0);
	CU_ASSERT_EQUAL_FATAL(ckpt_shape_init(&b->c.shape, &m, ranks, CKPT_AUTO,
				      1, den, &e), 0);
	b->c.writes = b->c.reads = 1;
	b->c.write_depth = b->c.read_depth = 1;
	b->c.write_bytes = 32 * MIB_BYTES;
	b->c.read_bytes = 128 * MIB_BYTES;
	b->spec.kind = ENGINE_CONSTANT;
	b->spec.bytes_per_s = 1000000000; /* a byte a nanosecond */
	b->spec.depth = 64;
}

static void bed_real(struct bed *b, enum ckpt_io io)
{
	ut_dir_make(b->dir, "/tmp");
	snprintf(b->c.folder, sizeof(b->c.folder), "%s/llama3-8b", b->dir);
	b->c.io = io;
	b->c.verify = true;
	b->c.allow_cached = true; /* /tmp may be memory */
	b->c.write_bytes = b->c.read_bytes = 65536;
	if (io == CKPT_IO_DIRECT)
		b->c.write_depth = b->c.read_depth = 4;
	b->spec.kind = ENGINE_PREAD;
	b->spec.dir = b->dir;
}

static int bed_run(struct bed *b, struct err *e)
{
	struct store_namer n = {.ctx = &b->c};
	struct checkpoint_env env = {
		.config = &b->c,
		.store = &b->store,
		.buffers = &b->buffers,
		.content = &content,
	};
	bool real = engine_spec_is_real(&b->spec);
	char why[512];
	int r;

	ckpt_content_init(&content, 1);
	clock_start(&b->clock, !real);
	if (real) {
		n.path = checkpoint_path;
		store_posix_init(&b->store, b->c.folder, &n);
	} else {
		n.size_bytes = checkpoint_size;
		store_catalog_init(&b->store, &n);
	}
	CU_ASSERT_EQUAL_FATAL(engine_open(&b->spec, &b->clock, &b->engine, why,
				      sizeof(why), e), 0);
	CU_ASSERT_EQUAL_FATAL(buffers_init(&b->buffers, b->engine,
				      checkpoint_buffers(&b->c) *
					      (uint32_t)b->c.shape.ranks,
				      checkpoint_buffer_bytes(&b->c), real, e),
		0);
	CU_ASSERT_EQUAL_FATAL(
		group_local_open((uint32_t)b->c.shape.ranks, &b->group, e), 0);
	if (real && b->c.shape.ranks == 1) {
		b->watched = *b->engine->ops;
		watch.queue = b->watched.queue;
		watch.file = 0;
		b->watched.queue = watch_queue;
		b->engine->ops = &b->watched;
	}
	env.engine = b->engine;
	env.group = b->group;
	r = checkpoint_run(&env, b->ops, e);
	group_close(b->group);
	buffers_fini(&b->buffers);
	engine_close(b->engine);
	return r;
}

/*
 * Eight ranks, files of 2007 and 12045 bytes (1/1000000), a byte a nanosecond
 * in one queue: the fsync of every rank waits behind the last one's bytes, so
 * all end after 8 x (2007 + 12045) ns. A load ends with the rank's own bytes.
 */
static void test_virtual_times(void)
{
	struct bed b;
	struct err e;
	uint32_t i;

	bed_init(&b, 8, 1000000);
	b.c.writes = b.c.reads = 2;
	b.c.gap_ns = 5 * NS_PER_S;
	CU_ASSERT_EQUAL_FATAL(bed_run(&b, &e), 0);
	for (i = 0; i < 8; i++) {
		const struct ckpt_op *op = &b.ops[i * 4];

		CU_ASSERT_EQUAL(op[0].start_ns, 5 * NS_PER_S);
		CU_ASSERT_EQUAL(
			op[0].end_ns - op[0].start_ns, 8 * (2007 + 12045));
		CU_ASSERT_EQUAL(op[1].start_ns, op[0].end_ns + 5 * NS_PER_S);
		CU_ASSERT_EQUAL(op[0].bytes, 2007 + 12045);
		CU_ASSERT_FALSE(op[1].load);
		CU_ASSERT_TRUE(op[2].load);
		/* oldest first */
		CU_ASSERT_EQUAL(op[2].step, 1);
		CU_ASSERT_EQUAL(op[3].step, 2);
		CU_ASSERT_EQUAL(op[2].bytes, 2007 + 12045);
	}
	CU_ASSERT_EQUAL(b.ops[7 * 4 + 2].end_ns - b.ops[7 * 4 + 2].start_ns,
		8 * (2007 + 12045));
}

/* 1 rank of the 8, 1/8192: a file of 245,064 bytes and one of 1,470,414. */
static void check_files(enum ckpt_io io, size_t least_in_flight)
{
	struct bed b;
	struct err e;
	char path[UT_PATH_MAX];

	memset(&watch, 0, sizeof(watch));
	bed_init(&b, 1, 8192);
	bed_real(&b, io);
	CU_ASSERT_EQUAL_FATAL(bed_run(&b, &e), 0);
	/* 3.7 and 22.4 pieces of 64 KiB */
	CU_ASSERT_EQUAL(watch.writes, 4 + 23);
	CU_ASSERT_EQUAL(watch.syncs, 2);
	CU_ASSERT_EQUAL(watch.damaged, 0);
	CU_ASSERT_EQUAL(watch.twice, 0);
	CU_ASSERT_TRUE(watch.most >= least_in_flight);
	CU_ASSERT_EQUAL(b.ops[0].bytes, 245064 + 1470414);
	CU_ASSERT_EQUAL(b.ops[1].verified_bytes, 245064 + 1470414);
	CU_ASSERT_EQUAL(ut_files_ending(b.dir, ".part"), 0);
	CU_ASSERT_EQUAL(ut_file_size(ut_join(path, b.c.folder,
		"global_epoch1_step1/zero_pp_rank_0_mp_rank_0_optim_states.pt")),
		1470414);
	/* one flipped bit, far into the second file */
	ut_file_flip(path, 1400001);
	b.c.writes = 0;
	CU_ASSERT_EQUAL(bed_run(&b, &e), -EBADMSG);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "at offset 1400001"));
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "optim_states.pt"));
	ut_dir_remove(b.dir);
}

static void test_direct_files(void)
{
	check_files(CKPT_IO_DIRECT, 4);
}

static void test_reference_files(void)
{
	check_files(CKPT_IO_REFERENCE, 1);
}

/* The drive fills up: the text names the file, no part of it stays. */
static void test_no_space(void)
{
	struct bed b;
	struct err e;

	memset(&watch, 0, sizeof(watch));
	watch.fail_at = 9;
	bed_init(&b, 1, 8192);
	bed_real(&b, CKPT_IO_DIRECT);
	CU_ASSERT_EQUAL(bed_run(&b, &e), -ENOSPC);
	CU_ASSERT_EQUAL(e.kind, ERR_IO);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "optim_states.pt"));
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "No space left"));
	CU_ASSERT_EQUAL(ut_files_ending(b.dir, ".part"), 0);
	/* the first file was complete, the second is not there */
	CU_ASSERT_EQUAL(ut_files_ending(b.dir, ".pt"), 1);
	watch.fail_at = 0;
	b.c.writes = 0;
	CU_ASSERT_EQUAL(bed_run(&b, &e), -ENOENT);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "was not saved"));
	ut_dir_remove(b.dir);
}

/* Four ranks, each loads its neighbour's; --keep 1 leaves the last one. */
static void test_rotation_and_keep(void)
{
	struct bed b;
	struct err e;

	bed_init(&b, 4, 65536);
	bed_real(&b, CKPT_IO_DIRECT);
	b.c.writes = 3;
	b.c.keep = 1;
	b.c.rotate = 1;
	CU_ASSERT_EQUAL_FATAL(bed_run(&b, &e), 0);
	CU_ASSERT_EQUAL(b.ops[3].step, 3);
	CU_ASSERT_EQUAL(b.ops[3].verified_bytes, b.ops[3].bytes);
	CU_ASSERT_EQUAL(ut_files_ending(b.dir, ".pt"), 4 * 2);
	ut_dir_remove(b.dir);
}

/* C35: each phase has its own bytes; rates are of them, or of the formula. */
static void test_metrics(void)
{
	struct ckpt_op ops[8] = {{0}};
	struct ckpt_record rec;
	size_t i;

	ckpt_record_init(&rec);
	rec.config.shape.ranks = 2;
	rec.op_count = 4;
	rec.ops = ops;
	rec.bytes = 15 * GIB_BYTES;
	for (i = 0; i < 8; i++) {
		ops[i].load = i % 4 >= 2;
		ops[i].bytes = ops[i].load ? 60 * MIB_BYTES : 100 * MIB_BYTES;
		ops[i].end_ns = 5 * NS_PER_S;
	}
	ops[1].end_ns = 15 * NS_PER_S;	/* rank 0's second save */
	ops[5].end_ns = 20 * NS_PER_S;	/* rank 1's was slower */
	ops[2].cached_bytes = 12 * MIB_BYTES;
	ckpt_record_metrics(&rec);
	/* rank 0: 15/5 and 15/15 GiB/s, 5 and 15 s */
	CU_ASSERT_DOUBLE_EQUAL(rec.save.rate_mean_gib_s, 2, 1e-12);
	CU_ASSERT_DOUBLE_EQUAL(rec.save.rate_stdev_gib_s, 1, 1e-12);
	CU_ASSERT_DOUBLE_EQUAL(rec.save.duration_mean_s, 10, 1e-12);
	CU_ASSERT_DOUBLE_EQUAL(rec.save.duration_stdev_s, 5, 1e-12);
	/* strict: 400 MiB in 5 + 20 s; the slow one 200 MiB in 20 s */
	CU_ASSERT_DOUBLE_EQUAL(
		rec.save.total_gib_s, 400.0 / 1024 / 25, 1e-12);
	CU_ASSERT_DOUBLE_EQUAL(
		rec.save.lowest_gib_s, 200.0 / 1024 / 20, 1e-12);
	CU_ASSERT_DOUBLE_EQUAL(rec.save.slowest_mean_s, 12.5, 1e-12);
	/* loads: 240 MiB, of which 12 were cached: 5 %, too much */
	CU_ASSERT_EQUAL(rec.load.bytes, 240 * MIB_BYTES);
	CU_ASSERT_DOUBLE_EQUAL(rec.load.total_gib_s, 240.0 / 1024 / 10, 1e-12);
	CU_ASSERT_DOUBLE_EQUAL(rec.load.cached_pct, 5, 1e-12);
	CU_ASSERT_FALSE(rec.load.valid);
	rec.ops = NULL;
	ckpt_record_fini(&rec);
}

static int run_1t(const char *drive, struct ckpt_record *rec, struct err *e)
{
	struct ckpt_run c = {.virtual_time = true, .drive = drive};
	struct ckpt_config *k = &rec->config;
	struct ckpt_model m;
	int r;

	CU_ASSERT_EQUAL_FATAL(ckpt_model_load(NULL, "llama3-1t", &m, e), 0);
	CU_ASSERT_EQUAL_FATAL(
		ckpt_shape_init(&k->shape, &m, 1024, CKPT_AUTO, 1, 1, e), 0);
	k->writes = 10;
	k->write_depth = k->read_depth = 1;
	k->write_bytes = k->read_bytes = 1024 * MIB_BYTES;
	CU_ASSERT_EQUAL_FATAL(engine_spec_parse(NULL, drive, &c.engine, e), 0);
	CU_ASSERT_EQUAL_FATAL(group_local_open(1024, &c.group, e), 0);
	r = ckpt_run(&c, rec, e);
	group_close(c.group);
	return r;
}

/* Ten of 1t are 165.64 TB: 21.6 drives of 7.68 TB. */
static void test_capacity(void)
{
	struct ckpt_record rec;
	struct err e;

	ckpt_record_init(&rec);
	CU_ASSERT_EQUAL(run_1t("2x d7-ps1010", &rec, &e), -ENOSPC);
	CU_ASSERT_EQUAL(ckpt_run_room_bytes(&rec.config), 165641740945920);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "take \"22x d7-ps1010\""));
	CU_ASSERT_FALSE(rec.finished);
	ckpt_record_fini(&rec);
	/* with the last one kept alone: 16.56 TB are 2.2 drives */
	ckpt_record_init(&rec);
	rec.config.keep = 1;
	CU_ASSERT_EQUAL(run_1t("2x d7-ps1010", &rec, &e), -ENOSPC);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "take \"3x d7-ps1010\""));
	ckpt_record_fini(&rec);
}

UT_SUITE(checkpoint, UT_CASE(test_capacity), UT_CASE(test_virtual_times), UT_CASE(test_direct_files),
	UT_CASE(test_reference_files), UT_CASE(test_no_space),
	UT_CASE(test_rotation_and_keep), UT_CASE(test_metrics))
