/* Counters of block devices; see diskstats.h. */
#include "storage/diskstats.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define SECTOR_BYTES 512 /* whatever the disk has */

/* Of a partition the disk: its folder is below the disk's. */
static int disk_name(dev_t dev, char *name, size_t size)
{
	char path[128], link[PATH_MAX], *end;
	ssize_t n;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major(dev),
		minor(dev));
	n = readlink(path, link, sizeof(link) - 1);
	if (n < 0)
		return -ENODEV;
	link[n] = '\0';
	strcat(path, "/partition");
	if (!access(path, F_OK)) {
		end = strrchr(link, '/');
		if (end)
			*end = '\0';
	}
	end = strrchr(link, '/');
	if (!end || strlen(end + 1) >= size)
		return -ENODEV;
	strcpy(name, end + 1);
	return 0;
}

int diskstats_read(const char *path, struct diskstats *d)
{
	uint64_t reads, writes;
	char line[512], name[64];
	struct stat st;
	FILE *f;
	int r;

	memset(d, 0, sizeof(*d));
	if (stat(path, &st))
		return -errno;
	r = disk_name(st.st_dev, d->name, sizeof(d->name));
	if (r)
		return r;
	f = fopen("/proc/diskstats", "re");
	r = -ENODEV;
	while (f && r && fgets(line, sizeof(line), f)) {
		/* major minor name reads merged SECTORS ms writes merged SECTORS */
		if (sscanf(line, "%*u %*u %63s %*u %*u %" SCNu64
			" %*u %*u %*u %" SCNu64, name, &reads, &writes) != 3 ||
			strcmp(name, d->name))
			continue;
		d->read_bytes = reads * SECTOR_BYTES;
		d->written_bytes = writes * SECTOR_BYTES;
		r = 0;
	}
	if (f)
		fclose(f);
	return r;
}
