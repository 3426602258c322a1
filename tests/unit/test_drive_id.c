/* The drive's passport, from made-up trees of /proc and /sys. */
#include "storage/drive_id.h"

#include "core/file.h"
#include "core/json.h"
#include "results/drive.h"
#include "tests/unit/ut.h"
#include "tests/unit/ut_files.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PCI "sys/devices/pci0000:00/0000:00:01.0"

static char root[UT_PATH_MAX];

/* root/path holds the text, with a newline as in sysfs. */
static void put(const char *path, const char *text)
{
	char full[UT_PATH_MAX], line[1024];
	char *slash;

	ut_join(full, root, path);
	slash = strrchr(full, '/');
	*slash = 0;
	CU_ASSERT_EQUAL_FATAL(file_mkdirs(full, NULL), 0);
	*slash = '/';
	snprintf(line, sizeof(line), "%s\n", text);
	ut_file_write(full, line, strlen(line));
}

/* root/path is a link to root/to. */
static void link_to(const char *path, const char *to)
{
	char full[UT_PATH_MAX], target[UT_PATH_MAX];
	char *slash;

	ut_join(full, root, path);
	ut_join(target, root, to);
	slash = strrchr(full, '/');
	*slash = 0;
	CU_ASSERT_EQUAL_FATAL(file_mkdirs(full, NULL), 0);
	*slash = '/';
	CU_ASSERT_EQUAL_FATAL(symlink(target, full), 0);
}

static void put_in(const char *dir, const char *name, const char *text)
{
	char path[UT_PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	put(path, text);
}

/* An NVMe drive of `gb` * 10^9 bytes behind PCI function number n. */
static void put_nvme(int n, const char *speed, const char *serial)
{
	char pci[128], ctrl[192], ns[256], path[300], to[300];

	snprintf(pci, sizeof(pci), PCI "/0000:%02d:00.0", n + 1);
	snprintf(ctrl, sizeof(ctrl), "%s/nvme/nvme%d", pci, n);
	snprintf(ns, sizeof(ns), "%s/nvme%dn1", ctrl, n);
	/* the port above has a link of its own, which is not the drive's */
	put(PCI "/current_link_speed", "2.5 GT/s PCIe");
	put(PCI "/current_link_width", "16");
	put_in(pci, "current_link_speed", speed);
	put_in(pci, "current_link_width", "4");
	put_in(pci, "max_link_speed", "32.0 GT/s PCIe");
	put_in(pci, "max_link_width", "4");
	put_in(pci, "numa_node", "1");
	put_in(ctrl, "model", "SOLIDIGM SB5PH27X076T                   ");
	put_in(ctrl, "serial", serial);
	put_in(ctrl, "firmware_rev", "G77YG100");
	put_in(ctrl, "hwmon3/temp1_input", "41850");
	put_in(ns, "size", "15002931888");
	put_in(ns, "queue/logical_block_size", "512");
	put_in(ns, "queue/physical_block_size", "4096");
	put_in(ns, "queue/scheduler", "[none] mq-deadline kyber");
	put_in(ns, "queue/nr_requests", "1023");
	put_in(ns, "queue/max_sectors_kb", "128");
	put_in(ns, "queue/rotational", "0");
	put_in(ns, "queue/write_cache", "write through");
	snprintf(path, sizeof(path), "%s/device", ns);
	link_to(path, ctrl);
	snprintf(path, sizeof(path), "%s/subsystem", ctrl);
	link_to(path, "sys/class/nvme");
	snprintf(path, sizeof(path), "sys/dev/block/259:%d", n * 10);
	link_to(path, ns);
	/* its first partition */
	snprintf(to, sizeof(to), "%s/nvme%dn1p1", ns, n);
	put_in(to, "partition", "1");
	put_in(to, "size", "2048");
	snprintf(path, sizeof(path), "sys/dev/block/259:%d", n * 10 + 1);
	link_to(path, to);
}

static void mounts(const char *text)
{
	put("proc/self/mountinfo", text);
}

static void begin(void)
{
	ut_dir_make(root, "/tmp");
	CU_ASSERT_EQUAL_FATAL(file_mkdirs(root, NULL), 0);
}

/* A Gen5 x4 drive in a Gen4 slot, and the mount of a folder with a blank. */
static void nvme_below_its_link(void)
{
	const struct rec_device *v;
	struct rec_drive d;
	char line[RESULTS_DRIVE_LINE_MAX];

	begin();
	put_nvme(0, "16.0 GT/s PCIe", "PHBX000000001234");
	mounts("26 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
	       "40 26 259:0 / /mnt/my\\040data rw,noatime shared:9 - xfs "
	       "/dev/nvme0n1 rw,inode64\n"
	       "41 26 0:30 / /mnt/my\\040database rw - tmpfs tmpfs rw");
	CU_ASSERT_EQUAL_FATAL(
		drive_identify_at(root, "/mnt/my data/set", 259, 0, false, &d),
		0);
	CU_ASSERT_TRUE(d.known);
	CU_ASSERT_STRING_EQUAL(d.filesystem, "xfs");
	CU_ASSERT_STRING_EQUAL(d.mount_point, "/mnt/my data");
	CU_ASSERT_STRING_EQUAL(d.mount_options, "rw,noatime,rw,inode64");
	CU_ASSERT_STRING_EQUAL(d.device, "nvme0n1");
	CU_ASSERT_EQUAL_FATAL(d.device_count, 1);
	v = &d.devices[0];
	CU_ASSERT_STRING_EQUAL(v->name, "nvme0n1");
	CU_ASSERT_STRING_EQUAL(v->kind, "nvme");
	CU_ASSERT_STRING_EQUAL(v->model, "SOLIDIGM SB5PH27X076T");
	CU_ASSERT_STRING_EQUAL(v->firmware, "G77YG100");
	CU_ASSERT_STRING_EQUAL(v->serial, "************1234");
	/* sectors of 512 bytes */
	CU_ASSERT_EQUAL(v->capacity_bytes, 15002931888ULL * 512);
	CU_ASSERT_EQUAL(v->logical_block_bytes, 512);
	CU_ASSERT_EQUAL(v->physical_block_bytes, 4096);
	CU_ASSERT_STRING_EQUAL(v->link, "PCIe Gen4 x4");
	CU_ASSERT_STRING_EQUAL(v->link_max, "PCIe Gen5 x4");
	CU_ASSERT_TRUE(v->link_reduced);
	CU_ASSERT_EQUAL(v->numa_node, 1);
	CU_ASSERT_STRING_EQUAL(v->scheduler, "none");
	CU_ASSERT_EQUAL(v->nr_requests, 1023);
	CU_ASSERT_EQUAL(v->max_sectors_kb, 128);
	CU_ASSERT_FALSE(v->rotational);
	CU_ASSERT_STRING_EQUAL(v->write_cache, "write through");
	CU_ASSERT_DOUBLE_EQUAL(v->temperature_c, 41.85, 1e-9);
	CU_ASSERT_PTR_NOT_NULL(
		strstr(d.note, "link runs below its maximum (PCIe Gen4 x4 of "
			       "PCIe Gen5 x4)"));
	CU_ASSERT_STRING_EQUAL(results_drive_line(line, sizeof(line), &d),
		"xfs on nvme0n1: SOLIDIGM SB5PH27X076T, firmware G77YG100, "
		"PCIe Gen4 x4 (runs below its maximum, PCIe Gen5 x4), 42 C");
	CU_ASSERT_EQUAL(
		drive_identify_at(root, "/mnt/my data", 259, 0, true, &d), 0);
	CU_ASSERT_STRING_EQUAL(d.devices[0].serial, "PHBX000000001234");
	ut_dir_remove(root);
}

static void partition_of_a_disk(void)
{
	struct rec_drive d;

	begin();
	put_nvme(0, "32.0 GT/s PCIe", "1234567");
	mounts("26 1 259:1 / / rw - ext4 /dev/nvme0n1p1 rw");
	CU_ASSERT_EQUAL_FATAL(
		drive_identify_at(root, "/data", 259, 1, false, &d), 0);
	CU_ASSERT_STRING_EQUAL(d.device, "nvme0n1p1");
	CU_ASSERT_STRING_EQUAL(d.layers, "partition 1 of nvme0n1");
	CU_ASSERT_EQUAL_FATAL(d.device_count, 1);
	CU_ASSERT_STRING_EQUAL(d.devices[0].name, "nvme0n1");
	CU_ASSERT_EQUAL(d.devices[0].capacity_bytes, 15002931888ULL * 512);
	CU_ASSERT_FALSE(d.devices[0].link_reduced);
	CU_ASSERT_STRING_EQUAL(d.devices[0].serial, "*******");
	CU_ASSERT_STRING_EQUAL(d.note, "");
	ut_dir_remove(root);
}

static void md_over_two(void)
{
	const char *md = "sys/devices/virtual/block/md0";
	struct rec_drive d, back;
	struct cJSON *o, *outer;
	struct err e;
	char *text;

	begin();
	put_nvme(0, "32.0 GT/s PCIe", "AAAA00000001");
	put_nvme(1, "16.0 GT/s PCIe", "AAAA00000002");
	put_in(md, "md/level", "raid0");
	put_in(md, "size", "30005862400");
	/* one whole disk and one partition */
	link_to("sys/devices/virtual/block/md0/slaves/nvme1n1p1",
		PCI "/0000:02:00.0/nvme/nvme1/nvme1n1/nvme1n1p1");
	link_to("sys/devices/virtual/block/md0/slaves/nvme0n1",
		PCI "/0000:01:00.0/nvme/nvme0/nvme0n1");
	link_to("sys/dev/block/9:0", md);
	mounts("26 1 9:0 / /raid rw - xfs /dev/md0 rw");
	CU_ASSERT_EQUAL_FATAL(
		drive_identify_at(root, "/raid", 9, 0, false, &d), 0);
	CU_ASSERT_STRING_EQUAL(d.device, "md0");
	CU_ASSERT_STRING_EQUAL(
		d.layers, "md0 raid0, partition 1 of nvme1n1");
	CU_ASSERT_EQUAL_FATAL(d.device_count, 2);
	CU_ASSERT_STRING_EQUAL(d.devices[0].name, "nvme0n1");
	CU_ASSERT_STRING_EQUAL(d.devices[1].name, "nvme1n1");
	CU_ASSERT_STRING_EQUAL(d.devices[1].serial, "********0002");
	CU_ASSERT_FALSE(d.devices[0].link_reduced);
	CU_ASSERT_TRUE(d.devices[1].link_reduced);
	CU_ASSERT_PTR_NOT_NULL(strstr(d.note, "nvme1n1: the link runs below"));
	CU_ASSERT_PTR_NULL(strstr(d.note, "nvme0n1"));
	/* written and read back */
	d.devices[0].temperature_c = NAN;
	outer = cJSON_CreateObject();
	CU_ASSERT_TRUE(json_add(outer, "drive", results_drive_json(&d)));
	text = json_print(outer, -1);
	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	CU_ASSERT_EQUAL_FATAL(json_parse(text, strlen(text), "t", &o, &e), 0);
	CU_ASSERT_EQUAL_FATAL(results_drive_read(o, "drive", 2, &back, "t", &e), 0);
	CU_ASSERT_TRUE(back.known);
	CU_ASSERT_STRING_EQUAL(back.layers, d.layers);
	CU_ASSERT_EQUAL(back.device_count, 2);
	CU_ASSERT_TRUE(isnan(back.devices[0].temperature_c));
	CU_ASSERT_DOUBLE_EQUAL(back.devices[1].temperature_c, 41.85, 1e-9);
	CU_ASSERT_EQUAL(back.devices[1].numa_node, 1);
	/* records before there were passports */
	CU_ASSERT_EQUAL(results_drive_read(o, "other", 2, &back, "t", &e), 0);
	CU_ASSERT_FALSE(back.known);
	/* a device too few */
	cJSON_DeleteItemFromArray(
		cJSON_GetObjectItem(cJSON_GetObjectItem(o, "drive"), "devices"),
		0);
	CU_ASSERT_EQUAL(
		results_drive_read(o, "drive", 2, &back, "t.json", &e),
		-EBADMSG);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "t.json"));
	CU_ASSERT_FALSE(back.known);
	cJSON_Delete(o);
	cJSON_Delete(outer);
	free(text);
	ut_dir_remove(root);
}

static void loop_over_a_file(void)
{
	const char *dir = "sys/devices/virtual/block/loop3";
	struct rec_drive d;

	begin();
	put_in(dir, "loop/backing_file", "/var/tmp/disk.img");
	put_in(dir, "loop/dio", "0");
	put_in(dir, "size", "2097152");
	link_to("sys/dev/block/7:3", dir);
	mounts("26 1 7:3 / /l rw - xfs /dev/loop3 rw");
	CU_ASSERT_EQUAL_FATAL(
		drive_identify_at(root, "/l", 7, 3, false, &d), 0);
	CU_ASSERT_EQUAL_FATAL(d.device_count, 1);
	CU_ASSERT_STRING_EQUAL(d.devices[0].kind, "loop");
	CU_ASSERT_EQUAL(d.devices[0].capacity_bytes, 1ULL << 30);
	CU_ASSERT_EQUAL(d.devices[0].numa_node, -1);
	CU_ASSERT_TRUE(isnan(d.devices[0].temperature_c));
	CU_ASSERT_STRING_EQUAL(d.devices[0].link, "");
	CU_ASSERT_STRING_EQUAL(
		d.layers, "loop3 over the file /var/tmp/disk.img");
	CU_ASSERT_PTR_NOT_NULL(strstr(d.note, "page cache"));
	put_in(dir, "loop/dio", "1");
	CU_ASSERT_EQUAL(drive_identify_at(root, "/l", 7, 3, false, &d), 0);
	CU_ASSERT_STRING_EQUAL(d.note, "");
	ut_dir_remove(root);
}

/* btrfs has a device number of its own; its devices are told elsewhere. */
static void no_device_and_several(void)
{
	struct rec_drive d;

	begin();
	put_nvme(0, "32.0 GT/s PCIe", "AAAA00000001");
	put_nvme(1, "32.0 GT/s PCIe", "AAAA00000002");
	link_to("sys/fs/btrfs/0-1-2/devices/nvme0n1",
		PCI "/0000:01:00.0/nvme/nvme0/nvme0n1");
	link_to("sys/fs/btrfs/0-1-2/devices/nvme1n1",
		PCI "/0000:02:00.0/nvme/nvme1/nvme1n1");
	mounts("1 1 0:9 / / rw - overlay none rw,lowerdir=/a,upperdir=/b\n"
	       "2 1 0:10 / /mem rw - tmpfs tmpfs rw\n"
	       "3 1 0:11 / /nfs rw - nfs4 server:/export rw\n"
	       "4 1 0:12 / /zfs rw - zfs tank/data rw\n"
	       "5 1 0:13 /@home /b rw,compress=zstd:3 - btrfs /dev/nvme1n1 rw");
	CU_ASSERT_EQUAL(drive_identify_at(root, "/b", 0, 44, false, &d), 0);
	CU_ASSERT_EQUAL(d.device_count, 2);
	CU_ASSERT_STRING_EQUAL(d.device, "nvme0n1");
	CU_ASSERT_PTR_NOT_NULL(strstr(d.note, "compress"));
	CU_ASSERT_EQUAL(drive_identify_at(root, "/mem/x", 0, 10, false, &d), 0);
	CU_ASSERT_EQUAL(d.device_count, 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(d.note, "memory, not a drive"));
	CU_ASSERT_EQUAL(drive_identify_at(root, "/nfs", 0, 11, false, &d), 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(d.note, "server:/export"));
	CU_ASSERT_EQUAL(drive_identify_at(root, "/zfs", 0, 12, false, &d), 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(d.note, "zfs"));
	CU_ASSERT_EQUAL(drive_identify_at(root, "/x", 0, 9, false, &d), 0);
	CU_ASSERT_STRING_EQUAL(d.filesystem, "overlay");
	CU_ASSERT_PTR_NOT_NULL(strstr(d.note, "overlay"));
	ut_dir_remove(root);
}

/* With multipath the namespace hangs on a subsystem, not on a controller. */
static void nvme_multipath(void)
{
	const char *sub = "sys/devices/virtual/nvme-subsystem/nvme-subsys0";
	char path[UT_PATH_MAX];
	struct rec_drive d;

	begin();
	put_nvme(0, "16.0 GT/s PCIe", "AAAA00000001");
	put_in(sub, "model", "SUBSYSTEM MODEL");
	put_in(sub, "nvme0n1/size", "8");
	snprintf(path, sizeof(path), "%s/nvme0n1/device", sub);
	link_to(path, sub);
	snprintf(path, sizeof(path), "%s/subsystem", sub);
	link_to(path, "sys/class/nvme-subsystem");
	snprintf(path, sizeof(path), "%s/nvme0", sub);
	link_to(path, PCI "/0000:01:00.0/nvme/nvme0");
	link_to(PCI "/0000:01:00.0/nvme/nvme0/device", PCI "/0000:01:00.0");
	snprintf(path, sizeof(path), "%s/nvme0n1", sub);
	link_to("sys/dev/block/259:7", path);
	mounts("26 1 259:7 / / rw - xfs /dev/nvme0n1 rw");
	CU_ASSERT_EQUAL_FATAL(
		drive_identify_at(root, "/", 259, 7, false, &d), 0);
	CU_ASSERT_EQUAL_FATAL(d.device_count, 1);
	CU_ASSERT_STRING_EQUAL(d.devices[0].kind, "nvme");
	CU_ASSERT_STRING_EQUAL(d.devices[0].model, "SUBSYSTEM MODEL");
	CU_ASSERT_STRING_EQUAL(d.devices[0].link, "PCIe Gen4 x4");
	CU_ASSERT_STRING_EQUAL(d.devices[0].link_max, "PCIe Gen5 x4");
	CU_ASSERT_DOUBLE_EQUAL(d.devices[0].temperature_c, 41.85, 1e-9);
	ut_dir_remove(root);
}

/* Whatever this machine is: no failure, and a file system with a name. */
static void this_machine(void)
{
	struct rec_drive d;

	CU_ASSERT_EQUAL(drive_identify("/tmp/not/made/yet", false, &d), 0);
	CU_ASSERT_TRUE(d.known);
	CU_ASSERT(d.filesystem[0] != 0);
	CU_ASSERT(d.device_count || d.note[0]);
}

UT_SUITE(drive_id, UT_CASE(nvme_below_its_link), UT_CASE(partition_of_a_disk),
	UT_CASE(md_over_two), UT_CASE(loop_over_a_file),
	UT_CASE(no_device_and_several), UT_CASE(nvme_multipath),
	UT_CASE(this_machine))
