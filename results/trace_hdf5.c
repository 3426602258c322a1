/* trace.h5 by serial HDF5; see trace_hdf5.h. */
#include "results/trace_hdf5.h"

#include <errno.h>
#include <hdf5.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Steps in the order of the file, epochs that a rank lacks stay -1. */
struct shape {
	hsize_t ranks, epochs, steps;
};

struct trace {
	hid_t file, root;
	const struct record *rec;
	const struct rec_run *run;
	struct shape shape;
};

/* Of variable length: h5py reads those as str. */
static bool add_text(hid_t to, const char *name, const char *text)
{
	hid_t space = H5Screate(H5S_SCALAR), type = H5Tcopy(H5T_C_S1), attr;
	bool ok;

	H5Tset_size(type, H5T_VARIABLE);
	H5Tset_cset(type, H5T_CSET_UTF8);
	attr = H5Acreate2(to, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
	ok = attr >= 0 && H5Awrite(attr, type, &text) >= 0;
	if (attr >= 0)
		H5Aclose(attr);
	H5Tclose(type);
	H5Sclose(space);
	return ok;
}

static bool add_number(hid_t to, const char *name, hid_t type, const void *v)
{
	hid_t space = H5Screate(H5S_SCALAR), attr;
	bool ok;

	attr = H5Acreate2(to, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
	ok = attr >= 0 && H5Awrite(attr, type, v) >= 0;
	if (attr >= 0)
		H5Aclose(attr);
	H5Sclose(space);
	return ok;
}

static bool add_u64(hid_t to, const char *name, uint64_t v)
{
	return add_number(to, name, H5T_NATIVE_UINT64, &v);
}

static bool add_i64(hid_t to, const char *name, int64_t v)
{
	return add_number(to, name, H5T_NATIVE_INT64, &v);
}

/* h5py reads it as a truth of numpy. */
static bool add_bool(hid_t to, const char *name, bool v)
{
	hid_t type = H5Tenum_create(H5T_NATIVE_INT8);
	int8_t no = 0, yes = 1, value = v;
	bool ok;

	ok = H5Tenum_insert(type, "FALSE", &no) >= 0 &&
	     H5Tenum_insert(type, "TRUE", &yes) >= 0 &&
	     add_number(to, name, type, &value);
	H5Tclose(type);
	return ok;
}

static bool add_attributes(const struct trace *t)
{
	const struct train_config *c = &t->rec->config;
	hid_t o = t->root;

	return add_text(o, "schema", "stoker-trace-1") &&
	       add_text(o, "tool", "stoker") &&
	       add_text(o, "tool_version", t->rec->tool_version) &&
	       add_text(o, "command_line", t->rec->command_line) &&
	       add_bool(o, "emulated", true) &&
	       add_bool(o, "virtual_time", t->rec->time.is_virtual) &&
	       add_i64(o, "wall_anchor_ns", t->rec->time.wall_anchor_ns) &&
	       add_text(o, "division", rec_division_name(c->division)) &&
	       add_text(o, "model", c->model) &&
	       add_text(o, "accelerator", c->accelerator) &&
	       add_text(o, "drive", c->drive) &&
	       add_text(o, "data_folder", c->data_folder) &&
	       add_text(o, "engine", c->engine) &&
	       add_u64(o, "accelerators", c->accelerators) &&
	       add_u64(o, "files", c->files) &&
	       add_u64(o, "batch_size", c->batch_size) &&
	       add_u64(o, "record_bytes", c->record_bytes) &&
	       add_i64(o, "computation_ns", c->computation_ns) &&
	       add_u64(o, "read_threads", c->read_threads) &&
	       add_u64(o, "prefetch_factor", c->prefetch_factor) &&
	       add_u64(o, "queue_depth", c->queue_depth) &&
	       add_u64(o, "transfer_bytes", c->transfer_bytes) &&
	       add_bool(o, "odirect", c->odirect) &&
	       add_u64(o, "scale_num", c->scale.num) &&
	       add_u64(o, "scale_den", c->scale.den);
}

/* An int64 dataset whose elements start as -1; negative on failure. */
static hid_t times(const struct trace *t, const char *name, int dims)
{
	hsize_t size[3] = {t->shape.ranks, t->shape.epochs, t->shape.steps};
	hid_t space = H5Screate_simple(dims, size, NULL);
	hid_t plist = H5Pcreate(H5P_DATASET_CREATE), set;
	int64_t none = -1;

	H5Pset_fill_value(plist, H5T_NATIVE_INT64, &none);
	set = H5Dcreate2(t->file, name, H5T_STD_I64LE, space, H5P_DEFAULT,
		plist, H5P_DEFAULT);
	H5Pclose(plist);
	H5Sclose(space);
	if (set >= 0 && !add_text(set, "units", "ns")) {
		H5Dclose(set);
		return -1;
	}
	return set;
}

/* n values for one rank and epoch. */
static bool put_row(hid_t set, hid_t space, hsize_t rank, hsize_t epoch,
	hsize_t n, const int64_t *ns)
{
	hsize_t start[3] = {rank, epoch, 0}, count[3] = {1, 1, n};
	hid_t memory = H5Screate_simple(1, &n, NULL);
	bool ok;

	ok = H5Sselect_hyperslab(
		     space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
	     H5Dwrite(set, H5T_NATIVE_INT64, memory, space, H5P_DEFAULT, ns) >=
		     0;
	H5Sclose(memory);
	return ok;
}

/* Where in an epoch the pointer to one value per step lies, or the value. */
static bool put_times(
	const struct trace *t, const char *name, size_t offset, bool per_step)
{
	hid_t set = times(t, name, per_step ? 3 : 2), space;
	const struct rec_rank *k;
	bool ok = set >= 0;
	uint32_t r, i;

	if (!ok)
		return false;
	space = H5Dget_space(set);
	for (r = 0; ok && r < t->run->rank_count; r++) {
		k = &t->run->ranks[r];
		for (i = 0; ok && i < k->epoch_count; i++) {
			const char *at = (const char *)&k->epochs[i] + offset;
			uint32_t n = per_step ? k->epochs[i].steps : 1;

			if (n)
				ok = put_row(set, space, r, i, n,
					per_step ? *(int64_t *const *)at
						 : (const int64_t *)at);
		}
	}
	H5Sclose(space);
	return H5Dclose(set) >= 0 && ok;
}

#define AT(member) offsetof(struct rec_epoch, member)

static bool put_all_times(const struct trace *t)
{
	return put_times(t, "load_ns", AT(load_ns), true) &&
	       put_times(t, "compute_ns", AT(compute_ns), true) &&
	       put_times(t, "barrier_ns", AT(barrier_ns), true) &&
	       put_times(t, "block_start_ns", AT(block_ns), false) &&
	       put_times(t, "block_end_ns", AT(block_end_ns), false);
}

static bool put_buckets(hid_t group, const char *name, const char *units,
	const uint64_t *v, hsize_t n)
{
	hid_t space = H5Screate_simple(1, &n, NULL);
	hid_t set = H5Dcreate2(group, name, H5T_STD_U64LE, space, H5P_DEFAULT,
		H5P_DEFAULT, H5P_DEFAULT);
	bool ok = set >= 0;

	if (ok && n)
		ok = H5Dwrite(set, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL,
			     H5P_DEFAULT, v) >= 0;
	ok = ok && add_text(set, "units", units);
	if (set >= 0)
		ok = H5Dclose(set) >= 0 && ok;
	H5Sclose(space);
	return ok;
}

/* Only buckets that count something; v has room for both lists. */
static bool put_hist(
	hid_t parent, enum rec_hist which, const struct hist *h, uint64_t *v)
{
	static const char *const units[REC_HISTS] = {"ns", "bytes", "requests"};
	uint64_t *counts = v + h->n;
	hsize_t n = 0;
	uint32_t i;
	hid_t group;
	bool ok;

	for (i = 0; i < h->n; i++) {
		if (!h->counts[i])
			continue;
		v[n] = hist_lower(h->first + i);
		counts[n++] = h->counts[i];
	}
	group = H5Gcreate2(parent, rec_hist_name(which), H5P_DEFAULT,
		H5P_DEFAULT, H5P_DEFAULT);
	if (group < 0)
		return false;
	ok = put_buckets(group, "lower", units[which], v, n) &&
	     put_buckets(group, "count", "1", counts, n) &&
	     add_u64(group, "min", h->count ? h->min : 0) &&
	     add_u64(group, "max", h->count ? h->max : 0);
	H5Gclose(group);
	return ok;
}

static bool put_hists(const struct trace *t)
{
	hid_t group = H5Gcreate2(
		t->file, "requests", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
	bool ok = group >= 0;
	uint64_t *v;
	struct hist h;
	int i;

	for (i = 0; ok && i < REC_HISTS; i++) {
		memset(&h, 0, sizeof(h));
		ok = !rec_run_hist(t->run, (enum rec_hist)i, &h);
		v = calloc(h.n + 1UL, 2 * sizeof(*v));
		ok = ok && v && put_hist(group, (enum rec_hist)i, &h, v);
		free(v);
		hist_fini(&h);
	}
	if (group >= 0)
		H5Gclose(group);
	return ok;
}

/*
 * HDF5 calls this instead of printing, each time a call fails and before the
 * next one wipes the stack of texts, which hold errno. The first counts.
 */
struct reason {
	int code;
	char text[256];
};

static herr_t look(unsigned n, const H5E_error2_t *entry, void *arg)
{
	struct reason *why = arg;
	const char *p = strstr(entry->desc, "errno = ");

	if (!n)
		snprintf(why->text, sizeof(why->text), "%s", entry->desc);
	if (!p || why->code)
		return 0;
	why->code = atoi(p + strlen("errno = "));
	snprintf(why->text, sizeof(why->text), "%s", strerror(why->code));
	return 0;
}

static herr_t on_error(hid_t stack, void *arg)
{
	struct reason *why = arg;

	return why->text[0] ? 0 : H5Ewalk2(stack, H5E_WALK_UPWARD, look, why);
}

static int failed(const struct reason *why, const char *path, struct err *e)
{
	if (why->code == ENOLCK || why->code == ENOSYS)
		return err_set(e, ERR_ENV, -why->code,
			"cannot lock %s (%s): the filesystem does not support "
			"locks; set HDF5_USE_FILE_LOCKING=FALSE",
			path, why->text);
	return err_set(e, ERR_IO, why->code ? -why->code : -EIO,
		"cannot write %s: %s", path,
		why->text[0] ? why->text : "HDF5 does not say why");
}

static void measure(struct trace *t)
{
	const struct rec_rank *k;
	uint32_t r, i;

	t->shape.ranks = t->run->rank_count;
	for (r = 0; r < t->run->rank_count; r++) {
		k = &t->run->ranks[r];
		if (k->epoch_count > t->shape.epochs)
			t->shape.epochs = k->epoch_count;
		for (i = 0; i < k->epoch_count; i++)
			if (k->epochs[i].steps > t->shape.steps)
				t->shape.steps = k->epochs[i].steps;
	}
}

static bool write_all(struct trace *t, const char *path)
{
	hid_t plist = H5Pcreate(H5P_FILE_ACCESS);
	bool ok;

	H5Pset_fapl_sec2(plist);
	t->file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, plist);
	H5Pclose(plist);
	if (t->file < 0)
		return false;
	t->root = H5Gopen2(t->file, "/", H5P_DEFAULT);
	ok = t->root >= 0 && add_attributes(t) && put_all_times(t) &&
	     put_hists(t);
	if (t->root >= 0)
		H5Gclose(t->root);
	/* what was held back is written here: a full disk shows */
	return H5Fclose(t->file) >= 0 && ok;
}

int results_write_trace(const struct record *rec, const struct rec_run *run,
	const char *dir, struct err *e)
{
	struct trace t = {.rec = rec, .run = run};
	struct reason why = {0};
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/trace.h5", dir), ret = 0;

	if (n < 0 || (size_t)n >= sizeof(path))
		return err_set(e, ERR_USAGE, -ENAMETOOLONG,
			"the results folder's name is too long: %.100s...",
			dir);
	if (H5open() < 0)
		return err_set(
			e, ERR_ENV, -ELIBACC, "%s: HDF5 does not start", path);
	H5Eset_auto2(H5E_DEFAULT, on_error, &why);
	measure(&t);
	if (!write_all(&t, path))
		ret = failed(&why, path, e);
	H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
	/* nobody keeps anything open between calls; a failed file goes, too */
	H5close();
	return ret;
}

/* n of at most HIST_BUCKETS numbers into v; negative: not such a list. */
static hssize_t get_buckets(hid_t group, const char *name, uint64_t *v)
{
	hid_t set = H5Dopen2(group, name, H5P_DEFAULT), space;
	hssize_t n = -1;

	if (set < 0)
		return -1;
	space = H5Dget_space(set);
	if (H5Sget_simple_extent_ndims(space) == 1)
		n = H5Sget_simple_extent_npoints(space);
	if (n > (hssize_t)HIST_BUCKETS ||
		(n > 0 && H5Dread(set, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL,
				  H5P_DEFAULT, v) < 0))
		n = -1;
	H5Sclose(space);
	H5Dclose(set);
	return n;
}

static bool get_u64(hid_t group, const char *name, uint64_t *v)
{
	hid_t attr = H5Aopen(group, name, H5P_DEFAULT), space;
	bool ok;

	if (attr < 0)
		return false;
	space = H5Aget_space(attr);
	ok = H5Sget_simple_extent_npoints(space) == 1 &&
	     H5Aread(attr, H5T_NATIVE_UINT64, v) >= 0;
	H5Sclose(space);
	H5Aclose(attr);
	return ok;
}

static bool get_hist(hid_t file, enum rec_hist which, struct hist *h)
{
	uint64_t *lower = calloc(2UL * HIST_BUCKETS, sizeof(*lower));
	uint64_t *count = lower + HIST_BUCKETS;
	hssize_t n = -1, i;
	hid_t group;
	char name[64];

	snprintf(name, sizeof(name), "/requests/%s", rec_hist_name(which));
	group = lower ? H5Gopen2(file, name, H5P_DEFAULT) : -1;
	if (group >= 0) {
		n = get_buckets(group, "lower", lower);
		if (get_buckets(group, "count", count) != n ||
			!get_u64(group, "min", &h->min) ||
			!get_u64(group, "max", &h->max) || h->min > h->max)
			n = -1;
		H5Gclose(group);
	}
	h->counts = n > 0 ? calloc(HIST_BUCKETS, sizeof(*h->counts)) : NULL;
	h->n = h->counts ? HIST_BUCKETS : 0;
	for (i = 0; h->counts && i < n; i++) {
		if (count[i] > UINT64_MAX - h->count)
			break;
		h->counts[hist_bucket(lower[i])] += count[i];
		h->count += count[i];
	}
	free(lower);
	return n == 0 || (h->counts && i == n);
}

int results_read_trace_hist(const char *dir, enum rec_hist which,
	struct hist *h, struct err *e)
{
	struct reason why = {0};
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/trace.h5", dir);
	bool ok = false;
	hid_t file;

	memset(h, 0, sizeof(*h));
	if (n < 0 || (size_t)n >= sizeof(path) || access(path, F_OK))
		return err_set(e, ERR_IO, -ENOENT, "%s has no trace.h5", dir);
	if (H5open() < 0)
		return err_set(
			e, ERR_ENV, -ELIBACC, "%s: HDF5 does not start", path);
	H5Eset_auto2(H5E_DEFAULT, on_error, &why);
	file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
	if (file >= 0) {
		ok = get_hist(file, which, h);
		H5Fclose(file);
	}
	H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
	H5close();
	if (ok)
		return 0;
	hist_fini(h);
	return err_set(e, ERR_IO, -EBADMSG, "%s: no histogram %s in it%s%s",
		path, rec_hist_name(which), why.text[0] ? ": " : "", why.text);
}

void results_hdf5_version(char *buf, size_t size)
{
	unsigned major, minor, release;

	if (size)
		buf[0] = '\0';
	if (H5get_libversion(&major, &minor, &release) >= 0)
		snprintf(buf, size, "%u.%u.%u", major, minor, release);
}
