#ifndef CORE_RECORD_H
#define CORE_RECORD_H
/*
 * What a run leaves: one record of plain structs. The workload fills it, the
 * AU arithmetic adds metrics, and everything printed or written afterwards is
 * a view of it. Times are int64_t nanoseconds on the run's own clock (see
 * rec_time), bytes uint64_t. Ratios are computed once and kept as double.
 */
#include "core/err.h"
#include "core/hist.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REC_NAME_MAX 64

enum rec_division { DIV_WHATIF, DIV_CLOSED, DIV_OPEN };
enum rec_status { REC_RUNNING, REC_FINISHED, REC_FAILED, REC_INTERRUPTED };

const char *rec_division_name(enum rec_division d); /* "whatif" ... */
const char *rec_status_name(enum rec_status s);	    /* "finished" ... */

/* A division of record length and compute time: 1/32 is {1, 32}. */
struct rec_scale {
	uint32_t num, den;
};

/* The training run as resolved from profile, options and --param. */
struct train_config {
	char model[REC_NAME_MAX];	/* "unet3d" */
	char accelerator[REC_NAME_MAX]; /* "b200" */
	char format[REC_NAME_MAX];	/* "npz" */
	char framework[REC_NAME_MAX];	/* "pytorch" */
	enum rec_division division;
	struct rec_scale scale; /* already applied to the fields below */

	uint64_t accelerators;	   /* R */
	uint64_t files;		   /* N, dataset.num_files_train */
	uint64_t subfolders;	   /* dataset.num_subfolders_train */
	uint64_t samples_per_file; /* spf */
	uint64_t batch_size;	   /* B, samples */
	uint64_t epochs;
	uint64_t record_bytes;	    /* rl, record_length_bytes */
	double record_stdev_bytes;  /* record_length_bytes_stdev */
	uint64_t resize_bytes;	    /* record_length_bytes_resize, no effect */
	int64_t computation_ns;	    /* ct, train.computation_time */
	/* train.total_training_steps: an epoch ends after so many; 0 = unset */
	uint64_t steps_most;
	uint64_t read_threads;	    /* W, reader.read_threads */
	uint64_t prefetch_size;	    /* reader.prefetch_size, default 2 */
	uint64_t prefetch_factor;   /* derived: ceil(prefetch_size / W) or 2 */
	uint64_t transfer_bytes;    /* reader.transfer_size, one request */
	bool odirect;		    /* reader.odirect */
	uint64_t queue_depth;	    /* requests in flight per reader */
	uint32_t au_floor_ppm;	    /* 900000 for 90 % */
	bool file_shuffle;	    /* always true: "off" has no effect */
	uint64_t datagen_ranks;	    /* P, sizes depend on it */
	uint64_t seed;		    /* content seed of datagen */
	bool verify;
	double host_memory_gib; /* as given; 0 = measured */
	uint64_t hosts;		/* client hosts */

	char data_dir[4096];	/* "" on a virtual drive */
	char data_folder[4096]; /* data_dir/model */
	char results_dir[4096];
	char drive[128];  /* "" = real, else the --drive text */
	char engine[32];  /* effective: "uring", "pread", "constant" ... */
	char group[16];	  /* "mpi" or "local" */
	char clock[16];	  /* "real" or "virtual" */
	char system_name[REC_NAME_MAX];
	char organization[REC_NAME_MAX];
	uint64_t limit_read_bytes_per_s; /* 0 = none */
	char host_model[REC_NAME_MAX];	 /* of a modelled drive; "" = none */
	int64_t host_step_ns; /* its software, from batch to compute */
};

/* Something asked for and not delivered, or that bends the result. */
struct rec_note {
	char id[32];	/* "cache-drop", "not-closed" ... */
	char text[480];
};

struct rec_host {
	char name[REC_NAME_MAX];
	uint32_t ranks;
	uint32_t cpu_count;
	uint64_t memory_bytes; /* MemTotal */
	char *cpuinfo;	       /* raw text of the last CPU of /proc/cpuinfo */
	char *meminfo;	       /* raw /proc/meminfo at start */
};

/* A block device; "" and 0 are what the system does not tell. */
struct rec_device {
	char name[32];	   /* "nvme0n1" */
	char kind[16];	   /* "nvme", "virtio", "scsi", "loop" ... */
	char model[REC_NAME_MAX];
	char firmware[REC_NAME_MAX];
	char serial[REC_NAME_MAX]; /* masked unless asked for */
	uint64_t capacity_bytes;
	uint32_t logical_block_bytes, physical_block_bytes;
	uint32_t metadata_bytes; /* of each logical block */
	char link[32];	   /* "PCIe Gen4 x4", now */
	char link_max[32]; /* what the device could */
	bool link_reduced; /* now is less than that */
	int64_t numa_node; /* -1 = not known, or there is only one */
	char scheduler[32];
	uint64_t nr_requests, max_sectors_kb;
	bool rotational;
	char write_cache[32];
	double temperature_c; /* NaN = not readable */
};

#define REC_DEVICES_MAX 24

/*
 * The passport of the drive under a data folder: its file system, and the
 * devices it lies on, none where it is memory or on another machine.
 */
struct rec_drive {
	bool known;
	char filesystem[32]; /* "ext4" */
	char source[128];    /* what is mounted */
	char mount_point[256];
	char mount_options[512];
	char device[32];  /* that holds the file system; "" = none */
	char layers[256]; /* "partition 1 of nvme0n1", "md0 raid0" ... */
	char note[480];	  /* what a reader should know, "" = nothing */
	uint32_t device_count; /* may exceed REC_DEVICES_MAX */
	struct rec_device devices[REC_DEVICES_MAX];
};

/*
 * Steps [first, end) of an epoch with the read-ahead in balance: W steps are
 * left out at either end. bytes_read were read by the storage between begin
 * and end; bytes_taken are the sizes of the batches consumed in it. busy_ns
 * is the part of the time in which some read was outstanding: else the storage
 * had nothing to do for this accelerator.
 */
struct rec_steady {
	uint32_t first, end; /* equal: too few steps */
	int64_t begin_ns, end_ns;
	int64_t busy_ns;
	uint64_t bytes_read, bytes_taken;
};

struct rec_epoch {
	uint32_t steps;
	int64_t start_ns;     /* epoch stamp */
	int64_t block_ns;     /* T0 */
	int64_t block_end_ns; /* T1 */
	int64_t train_end_ns; /* after the barrier behind T1 */
	int64_t end_ns;	      /* after re-sharding */
	int64_t *load_ns;     /* L, [steps] */
	int64_t *proc_ns;     /* P = load + compute, without barrier */
	int64_t *compute_ns;  /* C, measured */
	int64_t *barrier_ns;  /* wait behind each step */
	uint64_t bytes_asked;  /* read through the engine */
	uint64_t bytes_device; /* /proc/self/io read_bytes; virtual: asked */
	uint64_t samples_read;
	int64_t cpu_ns; /* user + system of this rank */
	struct rec_steady steady;
	char *meminfo; /* raw /proc/meminfo at epoch start */
	/* filled by acc_metrics() */
	double au_pct;
	double throughput_per_s;
};

/* What is counted of every request, over all epochs. */
enum rec_hist {
	REC_LATENCY_NS,	   /* handed to the engine until seen completed */
	REC_REQUEST_BYTES, /* as asked, with O_DIRECT's padding */
	REC_IN_FLIGHT,	   /* this rank's requests, each time one is added */
	REC_HISTS
};

const char *rec_hist_name(enum rec_hist h); /* "latency_ns" ... */

/* What a record file keeps of a histogram; all 0 while count is 0. */
struct rec_quantiles {
	uint64_t count, min, p50, p99, p999, max;
	double mean;
};

struct rec_rank {
	uint32_t rank;
	uint32_t host; /* index into record.hosts */
	int64_t pid;
	uint64_t peak_rss_bytes;
	int64_t cpu_ns; /* user + system since the run's start */
	uint64_t files_opened;
	uint64_t samples_verified;
	struct hist hists[REC_HISTS];
	uint32_t epoch_count;
	struct rec_epoch *epochs;
};

/* Reference figures (spec names) and strict figures of one run. */
struct rec_metrics {
	uint32_t epochs;
	double *au_pct;		    /* train_au_percentage[epochs] */
	double *throughput_per_s;   /* train_throughput_samples_per_second */
	double au_mean_pct, au_stdev_pct;
	double throughput_mean_per_s, throughput_stdev_per_s;
	double io_mean_mib_per_s, io_stdev_mib_per_s;
	bool meets_double; /* the reference's >= on doubles */
	bool meets_exact;  /* integer nanoseconds, rational: the verdict */

	bool steady_evaluated;
	double steady_au_pct;
	/* half width of its 95 % interval, see au_interval.h; 0 = not known */
	double steady_ci_pct;
	bool steady_meets;
	double head_start_pct;	/* W / S */
	double nominal_au_pct;	/* numerator (n-1) * ct instead of sum C */
	uint64_t bytes_asked, bytes_device;
	double cached_pct;	/* asked but not moved by the device */
	/* means per accelerator and epoch, as share of T1 - T0 */
	double compute_pct, storage_pct, barrier_pct, software_pct;
	double barrier_step_pct; /* the last arriver's wait over a step, k > 1 */
	double cpu_s_per_gib;
	double read_gib_per_s; /* true bytes over block time, all ranks */
	uint64_t peak_rss_bytes; /* largest rank */
	uint64_t unused_samples; /* per epoch, never read */
};

struct rec_run {
	uint32_t index; /* 0 = warm-up if there is one */
	bool warmup;
	enum rec_status status;
	char stamp[16]; /* YYYYMMDD_HHMMSS, local time of start */
	char leaf[4096]; /* directory written; "" if none */
	int64_t start_ns, end_ns;
	uint32_t rank_count;
	struct rec_rank *ranks;
	struct rec_metrics metrics;
	/* of a run read back from its file, whose histograms are gone */
	struct rec_quantiles requests[REC_HISTS];
	bool no_step_times; /* the file had none: the arrays are zeroes */
};

enum rec_verdict { VERDICT_NONE, VERDICT_PASS, VERDICT_FAIL };

/* The five-run rule over one campaign. */
struct rec_campaign {
	uint32_t runs_wanted;	/* without the warm-up */
	uint32_t warmups;
	uint32_t runs_rule;	/* measured runs the edition asks for; 0: 5 */
	bool stands_for_all;	/* one virtual run stands for every run */
	enum rec_verdict reference, steady;
	double au_mean_pct;	/* mean over the counted runs of run means */
	double steady_mean_pct;
	double margin_pct;	/* lowest counted run minus the floor */
	char reason[256];	/* first reason for FAIL, else "" */
};

/* Stamps: wall time of a moment = wall_anchor_ns + its nanoseconds. */
struct rec_time {
	int64_t wall_anchor_ns; /* CLOCK_REALTIME at clock zero */
	bool is_virtual;
};

struct record {
	char tool_version[32];
	char command_line[4096];
	struct train_config config;
	struct rec_time time;
	uint32_t host_count;
	struct rec_host *hosts;
	struct rec_drive drive; /* as rank 0's host sees it; real drives only */
	uint32_t note_count;
	struct rec_note *notes;
	uint32_t run_count;
	struct rec_run *runs;
	struct rec_campaign campaign;
};

void record_init(struct record *r);
void record_fini(struct record *r);

/* Add a note once (same id and text: no second one). 0 or -ENOMEM. */
int record_note(struct record *r, const char *id, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Append a zeroed run; the pointer is valid until the next call. */
struct rec_run *record_add_run(struct record *r);

/* Epochs with arrays for `steps` steps each; 0 or -ENOMEM. */
int rec_rank_init(struct rec_rank *k, uint32_t epochs, uint32_t steps);
void rec_rank_fini(struct rec_rank *k);
void rec_run_fini(struct rec_run *run);

/* One histogram over all ranks into *out (empty before); 0 or -ENOMEM. */
int rec_run_hist(
	const struct rec_run *run, enum rec_hist which, struct hist *out);

void rec_quantiles_of(const struct hist *h, struct rec_quantiles *out);
/* Of all ranks, also of a run that was read back; 0 or -ENOMEM. */
int rec_run_quantiles(const struct rec_run *run, enum rec_hist which,
	struct rec_quantiles *out);

/*
 * One rank as flat bytes for another process of the same binary. pack returns
 * malloc'd memory and its size; unpack checks every length.
 */
int rec_rank_pack(const struct rec_rank *k, void **buf, size_t *size_bytes);
int rec_rank_unpack(
	struct rec_rank *k, const void *buf, size_t size_bytes, struct err *e);

#define REC_AU_TEXT_MAX 32
/*
 * AU in per cent with three decimals, or more where rounding would put it on
 * the wrong side of the floor: 89.9999 stays below 90. Returns buf.
 */
const char *rec_format_au(char buf[REC_AU_TEXT_MAX], double au_pct,
	uint32_t floor_ppm, bool meets);

#endif
