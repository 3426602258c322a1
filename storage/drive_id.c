/*
 * Reads /proc/self/mountinfo and sysfs; see drive_id.h. A block device is
 * followed downwards: a partition to its disk, md and dm to their slaves,
 * btrfs to its devices. What is left are the drives.
 */
#include "storage/drive_id.h"

#include "storage/drive_sysfs.h"
#include "storage/host.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define LAYERS_MAX 8 /* devices upon devices */

struct look {
	const char *root;
	bool show_serial;
	struct rec_drive *d;
};

/* Append to a text, behind "; " or ", ". */
static void append(char *to, size_t size, const char *between, const char *fmt,
	...) __attribute__((format(printf, 4, 5)));

static void append(
	char *to, size_t size, const char *between, const char *fmt, ...)
{
	size_t n = strlen(to);
	va_list ap;

	if (n) {
		snprintf(to + n, size - n, "%s", between);
		n = strlen(to);
	}
	va_start(ap, fmt);
	vsnprintf(to + n, size - n, fmt, ap);
	va_end(ap);
}

#define NOTE(d, ...) append((d)->note, sizeof((d)->note), "; ", __VA_ARGS__)
#define LAYER(d, ...) append((d)->layers, sizeof((d)->layers), ", ", __VA_ARGS__)

/* "\040" and the like, as mountinfo writes blanks. */
static void unescape(char *s)
{
	char *to = s;
	unsigned c;

	for (; *s; s++, to++) {
		if (*s == '\\' && sscanf(s + 1, "%3o", &c) == 1 &&
			strspn(s + 1, "01234567") >= 3) {
			*to = (char)c;
			s += 3;
		} else {
			*to = *s;
		}
	}
	*to = 0;
}

/* Does path lie at or below the mount point? */
static bool below(const char *path, const char *point)
{
	size_t n = strlen(point);

	return !strcmp(point, "/") ||
	       (!strncmp(path, point, n) && (!path[n] || path[n] == '/'));
}

/* One line of mountinfo; true if it is a better match than the last. */
static bool take_mount(struct rec_drive *d, const char *path, char *line)
{
	char *field[6], *rest = strstr(line, " - "), *save = NULL, *s;
	const char *type, *source, *super;
	size_t i;

	if (!rest)
		return false;
	*rest = 0;
	for (i = 0, s = line; i < 6; i++, s = NULL) {
		field[i] = strtok_r(s, " ", &save);
		if (!field[i])
			return false;
	}
	unescape(field[4]);
	/* of two on one point the later one is seen */
	if (!below(path, field[4]) || (d->known && strlen(field[4]) <
						  strlen(d->mount_point)))
		return false;
	type = strtok_r(rest + 3, " ", &save);
	source = strtok_r(NULL, " ", &save);
	super = strtok_r(NULL, " \n", &save);
	if (!type || !source)
		return false;
	d->known = true;
	snprintf(d->filesystem, sizeof(d->filesystem), "%s", type);
	snprintf(d->source, sizeof(d->source), "%s", source);
	unescape(d->source);
	snprintf(d->mount_point, sizeof(d->mount_point), "%s", field[4]);
	snprintf(d->mount_options, sizeof(d->mount_options), "%s%s%s",
		field[5], super ? "," : "", super ? super : "");
	return true;
}

static int find_mount(const struct look *l, const char *path)
{
	char name[PATH_MAX], *line = NULL;
	size_t room = 0;
	FILE *f;

	snprintf(name, sizeof(name), "%s/proc/self/mountinfo", l->root);
	f = fopen(name, "re");
	if (!f)
		return -errno;
	while (getline(&line, &room, f) > 0)
		take_mount(l->d, path, line);
	free(line);
	fclose(f);
	return l->d->known ? 0 : -ENODEV;
}

static bool is_dots(const struct dirent *de)
{
	return de->d_name[0] == '.';
}

static int visible(const struct dirent *de)
{
	return !is_dots(de);
}

static void add_leaf(const struct look *l, const char *dir)
{
	struct rec_drive *d = l->d;
	const char *name = strrchr(dir, '/') + 1;
	struct rec_device v;
	char file[256];
	uint32_t i;

	for (i = 0; i < d->device_count && i < REC_DEVICES_MAX; i++)
		if (!strcmp(d->devices[i].name, name))
			return; /* two of its partitions are in use */
	sysfs_device(l->root, dir, &v);
	if (!l->show_serial)
		drive_mask_serial(v.serial);
	if (v.link_reduced)
		NOTE(d, "%s: the link runs below its maximum (%s of %s)",
			v.name, v.link, v.link_max);
	if (sysfs_text(dir, "loop/backing_file", file, sizeof(file))) {
		LAYER(d, "%s over the file %s", v.name, file);
		if (!sysfs_number(dir, "loop/dio"))
			NOTE(d, "%s reads its file through the page cache "
				"(losetup --direct-io=on avoids that): rates "
				"may be those of memory", v.name);
	}
	if (!strncmp(v.name, "zram", 4))
		NOTE(d, "%s is compressed memory, not a drive", v.name);
	if (d->device_count < REC_DEVICES_MAX)
		d->devices[d->device_count] = v;
	d->device_count++;
}

/* dir: real path of a block device's folder in sysfs. */
static void add_device(const struct look *l, const char *dir, int depth)
{
	char disk[PATH_MAX], path[PATH_MAX + 300], text[64], *slash;
	struct dirent **list = NULL;
	int i, n;

	snprintf(disk, sizeof(disk), "%s", dir);
	if (sysfs_text(disk, "partition", text, sizeof(text))) {
		slash = strrchr(disk, '/');
		*slash = 0;
		LAYER(l->d, "partition %s of %s", text,
			strrchr(disk, '/') + 1);
	}
	if (sysfs_text(disk, "md/level", text, sizeof(text)))
		LAYER(l->d, "%s %s", strrchr(disk, '/') + 1, text);
	if (sysfs_text(disk, "dm/name", text, sizeof(text)))
		LAYER(l->d, "%s (%s)", strrchr(disk, '/') + 1, text);
	snprintf(path, sizeof(path), "%s/slaves", disk);
	n = depth < LAYERS_MAX ? scandir(path, &list, visible, alphasort) : 0;
	for (i = 0; i < n; i++) {
		char real[PATH_MAX];

		snprintf(path, sizeof(path), "%s/slaves/%s", disk,
			list[i]->d_name);
		if (realpath(path, real))
			add_device(l, real, depth + 1);
		free(list[i]);
	}
	free(list);
	if (n <= 0)
		add_leaf(l, disk);
}

/* Resolve a link below root/sys and follow it; false if it is not there. */
static bool add_path(const struct look *l, const char *path)
{
	char full[PATH_MAX], real[PATH_MAX];
	const char *name;

	snprintf(full, sizeof(full), "%s%s", l->root, path);
	if (!realpath(full, real))
		return false;
	name = strrchr(real, '/') + 1;
	if (!l->d->device[0])
		snprintf(l->d->device, sizeof(l->d->device), "%.31s", name);
	add_device(l, real, 0);
	return true;
}

static bool add_number(const struct look *l, unsigned major, unsigned minor)
{
	char path[64];

	if (!major)
		return false;
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major, minor);
	return add_path(l, path);
}

/* Every device of the btrfs that has this one. */
static bool add_btrfs(const struct look *l, const char *name)
{
	char pattern[PATH_MAX];
	size_t i, n = strlen(l->root);
	glob_t g;

	snprintf(pattern, sizeof(pattern), "%s/sys/fs/btrfs/*/devices/%s",
		l->root, name);
	if (glob(pattern, 0, NULL, &g))
		return false;
	strcpy(strrchr(strcpy(pattern, g.gl_pathv[0]), '/'), "/*");
	globfree(&g);
	if (glob(pattern, 0, NULL, &g))
		return false;
	for (i = 0; i < g.gl_pathc; i++)
		add_path(l, g.gl_pathv[i] + n);
	globfree(&g);
	return l->d->device_count > 0;
}

/* The file system is mounted from a node of /dev. */
static bool add_source(const struct look *l)
{
	const char *name = strrchr(l->d->source, '/');
	char real[PATH_MAX], path[PATH_MAX];

	if (strncmp(l->d->source, "/dev/", 5))
		return false;
	if (!*l->root && realpath(l->d->source, real))
		name = strrchr(real, '/');
	name++;
	if (!strcmp(l->d->filesystem, "btrfs") && add_btrfs(l, name))
		return true;
	snprintf(path, sizeof(path), "/sys/class/block/%s", name);
	return add_path(l, path);
}

/* What files of an overlay are written to: the layer's own file system. */
static bool add_upper(const struct look *l)
{
	const char *s = strstr(l->d->mount_options, "upperdir=");
	char upper[PATH_MAX];
	struct stat st;

	if (!s)
		return false;
	snprintf(upper, sizeof(upper), "%.*s", (int)strcspn(s + 9, ","), s + 9);
	/* from inside a container it is usually not to be seen */
	if (*l->root || stat(upper, &st))
		return false;
	LAYER(l->d, "overlay, written to %s", upper);
	return add_number(l, major(st.st_dev), minor(st.st_dev));
}

static void no_device(struct rec_drive *d)
{
	const char *t = d->filesystem;

	if (!strcmp(t, "tmpfs") || !strcmp(t, "ramfs") ||
		!strcmp(t, "hugetlbfs"))
		NOTE(d, "%s is memory, not a drive", t);
	else if (!strcmp(t, "overlay"))
		NOTE(d, "overlay: its upper layer cannot be seen from here, so "
			"the device is not known; use a volume or a bind "
			"mount");
	else if (!strcmp(t, "zfs"))
		NOTE(d, "zfs: the devices of pool %s are not in sysfs "
			"(zpool status lists them), and it may compress and "
			"cache by itself", d->source);
	else
		NOTE(d, "%s from %s: no block device of this host", t,
			d->source);
}

int drive_identify_at(const char *root, const char *path, unsigned major,
	unsigned minor, bool show_serial, struct rec_drive *d)
{
	struct look l = {.root = root, .show_serial = show_serial, .d = d};
	int r;

	memset(d, 0, sizeof(*d));
	r = find_mount(&l, path);
	if (r) {
		memset(d, 0, sizeof(*d));
		return r;
	}
	if (!add_number(&l, major, minor) && !add_source(&l) &&
		!(!strcmp(d->filesystem, "overlay") && add_upper(&l)))
		no_device(d);
	if (!strcmp(d->filesystem, "btrfs") &&
		strstr(d->mount_options, "compress"))
		NOTE(d, "btrfs compresses here (mount option compress): what "
			"can be compressed reads faster than the drive");
	return 0;
}

int drive_identify(const char *path, bool show_serial, struct rec_drive *d)
{
	char at[PATH_MAX];
	struct stat st;
	int r;

	memset(d, 0, sizeof(*d));
	r = host_nearest(path, at);
	if (r)
		return r;
	if (stat(at, &st))
		return -errno;
	return drive_identify_at("", at, major(st.st_dev), minor(st.st_dev),
		show_serial, d);
}

void drive_mask_serial(char *serial)
{
	size_t n = strlen(serial), keep = n >= 8 ? 4 : 0;

	memset(serial, '*', n - keep);
}
