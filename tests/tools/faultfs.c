/*
 * A read-only FUSE file system that shows a folder and lets one file of it
 * fail, as a drive does. It speaks to /dev/fuse itself: no library is needed,
 * but the right to mount. It serves until it is unmounted.
 *
 *	faultfs SOURCE MOUNTPOINT KIND NAME
 *
 * KIND, for reads of files called NAME: eio = they fail; short = they give
 * half of what there is; stall = the first takes 6 s; refuse = open with
 * O_DIRECT fails with EINVAL (NAME "" = any file).
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

#define NODES_MAX 65536
#define READ_MAX (1 << 20)
#define STALL_S 6

static const char *source, *kind, *bad_name;
static char *nodes[NODES_MAX]; /* path below the source; id 1 is the root */
static uint64_t node_count = 2;
static int dev;
static char request[READ_MAX + 65536], data[READ_MAX];
static bool stalled;

static void reply(uint64_t unique, int error, const void *body, size_t len)
{
	struct fuse_out_header h = {
		.len = (uint32_t)(sizeof(h) + (error ? 0 : len)),
		.error = -error,
		.unique = unique,
	};
	struct iovec v[2] = {{&h, sizeof(h)}, {(void *)(uintptr_t)body, len}};

	if (writev(dev, v, error || !len ? 1 : 2) < 0 && errno != ENOENT)
		perror("faultfs: reply");
}

static void full_path(char *buf, size_t size, uint64_t id)
{
	snprintf(buf, size, "%s%s", source, nodes[id]);
}

static void fill_attr(struct fuse_attr *a, const struct stat *st, uint64_t id)
{
	memset(a, 0, sizeof(*a));
	a->ino = id;
	a->size = (uint64_t)st->st_size;
	a->blocks = (uint64_t)st->st_blocks;
	a->mtime = (uint64_t)st->st_mtime;
	a->mode = st->st_mode;
	a->nlink = (uint32_t)st->st_nlink;
	a->uid = st->st_uid;
	a->gid = st->st_gid;
	a->blksize = 4096;
}

static void lookup(const struct fuse_in_header *in, const char *name)
{
	struct fuse_entry_out out;
	char path[4096], *below;
	struct stat st;
	uint64_t id;

	if (asprintf(&below, "%s/%s", nodes[in->nodeid], name) < 0)
		exit(1);
	for (id = 2; id < node_count && strcmp(nodes[id], below); id++)
		;
	snprintf(path, sizeof(path), "%s%s", source, below);
	if (lstat(path, &st) || id == NODES_MAX) {
		free(below);
		reply(in->unique, ENOENT, NULL, 0);
		return;
	}
	if (id == node_count)
		nodes[node_count++] = below;
	else
		free(below);
	memset(&out, 0, sizeof(out));
	out.nodeid = id;
	fill_attr(&out.attr, &st, id);
	reply(in->unique, 0, &out, sizeof(out));
}

static void get_attr(const struct fuse_in_header *in)
{
	struct fuse_attr_out out;
	char path[4096];
	struct stat st;

	full_path(path, sizeof(path), in->nodeid);
	if (lstat(path, &st)) {
		reply(in->unique, errno, NULL, 0);
		return;
	}
	memset(&out, 0, sizeof(out));
	fill_attr(&out.attr, &st, in->nodeid);
	reply(in->unique, 0, &out, sizeof(out));
}

static bool is_bad(uint64_t id, const char *what)
{
	const char *slash = strrchr(nodes[id], '/');

	return !strcmp(kind, what) &&
	       (!bad_name[0] || (slash && !strcmp(slash + 1, bad_name)));
}

static void open_file(const struct fuse_in_header *in)
{
	const struct fuse_open_in *arg = (const void *)(in + 1);
	struct fuse_open_out out = {.open_flags = FOPEN_DIRECT_IO};
	char path[4096];
	int fd;

	full_path(path, sizeof(path), in->nodeid);
	if ((arg->flags & O_DIRECT) && is_bad(in->nodeid, "refuse")) {
		reply(in->unique, EINVAL, NULL, 0);
		return;
	}
	fd = open(path, O_RDONLY);
	if (fd < 0) {
		reply(in->unique, errno, NULL, 0);
		return;
	}
	out.fh = (uint64_t)fd;
	reply(in->unique, 0, &out, sizeof(out));
}

static void read_file(const struct fuse_in_header *in)
{
	const struct fuse_read_in *arg = (const void *)(in + 1);
	size_t len = arg->size < READ_MAX ? arg->size : READ_MAX;
	ssize_t n;

	if (is_bad(in->nodeid, "eio")) {
		reply(in->unique, EIO, NULL, 0);
		return;
	}
	if (is_bad(in->nodeid, "stall") && !stalled) {
		stalled = true;
		if (fork())
			return; /* the child answers, late */
		sleep(STALL_S);
		n = pread((int)arg->fh, data, len, (off_t)arg->offset);
		reply(in->unique, n < 0 ? EIO : 0, data, (size_t)n);
		_exit(0);
	}
	n = pread((int)arg->fh, data, len, (off_t)arg->offset);
	if (n < 0) {
		reply(in->unique, errno, NULL, 0);
		return;
	}
	if (is_bad(in->nodeid, "short"))
		n = n / 2 / 4096 * 4096;
	reply(in->unique, 0, data, (size_t)n);
}

static void list(const struct fuse_in_header *in)
{
	const struct fuse_read_in *arg = (const void *)(in + 1);
	size_t used = 0, room = arg->size < READ_MAX ? arg->size : READ_MAX;
	struct fuse_dirent *out;
	struct dirent *de;
	char path[4096];
	uint64_t i = 0;
	DIR *d;

	full_path(path, sizeof(path), in->nodeid);
	d = opendir(path);
	while (d && (de = readdir(d))) {
		size_t len = strlen(de->d_name);

		if (i++ < arg->offset)
			continue;
		if (used + FUSE_DIRENT_ALIGN(FUSE_NAME_OFFSET + len) > room)
			break;
		out = (struct fuse_dirent *)(void *)(data + used);
		memset(out, 0, FUSE_DIRENT_ALIGN(FUSE_NAME_OFFSET + len));
		out->ino = de->d_ino;
		out->off = i;
		out->namelen = (uint32_t)len;
		out->type = de->d_type;
		memcpy(out->name, de->d_name, len);
		used += FUSE_DIRENT_ALIGN(FUSE_NAME_OFFSET + len);
	}
	if (d)
		closedir(d);
	reply(in->unique, 0, data, used);
}

static void init(const struct fuse_in_header *in)
{
	struct fuse_init_out out = {
		.major = FUSE_KERNEL_VERSION,
		.minor = FUSE_KERNEL_MINOR_VERSION,
		.max_readahead = 0,
		.flags = FUSE_ASYNC_READ | FUSE_MAX_PAGES,
		.max_background = 64,
		.congestion_threshold = 48,
		.max_write = READ_MAX,
		.time_gran = 1,
		.max_pages = READ_MAX / 4096,
	};

	reply(in->unique, 0, &out, sizeof(out));
}

static void stat_fs(const struct fuse_in_header *in)
{
	struct fuse_statfs_out out;
	struct statvfs v;

	memset(&out, 0, sizeof(out));
	if (!statvfs(source, &v)) {
		out.st.blocks = v.f_blocks;
		out.st.bfree = v.f_bfree;
		out.st.bavail = v.f_bavail;
		out.st.files = v.f_files;
		out.st.ffree = v.f_ffree;
		out.st.bsize = (uint32_t)v.f_bsize;
		out.st.frsize = (uint32_t)v.f_frsize;
		out.st.namelen = 255;
	}
	reply(in->unique, 0, &out, sizeof(out));
}

static void serve(const struct fuse_in_header *in)
{
	const struct fuse_release_in *release = (const void *)(in + 1);
	struct fuse_open_out opened = {.fh = 0};

	switch (in->opcode) {
	case FUSE_INIT:
		init(in);
		break;
	case FUSE_LOOKUP:
		lookup(in, (const char *)(in + 1));
		break;
	case FUSE_GETATTR:
		get_attr(in);
		break;
	case FUSE_OPEN:
		open_file(in);
		break;
	case FUSE_READ:
		read_file(in);
		break;
	case FUSE_RELEASE:
		close((int)release->fh);
		reply(in->unique, 0, NULL, 0);
		break;
	case FUSE_OPENDIR:
		reply(in->unique, 0, &opened, sizeof(opened));
		break;
	case FUSE_READDIR:
		list(in);
		break;
	case FUSE_STATFS:
		stat_fs(in);
		break;
	case FUSE_RELEASEDIR:
	case FUSE_FLUSH:
	case FUSE_ACCESS:
		reply(in->unique, 0, NULL, 0);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	default:
		reply(in->unique, ENOSYS, NULL, 0);
	}
}

int main(int argc, char **argv)
{
	char options[128];
	ssize_t n;

	if (argc != 5)
		return 2;
	source = argv[1];
	kind = argv[3];
	bad_name = argv[4];
	nodes[1] = strdup("");
	dev = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	snprintf(options, sizeof(options),
		"fd=%d,rootmode=40000,user_id=%u,group_id=%u,allow_other", dev,
		getuid(), getgid());
	if (dev < 0 || mount("faultfs", argv[2], "fuse.faultfs",
			       MS_RDONLY | MS_NOSUID | MS_NODEV, options)) {
		perror("faultfs: mount");
		return 77;
	}
	for (;;) {
		n = read(dev, request, sizeof(request));
		if (n < 0 && (errno == EINTR || errno == ENOENT))
			continue;
		if (n < (ssize_t)sizeof(struct fuse_in_header))
			break; /* unmounted */
		serve((const struct fuse_in_header *)(const void *)request);
	}
	return 0;
}
