/* The layout of DiskANN index files; see vdb_layout.h. */
#include "datagen/vdb_layout.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define NODES_MAX UINT32_MAX /* ids are 32 bits */
#define A_WORDS 9
#define A_WORDS_REORDER 12
#define B_WORDS 96
#define C_LONG UINT64_MAX /* nodes per sector of long nodes, in C */

/* What follows from nodes, vector, assoc and degree; -ERANGE if nothing. */
static int derive(struct vdb_layout *l)
{
	uint64_t sectors;

	l->node_bytes = l->vector_bytes + 4 * ((uint64_t)l->degree + 1) +
			l->assoc_bytes;
	if (!l->nodes || l->nodes > NODES_MAX || !l->vector_bytes ||
		l->node_bytes > 1u << 20)
		return -ERANGE;
	l->per_sector = (uint32_t)(VDB_SECTOR_BYTES / l->node_bytes);
	l->sectors_per_node = 1;
	if (l->per_sector) {
		sectors = (l->nodes + l->per_sector - 1) / l->per_sector;
	} else {
		l->sectors_per_node =
			(uint32_t)((l->node_bytes + VDB_SECTOR_BYTES - 1) /
				   VDB_SECTOR_BYTES);
		sectors = l->nodes * l->sectors_per_node;
	}
	l->read_bytes = l->sectors_per_node * VDB_SECTOR_BYTES;
	l->file_bytes = (1 + sectors) * VDB_SECTOR_BYTES;
	return 0;
}

int vdb_layout_init(struct vdb_layout *l, uint64_t nodes, uint64_t dims,
	uint32_t element_bytes, uint32_t degree, struct err *e)
{
	memset(l, 0, sizeof(*l));
	l->nodes = nodes;
	l->dims = dims;
	l->vector_bytes = dims * element_bytes;
	l->degree = degree;
	if (degree && degree <= VDB_DEGREE_MAX && dims <= 1u << 18 &&
		!derive(l))
		return 0;
	return err_set(e, ERR_USAGE, -ERANGE,
		"an index segment of %" PRIu64 " vectors of %" PRIu64
		" dimensions and degree %u: it takes 1 to %u vectors, up to "
		"1 MiB a node and degree 1 to %u",
		nodes, dims, degree, NODES_MAX, VDB_DEGREE_MAX);
}

static void put64(uint8_t *at, uint64_t v)
{
	v = htole64(v);
	memcpy(at, &v, 8);
}

static void put32(uint8_t *at, uint32_t v)
{
	v = htole32(v);
	memcpy(at, &v, 4);
}

static uint64_t get64(const uint8_t *at)
{
	uint64_t v;

	memcpy(&v, at, 8);
	return le64toh(v);
}

static uint32_t get32(const uint8_t *at)
{
	uint32_t v;

	memcpy(&v, at, 4);
	return le32toh(v);
}

void vdb_layout_encode(
	const struct vdb_layout *l, uint8_t sector[VDB_SECTOR_BYTES])
{
	memset(sector, 0, VDB_SECTOR_BYTES);
	put32(sector, A_WORDS);
	put32(sector + 4, 1);
	put64(sector + 8, l->nodes);
	put64(sector + 16, l->dims);
	put64(sector + 24, l->medoid);
	put64(sector + 32, l->node_bytes);
	put64(sector + 40, l->per_sector);
	/* no frozen nodes, no reorder data */
	put64(sector + 72, l->file_bytes);
}

void vdb_layout_fill(const struct vdb_layout *l, uint64_t offset_bytes,
	void *buf, uint64_t len_bytes,
	void (*record)(const void *ctx, uint64_t node, uint8_t *out),
	const void *ctx)
{
	uint8_t *out = buf, *end = out + len_bytes;
	uint64_t node, unit;
	uint32_t i;

	if (!offset_bytes) {
		vdb_layout_encode(l, out);
		out += VDB_SECTOR_BYTES;
		offset_bytes += VDB_SECTOR_BYTES;
	}
	unit = (offset_bytes - VDB_SECTOR_BYTES) / l->read_bytes;
	for (; out < end; out += l->read_bytes, unit++) {
		memset(out, 0, l->read_bytes);
		node = l->per_sector ? unit * l->per_sector : unit;
		for (i = 0; !i || i < l->per_sector; i++)
			if (node + i < l->nodes)
				record(ctx, node + i,
					out + i * l->node_bytes);
	}
}

static int bad(struct err *e, const char *name, const char *field,
	uint64_t value, const char *why)
{
	return err_set(e, ERR_IO, -EBADMSG,
		"%s is no index this program can read: %s is %" PRIu64 ", %s",
		name, field, value, why);
}

/* The words of all dialects: where they are differs. */
struct words {
	uint64_t nodes, dims, medoid, node_bytes, per_sector;
	uint64_t reorder, reorder_sector, file_bytes;
};

static int read_words(struct vdb_layout *l, const uint8_t *s,
	uint64_t file_bytes, struct words *w, const char *name, struct err *e)
{
	uint32_t rows = get32(s), cols = get32(s + 4), at = 16;

	memset(w, 0, sizeof(*w));
	w->nodes = get64(s + 8);
	if (get64(s) == file_bytes) {
		l->dialect = VDB_DIALECT_C;
		w->file_bytes = file_bytes;
	} else if (cols == 1 && (rows == A_WORDS || rows == A_WORDS_REORDER ||
					rows == B_WORDS)) {
		l->dialect = rows == B_WORDS ? VDB_DIALECT_B : VDB_DIALECT_A;
		w->dims = get64(s + 16);
		at = 24;
	} else {
		return bad(e, name, "its first word", get64(s),
			"neither the file's size nor the start of a header");
	}
	w->medoid = get64(s + at);
	w->node_bytes = get64(s + at + 8);
	w->per_sector = get64(s + at + 16);
	/* past frozen count and frozen node */
	w->reorder = get64(s + at + 40);
	if (l->dialect == VDB_DIALECT_B) {
		w->file_bytes = get64(s + 72);
		l->assoc_bytes = get64(s + 80);
		if (get64(s + 88) != VDB_SECTOR_BYTES)
			return bad(e, name, "its block size", get64(s + 88),
				"not 4096");
		if (get32(s + 96) != 1 || get32(s + 100) != 0)
			return bad(e, name, "its version", get32(s + 96),
				"not 1.0");
		return w->reorder ? bad(e, name, "its reorder flag", w->reorder,
				     "not 0")
				  : 0;
	}
	if (w->reorder > 1 ||
		(l->dialect == VDB_DIALECT_A &&
			w->reorder != (rows == A_WORDS_REORDER)))
		return bad(e, name, "its reorder flag", w->reorder,
			"which does not fit its header");
	if (w->reorder)
		w->reorder_sector = get64(s + at + 48);
	if (l->dialect == VDB_DIALECT_A)
		w->file_bytes = get64(s + (w->reorder ? 96 : 72));
	return 0;
}

/* Degree from the record's length, then everything else from that. */
static int check_words(struct vdb_layout *l, const struct words *w,
	uint64_t file_bytes, const char *name, struct err *e)
{
	uint64_t rest, expected;

	if (w->file_bytes != file_bytes)
		return bad(e, name, "the size in its header", w->file_bytes,
			"not the file's own");
	if (!w->nodes || w->nodes > NODES_MAX)
		return bad(e, name, "its number of nodes", w->nodes,
			"not 1 to 2^32 - 1");
	if (l->assoc_bytes > 1u << 20 || w->node_bytes > 1u << 20 ||
		w->node_bytes < l->vector_bytes + l->assoc_bytes + 8)
		return bad(e, name, "its node length", w->node_bytes,
			"which does not hold a vector and a neighbour");
	rest = w->node_bytes - l->vector_bytes - l->assoc_bytes - 4;
	if (rest % 4 || rest / 4 > VDB_DEGREE_MAX)
		return bad(e, name, "its node length", w->node_bytes,
			"which leaves no whole list of up to 512 neighbours");
	l->degree = (uint32_t)(rest / 4);
	l->nodes = w->nodes;
	if (derive(l))
		return bad(e, name, "its node length", w->node_bytes,
			"too long");
	if (w->medoid >= l->nodes)
		return bad(e, name, "its start node", w->medoid,
			"which does not exist");
	l->medoid = w->medoid;
	expected = l->per_sector;
	if (!expected && l->dialect == VDB_DIALECT_C)
		expected = C_LONG;
	if (w->per_sector != expected)
		return bad(e, name, "its nodes per sector", w->per_sector,
			"which does not fit its node length");
	if (w->reorder ? file_bytes <= l->file_bytes ||
				 w->reorder_sector * VDB_SECTOR_BYTES !=
					 l->file_bytes
		       : file_bytes != l->file_bytes)
		return bad(e, name, "its size", file_bytes,
			"which does not hold its nodes exactly");
	l->file_bytes = file_bytes;
	l->reorder_sector = w->reorder_sector;
	return 0;
}

int vdb_layout_decode(struct vdb_layout *l,
	const uint8_t sector[VDB_SECTOR_BYTES], uint64_t file_bytes,
	uint32_t element_bytes, uint64_t dims, const char *name, struct err *e)
{
	struct words w;
	int r;

	memset(l, 0, sizeof(*l));
	r = read_words(l, sector, file_bytes, &w, name, e);
	if (r)
		return r;
	if (l->dialect == VDB_DIALECT_C && !dims)
		return err_set(e, ERR_USAGE, -EINVAL,
			"%s does not tell the dimension of its vectors: give "
			"--dimension", name);
	if (l->dialect == VDB_DIALECT_C)
		w.dims = dims;
	if (dims && w.dims != dims)
		return err_set(e, ERR_USAGE, -EINVAL,
			"%s has vectors of %" PRIu64 " dimensions, not %" PRIu64,
			name, w.dims, dims);
	if (!w.dims || w.dims > 1u << 18)
		return bad(e, name, "its dimension", w.dims,
			"not 1 to 262144");
	l->dims = w.dims;
	l->vector_bytes = w.dims * element_bytes;
	return check_words(l, &w, file_bytes, name, e);
}

int vdb_path(char *path, const char *prefix, const char *suffix, struct err *e)
{
	int n = snprintf(path, PATH_MAX, "%s%s", prefix, suffix);

	return n > 0 && n < PATH_MAX
		       ? 0
		       : err_set(e, ERR_USAGE, -ENAMETOOLONG,
				 "the index's name is too long");
}
