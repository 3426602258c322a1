#ifndef RESULTS_TRACE_HDF5_H
#define RESULTS_TRACE_HDF5_H
/*
 * trace.h5: every step of a run, for plots and statistics of one's own.
 *
 *	/load_ns /compute_ns /barrier_ns	[ranks][epochs][steps]
 *	/block_start_ns /block_end_ns		[ranks][epochs]
 *	/requests/{latency_ns,request_bytes,in_flight}/{lower,count}
 *						[buckets], of all ranks
 *
 * All are int64 or uint64 and carry an attribute "units"; the root group's
 * attributes are the configuration, "emulated" among them. Times count from
 * the attribute wall_anchor_ns (CLOCK_REALTIME). -1 where nothing was measured.
 */
#include "core/err.h"
#include "core/record.h"

#include <stddef.h>

/*
 * Write it into the folder dir. Where the file system has no locks (ENOLCK)
 * the error is ERR_ENV and names HDF5_USE_FILE_LOCKING.
 */
int results_write_trace(const struct record *rec, const struct rec_run *run,
	const char *dir, struct err *e);

/*
 * One histogram of the trace.h5 in dir into *h, which is empty before and after
 * an error; h->sum is not kept there and stays 0. -ENOENT where there is no
 * such file, -EBADMSG (ERR_IO) where it holds no such histogram.
 */
int results_read_trace_hist(const char *dir, enum rec_hist which,
	struct hist *h, struct err *e);

/* "1.10.8", of the HDF5 library that runs. */
void results_hdf5_version(char *buf, size_t size);

#endif
