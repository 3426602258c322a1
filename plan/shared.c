/* Folders that all hosts must share; see shared.h. */
#include "plan/shared.h"

#include "core/file.h"
#include "core/units.h"
#include "storage/host.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#define TOKEN_BYTES 16
#define PROBE_BYTES 65536
/* Network file systems may take a moment to show a new file elsewhere. */
#define PATIENCE_MS 3000
#define PAUSE_MS 100

enum { DATA, RESULTS, FOLDERS };

/* What rank 0 tells everyone. */
struct token {
	char hex[2 * TOKEN_BYTES + 1];
	bool written[FOLDERS];
	/* where it cannot be written: when the data folder last changed */
	int64_t changed_s;
};

/* What a host's leader answers. */
struct answer {
	uint32_t leader;
	bool differs[FOLDERS];
	char host[REC_NAME_MAX];
};

/* Rank 0 collects who sees something else. */
struct verdict {
	char hosts[FOLDERS][512];
	uint32_t count[FOLDERS];
};

static int token_path(
	const char *folder, const struct token *t, char *buf, size_t size)
{
	int n = snprintf(buf, size, "%s/.stoker-%s", folder, t->hex);

	return n > 0 && (size_t)n < size ? 0 : -ENAMETOOLONG;
}

static bool put_token(const char *folder, const struct token *t)
{
	char path[4352];
	ssize_t n = -1;
	int fd;

	if (!folder[0] || token_path(folder, t, path, sizeof(path)))
		return false;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return false;
	n = write(fd, t->hex, sizeof(t->hex));
	fsync(fd);
	close(fd);
	if (n != sizeof(t->hex))
		unlink(path);
	return n == sizeof(t->hex);
}

static void remove_token(const char *folder, const struct token *t)
{
	char path[4352];

	if (!token_path(folder, t, path, sizeof(path)))
		unlink(path);
}

/* Is the token here, with its content? */
static bool see_token(const char *folder, const struct token *t)
{
	struct timespec pause = {.tv_nsec = PAUSE_MS * NS_PER_MS};
	char path[4352], text[sizeof(t->hex)];
	int fd, waited_ms;
	ssize_t n;

	if (token_path(folder, t, path, sizeof(path)))
		return false;
	for (waited_ms = 0;; waited_ms += PAUSE_MS) {
		fd = open(path, O_RDONLY | O_CLOEXEC);
		n = fd >= 0 ? read(fd, text, sizeof(text)) : -1;
		if (fd >= 0)
			close(fd);
		if (n == sizeof(text) && !memcmp(text, t->hex, sizeof(text)))
			return true;
		if (waited_ms >= PATIENCE_MS || loop_interrupted)
			return false;
		nanosleep(&pause, NULL);
	}
}

static int64_t changed_s(const char *folder)
{
	struct stat st;

	return stat(folder, &st) ? 0 : (int64_t)st.st_mtime;
}

static void make_token(struct token *t, const char *folder, const char *results)
{
	unsigned char raw[TOKEN_BYTES];
	size_t i;

	memset(t, 0, sizeof(*t));
	if (getrandom(raw, sizeof(raw), 0) != sizeof(raw))
		return;
	for (i = 0; i < sizeof(raw); i++)
		snprintf(t->hex + 2 * i, 3, "%02x", raw[i]);
	t->changed_s = folder[0] ? changed_s(folder) : 0;
	t->written[DATA] = put_token(folder, t);
	t->written[RESULTS] = put_token(results, t);
}

static void answer(struct answer *a, const struct group *g,
	const struct token *t, const char *folder, const char *results)
{
	memset(a, 0, sizeof(*a));
	host_name(a->host, sizeof(a->host));
	a->leader = g->host_leader;
	if (!g->host_leader || !g->first)
		return;
	if (t->written[DATA])
		a->differs[DATA] = !see_token(folder, t);
	else if (t->changed_s)
		a->differs[DATA] = changed_s(folder) != t->changed_s;
	if (t->written[RESULTS])
		a->differs[RESULTS] = !see_token(results, t);
}

static int take(void *arg, uint32_t process, const void *buf, size_t size_bytes,
	struct err *e)
{
	const struct answer *a = buf;
	struct verdict *v = arg;
	size_t i, n;

	if (size_bytes != sizeof(*a))
		return err_set(e, ERR_BUG, -EBADMSG, "bad answer of a host");
	for (i = 0; i < FOLDERS; i++) {
		if (!a->leader || !a->differs[i])
			continue;
		n = strlen(v->hosts[i]);
		snprintf(v->hosts[i] + n, sizeof(v->hosts[i]) - n,
			"%s%s (rank %" PRIu32 ")", n ? ", " : "", a->host,
			process);
		v->count[i]++;
	}
	return 0;
}

static int judge(const struct group *g, const struct token *t,
	const struct verdict *v, const char *folder, const char *results,
	struct record *rec, struct err *e)
{
	if (v->count[RESULTS])
		record_note(rec, "results-dir",
			"results are written by rank 0; %.300s: another %s",
			v->hosts[RESULTS], "folder is found there");
	if (v->count[DATA])
		return err_set(e, ERR_ENV, -ESTALE,
			"%s is not the same folder on every host: %u of %u "
			"hosts miss what rank 0 %s there: %s; mount the shared "
			"file system on all of them, or name the folder that "
			"is shared (results: %s)",
			folder, v->count[DATA], g->hosts,
			t->written[DATA] ? "wrote" : "sees", v->hosts[DATA],
			results[0] ? results : "none");
	if (!t->written[DATA] && folder[0])
		record_note(rec, "shared-check",
			"%s may not be written: that all hosts see the same "
			"folder was judged by its time stamp only",
			folder);
	return 0;
}

int shared_check(struct group *g, const char *folder, const char *results,
	struct record *rec, struct err *e)
{
	struct verdict v;
	struct token t;
	struct answer a;
	int r;

	if (g->hosts < 2)
		return 0;
	memset(&t, 0, sizeof(t));
	memset(&v, 0, sizeof(v));
	if (!g->first)
		make_token(&t, folder, results);
	r = group_share(g, &t, sizeof(t), e);
	if (!r) {
		answer(&a, g, &t, folder, results);
		r = group_gather(g, &a, sizeof(a), take, &v, e);
	}
	if (!r && !g->first)
		r = judge(g, &t, &v, folder, results, rec, e);
	if (t.written[DATA] && !g->first)
		remove_token(folder, &t);
	if (t.written[RESULTS] && !g->first)
		remove_token(results, &t);
	return group_agree(g, r, e);
}

int shared_check_data(struct group *g, const char *folder, struct err *e)
{
	struct record rec; /* of notes, which only runs have a place for */
	int r;

	record_init(&rec);
	r = shared_check(g, folder, "", &rec, e);
	record_fini(&rec);
	return r;
}

static int write_probe(const char *path, struct err *e)
{
	char *zero = calloc(1, PROBE_BYTES);
	size_t left = PROBE_BYTES;
	ssize_t n;
	int fd, r = 0;

	if (!zero)
		return err_nomem(e, "a trial write");
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		r = -errno;
	/* the part that does not fit says why */
	for (; !r && left; left -= (size_t)n) {
		n = write(fd, zero, left);
		if (n <= 0)
			r = n ? -errno : -ENOSPC;
		if (r)
			break;
	}
	if (!r && fsync(fd))
		r = -errno;
	if (fd >= 0) {
		close(fd);
		unlink(path);
	}
	free(zero);
	return r;
}

int shared_probe_results(const char *results, uint64_t bytes, struct err *e)
{
	char path[4352], need[UNITS_TEXT_MAX], have[UNITS_TEXT_MAX];
	struct statvfs v;
	int r;

	if (!results[0])
		return 0;
	r = file_mkdirs(results, e);
	if (r)
		return err_wrap(e, "--results-dir, before the first run");
	snprintf(path, sizeof(path), "%s/.stoker-probe-%d", results, getpid());
	errno = 0;
	r = write_probe(path, e);
	if (r)
		return err_set(e,
			r == -EACCES || r == -EROFS || r == -EPERM ? ERR_ENV
								   : ERR_IO,
			r,
			"--results-dir %s cannot be written: %s; nothing "
			"was run, name another folder",
			results, strerror(-r));
	if (statvfs(results, &v) || !v.f_blocks ||
		(uint64_t)v.f_bavail * v.f_frsize >= bytes)
		return 0;
	return err_set(e, ERR_IO, -ENOSPC,
		"--results-dir %s has room for %s, the runs leave about %s; "
		"nothing was run, free some or name another folder",
		results,
		units_format_bytes(have, (uint64_t)v.f_bavail * v.f_frsize),
		units_format_bytes(need, bytes));
}
