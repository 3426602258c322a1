#ifndef DATAGEN_GENERATE_H
#define DATAGEN_GENERATE_H
/*
 * Writes a training data set's files through an engine. A generator is one
 * task of an event loop and writes every workers-th file; a few files are in
 * work at once, so that the drive is busy while one is being synced. A file
 * gets its name when all of it is on the drive: what has a name is complete,
 * and generating again continues where an earlier attempt stopped.
 */
#include "core/err.h"
#include "datagen/content.h"
#include "datagen/dataset.h"
#include "storage/buffers.h"
#include "storage/loop.h"
#include "storage/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GENERATE_CHUNK_BYTES (1024u * 1024u)

struct generate_config {
	const struct dataset_layout *layout;
	const struct dataset_dims *dims; /* [layout->files] */
	enum content_kind kind;
	uint64_t seed;
	struct content_ratios ratios;
	uint64_t worker, workers; /* writes files i with i mod workers == worker */
	bool direct;		  /* O_DIRECT */
	uint32_t *crc32; /* [layout->files]: CRC for each own file; 0 where none
			  */
	/* [layout->files]: files that are there already are left alone */
	const bool *present;
};

struct generate_progress {
	uint64_t files_done, bytes_done; /* written by this worker */
};

struct generator;

/*
 * Is file i on the store, with this size and with the first 4 KiB that a
 * complete file of these dimensions and this content (file and head_bytes of
 * the key are ignored)
 * has? Gives its CRC, 0 for a format without one.
 */
bool generate_is_present(struct store *s, const struct dataset_layout *l,
	struct dataset_dims d, uint64_t i, const struct content_key *key,
	uint32_t *crc32);

/* Bytes of the chunk buffers' arena: buffers of GENERATE_CHUNK_BYTES. */
#define GENERATE_BUFFERS 16

/*
 * A generator over store s; its task is added to loop l. The configuration's
 * arrays stay the caller's and must live as long.
 */
int generate_open(const struct generate_config *c, struct store *s,
	struct loop *l, struct buffers *b, struct generator **out,
	struct err *e);
struct loop_task *generate_task(struct generator *g);
void generate_get_progress(
	const struct generator *g, struct generate_progress *p);
/* Removes files that are not complete; nothing may be in flight. */
void generate_close(struct generator *g);

#endif
