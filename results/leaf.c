/*
 * The folder of one invocation: every file of it goes into a hidden folder,
 * which gets its name when all are there.
 */
#include "results/invocation.h"

#include "core/file.h"
#include "results/record_json.h"
#include "results/trace_hdf5.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static int write_text(const char *text, const char *dir, const char *command,
	const char *stream, struct err *e)
{
	char path[PATH_MAX], name[64];
	int ret;

	if (!text)
		return 0;
	snprintf(name, sizeof(name), "training_%s.%s.log", command, stream);
	ret = results_path(path, dir, name, e);
	return ret ? ret : file_write_atomic(path, text, strlen(text), e);
}

static int write_common(
	const struct invocation *v, const char *dir, struct err *e)
{
	int ret = results_write_metadata(v, dir, e);

	if (!ret)
		ret = write_text(v->out_text, dir, v->command, "stdout", e);
	if (!ret)
		ret = write_text(v->err_text, dir, v->command, "stderr", e);
	return ret;
}

static int kept(const char *partial, struct err *e)
{
	return err_wrap(e, "what was written so far is in %s", partial);
}

/* The trace comes last: a file system may refuse what HDF5 asks of it. */
static int write_run(const struct invocation *v, const struct record *rec,
	const struct rec_run *run, const char *dir, struct err *e)
{
	int ret = results_write_files(rec, run, dir, e);

	if (!ret)
		ret = write_common(v, dir, e);
	if (!ret)
		ret = results_write_dlio_log(v, run, dir, e);
	if (!ret)
		ret = results_write_dlio_config(v, dir, e);
	if (!ret)
		ret = results_write_trace(rec, run, dir, e);
	return ret;
}

int results_write_run_leaf(const struct invocation *v, const struct record *rec,
	struct rec_run *run, struct err *e)
{
	char partial[PATH_MAX];
	int ret;

	ret = results_leaf_open(v->leaf, partial, sizeof(partial), e);
	if (ret)
		return ret;
	snprintf(run->leaf, sizeof(run->leaf), "%s", v->leaf);
	ret = write_run(v, rec, run, partial, e);
	if (!ret)
		ret = results_leaf_commit(v->leaf, partial, e);
	if (!ret)
		return 0;
	run->leaf[0] = '\0';
	return kept(partial, e);
}

int results_write_plain_leaf(const struct invocation *v, struct err *e)
{
	char partial[PATH_MAX];
	int ret;

	ret = results_leaf_open(v->leaf, partial, sizeof(partial), e);
	if (ret)
		return ret;
	ret = write_common(v, partial, e);
	/* sizing runs no workload */
	if (!ret && !v->size)
		ret = results_write_dlio_log(v, NULL, partial, e);
	if (!ret && !v->size)
		ret = results_write_dlio_config(v, partial, e);
	if (!ret)
		ret = results_leaf_commit(v->leaf, partial, e);
	return ret ? kept(partial, e) : 0;
}
