#ifndef TESTS_UNIT_UT_SIM_H
#define TESTS_UNIT_UT_SIM_H
/*
 * A training run in virtual time over a catalog of files and the constant
 * engine, all in one process, with a log of every open and close. All files
 * are file_bytes long unless size_of says otherwise. With dir and a real
 * engine it reads real files.
 */
#include "accel_sim/group.h"
#include "accel_sim/shard.h"
#include "core/record.h"
#include "storage/buffers.h"
#include "storage/engine.h"
#include "storage/store.h"
#include "workloads/training.h"

#define MS INT64_C(1000000)

struct sim_event {
	bool open; /* else closed */
	uint64_t id;
	int64_t ns;
};

struct sim {
	/* set after sim_init(), before sim_run() */
	struct train_config c;
	uint64_t file_bytes;
	uint64_t (*size_of)(uint64_t id);
	struct engine_spec drive;
	int64_t barrier_ns; /* what each barrier takes */
	uint32_t align;	 /* of direct I/O; 0: 4096 */
	uint64_t bad_id; /* opening it fails; UINT64_MAX: none */
	/*
	 * Real files dir/f<id> instead of a catalog; then bad_id is cut to
	 * cut_bytes after it was opened.
	 */
	const char *dir;
	uint64_t cut_bytes;
	void (*progress)(void *ctx, const struct training_progress *p);
	int (*check)(void *ctx, uint64_t file, uint64_t offset_bytes,
		const void *buf, size_t len_bytes, struct err *e);
	/* what came of it */
	struct rec_run run;
	struct sim_event *events;
	size_t event_count, event_room;
	uint64_t opens, closes, opens_before_bad;
	uint32_t most_in_flight;
	uint64_t requests, request_bytes, misaligned;
	/* its own */
	struct clock clock;
	struct engine *engine;
	struct engine_ops engine_ops;
	int (*queue)(struct engine *g, struct engine_op *op);
	struct store store;
	struct store_ops store_ops;
	const struct store_ops *plain_ops;
	struct group *group;
	struct group_ops group_ops, local_ops;
	int64_t meets_ns[64]; /* of a member: not before */
	struct shard *shard;
	struct buffers buffers;
};

/* One accelerator, one epoch, batch 2, 2 readers, 10 ms; see ut_sim.c. */
void sim_init(struct sim *s);
/* The same with another number of files, samples a batch and readers. */
void sim_shape(
	struct sim *s, uint64_t files, uint64_t batch, uint64_t readers);
/* Opens everything and runs. What the run returned. */
int sim_run(struct sim *s, struct err *e);
/* After a run: all that was opened is closed, nothing is in flight. */
void sim_check_tidy(const struct sim *s);
/* Runs, which must succeed, or fail with code and text; tidy all the same. */
void sim_run_ok(struct sim *s);
void sim_run_fails(struct sim *s, int code, const char *text);
void sim_close(struct sim *s);

/* Epoch and step times of the record. */
struct rec_epoch *sim_epoch(const struct sim *s, uint32_t rank, uint32_t epoch);
/* When batch k was taken, and when step k ended for all. */
int64_t sim_taken_ns(const struct rec_epoch *ep, uint32_t k);
int64_t sim_met_ns(const struct rec_epoch *ep, uint32_t k);

#endif
