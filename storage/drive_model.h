#ifndef STORAGE_DRIVE_MODEL_H
#define STORAGE_DRIVE_MODEL_H
/*
 * What happens to a command inside a modelled drive, made from its profile.
 * Time is only ever a parameter: the same calls give the same answers.
 *
 * Mechanisms, each can be switched off (enum drive_mechanism):
 *
 * command	One server takes a command every 1 / (4K random read rate);
 *		what the drive can do at most.
 * units	The medium is K units (dies or planes) that serve a 16-KiB page
 *		in s. A command of n bytes takes ceil(n / 16 KiB) neighbouring
 *		units at once, starting at a random one, and is through when
 *		the slowest is. Commands that meet at a unit wait for each
 *		other: that is why a drive is slower at depth 256 than a pure
 *		delay would be. Off: an unlimited number of units.
 * buffer	Writes are done once they are in a protected write buffer
 *		(write_buffer_mb, split over the units), which the units drain:
 *		a page of a sequential write in K * 16 KiB / sequential rate, a
 *		random write of up to random_write_bytes in K / random write
 *		rate (which contains the drive's own garbage collection). A
 *		write whose unit has no room waits for it. Off: it never fills.
 * interference	A read waits for the page that its unit is just draining;
 *		else reads go first and drains use the gaps. Once a unit has
 *		more to drain than it has room for, reads and drains take
 *		turns. Off: reads and writes do not meet.
 * rmw		A random write that covers only part of an indirection unit
 *		costs the whole unit and a page read before it.
 * link		(in the engine) the bytes of all commands pass one link, which
 *		reads share evenly; a single command moves at most at
 *		command_read_gb_per_s. Writes have their own direction.
 *
 * Where nobody could tell the difference, many units are one: reads of 4 MiB
 * and more while nothing is being drained, and writes while nothing is read,
 * pass them as one server of their joint rate.
 *
 * Two numbers were fitted, to the review of one drive (pe511; 4K random reads
 * at 1, 64, 256 and 2048 in flight, and at half and full rate): see
 * drive_model.c. All others come from the profile.
 */
#include "core/err.h"
#include "core/rng.h"
#include "storage/drive.h"

#include <stdbool.h>
#include <stdint.h>

enum drive_mechanism {
	DRIVE_COMMAND = 1,
	DRIVE_UNITS = 2,
	DRIVE_BUFFER = 4,
	DRIVE_INTERFERENCE = 8,
	DRIVE_RMW = 16,
	DRIVE_LINK = 32,
	DRIVE_ALL = 63
};

/* "units,rmw" -> their bits, or ERR_USAGE naming those that exist. */
int drive_mechanisms_parse(const char *text, uint32_t *bits, struct err *e);

#define DRIVE_PAGE_BYTES 16384
#define DRIVE_BULK_BYTES (4U << 20)
#define DRIVE_STREAMS 64 /* writers told apart as sequential */

struct drive_unit {
	int64_t free_ns;  /* when it has served what it took */
	int64_t apart_ns; /* the same for drains, without interference */
	uint64_t put, drained; /* pieces */
	int64_t drain_ns; /* what each that is left takes, the mean */
	bool read_last;	  /* what it took last was a read */
};

struct drive_model {
	uint32_t mechanisms;
	uint32_t unit_count;
	struct drive_unit *units;
	int64_t read_ns;      /* s */
	double command_ns;    /* one command of the stripe's command servers */
	double command_free_ns;
	int64_t read_base_ns; /* of a read, beside command and unit */
	int64_t write_base_ns;
	double drain_page_ns;	/* unit-time of 16 KiB written in sequence */
	double drain_random_ns; /* ... of a random write */
	double write_link_free_ns;
	double link_bytes_per_s;	  /* each direction */
	double command_read_bytes_per_s;  /* of one command */
	double command_write_bytes_per_s; /* of one command */
	uint32_t backlog_most;		  /* pieces, per unit */
	uint32_t random_write_bytes, indirection_bytes;
	uint64_t pieces; /* put so far; number i goes to unit i mod K */
	int64_t bulk_read_ns; /* when the long reads so far are served */
	/* writes alone: all is drained at joint_ns, a piece in joint_drain_ns */
	bool joint;
	double joint_ns, joint_drain_ns;
	int64_t last_read_ns;
	struct rng_xo rng;
	uint64_t stream_end[DRIVE_STREAMS];
	uint32_t stream_next;
};

/* All figures of p are multiplied by its count. -ENOMEM. */
int drive_model_init(struct drive_model *m, const struct drive_profile *p,
	uint32_t mechanisms, uint64_t seed, struct err *e);
void drive_model_fini(struct drive_model *m);

/*
 * A read command handed in at now_ns: when its bytes are ready for the link.
 * now_ns never goes back from call to call.
 */
int64_t drive_model_read(
	struct drive_model *m, int64_t now_ns, uint64_t len_bytes);

/* A write command on its way into the buffer. */
struct drive_write {
	uint64_t end;	 /* number behind its last piece */
	uint64_t pieces; /* how many it has */
	double joint_ns; /* writes alone: when it will be drained */
};

/*
 * A write command: when its bytes have come, which is the time to ask
 * drive_model_written() whether they are in the buffer. Writes that continue
 * where one of the last 64 ended are sequential, as are those of 256 KiB and
 * more.
 */
int64_t drive_model_write(struct drive_model *m, int64_t now_ns,
	uint64_t offset_bytes, uint64_t len_bytes, struct drive_write *w);

/* now_ns when all of it is in the buffer; else when to ask again. */
int64_t drive_model_written(
	struct drive_model *m, int64_t now_ns, const struct drive_write *w);

#endif
