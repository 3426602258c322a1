/*
 * Everything that is read of an index: the first byte says which files the rest
 * is, and whether sizes that it claims are put right, which a fuzzer would take
 * long to hit.
 */
#include "datagen/vdb_index.h"
#include "datagen/vdb_manifest.h"
#include "datagen/vdb_metric.h"
#include "datagen/vdb_truth.h"
#include "tests/fuzz/folder.h"

#include <endian.h>
#include <errno.h>

#define PIECES 4
#define PUT_RIGHT 0x80
#define DIM 2u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char path[256];

static const char *in_folder(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", fuzz_folder, name);
	return path;
}

/* Refused without a word, or in a way that callers do not know? */
static int refused(int r, const struct err *e)
{
	if (r && (r > 0 || e->kind == ERR_NONE || !e->text[0]))
		abort();
	return r;
}

static void put_size(uint8_t *sector, uint64_t size)
{
	uint32_t words;
	uint64_t word = htole64(size);

	memcpy(&words, sector, 4);
	words = le32toh(words);
	memcpy(sector + (words == 9 || words == 96 ? 72 : words == 12 ? 96 : 0),
		&word, 8);
}

/* 128 bytes of header, then nodes; the rest of the sector is zeroes. */
static size_t write_index(const uint8_t *data, size_t size, int put_right)
{
	size_t head = size < 128 ? size : 128, rest = size - head;
	size_t sectors = (rest + VDB_SECTOR_BYTES - 1) / VDB_SECTOR_BYTES;
	size_t whole = (1 + sectors) * VDB_SECTOR_BYTES;
	uint8_t *text = calloc(1, whole);

	if (!text)
		abort();
	memcpy(text, data, head);
	memcpy(text + VDB_SECTOR_BYTES, data + head, rest);
	if (put_right)
		put_size(text, whole);
	fuzz_file("x_disk.index", text, whole);
	free(text);
	return whole;
}

/* The mean and the chunks come first: centroids are whatever is left. */
static void write_pivots(const uint8_t *data, size_t size, int put_right)
{
	size_t pivots = 8 + 4 * VDB_CENTROIDS * DIM, o1 = 4096 + pivots;
	size_t o2 = o1 + 8 + 4 * DIM, end = o2 + 8 + 4 * (DIM + 1);
	uint64_t offsets[4] = {4096, o1, o2, end};
	uint32_t heads[4][2] = {
		{4, 1}, {VDB_CENTROIDS, DIM}, {DIM, 1}, {DIM + 1, 1}};
	uint8_t *text = calloc(1, end);
	size_t tail = end - o1, n = size < tail ? size : tail;

	if (!text)
		abort();
	memcpy(text + o1, data, n);
	memcpy(text, data + n, size - n < 4096 ? size - n : 4096);
	if (put_right) {
		memcpy(text, heads[0], 8);
		memcpy(text + 8, offsets, sizeof(offsets));
		memcpy(text + 4096, heads[1], 8);
		memcpy(text + o1, heads[2], 8);
		memcpy(text + o2, heads[3], 8);
	}
	fuzz_file("x_pq_pivots.bin", text, end);
	free(text);
}

/* What was opened holds only nodes that exist. */
static void check_index(const struct vdb_index *x)
{
	uint32_t ids[VDB_DEGREE_MAX], i;
	int n, k;

	if (x->layout.medoid >= x->layout.nodes ||
		x->layout.degree > VDB_DEGREE_MAX ||
		x->cached > x->layout.nodes)
		abort();
	for (i = 0; i < x->cached; i++) {
		n = vdb_record_ids(&x->layout,
			x->records + i * x->layout.node_bytes, ids);
		for (k = 0; k < n; k++)
			if (ids[k] >= x->layout.nodes)
				abort();
	}
}

static void read_index(const uint8_t *piece[PIECES], const size_t len[PIECES],
	int put_right)
{
	const struct vdb_index_want want = {.cache = put_right
			? VDB_CACHE_VISITS : VDB_CACHE_BREADTH,
		.nodes = 16};
	char prefix[128];
	struct vdb_index x;
	struct err e = {.kind = ERR_NONE};
	uint32_t dims;

	write_index(piece[0], len[0], put_right);
	write_pivots(piece[1], len[1], put_right);
	fuzz_file("x_pq_compressed.bin", piece[2], len[2]);
	fuzz_file("x_disk.index_max_base_norm.bin", piece[3], len[3]);
	snprintf(prefix, sizeof(prefix), "%s/x", fuzz_folder);
	for (dims = 0; dims <= DIM; dims += DIM)
		if (!refused(vdb_index_open(&x, prefix, 0, dims, &want, &e), &e)) {
			check_index(&x);
			refused(vdb_index_set_metric(&x, prefix,
					put_right ? VDB_COSINE : VDB_IP, &e),
				&e);
			vdb_index_close(&x);
		}
}

static void read_vectors(const char *name, const uint8_t *data, size_t size)
{
	struct err e = {.kind = ERR_NONE};
	struct vdb_vectors v;
	uint64_t rows;
	uint32_t dim;

	fuzz_file(name, data, size);
	if (refused(vdb_fbin_shape(in_folder(name), &rows, &dim, &e), &e))
		return;
	/* what has a shape has that many numbers, none of them endless */
	if (refused(vdb_fbin_read(&v, path, 0, rows, &e), &e)) {
		if (e.code != -EBADMSG)
			abort();
		return;
	}
	if (!refused(vdb_metric_base(&v, rows % 2 ? VDB_IP : VDB_COSINE, &e),
		    &e) && !v.norms)
		abort();
	vdb_vectors_free(&v);
}

static void read_others(const uint8_t *piece[PIECES], const size_t len[PIECES])
{
	struct err e = {.kind = ERR_NONE};
	struct vdb_manifest m, again;
	struct vdb_truth t;
	char why[128];

	read_vectors("v.fbin", piece[0], len[0]);
	read_vectors("v.u8bin", piece[1], len[1]);
	fuzz_file("truth", piece[2], len[2]);
	if (!refused(vdb_truth_load(&t, in_folder("truth"), &e), &e)) {
		if (8 + 4 * (uint64_t)t.queries * t.k > len[2])
			abort();
		vdb_truth_free(&t);
	}
	fuzz_file(VDB_MANIFEST_NAME, piece[3], len[3]);
	if (refused(vdb_manifest_load(fuzz_folder, &m, &e), &e))
		return;
	if (vdb_manifest_save(fuzz_folder, &m, &e) ||
		vdb_manifest_load(fuzz_folder, &again, &e) ||
		vdb_manifest_differs(&m, &again, why, sizeof(why)))
		abort();
}

/* The kind, three lengths of two bytes, then four pieces. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *piece[PIECES];
	size_t len[PIECES], left, i;
	uint16_t n;

	if (size < 7)
		return 0;
	left = size - 7;
	piece[0] = data + 7;
	for (i = 0; i < PIECES; i++) {
		memcpy(&n, data + 1 + 2 * (i % 3), 2);
		len[i] = le16toh(n) < left && i < 3 ? le16toh(n) : left;
		left -= len[i];
		if (i + 1 < PIECES)
			piece[i + 1] = piece[i] + len[i];
	}
	if (data[0] & 1)
		read_others(piece, len);
	else
		read_index(piece, len, data[0] & PUT_RIGHT);
	return 0;
}
