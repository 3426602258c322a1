#ifndef PLAN_NOTES_H
#define PLAN_NOTES_H
/* Notes that every kind of run may have to leave, and bringing them to rank 0. */
#include "accel_sim/group.h"
#include "core/err.h"
#include "core/record.h"
#include "storage/buffers.h"
#include "storage/clock.h"
#include "storage/engine.h"

/* What the I/O buffers could not get: huge pages, registration. */
void notes_buffers(struct record *rec, const struct buffers *b);

/* The passport of the drive that holds `folder`, and what it has to tell. */
void notes_drive(struct record *rec, const char *folder);

/* Of a drive model (`drive` as given): what it was made from. */
void notes_model(struct record *rec, const char *drive,
	const struct engine_spec *s);

/* Has the wall clock been set since the start? Then say so. */
void notes_wall_step(struct record *rec, const struct clock *c);

/* Collective: add the notes of every process to rank 0's record. */
int notes_gather(struct group *g, struct record *rec, struct err *e);

#endif
