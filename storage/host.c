/* Host facts; see host.h. */
#include "storage/host.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#define FILES_SPARE 8 /* a ring, results, what libraries open */

int host_drop_caches(struct err *e)
{
	int fd = open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC);
	int r = 0;

	if (fd < 0 || write(fd, "3", 1) != 1)
		r = -errno;
	if (fd >= 0)
		close(fd);
	if (r)
		err_set(e, ERR_ENV, r, "cannot drop caches: %s (%s)",
			r == -EACCES ? "EACCES" : r == -EPERM ? "EPERM"
			: r == -EROFS ? "EROFS" : "error",
			strerror(-r));
	return r;
}

bool host_may_drop_caches(void)
{
	return access("/proc/sys/vm/drop_caches", W_OK) == 0;
}

static int own_io(const char *key, uint64_t *bytes)
{
	FILE *f = fopen("/proc/self/io", "re");
	size_t n = strlen(key);
	char line[128];
	int r = -ENOENT;

	if (!f)
		return -errno;
	while (r && fgets(line, sizeof(line), f))
		if (!strncmp(line, key, n) &&
			sscanf(line + n, "%" SCNu64, bytes) == 1)
			r = 0;
	fclose(f);
	return r;
}

int host_device_read_bytes(uint64_t *bytes)
{
	return own_io("read_bytes: ", bytes);
}

int host_device_written_bytes(uint64_t *bytes)
{
	return own_io("write_bytes: ", bytes);
}

static int64_t timeval_ns(struct timeval t)
{
	return (int64_t)t.tv_sec * 1000000000 + (int64_t)t.tv_usec * 1000;
}

int64_t host_cpu_ns(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return timeval_ns(u.ru_utime) + timeval_ns(u.ru_stime);
}

uint64_t host_peak_rss_bytes(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (uint64_t)u.ru_maxrss * 1024;
}

uint64_t host_memory_bytes(void)
{
	FILE *f = fopen("/proc/meminfo", "re");
	uint64_t kb = 0;
	char line[128];

	while (f && !kb && fgets(line, sizeof(line), f))
		sscanf(line, "MemTotal: %" SCNu64, &kb);
	if (f)
		fclose(f);
	return kb * 1024;
}

uint32_t host_cpu_count(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n > 0 ? (uint32_t)n : 1;
}

void host_name(char *buf, size_t buf_bytes)
{
	struct utsname u;

	/* gethostname() fails where the name does not fit */
	snprintf(buf, buf_bytes, "%s",
		uname(&u) || !u.nodename[0] ? "localhost" : u.nodename);
}

/* A whole /proc file (they have no size); NULL when it cannot be read. */
static char *slurp(const char *path)
{
	FILE *f = fopen(path, "re");
	char *text = NULL, *more;
	size_t used = 0, room = 0, n;

	if (!f)
		return NULL;
	do {
		if (room < used + 4097) {
			room = (used + 4097) * 2;
			more = realloc(text, room);
			if (!more) {
				free(text);
				fclose(f);
				return NULL;
			}
			text = more;
		}
		n = fread(text + used, 1, 4096, f);
		used += n;
	} while (n);
	fclose(f);
	text[used] = 0;
	return text;
}

char *host_meminfo_text(void)
{
	return slurp("/proc/meminfo");
}

char *host_cpuinfo_text(void)
{
	char *all = slurp("/proc/cpuinfo"), *last = all, *p = all, *out;

	while (p && (p = strstr(p, "processor\t"))) {
		if (p == all || p[-1] == '\n')
			last = p;
		p++;
	}
	out = last ? strdup(last) : NULL;
	free(all);
	return out;
}

void host_raise_open_files(void)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l) || l.rlim_cur == l.rlim_max)
		return;
	l.rlim_cur = l.rlim_max;
	setrlimit(RLIMIT_NOFILE, &l);
}

static uint64_t open_files(void)
{
	DIR *d = opendir("/proc/self/fd");
	uint64_t n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

int host_check_open_files(uint64_t more, struct err *e)
{
	uint64_t have = open_files();
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l) || l.rlim_cur == RLIM_INFINITY ||
		have + more + FILES_SPARE <= l.rlim_cur)
		return 0;
	return err_set(e, ERR_ENV, -EMFILE,
		"a process may have %llu files open (ulimit -n, hard limit), "
		"the readers of this one need %" PRIu64 " beside %" PRIu64
		" others; raise ulimit -Hn, or lower reader.read_threads",
		(unsigned long long)l.rlim_cur, more, have + FILES_SPARE);
}

int host_nearest(const char *path, char *at)
{
	char near[PATH_MAX], *slash;
	int n = snprintf(near, sizeof(near), "%s", path);

	if (n < 0 || n >= PATH_MAX)
		return -ENAMETOOLONG;
	while (!realpath(near, at)) {
		if (errno != ENOENT || !strcmp(near, "."))
			return -errno;
		slash = strrchr(near, '/');
		if (!slash)
			strcpy(near, ".");
		else if (slash == near)
			slash[1] = 0;
		else
			*slash = 0;
	}
	return 0;
}

static int stat_nearest(const char *path, struct stat *st)
{
	char at[PATH_MAX];
	int r = host_nearest(path, at);

	return r ? r : stat(at, st) ? -errno : 0;
}

int host_same_filesystem(const char *a, const char *b, bool *same)
{
	struct stat sa, sb;
	int r = stat_nearest(a, &sa);

	if (!r)
		r = stat_nearest(b, &sb);
	if (r)
		return r;
	*same = sa.st_dev == sb.st_dev;
	return 0;
}

int host_link_crosses(
	const char *from, const char *to, bool *same, bool *by_link)
{
	char a[4096], b[4096];
	int na, nb, fd, r;

	*by_link = false;
	na = snprintf(a, sizeof(a), "%s/.stoker-link-XXXXXX", from);
	if (na < 0 || (size_t)na >= sizeof(a))
		return -ENAMETOOLONG;
	fd = mkstemp(a);
	if (fd < 0)
		return host_same_filesystem(from, to, same);
	close(fd);
	nb = snprintf(b, sizeof(b), "%s%s", to, strrchr(a, '/'));
	r = nb < 0 || (size_t)nb >= sizeof(b) ? -ENAMETOOLONG
	    : link(a, b)		      ? -errno
					      : 0;
	if (!r)
		unlink(b);
	unlink(a);
	if (r && r != -EXDEV)
		return host_same_filesystem(from, to, same);
	*by_link = true;
	*same = !r;
	return 0;
}
