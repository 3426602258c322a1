/*
 * One block device in sysfs; see drive_sysfs.h. NVMe and SCSI name themselves
 * in the folder behind "device"; the PCIe link is that of the nearest function
 * above it in the device tree. With NVMe multipath the namespace belongs to a
 * subsystem, and the links to its controllers lead to the bus.
 */
#include "storage/drive_sysfs.h"

#include <ctype.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECTOR_BYTES 512 /* of "size", whatever the device's own are */

bool sysfs_text(const char *dir, const char *name, char *buf, size_t size)
{
	char path[PATH_MAX + 64];
	size_t n;
	FILE *f;

	buf[0] = 0;
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "re");
	if (!f)
		return false;
	if (!fgets(buf, (int)size, f))
		buf[0] = 0;
	fclose(f);
	for (n = strlen(buf); n && isspace((unsigned char)buf[n - 1]); n--)
		buf[n - 1] = 0;
	n = strspn(buf, " \t");
	memmove(buf, buf + n, strlen(buf + n) + 1);
	return buf[0] != 0;
}

uint64_t sysfs_number(const char *dir, const char *name)
{
	char text[32];

	return sysfs_text(dir, name, text, sizeof(text))
		       ? strtoull(text, NULL, 10)
		       : 0;
}

/* "[none] mq-deadline": what is in brackets. */
static void scheduler(const char *dir, char *buf, size_t size)
{
	char text[128], *open, *close;

	sysfs_text(dir, "queue/scheduler", text, sizeof(text));
	open = strchr(text, '[');
	close = open ? strchr(open, ']') : NULL;
	if (close)
		*close = 0;
	snprintf(buf, size, "%.31s", open ? open + 1 : text);
}

/* What the device hangs on: "nvme", "virtio", "scsi" ... */
static void kind(const char *dir, struct rec_device *v)
{
	char path[PATH_MAX + 64], link[PATH_MAX];
	ssize_t n;

	snprintf(path, sizeof(path), "%s/device/subsystem", dir);
	n = readlink(path, link, sizeof(link) - 1);
	if (n > 0) {
		link[n] = 0;
		snprintf(v->kind, sizeof(v->kind), "%.15s",
			strrchr(link, '/') ? strrchr(link, '/') + 1 : link);
	}
	if (!strcmp(v->kind, "nvme-subsystem"))
		strcpy(v->kind, "nvme");
	if (!v->kind[0]) /* a virtual device: its name without the number */
		snprintf(v->kind, sizeof(v->kind), "%.*s",
			(int)strcspn(v->name, "-0123456789"), v->name);
}

/* A SCSI disk's unit serial number: page 80h, four bytes before the text. */
static void scsi_serial(const char *dir, struct rec_device *v)
{
	char path[PATH_MAX + 64];
	unsigned char page[4 + sizeof(v->serial)];
	int fd, n, i, from = 4;

	snprintf(path, sizeof(path), "%s/device/vpd_pg80", dir);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd >= 0 ? (int)read(fd, page, sizeof(page)) : 0;
	if (fd >= 0)
		close(fd);
	while (from < n && page[from] == ' ')
		from++;
	for (i = 0; from + i < n && i + 1 < (int)sizeof(v->serial); i++)
		v->serial[i] = isgraph(page[from + i]) ? (char)page[from + i]
						       : 0;
}

static void names(const char *dir, struct rec_device *v)
{
	char vendor[64], model[64];

	sysfs_text(dir, "device/model", model, sizeof(model));
	if (!sysfs_text(dir, "device/vendor", vendor, sizeof(vendor)) ||
		strcmp(v->kind, "scsi") || !strcmp(vendor, "ATA"))
		vendor[0] = 0;
	if (!model[0]) /* eMMC and SD cards */
		sysfs_text(dir, "device/name", model, sizeof(model));
	snprintf(v->model, sizeof(v->model), "%.20s%s%.40s", vendor,
		vendor[0] ? " " : "", model);
	if (!sysfs_text(dir, "device/firmware_rev", v->firmware,
		    sizeof(v->firmware)))
		sysfs_text(dir, "device/rev", v->firmware, sizeof(v->firmware));
	if (!sysfs_text(dir, "device/serial", v->serial, sizeof(v->serial)) &&
		!sysfs_text(dir, "serial", v->serial, sizeof(v->serial)))
		scsi_serial(dir, v);
}

/* "16.0 GT/s PCIe" is Gen4; 0 for what is no such speed. */
static unsigned generation(const char *speed)
{
	static const double gt_per_s[] = {2.5, 5, 8, 16, 32, 64, 128};
	double have = strtod(speed, NULL);
	unsigned i;

	for (i = 0; i < sizeof(gt_per_s) / sizeof(gt_per_s[0]); i++)
		if (fabs(have - gt_per_s[i]) < 0.1)
			return i + 1;
	return 0;
}

static bool link_of(const char *dir, const char *which, char *buf, size_t size,
	unsigned *gen, uint64_t *width)
{
	char name[40], speed[64];

	snprintf(name, sizeof(name), "%s_link_speed", which);
	sysfs_text(dir, name, speed, sizeof(speed));
	snprintf(name, sizeof(name), "%s_link_width", which);
	*width = sysfs_number(dir, name);
	*gen = generation(speed);
	if (!*gen || !*width || *width > 32) /* 255: no link to speak of */
		return false;
	snprintf(buf, size, "PCIe Gen%u x%" PRIu64, *gen, *width);
	return true;
}

/* From dir upwards to the first folder that has `name`; changes dir. */
static bool climb(const char *root, char *dir, const char *name)
{
	char text[64], top[PATH_MAX], *slash;

	if (!*root || !realpath(root, top))
		strcpy(top, "/sys");
	while (strlen(dir) > strlen(top)) {
		if (sysfs_text(dir, name, text, sizeof(text)))
			return true;
		slash = strrchr(dir, '/');
		if (!slash)
			break;
		*slash = 0;
	}
	return false;
}

/* The device's place on the bus; with multipath its first controller's. */
static void bus(const char *root, const char *dir, struct rec_device *v)
{
	char at[PATH_MAX], numa[PATH_MAX], path[PATH_MAX + 64];
	unsigned gen, gen_max;
	uint64_t width, width_max;
	glob_t g;

	snprintf(at, sizeof(at), "%s", dir);
	if (strstr(dir, "/nvme-subsys")) {
		snprintf(path, sizeof(path), "%s/device/nvme*/device", dir);
		if (!glob(path, 0, NULL, &g)) {
			if (!realpath(g.gl_pathv[0], at))
				snprintf(at, sizeof(at), "%s", dir);
			globfree(&g);
		}
	}
	v->numa_node = -1;
	strcpy(numa, at);
	if (climb(root, numa, "numa_node")) {
		sysfs_text(numa, "numa_node", path, 32);
		v->numa_node = strtol(path, NULL, 10);
	}
	if (!climb(root, at, "current_link_speed") ||
		!link_of(at, "current", v->link, sizeof(v->link), &gen,
			&width) ||
		!link_of(at, "max", v->link_max, sizeof(v->link_max), &gen_max,
			&width_max))
		return;
	v->link_reduced = gen < gen_max || width < width_max;
}

static void temperature(const char *dir, struct rec_device *v)
{
	static const char *const where[] = {"device/hwmon*", /* nvme */
		"device/hwmon/hwmon*", "device/nvme*/hwmon*"};
	char pattern[PATH_MAX + 64], text[32];
	size_t i;
	glob_t g;

	v->temperature_c = NAN;
	for (i = 0; i < 3 && isnan(v->temperature_c); i++) {
		snprintf(pattern, sizeof(pattern), "%s/%s", dir, where[i]);
		if (glob(pattern, 0, NULL, &g))
			continue;
		if (sysfs_text(g.gl_pathv[0], "temp1_input", text,
			    sizeof(text)))
			v->temperature_c = strtod(text, NULL) / 1000;
		globfree(&g);
	}
}

void sysfs_device(const char *root, const char *dir, struct rec_device *v)
{
	memset(v, 0, sizeof(*v));
	snprintf(v->name, sizeof(v->name), "%.31s", strrchr(dir, '/') + 1);
	kind(dir, v);
	names(dir, v);
	v->capacity_bytes = sysfs_number(dir, "size") * SECTOR_BYTES;
	v->logical_block_bytes =
		(uint32_t)sysfs_number(dir, "queue/logical_block_size");
	v->physical_block_bytes =
		(uint32_t)sysfs_number(dir, "queue/physical_block_size");
	v->metadata_bytes = (uint32_t)sysfs_number(dir, "metadata_bytes");
	scheduler(dir, v->scheduler, sizeof(v->scheduler));
	v->nr_requests = sysfs_number(dir, "queue/nr_requests");
	v->max_sectors_kb = sysfs_number(dir, "queue/max_sectors_kb");
	v->rotational = sysfs_number(dir, "queue/rotational") != 0;
	sysfs_text(dir, "queue/write_cache", v->write_cache,
		sizeof(v->write_cache));
	bus(root, dir, v);
	temperature(dir, v);
}
