/* Generating a data set; see dataset_job.h. */
#include "plan/dataset_job.h"

#include "core/file.h"
#include "core/units.h"
#include "datagen/generate.h"
#include "datagen/manifest.h"
#include "plan/shared.h"
#include "storage/buffers.h"
#include "storage/store.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PROGRESS_NS (500 * NS_PER_MS)

struct work {
	const struct dataset_job *j;
	struct manifest manifest; /* of the set to be; owns sizes and CRCs */
	struct dataset_dims *dims;
	bool *present;
	struct store store;
	uint64_t files_missing, bytes_missing;
	bool same, was_complete; /* what the old manifest says */
	struct clock clock;
	struct engine *engine;
	struct buffers buffers;
	struct generator *gen;
	int64_t start_ns;
};

static int name_path(void *ctx, uint64_t i, char *buf, size_t buf_bytes)
{
	const struct work *w = ctx;

	return dataset_file_path(
		&w->j->layout, w->j->folder, i, buf, buf_bytes);
}

static uint64_t name_size(void *ctx, uint64_t i)
{
	const struct work *w = ctx;

	return w->manifest.file_bytes[i];
}

static int describe(struct work *w, struct err *e)
{
	const struct dataset_job *j = w->j;
	struct manifest *m = &w->manifest;
	uint64_t i, n = j->layout.files;
	int r;

	r = dataset_check(&j->layout, e);
	if (r)
		return r;
	m->layout = j->layout;
	m->kind = j->kind;
	m->seed = j->seed;
	m->ratios = j->ratios;
	snprintf(m->model, sizeof(m->model), "%s", j->model);
	snprintf(m->scale, sizeof(m->scale), "%s", j->scale);
	w->dims = calloc(n, sizeof(*w->dims));
	w->present = calloc(n, sizeof(*w->present));
	m->file_bytes = calloc(n, sizeof(*m->file_bytes));
	m->file_crc32 = calloc(n, sizeof(*m->file_crc32));
	if (!w->dims || !w->present || !m->file_bytes || !m->file_crc32)
		return err_nomem(e, "the data set's description");
	r = dataset_dims_all(&j->layout, w->dims, e);
	for (i = 0; !r && i < n; i++) {
		m->file_bytes[i] = dataset_file_bytes(&j->layout, w->dims[i]);
		m->total_bytes += m->file_bytes[i];
	}
	return r;
}

/* Another data set in this folder is not to be mixed with or lost. */
static int compare_with_old(struct work *w, struct err *e)
{
	struct manifest old;
	uint64_t size;
	char why[512];
	int r = manifest_load(w->j->folder, &old, e);

	if (r == -ENOENT) {
		if (store_stat(&w->store, 0, &size) || w->j->overwrite)
			return 0;
		return err_set(e, ERR_USAGE, -EEXIST,
			"%s holds files of that name and no %s: another "
			"tool's data set; use another --data-dir, or "
			"--overwrite", w->j->folder, MANIFEST_NAME);
	}
	if (r)
		return w->j->overwrite ? 0 : r;
	w->same = manifest_same_set(&old, &w->manifest, why, sizeof(why));
	w->was_complete = w->same && old.complete;
	if (!w->same && !w->j->overwrite)
		r = err_set(e, ERR_USAGE, -EEXIST,
			"%s holds another data set: %s (there before what was "
			"asked for); use its parameters, another --data-dir, "
			"or --overwrite",
			w->j->folder, why);
	manifest_free(&old);
	return r;
}

/* Every process looks at all files: reading 4 KiB of each is cheap. */
static void look(struct work *w)
{
	struct manifest *m = &w->manifest;
	struct content_key key = {
		.kind = m->kind, .seed = m->seed, .ratios = m->ratios};
	uint64_t i;

	for (i = 0; i < m->layout.files; i++) {
		w->present[i] = w->same &&
				generate_is_present(&w->store, &m->layout,
					w->dims[i], i, &key, &m->file_crc32[i]);
		if (w->present[i])
			continue;
		w->files_missing++;
		w->bytes_missing += m->file_bytes[i];
	}
}

static int check_space(struct work *w, uint64_t *free_bytes, struct err *e)
{
	char need[UNITS_TEXT_MAX], have[UNITS_TEXT_MAX];
	int r = store_free_space(&w->store, free_bytes, e);

	/* files are whole blocks long, and folders grow */
	if (r || *free_bytes >= w->bytes_missing + w->files_missing * 8192)
		return r;
	return err_set(e, ERR_IO, -ENOSPC,
		"no room for the data set: %s needs %s (%" PRIu64 " bytes in "
		"%" PRIu64 " files), %s is free; nothing was written. Use "
		"fewer files, --scale, or another --data-dir",
		w->j->folder,
		units_format_bytes(need, w->bytes_missing), w->bytes_missing,
		w->files_missing, units_format_bytes(have, *free_bytes));
}

static int make_folders(struct work *w, struct err *e)
{
	const struct dataset_layout *l = &w->j->layout;
	static const char *const others[] = {"valid", "test"};
	char path[4352];
	uint64_t k = 0;
	size_t i;
	int r = 0;

	do {
		r = dataset_subfolder_path(
			l, w->j->folder, k, path, sizeof(path));
		r = r ? err_set(e, ERR_USAGE, r, "%s: path too long",
				w->j->folder)
		      : file_mkdirs(path, e);
	} while (!r && ++k < l->subfolders);
	for (i = 0; !r && i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", w->j->folder, others[i]);
		r = file_mkdirs(path, e);
	}
	return r;
}

static void fill_progress(
	const struct work *w, struct dataset_progress *p, bool scale)
{
	struct generate_progress g = {0, 0};
	uint64_t n = scale ? w->j->group->size : 1;

	if (w->gen)
		generate_get_progress(w->gen, &g);
	p->files_total = w->files_missing;
	p->bytes_total = w->bytes_missing;
	p->files_done = g.files_done * n < p->files_total
				? g.files_done * n : p->files_total;
	p->bytes_done = g.bytes_done * n < p->bytes_total
				? g.bytes_done * n : p->bytes_total;
	p->elapsed_ns = w->clock.zero_ns ? clock_now(&w->clock) - w->start_ns
					 : 0;
}

static void show_progress(const struct work *w)
{
	struct dataset_progress p;

	if (!w->j->progress || w->j->group->first)
		return;
	fill_progress(w, &p, true);
	w->j->progress(w->j->ctx, &p);
}

/* A background task of the loop: it only shows how far the work is. */
struct ticker {
	struct loop_task task;
	struct work *w;
	struct loop *loop;
};

static int tick(struct loop_task *task, struct err *e)
{
	struct ticker *t = (struct ticker *)task;

	(void)e;
	show_progress(t->w);
	loop_sleep(t->loop, task, clock_now(t->loop->clock) + PROGRESS_NS);
	return 0;
}

static int open_io(struct work *w, struct err *e)
{
	struct engine_spec spec = w->j->engine;
	char why[512];
	int r;

	clock_start(&w->clock, false);
	w->start_ns = clock_now(&w->clock);
	spec.depth = GENERATE_BUFFERS + 8;
	spec.dir = w->j->folder;
	r = engine_open(&spec, &w->clock, &w->engine, why, sizeof(why), e);
	if (r)
		return r;
	if (why[0] && w->j->note)
		w->j->note(w->j->ctx, "engine", why);
	r = buffers_init(&w->buffers, w->engine, GENERATE_BUFFERS,
		GENERATE_CHUNK_BYTES, true, e);
	if (!r && !w->buffers.huge && w->j->note)
		w->j->note(w->j->ctx, "huge-pages",
			"buffers got 4-KiB pages instead of huge pages");
	return r;
}

static int write_files(struct work *w, struct err *e)
{
	const struct dataset_job *j = w->j;
	struct generate_config c = {
		.layout = &j->layout,
		.dims = w->dims,
		.kind = j->kind,
		.seed = j->seed,
		.ratios = j->ratios,
		.worker = j->group->first,
		.workers = j->group->size,
		.direct = j->direct,
		.crc32 = w->manifest.file_crc32,
		.present = w->present,
	};
	struct ticker ticker = {
		.task = {.step = tick, .background = true}, .w = w};
	struct loop_task *tasks[1];
	struct loop loop;
	struct err drained;
	int r;

	loop_init(&loop, w->engine);
	ticker.loop = &loop;
	r = generate_open(&c, &w->store, &loop, &w->buffers, &w->gen, e);
	if (!r && j->progress && !j->group->first)
		r = loop_add(&loop, &ticker.task, e);
	r = group_agree(j->group, r, e);
	if (!r) {
		tasks[0] = generate_task(w->gen);
		r = group_attach(j->group, &loop, tasks, e);
		group_set_phase(j->group, WATCH_WRITE, 0, 0);
		if (!r)
			r = loop_run(&loop, e);
		if (r)
			group_fail(j->group, e);
		group_detach(j->group);
		loop_drain(&loop, &drained);
		show_progress(w);
		r = group_agree(j->group, r, e);
	}
	loop_fini(&loop);
	return r;
}

static int take_crcs(void *arg, uint32_t process, const void *buf,
	size_t size_bytes, struct err *e)
{
	struct work *w = arg;
	const uint32_t *crc = buf;
	uint64_t i;

	if (size_bytes != w->j->layout.files * sizeof(*crc))
		return err_set(e, ERR_BUG, -EBADMSG, "bad checksum message");
	for (i = process; i < w->j->layout.files; i += w->j->group->size)
		w->manifest.file_crc32[i] = crc[i];
	return 0;
}

static void work_fini(struct work *w)
{
	generate_close(w->gen);
	buffers_fini(&w->buffers);
	engine_close(w->engine);
	free(w->dims);
	free(w->present);
	manifest_free(&w->manifest);
}

static int prepare(struct work *w, uint64_t *free_bytes, struct err *e)
{
	struct store_namer namer = {
		.ctx = w, .path = name_path, .size_bytes = name_size};
	struct stat st;
	int r;

	if (stat(w->j->folder, &st) ? errno == ENOTDIR : !S_ISDIR(st.st_mode))
		return err_set(e, ERR_USAGE, -ENOTDIR,
			"--data-dir: %s or a part of it is a file, not a "
			"folder", w->j->folder);
	if (stat(w->j->folder, &st) && errno == ELOOP)
		return err_set(e, ERR_USAGE, -ELOOP, "--data-dir: %s: %s",
			w->j->folder, strerror(ELOOP));
	r = describe(w, e);
	if (r)
		return r;
	store_posix_init(&w->store, w->j->folder, &namer);
	r = compare_with_old(w, e);
	if (r)
		return r;
	look(w);
	return check_space(w, free_bytes, e);
}

static void fill_result(const struct work *w, struct dataset_result *res)
{
	memset(res, 0, sizeof(*res));
	res->files = w->manifest.layout.files;
	res->bytes = w->manifest.total_bytes;
	res->files_written = w->files_missing;
	res->bytes_written = w->bytes_missing;
	if (w->engine) {
		res->elapsed_ns = clock_now(&w->clock) - w->start_ns;
		snprintf(res->engine, sizeof(res->engine), "%s",
			engine_name(w->engine));
	}
}

int dataset_job_plan(const struct dataset_job *j, struct dataset_result *res,
	uint64_t *free_bytes, struct err *e)
{
	struct work w = {.j = j};
	int r;

	*free_bytes = 0;
	r = prepare(&w, free_bytes, e);
	fill_result(&w, res);
	work_fini(&w);
	return r;
}

/* Rank 0 alone: folders and a manifest that says "not complete". */
static int begin(struct work *w, struct err *e)
{
	char train[4352];
	int r = 0;

	if (!w->files_missing || w->j->group->first)
		return 0;
	if (!w->same && w->j->overwrite) {
		snprintf(train, sizeof(train), "%s/train", w->j->folder);
		r = file_remove_tree(train, e);
	}
	if (!r)
		r = make_folders(w, e);
	if (!r)
		r = manifest_save(w->j->folder, &w->manifest, e);
	return r;
}

/* Rank 0 gets every process's checksums; then the set is complete. */
static int finish(struct work *w, struct err *e)
{
	const struct dataset_job *j = w->j;
	int r = group_gather(j->group, w->manifest.file_crc32,
		j->layout.files * sizeof(uint32_t), take_crcs, w, e);

	if (!r && !j->group->first) {
		w->manifest.complete = true;
		r = manifest_save(j->folder, &w->manifest, e);
	}
	return group_agree(j->group, r, e);
}

/* A folder that is another one on each host would part the ranks' ways. */
static int same_everywhere(struct work *w, struct err *e)
{
	uint64_t missing = w->files_missing;
	int r = group_share(w->j->group, &missing, sizeof(missing), e);

	if (!r && missing != w->files_missing)
		r = err_set(e, ERR_ENV, -ESTALE,
			"%s: %" PRIu64 " files of the data set are missing "
			"here, rank 0 misses %" PRIu64 "; is it the same file "
			"system on every host?",
			w->j->folder, w->files_missing, missing);
	return group_agree(w->j->group, r, e);
}

int dataset_job_run(const struct dataset_job *j, struct dataset_result *res,
	struct err *e)
{
	struct work w = {.j = j};
	struct dataset_progress p;
	uint64_t free_bytes;
	int r;

	/* all look before one of them changes anything */
	r = group_agree(j->group, prepare(&w, &free_bytes, e), e);
	if (!r)
		r = same_everywhere(&w, e);
	if (!r && j->plan && !j->group->first) {
		fill_progress(&w, &p, false);
		j->plan(j->ctx, &p);
	}
	if (!r)
		r = group_agree(j->group, begin(&w, e), e);
	/* half a set on each of two hosts is none: mlcommons/storage#619 */
	if (!r && w.files_missing)
		r = shared_check_data(j->group, j->folder, e);
	if (!r && w.files_missing) {
		r = group_agree(j->group, open_io(&w, e), e);
		if (!r)
			r = write_files(&w, e);
	}
	if (!r && (w.files_missing || !w.was_complete))
		r = finish(&w, e);
	fill_result(&w, res);
	work_fini(&w);
	return r;
}
