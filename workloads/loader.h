#ifndef WORKLOADS_LOADER_H
#define WORKLOADS_LOADER_H
/*
 * The data loader of one accelerator: W readers that read whole samples one
 * after another for the batches handed out to them. Batch b belongs to reader
 * b mod W and lives in slot b mod window, window = W x prefetch_factor, until
 * the next batch of that slot is handed out. Readers share the accelerator's
 * buffers in the order in which they asked.
 *
 * Where a file holds several samples, sample g is in file g / spf of the
 * epoch's order, and what it costs is the reference's (DLIO 3.0.2): buffered,
 * a reader reads the whole file for the first sample it needs of it and keeps
 * it, so a file is read once by each reader that has a batch in it; with
 * O_DIRECT the whole file is read again for every sample. A sample that costs
 * nothing has no bytes in loader_batch_bytes(). Of HDF5 files each sample's
 * own bytes are read, from a file that is opened for each.
 */
#include "core/err.h"
#include "core/record.h"
#include "storage/buffers.h"
#include "storage/engine.h"
#include "storage/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct loader_env {
	const struct train_config *config;
	struct engine *engine;
	struct store *store;
	const struct buffers *buffers;
	uint32_t first_buffer; /* of loader_buffers() */
	/* see training_env.check; may be NULL */
	int (*check)(void *ctx, uint64_t file, uint64_t offset_bytes,
		const void *buf, size_t len_bytes, struct err *e);
	void *check_ctx;
	/* called when a batch is complete, and when the loader failed */
	void (*changed)(void *ctx);
	void *ctx;
};

/* Totals since the loader was opened. */
struct loader_totals {
	uint64_t bytes_read, samples_read, files_opened;
	int64_t busy_ns; /* time with a read outstanding */
};

struct loader;

/* Buffers of transfer_bytes each that a loader uses. */
uint32_t loader_buffers(const struct train_config *c);
/*
 * Batches of a reader ahead: ceil(prefetch_size / W), 2 where that is 0, the
 * loader's own default.
 */
uint64_t loader_prefetch_factor(const struct train_config *c);
/* Requests in flight of a reader where nobody says: direct 16, buffered 1. */
uint64_t loader_queue_depth(bool odirect);
/* W x prefetch_factor: most batches handed out and not taken. */
uint32_t loader_window(const struct train_config *c);

int loader_open(
	const struct loader_env *env, struct loader **out, struct err *e);
/* Nothing may be in flight. */
void loader_close(struct loader *l);

/*
 * Read from this list of files from now on (borrowed); a new epoch, whose
 * readers are new ones.
 */
void loader_set_order(struct loader *l, const uint32_t *order);
/* Give batch b to its reader; its slot must be free. */
void loader_hand_out(struct loader *l, uint32_t batch);
bool loader_has(const struct loader *l, uint32_t batch);
uint64_t loader_batch_bytes(const struct loader *l, uint32_t batch);

void loader_get_totals(const struct loader *l, struct loader_totals *t);
/* Hand over what was counted of the requests so far; the rest starts anew. */
void loader_take_hists(struct loader *l, struct hist hists[REC_HISTS]);

/* What went wrong, or NULL. */
const struct err *loader_error(const struct loader *l);
/* Ask for nothing more; what is in flight ends. */
void loader_stop(struct loader *l);

#endif
