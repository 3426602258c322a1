/*
 * The folder of one invocation: every file of it goes into a hidden folder,
 * which gets its name when all are there.
 */
#include "results/invocation.h"

#include "core/file.h"
#include "results/ckpt_json.h"
#include "results/record_json.h"
#include "results/trace_hdf5.h"
#include "results/vdb_json.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int write_text(const char *text, const char *dir,
	const struct invocation *v, const char *stream, struct err *e)
{
	char path[PATH_MAX], name[64];
	int ret;

	if (!text)
		return 0;
	snprintf(name, sizeof(name), "%s_%s.%s.log", results_family(v),
		v->command, stream);
	ret = results_path(path, dir, name, e);
	return ret ? ret : file_write_atomic(path, text, strlen(text), e);
}

static int write_common(
	const struct invocation *v, const char *dir, struct err *e)
{
	int ret = results_write_metadata(v, dir, e);

	if (!ret)
		ret = write_text(v->out_text, dir, v, "stdout", e);
	if (!ret)
		ret = write_text(v->err_text, dir, v, "stderr", e);
	return ret;
}

/* All but the trace. */
static int write_run(const struct invocation *v, const struct record *rec,
	const struct rec_run *run, const char *dir, struct err *e)
{
	int ret = results_write_files(rec, run, dir, e);

	if (!ret)
		ret = write_common(v, dir, e);
	if (!ret)
		ret = results_write_cluster_info(v, dir, e);
	if (!ret)
		ret = results_write_dlio_log(v, run, dir, e);
	if (!ret)
		ret = results_write_dlio_config(v, dir, e);
	return ret;
}

static int give_up(const char *partial, int code)
{
	file_remove_tree(partial, NULL);
	return code;
}

int results_write_run_leaf(const struct invocation *v, const struct record *rec,
	struct rec_run *run, struct err *e)
{
	char partial[PATH_MAX], path[PATH_MAX];
	struct err other;
	int ret, trace;

	ret = results_leaf_open(v->leaf, partial, sizeof(partial), e);
	if (ret)
		return ret;
	snprintf(run->leaf, sizeof(run->leaf), "%s", v->leaf);
	ret = write_run(v, rec, run, partial, e);
	if (ret) {
		run->leaf[0] = '\0';
		return give_up(partial, ret);
	}
	/* a file system may refuse what HDF5 asks of it: the rest is worth
	 * keeping all the same */
	trace = results_write_trace(rec, run, partial, e);
	if (trace && !results_path(path, partial, "trace.h5", &other))
		unlink(path);
	ret = results_leaf_commit(v->leaf, partial, trace ? &other : e);
	if (ret && trace)
		*e = other;
	if (ret) {
		run->leaf[0] = '\0';
		return give_up(partial, ret);
	}
	return trace ? err_wrap(e, "all other files of the run are in %s",
			       v->leaf)
		     : 0;
}

/* A leaf with what all have; nothing stays behind an error. */
static int begin(
	const struct invocation *v, char partial[PATH_MAX], struct err *e)
{
	int ret = results_leaf_open(v->leaf, partial, PATH_MAX, e);

	if (ret)
		return ret;
	ret = write_common(v, partial, e);
	return ret ? give_up(partial, ret) : 0;
}

/* The leaf comes into its place, unless ret says that something failed. */
static int finish(
	const struct invocation *v, const char *partial, int ret, struct err *e)
{
	if (!ret)
		ret = results_leaf_commit(v->leaf, partial, e);
	return ret ? give_up(partial, ret) : 0;
}

int results_write_plain_leaf(const struct invocation *v, struct err *e)
{
	char partial[PATH_MAX];
	int ret = begin(v, partial, e);

	if (ret)
		return ret;
	/* sizing runs no workload */
	if (v->size)
		ret = results_write_cluster_info(v, partial, e);
	else
		ret = results_write_dlio_log(v, NULL, partial, e);
	if (!ret && !v->size)
		ret = results_write_dlio_config(v, partial, e);
	return finish(v, partial, ret, e);
}

int results_write_ckpt_leaf(const struct invocation *v,
	const struct ckpt_record *rec, struct err *e)
{
	char partial[PATH_MAX];
	int ret = begin(v, partial, e);

	if (ret)
		return ret;
	ret = results_write_ckpt(rec, partial, e);
	if (!ret)
		ret = results_write_ckpt_log(v, rec, partial, e);
	if (!ret)
		ret = results_write_dlio_config(v, partial, e);
	return finish(v, partial, ret, e);
}

int results_write_vdb_leaf(const struct invocation *v,
	const struct vdb_record *rec, struct err *e)
{
	char partial[PATH_MAX];
	int ret = begin(v, partial, e);

	return ret ? ret
		   : finish(v, partial, results_write_vdb(rec, partial, e), e);
}

int results_write_vdb_phase(const struct invocation *v,
	const struct vdb_shape *shape, const char *index_type, struct err *e)
{
	char partial[PATH_MAX];
	int ret = begin(v, partial, e);

	if (ret)
		return ret;
	if (shape)
		ret = results_write_vdb_datagen(shape, index_type,
			v->config->drive[0] != '\0', partial, e);
	return finish(v, partial, ret, e);
}
