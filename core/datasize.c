/* The size rule in exact integers; see datasize.h. */
#include "core/datasize.h"

#include "core/units.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

typedef unsigned __int128 u128;

/* ceil(n / d); false when it does not fit. */
static bool ceil_div(u128 n, uint64_t d, uint64_t *q)
{
	u128 v = n / d + (n % d != 0);

	*q = (uint64_t)v;
	return v <= UINT64_MAX;
}

static bool sum_memory(const struct datasize_input *in, uint64_t *bytes)
{
	u128 sum = (u128)in->hosts * in->memory_bytes_per_host;
	size_t i;

	if (in->host_memory_bytes) {
		sum = 0;
		for (i = 0; i < in->host_memory_count; i++)
			sum += in->host_memory_bytes[i];
	}
	if (sum < in->measured_memory_bytes)
		sum = in->measured_memory_bytes;
	*bytes = (uint64_t)sum;
	return sum <= UINT64_MAX;
}

static bool power_of_ten(uint64_t v)
{
	while (v && v % 10 == 0)
		v /= 10;
	return v == 1;
}

static uint64_t subfolders(uint64_t files, uint64_t per_folder)
{
	uint64_t n;

	if (!per_folder || files <= per_folder)
		return 0;
	n = files / per_folder;
	return power_of_ten(n) ? n + 1 : n;
}

int datasize_compute(const struct datasize_input *in, const struct edition *ed,
	struct datasize *out, struct err *e)
{
	const struct datasize_shape *p = &in->shape;
	u128 file, samples, disk, steps;

	memset(out, 0, sizeof(*out));
	if (!in->accelerators)
		return err_set(e, ERR_USAGE, -EINVAL,
			"cannot size a data set for 0 accelerators; give "
			"--num-accelerators 1 or more");
	file = (u128)p->samples_per_file * p->record_bytes;
	samples = (u128)ed->min_steps * in->accelerators;
	if (!file || file > UINT64_MAX || !p->batch_size ||
		samples > UINT64_MAX ||
		__builtin_mul_overflow(samples, p->batch_size, &samples))
		return err_set(e, ERR_USAGE, -EOVERFLOW,
			"the size of %s on %" PRIu64 " accelerators is out of "
			"range (record of %" PRIu64 " bytes, %" PRIu64
			" samples per file, batch of %" PRIu64 ")",
			p->model, in->accelerators, p->record_bytes,
			p->samples_per_file, p->batch_size);
	out->file_bytes = (uint64_t)file;
	if (!sum_memory(in, &out->memory_bytes) ||
		!ceil_div((u128)ed->memory_factor * out->memory_bytes,
			out->file_bytes, &out->by_bytes) ||
		!ceil_div(samples, p->samples_per_file, &out->by_steps))
		return err_set(e, ERR_USAGE, -EOVERFLOW,
			"the size of the data set is out of range for %" PRIu64
			" accelerators and %" PRIu64 " hosts of %" PRIu64
			" bytes",
			in->accelerators, in->hosts, in->memory_bytes_per_host);
	out->bound_by_memory = out->by_bytes > out->by_steps;
	out->required = out->bound_by_memory ? out->by_bytes : out->by_steps;
	disk = (u128)out->required * out->file_bytes;
	if (disk > UINT64_MAX)
		return err_set(e, ERR_USAGE, -EOVERFLOW,
			"a data set of %" PRIu64 " files of %" PRIu64
			" bytes is out of range",
			out->required, out->file_bytes);
	out->disk_bytes = (uint64_t)disk;
	steps = (u128)(out->required / in->accelerators) * p->samples_per_file /
		p->batch_size;
	out->steps_per_epoch = (uint64_t)steps;
	if (ed->memory_factor)
		out->crossover_gib =
			(double)out->by_steps * (double)out->file_bytes /
			(double)ed->memory_factor / (double)GIB_BYTES;
	out->suggested_subfolders =
		subfolders(out->required, ed->files_per_subfolder);
	return 0;
}
